//! The contract of the suite: words as keys, by their hash; a folder that goes with the store.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{
    AllocatorChoice, DeleteOutcome, Durability, EngineTraits, FullMeaning, GetError, KvEngine,
    KvSession, MemoryBound, MemoryCensus, OpenError, OpenStore, Options, Presence, PutError,
    PutOutcome, SessionError, Setting, Setup, Statistic, Storage, Writes,
};
use kit::folder::Folder;

use crate::buffer::PAGE_BYTES;
use crate::config::Config;
use crate::counters::Counter;
use crate::error::Error;
use crate::files::{Direct, Files};
use crate::key::of_word;
use crate::params::Acknowledge;
use crate::scratch::Scratch;
use crate::step::Steps;
use crate::store::Store;

const PREFIX: &str = "nibble-bench-silt-";
/// The longest value of any store.
const VALUE_BYTES_MAX: usize = 1 << 20;

/// A [`Store`] for the suite, empty when it opens and removed when it is dropped.
#[derive(Debug)]
pub struct Silt {
    // Before the folder: it is dropped first.
    store: Store,
    config: Config,
    live_objects: AtomicU64,
    live_value_bytes: AtomicU64,
    folder: Option<Folder>,
}

impl Silt {
    /// An empty store in a folder of its own, below the system's folder for temporary files.
    ///
    /// # Errors
    /// [`OpenError::Unusable`] if the folder's file system has no direct I/O;
    /// [`OpenError::BadSetting`] if a parameter is out of range.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let folder = Folder::create(&config.private_parent, PREFIX).map_err(|error| {
            OpenError::Unusable {
                what: "the folder of temporary files".to_owned(),
                reason: error.to_string(),
            }
        })?;
        let files = Arc::new(Direct::new(folder.path()));
        let mut silt = Self::open_in(files, config)?;
        silt.folder = Some(folder);
        Ok(silt)
    }

    /// An empty store in some files.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_in(files: Arc<dyn Files>, config: Config) -> Result<Self, OpenError> {
        let store = Store::open_in(files, config.params, Steps::default()).map_err(refused)?;
        let (live_objects, live_value_bytes) = (AtomicU64::new(0), AtomicU64::new(0));
        Ok(Self { store, config, live_objects, live_value_bytes, folder: None })
    }

    /// The store itself.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Keeps the count of what lives, where PUT and DELETE know what was there.
    fn account(&self, before: Option<usize>, after: Option<usize>) {
        // Relaxed: the counts are asked for when nobody writes. They wrap around below 0 meanwhile.
        let change = |count: &AtomicU64, before: u64, after: u64| {
            count.fetch_add(after.wrapping_sub(before), Ordering::Relaxed);
        };
        let objects = |value: Option<usize>| u64::from(value.is_some());
        let bytes = |value: Option<usize>| value.unwrap_or(0) as u64;
        change(&self.live_objects, objects(before), objects(after));
        change(&self.live_value_bytes, bytes(before), bytes(after));
    }
}

fn refused(error: Error) -> OpenError {
    match error {
        Error::Parameter { name, value, accepted } => OpenError::BadSetting {
            setting: name.to_owned(),
            value: value.to_string(),
            accepted: accepted.to_owned(),
        },
        error => OpenError::Unusable {
            what: "direct I/O in the folder of temporary files".to_owned(),
            reason: format!("{error}; name another folder by TMPDIR, on a disk"),
        },
    }
}

impl KvEngine for Silt {
    const TRAITS: EngineTraits = EngineTraits {
        name: "silt",
        description: "three stores on disk behind less than a byte of memory a key, after SILT",
        full: FullMeaning::Grow,
        memory_bound: MemoryBound::None,
        allocator: AllocatorChoice::Global,
        value_bytes_max: VALUE_BYTES_MAX,
        background_threads: true,
        storage: Storage::Disk,
        durability: Durability::Queued,
        writes: Writes::Blind,
        ..EngineTraits::BASE
    };

    type Session<'engine> = SiltSession<'engine>;

