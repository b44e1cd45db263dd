//! Shares of the request kinds.

use std::error::Error;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::RequestKind;
use crate::Rng;

/// The share of each kind of request, in per cent; the shares add up to 100.
///
/// Shares left out of a file are 0. [`Mix::default`] has only zeros.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
// `remote`: the derived functions become associated ones, so that reading can validate.
#[serde(remote = "Self", rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Mix {
    pub get: f64,
    pub update: f64,
    /// INSERTs of new records.
    pub insert: f64,
    pub delete: f64,
    /// Reads, each followed by an overwrite of the same record.
    pub read_modify_write: f64,
    /// Scans: reads of several records in key order.
    pub scan: f64,
    /// Overwrites of all records of a group in one step of the store.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_together: f64,
    /// Reads of all records of a group at one moment.
    #[serde(skip_serializing_if = "is_zero")]
    pub snapshot_read: f64,
    /// Scans at one moment.
    #[serde(skip_serializing_if = "is_zero")]
    pub snapshot_scan: f64,
    /// Overwrites with values that have a lifetime.
    #[serde(skip_serializing_if = "is_zero")]
    pub write_expiring: f64,
}

/// Number of the kinds that a mix may have.
const KINDS: usize = 10;

fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// Rounded shares, such as 33.333 three times, still count as 100.
const TOLERANCE_PERCENT: f64 = 0.001;

impl Mix {
    /// A mix with this share of GETs in per cent; the rest are UPDATEs.
    pub fn gets(percent: f64) -> Result<Self, MixError> {
        let mix = Self { get: percent, update: 100.0 - percent, ..Self::default() };
        mix.validate().map(|()| mix)
    }

    /// A mix with this share of writes of values with a lifetime, in per cent, and nothing else yet.
    pub(super) fn expiring(percent: f64) -> Self {
        Self { write_expiring: percent, ..Self::default() }
    }

    /// The shares with their kinds, in the order of [`RequestKind::ALL`]. Which keys are absent, only
    /// traces know.
    pub const fn shares(&self) -> [(RequestKind, f64); KINDS] {
        [
            (RequestKind::Get, self.get),
            (RequestKind::Update, self.update),
            (RequestKind::Insert, self.insert),
            (RequestKind::Delete, self.delete),
            (RequestKind::ReadModifyWrite, self.read_modify_write),
            (RequestKind::Scan, self.scan),
            (RequestKind::WriteTogether, self.write_together),
            (RequestKind::SnapshotRead, self.snapshot_read),
            (RequestKind::SnapshotScan, self.snapshot_scan),
            (RequestKind::WriteExpiring, self.write_expiring),
        ]
    }

    /// Checks that every share is a percentage and that they add up to 100 (within 0.001).
    pub fn validate(&self) -> Result<(), MixError> {
        let shares = self.shares().map(|(_, share)| share);
        let sum: f64 = shares.iter().sum();
        let percentages = shares.iter().all(|share| (0.0..=100.0).contains(share));
        if percentages && (sum - 100.0).abs() <= TOLERANCE_PERCENT {
            Ok(())
        } else {
            Err(MixError { mix: *self })
        }
    }
}

impl fmt::Display for Mix {
    /// `get 95 %, update 5 %`: the nonzero shares.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (kind, share) in self.shares() {
            if share != 0.0 {
                // Rounds off floating-point noise: 100 − 99.9 is 0.1.
                let share = (share * 1e9).round() / 1e9;
                write!(f, "{separator}{} {share} %", kind.name())?;
                separator = ", ";
            }
        }
        Ok(())
    }
}

/// Why shares form no mix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixError {
    mix: Mix,
}

impl fmt::Display for MixError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum: f64 = self.mix.shares().iter().map(|(_, share)| share).sum();
        let mix = if self.mix == Mix::default() { "nothing".into() } else { self.mix.to_string() };
        write!(
            f,
            "mix of {mix}: adds up to {sum} %; each share must be from 0 to 100 and all together \
             100, as in get = 95, update = 5"
        )
    }
}

impl Error for MixError {}

impl Serialize for Mix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Mix {
    /// Reads the shares by name; those left out are 0. Rejects what [`Mix::validate`] rejects.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mix = Self::deserialize(deserializer)?;
        mix.validate().map(|()| mix).map_err(de::Error::custom)
    }
}

/// Draws kinds according to their shares.
#[derive(Clone, Debug)]
pub(super) struct KindSampler {
    /// A draw below a threshold, and not below the one before, is of that kind.
    thresholds: [(f64, RequestKind); KINDS],
}

