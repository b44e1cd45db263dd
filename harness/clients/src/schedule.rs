//! When each request is due: one open loop, shared out among all connections of all clients.

use record::Arrivals;
use workloads::{Rng, Seed};

/// The due times of one connection, in nanoseconds from the start. All connections follow from one seed.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    arrivals: Arrivals,
    mean_gap_ns: f64,
    next_ns: f64,
    end_ns: f64,
    rng: Rng,
}

impl Schedule {
    /// Those of connection `writer` of `writers`, which together send `rate_ops_per_s`.
    #[must_use]
    pub(crate) fn new(
        (arrivals, rate_ops_per_s, duration_ms): (Arrivals, f64, u64),
        (writer, writers): (u64, u64),
        seed: Seed,
    ) -> Self {
        let mean_gap_ns = writers as f64 * 1e9 / rate_ops_per_s;
        let rng = seed.stream("arrivals").nth(writer).rng();
        let mut schedule =
            Self { arrivals, mean_gap_ns, next_ns: 0.0, end_ns: duration_ms as f64 * 1e6, rng };
        schedule.next_ns = match arrivals {
            Arrivals::Constant => mean_gap_ns * (writer + 1) as f64 / writers as f64,
            Arrivals::Poisson => schedule.gap_ns(),
        };
        schedule
    }

    fn gap_ns(&mut self) -> f64 {
        match self.arrivals {
            Arrivals::Constant => self.mean_gap_ns,
            // 1 − u is never 0.
            Arrivals::Poisson => -(1.0 - self.rng.unit_f64()).ln() * self.mean_gap_ns,
        }
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let due_ns = self.next_ns;
        if due_ns >= self.end_ns {
            return None;
        }
        self.next_ns += self.gap_ns();
        Some(due_ns as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(arrivals: Arrivals, writers: u64) -> Vec<u64> {
        let of = |writer| {
            Schedule::new((arrivals, 10_000.0, 10_000), (writer, writers), Seed(42))
                .collect::<Vec<u64>>()
        };
        let mut all: Vec<u64> = (0..writers).flat_map(of).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn all_connections_together_have_the_rate() {
        for writers in [1, 3, 16] {
            let constant = all(Arrivals::Constant, writers);
            assert!((99_980..=100_000).contains(&constant.len()), "{}", constant.len());
            let gaps = constant.windows(2).map(|pair| pair[1] - pair[0]);
            assert!(gaps.into_iter().all(|gap| (99_998..=100_002).contains(&gap)), "even gaps");
            let poisson = all(Arrivals::Poisson, writers).len();
            assert!((98_500..=101_500).contains(&poisson), "{poisson}");
        }
    }

    #[test]
    fn independent_arrivals_have_exponential_gaps() {
        let due = all(Arrivals::Poisson, 8);
        let longer = |times: f64| {
            let gaps = due.windows(2).filter(|pair| (pair[1] - pair[0]) as f64 > times * 1e5);
            gaps.count() as f64 / due.len() as f64
        };
        for times in [0.1, 1.0, 3.0] {
            let (found, law) = (longer(times), (-times).exp());
            assert!((found - law).abs() < 0.01, "{found} of the gaps exceed {times} means: {law}");
        }
    }

    #[test]
    fn a_seed_gives_the_same_schedule_and_no_two_connections_the_same() {
        assert_eq!(all(Arrivals::Poisson, 4), all(Arrivals::Poisson, 4));
        let mut apart = all(Arrivals::Poisson, 4);
        let count = apart.len();
        apart.dedup();
        assert!(count - apart.len() < 10, "connections share due times");
    }
}
