//! The contract of stores: words are eight big-endian bytes, so that their order is that of numbers; other byte
//! strings are as they are.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use engine::{
    DeleteOutcome, Durability, EngineTraits, FullMeaning, GetError, Hashing, Keys, KvBytesEngine,
    KvEngine, MemoryBound, MemoryCensus, OpenError, OpenStore, Options, Presence, PutError,
    PutOutcome, Rmw, ScanOrder, ScanRange, Scans, SessionError, Setting, Setup, Sharing, Snapshots,
    Statistic, Storage, Writes,
};
use kit::folder::Folder;
use kit::key::{BYTES_MAX, ByteSession, Key, Operations, WordSession};
use kit::moment::{Moment, WithMoment, Write, limited};
use kit::partitions::{Partition, Partitions};

use crate::config::{Config, LogMode, ReadModifyWrite, SESSIONS_MAX, Scheme, VALUE_BYTES_MAX};
use crate::error::Error;
use crate::files::Disk;
use crate::memtable::KEY_BYTES_MAX;
use crate::report;
use crate::session::{Decide, Decision, Session};
use crate::snapshots::Snapshot;
use crate::store::Store;

/// How long [`KvEngine::settle`] waits for merges.
const SETTLE_MAX: Duration = Duration::from_secs(10);
const PREFIX: &str = "baseline-lsm-";

/// Declares a store of the harness.
macro_rules! store {
    ($(#[$about:meta])* $name:ident, $scheme:expr, $registered:literal, $description:literal) => {
        $(#[$about])*
        #[derive(Debug)]
        pub struct $name(Store);

        impl $name {
            /// Opens the store in the folder of `config`, or in a private one.
            ///
            /// # Errors
            /// [`OpenError::Unusable`] if the folder's files cannot be used.
            pub fn open(config: Config) -> Result<Self, OpenError> {
                open(config).map(Self)
            }

            /// The store on byte strings.
            #[must_use]
            pub fn store(&self) -> &Store {
                &self.0
            }
        }

        impl KvEngine for $name {
            const TRAITS: EngineTraits = EngineTraits {
                name: $registered,
                description: $description,
                full: FullMeaning::Grow,
                memory_bound: MemoryBound::None,
                keys: Keys::Bytes { max: BYTES_MAX },
                value_bytes_max: VALUE_BYTES_MAX,
                scans: Scans::Ascending,
                background_threads: true,
                storage: Storage::Disk,
                writes: Writes::Blind,
                durability: Durability::Queued,
                rmw: Rmw::Atomic,
                snapshots: Snapshots::Consistent,
                writes_in_one_step: true,
                hashing: Hashing::None,
                ..EngineTraits::BASE
            };

            type Session<'engine> = WordSession<LsmSession<'engine>>;

            fn session(&self) -> Result<Self::Session<'_>, SessionError> {
                session(&self.0).map(WordSession)
            }

            fn presence(&self) -> Presence {
                let threads = self.0.threads.count();
                Presence { page_bytes: Self::TRAITS.page_bytes, threads, servers: 0 }
            }

            fn storage(&self) -> Storage {
                match self.0.parts.files.is_in_memory() {
                    true => Storage::FilesInMemory,
                    false => Storage::Disk,
                }
            }

            fn durability(&self) -> Durability {
                match self.0.parts.config.log {
                    LogMode::Queued => Durability::Queued,
                    LogMode::Written => Durability::Process,
                    LogMode::Acknowledged => Durability::Acknowledged,
                }
            }

            fn folders(&self) -> Vec<PathBuf> {
                self.0.parts.files.folder().map(Path::to_owned).into_iter().collect()
            }

            fn writes(&self) -> Writes {
                Writes::telling_if(self.0.parts.config.tells_presence)
            }

            fn rmw(&self) -> Rmw {
                match self.0.parts.config.read_modify_write {
                    ReadModifyWrite::None => Rmw::GetThenPut,
                    ReadModifyWrite::Striped | ReadModifyWrite::Optimistic => Rmw::Atomic,
                }
            }

            fn snapshots(&self) -> Snapshots {
                if self.0.parts.sync.has_linearizable_snapshots() {
                    Snapshots::Linearizable
                } else {
                    Snapshots::Consistent
                }
            }

            fn settle(&self) {
                self.0.settle(SETTLE_MAX);
            }

            /// Merges everything, so that nothing is there twice.
            fn trim(&self) {
                if let Err(error) = self.0.merge_all() {
                    panic!("{}: {error}", $registered);
                }
            }

            fn memory(&self) -> MemoryCensus {
                report::memory(&self.0)
            }

            fn statistics(&self) -> Vec<Statistic> {
                report::statistics(&self.0)
            }

            fn settings(&self) -> Vec<Setting> {
                report::settings(&self.0)
            }

            fn check(&self) -> Result<(), String> {
                report::check(&self.0).map_err(|error| error.to_string())
            }
        }

        impl KvBytesEngine for $name {
            type BytesSession<'engine> = ByteSession<LsmSession<'engine>>;

            fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
                session(&self.0).map(ByteSession)
            }
        }

        impl OpenStore for $name {
            type Config = Config;

            fn configure(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
                Config::read($scheme, setup, options)
            }

            fn open_configured(config: Config) -> Result<Self, OpenError> {
                Self::open(config)
            }
        }
    };
}

