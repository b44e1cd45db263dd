//! Store mode: segregated fits and a lossless index. Nothing is lost unless deleted.
//!
//! A keyhash selects partition, main bucket and tag. A bucket is one cache line of seven entries,
//! each with a tag and the offset of an item; a bucket that overflows is chained to spare ones.
//! Items lie in their partition's heap. A GET that finds its key at once touches the line of the
//! bucket and those of the item. So does a PUT whose value fits into the place of the old one;
//! other PUTs also touch what the heap needs for a chunk.
//!
//! | file | contents |
//! |---|---|
//! | `config` | settings, presets, the sizes derived from them |
//! | `bucket` | header and entries of a bucket, as words |
//! | `index` | chains of buckets, and the pools of spare ones |
//! | `chunk` | tags of a heap's chunks, and the items in them |
//! | `classes` | which list a free chunk is in |
//! | `heap` | segregated fits |
//! | `partition` | locks and versions: who may write, and when a reader has read one state |
//! | `operations` | where a key belongs; GET and DELETE |
//! | `put` | PUT: the usual one, and all others |
//! | `named` | what an item is found by: a word, or a byte string |
//! | `prefetch` | the stages of a prefetch, for batches |
//! | `session` | the contract's session; batches |
//! | `counters` | counters of sessions |
//! | `check` | the invariants |

mod bucket;
mod check;
mod chunk;
mod classes;
mod config;
mod counters;
mod heap;
mod index;
mod named;
mod operations;
mod partition;
mod prefetch;
mod put;
mod session;

use std::io;
use std::marker::PhantomData;

use engine::{
    EngineTraits, FullMeaning, Keys, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus, OpenError,
    Presence, SessionError, Setting, Sharing, Statistic,
};
use kit::key::BYTES_MAX;
use platform::Pages;
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use platform::racy::{WORD_BYTES, Words};

pub use config::{Config, Preset};
pub use named::KeyKind;
pub use session::MicaSession;

use crate::claims::Claims;
use crate::keyhash::KeyHasher;
use crate::mode::{Crcw, Mode};
use bucket::{BUCKET_ENTRIES, BUCKET_WORDS};
use chunk::{Arena, HEADER_BYTES, VALUE_BYTES_MAX};
use classes::EXACT_CLASSES;
use config::{Sizes, refused};
use counters::Sessions;
use heap::Heap;
use index::{Index, Pool};
use partition::Partition;

/// MICA in store mode, in one of its data access modes, with keys of one kind.
#[derive(Debug)]
pub struct Mica<M: Mode, K: KeyKind + ?Sized = u64> {
    config: Config,
    sizes: Sizes,
    hasher: KeyHasher,
    index: Index,
    objects: Words,
    partitions: Box<[Partition]>,
    claims: Claims,
    sessions: Sessions,
    mode: PhantomData<M>,
    keys: PhantomData<fn(&K)>,
}

impl<M: Mode> Mica<M> {
    /// An empty store.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if the number of partitions is not a power of two up to 4096, if a
    /// partition's memory is below 56 bytes or above 256 GiB, if there are no records or more than
    /// an index can hold, if there are more than ten times as many spare buckets as main ones, or
    /// if the preset requires a mode in which any session may write; [`OpenError::OutOfMemory`] if
    /// the system has no address space for it.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        Self::open_any(config)
    }
}

impl<M: Mode> Mica<M, [u8]> {
    /// An empty store whose keys are byte strings.
    ///
    /// # Errors
    /// As for [`Mica::open`].
    pub fn open_for_byte_keys(config: Config) -> Result<Self, OpenError> {
        Self::open_any(config)
    }
}

impl<M: Mode, K: KeyKind + ?Sized> Mica<M, K> {
    fn open_any(config: Config) -> Result<Self, OpenError> {
        let sizes = Sizes::of(&config)?;
        if config.preset == Preset::NibblePaper && !M::WRITERS_LOCK {
            let accepted = format!("`thesis` in mode {}; `nibble-paper` in mode crcw", M::LABEL);
            return Err(refused("preset", config.preset, accepted));
        }
        let pages = if config.huge_pages { Pages::Huge } else { Pages::Small };
        let object_words = sizes.arena_words * config.partitions;
        let out_of_memory = |words: usize| {
            let wanted_bytes = (words as u64).saturating_mul(WORD_BYTES as u64);
            move |_: io::Error| OpenError::OutOfMemory { wanted_bytes }
        };
        let buckets = (sizes.main_buckets + sizes.spare_buckets) * config.partitions;
        let index = Index::map(&sizes, config.partitions, pages, config.resident)
            .map_err(out_of_memory(buckets * BUCKET_WORDS))?;
        let objects = Words::map(object_words, pages, config.resident)
            .map_err(out_of_memory(object_words))?;
        let partition = |number: usize| {
            let arena = Arena(&objects.all()[number * sizes.arena_words..][..sizes.arena_words]);
            let heap = Heap::new(config.preset.classes(), arena);
            Partition::new(heap, Pool::new(&index, number))
        };
        Ok(Self {
            partitions: (0..config.partitions).map(partition).collect(),
            claims: Claims::new(config.partitions),
            sessions: Sessions::default(),
            hasher: config.preset.hasher(),
            mode: PhantomData,
            keys: PhantomData,
            config,
            sizes,
            index,
            objects,
        })
    }

