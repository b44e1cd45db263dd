//! A store small enough for loom: one segment is one block, so it closes when the next object
//! does not fit.

use std::sync::Arc;
use std::time::Duration;

use loom::thread::{self, JoinHandle};

use crate::address::SegmentId;
use crate::check;
use crate::compaction::choose::{Candidates, Choice};
use crate::compaction::pace::{Budget, Pace};
use crate::compaction::relocate::{Step, Tools, Victim};
use crate::compaction::survivors::Place;
use crate::config::{Config, Geometry};
use crate::epoch::EpochTable;
use crate::holes::Limits;
use crate::index::{Index, IndexPlan};
use crate::knobs::{EpochClock, IndexLayout, Selection, Survivors, Update};
use crate::log::Log;
use crate::log::node::Node;
use crate::log::topology::NodePlan;
use crate::overwriting::Overwriting;
use crate::session::Session;
use crate::store::Shared;
use crate::sync::{AtomicBool, AtomicU64, CachePadded};

const BLOCK_SHIFT: u32 = 6;

/// A store without threads, and a worker that a model drives step by step.
#[derive(Clone)]
pub(super) struct World(Arc<Shared>);

/// How a world differs from the default.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    pub(super) layout: IndexLayout,
    pub(super) clock: EpochClock,
    pub(super) update: Update,
    pub(super) reuses_holes: bool,
    pub(super) blocks: u32,
}

impl Plan {
    pub(super) fn new(layout: IndexLayout) -> Self {
        let (clock, update) = (EpochClock::ThreadCounter, Update::Append);
        Self { layout, clock, update, reuses_holes: false, blocks: 4 }
    }
}

impl World {
    pub(super) fn new(plan: Plan) -> Self {
        let block_bytes = 1 << BLOCK_SHIFT;
        let config = Config { update: plan.update, ..Config::paper(1 << 20) };
        let geometry = Geometry {
            nodes: vec![NodePlan { number: None, cores: vec![0], heads: 1 }],
            node_blocks: plan.blocks,
            node_segments: plan.blocks as usize,
            block_shift: BLOCK_SHIFT,
            segment_bytes: block_bytes,
            object_bytes: block_bytes,
            extent_blocks: 1,
            reserve_blocks: 1,
            tied_blocks: None,
            // Holes are used while memory is short.
            low_blocks: if plan.reuses_holes { u64::from(plan.blocks) + 1 } else { 0 },
            workers: 1,
            index: IndexPlan {
                layout: plan.layout,
                partitions: 1,
                limit_bytes: 0,
                huge_pages: false,
                nodes: Vec::new(),
            },
        };
        let epochs = EpochTable::new(plan.clock);
        let log = Log::new(&config, &geometry, Arc::clone(&epochs.clock)).unwrap();
        let index = Index::new(&geometry.index, &log.memory).unwrap();
        for _ in 0..2 {
            epochs.claim().unwrap();
        }
        Self(Arc::new(Shared {
            log,
            index,
            epochs,
            selection: Selection::Greedy,
            survivors: Survivors::Separate,
            inline: false,
            value_limit: block_bytes as usize,
            full_wait: Duration::ZERO,
            put_waits: AtomicU64::new(0),
            update: plan.update,
            holes: plan.reuses_holes.then_some(Limits { group: 1, group_bytes: 64, class: 4 }),
            reused_bytes: AtomicU64::new(0),
            byte_keys: false,
            key_bytes: CachePadded::default(),
            overwriting: Overwriting::new(plan.update),
            put_wait_ns: AtomicU64::new(0),
            closed: AtomicBool::new(false),
        }))
    }

    /// Acts as the client with slot `number`.
    pub(super) fn act<T>(&self, number: usize, act: impl FnOnce(&Session<'_>) -> T) -> T {
        let session = Session::new(&self.0, self.0.epochs.slot(number));
        let result = act(&session);
        // Slots are not returned; that plays no part in any race here.
        std::mem::forget(session);
        result
    }

    /// Acts as the other client, with slot 1, in its own thread.
    pub(super) fn spawn<T: 'static>(
        &self,
        act: impl FnOnce(&Session<'_>) -> T + 'static,
    ) -> JoinHandle<T> {
        let world = self.clone();
        thread::spawn(move || world.act(1, act))
    }

    pub(super) fn put(&self, key: u64, value: &[u8]) {
        self.act(0, |session| session.put(key, value)).unwrap();
    }

    pub(super) fn get(&self, key: u64) -> Option<Vec<u8>> {
        self.act(0, |session| get(session, key))
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.0
    }

    pub(super) fn node(&self) -> &Node {
        &self.0.log.nodes[0]
    }

    fn place(&self) -> Place<'_> {
        let Shared { log, index, overwriting, .. } = &*self.0;
        Place { log, node: self.node(), index, in_place: overwriting.is_announced() }
    }

    /// The segment that PUTs append to.
    pub(super) fn open_segment(&self) -> SegmentId {
        self.node().head(0).lock().open_id().unwrap()
    }

    /// Closes the open segment if anything in it is dead.
    pub(super) fn close_head(&self) -> Option<SegmentId> {
        self.node().head(0).lock().close_if_dead(&self.0.log, self.node(), u64::MAX)
    }

    /// Chooses `id` for compaction, if nobody can be writing there.
    pub(super) fn choose(&self, id: SegmentId) -> Choice {
        let Shared { log, epochs, selection, .. } = &*self.0;
        let mut candidates = Candidates::default();
        candidates.all_mut().push(id);
        let minimum = epochs.horizon();
        let settled = |closed| log.clock.has_passed(closed, minimum);
        candidates.choose(&log.segments, Pace::Pressed { dead_least: 0.0 }, *selection, settled)
    }

    /// Compacts `id` completely; returns how many bytes were live.
    pub(super) fn compact(&self, id: SegmentId, tools: &mut Tools) -> u64 {
        self.try_compact(id, tools).expect("nobody writes there")
    }

    /// Like [`Self::compact`]; `None` if somebody writes into a hole there.
    pub(super) fn try_compact(&self, id: SegmentId, tools: &mut Tools) -> Option<u64> {
        let mut budget = Budget::round();
        let mut victim = Victim::pick(id, &self.0.log)?;
        let step = victim.empty(self.place(), tools, Survivors::Separate, &mut budget);
        assert_eq!(step, Step::Finished);
        Some(tools.mover.copied_bytes)
    }

    /// Frees what may be freed; returns the number of blocks.
    pub(super) fn reclaim(&self, tools: &mut Tools) -> u64 {
        let Shared { log, epochs, .. } = &*self.0;
        tools.limbo.reclaim(log, self.node(), epochs.horizon())
    }

    /// Number of live objects, as counted by the segments.
    pub(super) fn live_objects(&self) -> u64 {
        self.0.log.segments.iter().map(|(_, info)| info.live().objects()).sum()
    }

    /// Checks the invariants, once all threads have ended and no queue holds anything.
    pub(super) fn check(&self) {
        check::check(&self.0).unwrap();
    }
}

pub(super) fn get(session: &Session<'_>, key: u64) -> Option<Vec<u8>> {
    let mut buffer = [0; 1 << BLOCK_SHIFT];
    let value_bytes = session.get(key, &mut buffer).unwrap()?;
    Some(buffer[..value_bytes].to_vec())
}