store! {
    /// A log-structured merge tree under LevelDB's scheme, or any by the setting `sync`.
    Lsm, Scheme::GlobalLock, "lsm",
    "log-structured merge tree: memtable, log, levels; LevelDB's locking or cLSM's"
}

store! {
    /// A log-structured merge tree under the scheme of cLSM.
    Clsm, Scheme::Clsm, "clsm",
    "log-structured merge tree after cLSM: shared-exclusive swaps, snapshots, atomic updates"
}

/// Several of [`Lsm`], a range of keys each: the scheme of partitions that cLSM is compared with
/// (paper, figure 1).
pub type LsmPartitioned = Partitions<Lsm>;

impl Partition for Lsm {
    const TOGETHER: EngineTraits = EngineTraits {
        name: "lsm-partitioned",
        description: "several `lsm`, each with a range of the keys and threads of its own",
        sharing: Sharing::Partitioned,
        // Its ranges are of words.
        keys: Keys::Word,
        // Each partition has moments of its own.
        snapshots: Snapshots::No,
        writes_in_one_step: false,
        ..<Self as KvEngine>::TRAITS
    };
}

const _: () = assert!(BYTES_MAX <= KEY_BYTES_MAX, "memtables and tables take every key");

fn open(config: Config) -> Result<Store, OpenError> {
    let unusable = |error: io::Error| OpenError::Unusable {
        what: "the folder of the store".to_owned(),
        reason: error.to_string(),
    };
    let disk = match &config.folder {
        Some(folder) => Disk::at(folder).map_err(unusable)?,
        None => {
            let folder = Folder::create(&config.private_parent, PREFIX).map_err(unusable)?;
            Disk::private(folder)
        }
    };
    Store::open(Arc::new(disk), config).map_err(|error| OpenError::Unusable {
        what: "the store's files".to_owned(),
        reason: error.to_string(),
    })
}

fn session(store: &Store) -> Result<LsmSession<'_>, SessionError> {
    let session = store.session();
    session.map(LsmSession).ok_or(SessionError::TooManySessions { limit: SESSIONS_MAX })
}

/// One thread's use of a store through the contract.
#[derive(Debug)]
pub struct LsmSession<'store>(Session<'store>);

impl LsmSession<'_> {
    /// Runs a read-modify-write. Where puts take no lock, the answer is of the moment of the read.
    fn update(&mut self, key: &[u8], decide: &mut Decision<'_>) -> Result<Decide, Error> {
        match self.0.read_modify_write(key, decide) {
            Err(Error::NoReadModifyWrite) => self.0.read_then_write(key, decide),
            outcome => outcome,
        }
    }

    fn tells_presence(&self) -> bool {
        self.0.parts().config.tells_presence
    }

    /// Stores a value.
    fn store(&mut self, key: &[u8], value: &[u8]) -> Result<PutOutcome, Error> {
        if !self.tells_presence() {
            return self.0.put(key, value).map(|()| PutOutcome::Stored);
        }
        let mut was_there = false;
        self.update(key, &mut |old, new| {
            was_there = old.is_some();
            new.extend_from_slice(value);
            Decide::Put
        })?;
        Ok(if was_there { PutOutcome::Updated } else { PutOutcome::Inserted })
    }
}

