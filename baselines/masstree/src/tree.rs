//! The tree over byte strings, and its sessions.

use std::ops::ControlFlow;

use engine::{
    Decide, Decision, GetError, Heap, MemoryCensus, OpenError, PutError, PutOutcome, SessionError,
    Statistic,
};
use kit::values;
use platform::Pages;

use crate::Config;
use crate::check;
use crate::counters::Counter;
use crate::epoch::{Domain, Guard, Pin, Stopped};
use crate::find;
use crate::insert::{self, Refused, Unmade};
use crate::key::Key;
use crate::layer::Layer;
use crate::memory::Memory;
use crate::node::Border;
use crate::pool::NodePool;
use crate::remove;
use crate::row::{HEADER_BYTES, NewRow};
use crate::scan::Scan;
use crate::shared::{NodeLink, allocate_border};
use crate::walk::{Visit, walk};
use crate::warm::{Wanted, WantedBytes, warm, warm_bytes};
use engine::ThreadUse;

/// The longest value: a row's header has 32 bits for the length.
pub(crate) const VALUE_BYTES_MAX: usize = u32::MAX as usize;
/// Border nodes that a scan reads under one pin.
const NODES_PER_PIN: usize = 32;

/// A map from byte strings, preferably short, to values on a heap.
#[derive(Debug)]
pub struct Tree {
    root: NodeLink,
    domain: Domain,
}

