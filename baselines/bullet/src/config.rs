//! Settings of a store, and the sizes that follow from them.

use std::fmt::Display;
use std::path::PathBuf;
use std::str::FromStr;

use engine::{OpenError, Options, Rule, Setup, Whole};
use platform::persist::{Latency, Medium};

use crate::back;
use crate::heap::BLOCK_LINES_MAX;
use crate::layout::Layout;
use crate::record;
use crate::rung::Rung;

/// Logs, and so sessions, that a store may have.
const LOGS_MAX: u64 = 255;
const LOGS_USUAL: usize = 32;
const LOG_BYTES_USUAL: u64 = 1 << 20;
const LOG_BYTES_MIN: u64 = 64;
const LOG_BYTES_MAX: u64 = 1 << 30;
const FENCE_NS_MAX: u64 = 10_000;
const LOAD_NS_STEP: u64 = 150;
const LOAD_NS_MAX: u64 = 450;
const RECORDS_MAX: u64 = 1 << 36;
const OBJECT_MEMORY_BYTES_MAX: u64 = 1 << 42;

/// The longest value that any store accepts: what a block holds besides a pair's words.
pub(crate) const VALUE_BYTES_MAX: usize = ((BLOCK_LINES_MAX * 8 - back::PAIR_WORDS) * 8) as usize;
/// Object memory ÷ live bytes, where memory is not meant to be a limit.
const AMPLE: u64 = 4;
/// Address space for blocks ÷ what live pairs may take: blocks of one class serve no other.
const SPREAD: u64 = 3;
/// And so much more, for small memories.
const SPARE_BYTES: u64 = 8 << 20;

/// Settings of a [`Bullet`](crate::Bullet).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Which design.
    pub rung: Rung,
    /// What live pairs may take, as blocks of whole lines, in bytes. Indexes, logs and free blocks
    /// come on top.
    pub object_memory_bytes: u64,
    /// Number of pairs that the tables are sized for: one bucket for each. More may be stored, in
    /// longer chains.
    pub records_max: u64,
    /// The longest value that must fit, in bytes. A store accepts what fits a log.
    pub value_bytes_max: usize,
    /// Sessions that are expected at a time; as many gleaners are started.
    pub clients: usize,
    /// Number of logs, and the most sessions at a time: each has a log to itself.
    pub logs: usize,
    /// Size of one log in bytes, whole lines.
    pub log_bytes: u64,
    /// What persistent memory is made of.
    pub medium: Medium,
    /// What it costs beyond DRAM.
    pub latency: Latency,
    /// How often heads of logs move, in microseconds.
    pub epoch_us: u64,
    /// Whether to request 2 MiB pages.
    pub huge_pages: bool,
    /// Where persistent memory is kept; anonymous memory if there is no file.
    pub file: Option<PathBuf>,
}

impl Config {
    /// A rung with 32 logs of 1 MiB, one client, emulated memory of the usual latency.
    #[must_use]
    pub fn new(rung: Rung, object_memory_bytes: u64, records_max: u64) -> Self {
        Self {
            rung,
            object_memory_bytes,
            records_max,
            value_bytes_max: 0,
            clients: 1,
            logs: LOGS_USUAL,
            log_bytes: LOG_BYTES_USUAL,
            medium: Medium::Emulated,
            latency: Latency::USUAL,
            epoch_us: 1000,
            huge_pages: true,
            file: None,
        }
    }

    /// The settings of a cell.
    pub(crate) fn read(setup: &Setup, options: &mut Options) -> Result<Self, OpenError> {
        let ample = (setup.live_bytes * AMPLE).max(64 << 20);
        let memory = setup.object_memory_bytes.unwrap_or(ample);
        let mut config = Self::new(Rung::Full, memory, setup.records_max.max(1));
        config.value_bytes_max = setup.value_bytes_max.min(VALUE_BYTES_MAX);
        if config.value_bytes_max < setup.value_bytes_max {
            options.tell(format!(
                "refuses values above {VALUE_BYTES_MAX} bytes: a pair is one block of the heap"
            ));
        }
        config.clients = setup.sessions.max(1);
        config.logs = config.logs.max(config.clients);
        options.one_of("rung", &mut config.rung, Rung::ALL)?;
        options.whole("logs", &mut config.logs, 1..=LOGS_MAX)?;
        options.whole("log-bytes", &mut config.log_bytes, log_bytes())?;
        let mut pm = Kind(config.medium);
        options.one_of("pm", &mut pm, [Kind(Medium::Emulated), Kind(Medium::WriteBack)])?;
        config.medium = pm.0;
        let loads = Whole::multiples_of(LOAD_NS_STEP, 0..=LOAD_NS_MAX);
        options.whole("pm-load-ns", &mut config.latency.load_ns, loads)?;
        options.whole("pm-fence-ns", &mut config.latency.fence_ns, 0..=FENCE_NS_MAX)?;
        options.whole("epoch-us", &mut config.epoch_us, 10..=1_000_000)?;
        options.switch("huge-pages", &mut config.huge_pages)?;
        if config.clients > config.logs {
            return Err(OpenError::Refused {
                setting: "threads".to_owned(),
                value: config.clients.to_string(),
                rule: Rule::Whole((1..=config.logs as u64).into()),
            });
        }
        config.check()?;
        Ok(config)
    }

