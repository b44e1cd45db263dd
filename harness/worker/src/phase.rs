//! One thread's run of one fragmentation phase.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use platform::clock::monotonic_ns;
use workloads::fragmentation::{Action, PhaseScript};

use super::handover::Handover;
use super::mapped::MappedSlice;
use super::target::{Refused, Target};

/// A live object as the oracle knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(super) struct LiveObject {
    /// Address or key.
    pub(super) handle: u64,
    pub(super) bytes: u64,
}

/// The oracle's table of one thread's live objects.
#[derive(Debug)]
pub(super) struct LiveTable {
    objects: MappedSlice<LiveObject>,
    length: usize,
}

impl LiveTable {
    pub(super) fn with_capacity(objects: usize) -> std::io::Result<Self> {
        Ok(Self { objects: MappedSlice::resident(objects)?, length: 0 })
    }

    pub(super) fn as_slice(&self) -> &[LiveObject] {
        &self.objects[..self.length]
    }

    fn is_full(&self) -> bool {
        self.length == self.objects.len()
    }

    fn push(&mut self, object: LiveObject) {
        self.objects[self.length] = object;
        self.length += 1;
    }

    fn swap_remove(&mut self, index: usize) -> LiveObject {
        let object = self.as_slice()[index];
        self.length -= 1;
        self.objects[index] = self.objects[self.length];
        object
    }
}

/// How long a refused allocation is retried before the refusal counts.
const RETRY: Duration = Duration::from_secs(1);
const RETRY_PAUSE: Duration = Duration::from_millis(5);

/// One thread's results of one phase.
#[derive(Clone, Debug, Default)]
pub(super) struct PhaseResult {
    pub(super) started_ns: u64,
    pub(super) ended_ns: u64,
    pub(super) operations: u64,
    /// Bytes of the object whose refusal ended the phase.
    pub(super) refused_bytes: Option<u64>,
    /// Time spent retrying the refusal that ended the phase.
    pub(super) refusal_wait_ns: u64,
    /// Refusals after which a retry succeeded.
    pub(super) overcome: u64,
    /// An error for which a retry is pointless.
    pub(super) broken: Option<String>,
}

/// The queues of a thread whose objects another thread frees.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange<'a> {
    /// To the thread that frees our objects.
    pub(super) giving: &'a Handover,
    /// From the thread whose objects we free.
    pub(super) taking: &'a Handover,
}

/// Runs the script to the end of its phase.
pub(super) fn run_phase(
    target: &mut impl Target,
    script: &mut PhaseScript,
    table: &mut LiveTable,
    live_bytes: &AtomicU64,
    exchange: Option<Exchange<'_>>,
    retries: bool,
) -> PhaseResult {
    let mut result = PhaseResult { started_ns: monotonic_ns(), ..PhaseResult::default() };
    loop {
        match script.next_action() {
            Action::Allocate { .. } if table.is_full() => {
                let objects = table.as_slice().len();
                result.broken = Some(format!("the oracle's table of {objects} objects is full"));
                script.refused();
            }
            Action::Allocate { bytes } => match allocate(target, bytes, retries, &mut result) {
                Some(handle) => table.push(LiveObject { handle, bytes: bytes as u64 }),
                None => script.refused(),
            },
            Action::Delete { victim } => {
                let object = table.swap_remove(victim);
                script.deleted(object.bytes as usize);
                match exchange {
                    None => target.destroy(object.handle, object.bytes as usize),
                    Some(exchange) => hand_over(target, object, exchange),
                }
                result.operations += 1;
            }
            Action::EndOfPhase => break,
        }
        // Relaxed: a sample for the parent's curve.
        live_bytes.store(script.live_bytes(), Ordering::Relaxed);
        if let Some(exchange) = exchange {
            destroy_one(target, exchange);
        }
    }
    if let Some(exchange) = exchange {
        finish_exchange(target, exchange);
    }
    if let Err(Refused::Broken(reason)) = target.finish() {
        result.broken.get_or_insert(reason);
    }
    result.ended_ns = monotonic_ns();
    result
}

