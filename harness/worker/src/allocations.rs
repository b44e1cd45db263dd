//! Replays an allocation trace. All threads run from one position to the next; there they pause, and the
//! parent observes their memory.

use std::sync::atomic::AtomicBool;

use engine::Heap;

use super::compiled_trace::{CompiledTrace, Position};
use super::crew::Crew;
use super::events::Events;
use super::fragmentation::heap_statistics;
use super::link::Link;
use super::replay::{Ran, Replay, Shared};
use super::usage::Usage;
use super::{Stop, open_if_it_prices_the_harness, opened, pin};
use crate::progress::ProgressPage;
use crate::protocol::{Event, Point};
use crate::registry;
use record::StepReport;
use record::{Allocations, Cell, System};
use record::{Outcome, Refusal, Verification};

/// The replay's only step.
const STEP: &str = "run";

/// Largest number of live objects checked at the end.
const CHECKED_AT_END: usize = 4096;

/// Runs the cell. The trace is read and compiled before the baseline is taken.
pub(super) fn run(
    cell: &Cell,
    work: &Allocations,
    engine_bytes: u64,
    page: &ProgressPage,
    link: &mut Link,
) -> Result<(), Stop> {
    let System::Heap { name, .. } = &cell.system else {
        return Err(Stop::failed(
            "an allocation trace is replayed on an allocator, not on a store",
        ));
    };
    let mut events = Events::of(work)?;
    let compiled = CompiledTrace::compile(work, &mut events)?;
    events.check(work)?;
    open_if_it_prices_the_harness(name)?;
    link.say_and_wait(&Event::Ready { engine_bytes });
    let heap = registry::open_heap(name)?;
    link.say(&opened(heap.version(), heap.settings(), None));
    let grows_bytes = work.live_bytes_max * 3 / 2;
    link.say_and_wait(&Event::Before { step: STEP.to_owned(), grows_bytes });
    with_crew(&compiled, heap, page, |crew| {
        let before = Usage::now();
        let sum = replay(&compiled.positions, crew, |position, sum| {
            link.say_and_wait(&Event::Position {
                events: position.events,
                elapsed_ns: sum.elapsed_ns,
                live_bytes: sum.live_bytes,
                live_objects: sum.live_objects,
            });
        })?;
        let used = Usage::now().since(&before);
        let stride = compiled.places.len().div_ceil(CHECKED_AT_END).max(1);
        let sum = Sum { verification: verify(crew, &sum, stride)?, ..sum };
        let mut report = report_of(&sum);
        used.note_in(&mut report);
        report.statistics = heap_statistics(heap);
        link.say(&Event::Step(Box::new(report)));
        let mut observe = |point| {
            link.say_and_wait(&Event::Observe {
                step: STEP.to_owned(),
                point,
                live_bytes: sum.live_bytes,
                live_objects: sum.live_objects,
                idle_ms: 0,
                self_allocated_bytes: heap.statistics().allocated_bytes,
            });
        };
        observe(Point::AtOnce);
        crew.all(|| Command::Trim)?;
        observe(Point::AfterTrim);
        link.say_and_wait(&Event::Ending);
        Ok(())
    })
}

#[derive(Clone, Copy)]
enum Command {
    /// Replays the segment that ends at this position.
    Run(usize),
    /// Checks every `stride`-th place from `first` on.
    Verify {
        stride: usize,
    },
    Trim,
}

/// Totals of all threads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sum {
    /// Time of the slowest thread, summed over the segments.
    pub(super) elapsed_ns: u64,
    pub(super) operations: u64,
    pub(super) live_bytes: u64,
    pub(super) live_objects: u64,
    pub(super) verification: Verification,
    /// Bytes of the refused object.
    pub(super) refused_bytes: Option<u64>,
}

