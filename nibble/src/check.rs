//! Executable invariants: a census of blocks, a walk through every segment, a walk through the
//! index.

use std::collections::HashSet;

use crate::address::{BlockId, SegmentId};
use crate::error::PutError;
use crate::index::hash::Hash;
use crate::name;
use crate::raw::Quiet;
use crate::segment::{Cursor, SegmentState};
use crate::store::Shared;
use crate::sync::lock;

/// What [`crate::Store::check`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckReport {
    /// Segments that hold blocks.
    pub segments: u64,
    /// Live objects.
    pub live_objects: u64,
    /// Size of those objects in bytes.
    pub live_object_bytes: u64,
    /// Objects in the log that are not in the index.
    pub dead_objects: u64,
    /// How many entries the index buckets in use can hold.
    pub index_slots: u64,
    /// Blocks in the pool.
    pub free_blocks: u64,
    /// Blocks waiting in reclamation queues.
    pub limbo_blocks: u64,
}

macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err(format!($($message)+));
        }
    };
}

/// Checks these invariants of an open store, with all workers and heads locked out:
///
/// - **Blocks** `pools + segments + limbo == all`, no block twice;
/// - **Segments** objects tile `start..used`; the live counter equals what the index holds;
/// - **Index** every entry leads to a readable segment and an object of that key, in the bucket
///   the key belongs to; no key twice; as many entries as live objects;
/// - **Epochs** nobody is inside an operation.
pub(crate) fn check(shared: &Shared) -> Result<CheckReport, String> {
    // Lock order: workers, heads, pool.
    let nodes = || shared.log.nodes.iter();
    let workers: Vec<_> = nodes().flat_map(|node| &node.crew.workers).map(lock).collect();
    ensure!(!shared.is_closed(), "{}", PutError::Closed);
    let heads: Vec<_> = nodes().flat_map(|node| node.heads()).map(|head| head.lock()).collect();
    let quiet = Quiet::all_locked();
    let active = shared.epochs.active();
    ensure!(active == 0, "{active} operations in progress; check needs quiet writers");

    let mut report = CheckReport::default();
    let mut blocks = Blocks(vec![false; shared.log.memory.blocks.len()]);
    let mut free = Vec::new();
    nodes().for_each(|node| node.pool.for_each_run(|run| free.push(run)));
    for block in free.iter().flat_map(|run| run.blocks()) {
        blocks.see(block, "a pool")?;
        report.free_blocks += 1;
    }
    ensure!(report.free_blocks == shared.log.free_blocks(), "a pool miscounts its blocks");
    let limbo = workers.iter().flat_map(|worker| worker.tools.limbo.runs());
    for block in limbo.flat_map(|run| run.blocks()) {
        blocks.see(block, "a reclamation queue")?;
        report.limbo_blocks += 1;
    }
    for (id, info) in shared.log.segments.iter() {
        match info.state() {
            SegmentState::Free | SegmentState::Limbo => {
                ensure!(info.live().objects() == 0, "{id:?} is empty but counts live objects");
            }
            _ => {
                blocks.see_segment(shared, id)?;
                walk(shared, id, &quiet, &mut report)?;
                report.segments += 1;
            }
        }
    }
    if let Some(lost) = blocks.0.iter().position(|&seen| !seen) {
        return Err(format!("block {lost} is neither free, nor in a segment, nor in a queue"));
    }
    check_owners(shared, &workers, &heads)?;
    check_index(shared, &quiet, &mut report)?;
    Ok(report)
}

struct Blocks(Vec<bool>);

impl Blocks {
    fn see(&mut self, block: BlockId, place: &str) -> Result<(), String> {
        let seen = std::mem::replace(&mut self.0[block.index()], true);
        ensure!(!seen, "{block:?} of {place} is somewhere else too");
        Ok(())
    }

    fn see_segment(&mut self, shared: &Shared, id: SegmentId) -> Result<(), String> {
        let info = &shared.log.segments[id];
        let mut next = Some(info.first());
        let mut count = 0;
        while let Some(block) = next {
            self.see(block, &format!("{id:?}"))?;
            let owner = shared.log.memory.blocks.owner(block);
            ensure!(owner == Some(id), "{block:?} is in {id:?} but belongs to {owner:?}");
            next = shared.log.memory.blocks.try_next(block);
            count += 1;
        }
        ensure!(count == info.blocks(), "{id:?} has {count} blocks, not {}", info.blocks());
        Ok(())
    }
}

