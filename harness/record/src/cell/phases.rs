//! Phases of a cell: its requests change their share of PUTs, and the store stays.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workloads::requests::{Mix, Workload};

use super::KeyValue;

/// Shares of PUTs in percent, each of an equal part of a thread's requests; the rest are GETs. As text:
/// `2-15-0`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Phases(Vec<u32>);

/// Most phases of a cell.
const PHASES_MAX: usize = 64;
/// The workload of a cell with phases.
const WORKLOAD: &str = "put-phases";

impl Phases {
    /// The share of PUTs of each phase, in percent.
    #[must_use]
    pub fn put_percents(&self) -> &[u32] {
        &self.0
    }

    /// The number of requests of each phase, of a thread's `operations`; the last has what is left over.
    #[must_use]
    pub fn lengths(&self, operations: u64) -> Vec<u64> {
        let each = operations / self.0.len() as u64;
        let mut lengths = vec![each; self.0.len()];
        *lengths.last_mut().expect("two at least") += operations % self.0.len() as u64;
        lengths
    }

    /// What is asked in each phase: `workload` with the phase's share of PUTs.
    pub fn workloads<'a>(&'a self, workload: &'a Workload) -> impl Iterator<Item = Workload> + 'a {
        self.0.iter().map(move |&puts| Workload { mix: mix(puts), ..workload.clone() })
    }

    /// The mix of all phases together, to the nearest percent that has both where both are asked.
    fn mean_mix(&self) -> Mix {
        let count = self.0.len() as u32;
        let least = u32::from(self.0.iter().any(|&puts| puts > 0));
        let most = 100 - u32::from(self.0.iter().any(|&puts| puts < 100));
        mix(((self.0.iter().sum::<u32>() + count / 2) / count).clamp(least, most))
    }
}

fn mix(put_percent: u32) -> Mix {
    Mix::gets(f64::from(100 - put_percent)).expect("a share was checked when it was read")
}

impl KeyValue {
    /// Divides the requests into `phases`, whose shares take the place of the workload's.
    pub fn set_phases(&mut self, phases: Phases) {
        WORKLOAD.clone_into(&mut self.workload.name);
        self.workload.mix = phases.mean_mix();
        self.phases = Some(phases);
    }

    /// The operations of all threads together with which each phase ends. Empty without phases.
    #[must_use]
    pub fn phase_ends(&self) -> Vec<u64> {
        let Some(phases) = &self.phases else { return Vec::new() };
        let mut end = 0;
        let lengths = phases.lengths(self.operations_per_thread).into_iter();
        let ends = lengths.map(|length| {
            end += length * self.threads as u64;
            end
        });
        ends.collect()
    }
}

impl fmt::Display for Phases {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shares: Vec<String> = self.0.iter().map(u32::to_string).collect();
        formatter.write_str(&shares.join("-"))
    }
}

impl FromStr for Phases {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let shares: Result<Vec<u32>, _> = text.split('-').map(str::parse).collect();
        match shares {
            Ok(shares) if shares.iter().any(|&share| share > 100) => {
                Err(format!("phases `{text}`: a share of PUTs is 0 to 100 percent"))
            }
            Ok(shares) if (2..=PHASES_MAX).contains(&shares.len()) => Ok(Self(shares)),
            _ => Err(format!(
                "phases `{text}`: write the shares of PUTs in percent, 2 to {PHASES_MAX} of them, as in \
                 `2-15-0`"
            )),
        }
    }
}

impl TryFrom<String> for Phases {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<Phases> for String {
    fn from(phases: Phases) -> Self {
        phases.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_value_agree_and_refusals_say_what_to_write() {
        let phases: Phases = "2-15-0".parse().unwrap();
        assert_eq!(
            (phases.put_percents(), phases.to_string()),
            (&[2, 15, 0][..], "2-15-0".to_owned())
        );
        for (text, expected) in [
            ("2", "2 to 64 of them"),
            ("2-x", "as in `2-15-0`"),
            ("2-101", "0 to 100 percent"),
            (&["1"; 65].join("-"), "2 to 64 of them"),
        ] {
            let error = text.parse::<Phases>().unwrap_err();
            assert!(error.contains(text) && error.contains(expected), "{error}");
        }
    }

    #[test]
    fn phases_share_the_requests_and_have_their_mixes() {
        let mut work = KeyValue::plain(Workload::by_name("get-50").unwrap(), 64 << 20);
        assert!(work.phase_ends().is_empty());
        (work.operations_per_thread, work.threads) = (10, 2);
        work.set_phases("2-15-0".parse().unwrap());
        let phases = work.phases.clone().unwrap();
        assert_eq!(phases.lengths(10), [3, 3, 4]);
        assert_eq!(work.phase_ends(), [6, 12, 20]);
        let gets: Vec<f64> = phases.workloads(&work.workload).map(|one| one.mix.get).collect();
        assert_eq!(gets, [98.0, 85.0, 100.0]);
        assert_eq!((work.workload.name.as_str(), work.workload.mix.update), ("put-phases", 6.0));
        for (phases, updates) in [("0-0-0-1", 1.0), ("100-100-99", 99.0), ("100-100", 100.0)] {
            work.set_phases(phases.parse().unwrap());
            assert_eq!(work.workload.mix.update, updates, "{phases}: each kind has its histogram");
        }
    }
}