    fn session(&self) -> Result<SiltSession<'_>, SessionError> {
        Ok(SiltSession { silt: self, scratch: Scratch::default() })
    }

    fn presence(&self) -> Presence {
        Presence { page_bytes: PAGE_BYTES, threads: self.store.thread_count(), servers: 0 }
    }

    fn storage(&self) -> Storage {
        match self.folder.as_ref().is_some_and(Folder::is_in_memory) {
            true => Storage::FilesInMemory,
            false => Storage::Disk,
        }
    }

    fn durability(&self) -> Durability {
        match self.config.params.acknowledge {
            Acknowledge::Buffered => Durability::Queued,
            Acknowledge::Written => Durability::Process,
            Acknowledge::Synced => Durability::Acknowledged,
        }
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.folder.iter().map(|folder| folder.path().to_owned()).collect()
    }

    fn writes(&self) -> Writes {
        Writes::telling_if(self.config.tells_updates)
    }

    /// Waits until nothing is to be converted or merged.
    fn settle(&self) {
        if let Err(error) = self.store.settle() {
            panic!("{error}");
        }
    }

    /// Objects are on disk: no memory is theirs. Tables are the logs' buffers.
    fn memory(&self) -> MemoryCensus {
        let params = self.store.params();
        // Relaxed: nobody writes.
        let live = |count: &AtomicU64| {
            if self.config.tells_updates { count.load(Ordering::Relaxed) } else { 0 }
        };
        MemoryCensus {
            live_objects: live(&self.live_objects),
            live_value_bytes: live(&self.live_value_bytes),
            index_bytes: self.store.index_bytes(),
            table_bytes: (params.instances * params.log_buffer_bytes) as u64,
            complete: false,
            ..MemoryCensus::default()
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let counts =
            Counter::NAMED.iter().map(|&(counter, name)| (name, self.store.count(counter)));
        let stores = [
            ("sorted_index_bytes", self.store.sorted_index_bytes()),
            ("hash_stores", self.store.hash_stores() as u64),
        ];
        counts.chain(stores).map(|(name, value)| Statistic::new(name, value as f64)).collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let params = self.store.params();
        vec![
            Setting::new("instances", params.instances),
            Setting::new("tag-bits", params.tag_bits),
            Setting::new("merge-entries", params.merge_entries),
            Setting::new("displacements", params.displacements),
            Setting::new("index-bucket-keys", params.index_bucket_keys),
            Setting::new("acknowledge", params.acknowledge),
            Setting::new("ask-presence", self.config.tells_updates),
            Setting::new("threads", params.threads),
            Setting::new("convert-per-s", params.convert_per_s),
            Setting::new("merge-per-s", params.merge_per_s),
            Setting::new("value-bytes-max", params.value_bytes_max),
            Setting::new("record-bytes", params.layout().record_bytes),
            Setting::new("sort-bytes", params.sort_bytes),
            Setting::new("log-buffer-bytes", params.log_buffer_bytes),
            Setting::new("files", "direct"),
        ]
    }

    /// Reads and checks all files.
    fn check(&self) -> Result<(), String> {
        self.store.scrub().map_err(|error| error.to_string())
    }
}

impl OpenStore for Silt {
    type Config = Config;

    fn configure(setup: &Setup, options: &mut Options) -> Result<Config, OpenError> {
        Config::read(setup, options)
    }

    fn open_configured(config: Config) -> Result<Self, OpenError> {
        Self::open(config)
    }
}

/// One thread's use of a [`Silt`]. A disk that fails is a panic here: the contract has no word for
/// it.
#[derive(Debug)]
pub struct SiltSession<'silt> {
    silt: &'silt Silt,
    scratch: Scratch,
}

impl SiltSession<'_> {
    /// Puts or deletes; returns whether the key was there, if anybody asks.
    fn exchange(&mut self, key: u64, value: Option<&[u8]>) -> Option<bool> {
        let (silt, key, scratch) = (self.silt, of_word(key), &mut self.scratch);
        let done = match value {
            _ if silt.config.tells_updates => silt.store.exchange(&key, value, scratch),
            Some(value) => silt.store.put(&key, value, scratch).map(|()| None),
            None => silt.store.delete(&key, scratch).map(|()| None),
        };
        let before = done.unwrap_or_else(|error| panic!("{error}"));
        silt.config.tells_updates.then(|| {
            silt.account(before, value.map(<[u8]>::len));
            before.is_some()
        })
    }
}

impl KvSession for SiltSession<'_> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let found = self.silt.store.get(&of_word(key), &mut self.scratch);
        let Some(value) = found.unwrap_or_else(|error| panic!("{error}")) else { return Ok(None) };
        let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
        let into = buffer
            .get_mut(..value_bytes)
            .ok_or(GetError::BufferTooShort { value_bytes, buffer_bytes })?;
        into.copy_from_slice(value);
        Ok(Some(value_bytes))
    }

    /// Where nobody asks whether the key was there, nothing is looked up.
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.silt.store.params().value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        Ok(match self.exchange(key, Some(value)) {
            Some(true) => PutOutcome::Updated,
            Some(false) => PutOutcome::Inserted,
            None => PutOutcome::Stored,
        })
    }

    /// As for [`Self::put`].
    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.exchange(key, None).map_or(DeleteOutcome::Done, DeleteOutcome::told)
    }
}