/// Allocates; retries refusals for [`RETRY`] if the workload says so.
fn allocate(
    target: &mut impl Target,
    bytes: usize,
    retries: bool,
    result: &mut PhaseResult,
) -> Option<u64> {
    let mut first_refusal: Option<Instant> = None;
    loop {
        match target.create(bytes) {
            Ok(handle) => {
                result.operations += 1;
                result.overcome += u64::from(first_refusal.is_some());
                return Some(handle);
            }
            Err(Refused::Broken(reason)) => {
                result.broken = Some(reason);
                return None;
            }
            Err(Refused::Full) => {
                let since = *first_refusal.get_or_insert_with(Instant::now);
                if !retries || since.elapsed() >= RETRY {
                    result.refused_bytes = Some(bytes as u64);
                    result.refusal_wait_ns = since.elapsed().as_nanos() as u64;
                    return None;
                }
                std::thread::sleep(RETRY_PAUSE);
            }
        }
    }
}

fn hand_over(target: &mut impl Target, object: LiveObject, exchange: Exchange<'_>) {
    while !exchange.giving.give(object) {
        // The consumer is behind. Free objects that others gave us, so that no two threads wait for each
        // other.
        if !destroy_one(target, exchange) {
            std::thread::yield_now();
        }
    }
}

fn destroy_one(target: &mut impl Target, exchange: Exchange<'_>) -> bool {
    let object = exchange.taking.take();
    if let Some(object) = object {
        target.destroy(object.handle, object.bytes as usize);
    }
    object.is_some()
}

/// Frees objects until the other thread gives no more.
fn finish_exchange(target: &mut impl Target, exchange: Exchange<'_>) {
    exchange.giving.set_closed(true);
    loop {
        let closed = exchange.taking.is_closed();
        if !destroy_one(target, exchange) {
            if closed {
                break;
            }
            std::thread::yield_now();
        }
    }
    // The next phase begins after all threads have met, so the reopening is visible by then.
    exchange.taking.set_closed(false);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Barrier;

    use workloads::Seed;
    use workloads::fragmentation::{Limit, Pattern};

    use super::*;
    use record::Verification;

    /// Its handles name their creator.
    struct Recorder {
        thread: u64,
        made: u64,
        destroyed: Vec<u64>,
    }

    impl Target for Recorder {
        fn create(&mut self, _: usize) -> Result<u64, Refused> {
            self.made += 1;
            Ok(self.thread << 32 | self.made)
        }

        fn destroy(&mut self, handle: u64, _: usize) {
            self.destroyed.push(handle);
        }

        fn verify(&mut self, _: u64, _: usize) {}

        fn verification(&self) -> Verification {
            Verification::default()
        }

        fn trim(&mut self) {}
    }

    /// Runs all phases on two threads; returns the handles that each destroyed.
    fn destroyed(pattern: &str, exchange: bool) -> Vec<Vec<u64>> {
        let pattern = Pattern::by_name(pattern).unwrap();
        let queues = [Handover::new().unwrap(), Handover::new().unwrap()];
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            let threads = [0_usize, 1].map(|thread| {
                let (pattern, queues, barrier) = (&pattern, &queues, &barrier);
                scope.spawn(move || {
                    let seed = Seed(42).nth(thread as u64);
                    let mut script =
                        PhaseScript::new(pattern, Limit::LiveBytes(1 << 20), seed).unwrap();
                    let mut table = LiveTable::with_capacity(1 << 15).unwrap();
                    let mut target =
                        Recorder { thread: thread as u64, made: 0, destroyed: Vec::new() };
                    let counter = AtomicU64::new(0);
                    let exchange = exchange
                        .then(|| Exchange { giving: &queues[thread], taking: &queues[1 - thread] });
                    while script.step().is_some() {
                        let (target, script, table) = (&mut target, &mut script, &mut table);
                        let result = run_phase(target, script, table, &counter, exchange, false);
                        assert_eq!(result.broken, None);
                        barrier.wait();
                    }
                    target.destroyed
                })
            });
            threads.map(|thread| thread.join().unwrap()).into()
        })
    }

    #[test]
    fn objects_are_freed_by_the_thread_that_the_cell_names() {
        for pattern in ["P2", "W7"] {
            for exchange in [false, true] {
                for (thread, handles) in destroyed(pattern, exchange).into_iter().enumerate() {
                    let makers: BTreeSet<u64> = handles.iter().map(|handle| handle >> 32).collect();
                    let maker = if exchange { 1 - thread } else { thread };
                    assert_eq!(makers, BTreeSet::from([maker as u64]), "{pattern} {exchange}");
                    let distinct: BTreeSet<&u64> = handles.iter().collect();
                    assert_eq!(distinct.len(), handles.len(), "each object is freed once");
                    assert!(handles.len() > 500);
                }
            }
        }
    }
}
