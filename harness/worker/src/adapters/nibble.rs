//! Nibble behind the contract. The engine does not know this crate, so its own interface is wrapped here.

use std::str::FromStr;

use engine::{
    EngineTraits, FullMeaning, GetError, KvEngine, KvSession, MemoryBound, MemoryCensus, Op,
    OpenError, Options, Outcome, Presence, PutError, PutOutcome, SessionError, Setting, Setup,
    Statistic, ValueBuffers,
};
use std::collections::BTreeMap;

use nibble::{
    Answer, Batch, Compaction, Config, CopyRoutine, CoreSource, EpochClock, HeadChoice,
    IndexLayout, Operation, Placement, Selection, Store, Survivors, Update,
};
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};

#[derive(Debug)]
pub(crate) struct NibbleEngine {
    store: Store,
}

/// The engine preset from which the settings start.
#[derive(Clone, Copy, Debug)]
enum Preset {
    Best,
    Paper,
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

pub(crate) fn open(setup: &Setup) -> Result<NibbleEngine, OpenError> {
    open_with(setup, setup.options())
}

/// Opens the store with the options that remain.
pub(super) fn open_with(setup: &Setup, mut options: Options) -> Result<NibbleEngine, OpenError> {
    let mut ample_percent = AMPLE_PERCENT;
    options.read("ample-percent", &mut ample_percent)?;
    let object_memory_bytes =
        setup.object_memory_bytes.unwrap_or(setup.live_bytes / 100 * ample_percent);
    let mut preset = Preset::Best;
    options.read_one_of("preset", &mut preset, ["best", "paper"])?;
    let mut config = match preset {
        Preset::Best => Config::best(object_memory_bytes),
        Preset::Paper => Config::paper(object_memory_bytes),
    };
    config.resident = setup.resident;
    options.read("virtual-nodes", &mut config.virtual_nodes)?;
    options.read("segment-bytes", &mut config.segment_bytes)?;
    options.read("block-bytes", &mut config.block_bytes)?;
    options.read("heads", &mut config.heads)?;
    options.read_one_of("head-choice", &mut config.head_choice, HeadChoice::ALL)?;
    options.read_one_of("core-source", &mut config.core_source, CoreSource::ALL)?;
    options.read_one_of("placement", &mut config.placement, Placement::ALL)?;
    options.read_one_of("epoch", &mut config.epoch, EpochClock::ALL)?;
    options.read_one_of("compaction", &mut config.compaction, Compaction::ALL)?;
    options.read("compaction-workers", &mut config.compaction_workers)?;
    options.read("free-low-percent", &mut config.free_low_percent)?;
    options.read("reserve-percent", &mut config.reserve_percent)?;
    options.read_one_of("selection", &mut config.selection, Selection::ALL)?;
    options.read_one_of("survivors", &mut config.survivors, Survivors::ALL)?;
    options.read_one_of("copy", &mut config.copy, CopyRoutine::ALL)?;
    options.read_one_of("update", &mut config.update, Update::ALL)?;
    options.read_one_of("index", &mut config.index, IndexLayout::ALL)?;
    options.read("index-partitions", &mut config.index_partitions)?;
    options.read("resident", &mut config.resident)?;
    options.read("huge-pages", &mut config.huge_pages)?;
    options.read("return-free-memory", &mut config.return_free_memory)?;
    options.read("full-wait-ms", &mut config.full_wait_ms)?;
    options.finish()?;
    let store = Store::open(config).map_err(|error| OpenError::BadSetting {
        setting: "configuration".to_owned(),
        value: error.to_string(),
        accepted: "see the documentation of nibble::Config".to_owned(),
    })?;
    Ok(NibbleEngine { store })
}

/// The copy routine named by the setting `copy`, or the default one.
pub(crate) fn copy_routine(options: &BTreeMap<String, String>) -> Result<CopyRoutine, OpenError> {
    let mut options = Options::new(options);
    let mut routine = Config::best(0).copy;
    options.read_one_of("copy", &mut routine, CopyRoutine::ALL)?;
    options.finish()?;
    Ok(routine)
}

impl KvEngine for NibbleEngine {
    const TRAITS: EngineTraits = EngineTraits {
        name: "nibble",
        description: "log-structured, per-core heads, epochs, background compaction (append)",
        full: FullMeaning::Refuse,
        memory_bound: MemoryBound::Soft,
        page_bytes: HUGE_PAGE_BYTES,
        batches: true,
        ..EngineTraits::BASE
    };

    type Session<'engine> = NibbleSession<'engine>;

