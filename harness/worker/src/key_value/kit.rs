//! The memory that one thread needs for itself, allocated and touched before the store opens.

use workloads::Seed;
use workloads::requests::{Request, RequestKind, RequestStream, Workload};
use workloads::value::{ValueChecker, ValueWriter};

use super::super::Stop;
use super::super::mapped::MappedSlice;
use super::latency::{BATCH, Latencies, place};
use super::lifetimes::Lifetimes;
use super::moments::Moments;
use super::open::{Pacing, Schedule};
use super::phases::{self, streams};
use super::replay;
use super::seconds::Seconds;
use super::shapes::Shapes;
use super::values::Values;
use crate::histogram::empty;
use record::{Cell, Driver, KeyValue, Source};

/// Writer id of loaded values; their sequence number is the record.
pub(super) const LOADER: u16 = u16::MAX;
/// Added to a thread's number: the writer id of values written while the store was aged.
pub(super) const AGER: u16 = 1 << 15;

/// The seed of all requests of a cell.
pub(super) fn seed_of(cell: &Cell) -> Seed {
    Seed(cell.seed).stream("key-value")
}

pub(super) struct Kit {
    pub(super) thread: usize,
    /// Prepared operations; empty if the loop generates them.
    pub(super) words: MappedSlice<Request>,
    /// For traces: deletes of the records that are live at the end.
    pub(super) leftovers: MappedSlice<Request>,
    /// Requests that were executed in earlier turns.
    pub(super) executed: u64,
    /// The generator, in its state at the start of the clock; with phases, that of the first.
    pub(super) stream: RequestStream,
    /// One writer per operation of a batch or record of a group, because several values are held at once.
    pub(super) writers: Vec<ValueWriter>,
    /// Values of prepared requests.
    pub(super) values: Values,
    pub(super) shapes: Shapes,
    pub(super) loader: ValueWriter,
    pub(super) ager: ValueWriter,
    pub(super) checker: ValueChecker,
    /// One slot of the longest value's length for each writer.
    pub(super) buffer: Vec<u8>,
    /// Bounds of watched GETs: one per thread and slot.
    pub(super) bounds: Vec<u32>,
    pub(super) moments: Moments,
    pub(super) lifetimes: Lifetimes,
    pub(super) latency: Latencies,
    pub(super) seconds: Seconds,
    /// Open loops only.
    pub(super) pacing: Option<Pacing>,
}

impl Kit {
    /// The kit of `thread` for the first of `turns`, with room for what the others need.
    pub(super) fn new(turns: &[(&Cell, &KeyValue)], thread: usize) -> Result<Self, Stop> {
        let (cell, work) = turns[0];
        let all = turns.iter().map(|(_, work)| &work.workload);
        let seed = seed_of(cell);
        let workload = &work.workload;
        let mut streams = streams(work, thread, seed);
        let length = match work.source {
            Source::Prepared => work.operations_per_thread as usize,
            Source::InLoop => 0,
        };
        let words = match &work.replay {
            Some(replay) => replay::words(replay, (thread, work.threads))?,
            None => {
                let mut words = MappedSlice::resident(length).map_err(Stop::failed)?;
                phases::fill(&mut streams, &mut words);
                words
            }
        };
        let leftovers = match &work.replay {
            Some(_) => replay::leftovers(&words, work.record_numbers())?,
            None => MappedSlice::resident(0).map_err(Stop::failed)?,
        };
        let value_bytes_max = workload.value_bytes_max();
        let slots = turns.iter().map(|(_, work)| slots(work)).max().unwrap_or(1);
        let works = turns.iter().map(|(_, work)| *work);
        let mut buffer = vec![0; value_bytes_max * slots];
        buffer.fill(1);
        Ok(Self {
            thread,
            words,
            leftovers,
            executed: 0,
            stream: streams.swap_remove(0).0,
            writers: vec![ValueWriter::new(thread as u16, value_bytes_max); slots],
            values: Values::for_batches(slots, value_bytes_max).map_err(Stop::failed)?,
            shapes: Shapes::new(turns.iter().all(|(_, work)| is_even(work))),
            loader: ValueWriter::new(LOADER, value_bytes_max),
            ager: ValueWriter::new(AGER + thread as u16, value_bytes_max),
            checker: ValueChecker::new(value_bytes_max),
            buffer,
            bounds: vec![0; work.threads * slots],
            moments: Moments::of(works, work.groups()).map_err(Stop::failed)?,
            lifetimes: Lifetimes::of(workload),
            latency: Latencies::new(&places(all, work.driver)).map_err(Stop::failed)?,
            seconds: match work.sampled {
                Some(_) => Seconds::short(),
                None => Seconds::new(),
            }
            .map_err(Stop::failed)?,
            pacing: pacing(work, thread, seed)?,
        })
    }

    /// Puts the requests of another turn in place of those that were executed, and forgets what was
    /// timed. No memory is taken for it.
    pub(super) fn turn_to(&mut self, work: &KeyValue, seed: Seed) {
        let mut streams = streams(work, self.thread, seed);
        phases::fill(&mut streams, &mut self.words);
        self.stream = streams.swap_remove(0).0;
        self.latency.reset();
        self.seconds.reset();
    }
}

/// How many values are held at once.
fn slots(work: &KeyValue) -> usize {
    let workload = &work.workload;
    work.batch().max(if workload.is_of_moments() { workload.together } else { 1 })
}

/// Whether all values have one length.
fn is_even(work: &KeyValue) -> bool {
    let sizes = &work.workload.value_bytes;
    work.replay.is_none() && sizes.min() == sizes.max()
}

fn pacing(work: &KeyValue, thread: usize, seed: Seed) -> Result<Option<Pacing>, Stop> {
    let schedule = match work.driver {
        Driver::Closed { .. } | Driver::Bare => return Ok(None),
        Driver::Open { rate_ops_per_s, arrivals } => {
            let rng = seed.stream("arrivals").nth(thread as u64).rng();
            Schedule::new(rate_ops_per_s, arrivals, (thread, work.threads), rng)
        }
        Driver::Timed { speed } => {
            let replay = work.replay.as_ref();
            let replay = replay.ok_or_else(|| Stop::failed("only traces have times"))?;
            Schedule::of_times(replay::times(replay, (thread, work.threads))?, speed)
        }
    };
    Ok(Some(Pacing {
        schedule,
        lateness: empty().map_err(Stop::failed)?,
        service: empty().map_err(Stop::failed)?,
    }))
}

/// The histograms that a workload needs.
fn places<'a>(workloads: impl Iterator<Item = &'a Workload>, driver: Driver) -> Vec<usize> {
    if let Driver::Closed { batch: 2.. } = driver {
        return vec![BATCH];
    }
    workloads.flat_map(places_of).collect()
}

fn places_of(workload: &Workload) -> Vec<usize> {
    // GETs become inserts where nothing is live, and churn decides by live bytes.
    let deletes = workload.deletes();
    let asked = workload.mix.shares().into_iter().filter(|(kind, share)| {
        *share > 0.0 || (deletes && matches!(kind, RequestKind::Insert | RequestKind::Delete))
    });
    asked.map(|(kind, _)| place(kind)).collect()
}
