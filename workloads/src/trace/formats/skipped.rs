//! What a reader skipped, counted by reason.

use std::collections::BTreeMap;
use std::fmt;

/// Counts of lines and records that produced no operation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    counts: BTreeMap<String, u64>,
    others: u64,
}

impl Skipped {
    /// How many reasons have their own count. A damaged trace may name more; those share one.
    pub const REASONS_MAX: usize = 256;
    const OTHERS: &str = "other reasons";

    pub(super) fn count(&mut self, reason: &str) {
        if let Some(count) = self.counts.get_mut(reason) {
            *count += 1;
        } else if self.counts.len() < Self::REASONS_MAX {
            self.counts.insert(reason.to_owned(), 1);
        } else {
            self.others += 1;
        }
    }

    /// Each reason with its count, sorted by reason.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u64)> {
        let others = (self.others > 0).then_some((Self::OTHERS, self.others));
        self.counts.iter().map(|(reason, &count)| (reason.as_str(), count)).chain(others)
    }

    /// The count for one reason.
    #[must_use]
    pub fn of(&self, reason: &str) -> u64 {
        self.iter().find(|&(name, _)| name == reason).map_or(0, |(_, count)| count)
    }

    /// The count over all reasons.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.iter().map(|(_, count)| count).sum()
    }
}

impl fmt::Display for Skipped {
    /// `hset 12, ping 1`, or `nothing`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.total() == 0 {
            return write!(f, "nothing");
        }
        for (at, (reason, count)) in self.iter().enumerate() {
            write!(f, "{}{reason} {count}", if at == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_bounded_and_counts_are_not_lost() {
        let mut skipped = Skipped::default();
        assert_eq!(skipped.to_string(), "nothing");
        for round in 0..2 {
            for reason in 0..1000 {
                skipped.count(&format!("{reason:03}"));
            }
            assert_eq!(skipped.total(), 1000 * (round + 1));
        }
        assert_eq!(skipped.iter().count(), Skipped::REASONS_MAX + 1);
        assert_eq!(skipped.of("255"), 2);
        assert_eq!(skipped.of("other reasons"), 2 * (1000 - Skipped::REASONS_MAX as u64));
        assert!(skipped.to_string().starts_with("000 2, 001 2, "));
    }
}
