//! Cost of the driver itself: the cell's own loop over the null store, in the cell's own process, before
//! the engine opens.

use engine::KvEngine;
use stats::median;

use super::super::Stop;
use super::super::mapped::MappedSlice;
use super::batches::{Made, run_batches};
use super::keys_of;
use super::kit::{Kit, seed_of};
use super::lane::{Done, Lane, Shared};
use super::single::{run_made, run_prepared};
use crate::byte_keys::ByteKeys;
use crate::registry;
use platform::clock::monotonic_ns;
use record::{Cell, KeyValue, Source};
use workloads::requests::{Request, RequestStream};

/// Operations per measurement; the median of several measurements counts.
const OPERATIONS: usize = 1 << 16;
const MEASUREMENTS: usize = 5;

/// Nanoseconds per operation of `work` and thread. The requests come from a separate stream, so those of
/// the cell stay unused.
pub(super) fn price(
    cell: &Cell,
    work: &KeyValue,
    kit: &mut Kit,
    shared: &Shared,
) -> Result<f64, Stop> {
    let null = registry::null(work.workload.value_bytes_max());
    match keys_of(work)? {
        Some(keys) => price_with(&ByteKeys::of(null, keys), cell, work, kit, shared),
        None => price_with(&null, cell, work, kit, shared),
    }
}

fn price_with<E: KvEngine>(
    null: &E,
    cell: &Cell,
    work: &KeyValue,
    kit: &mut Kit,
    shared: &Shared,
) -> Result<f64, Stop> {
    let seed = seed_of(cell).stream("price");
    let mut stream = RequestStream::new(&work.workload, work.records, 0, work.threads, seed);
    let mut words = MappedSlice::<Request>::resident(OPERATIONS).map_err(Stop::failed)?;
    let mut session = null.session().map_err(Stop::failed)?;
    let mut each = Vec::with_capacity(MEASUREMENTS);
    for _ in 0..MEASUREMENTS {
        let mut done = Done::default();
        match (work.source, &work.replay) {
            (Source::InLoop, _) => {}
            (Source::Prepared, None) => stream.fill(&mut words),
            // The trace from its beginning, repeated.
            (Source::Prepared, Some(_)) => {
                let front = kit.words.iter().copied().cycle();
                words.iter_mut().zip(front).for_each(|(word, request)| *word = request);
            }
        }
        kit.seconds.start(monotonic_ns());
        let (mut lane, _) = Lane::of(kit, shared, &E::TRAITS, &mut done);
        let started = monotonic_ns();
        let generated = std::iter::repeat_with(|| stream.next_request()).take(OPERATIONS);
        let ran = match (work.source, work.batch()) {
            (Source::Prepared, 1) => run_prepared::<E>(&mut session, &mut lane, &words),
            (Source::InLoop, 1) => run_made::<E>(&mut session, &mut lane, generated),
            (Source::Prepared, batch) => {
                run_batches::<E>(&mut session, &mut lane, &mut &words[..], batch)
            }
            (Source::InLoop, batch) => {
                run_batches::<E>(&mut session, &mut lane, &mut Made::by(generated), batch)
            }
        };
        ran.map_err(Stop::failed)?;
        let elapsed_ns = monotonic_ns() - started - done.off_clock_ns;
        each.push(elapsed_ns as f64 / OPERATIONS as f64);
    }
    kit.latency.reset();
    kit.seconds.reset();
    shared.tracked.reset();
    median(&each).ok_or_else(|| Stop::failed("the driver's price could not be measured"))
}