    /// The longest value that it accepts, in bytes.
    #[must_use]
    pub fn value_bytes_max(&self) -> usize {
        self.sizes.value_bytes_max
    }

    fn page_bytes(&self) -> usize {
        if self.config.huge_pages { HUGE_PAGE_BYTES } else { PAGE_BYTES }
    }

    /// Size in whole pages of the memory behind `words`.
    fn mapped_bytes(&self, words: &Words) -> u64 {
        words.bytes().next_multiple_of(self.page_bytes() as u64)
    }
}

const fn name_of(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Partitioned => "mica-erew",
        Sharing::PartitionedWrites => "mica-crew",
        Sharing::Shared => "mica",
    }
}

const fn description_of(sharing: Sharing) -> &'static str {
    match sharing {
        Sharing::Partitioned => {
            "partitions with one owner each, chained hash index, segregated fits"
        }
        Sharing::PartitionedWrites => {
            "partitions that one owner writes and all read optimistically, segregated fits"
        }
        Sharing::Shared => {
            "partitions that all may write under versioned buckets, segregated fits behind a lock"
        }
    }
}

impl<M: Mode, K: KeyKind + ?Sized> KvEngine for Mica<M, K> {
    const TRAITS: EngineTraits = EngineTraits {
        name: name_of(M::SHARING),
        description: description_of(M::SHARING),
        sharing: M::SHARING,
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Hard,
        value_bytes_max: VALUE_BYTES_MAX,
        page_bytes: HUGE_PAGE_BYTES,
        batches: true,
        keys: match M::SHARING {
            Sharing::Shared => Keys::Bytes { max: BYTES_MAX },
            // The contract deals words to the owners of partitions.
            Sharing::Partitioned | Sharing::PartitionedWrites => Keys::Word,
        },
        ..EngineTraits::BASE
    };

    type Session<'engine> = K::Session<'engine, M>;