impl Tree {
    /// An empty tree on `config.heap`, which it opens.
    ///
    /// # Errors
    /// The heap's error; [`OpenError::BadSetting`] for a heap without real memory;
    /// [`OpenError::OutOfMemory`] if there is no memory for the first node.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let Config { heap, object_memory_bytes, huge_pages, nodes_max } = config;
        let traits = heap.traits();
        if !traits.keeps_values {
            return Err(OpenError::BadSetting {
                setting: "heap".to_owned(),
                value: traits.name.to_owned(),
                accepted: "heaps that hand out distinct memory".to_owned(),
            });
        }
        heap.open()?;
        let _use = ThreadUse::of(heap);
        let pages = if huge_pages { Pages::Huge } else { Pages::Small };
        let domain = Domain::new(heap, NodePool::new(pages, nodes_max), object_memory_bytes);
        let root = NodeLink::default();
        let stopped = domain.stop();
        let first = allocate_border(stopped.guard(), Border::new(0, true, false));
        let wanted_bytes = crate::node::NODE_BYTES as u64;
        root.store(Some(first.ok_or(OpenError::OutOfMemory { wanted_bytes })?.into()));
        drop(stopped);
        Ok(Self { root, domain })
    }

    /// Opens a session for the calling thread.
    ///
    /// # Errors
    /// [`SessionError::TooManySessions`].
    pub fn session(&self) -> Result<TreeSession<'_>, SessionError> {
        let slot = self.domain.claim()?;
        Ok(TreeSession { tree: self, slot, _use: ThreadUse::of(self.heap()) })
    }

    pub(crate) fn heap(&self) -> &'static dyn Heap {
        self.memory().heap()
    }

    fn memory(&self) -> &Memory {
        &self.domain.memory
    }

    fn top(&self) -> Layer<'_> {
        Layer::rooted_in(&self.root)
    }

    /// How an operation's beginning is ordered before its reads.
    pub(crate) fn barrier(&self) -> &'static str {
        if self.domain.pins_are_light() { "membarrier" } else { "fences" }
    }

    fn value_bytes_limit(&self, key_bytes: u64) -> usize {
        let bound_bytes = self.domain.pool.bound_bytes().saturating_sub(key_bytes);
        VALUE_BYTES_MAX.min(usize::try_from(bound_bytes).unwrap_or(usize::MAX))
    }

    /// Frees what any session has retired and nobody reads any more.
    pub fn reclaim(&self) {
        let _use = ThreadUse::of(self.heap());
        self.domain.reclaim();
    }

    /// Reclaims and purges the heap, as far as the calling thread can.
    pub fn trim(&self) {
        let _use = ThreadUse::of(self.heap());
        self.domain.reclaim();
        self.heap().purge();
    }

    /// Walks the whole tree and checks every invariant, while sessions wait.
    ///
    /// # Errors
    /// A description of the first violation.
    pub fn check(&self) -> Result<(), String> {
        let _use = ThreadUse::of(self.heap());
        let stopped = self.domain.stop();
        stopped.empty_limbo();
        let pool = &self.domain.pool;
        let root = self.top().root(stopped.guard());
        check::check(&stopped, root, (pool.bytes(), pool.bound_bytes()))
    }

    /// Asks the heap about every row, while sessions wait. Meant for the ends of phases, not for
    /// the middle of a measurement.
    ///
    /// An object is a row plus eight bytes of its key in a node; those do not count as index. The rest of a
    /// long key does: keys share it, as layers, or it lies with the suffixes of a node.
    /// Rows in limbo are dead, as is the heap's rounding. Blocks of nodes are resident as a whole:
    /// what no node uses counts as table. There is no capacity: neither heap nor index is bounded.
    pub fn census(&self) -> MemoryCensus {
        let _use = ThreadUse::of(self.heap());
        let stopped = self.domain.stop();
        let guard = stopped.guard();
        let live_objects = stopped.sum(Counter::LiveObjects);
        let live_value_bytes = stopped.sum(Counter::LiveValueBytes);
        let key_bytes = live_objects * size_of::<u64>() as u64;
        let mut complete = true;
        let mut usable_bytes = 0;
        walk(guard, self.top().root(guard), |visit| {
            if let Visit::Row(row) = visit {
                let told = row.usable_bytes(guard.memory());
                complete &= told.is_some();
                let row_bytes = HEADER_BYTES + row.value_bytes();
                // If an allocator reports less than was requested, nothing is dead.
                usable_bytes += told.unwrap_or(row_bytes).max(row_bytes) as u64;
            }
        });
        let limbo_bytes: u64 = stopped.locals().map(|local| local.limbo.borrow().row_bytes()).sum();
        let live_object_bytes = live_objects * HEADER_BYTES as u64 + live_value_bytes + key_bytes;
        let object_memory_bytes = usable_bytes + key_bytes + limbo_bytes;
        MemoryCensus {
            live_objects,
            live_value_bytes,
            live_object_bytes,
            dead_object_bytes: object_memory_bytes - live_object_bytes,
            free_object_bytes: 0,
            object_memory_bytes,
            index_bytes: stopped.sum(Counter::NodeBytes) - key_bytes,
            table_bytes: self.domain.table_bytes() as u64 + self.memory().nodes.spare_bytes(),
            capacity_bytes: None,
            complete,
        }
    }

    /// Sums of the sessions' counters, while sessions wait.
    pub fn statistics(&self) -> Vec<Statistic> {
        let stopped = self.domain.stop();
        let sum = |counter| stopped.sum(counter);
        let rows_in_limbo: u64 = stopped.locals().map(|local| local.limbo.borrow().rows()).sum();
        let layers = 1 + sum(Counter::LayersCreated) - sum(Counter::LayersCollapsed);
        [
            ("layers", layers),
            ("layers_created", sum(Counter::LayersCreated)),
            ("layers_collapsed", sum(Counter::LayersCollapsed)),
            ("border_splits", sum(Counter::BorderSplits)),
            ("interior_splits", sum(Counter::InteriorSplits)),
            ("removals", sum(Counter::Removals)),
            ("nodes_allocated", sum(Counter::NodesAllocated)),
            ("nodes_freed", sum(Counter::NodesFreed)),
            ("rows_allocated", sum(Counter::RowsAllocated)),
            ("rows_freed", sum(Counter::RowsFreed)),
            ("rows_in_limbo", rows_in_limbo),
            ("reader_retries", sum(Counter::ReaderRetries)),
            ("node_pool_bytes", self.memory().nodes.held_bytes()),
            ("huge_page_bytes", self.memory().nodes.huge_bytes()),
        ]
        .map(|(name, value)| Statistic::new(name, value as f64))
        .to_vec()
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        // This thread frees rows and nodes, and it may never have used the heap.
        let _use = ThreadUse::of(self.heap());
        let stopped = self.domain.stop();
        free_all(&stopped, self.top());
        stopped.empty_limbo();
    }
}

/// Retires every row and node of a tree that is no longer used.
#[expect(unsafe_code, reason = "rows and nodes are retired")]
fn free_all<'g>(stopped: &'g Stopped<'_>, top: Layer<'g>) {
    let guard = stopped.guard();
    walk(guard, top.root(guard), |visit| match visit {
        // SAFETY: the tree is being dropped, so no operation comes later, and the walk comes by
        // each row and node once.
        Visit::Row(row) => unsafe { guard.retire_row(row) },
        Visit::Border(border) => {
            if let Some(bag) = border.suffixes.load(guard) {
                // SAFETY: as above.
                unsafe { guard.retire_bag(bag) };
            }
            // SAFETY: as above.
            unsafe { guard.retire_node(border.into()) };
        }
        // SAFETY: as above.
        Visit::Interior(interior) => unsafe { guard.retire_node(interior.into()) },
    });
}

/// One thread's use of a [`Tree`].
#[derive(Debug)]
pub struct TreeSession<'t> {
    tree: &'t Tree,
    slot: usize,
    _use: ThreadUse,
}

