//! A suite: one question as TOML. The wire types are strict: an unknown key is an error that
//! names the file, the line and the keys that are allowed.

use std::collections::BTreeSet;
use std::fmt;

use serde::Deserialize;
use toml::de::DeTable;
use workloads::fragmentation::Pattern;
use workloads::requests::Workload;

use super::bytes::Bytes;
use super::family::Family;
use super::key_value::{KeyValueGrid, take_knobs, take_settings};
use super::lists::check_lists;
use super::replay::ReplayGrid;
use super::threads::Threads;
use record::{Basis, Between, Frees, Observe, Spaces};

/// A question and the grids of cells that answer it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Suite {
    /// Name: the file's stem.
    #[serde(skip)]
    pub name: String,
    /// What the suite asks, in a sentence.
    pub question: String,
    /// Where the question comes from.
    #[serde(default)]
    pub source: String,
    /// Seed of every random choice.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Time after which a cell is killed, at the scale `quick`; longer at larger scales.
    #[serde(default = "default_timeout_s")]
    pub timeout_s: u64,
    /// Patterns of the suite's own, usable by name beside P1–P6 and W1–W8.
    #[serde(default, rename = "pattern")]
    pub patterns: Vec<Pattern>,
    /// Fragmentation cells.
    #[serde(default)]
    pub fragmentation: Vec<FragmentationGrid>,
    /// Workloads of the suite's own, usable by name beside the built-in ones.
    #[serde(default, rename = "workload")]
    pub workloads: Vec<Workload>,
    /// Key-value cells.
    #[serde(default)]
    pub key_value: Vec<KeyValueGrid>,
    /// Cells of a copy routine alone.
    #[serde(default)]
    pub copy: Vec<CopyGrid>,
    /// Cells that map regions.
    #[serde(default)]
    pub mapping: Vec<MappingGrid>,
    /// Cells that follow pointers.
    #[serde(default)]
    pub chase: Vec<ChaseGrid>,
    /// Cells that reach memory in windows.
    #[serde(default)]
    pub windows: Vec<WindowsGrid>,
    /// Cells that touch random pages.
    #[serde(default)]
    pub touch: Vec<TouchGrid>,
    /// Replays of allocation traces.
    #[serde(default)]
    pub allocations: Vec<AllocationGrid>,
    /// Replays of traces of requests.
    #[serde(default)]
    pub replay: Vec<ReplayGrid>,
    /// What it is measured together with.
    #[serde(default)]
    pub family: Family,
    /// Whether the suite is measured only where it is named: it takes long.
    #[serde(default)]
    pub apart: bool,
    /// What `reproduce` measures of it at scale `quick`.
    #[serde(default)]
    pub quick: Quick,
    /// What is drawn of the rows, as the file has it: the crate `report` reads it.
    #[serde(default, rename = "figure")]
    figures: Vec<toml::Table>,
    /// The file's text, which a run keeps; empty where there is no file.
    #[serde(skip)]
    pub text: String,
}

/// What `reproduce` measures of a suite at scale `quick`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quick {
    /// What claims ask at that scale.
    #[default]
    Asked,
    /// All of it: by one process what no claim asks at that scale.
    Once,
    /// All of it, by all processes.
    Whole,
}

/// Every combination of these is a fragmentation cell.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct FragmentationGrid {
    /// Allocators by name; `*` for all.
    #[serde(default)]
    pub heaps: Vec<String>,
    /// Their variants; those an allocator does not have are passed over.
    #[serde(default = "default_variants")]
    pub variants: Vec<String>,
    /// Stores, as `nibble`, `heapstore:jemalloc`, `nibble@block-bytes=16384`.
    #[serde(default)]
    pub stores: Vec<String>,
    /// Patterns by name.
    pub patterns: Vec<String>,
    /// Whether memory is a limit; stores only.
    #[serde(default = "default_basis")]
    pub basis: Vec<Basis>,
    /// Numbers of threads.
    #[serde(default = "default_threads")]
    pub threads: Vec<usize>,
    /// Which thread frees; `other` needs two threads, and is left out with one.
    #[serde(default = "default_frees")]
    pub frees: Vec<Frees>,
    /// When idleness and trimming are observed.
    #[serde(default = "default_observe")]
    pub observe: Vec<Observe>,
    /// Live bytes instead of the scale's, however many objects that is; several of them are an axis.
    /// Those that are more than the scale allows are left out, with a notice.
    #[serde(default)]
    pub live_bytes: Vec<Bytes>,
    /// Length of every key, which then is a byte string, in bytes; without it keys are words. Stores only.
    pub key_bytes: Option<usize>,
    /// Repetitions instead of the scale's, and never more: a larger number is told.
    pub repetitions: Option<u32>,
}

