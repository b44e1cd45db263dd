//! A store in several partitions: one store for each range of keys, and workers that serve no other
//! range.
//!
//! Ranges divide all keys evenly, for partitions and for workers alike. So with as many workers as
//! partitions each worker has a partition to itself; with fewer it has several, and with more some
//! workers share one. Nothing spans partitions: a scan reads one after the other, each at a moment
//! of its own.

mod session;

use std::path::PathBuf;

use engine::{
    Durability, EngineTraits, KvEngine, MemoryCensus, OpenError, OpenStore, Options, Presence, Rmw,
    SessionError, Setting, Setup, Statistic, Storage, Writes,
};

pub use session::PartitionsSession;
use session::keys_in;

/// The most partitions.
pub const PARTITIONS_MAX: usize = 64;
/// As many as Golan-Gueta et al. have (*Scaling Concurrent Log-Structured Data Stores*, figure 1).
const PARTITIONS: usize = 4;

/// A store of which there may be several partitions. A session may use any key of its store.
pub trait Partition: KvEngine {
    /// Traits of the partitions together: those of one under another name, and
    /// [`Sharing::Partitioned`](engine::Sharing::Partitioned).
    const TOGETHER: EngineTraits;
    /// Whether the threads that one starts serve all of the process.
    const THREADS_SERVE_ALL: bool = false;
}

/// The store; see the file's documentation.
#[derive(Debug)]
pub struct Partitions<E> {
    stores: Box<[E]>,
}

/// Reads how many partitions there are, and what each is told: all that the whole is, and its share
/// of the object memory.
///
/// # Errors
/// [`OpenError::Refused`] for none, or for more than [`PARTITIONS_MAX`].
pub fn divided(setup: &Setup, options: &mut Options) -> Result<(usize, Setup), OpenError> {
    let mut partitions = PARTITIONS;
    options.whole("partitions", &mut partitions, 1..=PARTITIONS_MAX as u64)?;
    let share = |bytes: u64| bytes / partitions as u64;
    let object_memory_bytes = setup.object_memory_bytes.map(share);
    Ok((partitions, Setup { object_memory_bytes, ..setup.clone() }))
}

/// The part of `of` equal parts of all keys in which `key` lies.
#[inline]
fn part(key: u64, of: usize) -> usize {
    ((u128::from(key) * of as u128) >> u64::BITS) as usize
}

impl<E: Partition> Partitions<E> {
    /// Opens `partitions` empty stores.
    ///
    /// # Errors
    /// As for one store.
    ///
    /// # Panics
    /// If there are none.
    pub fn open(
        partitions: usize,
        open: impl Fn() -> Result<E, OpenError>,
    ) -> Result<Self, OpenError> {
        assert!(partitions > 0, "a store has a partition");
        let stores = (0..partitions).map(|_| open()).collect::<Result<_, _>>()?;
        Ok(Self { stores })
    }

    /// Any one: all are told the same.
    fn one(&self) -> &E {
        &self.stores[0]
    }
}

impl<E: Partition> KvEngine for Partitions<E> {
    const TRAITS: EngineTraits = E::TOGETHER;

    type Session<'engine>
        = PartitionsSession<E::Session<'engine>>
    where
        Self: 'engine;

    fn lacking() -> Vec<OpenError> {
        E::lacking()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        let sessions = self.stores.iter().map(|store| store.session()).collect::<Result<_, _>>()?;
        Ok(PartitionsSession::new(sessions))
    }

    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        Some(part(key, workers))
    }

    fn presence(&self) -> Presence {
        let all = || self.stores.iter().map(E::presence);
        let threads = match E::THREADS_SERVE_ALL {
            true => self.one().presence().threads,
            false => all().map(|one| one.threads).sum(),
        };
        let servers = all().map(|one| one.servers).sum();
        Presence { threads, servers, ..self.one().presence() }
    }

    fn storage(&self) -> Storage {
        self.one().storage()
    }

    fn durability(&self) -> Durability {
        self.one().durability()
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.stores.iter().flat_map(E::folders).collect()
    }

    fn writes(&self) -> Writes {
        self.one().writes()
    }

    fn rmw(&self) -> Rmw {
        self.one().rmw()
    }

    fn settle(&self) {
        self.stores.iter().for_each(E::settle);
    }

    fn trim(&self) {
        self.stores.iter().for_each(E::trim);
    }

    fn memory(&self) -> MemoryCensus {
        let all = self.stores.iter().map(E::memory);
        all.reduce(together).expect("a store has a partition")
    }

    /// Sums over the partitions.
    fn statistics(&self) -> Vec<Statistic> {
        let mut sums = self.one().statistics();
        for store in &self.stores[1..] {
            for (sum, one) in sums.iter_mut().zip(store.statistics()) {
                debug_assert_eq!(sum.name, one.name, "partitions count the same");
                sum.value += one.value;
            }
        }
        sums
    }

    /// Those of each partition.
    fn settings(&self) -> Vec<Setting> {
        let mut settings = vec![Setting::new("partitions", self.stores.len())];
        settings.extend(self.one().settings());
        settings
    }

    fn check(&self) -> Result<(), String> {
        for (at, store) in self.stores.iter().enumerate() {
            store.check().map_err(|wrong| format!("partition {at}: {wrong}"))?;
            let mut session = store.session().map_err(|error| error.to_string())?;
            let foreign = keys_in(&mut session).find(|&key| part(key, self.stores.len()) != at);
            if let Some(key) = foreign {
                return Err(format!("partition {at}: key {key:#x} belongs to another"));
            }
        }
        Ok(())
    }
}

impl<E> OpenStore for Partitions<E>
where
    E: Partition + OpenStore<Config: Clone>,
{
    type Config = (usize, E::Config);

    fn configure(setup: &Setup, options: &mut Options) -> Result<Self::Config, OpenError> {
        let (partitions, share) = divided(setup, options)?;
        Ok((partitions, E::configure(&share, options)?))
    }

    fn open_configured((partitions, config): Self::Config) -> Result<Self, OpenError> {
        Self::open(partitions, || E::open_configured(config.clone()))
    }
}

/// The account of two partitions.
fn together(one: MemoryCensus, other: MemoryCensus) -> MemoryCensus {
    MemoryCensus {
        live_objects: one.live_objects + other.live_objects,
        live_value_bytes: one.live_value_bytes + other.live_value_bytes,
        live_object_bytes: one.live_object_bytes + other.live_object_bytes,
        dead_object_bytes: one.dead_object_bytes + other.dead_object_bytes,
        free_object_bytes: one.free_object_bytes + other.free_object_bytes,
        object_memory_bytes: one.object_memory_bytes + other.object_memory_bytes,
        index_bytes: one.index_bytes + other.index_bytes,
        table_bytes: one.table_bytes + other.table_bytes,
        capacity_bytes: one.capacity_bytes.zip(other.capacity_bytes).map(|(a, b)| a + b),
        complete: one.complete && other.complete,
    }
}
