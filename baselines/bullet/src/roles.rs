//! How many gleaners are awake (§4.3.2).
//!
//! The paper's workers turn into gleaners and back. Here clients are the caller's threads, which no
//! store can send away; so gleaners are threads of the store's that sleep, and the system gives their
//! cores to clients meanwhile.

/// Occupancy of all logs together, above and below which roles change, in percent.
const HIGH_PERCENT: u64 = 60;
const LOW_PERCENT: u64 = 30;

/// The controller: it looks once an epoch.
#[derive(Debug, Default)]
pub(crate) struct Roles {
    last_used: u64,
}

impl Roles {
    /// How many gleaners are to be awake of `most`, after `awake`, when `used` of `all` words of the
    /// logs are occupied.
    ///
    /// Above 60 % one more wakes, and another at each look that finds no less than the last. Below
    /// 30 % one goes to sleep at each look.
    pub(crate) fn look(&mut self, used: u64, all: u64, awake: usize, most: usize) -> usize {
        // Full logs rise no further, and must not look like logs that are being emptied.
        let rises = used >= self.last_used;
        self.last_used = used;
        let percent = used * 100 / all.max(1);
        if percent > HIGH_PERCENT && (awake == 0 || rises) {
            (awake + 1).min(most)
        } else if percent < LOW_PERCENT {
            awake.saturating_sub(1)
        } else {
            awake
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logs that fill at a rate and are gleaned at a rate for each gleaner.
    fn after(rate: u64, each: u64, looks: usize, mut awake: usize) -> (usize, usize) {
        let (mut roles, mut used, mut most_awake) = (Roles::default(), 0_u64, awake);
        for _ in 0..looks {
            used = (used + rate).saturating_sub(each * awake as u64).min(1000);
            awake = roles.look(used, 1000, awake, 8);
            most_awake = most_awake.max(awake);
        }
        (awake, most_awake)
    }

    #[test]
    fn without_puts_nobody_gleans_and_with_puts_as_many_as_keep_up() {
        assert_eq!(after(0, 10, 20, 8).0, 0, "from all awake to none");
        assert_eq!(after(0, 10, 1000, 0), (0, 0));
        let (awake, most) = after(35, 10, 1000, 0);
        assert!((3..=5).contains(&awake) && most <= 6, "{awake} awake, {most} at most");
        assert_eq!(after(100, 10, 1000, 0), (8, 8), "never more than there are");
    }
}
