//! Lifetimes of objects, in the units of a store.

use std::time::Duration;

/// In which units a store counts the lifetimes of objects
/// ([`KvSession::put_for`](crate::KvSession::put_for)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// In none: objects have no lifetimes.
    None,
    /// In whole seconds.
    Seconds,
    /// In milliseconds.
    Milliseconds,
}

impl Expiry {
    /// Whether objects may have lifetimes.
    #[must_use]
    pub const fn is_possible(self) -> bool {
        self.unit().is_some()
    }

    /// The shortest lifetime, of which all others are multiples; `None` if there are no lifetimes.
    #[must_use]
    pub const fn unit(self) -> Option<Duration> {
        match self {
            Self::None => None,
            Self::Seconds => Some(Duration::from_secs(1)),
            Self::Milliseconds => Some(Duration::from_millis(1)),
        }
    }

    /// `lifetime` in units, rounded up; at least one. `None` if there are no lifetimes.
    #[must_use]
    pub fn units(self, lifetime: Duration) -> Option<u64> {
        let units = lifetime.as_nanos().div_ceil(self.unit()?.as_nanos());
        Some(u64::try_from(units).unwrap_or(u64::MAX).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lifetimes_are_whole_units_and_never_none() {
        let of = |millis| Duration::from_millis(millis);
        let seconds = [0, 1, 1000, 1001].map(|millis| Expiry::Seconds.units(of(millis)));
        assert_eq!(seconds, [1, 1, 1, 2].map(Some));
        let millis = Expiry::Milliseconds;
        assert_eq!([0, 1, 1500].map(|some| millis.units(of(some))), [1, 1, 1500].map(Some));
        assert_eq!(millis.units(Duration::from_nanos(1_000_001)), Some(2));
        assert_eq!(millis.units(Duration::MAX), Some(u64::MAX));
        assert_eq!(Expiry::None.units(of(5)), None);
        assert!(!Expiry::None.is_possible() && Expiry::Seconds.is_possible());
    }
}
