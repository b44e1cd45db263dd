//! A prediction over thread counts, fitted to one thread's measurement.

use std::error::Error;
use std::fmt;

use crate::demand::Demand;
use crate::machine::Machine;
use crate::network::throughput_per_ns;
use crate::scenario::Scenario;
use crate::span::Span;

/// The throughput of one system under one workload on a machine, by thread count.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    machine: &'a Machine,
    scenario: Scenario,
    one_thread_ns: f64,
    own_ns: f64,
}

/// Why a measurement allows no prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum FitError {
    NoTime {
        /// The given time, ns.
        one_thread_ns: f64,
    },
    /// The operation took less time than its shared parts are assumed to take without contention.
    TooShort {
        /// Time of the operation, ns.
        one_thread_ns: f64,
        /// Time of its shared parts, ns.
        shared_ns: f64,
    },
}

impl fmt::Display for FitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoTime { one_thread_ns } => {
                write!(f, "{one_thread_ns} ns for an operation: must be a positive number")
            }
            Self::TooShort { one_thread_ns, shared_ns } => write!(
                f,
                "one thread took {one_thread_ns:.0} ns for an operation, less than the \
                 {shared_ns:.0} ns that the model assumes for its shared parts alone: its \
                 assumptions do not hold here"
            ),
        }
    }
}

impl Error for FitError {}

impl<'a> Curve<'a> {
    /// Fits the curve of `scenario` on `machine` to one thread's measured time per operation, in ns. The
    /// time outside the shared parts is the thread's own, and is determined by nothing else.
    ///
    /// # Errors
    /// The thread's own time would be negative.
    pub fn fit(
        machine: &'a Machine,
        scenario: Scenario,
        one_thread_ns: f64,
    ) -> Result<Self, FitError> {
        if !(one_thread_ns.is_finite() && one_thread_ns > 0.0) {
            return Err(FitError::NoTime { one_thread_ns });
        }
        let alone = Span::new(machine, 1).expect("a machine has a core");
        let shared_ns = Demand::of(&scenario, &alone).visits_ns();
        let own_ns = one_thread_ns - shared_ns;
        if own_ns < 0.0 {
            return Err(FitError::TooShort { one_thread_ns, shared_ns });
        }
        Ok(Self { machine, scenario, one_thread_ns, own_ns })
    }

    /// Operations per second of all `threads` together; `None` if the machine has fewer cores.
    #[must_use]
    pub fn ops_per_s(&self, threads: usize) -> Option<f64> {
        let span = Span::new(self.machine, threads)?;
        let demand = Demand::of(&self.scenario, &span);
        let think_ns = self.own_ns + demand.delay_ns;
        Some(throughput_per_ns(threads, think_ns, &demand.stations) * 1e9)
    }

    /// Seconds until each of `threads` has done `operations` of its own (weak scaling); `None` if the
    /// machine has fewer cores.
    #[must_use]
    pub fn completion_s(&self, threads: usize, operations: f64) -> Option<f64> {
        self.ops_per_s(threads).map(|all| operations * threads as f64 / all)
    }

    /// Throughput of `threads` ÷ that of one thread; `None` if the machine has fewer cores.
    #[must_use]
    pub fn speed_up(&self, threads: usize) -> Option<f64> {
        self.ops_per_s(threads).map(|all| all * self.one_thread_ns / 1e9)
    }

    /// Compares the prediction with the measured throughput of `threads`, in operations per second of all
    /// together; `None` if the machine has fewer cores.
    #[must_use]
    pub fn check(&self, threads: usize, measured_ops_per_s: f64) -> Option<Check> {
        let predicted = self.speed_up(threads)?;
        let measured = measured_ops_per_s * self.one_thread_ns / 1e9;
        let deviation_percent = (measured / predicted - 1.0) * 100.0;
        Some(Check { threads, predicted, measured, deviation_percent })
    }
}