fn walk(
    shared: &Shared,
    id: SegmentId,
    quiet: &Quiet,
    report: &mut CheckReport,
) -> Result<(), String> {
    let memory = &shared.log.memory;
    let info = &shared.log.segments[id];
    let block_bytes = memory.region.block_bytes();
    let mut cursor = Cursor::at(info.first());
    cursor.offset = info.start() % block_bytes;
    if info.start() > 0 && cursor.offset == 0 && info.start() == info.used() {
        cursor.offset = block_bytes;
    }
    let (mut walked, mut live_bytes, mut live_objects) = (info.start(), 0, 0);
    while walked < info.used() {
        cursor.settle(memory);
        let address = memory.region.address(cursor.block, cursor.offset);
        let header = memory.header(address, quiet);
        let bytes = header.extent_bytes();
        if shared.index.holds(Hash::of(header.key), address, memory, quiet) {
            live_bytes += header.object_bytes();
            live_objects += 1;
        } else {
            report.dead_objects += 1;
        }
        walked += bytes;
        ensure!(walked <= info.used(), "an object of {id:?} at {address:?} ends beyond it");
        cursor.advance(memory, bytes);
    }
    let counted = info.live();
    ensure!(
        (counted.bytes(), counted.objects()) == (live_bytes, live_objects),
        "{id:?} ({:?}) counts {} live bytes in {} objects, the index holds {live_bytes} in \
         {live_objects}",
        info.state(),
        counted.bytes(),
        counted.objects()
    );
    report.live_bytes_add(live_bytes, live_objects);
    Ok(())
}

impl CheckReport {
    fn live_bytes_add(&mut self, bytes: u64, objects: u64) {
        self.live_object_bytes += bytes;
        self.live_objects += objects;
    }
}

/// Checks that every segment that is not free has exactly one owner: a head, a worker, or a queue.
fn check_owners(
    shared: &Shared,
    workers: &[impl std::ops::Deref<Target = crate::compaction::Worker>],
    heads: &[impl std::ops::Deref<Target = crate::log::head::State>],
) -> Result<(), String> {
    let mut owned = HashSet::new();
    let mut own = |id: SegmentId, state: SegmentState| {
        let actual = shared.log.segments[id].state();
        ensure!(actual == state, "{id:?} is {actual:?}, but its owner thinks {state:?}");
        ensure!(owned.insert(id), "{id:?} has two owners");
        Ok(())
    };
    for head in heads {
        head.open_id().map_or(Ok(()), |id| own(id, SegmentState::Open))?;
    }
    for worker in workers {
        let output = worker.tools.output.open.as_ref().map(|open| open.id);
        output.map_or(Ok(()), |id| own(id, SegmentState::Open))?;
        let victim = worker.victim.as_ref().map(|victim| victim.id);
        victim.map_or(Ok(()), |id| own(id, SegmentState::Compacting))?;
        worker.candidates.ids().iter().try_for_each(|&id| own(id, SegmentState::Closed))?;
    }
    for id in shared.log.nodes.iter().flat_map(|node| node.rolled_ids()) {
        own(id, SegmentState::Closed)?;
    }
    for (id, info) in shared.log.segments.iter() {
        let orphan = info.state().is_readable() && !owned.contains(&id);
        ensure!(!orphan, "{id:?} is {:?} and nobody owns it", info.state());
    }
    Ok(())
}

fn check_index(shared: &Shared, quiet: &Quiet, report: &mut CheckReport) -> Result<(), String> {
    let memory = &shared.log.memory;
    let mut keys = HashSet::new();
    let mut wrong = None;
    shared.index.for_each(memory, |object, belongs| {
        let id = object.segment();
        let (block, _) = memory.region.locate(object.address());
        let owner = memory.blocks.owner(block);
        let header = memory.header(object.address(), quiet);
        let key = header.key;
        // In a store of byte strings several may have one hash.
        let named = if shared.byte_keys {
            name::key_of(object.address(), header, memory, quiet)
        } else {
            Some(Vec::new())
        };
        let problem = if !shared.log.segments[id].state().is_readable() {
            Some("leads to a segment that is not readable")
        } else if owner != Some(id) {
            Some("leads to a block of another segment")
        } else if !belongs(key) {
            Some("is in the wrong bucket")
        } else {
            match named.map(|named| keys.insert((key, named))) {
                None => Some("leads to an object that does not begin with a key"),
                Some(false) => Some("is the second of its key"),
                Some(true) => None,
            }
        };
        if let Some(problem) = problem {
            wrong.get_or_insert_with(|| format!("entry {object:?} of key {key} {problem}"));
        }
    });
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    report.index_slots = shared.index.slots();
    let (entries, live) = (keys.len() as u64, report.live_objects);
    ensure!(entries == live, "{entries} entries in the index, {live} live objects in the log");
    Ok(())
}