impl<K: Key> Operations<K> for LsmSession<'_> {
    fn get(&mut self, key: K::Asked<'_>, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        get(&mut self.0, None, K::spelled(&key).as_ref(), buffer)
    }

    fn put(&mut self, key: K::Asked<'_>, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.store(K::spelled(&key).as_ref(), value).or_else(|error| refused("put", error))
    }

    fn read_modify_write(
        &mut self,
        key: K::Asked<'_>,
        decide: &mut engine::Decide<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let mut was_there = false;
        let decided = self.update(K::spelled(&key).as_ref(), &mut |old, new| {
            was_there = old.is_some();
            match decide(old, new) {
                engine::Decision::Put => Decide::Put,
                engine::Decision::Keep => Decide::Keep,
            }
        });
        match decided {
            Ok(Decide::Put) if was_there => Ok(Some(PutOutcome::Updated)),
            Ok(Decide::Put) => Ok(Some(PutOutcome::Inserted)),
            Ok(Decide::Keep | Decide::Delete) => Ok(None),
            Err(error) => refused("read-modify-write", error).map(Some),
        }
    }

    fn delete(&mut self, key: K::Asked<'_>) -> DeleteOutcome {
        if !self.tells_presence() {
            expect_done("delete", self.0.delete(K::spelled(&key).as_ref()));
            return DeleteOutcome::Done;
        }
        let decided = self.update(K::spelled(&key).as_ref(), &mut |old, _| {
            if old.is_some() { Decide::Delete } else { Decide::Keep }
        });
        DeleteOutcome::told(expect_done("delete", decided) == Decide::Delete)
    }

    fn scan(
        &mut self,
        range: ScanRange<K::Asked<'_>>,
        visit: &mut dyn FnMut(K::Asked<'_>, &[u8]),
    ) -> Option<usize> {
        let ScanRange { first, limit, order } = range;
        let snapshot = self.0.snapshot();
        let mut moment = AtSnapshot { session: &mut self.0, snapshot };
        moment.scans(order).then(|| {
            limited(limit, &mut |key, value| visit(K::read(key), value), |visit| {
                moment.scan(K::spelled(&first).as_ref(), order, visit);
            })
        })
    }

    fn with_snapshot(&mut self, read: &mut WithMoment<'_>) -> bool {
        let snapshot = self.0.snapshot();
        read(&mut AtSnapshot { session: &mut self.0, snapshot });
        true
    }

    fn write_in_one_step(&mut self, writes: &[Write<'_>]) -> Result<Option<PutOutcome>, PutError> {
        let writes: Vec<_> = writes.iter().map(|write| (write.key(), write.value())).collect();
        let written = self.0.write(&writes).map(|()| PutOutcome::Stored);
        written.or_else(|error| refused("write", error)).map(Some)
    }
}

/// A snapshot, and the session that reads it.
struct AtSnapshot<'session, 'store> {
    session: &'session mut Session<'store>,
    snapshot: Snapshot,
}

impl Moment for AtSnapshot<'_, '_> {
    fn scans(&self, order: ScanOrder) -> bool {
        order == ScanOrder::Ascending
    }

    fn scan(&mut self, first: &[u8], _: ScanOrder, visit: &mut dyn FnMut(&[u8], &[u8]) -> bool) {
        expect_done("scan", self.session.scan_at(&self.snapshot, first, visit));
    }

    fn get(&mut self, key: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        get(self.session, Some(&self.snapshot), key, buffer)
    }
}

/// Copies a value out, of a snapshot or of now.
fn get(
    session: &mut Session<'_>,
    snapshot: Option<&Snapshot>,
    key: &[u8],
    buffer: &mut [u8],
) -> Result<Option<usize>, GetError> {
    let buffer_bytes = buffer.len();
    let copied = session.find(key, snapshot, |found, value_bytes| {
        let Some(to) = buffer.get_mut(..value_bytes) else {
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        found.copy_value(to);
        Ok(value_bytes)
    });
    expect_done("get", copied).transpose()
}

/// What a write answers that was not carried out. Full is what the system says of the disk, before
/// anything has changed.
fn refused(operation: &str, error: Error) -> Result<PutOutcome, PutError> {
    match error {
        Error::ValueTooLong { value_bytes, limit_bytes } => {
            Err(PutError::ValueTooLarge { value_bytes, limit_bytes })
        }
        Error::Storage { kind: io::ErrorKind::StorageFull, may_be_applied: false, .. } => {
            Ok(PutOutcome::Full)
        }
        error => panic!("{operation}: {error}"),
    }
}

/// Callers of the contract cannot act on an error of the files.
fn expect_done<R>(operation: &str, outcome: Result<R, Error>) -> R {
    outcome.unwrap_or_else(|error| panic!("{operation}: {error}"))
}