/// Every combination of these is a cell that copies.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CopyGrid {
    /// Stores that have a setting `copy`, as `nibble@copy=rep-movsb`.
    pub stores: Vec<String>,
    /// Bytes of each copy.
    pub copy_bytes: Vec<Bytes>,
}

/// Every combination of these maps and unmaps regions; those whose region is no multiple of the page
/// are left out, with a notice.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct MappingGrid {
    /// Sizes of the regions.
    pub region_bytes: Vec<Bytes>,
    /// Bytes of a page: 4 KiB, 2 MiB or both.
    pub page_bytes: Vec<Bytes>,
    /// Numbers of threads, and those of the machine.
    #[serde(default = "default_mapping_threads")]
    pub threads: Vec<Threads>,
    /// Whether threads share an address space: `one`, `each` or both.
    #[serde(default = "default_spaces")]
    pub spaces: Vec<Spaces>,
}

/// Every combination of these follows pointers through memory; where the memory is no multiple of the
/// page, or more than the scale's stores, it is left out, with a notice.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ChaseGrid {
    /// Memory walked.
    pub memory_bytes: Vec<Bytes>,
    /// Bytes of a page: 4 KiB, 2 MiB or both.
    pub page_bytes: Vec<Bytes>,
    /// Chains followed in turn.
    #[serde(default = "default_threads")]
    pub chains: Vec<usize>,
}

/// Every combination of these reaches a table in windows; where the table is more than the scale allows,
/// or a window is no multiple of what its way needs, it is left out, with a notice.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WindowsGrid {
    /// Ways by name, as `space`, `mp@wait=block`.
    pub ways: Vec<String>,
    /// Numbers of windows.
    pub windows: Vec<usize>,
    /// Bytes of each window.
    pub window_bytes: Vec<Bytes>,
    /// Bytes of a page: 4 KiB, 2 MiB or both.
    #[serde(default = "default_page_bytes")]
    pub page_bytes: Vec<Bytes>,
    /// Updates of each set; 0 for switches alone.
    pub updates: Vec<usize>,
    /// Repetitions instead of the scale's, and never more: a larger number is told.
    pub repetitions: Option<u32>,
}

/// Every combination of these touches random pages.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct TouchGrid {
    /// Numbers of pages.
    pub pages: Vec<u64>,
    /// What happens between two touches: `nothing`, `syscall`, `thread`, `process`, `flush`.
    pub between: Vec<Between>,
}

/// Every combination of these replays an allocation trace.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AllocationGrid {
    /// Allocators by name; `*` for all.
    pub heaps: Vec<String>,
    /// Their variants; those an allocator does not have are passed over.
    #[serde(default = "default_variants")]
    pub variants: Vec<String>,
    /// Traces by name. Those that are not there have no cells.
    pub traces: Vec<String>,
    /// Equal parts of the trace after which memory is observed.
    #[serde(default = "default_samples")]
    pub samples: u32,
    /// Repetitions instead of the scale's, and never more: a larger number is told.
    pub repetitions: Option<u32>,
}

fn default_samples() -> u32 {
    32
}
fn default_mapping_threads() -> Vec<Threads> {
    vec![Threads::Count(1)]
}

fn default_spaces() -> Vec<Spaces> {
    vec![Spaces::One]
}

fn default_page_bytes() -> Vec<Bytes> {
    vec![Bytes(4096)]
}
fn default_seed() -> u64 {
    42
}
fn default_timeout_s() -> u64 {
    60
}
fn default_variants() -> Vec<String> {
    vec!["default".to_owned()]
}
fn default_basis() -> Vec<Basis> {
    vec![Basis::Ample]
}
fn default_threads() -> Vec<usize> {
    vec![1]
}
fn default_frees() -> Vec<Frees> {
    vec![Frees::Own]
}
fn default_observe() -> Vec<Observe> {
    vec![Observe::End]
}
/// A day.
const TIMEOUT_S_MAX: u64 = 86_400;

/// What is wrong with a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteError {
    pub file: String,
    /// What is wrong, with the line where the parser knows it.
    pub message: String,
}