    /// # Errors
    /// [`OpenError::BadSetting`] for what is out of range, or does not go together.
    pub(crate) fn check(&self) -> Result<(), OpenError> {
        let memory = 64..=OBJECT_MEMORY_BYTES_MAX;
        if !memory.contains(&self.object_memory_bytes) {
            let accepted = format!("64 to {OBJECT_MEMORY_BYTES_MAX}");
            return Err(refused("object_memory_bytes", self.object_memory_bytes, accepted));
        }
        if !(1..=RECORDS_MAX).contains(&self.records_max) {
            return Err(refused("records_max", self.records_max, format!("1 to {RECORDS_MAX}")));
        }
        if !(1..=LOGS_MAX as usize).contains(&self.logs) {
            return Err(refused("logs", self.logs, format!("1 to {LOGS_MAX}")));
        }
        if !(1..=self.logs).contains(&self.clients) {
            let accepted = format!("1 to {}: each client has a log to itself", self.logs);
            return Err(refused("clients", self.clients, accepted));
        }
        let whole_lines = self.log_bytes.is_multiple_of(LOG_BYTES_MIN);
        if !whole_lines || !(LOG_BYTES_MIN..=LOG_BYTES_MAX).contains(&self.log_bytes) {
            return Err(refused("log-bytes", self.log_bytes, log_bytes().to_string()));
        }
        let limit_bytes = value_bytes_max(self.rung, self.log_bytes / 8);
        if self.value_bytes_max > VALUE_BYTES_MAX {
            let accepted = format!("up to {VALUE_BYTES_MAX}");
            return Err(refused("value_bytes_max", self.value_bytes_max, accepted));
        }
        if self.value_bytes_max > limit_bytes {
            let least = 8 * record::record_words(self.value_bytes_max as u64);
            let accepted =
                format!("at least {least}, for a record of {} bytes", self.value_bytes_max);
            return Err(refused("log-bytes", self.log_bytes, accepted));
        }
        Ok(())
    }

    /// What the persistent region looks like.
    pub(crate) fn layout(&self) -> Layout {
        let has_logs = self.rung.has_logs();
        let logs = self.logs as u64;
        let gleaners = if has_logs { self.clients as u64 } else { 0 };
        let layout = Layout {
            words: 0,
            logs,
            log_words: if has_logs { self.log_bytes / 8 } else { 0 },
            buckets: self.records_max,
            // Each session, each gleaner, and who settles.
            slots: logs + gleaners + 1,
            rung: self.rung,
            object_bytes: self.object_memory_bytes,
        };
        Layout { words: layout.heap_at() + spread_words(self.object_memory_bytes), ..layout }
    }
}

/// Address space for pairs that may take so many bytes.
pub(crate) fn spread_words(object_bytes: u64) -> u64 {
    (object_bytes * SPREAD + SPARE_BYTES) / 8
}

/// The longest value that a store accepts: it fits a block, and its record a log.
pub(crate) fn value_bytes_max(rung: Rung, log_words: u64) -> usize {
    if !rung.has_logs() {
        return VALUE_BYTES_MAX;
    }
    let in_log = log_words.saturating_sub(record::HEADER_WORDS) * 8;
    VALUE_BYTES_MAX.min(usize::try_from(in_log).unwrap_or(usize::MAX))
}

fn log_bytes() -> Whole {
    Whole::multiples_of(LOG_BYTES_MIN, LOG_BYTES_MIN..=LOG_BYTES_MAX)
}

fn refused(setting: &str, value: impl Display, accepted: String) -> OpenError {
    OpenError::BadSetting { setting: setting.to_owned(), value: value.to_string(), accepted }
}

/// A medium by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind(pub(crate) Medium);

impl Display for Kind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self.0 {
            Medium::Emulated => "emulated",
            Medium::WriteBack => "clwb",
        })
    }
}

impl FromStr for Kind {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let all = [Self(Medium::Emulated), Self(Medium::WriteBack)];
        all.into_iter().find(|kind| kind.to_string() == text).ok_or(())
    }
}
