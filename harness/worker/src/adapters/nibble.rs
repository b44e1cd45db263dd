//! Nibble behind the contract. The engine does not know this crate, so its own interface is wrapped here.

mod sessions;

use std::fmt;
use std::str::FromStr;

use engine::{
    EngineTraits, FullMeaning, Keys, KvBytesEngine, KvEngine, KvSession, MemoryBound, MemoryCensus,
    OpenError, Options, Presence, SessionError, Setting, Setup, Statistic, Whole, Words,
};
use nibble::{
    Compaction, Config, CopyRoutine, CoreSource, EpochClock, HeadChoice, HoleUse, IndexLayout,
    Placement, Selection, Store, Survivors, TooManySessions, Update, limits,
};
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use platform::{cpu, numa};

use super::{Opening, check_sessions, tell_unused};
use sessions::{NibbleBytesSession, NibbleSession};

/// The store of keys of one kind, `u64` or `[u8]`.
#[derive(Debug)]
pub(crate) struct NibbleEngine<K: ?Sized = u64> {
    store: Store<K>,
    preset: Preset,
    /// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
    ample_percent: Option<u64>,
}

/// The engine preset from which the settings start.
#[derive(Clone, Copy, Debug)]
enum Preset {
    Best,
    Paper,
}

impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Best => "best",
            Self::Paper => "paper",
        })
    }
}

impl FromStr for Preset {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "best" => Ok(Self::Best),
            "paper" => Ok(Self::Paper),
            _ => Err(()),
        }
    }
}

/// Object memory ÷ live bytes, in percent, where memory is not meant to be a limit.
const AMPLE_PERCENT: u64 = 400;
const AMPLE_PERCENT_MAX: u64 = 10_000;
/// An hour.
const FULL_WAIT_MS_MAX: u64 = 3_600_000;

/// What keys of one kind are to the engine.
pub(crate) trait Keyed: Send + Sync + 'static {
    type Session<'store>: KvSession;

    fn open(config: Config) -> Result<Store<Self>, nibble::OpenError>;

    fn session(store: &Store<Self>) -> Result<Self::Session<'_>, TooManySessions>;
}

impl Keyed for u64 {
    type Session<'store> = NibbleSession<'store>;

    fn open(config: Config) -> Result<Store, nibble::OpenError> {
        Store::open(config)
    }

    fn session(store: &Store) -> Result<NibbleSession<'_>, TooManySessions> {
        store.session().map(|session| NibbleSession { session })
    }
}

impl Keyed for [u8] {
    type Session<'store> = Words<NibbleBytesSession<'store>>;

    fn open(config: Config) -> Result<Store<Self>, nibble::OpenError> {
        Store::open_for_byte_keys(config)
    }

    fn session(store: &Store<Self>) -> Result<Words<NibbleBytesSession<'_>>, TooManySessions> {
        store.session().map(|session| Words(NibbleBytesSession { session }))
    }
}