impl fmt::Display for SuiteError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.file, self.message)
    }
}

impl std::error::Error for SuiteError {}

impl Suite {
    /// The traces that it replays, by name.
    pub fn traces(&self) -> impl Iterator<Item = &str> {
        let allocations = self.allocations.iter().flat_map(|grid| &grid.traces);
        let requests = self.replay.iter().flat_map(|grid| &grid.traces);
        allocations.chain(requests).map(String::as_str)
    }

    /// A suite for cells that options describe: nothing but a seed.
    #[must_use]
    pub fn of_options(seed: u64) -> Self {
        Self { name: "options".to_owned(), seed, timeout_s: 120, ..Self::default() }
    }

    /// Refuses names that stand for something else already, and a limit that no cell keeps.
    fn check(&self) -> Result<(), String> {
        let workloads = self
            .workloads
            .iter()
            .map(|own| ("workload", own.name.as_str(), Workload::by_name(&own.name).is_some()));
        let patterns = self
            .patterns
            .iter()
            .map(|own| ("pattern", own.name.as_str(), Pattern::by_name(&own.name).is_some()));
        let mut known = BTreeSet::new();
        for (kind, name, is_built_in) in workloads.chain(patterns) {
            if is_built_in {
                return Err(format!("{kind} `{name}`: a built-in one has that name: take another"));
            }
            if !known.insert((kind, name)) {
                return Err(format!("{kind} `{name}` is there twice: rename one"));
            }
        }
        let Self { timeout_s, .. } = self;
        if !(1..=TIMEOUT_S_MAX).contains(timeout_s) {
            let nearest = (*timeout_s).clamp(1, TIMEOUT_S_MAX);
            return Err(format!(
                "timeout-s = {timeout_s}: must be 1 to {TIMEOUT_S_MAX}; the nearest is {nearest}"
            ));
        }
        Ok(())
    }