/// A prediction beside a measurement, both relative to one thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Check {
    pub threads: usize,
    /// Predicted throughput ÷ measured throughput of one thread.
    pub predicted: f64,
    /// Measured throughput ÷ measured throughput of one thread.
    pub measured: f64,
    /// Excess of the measurement over the prediction, in percent of the prediction.
    pub deviation_percent: f64,
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.deviation_percent.round() < 0.0 { "−" } else { "+" };
        write!(
            f,
            "{} threads: predicted {:.2}×, measured {:.2}× ({sign}{:.0} %)",
            self.threads,
            self.predicted,
            self.measured,
            self.deviation_percent.abs()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::shipped;
    use crate::scenario::{Among, Place, Places, Traffic, Visit};
    use crate::zipf::Zipf;

    fn lock(places: Places) -> Scenario {
        let visit = Visit {
            what: "lock",
            per_operation: 1.0,
            hold_ns: 20.0,
            lines: 1.0,
            places,
            among: Among::All,
        };
        Scenario { visits: vec![visit], ..Scenario::default() }
    }

    fn ops(machine: &Machine, scenario: Scenario, threads: usize) -> f64 {
        Curve::fit(machine, scenario, 400.0).unwrap().ops_per_s(threads).unwrap()
    }

    #[test]
    fn one_thread_is_where_the_curve_is_fitted() {
        let machine = shipped("superdome-x");
        for scenario in [Scenario::default(), lock(Places::Equal(1.0))] {
            let curve = Curve::fit(&machine, scenario, 400.0).unwrap();
            assert!((curve.ops_per_s(1).unwrap() - 2.5e6).abs() < 1e-3);
            assert!((curve.speed_up(1).unwrap() - 1.0).abs() < 1e-12);
            assert!((curve.completion_s(1, 5e6).unwrap() - 2.0).abs() < 1e-9);
            assert_eq!(curve.ops_per_s(241), None);
        }
    }

    #[test]
    fn nothing_shared_is_linear_and_one_lock_is_not() {
        let machine = shipped("superdome-x");
        assert!((ops(&machine, Scenario::default(), 240) / 2.5e6 - 240.0).abs() < 1e-9);
        let locked = [15, 60, 240].map(|threads| ops(&machine, lock(Places::Equal(1.0)), threads));
        // Saturated, and with every socket the line travels farther.
        assert!(locked[0] > locked[1] && locked[1] > locked[2], "{locked:?}");
    }

    #[test]
    fn more_remote_memory_is_slower() {
        let machine = shipped("superdome-x");
        let place = Place { misses: 2.0, bytes: 1024.0 };
        let local = Traffic { local: place, ..Traffic::default() };
        let spread = Traffic { spread: place, ..Traffic::default() };
        let first = Traffic { first_socket: place, ..Traffic::default() };
        let [local, spread, first] = [local, spread, first]
            .map(|traffic| ops(&machine, Scenario { traffic, ..Scenario::default() }, 240));
        assert!(local > spread && spread > first, "{local} {spread} {first}");
    }

    #[test]
    fn skew_hurts() {
        let machine = shipped("superdome-x");
        let [even, skewed] = [0.0, 0.99]
            .map(|theta| ops(&machine, lock(Places::Zipf(Zipf::new(1 << 20, theta))), 240));
        assert!(skewed < 0.6 * even, "{skewed} {even}");
    }

    #[test]
    fn a_time_shorter_than_its_parts_is_refused() {
        let machine = shipped("superdome-x");
        let fit = |ns| Curve::fit(&machine, lock(Places::Equal(1.0)), ns).map(|_| ());
        assert_eq!(fit(19.0), Err(FitError::TooShort { one_thread_ns: 19.0, shared_ns: 20.0 }));
        assert_eq!(fit(0.0), Err(FitError::NoTime { one_thread_ns: 0.0 }));
        assert!(fit(f64::NAN).is_err() && fit(21.0).is_ok());
    }

    #[test]
    fn a_check_says_both_and_their_distance() {
        let machine = shipped("superdome-x");
        let curve = Curve::fit(&machine, Scenario::default(), 400.0).unwrap();
        let check = curve.check(2, 4e6).unwrap();
        assert_eq!(check.to_string(), "2 threads: predicted 2.00×, measured 1.60× (−20 %)");
        assert!((check.deviation_percent + 20.0).abs() < 1e-9);
        let above = curve.check(2, 5.5e6).unwrap();
        assert_eq!(above.to_string(), "2 threads: predicted 2.00×, measured 2.20× (+10 %)");
    }
}