impl KindSampler {
    pub(super) fn new(mix: &Mix) -> Self {
        let mut sum = 0.0;
        let mut thresholds = mix.shares().map(|(kind, share)| {
            sum += share / 100.0;
            (sum, kind)
        });
        // The last kind with a share takes what rounding leaves.
        if let Some(last) = mix.shares().iter().rposition(|&(_, share)| share > 0.0) {
            thresholds[last].0 = 1.0;
        }
        Self { thresholds }
    }

    #[inline]
    pub(super) fn draw(&self, rng: &mut Rng) -> RequestKind {
        let unit = rng.unit_f64();
        let found = self.thresholds.iter().find(|&&(threshold, _)| unit < threshold);
        found.map_or(RequestKind::Get, |&(_, kind)| kind)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as ValueError, MapDeserializer};

    use super::*;
    use crate::Seed;
    use crate::chi_square::Fit;

    fn read(fields: &[(&str, f64)]) -> Result<Mix, String> {
        let fields = fields.iter().map(|&(name, share)| (name, share));
        let map = MapDeserializer::<_, ValueError>::new(fields);
        <Mix as Deserialize>::deserialize(map.into_deserializer())
            .map_err(|error| error.to_string())
    }

    /// How often each kind is drawn, in the order of [`Mix::shares`].
    fn counts(mix: Mix) -> [u64; KINDS] {
        let sampler = KindSampler::new(&mix);
        let mut rng = Seed(42).rng();
        let kinds = mix.shares().map(|(kind, _)| kind);
        let mut counts = [0; KINDS];
        for _ in 0..200_000 {
            let drawn = sampler.draw(&mut rng);
            let place = kinds.iter().position(|kind| *kind == drawn);
            counts[place.expect("a kind of the mix")] += 1;
        }
        counts
    }

    #[test]
    fn shares_are_the_requested_ones_and_no_other() {
        let mix = Mix {
            get: 50.0,
            update: 20.0,
            insert: 5.0,
            delete: 4.5,
            read_modify_write: 10.0,
            scan: 0.5,
            write_together: 4.0,
            snapshot_read: 5.0,
            snapshot_scan: 0.5,
            write_expiring: 0.5,
        };
        let fit = |mix: Mix, counts| Fit::new(counts, mix.shares().map(|(_, share)| share / 100.0));
        let drawn = counts(mix);
        assert!(fit(mix, &drawn).is_good());
        let other = Mix { get: 49.0, update: 21.0, ..mix };
        assert!(!fit(other, &drawn).is_good());
    }

    #[test]
    fn a_kind_without_share_never_occurs() {
        assert_eq!(counts(Mix::gets(100.0).unwrap()), [200_000, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(counts(Mix::gets(0.0).unwrap()), [0, 200_000, 0, 0, 0, 0, 0, 0, 0, 0]);
        // The sum is slightly below 100: GETs must not get the rest.
        let thirds = Mix { update: 33.333, insert: 33.333, scan: 33.333, ..Mix::default() };
        let [gets, _, _, deletes, read_modify_writes, _, groups @ ..] = counts(thirds);
        assert_eq!((gets, deletes, read_modify_writes, groups), (0, 0, 0, [0; 4]));
    }

    #[test]
    fn shares_left_out_are_zero() {
        let mix = Mix { scan: 95.0, insert: 5.0, ..Mix::default() };
        assert_eq!(read(&[("scan", 95.0), ("insert", 5.0)]), Ok(mix));
        assert_eq!(mix.to_string(), "insert 5 %, scan 95 %");
        let groups = Mix { write_together: 40.0, snapshot_read: 60.0, ..Mix::default() };
        assert_eq!(read(&[("write-together", 40.0), ("snapshot-read", 60.0)]), Ok(groups));
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        assert_eq!(
            read(&[("get", 90.0), ("update", 5.0)]).unwrap_err(),
            "mix of get 90 %, update 5 %: adds up to 95 %; each share must be from 0 to 100 and \
             all together 100, as in get = 95, update = 5"
        );
        assert!(read(&[]).unwrap_err().starts_with("mix of nothing: adds up to 0 %"));
        assert!(read(&[("put", 100.0)]).unwrap_err().starts_with("unknown field `put`, expected"));
        for percent in [101.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = Mix::gets(percent).unwrap_err().to_string();
            assert!(message.contains(&format!("get {percent} %")), "{message}");
        }
    }
}
