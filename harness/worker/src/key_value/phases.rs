//! Requests whose share of PUTs changes in phases: a stream for each phase, made before the clock, and
//! threads that begin each phase together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use engine::KvEngine;
use workloads::Seed;
use workloads::requests::{Request, RequestStream, Workload};

use super::lane::{Lane, Shared};
use super::single::run_prepared;
use record::KeyValue;

/// The timed requests of `thread`: a stream for each phase, or only one, with how many come from it.
pub(super) fn streams(work: &KeyValue, thread: usize, seed: Seed) -> Vec<(RequestStream, usize)> {
    let of = |workload: &Workload, seed| {
        RequestStream::new(workload, work.records, thread, work.threads, seed)
    };
    let Some(phases) = &work.phases else {
        return vec![(of(&work.workload, seed), work.operations_per_thread as usize)];
    };
    let lengths = phases.lengths(work.operations_per_thread).into_iter();
    let numbered = phases.workloads(&work.workload).zip(lengths).zip(0..);
    let streams = numbered.map(|((workload, length), number)| {
        (of(&workload, seed.stream("phase").nth(number)), length as usize)
    });
    streams.collect()
}

/// Fills `words` from one stream after the other.
pub(super) fn fill(streams: &mut [(RequestStream, usize)], words: &mut [Request]) {
    let mut rest = words;
    for (stream, length) in streams {
        let (words, later) = rest.split_at_mut(rest.len().min(*length));
        stream.fill(words);
        rest = later;
    }
}

/// Executes `words` in parts of the given lengths. No thread begins a part before all have ended the one
/// before it.
pub(super) fn run<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    words: &[Request],
    (lengths, meeting): (&[u64], &Meeting),
) -> Result<(), String> {
    let first = lane.first;
    let mut rest = words;
    for &length in lengths {
        meeting.wait(lane.shared);
        if lane.shared.is_stopped() {
            break;
        }
        let (part, later) = rest.split_at(length as usize);
        lane.first = first + lane.done.operations;
        run_prepared::<E>(session, lane, part)?;
        rest = later;
    }
    Ok(())
}

/// Where threads wait for one another.
#[derive(Debug)]
pub(super) struct Meeting {
    threads: usize,
    /// Arrivals of all threads so far.
    arrived: AtomicUsize,
}

impl Meeting {
    pub(super) fn of(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0) }
    }

    /// Returns when every thread has come as often as this one, or when one has stopped. A barrier of the
    /// standard library would wait for a thread that never comes.
    fn wait(&self, shared: &Shared) {
        // Release, paired with the Acquire below: who leaves sees what all did before they came.
        let arrival = self.arrived.fetch_add(1, Ordering::Release) + 1;
        let all = arrival.next_multiple_of(self.threads);
        while self.arrived.load(Ordering::Acquire) < all && !shared.is_stopped() {
            thread::yield_now();
        }
    }
}

/// Lets the other threads go where one panics.
pub(super) struct Leaving<'a>(pub(super) &'a Shared);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.raise_stop();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use workloads::requests::RequestKind;

    use super::super::tracked::Tracked;
    use super::*;

    #[test]
    fn each_phase_has_its_share_of_puts_and_streams_of_its_own() {
        let mut work = KeyValue::plain(Workload::by_name("get-50").unwrap(), 64 << 20);
        (work.records, work.threads, work.operations_per_thread) = (1000, 2, 10_001);
        work.set_phases("0-100-50-50".parse().unwrap());
        let mut words = vec![Request::default(); 10_001];
        let made = |thread, words: &mut [Request]| {
            fill(&mut streams(&work, thread, Seed(7)), words);
        };
        made(0, &mut words);
        let puts = |from: usize, to: usize| {
            words[from..to].iter().filter(|word| word.is(RequestKind::Update)).count()
        };
        assert_eq!((puts(0, 2500), puts(2500, 5000)), (0, 2500));
        assert!((1000..1500).contains(&puts(5000, 7500)) && puts(7500, 10_001) > 1000);
        assert_ne!(words[5000..7500], words[7500..10_000]);
        let mut others = words.clone();
        made(1, &mut others);
        assert_ne!(words, others);
    }

    /// Two threads note how often the other has come when they leave.
    #[test]
    fn nobody_leaves_a_meeting_before_all_have_come() {
        const MEETINGS: usize = 1000;
        let shared = shared();
        let (meeting, come) = (Meeting::of(2), [AtomicUsize::new(0), AtomicUsize::new(0)]);
        thread::scope(|scope| {
            for me in 0..2 {
                let (meeting, come, shared) = (&meeting, &come, &shared);
                scope.spawn(move || {
                    for number in 1..=MEETINGS {
                        // Relaxed, here and below: the meeting orders them.
                        come[me].store(number, Ordering::Relaxed);
                        meeting.wait(shared);
                        let other = come[1 - me].load(Ordering::Relaxed);
                        assert!(other >= number, "{other} of {number}");
                    }
                });
            }
        });
        assert_eq!(meeting.arrived.into_inner(), 2 * MEETINGS);
    }

    #[test]
    fn nobody_waits_for_a_thread_that_has_stopped() {
        let (shared, meeting) = (shared(), Meeting::of(2));
        thread::scope(|scope| {
            scope.spawn(|| meeting.wait(&shared));
            let left = scope.spawn(|| {
                let _leaving = Leaving(&shared);
                panic!("on purpose");
            });
            assert!(left.join().is_err());
        });
        assert!(shared.is_stopped());
    }

    fn shared() -> Shared {
        Shared {
            tracked: Tracked::new(1, 2).unwrap(),
            stop: AtomicBool::new(false),
            timed_every: u64::MAX,
            sets_on_miss: false,
            at_most_ns: u64::MAX,
        }
    }
}