    fn session(&self) -> Result<NibbleSession<'_>, SessionError> {
        match self.store.session() {
            Ok(session) => Ok(NibbleSession { session }),
            Err(error) => Err(SessionError::TooManySessions { limit: error.limit }),
        }
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
        vec![
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
            Setting::new("index", config.index),
            Setting::new("index-partitions", config.index_partitions),
            Setting::new("resident", config.resident),
            Setting::new("huge-pages", config.huge_pages),
            Setting::new("return-free-memory", config.return_free_memory),
            Setting::new("full-wait-ms", config.full_wait_ms),
        ]
    }

    fn check(&self) -> Result<(), String> {
        self.store.check().map(|_| ())
    }
}

/// One thread's session with a Nibble store.
#[derive(Debug)]
pub(crate) struct NibbleSession<'store> {
    session: nibble::Session<'store>,
}

impl KvSession for NibbleSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        self.session.get(key, buffer).map_err(|error| GetError::BufferTooShort {
            value_bytes: error.value_bytes,
            buffer_bytes: error.buffer_bytes,
        })
    }

    #[inline]
    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        match self.session.put(key, value) {
            Ok(stored) => Ok(outcome_of(stored)),
            Err(nibble::PutError::Full) => Ok(PutOutcome::Full),
            Err(nibble::PutError::ValueTooLarge { value_bytes, limit_bytes }) => {
                Err(PutError::ValueTooLarge { value_bytes, limit_bytes })
            }
        }
    }

    #[inline]
    fn delete(&mut self, key: u64) -> bool {
        self.session.delete(key)
    }

    fn execute(
        &mut self,
        operations: &[Op<'_>],
        buffers: &mut ValueBuffers<'_>,
        outcomes: &mut [Outcome],
    ) {
        self.session.execute(&mut Asked { operations, buffers, outcomes });
    }
}

fn outcome_of(stored: nibble::Put) -> PutOutcome {
    match stored {
        nibble::Put::Inserted => PutOutcome::Inserted,
        nibble::Put::Updated => PutOutcome::Updated,
    }
}

/// A batch of the contract in the form the engine takes.
struct Asked<'a, 'b> {
    operations: &'a [Op<'a>],
    buffers: &'a mut ValueBuffers<'b>,
    outcomes: &'a mut [Outcome],
}

impl Batch for Asked<'_, '_> {
    fn len(&self) -> usize {
        self.operations.len()
    }

    #[inline]
    fn operation(&self, index: usize) -> Operation<'_> {
        match self.operations[index] {
            Op::Get { key } => Operation::Get { key },
            Op::Put { key, value } => Operation::Put { key, value },
            Op::Delete { key } => Operation::Delete { key },
        }
    }

    #[inline]
    fn buffer(&mut self, index: usize) -> &mut [u8] {
        self.buffers.slot(index)
    }

    #[inline]
    fn answer(&mut self, index: usize, answer: Answer) {
        self.outcomes[index] = match answer {
            Answer::Found(value_bytes) => Outcome::Found(value_bytes),
            Answer::Absent => Outcome::Absent,
            Answer::TooShort { value_bytes } => Outcome::BufferTooShort(value_bytes),
            Answer::Stored(stored) => Outcome::Put(outcome_of(stored)),
            Answer::Refused(nibble::PutError::Full) => Outcome::Put(PutOutcome::Full),
            Answer::Refused(nibble::PutError::ValueTooLarge { .. }) => Outcome::ValueTooLarge,
            Answer::Deleted(was_there) => Outcome::Deleted(was_there),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::made_up::setup;

    #[test]
    fn rows_say_which_pages_the_store_was_asked_for() {
        for (huge, page_bytes) in [("true", HUGE_PAGE_BYTES), ("false", PAGE_BYTES)] {
            assert_eq!(
                open(&setup(&[("huge-pages", huge)])).unwrap().presence().page_bytes,
                page_bytes
            );
        }
    }

    #[test]
    fn a_choice_that_does_not_exist_is_answered_with_those_that_do() {
        for (knob, value, accepted) in [
            ("preset", "fast", "best, paper"),
            ("index", "tags", "text, keyed, tagged"),
            ("epoch", "global", "thread-ticks, global-counter, thread-counter"),
            ("compaction", "none", "background, inline"),
            ("heads", "two", "whole numbers"),
            ("huge-pages", "yes", "true and false"),
        ] {
            let message = open(&setup(&[(knob, value)])).unwrap_err().to_string();
            let expected = format!("setting `{knob}` = `{value}`: accepted are {accepted}");
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}
