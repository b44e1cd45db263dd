//! What all threads of a store share.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock};

use engine::OpenError;
use kit::padded::Padded;
use platform::persist::{Latency, Medium, Region};
use platform::{Pages, mapping};

use crate::back::{self, Back};
use crate::config::{self, Config, Kind};
use crate::counts::{Counters, Live, Size};
use crate::faults::Faults;
use crate::front::{self, Front};
use crate::heap;
use crate::layout::Layout;
use crate::logs::Log;
use crate::record::Reference;
use crate::rung::Rung;
use crate::tx::Transactor;

/// Keys are gleaned by one gleaner at a time, by this many locks.
const STRIPES: usize = 1024;

/// The store.
#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) rung: Rung,
    pub(crate) object_bytes: u64,
    pub(crate) value_bytes_max: usize,
    pub(crate) medium: Medium,
    pub(crate) latency: Latency,
    pub(crate) huge_pages: bool,
    pub(crate) front: Option<Front>,
    pub(crate) back: Option<Back>,
    pub(crate) logs: Vec<Log>,
    /// Sessions at a time.
    pub(crate) sessions: Box<[Padded<AtomicBool>]>,
    /// Gleaners hold it for reading while they are at work; heads move when nobody is.
    pub(crate) gate: Padded<RwLock<()>>,
    pub(crate) epoch: Padded<AtomicU64>,
    stripes: Box<[AtomicBool]>,
    /// Whether every pair is in front, as it is until a recovery.
    pub(crate) is_complete: bool,
    /// Whether a gleaner found no persistent memory.
    pub(crate) is_back_full: AtomicBool,
    /// Tombstones whose bucket was taken when their record had been applied.
    pub(crate) buried: Padded<Mutex<Vec<(u64, Reference)>>>,
    /// Of who settles.
    helper: Padded<Mutex<Transactor>>,
    pub(crate) helper_slot: usize,
    pub(crate) live: Live,
    pub(crate) counters: Padded<Counters>,
    pub(crate) gleaners_awake: AtomicUsize,
    pub(crate) faults: Faults,
}

impl Shared {
    /// An empty store.
    pub(crate) fn open(config: &Config) -> Result<Self, OpenError> {
        config.check()?;
        let layout = config.layout();
        let region = config.rung.has_back().then(|| region(config, &layout)).transpose()?;
        if let Some(region) = &region {
            layout.format(region);
        }
        let pages = if config.huge_pages { Pages::Huge } else { Pages::Small };
        let front_words = config::spread_words(config.object_memory_bytes);
        let mut shared = Self::on(&layout, region, front_words, pages)?;
        (shared.medium, shared.latency) = (config.medium, config.latency);
        Ok(shared)
    }

    /// The store in a region of this layout; its front is empty.
    pub(crate) fn on(
        layout: &Layout,
        region: Option<Region>,
        front_words: u64,
        pages: Pages,
    ) -> Result<Self, OpenError> {
        let rung = layout.rung;
        let map_front = || Front::map(layout.buckets, layout.slots, front_words, pages);
        let front = rung.has_front().then(map_front).transpose();
        let front = front.map_err(|_| OpenError::OutOfMemory { wanted_bytes: front_words * 8 })?;
        let numbers = if rung.has_logs() { 0..layout.logs } else { 0..0 };
        let logs = region
            .iter()
            .flat_map(|region| numbers.clone().map(move |number| Log::of(region, layout, number)));
        Ok(Self {
            rung,
            object_bytes: layout.object_bytes,
            value_bytes_max: config::value_bytes_max(rung, layout.log_words),
            medium: Medium::Emulated,
            latency: Latency::NONE,
            huge_pages: pages == Pages::Huge,
            front,
            logs: logs.collect(),
            back: region.map(|region| Back::new(region, *layout)),
            sessions: (0..layout.logs).map(|_| Padded::default()).collect(),
            gate: Padded(RwLock::new(())),
            epoch: Padded(AtomicU64::new(1)),
            stripes: (0..STRIPES).map(|_| AtomicBool::new(false)).collect(),
            is_complete: true,
            is_back_full: AtomicBool::new(false),
            buried: Padded::default(),
            helper: Padded(Mutex::new(Transactor::new(layout.slots as usize - 1))),
            helper_slot: layout.slots as usize - 1,
            live: Live::default(),
            counters: Padded::default(),
            gleaners_awake: AtomicUsize::new(0),
            faults: Faults::none(),
        })
    }

