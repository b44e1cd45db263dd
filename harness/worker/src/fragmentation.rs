//! The fragmentation workload: phases over any [`Target`], with observations between them.

use std::collections::BTreeMap;

use engine::{Heap, KvEngine, Transport};
use workloads::fragmentation::{Limit, Phase, PhaseScript, Step, objects_max};
use workloads::{Seed, SizeDistribution, Spelling};

use super::crew::{Crew, Post};
use super::handover::Handover;
use super::heap_target::HeapTarget;
use super::link::Link;
use super::phase::{Exchange, LiveTable, PhaseResult, run_phase};
use super::pipelined_target::{self, PIPELINE, PipelinedTarget};
use super::store_target::StoreTarget;
use super::target::{Target, Values};
use super::usage::Usage;
use super::watched::Watched;
use super::{Stop, open_if_it_prices_the_harness, opened, pin};
use crate::progress::ProgressPage;
use crate::protocol::{Event, Point};
use crate::registry::{self, StoreVisitor};
use crate::setup::setup_of;
use record::{Basis, Cell, Fragmentation, Frees, Observe, System};
use record::{Capacity, StepReport};
use record::{Outcome, Refusal, Verification};

/// Largest number of objects per thread that are checked at the end of the last phase. Patterns with
/// cycles have all objects checked after each fill.
const CHECKED_AT_END: usize = 4096;

/// Runs the cell.
pub(super) fn run(
    cell: &Cell,
    work: &Fragmentation,
    (engine_bytes, first_core): (u64, usize),
    page: &ProgressPage,
    link: &mut Link,
) -> Result<(), Stop> {
    let needs = Needs::prepare(cell, work, first_core)?;
    if let System::Heap { name, .. } = &cell.system {
        open_if_it_prices_the_harness(name)?;
    }
    link.say_and_wait(&Event::Ready { engine_bytes });
    match &cell.system {
        System::Kernel | System::Way { .. } => {
            Err(Stop::failed("the kernel is asked to map regions, nothing else"))
        }
        System::Heap { name, .. } => {
            let heap = registry::open_heap(name)?;
            link.say(&opened(heap.version(), heap.settings(), None));
            let make = |_: usize, values: Values| Ok(HeapTarget::new(heap, values));
            drive(work, needs, page, link, &make, &HeapView { heap })
        }
        System::Store { .. } => {
            let (name, setup) = setup_of(cell)?;
            let visitor = OnStore { work, needs, page, link, heap: setup.heap };
            match work.key_bytes {
                Some(bytes) => {
                    let spelling = Spelling::new(&SizeDistribution::Constant(bytes));
                    registry::with_bytes_store(&name, &setup, spelling, visitor)?
                }
                None => registry::with_store(&name, &setup, visitor)?,
            }
        }
    }
}

struct OnStore<'a> {
    work: &'a Fragmentation,
    needs: Needs,
    page: &'a ProgressPage,
    link: &'a mut Link,
    heap: Option<&'static dyn Heap>,
}

impl StoreVisitor for OnStore<'_> {
    type Output = Result<(), Stop>;

    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
        let version = self.heap.map_or_else(String::new, |heap| heap.version());
        let mut settings = engine.settings();
        settings.extend(self.heap.into_iter().flat_map(Heap::settings));
        let threads = self.work.threads;
        let pipelined = is_pipelined(self.work, E::TRAITS.transport);
        let batch = if pipelined { PIPELINE } else { 1 };
        let mut conditions = crate::conditions_of(engine, threads, batch, None);
        if let Some(bytes) = self.work.key_bytes {
            conditions.keys = bytes.to_string();
        }
        self.link.say(&opened(version, settings, Some(conditions)));
        let make = |thread: usize, values: Values| {
            StoreTarget::new(engine, thread, values).map_err(Stop::failed)
        };
        let view = StoreView { engine, bounded: self.work.basis == Basis::Bounded };
        let Self { work, needs, page, link, .. } = self;
        if pipelined {
            let make =
                |thread: usize, values: Values| make(thread, values).map(PipelinedTarget::new);
            drive(work, needs, page, link, &make, &view)
        } else {
            drive(work, needs, page, link, &make, &view)
        }
    }
}