impl Sum {
    /// These totals after one more segment.
    fn after(&self, ran: &[Ran]) -> Self {
        let slowest = ran.iter().map(|one| one.ended_ns - one.started_ns).max();
        let mut sum = Self {
            elapsed_ns: self.elapsed_ns + slowest.unwrap_or(0),
            operations: ran.iter().map(|one| one.operations).sum(),
            refused_bytes: ran.iter().filter_map(|one| one.refused_bytes).max(),
            ..Self::default()
        };
        for one in ran {
            sum.live_bytes = sum.live_bytes.wrapping_add(one.live_bytes);
            sum.live_objects = sum.live_objects.wrapping_add(one.live_objects);
            sum.verification.checked += one.verification.checked;
            sum.verification.wrong += one.verification.wrong;
        }
        sum
    }
}

/// Starts the trace's threads, which wait for commands while `body` runs.
fn with_crew<T>(
    compiled: &CompiledTrace,
    heap: &'static dyn Heap,
    page: &ProgressPage,
    body: impl FnOnce(&mut Crew<Command, Ran>) -> T,
) -> T {
    let given_up = AtomicBool::new(false);
    let shared = Shared { heap, places: &compiled.places, given_up: &given_up };
    let cores = platform::cpu::allowed_cores();
    std::thread::scope(|scope| {
        let mut crew = Crew::new();
        for thread in 0..compiled.threads() {
            let (post, cores) = (crew.post(), &cores);
            scope.spawn(move || {
                pin(thread, cores);
                let mut replay = Replay::new(shared, page.counter(thread));
                post.serve(|command| match command {
                    Command::Run(position) => replay.run(compiled.segment(thread, position)),
                    Command::Verify { stride } => {
                        replay.verify(thread * stride, compiled.threads() * stride)
                    }
                    Command::Trim => replay.trim(),
                });
            });
        }
        body(&mut crew)
    })
}

/// Replays segment by segment, until the end or a refusal.
fn replay(
    positions: &[Position],
    crew: &mut Crew<Command, Ran>,
    mut stand_still: impl FnMut(&Position, &Sum),
) -> Result<Sum, Stop> {
    let mut sum = Sum::default();
    for (number, position) in positions.iter().enumerate() {
        sum = sum.after(&crew.all(|| Command::Run(number))?);
        if sum.refused_bytes.is_some() {
            break;
        }
        stand_still(position, &sum);
    }
    Ok(sum)
}

/// Checks objects that are live at the end.
fn verify(crew: &mut Crew<Command, Ran>, sum: &Sum, stride: usize) -> Result<Verification, Stop> {
    if sum.refused_bytes.is_some() {
        // The threads stopped at arbitrary events, so unfinished objects cannot be checked.
        return Ok(sum.verification);
    }
    Ok(Sum::default().after(&crew.all(|| Command::Verify { stride })?).verification)
}

/// The replay alone, without a parent and without observations.
#[cfg(test)]
pub(super) fn rehearse(
    compiled: &CompiledTrace,
    heap: &'static dyn Heap,
    stand_still: impl FnMut(&Position, &Sum),
) -> Result<Sum, Stop> {
    let page = ProgressPage::create().map_err(Stop::failed)?;
    with_crew(compiled, heap, &page, |crew| {
        let sum = replay(&compiled.positions, crew, stand_still)?;
        if sum.refused_bytes.is_none() {
            assert_eq!(page.live_bytes(), sum.live_bytes, "what the parent would see");
        }
        Ok(Sum { verification: verify(crew, &sum, 1)?, ..sum })
    })
}

fn report_of(sum: &Sum) -> StepReport {
    let mut report = StepReport::measured(STEP, sum.operations, sum.elapsed_ns);
    let checked = sum.verification;
    report.verification = Some(checked);
    let mut end = |outcome, reason| {
        report.outcome = outcome;
        report.expected = false;
        report.reason = Some(reason);
    };
    if checked.wrong > 0 {
        let reason = format!("of {} objects checked {} were wrong", checked.checked, checked.wrong);
        end(Outcome::WrongValues, reason);
    } else if let Some(bytes) = sum.refused_bytes {
        end(Outcome::OutOfMemory, format!("an object of {bytes} bytes was refused"));
    }
    report.refusal =
        sum.refused_bytes.map(|object_bytes| Refusal { object_bytes, ..Refusal::default() });
    report
}
