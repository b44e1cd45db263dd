//! The open loop: requests are sent on a schedule, whether earlier ones are answered or not. Latency
//! counts from the scheduled start, so it includes the wait behind a slow request.

use engine::KvEngine;
use platform::clock::monotonic_ns;
use workloads::Rng;
use workloads::requests::Request;

use super::super::mapped::MappedSlice;
use super::lane::{Lane, SAMPLE_EVERY};
use hdrhistogram::Histogram;
use record::Arrivals;

/// A thread that falls behind its schedule by more than this ends: the store is overloaded.
const BEHIND_MAX_NS: u64 = 5_000_000_000;

/// The scheduled starts of one thread's requests, on the monotonic clock.
#[derive(Debug)]
pub(super) struct Schedule {
    law: Law,
    started_ns: u64,
}

/// Rule that determines when requests are due.
#[derive(Debug)]
enum Law {
    /// Random arrivals.
    Arrivals { arrivals: Arrivals, mean_gap_ns: f64, next_ns: f64, rng: Rng },
    /// The times of a trace, divided by the speed.
    Times { times_ns: MappedSlice<u64>, at: usize, speed: f64 },
}

impl Schedule {
    /// The schedule of `thread` among `threads` that send `rate_ops_per_s` together. Constant schedules
    /// of several threads interleave.
    pub(super) fn new(
        rate_ops_per_s: f64,
        arrivals: Arrivals,
        (thread, threads): (usize, usize),
        rng: Rng,
    ) -> Self {
        let mean_gap_ns = 1e9 * threads as f64 / rate_ops_per_s;
        let mut rng = rng;
        let next_ns = match arrivals {
            Arrivals::Constant => mean_gap_ns * (thread + 1) as f64 / threads as f64,
            Arrivals::Poisson => gap_ns(arrivals, mean_gap_ns, &mut rng),
        };
        Self { law: Law::Arrivals { arrivals, mean_gap_ns, next_ns, rng }, started_ns: 0 }
    }

    /// The schedule of a thread whose requests have these times, `speed` times as fast.
    pub(super) fn of_times(times_ns: MappedSlice<u64>, speed: f64) -> Self {
        Self { law: Law::Times { times_ns, at: 0, speed }, started_ns: 0 }
    }

    /// Adapts the gaps of a thread that executes `count` requests instead of its even share `evenly`, so
    /// that all threads together keep their rate. Times of a trace stay as they are.
    pub(super) fn steer(&mut self, evenly: u64, count: usize) {
        let stretch = evenly as f64 / count.max(1) as f64;
        if let Law::Arrivals { mean_gap_ns, next_ns, .. } = &mut self.law {
            *mean_gap_ns *= stretch;
            *next_ns *= stretch;
        }
    }

    /// Starts the schedule at `now_ns`.
    pub(super) fn start(&mut self, now_ns: u64) {
        self.started_ns = now_ns;
    }

    fn next(&mut self) -> u64 {
        let due_ns = match &mut self.law {
            Law::Arrivals { arrivals, mean_gap_ns, next_ns, rng } => {
                let due_ns = *next_ns;
                *next_ns += gap_ns(*arrivals, *mean_gap_ns, rng);
                due_ns
            }
            Law::Times { times_ns, at, speed } => {
                *at += 1;
                times_ns[*at - 1] as f64 / *speed
            }
        };
        self.started_ns + due_ns as u64
    }
}

fn gap_ns(arrivals: Arrivals, mean_gap_ns: f64, rng: &mut Rng) -> f64 {
    match arrivals {
        Arrivals::Constant => mean_gap_ns,
        // 1 − u is never 0.
        Arrivals::Poisson => -(1.0 - rng.unit_f64()).ln() * mean_gap_ns,
    }
}

/// One thread's schedule, and its histograms beside latency.
#[derive(Debug)]
pub(super) struct Pacing {
    pub(super) schedule: Schedule,
    /// How much later each request ended than it would have ended with a punctual harness.
    pub(super) lateness: Histogram<u64>,
    /// Latency from the actual start.
    pub(super) service: Histogram<u64>,
}

/// When requests would have ended if the harness had sent each as soon as it was due and the one before
/// was answered. A thread that is preempted sends one request late, and with it all that queue behind.
#[derive(Debug, Default)]
struct Punctual {
    last_end_ns: u64,
}

