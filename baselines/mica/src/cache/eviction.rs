//! Eviction policies, which the log alone implements.

use std::fmt;
use std::str::FromStr;

use super::offsets::Offsets;

/// What happens to an item that is requested. All policies evict at the head of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Eviction {
    /// Nothing, so the oldest item is evicted first.
    Fifo,
    /// It is appended again unless it is the newest, so the least recently used item is evicted
    /// first.
    Lru,
    /// It is appended again if it is nearer to the head of a full log than to its tail.
    #[default]
    ApproximateLru,
}

impl Eviction {
    /// Every policy with its name.
    const ALL: [(Self, &'static str); 3] =
        [(Self::Fifo, "fifo"), (Self::Lru, "lru"), (Self::ApproximateLru, "approximate-lru")];

    /// Whether to append again the requested item of `item_bytes` at `offset`.
    #[inline]
    pub(crate) fn reinserts<const BITS: u32>(
        self,
        offsets: Offsets<BITS>,
        tail: u64,
        offset: u64,
        item_bytes: usize,
    ) -> bool {
        let behind = offsets.behind(tail, offset);
        match self {
            Self::Fifo => false,
            Self::Lru => behind > item_bytes as u64,
            Self::ApproximateLru => behind > offsets.log_bytes() / 2,
        }
    }
}

impl fmt::Display for Eviction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(Self::ALL[*self as usize].1)
    }
}

impl FromStr for Eviction {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|(_, other)| *other == name);
        found.map(|(eviction, _)| eviction).ok_or_else(|| {
            format!("no eviction is named `{name}`: there are fifo, lru and approximate-lru")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::offsets::GRANULE_BYTES;
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (eviction, name) in Eviction::ALL {
            assert_eq!(eviction.to_string(), name);
            assert_eq!(name.parse(), Ok(eviction));
        }
        assert!("random".parse::<Eviction>().is_err_and(|error| error.contains("`random`")));
    }

    #[test]
    fn policies_differ_in_what_they_append_again() {
        let offsets = Offsets::<48>::new(GRANULE_BYTES);
        let tail = 10 * GRANULE_BYTES;
        let reinserted = |eviction: Eviction| {
            [64, 72, GRANULE_BYTES / 2, GRANULE_BYTES / 2 + 8, GRANULE_BYTES]
                .map(|behind| eviction.reinserts(offsets, tail, tail - behind, 64))
        };
        assert_eq!(reinserted(Eviction::Fifo), [false; 5]);
        assert_eq!(reinserted(Eviction::Lru), [false, true, true, true, true]);
        assert_eq!(reinserted(Eviction::ApproximateLru), [false, false, false, true, true]);
    }
}
