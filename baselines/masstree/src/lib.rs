//! Masstree: a trie of B+-trees with optimistic readers (Mao, Kohler, Morris, EuroSys 2012).
//!
//! Each layer of the trie is a B+-tree over eight bytes of the key. A reader takes no lock: it
//! reads a node between two reads of the node's version. A writer locks the nodes it changes. A put
//! allocates a new row and retires the old one, which returns to the heap once every operation that
//! may have seen it has ended.
//!
//! | file | contents |
//! |---|---|
//! | `tree` | the map from byte strings to values, and its sessions |
//! | `bytes` | the store with byte strings as keys |
//! | `key` `version` `permutation` `node` | keys as layers see them; the parts of a node |
//! | `layer` `find` `scan` | descents: to a border node, to a key, along the keys |
//! | `warm` | the descents of a batch, in step |
//! | `insert` `split` `remove` `list` | changes, from a slot up to the root |
//! | `slot` `epoch` `limbo` | who holds a session's slot; when retired blocks may be freed |
//! | `counters` | sums without a cache line that all sessions write |
//! | `walk` `check` | every node, and every invariant |
//! | `memory` `pool` `row` `shared` `suffix` | blocks of the heap, nodes, and links between them |
//!
//! Unsafe code is in the files of the last row, in `slot`, `epoch` and `limbo`, where a session pins
//! its slot, and wherever something is retired: there a comment says why nothing links it any more.
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_masstree;

mod bytes;
mod check;
mod counters;
#[expect(unsafe_code, reason = "sessions pin what is theirs, and retire what nobody links")]
mod epoch;
mod find;
mod insert;
mod key;
mod layer;
#[expect(unsafe_code, reason = "blocks are freed when nobody reads them any more")]
mod limbo;
mod list;
#[expect(unsafe_code, reason = "blocks of a heap are addresses")]
mod memory;
mod node;
mod permutation;
#[expect(unsafe_code, reason = "nodes lie in mappings")]
mod pool;
mod remove;
#[expect(unsafe_code, reason = "rows are addresses with a length")]
mod row;
mod scan;
#[expect(unsafe_code, reason = "links are addresses of nodes")]
mod shared;
#[expect(unsafe_code, reason = "slots are shared, and their content is its holder's")]
mod slot;
mod split;
#[expect(unsafe_code, reason = "suffixes lie behind a head in their block")]
mod suffix;
#[cfg(test)]
mod tests;
mod tree;
mod version;
mod walk;
mod warm;

use std::ops::ControlFlow;

pub use bytes::MasstreeBytesSession;
use engine::{
    AllocatorChoice, Decide, DeleteOutcome, EngineTraits, GetError, Hashing, Heap, Keys, KvEngine,
    KvSession, MemoryBound, MemoryCensus, Op, OpenError, Outcome, PutError, PutOutcome, Rmw,
    ScanOrder, ScanRange, Scans, SessionError, Setting, Statistic, ValueBuffers,
};
pub use epoch::SESSIONS_MAX;
use platform::mapping::PAGE_BYTES;
pub use tree::{Tree, TreeSession};
use warm::Wanted;

/// Settings of a [`Masstree`].
#[derive(Clone, Copy, Debug)]
pub struct Config {
    /// Where rows are allocated.
    pub heap: &'static dyn Heap,
    /// Limit of live key and value bytes, above which puts are refused; `None` allocates until the
    /// heap is exhausted.
    pub object_memory_bytes: Option<u64>,
    /// Whether to request 2 MiB pages for nodes. Rows are on pages as the heap chooses.
    pub huge_pages: bool,
    /// The most nodes; puts that need more are refused.
    pub nodes_max: usize,
}

impl Config {
    /// No bound; nodes on huge pages.
    #[must_use]
    pub fn new(heap: &'static dyn Heap) -> Self {
        Self { heap, object_memory_bytes: None, huge_pages: true, nodes_max: usize::MAX }
    }
}

/// The store: a [`Tree`] with words as keys, in numerical order, or with byte strings.
#[derive(Debug)]
pub struct Masstree {
    tree: Tree,
    config: Config,
}

impl Masstree {
    /// An empty store on `config.heap`, which it opens.
    ///
    /// # Errors
    /// As for [`Tree::open`].
    pub fn open(config: Config) -> Result<Self, OpenError> {
        Ok(Self { tree: Tree::open(config)?, config })
    }
}