impl Punctual {
    /// The end of the request that was due at `due_ns` and took `service_ns`.
    fn end(&mut self, due_ns: u64, service_ns: u64) -> u64 {
        self.last_end_ns = self.last_end_ns.max(due_ns) + service_ns;
        self.last_end_ns
    }
}

/// Executes each request when it is due, or as soon as the one before is answered.
pub(super) fn run_open<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    requests: impl Iterator<Item = Request>,
    pacing: &mut Pacing,
) -> Result<(), String> {
    let mut executed = 0;
    let mut punctual = Punctual::default();
    for (index, request) in requests.enumerate() {
        let index = index as u64;
        let due = pacing.schedule.next();
        let mut now = monotonic_ns();
        if index.is_multiple_of(SAMPLE_EVERY)
            && (lane.shared.is_stopped() || now.saturating_sub(due) > BEHIND_MAX_NS)
        {
            break;
        }
        while now < due {
            std::hint::spin_loop();
            now = monotonic_ns();
        }
        let ended = lane.operate_and_check::<E>(session, index, request)?;
        let service_ns = ended.saturating_sub(now);
        pacing.service.saturating_record(service_ns);
        pacing.lateness.saturating_record(ended.saturating_sub(punctual.end(due, service_ns)));
        lane.keep_latency(request, due, ended, 1);
        executed = index + 1;
    }
    lane.done.operations = executed;
    // A schedule's clock goes on while values are checked.
    lane.done.off_clock_ns = 0;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use workloads::Seed;

    fn starts(arrivals: Arrivals, count: usize) -> Vec<u64> {
        let mut schedule = Schedule::new(1e6, arrivals, (0, 2), Seed(1).rng());
        (0..count).map(|_| schedule.next()).collect()
    }

    #[test]
    fn constant_arrivals_are_equally_far_apart_and_threads_interleave() {
        assert_eq!(starts(Arrivals::Constant, 3), [1000, 3000, 5000]);
        let mut second = Schedule::new(1e6, Arrivals::Constant, (1, 2), Seed(1).rng());
        assert_eq!((second.next(), second.next()), (2000, 4000));
    }

    #[test]
    fn times_of_a_trace_are_kept_or_warped() {
        let mut times = MappedSlice::resident(3).unwrap();
        times.copy_from_slice(&[0, 1000, 5000]);
        let mut schedule = Schedule::of_times(times, 2.0);
        schedule.steer(1, 100);
        schedule.start(7);
        assert_eq!([schedule.next(), schedule.next(), schedule.next()], [7, 507, 2507]);
    }

    #[test]
    fn a_thread_with_twice_the_requests_sends_them_twice_as_often() {
        let mut steered = Schedule::new(1e6, Arrivals::Constant, (0, 2), Seed(1).rng());
        steered.steer(100, 200);
        assert_eq!([steered.next(), steered.next(), steered.next()], [500, 1500, 2500]);
    }

    #[test]
    fn a_late_start_is_carried_on_to_those_that_queue_behind_it() {
        let mut punctual = Punctual::default();
        // Due at 0, 10 and 20, each taking 8; the first is sent 50 late, the others right after it.
        let late: Vec<u64> =
            [(0, 58), (10, 66), (20, 74)].map(|(due, ended)| ended - punctual.end(due, 8)).into();
        assert_eq!(late, [50, 48, 46]);
        // A slow store delays the next request without any lateness of the harness.
        assert_eq!(1100 - punctual.end(100, 1000), 0);
        assert_eq!(1108 - punctual.end(110, 8), 0);
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_exponential_gaps() {
        const COUNT: usize = 100_000;
        let starts = starts(Arrivals::Poisson, COUNT);
        let mean = starts[COUNT - 1] as f64 / COUNT as f64;
        assert!((1980.0..2020.0).contains(&mean), "mean gap {mean} ns, 2000 asked");
        let longer = |times: f64| {
            let gaps = starts.windows(2).filter(|pair| (pair[1] - pair[0]) as f64 > times * 2000.0);
            gaps.count() as f64 / COUNT as f64
        };
        for times in [0.1, 1.0, 3.0] {
            let (found, law) = (longer(times), (-times).exp());
            assert!((found - law).abs() < 0.01, "{found} of the gaps exceed {times} means: {law}");
        }
    }
}