    /// Parses `text`, which came from `file`.
    ///
    /// # Errors
    /// [`SuiteError`] with file, line and the allowed keys.
    pub fn parse(file: &str, text: &str) -> Result<Self, SuiteError> {
        let fail = |message: String| SuiteError { file: file.to_owned(), message };
        let at = |start: Option<usize>, message: &str| {
            let line = start.map(|start| text[..start].matches('\n').count() + 1);
            let line = line.map_or(String::new(), |line| format!("line {line}: "));
            fail(format!("{line}{message}"))
        };
        let told =
            |error: toml::de::Error| at(error.span().map(|span| span.start), error.message());
        let mut table = DeTable::parse(text).map_err(told)?;
        let somewhere = |(start, message): (usize, String)| at(Some(start), &message);
        check_lists(table.get_ref()).map_err(somewhere)?;
        let knobs = take_knobs(table.get_mut()).map_err(somewhere)?;
        let settings = take_settings(table.get_mut()).map_err(somewhere)?;
        let mut suite = Self::deserialize(toml::Deserializer::from(table)).map_err(told)?;
        let taken = knobs.into_iter().zip(settings);
        for (grid, (knobs, settings)) in suite.key_value.iter_mut().zip(taken) {
            (grid.knobs, grid.settings) = (knobs, settings);
        }
        suite.name = std::path::Path::new(file)
            .file_stem()
            .map_or_else(|| file.to_owned(), |stem| stem.to_string_lossy().into_owned());
        suite.text = text.to_owned();
        suite.check().map_err(fail)?;
        report::figures::parse(&suite.name, text).map_err(fail)?;
        let measures_nothing = suite.fragmentation.is_empty()
            && suite.key_value.is_empty()
            && suite.copy.is_empty()
            && suite.mapping.is_empty()
            && suite.chase.is_empty()
            && suite.windows.is_empty()
            && suite.touch.is_empty()
            && suite.allocations.is_empty()
            && suite.replay.is_empty();
        if measures_nothing {
            return Err(fail(
                "the suite measures nothing: add a [[fragmentation]], [[key-value]], \
                 [[allocations]] or [[replay]] table"
                    .to_owned(),
            ));
        }
        Ok(suite)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_names_file_line_and_the_allowed_keys() {
        let text =
            "question = \"?\"\n\n[[fragmentation]]\nheap = [\"glibc\"]\npatterns = [\"P1\"]\n";
        let message = Suite::parse("my.toml", text).unwrap_err().to_string();
        assert!(message.starts_with("my.toml: line 4: "), "{message}");
        for word in ["heap", "heaps", "variants", "patterns", "observe"] {
            assert!(message.contains(word), "{word} in {message}");
        }
    }

    #[test]
    fn a_suite_that_measures_nothing_says_what_to_add() {
        let message = Suite::parse("my.toml", "question = \"?\"").unwrap_err().to_string();
        assert!(message.contains("[[fragmentation]]"), "{message}");
    }

    #[test]
    fn a_pattern_that_cannot_be_run_names_line_value_and_remedy() {
        let told = |cycles: &str, delete_percent: u32| {
            let text = format!(
                "question = \"?\"\n\n[[pattern]]\nname = \"again\"\nfirst = \"64\"\n\
                 delete-percent = {delete_percent}\nvolume = \"fill\"\ncycles = {cycles}\n\
                 [[fragmentation]]\nstores = [\"btree\"]\npatterns = [\"again\"]\n"
            );
            Suite::parse("my.toml", &text).map(|_| ()).map_err(|error| error.to_string())
        };
        assert_eq!(told("10", 100), Ok(()));
        for (cycles, delete_percent, wanted) in [
            ("1", 100, "cycles = 1: must be from 2 to 1000; leave it out"),
            ("-3", 100, "integer `-3`, expected u32"),
            ("\"ten\"", 100, "string \"ten\", expected u32"),
            ("10", 0, "delete-percent = 0 with cycles = 10: fillings after the first find no room"),
        ] {
            let message = told(cycles, delete_percent).unwrap_err();
            assert!(message.starts_with("my.toml: line "), "{message}");
            assert!(message.contains(wanted), "{message}");
        }
    }

    #[test]
    fn a_figure_that_cannot_be_drawn_names_line_and_remedy() {
        let told = |figure: &str| {
            let text = format!(
                "question = \"?\"\n\n[[fragmentation]]\nheaps = [\"glibc\"]\npatterns = [\"P1\"]\n\n\
                 [[figure]]\nname = \"mine\"\ntitle = \"Mine\"\ncaption = \"Bars.\"\n{figure}\n"
            );
            Suite::parse("my.toml", &text).map(|_| ()).map_err(|error| error.to_string())
        };
        let script = "script = \"lines\"";
        assert_eq!(told(&format!("build = \"over-threads\"\n{script}")), Ok(()));
        for (figure, line, wanted) in [
            (format!("build = \"over-thread\"\n{script}"), 11, "over-threads"),
            (format!("build = \"over-threads\"\n{script}\ncolour = 1"), 13, "own-axes"),
            ("build = \"over-threads\"\nscript = \"line\"".to_owned(), 12, "lines"),
        ] {
            let message = told(&figure).unwrap_err();
            assert!(message.starts_with(&format!("my.toml: line {line}: ")), "{message}");
            assert!(message.contains(wanted), "{message}");
        }
    }

    #[test]
    fn names_and_limits_mean_what_they_say() {
        let told = |more: &str| {
            let text = format!(
                "question = \"?\"\n{more}\n[[fragmentation]]\nheaps = [\"glibc\"]\n\
                 patterns = [\"P1\"]\n"
            );
            Suite::parse("my.toml", &text).map(|_| ()).map_err(|error| error.to_string())
        };
        let own = |name: &str| {
            format!(
                "[[pattern]]\nname = \"{name}\"\nfirst = \"64\"\ndelete-percent = 50\nvolume = 2.0\n"
            )
        };
        assert_eq!(told(&own("mine")), Ok(()));
        for (more, expected) in [
            (own("P1"), "my.toml: pattern `P1`: a built-in one has that name: take another"),
            (own("mine").repeat(2), "my.toml: pattern `mine` is there twice: rename one"),
            (
                "timeout-s = 0".to_owned(),
                "my.toml: timeout-s = 0: must be 1 to 86400; the nearest is 1",
            ),
        ] {
            assert_eq!(told(&more), Err(expected.to_owned()));
        }
    }

    #[test]
    fn own_patterns_are_read() {
        let text = r#"
            question = "?"
            [[pattern]]
            name = "mine"
            first = "48"
            second = "64-80"
            delete-percent = 50
            volume = 2.0
            [[fragmentation]]
            heaps = ["glibc"]
            patterns = ["mine"]
        "#;
        let suite = Suite::parse("my.toml", text).unwrap();
        assert_eq!(suite.patterns[0].name, "mine");
        assert_eq!(suite.fragmentation[0].threads, [1]);
    }
}