impl KvEngine for Masstree {
    const TRAITS: EngineTraits = EngineTraits {
        name: "masstree",
        description: "trie of B+-trees, optimistic readers, a row of the heap per put",
        memory_bound: MemoryBound::Soft,
        allocator: AllocatorChoice::Chosen,
        value_bytes_max: tree::VALUE_BYTES_MAX,
        keys: Keys::Bytes { max: kit::key::BYTES_MAX },
        scans: Scans::Ascending,
        hashing: Hashing::None,
        batches: true,
        // Of objects. Nodes request 2 MiB pages; rows are on those of the heap.
        page_bytes: PAGE_BYTES,
        rmw: Rmw::Atomic,
        ..EngineTraits::BASE
    };

    type Session<'engine> = MasstreeSession<'engine>;

    fn session(&self) -> Result<MasstreeSession<'_>, SessionError> {
        Ok(MasstreeSession { session: self.tree.session()? })
    }

    /// Frees the rows and nodes that sessions have retired.
    fn settle(&self) {
        self.tree.reclaim();
    }

    fn trim(&self) {
        self.tree.trim();
    }

    /// See [`Tree::census`].
    fn memory(&self) -> MemoryCensus {
        self.tree.census()
    }

    fn statistics(&self) -> Vec<Statistic> {
        let mut statistics = self.tree.statistics();
        let heap = self.config.heap.statistics();
        let told = [
            ("heap_allocated_bytes", heap.allocated_bytes),
            ("heap_mapped_bytes", heap.mapped_bytes),
        ];
        let told = told.into_iter().filter_map(|(name, bytes)| Some((name, bytes?)));
        statistics.extend(told.map(|(name, bytes)| Statistic::new(name, bytes as f64)));
        statistics
    }

    fn settings(&self) -> Vec<Setting> {
        let Config { heap, object_memory_bytes, huge_pages, .. } = self.config;
        let bound = object_memory_bytes.map_or("none".to_owned(), |bytes| bytes.to_string());
        let mut settings = vec![
            Setting::new("heap", heap.traits().name),
            Setting::new("heap.version", heap.version()),
            Setting::new("object_memory_bytes", bound),
            Setting::new("huge-pages", huge_pages),
            Setting::new("barrier", self.tree.barrier()),
            Setting::new("keys_per_node", node::WIDTH),
            Setting::new("sessions_max", epoch::SESSIONS_MAX),
        ];
        for setting in heap.settings() {
            settings.push(Setting::new(&format!("heap.{}", setting.name), setting.value));
        }
        settings
    }

    fn check(&self) -> Result<(), String> {
        self.tree.check()
    }
}

/// One thread's use of a [`Masstree`].
#[derive(Debug)]
pub struct MasstreeSession<'engine> {
    session: TreeSession<'engine>,
}

impl KvSession for MasstreeSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.session.get(&key.to_be_bytes(), buffer)
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.session.put(&key.to_be_bytes(), value)
    }

    #[inline]
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        DeleteOutcome::told(self.session.delete(&key.to_be_bytes()))
    }

    fn read_modify_write(
        &mut self,
        key: u64,
        decide: &mut Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        self.session.modify(&key.to_be_bytes(), decide)
    }

    /// Groups of operations descend the tree in step before they are executed in order.
    fn execute(
        &mut self,
        operations: &[Op<'_>],
        values: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        assert!(outcomes.len() >= operations.len(), "one outcome per operation");
        let mut results = outcomes.iter_mut().enumerate();
        for group in operations.chunks(warm::KEYS) {
            let mut wanted = [Wanted { key: 0, row: false }; warm::KEYS];
            for (wanted, operation) in wanted.iter_mut().zip(group) {
                *wanted = match *operation {
                    Op::Get { key } => Wanted { key, row: true },
                    Op::Put { key, .. } | Op::Delete { key } => Wanted { key, row: false },
                };
            }
            if group.len() > 1 {
                self.session.warm(&wanted[..group.len()]);
            }
            for (operation, (index, outcome)) in group.iter().zip(&mut results) {
                *outcome = match *operation {
                    Op::Get { key } => Outcome::of_get(self.get(key, values.slot(index))),
                    Op::Put { key, value } => Outcome::of_put(self.put(key, value)),
                    Op::Delete { key } => Outcome::Deleted(self.delete(key)),
                };
            }
        }
    }

    fn scan(&mut self, range: ScanRange, visit: &mut dyn FnMut(u64, &[u8])) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        // The design scans upwards.
        if order == ScanOrder::Descending {
            return None;
        }
        let mut shown = 0;
        if limit > 0 {
            self.session.scan(&first.to_be_bytes(), |key, value| {
                let key = key.try_into().expect("keys have eight bytes");
                visit(u64::from_be_bytes(key), value);
                shown += 1;
                if shown == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        Some(shown)
    }
}