    /// The front of a store that has logs.
    pub(crate) fn front(&self) -> &Front {
        self.front.as_ref().expect("this rung has a table in front")
    }

    pub(crate) fn back(&self) -> &Back {
        self.back.as_ref().expect("this rung has a table in the back")
    }

    /// The transactor of who settles.
    pub(crate) fn helper(&self) -> MutexGuard<'_, Transactor> {
        // It is as good after a panic: a transaction that was not committed has never been.
        self.helper.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the right to glean a key, if nobody has it.
    pub(crate) fn try_stripe(&self, hash: u64) -> Option<usize> {
        let stripe = hash as usize % STRIPES;
        // Acquire: pairs with the release of who had it.
        let free = !self.stripes[stripe].swap(true, Ordering::Acquire);
        free.then_some(stripe)
    }

    /// Which right belongs to a key.
    pub(crate) fn stripe_of(hash: u64) -> usize {
        hash as usize % STRIPES
    }

    pub(crate) fn release_stripe(&self, stripe: usize) {
        // Release: what its holder applied.
        self.stripes[stripe].store(false, Ordering::Release);
    }

    /// What a value of so many bytes counts for.
    pub(crate) fn size(value_bytes: u64) -> Size {
        debug_assert_eq!(front::PAIR_WORDS, back::PAIR_WORDS, "pairs of one size");
        let block_bytes = 8 * heap::block_words(back::PAIR_WORDS + value_bytes.div_ceil(8));
        Size { value_bytes, block_bytes }
    }

    /// Whether nothing is left to glean or to reclaim.
    pub(crate) fn is_drained(&self) -> bool {
        let buried = self.buried.lock().unwrap_or_else(PoisonError::into_inner);
        buried.is_empty() && self.logs.iter().all(|log| log.head() >= log.published())
    }

    /// Words in logs, and words of logs.
    pub(crate) fn occupancy(&self) -> (u64, u64) {
        let used = self.logs.iter().map(|log| log.tail().saturating_sub(log.head())).sum();
        (used, self.logs.iter().map(|log| log.ring.words).sum())
    }

    /// The page size that is requested.
    pub(crate) fn page_bytes(&self) -> usize {
        if self.huge_pages { mapping::HUGE_PAGE_BYTES } else { mapping::PAGE_BYTES }
    }
}

/// Maps persistent memory for a layout.
fn region(config: &Config, layout: &Layout) -> Result<Region, OpenError> {
    let Config { medium, latency, .. } = *config;
    let pages = if config.huge_pages { Pages::Huge } else { Pages::Small };
    let mapped = match &config.file {
        None => Region::map(layout.words, medium, latency, pages),
        Some(path) => {
            let mut open = std::fs::File::options();
            let file = open.read(true).write(true).create_new(true).open(path);
            file.and_then(|file| {
                file.set_len(layout.words * 8)?;
                Region::of_file(&file, medium, latency)
            })
        }
    };
    mapped.map_err(|error| match error.kind() {
        std::io::ErrorKind::Unsupported => OpenError::Missing {
            what: "the processor's instruction clwb".to_owned(),
            remedy: format!("set pm to {}", Kind(Medium::Emulated)),
        },
        std::io::ErrorKind::OutOfMemory => {
            OpenError::OutOfMemory { wanted_bytes: layout.words * 8 }
        }
        _ => {
            OpenError::Unusable { what: "persistent memory".to_owned(), reason: error.to_string() }
        }
    })
}