/// Whether requests go out many at a time. Each goes alone where a refusal must be heard at once, and where
/// another thread may free an object that is still on its way.
fn is_pipelined(work: &Fragmentation, transport: Transport) -> bool {
    transport == Transport::UnixSocket && work.basis == Basis::Ample && work.frees == Frees::Own
}

/// Memory that the harness holds for the cell; resident before the engine opens.
struct Needs {
    kits: Vec<Kit>,
    queues: Vec<Handover>,
    /// Cores of the threads, in their order.
    cores: Vec<usize>,
}

/// One thread's share of [`Needs`].
struct Kit {
    script: PhaseScript,
    table: LiveTable,
    values: Values,
}

impl Needs {
    fn prepare(cell: &Cell, work: &Fragmentation, first_core: usize) -> Result<Self, Stop> {
        let share = work.live_bytes / work.threads as u64;
        // A bounded store may hold at most its object memory, which bounds its table too.
        let objects = objects_max(&work.pattern, share) + 1;
        let limit = match work.basis {
            Basis::Ample => Limit::LiveBytes(share),
            Basis::Bounded => Limit::UntilRefused,
        };
        // One thread may fill the space that another leaves free.
        let objects = if work.basis == Basis::Bounded { objects * work.threads } else { objects };
        let value_bytes_max = work.pattern.object_bytes_max();
        let transport = registry::traits_of(&cell.system).map(|traits| traits.transport);
        let room_bytes = match transport.is_some_and(|transport| is_pipelined(work, transport)) {
            true => pipelined_target::room_bytes(value_bytes_max),
            false => 0,
        };
        let seed = Seed(cell.seed).stream("fragmentation");
        let kits = (0..work.threads).map(|thread| {
            Ok(Kit {
                script: PhaseScript::new(&work.pattern, limit, seed.nth(thread as u64))
                    .map_err(Stop::failed)?,
                table: LiveTable::with_capacity(objects).map_err(Stop::failed)?,
                values: Values::new(thread, value_bytes_max).with_room(room_bytes),
            })
        });
        let queues = match work.frees {
            Frees::Own => 0,
            Frees::Other => work.threads,
        };
        let queues = (0..queues).map(|_| Handover::new().map_err(Stop::failed));
        let mut cores = platform::cpu::allowed_cores();
        let first = first_core % cores.len();
        cores.rotate_left(first);
        Ok(Self {
            cores,
            kits: kits.collect::<Result<_, Stop>>()?,
            queues: queues.collect::<Result<_, Stop>>()?,
        })
    }
}

/// What the main thread asks the system between phases.
trait View {
    fn self_allocated_bytes(&self) -> Option<u64>;
    fn capacity(&self, live_value_bytes: u64) -> Option<Capacity>;
    fn statistics(&self) -> BTreeMap<String, f64>;
    /// The outcome that a refusal is recorded as.
    fn refusal(&self) -> Outcome;

    /// Whether the system has threads of its own that may free memory while a refused thread waits.
    fn works_apart(&self) -> bool;
}

struct HeapView {
    heap: &'static dyn Heap,
}

impl View for HeapView {
    fn self_allocated_bytes(&self) -> Option<u64> {
        self.heap.statistics().allocated_bytes
    }

    fn capacity(&self, _: u64) -> Option<Capacity> {
        None
    }

    fn statistics(&self) -> BTreeMap<String, f64> {
        heap_statistics(self.heap)
    }

    fn refusal(&self) -> Outcome {
        Outcome::OutOfMemory
    }

    fn works_apart(&self) -> bool {
        false
    }
}

struct StoreView<'a, E> {
    engine: &'a E,
    bounded: bool,
}

