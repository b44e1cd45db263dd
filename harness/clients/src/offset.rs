//! How far a client's clock is from the coordinator's: round trips, of which the fastest says most.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A question for the time and its answer. `asked` and `received` are by the coordinator's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) asked_ns: u64,
    /// By the client's clock.
    pub(crate) answered_ns: u64,
    pub(crate) received_ns: u64,
}

/// A client's clock minus the coordinator's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Offset {
    pub offset_ns: i64,
    /// Half of the fastest round trip: the offset is wrong by no more, however unlike the two ways are.
    pub error_ns: u64,
}

/// The offset that the fastest of these round trips shows; none without any.
#[must_use]
pub(crate) fn offset(exchanges: &[Exchange]) -> Option<Offset> {
    let round_trip_ns =
        |exchange: &Exchange| exchange.received_ns.saturating_sub(exchange.asked_ns);
    let fastest = exchanges.iter().min_by_key(|exchange| round_trip_ns(exchange))?;
    let half_ns = round_trip_ns(fastest).div_ceil(2);
    let middle_ns = fastest.asked_ns + half_ns;
    Some(Offset {
        offset_ns: fastest.answered_ns.cast_signed().wrapping_sub(middle_ns.cast_signed()),
        error_ns: half_ns,
    })
}

impl Offset {
    /// A time of the coordinator, by the client's clock.
    #[must_use]
    pub fn there(&self, here_ns: u64) -> u64 {
        here_ns.saturating_add_signed(self.offset_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made-up round trips between two machines whose clocks are a second apart: times from the first
    /// question, in nanoseconds.
    const ROUND_TRIPS: [(u64, u64, u64); 5] = [
        (0, 1_000_412_700, 512_300),
        (1_000_000, 1_001_061_200, 1_130_800),
        (2_000_000, 1_002_058_900, 2_117_400),
        (3_000_000, 1_003_240_100, 3_301_900),
        (4_000_000, 1_004_060_300, 4_121_500),
    ];

    #[test]
    fn the_fastest_round_trip_decides_and_bounds_the_error() {
        let exchanges = ROUND_TRIPS.map(|(asked_ns, answered_ns, received_ns)| Exchange {
            asked_ns,
            answered_ns,
            received_ns,
        });
        let found = offset(&exchanges).unwrap();
        assert_eq!(found, Offset { offset_ns: 1_000_000_200, error_ns: 58_700 });
        assert_eq!(found.there(5_000_000), 1_005_000_200);
        assert_eq!(offset(&[]), None);
    }

    /// Whatever the ways take, the true offset lies within the bound.
    #[test]
    fn the_bound_holds_for_ways_of_unlike_length() {
        for offset_ns in [-5_000_000_000_i64, -1, 0, 7, 3_000_000_000] {
            for (there_ns, back_ns) in [(1, 100_000), (100_000, 1), (30, 30), (0, 0), (5, 6)] {
                let asked_ns = 10_000_000_000_u64;
                let answered_ns = (asked_ns + there_ns).checked_add_signed(offset_ns).unwrap();
                let received_ns = asked_ns + there_ns + back_ns;
                let found = offset(&[Exchange { asked_ns, answered_ns, received_ns }]).unwrap();
                assert!(found.offset_ns.abs_diff(offset_ns) <= found.error_ns, "{found:?}");
            }
        }
    }
}