pub(crate) fn open<K: Keyed + ?Sized>(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<NibbleEngine<K>>, OpenError> {
    check_sessions(setup, limits::SESSIONS_MAX)?;
    let ample_percent = ample_percent(setup, options)?;
    let ample_bytes = setup.live_bytes / 100 * ample_percent.unwrap_or(AMPLE_PERCENT);
    let object_memory_bytes = setup.object_memory_bytes.unwrap_or(ample_bytes);
    let mut preset = Preset::Best;
    options.one_of("preset", &mut preset, [Preset::Best, Preset::Paper])?;
    let mut config = match preset {
        Preset::Best => Config::best(object_memory_bytes),
        Preset::Paper => Config::paper(object_memory_bytes),
    };
    config.resident = setup.resident;
    read(options, &mut config)?;
    let in_use = config.in_use().map_err(|error| OpenError::BadSetting {
        setting: "object-memory-bytes".to_owned(),
        value: object_memory_bytes.to_string(),
        accepted: format!("those that suffice: {error}"),
    })?;
    tell_unused(setup, options, in_use.object_memory_bytes);
    if config.core_source == CoreSource::Rdpid && !cpu::has_rdpid() {
        options.tell("asks `rseq` for its core: this processor has no `rdpid`".to_owned());
    }
    Ok(Box::new(move || {
        let store = K::open(config).map_err(|error| OpenError::Unusable {
            what: "nibble".to_owned(),
            reason: error.to_string(),
        })?;
        Ok(NibbleEngine { store, preset, ample_percent })
    }))
}

/// The setting `ample-percent`, if given. It sizes an object memory that the cell does not.
fn ample_percent(setup: &Setup, options: &mut Options) -> Result<Option<u64>, OpenError> {
    const NAME: &str = "ample-percent";
    let Some(value) = options.given(NAME).map(str::to_owned) else {
        options.whole(NAME, &mut 0_u64, 100..=AMPLE_PERCENT_MAX)?;
        return Ok(None);
    };
    if setup.object_memory_bytes.is_some() {
        let accepted = "none here: it sizes the object memory of [[fragmentation]] cells with \
                        basis `ample`, and the memory of this cell is given";
        return Err(OpenError::BadSetting {
            setting: NAME.to_owned(),
            value,
            accepted: accepted.to_owned(),
        });
    }
    let mut percent = 0;
    options.whole(NAME, &mut percent, 100..=AMPLE_PERCENT_MAX)?;
    Ok(Some(percent))
}

/// Reads the engine's settings: what it would round, or choose itself for a 0, is refused.
fn read(options: &mut Options, config: &mut Config) -> Result<(), OpenError> {
    let largest = limits::BLOCK_BYTES_MAX;
    let most = most(options, config, "block-bytes", largest, |it, bytes| it.block_bytes = bytes);
    let blocks = Whole::powers_of_two(limits::BLOCK_BYTES_MIN..=most);
    options.whole("block-bytes", &mut config.block_bytes, blocks)?;
    let accepted = segments(options, config);
    options.whole("segment-bytes", &mut config.segment_bytes, accepted)?;
    read_choices(options, config)?;
    let free_low = 0..=u64::from(limits::FREE_LOW_PERCENT_MAX);
    options.whole("free-low-percent", &mut config.free_low_percent, free_low)?;
    let reserve = 0..=u64::from(limits::RESERVE_PERCENT_MAX);
    options.whole("reserve-percent", &mut config.reserve_percent, reserve)?;
    let partitions = Whole::powers_of_two(1..=limits::PARTITIONS_MAX as u64);
    options.whole("index-partitions", &mut config.index_partitions, partitions)?;
    options.switch("resident", &mut config.resident)?;
    options.switch("huge-pages", &mut config.huge_pages)?;
    options.switch("return-free-memory", &mut config.return_free_memory)?;
    options.whole("full-wait-ms", &mut config.full_wait_ms, 0..=FULL_WAIT_MS_MAX)?;
    read_counts(options, config)
}

fn read_choices(options: &mut Options, config: &mut Config) -> Result<(), OpenError> {
    options.one_of("head-choice", &mut config.head_choice, HeadChoice::ALL)?;
    options.one_of("core-source", &mut config.core_source, CoreSource::ALL)?;
    options.one_of("placement", &mut config.placement, Placement::ALL)?;
    options.one_of("epoch", &mut config.epoch, EpochClock::ALL)?;
    options.one_of("compaction", &mut config.compaction, Compaction::ALL)?;
    options.one_of("selection", &mut config.selection, Selection::ALL)?;
    options.one_of("survivors", &mut config.survivors, Survivors::ALL)?;
    options.one_of("copy", &mut config.copy, CopyRoutine::ALL)?;
    options.one_of("update", &mut config.update, Update::ALL)?;
    options.one_of("holes", &mut config.holes, HoleUse::ALL)?;
    options.one_of("index", &mut config.index, IndexLayout::ALL)
}

/// Reads how many nodes, workers and heads there are, each of which takes blocks.
fn read_counts(options: &mut Options, config: &mut Config) -> Result<(), OpenError> {
    let largest = limits::NODES_MAX as u64;
    let nodes =
        most(options, config, NODES, largest, |it, count| it.virtual_nodes = count as usize);
    options.whole(NODES, &mut config.virtual_nodes, 0..=nodes)?;
    let (name, largest) = ("compaction-workers", limits::WORKERS_MAX as u64);
    let workers =
        most(options, config, name, largest, |it, count| it.compaction_workers = count as usize);
    options.whole(name, &mut config.compaction_workers, 1..=workers)?;
    let largest = limits::HEADS_MAX as u64;
    let heads = most(options, config, "heads", largest, |it, count| it.heads = count as usize);
    options.whole("heads", &mut config.heads, 1..=heads)
}

const NODES: &str = "virtual-nodes";

/// The largest value of a setting, `limit` at most, with which the store opens as it is configured so far.
/// It is sought where the setting is given.
fn most(
    options: &Options,
    config: &Config,
    name: &str,
    limit: u64,
    set: impl Fn(&mut Config, u64),
) -> u64 {
    let opens = |value: u64| {
        let mut config = config.clone();
        set(&mut config, value);
        config.in_use().is_ok()
    };
    if options.given(name).is_none() || opens(limit) {
        return limit;
    }
    let (mut fits, mut exceeds) = (0, limit);
    while exceeds - fits > 1 {
        let middle = fits + (exceeds - fits) / 2;
        // Sizes that are no power of two are refused for that: what is next to them decides.
        match opens(middle) || opens(middle.next_power_of_two()) {
            true => fits = middle,
            false => exceeds = middle,
        }
    }
    fits.max(1)
}

/// Segments of whole blocks: so many that each node has some, and so few that they can be numbered.
fn segments(options: &Options, config: &Config) -> Whole {
    let virtual_nodes = options.given(NODES).and_then(|nodes| nodes.parse().ok());
    let nodes = match virtual_nodes.unwrap_or(config.virtual_nodes) {
        0 => numa::nodes().len(),
        nodes => nodes.min(limits::NODES_MAX),
    };
    let node_bytes = config.object_memory_bytes / nodes as u64;
    let block_bytes = match config.block_bytes {
        // The engine chooses; where it does not open, it says why later.
        0 => config.in_use().map_or(limits::BLOCK_BYTES_MIN, |in_use| in_use.block_bytes),
        block_bytes => block_bytes,
    };
    let least = config.object_memory_bytes.div_ceil(limits::SEGMENTS_MAX).max(block_bytes);
    let most = (node_bytes / limits::SEGMENTS_MIN).min(limits::SEGMENT_BYTES_MAX);
    Whole::multiples_of(block_bytes, least..=most)
}

/// The copy routine named by the setting `copy`, or the default one.
pub(crate) fn copy_routine(options: &mut Options) -> Result<CopyRoutine, OpenError> {
    let mut routine = Config::best(0).copy;
    options.one_of("copy", &mut routine, CopyRoutine::ALL)?;
    options.finish()?;
    Ok(routine)
}

impl<K: Keyed + ?Sized> KvEngine for NibbleEngine<K> {
    const TRAITS: EngineTraits = EngineTraits {
        name: "nibble",
        description: "log-structured, per-core heads, epochs; updates in place where they fit",
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Soft,
        page_bytes: HUGE_PAGE_BYTES,
        batches: true,
        keys: Keys::Bytes { max: limits::KEY_BYTES_MAX },
        ..EngineTraits::BASE
    };

    type Session<'engine> = K::Session<'engine>;

    fn session(&self) -> Result<K::Session<'_>, SessionError> {
        K::session(&self.store).map_err(no_slot)
    }

    fn presence(&self) -> Presence {
        let config = self.store.config();
        let workers = match config.compaction {
            nibble::Compaction::Background => {
                config.compaction_workers * config.virtual_nodes.max(1)
            }
            nibble::Compaction::Inline => 0,
        };
        let page_bytes = if config.huge_pages { HUGE_PAGE_BYTES } else { PAGE_BYTES };
        Presence { page_bytes, threads: workers, servers: 0 }
    }

    fn settle(&self) {
        self.store.settle();
    }

    fn trim(&self) {
        self.store.trim();
    }

    fn memory(&self) -> MemoryCensus {
        let census = self.store.census();
        MemoryCensus {
            live_objects: census.live_objects,
            live_value_bytes: census.live_value_bytes,
            live_object_bytes: census.live_object_bytes,
            dead_object_bytes: census.dead_object_bytes,
            free_object_bytes: census.free_object_bytes,
            object_memory_bytes: census.object_memory_bytes,
            index_bytes: census.index_bytes,
            table_bytes: census.table_bytes,
            capacity_bytes: Some(
                census.object_memory_bytes + census.index_bytes + census.table_bytes,
            ),
            complete: true,
        }
    }

    fn statistics(&self) -> Vec<Statistic> {
        let statistics = self.store.statistics();
        let named = [
            ("appended_bytes", statistics.appended_bytes),
            ("copied_bytes", statistics.copied_bytes),
            ("segments_compacted", statistics.segments_compacted),
            ("compaction_rounds", statistics.compaction_rounds),
            ("put_waits", statistics.put_waits),
            ("put_wait_ns", statistics.put_wait_ns),
            ("put_overwrites", statistics.put_overwrites),
            ("reused_bytes", statistics.reused_bytes),
            ("reclamation_bytes", statistics.reclamation_bytes),
            ("reclamation_age_ns", statistics.reclamation_age_ns),
            ("segments_open", statistics.segments.open),
            ("segments_closed", statistics.segments.closed),
            ("index_slots", statistics.index_slots),
            ("index_growth_buckets", statistics.index_growth_buckets),
        ];
        let huge = self.store.huge_page_bytes().map(|bytes| ("huge_page_bytes", bytes));
        let all = named.into_iter().chain(huge);
        all.map(|(name, value)| Statistic::new(name, value as f64)).collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let config = self.store.config();
        let ample = self.ample_percent.map(|percent| Setting::new("ample-percent", percent));
        let settings = vec![
            Setting::new("preset", self.preset),
            Setting::new("object-memory-bytes", config.object_memory_bytes),
            Setting::new("virtual-nodes", config.virtual_nodes),
            Setting::new("segment-bytes", config.segment_bytes),
            Setting::new("block-bytes", config.block_bytes),
            Setting::new("heads", config.heads),
            Setting::new("head-choice", config.head_choice),
            Setting::new("core-source", config.core_source),
            Setting::new("placement", config.placement),
            Setting::new("epoch", config.epoch),
            Setting::new("compaction", config.compaction),
            Setting::new("compaction-workers", config.compaction_workers),
            Setting::new("free-low-percent", config.free_low_percent),
            Setting::new("reserve-percent", config.reserve_percent),
            Setting::new("selection", config.selection),
            Setting::new("survivors", config.survivors),
            Setting::new("copy", config.copy),
            Setting::new("update", config.update),
            Setting::new("holes", config.holes),
            Setting::new("index", config.index),
            Setting::new("index-partitions", config.index_partitions),
            Setting::new("resident", config.resident),
            Setting::new("huge-pages", config.huge_pages),
            Setting::new("return-free-memory", config.return_free_memory),
            Setting::new("full-wait-ms", config.full_wait_ms),
        ];
        settings.into_iter().chain(ample).collect()
    }

    fn check(&self) -> Result<(), String> {
        self.store.check().map(|_| ())
    }
}