impl<E: KvEngine> View for StoreView<'_, E> {
    fn self_allocated_bytes(&self) -> Option<u64> {
        None
    }

    fn capacity(&self, live_value_bytes: u64) -> Option<Capacity> {
        let census = self.engine.memory();
        self.bounded.then_some(Capacity {
            object_memory_bytes: census.object_memory_bytes,
            capacity_bytes: census.capacity_bytes?,
            live_object_bytes: census.live_object_bytes,
            live_value_bytes,
        })
    }

    fn statistics(&self) -> BTreeMap<String, f64> {
        self.engine.counters()
    }

    fn refusal(&self) -> Outcome {
        Outcome::Full
    }

    fn works_apart(&self) -> bool {
        let presence = self.engine.presence();
        presence.threads + presence.servers > 0
    }
}

/// An allocator's own statistics by name, as far as it keeps any.
pub(super) fn heap_statistics(heap: &dyn Heap) -> BTreeMap<String, f64> {
    let statistics = heap.statistics();
    let named = [
        ("allocated-bytes", statistics.allocated_bytes),
        ("mapped-bytes", statistics.mapped_bytes),
    ];
    named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value? as f64))).collect()
}

enum Command {
    Run { last: bool },
    VerifyAll,
    Trim,
}

/// One thread's results of a phase.
#[derive(Default)]
struct Ran {
    result: PhaseResult,
    verification: Verification,
    live_bytes: u64,
    live_objects: u64,
}

fn drive<T: Target>(
    work: &Fragmentation,
    needs: Needs,
    page: &ProgressPage,
    link: &mut Link,
    make: &(impl Fn(usize, Values) -> Result<T, Stop> + Sync),
    view: &dyn View,
) -> Result<(), Stop> {
    drive_threads(work, needs, link, view, &|place, kit, queues| {
        let Kit { script, table, values } = kit;
        match make(place.thread, values) {
            Ok(target) => place.serve(target, script, table, page, queues),
            Err(stop) => place.post.decline(stop),
        }
    })
}

/// What each thread does with its kit: it serves the main thread's commands.
type Serve<'a> = dyn Fn(Place, Kit, &[Handover]) + Sync + 'a;

/// Runs the pattern's steps. Starting threads and speaking with them is compiled once, not for every
/// target.
fn drive_threads(
    work: &Fragmentation,
    needs: Needs,
    link: &mut Link,
    view: &dyn View,
    serve: &Serve<'_>,
) -> Result<(), Stop> {
    let Needs { kits, queues, cores } = needs;
    let mut steps = work.pattern.steps().peekable();
    // If nothing else could free memory in the meantime, a refusal is final.
    let retries = work.basis == Basis::Bounded && (view.works_apart() || work.threads > 1);
    std::thread::scope(|scope| {
        let mut crew = Crew::new();
        for (thread, kit) in kits.into_iter().enumerate() {
            let (post, queues, cores) = (crew.post(), &queues, &cores);
            scope.spawn(move || {
                pin(thread, cores);
                serve(Place { thread, post, retries }, kit, queues);
            });
        }
        while let Some(step) = steps.next() {
            run_step(work, step, steps.peek().is_none(), &mut crew, link, view)?;
        }
        link.say_and_wait(&Event::Ending);
        Ok(())
    })
}

/// The part of a phase that one worker thread runs.
struct Place {
    thread: usize,
    post: Post<Command, Option<Box<Ran>>>,
    retries: bool,
}

impl Place {
    fn serve(
        self,
        mut target: impl Target,
        mut script: PhaseScript,
        mut table: LiveTable,
        page: &ProgressPage,
        queues: &[Handover],
    ) {
        let exchange = (!queues.is_empty()).then(|| Exchange {
            giving: &queues[self.thread],
            taking: &queues[(self.thread + 1) % queues.len()],
        });
        let counter = page.counter(self.thread);
        self.post.serve(|command| match command {
            Command::Run { last } => {
                let result = run_phase(
                    &mut target,
                    &mut script,
                    &mut table,
                    counter,
                    exchange,
                    self.retries,
                );
                if last {
                    let stride = table.as_slice().len().div_ceil(CHECKED_AT_END).max(1);
                    verify(&mut target, &table, stride);
                }
                Some(Box::new(Ran {
                    result,
                    verification: target.verification(),
                    live_bytes: script.live_bytes(),
                    live_objects: script.live_objects(),
                }))
            }
            Command::VerifyAll => {
                verify(&mut target, &table, 1);
                None
            }
            Command::Trim => {
                target.trim();
                None
            }
        });
    }
}