impl TreeSession<'_> {
    #[expect(unsafe_code, reason = "the slot is this session's")]
    #[inline]
    fn pin(&self) -> Pin<'_> {
        // SAFETY: the session has claimed the slot and stays on one thread. Operations take it
        // mutably, and drop their pin before they end or pin again.
        unsafe { self.tree.domain.pin(self.slot) }
    }

    /// Copies the value of `key` to the front of `buffer` and returns its length; `None` if the key
    /// is absent.
    ///
    /// # Errors
    /// [`GetError::BufferTooShort`] with the value's length.
    #[inline]
    pub fn get(&mut self, key: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let pin = self.pin();
        let Some(row) = find::row(pin.guard(), self.tree.top(), Key::new(key)) else {
            return Ok(None);
        };
        values::copy_out(row.value(), buffer).map(Some)
    }

    /// Stores `value` under `key`.
    ///
    /// # Errors
    /// [`PutError::ValueTooLarge`] if no amount of free space would suffice.
    #[inline]
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, PutError> {
        let limit_bytes = self.tree.value_bytes_limit(key.len() as u64);
        if value.len() > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes: value.len(), limit_bytes });
        }
        let row = NewRow::new(self.tree.memory(), value);
        let Some(row) = row.or_else(|| self.row_after_reclaim(value)) else {
            return Ok(PutOutcome::Full);
        };
        match self.try_put(key, row) {
            Ok(outcome) => Ok(outcome),
            Err(Refused::Bound) => Ok(PutOutcome::Full),
            Err(Refused::Memory(row)) => {
                self.tree.domain.reclaim();
                Ok(self.try_put(key, row).unwrap_or(PutOutcome::Full))
            }
        }
    }

    #[inline]
    fn try_put<'m>(&self, key: &[u8], row: NewRow<'m>) -> Result<PutOutcome, Refused<'m>> {
        let pin = self.pin();
        insert::put(pin.guard(), self.tree.top(), Key::new(key), key.len() as u64, row)
    }

    #[cold]
    fn row_after_reclaim(&self, value: &[u8]) -> Option<NewRow<'_>> {
        self.tree.domain.reclaim();
        NewRow::new(self.tree.memory(), value)
    }

    /// Reads, decides and writes under the lock of the key's node, as
    /// [`KvSession::read_modify_write`](engine::KvSession::read_modify_write) says.
    ///
    /// # Errors
    /// As for [`Self::put`].
    pub fn modify(
        &mut self,
        key: &[u8],
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let limit_bytes = self.tree.value_bytes_limit(key.len() as u64);
        let mut new = Vec::new();
        let mut attempt = || {
            let mut make = |old: Option<&[u8]>| {
                new.clear();
                match decide(old, &mut new) {
                    Decision::Keep => Ok(None),
                    Decision::Put if new.len() > limit_bytes => Err(Unmade::TooLong(new.len())),
                    Decision::Put => {
                        NewRow::new(self.tree.memory(), &new).map(Some).ok_or(Unmade::NoMemory)
                    }
                }
            };
            let (pin, top) = (self.pin(), self.tree.top());
            insert::modify(pin.guard(), top, Key::new(key), key.len() as u64, &mut make)
        };
        let mut done = attempt();
        if done == Err(Unmade::NoMemory) {
            self.tree.domain.reclaim();
            done = attempt();
        }
        done.or_else(|unmade| match unmade {
            Unmade::NoMemory => Ok(Some(PutOutcome::Full)),
            Unmade::TooLong(value_bytes) => {
                Err(PutError::ValueTooLarge { value_bytes, limit_bytes })
            }
        })
    }

    /// Removes `key`; returns whether it was present.
    #[inline]
    pub fn delete(&mut self, key: &[u8]) -> bool {
        let pin = self.pin();
        remove::remove(pin.guard(), self.tree.top(), Key::new(key), key.len() as u64)
    }

    /// Prefetches what operations on some 8-byte keys are about to read.
    pub(crate) fn warm(&mut self, wanted: &[Wanted]) {
        let pin = self.pin();
        warm(pin.guard(), self.tree.top(), wanted);
    }

    /// The same for byte strings.
    pub(crate) fn warm_bytes(&mut self, wanted: &[WantedBytes<'_>]) {
        let pin = self.pin();
        warm_bytes(pin.guard(), self.tree.top(), wanted);
    }

    /// Visits keys and values from `first` upwards, in order, until the visitor breaks. Keys that
    /// are present throughout are visited; keys inserted or deleted meanwhile may be.
    pub fn scan(&mut self, first: &[u8], mut visitor: impl FnMut(&[u8], &[u8]) -> ControlFlow<()>) {
        let mut scan = Scan::from(first);
        loop {
            let pin = self.pin();
            let guard: Guard<'_> = pin.guard();
            let more = scan.visit(guard, self.tree.top(), NODES_PER_PIN, &mut |key, row| {
                visitor(key, row.value())
            });
            if !more {
                return;
            }
        }
    }
}

impl Drop for TreeSession<'_> {
    fn drop(&mut self) {
        self.tree.domain.release(self.slot);
    }
}