impl KvBytesEngine for NibbleEngine<[u8]> {
    type BytesSession<'engine> = NibbleBytesSession<'engine>;

    fn bytes_session(&self) -> Result<NibbleBytesSession<'_>, SessionError> {
        self.session().map(|words| words.0)
    }
}

fn no_slot(error: TooManySessions) -> SessionError {
    SessionError::TooManySessions { limit: error.limit }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::made_up::setup;
    use crate::registry::opened;

    #[test]
    fn rows_say_which_pages_the_store_was_asked_for() {
        for (huge, page_bytes) in [("true", HUGE_PAGE_BYTES), ("false", PAGE_BYTES)] {
            let store = opened(open::<u64>, &setup(&[("huge-pages", huge)])).unwrap();
            assert_eq!(store.presence().page_bytes, page_bytes);
        }
    }

    #[test]
    fn what_cannot_be_is_answered_with_what_can() {
        let roomy = |options: &[(&str, &str)]| Setup {
            object_memory_bytes: Some(1 << 30),
            ..setup(options)
        };
        for (knob, value, expected) in [
            ("preset", "fast", "best, paper"),
            ("index", "tags", "text, keyed, tagged"),
            ("epoch", "global", "thread-ticks, global-counter, thread-counter"),
            ("compaction", "none", "background, inline"),
            ("heads", "two", "whole numbers from 1 to 1024"),
            ("heads", "0", "whole numbers from 1 to 1024; the nearest is 1"),
            (
                "segment-bytes",
                "1000",
                "multiples of 65536 from 65536 to 67108864; the nearest is 65536",
            ),
            (
                "segment-bytes",
                "0",
                "multiples of 65536 from 65536 to 67108864; the nearest is 65536",
            ),
            ("block-bytes", "5000", "powers of two from 4096 to 2097152; the nearest is 4096"),
            ("index-partitions", "3", "powers of two from 1 to 65536; the nearest is 2"),
            ("huge-pages", "yes", "true and false"),
            ("ample-percent", "140", "none here"),
        ] {
            let message = opened(open::<u64>, &roomy(&[(knob, value)])).unwrap_err().to_string();
            let expected = format!("setting `{knob}` = `{value}`: accepted are {expected}");
            assert!(message.starts_with(&expected), "{message}");
        }
    }

    /// What small memory leaves room for is less than what the engine could number.
    #[test]
    fn counts_are_refused_with_those_that_fit_the_memory() {
        for name in ["heads", "compaction-workers", "virtual-nodes", "block-bytes"] {
            let most = most_of(name).expect("it is refused with a nearest value");
            assert!(opened(open::<u64>, &setup(&[(name, &most)])).is_ok(), "{name}={most}");
        }
    }

    fn most_of(name: &str) -> Option<String> {
        match opened(open::<u64>, &setup(&[(name, "4194305")])) {
            Err(OpenError::Refused { rule, value, .. }) => rule.nearest(&value),
            other => panic!("{name}: {other:?}"),
        }
    }

    #[test]
    fn memory_that_does_not_suffice_is_refused_before_anything_is_mapped() {
        for (preset, bytes, expected) in [
            ("best", 32 << 10, "segments of 16384 bytes need at least 65536"),
            ("paper", 1 << 20, "segments of 1048576 bytes need at least 4194304"),
        ] {
            let setup = Setup { object_memory_bytes: Some(bytes), ..setup(&[("preset", preset)]) };
            let message = opened(open::<u64>, &setup).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