    fn session(&self) -> Result<K::Session<'_, M>, SessionError> {
        self.worker_session(0, 1)
    }

    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<K::Session<'_, M>, SessionError> {
        let claim = match M::SHARING {
            Sharing::Shared => None,
            Sharing::Partitioned | Sharing::PartitionedWrites => {
                Some(self.claims.claim(worker, workers)?)
            }
        };
        Ok(K::session(MicaSession::new(self, claim)))
    }

    #[inline]
    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        match M::SHARING {
            Sharing::Shared => None,
            Sharing::Partitioned | Sharing::PartitionedWrites => {
                Some(Claims::worker_of(self.target(key).partition, workers))
            }
        }
    }

    fn presence(&self) -> Presence {
        Presence { page_bytes: self.page_bytes(), threads: 0, servers: 0 }
    }

    /// Dead bytes are the unused ends of chunks and the tag at the end of each partition. Tables
    /// are the lists of the heaps, plus what whole pages add to index and object memory.
    fn memory(&self) -> MemoryCensus {
        let (object_memory_bytes, index_bytes) = (self.objects.bytes(), self.index.words().bytes());
        let mapped_bytes = self.mapped_bytes(&self.objects) + self.mapped_bytes(self.index.words());
        let mut census = MemoryCensus {
            object_memory_bytes,
            index_bytes,
            table_bytes: mapped_bytes - object_memory_bytes - index_bytes
                + size_of_val(&*self.partitions) as u64,
            complete: true,
            ..MemoryCensus::default()
        };
        let mut live_object_bytes = 0;
        for (number, partition) in self.partitions.iter().enumerate() {
            let _quiet = partition.quiet();
            let counters = &partition.heap.counters;
            census.live_objects += counters.live_chunks.get();
            census.live_value_bytes += counters.live_value_bytes.get();
            live_object_bytes += counters.live_value_bytes.get();
            if K::IN_ITEMS {
                // Where owners write meanwhile, what is found may be of another moment.
                let prefix_bytes = partition.heap.prefix_bytes(self.arena(number));
                census.live_value_bytes = census.live_value_bytes.saturating_sub(prefix_bytes);
            }
            census.free_object_bytes += counters.free_words.get() * WORD_BYTES as u64;
            census.table_bytes += partition.heap.table_bytes();
        }
        census.live_object_bytes = live_object_bytes + census.live_objects * HEADER_BYTES as u64;
        // If owners write meanwhile, the counts may be from different moments.
        census.dead_object_bytes = object_memory_bytes
            .saturating_sub(census.free_object_bytes)
            .saturating_sub(census.live_object_bytes);
        census.capacity_bytes = Some(object_memory_bytes + index_bytes + census.table_bytes);
        census
    }

    fn statistics(&self) -> Vec<Statistic> {
        let mut statistics: Vec<_> = self
            .sessions
            .sums()
            .into_iter()
            .map(|(name, count)| Statistic::new(name, count as f64))
            .collect();
        let mut sum = |name, of: &dyn Fn(&Partition) -> u64| {
            let sum: u64 = self.partitions.iter().map(of).sum();
            statistics.push(Statistic::new(name, sum as f64));
        };
        sum("spare_buckets_used", &|partition| partition.pool.used.get());
        sum("spare_buckets_free", &|partition| {
            (self.sizes.spare_buckets as u64).saturating_sub(partition.pool.used.get())
        });
        sum("allocations", &|partition| partition.heap.counters.allocations.get());
        sum("chunks_probed", &|partition| partition.heap.counters.chunks_probed.get());
        sum("chunks_split", &|partition| partition.heap.counters.chunks_split.get());
        sum("chunks_coalesced", &|partition| partition.heap.counters.chunks_coalesced.get());
        sum("free_chunks", &|partition| partition.heap.counters.free_chunks.get());
        let largest_words = self.partitions.iter().enumerate().map(|(number, partition)| {
            let _quiet = partition.quiet();
            partition.heap.largest_words(self.arena(number))
        });
        let largest_bytes = largest_words.max().unwrap_or(0) * WORD_BYTES;
        statistics.push(Statistic::new("largest_free_chunk_bytes", largest_bytes as f64));
        statistics.push(Statistic::new("partition_imbalance", self.imbalance()));
        let huge = self.objects.huge_bytes().zip(self.index.words().huge_bytes());
        statistics.extend(
            huge.map(|(objects, index)| {
                Statistic::new("huge_page_bytes", (objects + index) as f64)
            }),
        );
        statistics
    }

    fn settings(&self) -> Vec<Setting> {
        let Config { partitions, records_max, preset, .. } = self.config;
        vec![
            Setting::new("access-mode", M::LABEL),
            Setting::new("preset", preset),
            Setting::new("hash", self.hasher),
            Setting::new("object-memory-bytes", self.objects.bytes()),
            Setting::new("partitions", partitions),
            Setting::new("records-max", records_max),
            Setting::new("main-buckets", self.sizes.main_buckets * partitions),
            Setting::new("spare-buckets", self.sizes.spare_buckets * partitions),
            Setting::new("spare-percent", self.config.spare_percent),
            Setting::new("bucket-entries", BUCKET_ENTRIES),
            Setting::new("item-header-bytes", HEADER_BYTES),
            Setting::new("exact-classes", EXACT_CLASSES),
            Setting::new("first-class-bytes", preset.classes().first_words() * WORD_BYTES),
            Setting::new("value-bytes-max", self.sizes.value_bytes_max),
            Setting::new("huge-pages", self.config.huge_pages),
            Setting::new("resident", self.config.resident),
        ]
    }

    /// Walks every heap and every chain. No session may be active.
    fn check(&self) -> Result<(), String> {
        self.check_partitions()
    }
}

impl KvBytesEngine for Mica<Crcw, [u8]> {
    type BytesSession<'engine> = MicaSession<'engine, Crcw, [u8]>;

    fn bytes_session(&self) -> Result<MicaSession<'_, Crcw, [u8]>, SessionError> {
        self.session().map(|words| words.0)
    }
}

impl<M: Mode, K: KeyKind + ?Sized> Mica<M, K> {
    /// Objects of the fullest partition divided by those of the average one; 1 if there are none.
    fn imbalance(&self) -> f64 {
        let objects = self.partitions.iter().map(|each| each.heap.counters.live_chunks.get());
        let (sum, most) = objects.fold((0, 0), |(sum, most), each| (sum + each, most.max(each)));
        if sum == 0 { 1.0 } else { most as f64 * self.partitions.len() as f64 / sum as f64 }
    }
}