/// Checks every `stride`-th live object.
fn verify(target: &mut impl Target, table: &LiveTable, stride: usize) {
    for object in table.as_slice().iter().step_by(stride) {
        target.verify(object.handle, object.bytes as usize);
    }
}

fn run_step(
    work: &Fragmentation,
    step: Step,
    last: bool,
    crew: &mut Crew<Command, Option<Box<Ran>>>,
    link: &mut Link,
    view: &dyn View,
) -> Result<(), Stop> {
    let name = step.to_string();
    let grows_bytes = match (step.phase, work.basis) {
        // Where memory is bounded, what was deleted is used again.
        (Phase::Delete, _) | (Phase::Refill, Basis::Bounded) => 0,
        (Phase::Fill, _) | (Phase::Refill, Basis::Ample) => work.live_bytes,
    };
    link.say_and_wait(&Event::Before { step: name.clone(), grows_bytes });
    let before = Usage::now();
    let ran: Vec<Ran> =
        crew.all(|| Command::Run { last })?.into_iter().flatten().map(|ran| *ran).collect();
    let used = Usage::now().since(&before);
    let live_bytes = ran.iter().map(|one| one.live_bytes).sum();
    let live_objects = ran.iter().map(|one| one.live_objects).sum();
    let mut report = report_of(&name, &ran, work, view.refusal());
    used.note_in(&mut report);
    report.statistics = view.statistics();
    report.capacity = view.capacity(live_bytes);
    link.say(&Event::Step(Box::new(report)));
    let mut observe = |point, idle_ms| {
        link.say_and_wait(&Event::Observe {
            step: name.clone(),
            point,
            live_bytes,
            live_objects,
            idle_ms,
            self_allocated_bytes: view.self_allocated_bytes(),
        });
    };
    observe(Point::AtOnce, 0);
    if last || work.observe == Observe::Each {
        observe(Point::AfterIdle, work.idle_ms);
        crew.all(|| Command::Trim)?;
        observe(Point::AfterTrim, 0);
    }
    if step.cycle.is_some() && step.phase == Phase::Fill {
        // After the observation, which the check could disturb; the deletes that follow report its
        // result.
        crew.all(|| Command::VerifyAll)?;
    }
    Ok(())
}

fn report_of(name: &str, ran: &[Ran], work: &Fragmentation, refusal: Outcome) -> StepReport {
    let operations = ran.iter().map(|one| one.result.operations).sum();
    let elapsed = ran.iter().map(|one| {
        let result = &one.result;
        result.ended_ns - result.started_ns - result.refusal_wait_ns
    });
    let mut report = StepReport::measured(name, operations, elapsed.max().unwrap_or(0));
    let mut checked = Verification::default();
    for one in ran {
        checked.checked += one.verification.checked;
        checked.lost += one.verification.lost;
        checked.wrong += one.verification.wrong;
    }
    report.verification = Some(checked);
    let refused = ran.iter().filter_map(|one| one.result.refused_bytes).max();
    report.refusal = refused.map(|object_bytes| Refusal {
        object_bytes,
        waited_ns: ran.iter().map(|one| one.result.refusal_wait_ns).max().unwrap_or(0),
        overcome: ran.iter().map(|one| one.result.overcome).sum(),
    });
    let broken = ran.iter().find_map(|one| one.result.broken.clone());
    if checked.lost + checked.wrong > 0 {
        report.outcome = Outcome::WrongValues;
        report.expected = false;
        report.reason = Some(format!(
            "of {} values checked {} were lost and {} wrong",
            checked.checked, checked.lost, checked.wrong
        ));
    } else if let Some(reason) = broken {
        report.outcome = Outcome::Failed;
        report.expected = false;
        report.reason = Some(reason);
    } else if let Some(bytes) = refused {
        report.outcome = refusal;
        report.expected = work.basis == Basis::Bounded;
        report.reason = Some(format!("an object of {bytes} bytes was refused"));
    }
    report
}
