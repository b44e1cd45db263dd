//! The identity of a row, as one number: the cell, the program, the versions of the systems under test,
//! and the class of the machine. Rows belong together if all of these are equal. A run is resumed only by
//! the program, and on the kind of machine, that began it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::MachineRecord;
use crate::{Cell, System};

/// Facts of the program that distinguish two builds.
const PROGRAM_FACTS: [&str; 2] = ["revision", "program-version"];

/// Facts of the machine and the build that determine results, taken verbatim. Others vary from minute to
/// minute, or change no number.
const CLASS_FACTS: [&str; 8] = [
    "cpu",
    "cores",
    "kernel",
    "compiler",
    "compiler-flags",
    "opt-level",
    "target-features",
    "build-profile",
];

/// The facts by which machines, and builds for them, count as alike: `cpu`, `cores`, `kernel`,
/// `compiler`, `compiler-flags`, `opt-level`, `target-features`, `build-profile`, `memory-gib` (rounded),
/// and `transparent-huge-pages` (the mode in force). Unknown facts are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EnvironmentClass {
    pub facts: BTreeMap<String, String>,
}

impl EnvironmentClass {
    #[must_use]
    pub fn of(machine: &MachineRecord) -> Self {
        Self::of_facts(&machine.facts)
    }

    /// The class of a machine with these facts.
    #[must_use]
    pub fn of_facts(known: &BTreeMap<String, String>) -> Self {
        let mut facts = chosen(known, &CLASS_FACTS);
        let known = |name: &str| known.get(name);
        if let Some(mib) = known("memory-mib").and_then(|text| text.parse::<u64>().ok()) {
            facts.insert("memory-gib".to_owned(), ((mib + 512) >> 10).to_string());
        }
        if let Some(modes) = known("transparent-huge-pages") {
            facts.insert("transparent-huge-pages".to_owned(), mode_in_force(modes).to_owned());
        }
        Self { facts }
    }
}

/// What all rows of a run share.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Provenance {
    /// The program: `revision` (with `-dirty` for uncommitted changes) and `program-version`.
    pub program: BTreeMap<String, String>,
    /// The machine and the build.
    pub environment: EnvironmentClass,
    /// Versions of the allocators under test, if known before one is opened.
    pub engines: BTreeMap<String, String>,
}

/// A fact in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub fact: String,
    pub first: String,
    pub second: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: `{}` and `{}`", self.fact, self.first, self.second)
    }
}

impl Provenance {
    /// The provenance of `cells` measured by this program on `machine`. `version_of` returns an
    /// allocator's version by its name.
    #[must_use]
    pub fn of(
        machine: &MachineRecord,
        cells: &[Cell],
        version_of: impl Fn(&str) -> Option<String>,
    ) -> Self {
        let names: BTreeSet<&str> = cells.iter().filter_map(|cell| heap_of(&cell.system)).collect();
        let version = |name: &str| Some((name.to_owned(), version_of(name)?));
        Self {
            program: chosen(&machine.facts, &PROGRAM_FACTS),
            environment: EnvironmentClass::of(machine),
            engines: names.into_iter().filter_map(version).collect(),
        }
    }

    /// The identity of `cell`'s rows: 16 hexadecimal digits.
    #[must_use]
    pub fn identity(&self, cell: &Cell) -> String {
        let engine = heap_of(&cell.system).and_then(|name| self.engines.get(name));
        let whole = (&self.program, &self.environment, engine, cell);
        let text = serde_json::to_string(&whole).expect("plain data");
        digest(text.as_bytes())
    }

    /// All facts that differ from `other`'s, sorted by their subject.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let pairs = [
            (&self.program, &other.program),
            (&self.environment.facts, &other.environment.facts),
            (&self.engines, &other.engines),
        ];
        let mut differences = Vec::new();
        for (first, second) in pairs {
            let facts: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
            for fact in facts.into_iter().filter(|fact| first.get(*fact) != second.get(*fact)) {
                let value = |facts: &BTreeMap<String, String>| {
                    facts.get(fact).map_or("unknown", String::as_str).to_owned()
                };
                let (first, second) = (value(first), value(second));
                differences.push(Difference { fact: fact.clone(), first, second });
            }
        }
        differences
    }

    /// Whether the program was built from a commit. Builds from uncommitted changes, or outside a
    /// checkout, cannot be told apart.
    #[must_use]
    pub fn names_a_commit(&self) -> bool {
        let vague = |text: &String| text.ends_with("-dirty") || text.starts_with("unknown");
        self.program.get("revision").is_some_and(|revision| !vague(revision))
    }
}

/// The allocator that a system is, or is built on.
fn heap_of(system: &System) -> Option<&str> {
    match system {
        System::Heap { name, .. } => Some(name),
        System::Store { heap, .. } => heap.as_deref(),
        System::Kernel | System::Way { .. } => None,
    }
}

fn chosen(facts: &BTreeMap<String, String>, names: &[&str]) -> BTreeMap<String, String> {
    let known = facts.iter().filter(|(name, _)| names.contains(&name.as_str()));
    known.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// `madvise` of `always [madvise] never`.
fn mode_in_force(modes: &str) -> &str {
    let marked = modes.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    marked.map_or(modes, |(mode, _)| mode)
}

/// 16 hexadecimal digits for `bytes`. Both halves of the hash are combined: 64 bits suffice for any number of
/// cells, and 32 digits are hard to read.
pub(crate) fn digest(bytes: &[u8]) -> String {
    let hash = fnv1a(bytes);
    format!("{:016x}", (hash >> 64) as u64 ^ hash as u64)
}

/// 128-bit FNV-1a, written out because identities must stay the same for years.
fn fnv1a(bytes: &[u8]) -> u128 {
    const START: u128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    bytes.iter().fold(START, |hash, &byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Driver, KeyValue, Work};
    use workloads::requests::Workload;

    fn cell() -> Cell {
        Cell {
            id: "key-value/uniform/heapstore:mimalloc/0".to_owned(),
            system: System::Store {
                name: "heapstore".to_owned(),
                heap: Some("mimalloc".to_owned()),
                options: BTreeMap::new(),
            },
            work: Work::KeyValue(KeyValue {
                records: 1000,
                threads: 2,
                operations_per_thread: 1000,
                ..KeyValue::plain(Workload::by_name("get-50").unwrap(), 64 << 20)
            }),
            seed: 42,
            repetition: 0,
            sampling: true,
            timeout_ms: 60_000,
            memory_limit_bytes: 1 << 30,
            counters: false,
        }
    }

    fn machine() -> MachineRecord {
        let facts = [
            ("cpu", "Made-up processor"),
            ("cores", "2"),
            ("memory-mib", "7900"),
            ("kernel", "6.1.0"),
            ("transparent-huge-pages", "always [madvise] never"),
            ("compiler", "rustc 1.90.0"),
            ("build-profile", "release"),
            ("compiler-flags", "-C target-cpu=native"),
            ("opt-level", "3"),
            ("target-features", "avx2,fxsr"),
            ("revision", "0123456789ab"),
            ("program-version", "0.1.0"),
            ("load-average", "0.1 0.2 0.3 1/100 4242"),
        ];
        let facts = facts.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        MachineRecord { facts }
    }

    fn provenance(machine: &MachineRecord) -> Provenance {
        let engines = BTreeMap::from([("mimalloc".to_owned(), "mimalloc 2.2.0".to_owned())]);
        Provenance { engines, ..Provenance::of(machine, &[], |_| None) }
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv1a(b""), 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D);
        assert_eq!(fnv1a(b"a"), 0xD228_CB69_6F1A_8CAF_7891_2B70_4E4A_8964);
    }

    /// A change that breaks this test makes every existing run folder unresumable.
    #[test]
    fn the_identity_of_a_cell_is_the_same_for_ever() {
        assert_eq!(provenance(&machine()).identity(&cell()), "34365a0883994a84");
    }

    #[test]
    fn whatever_decides_a_number_changes_the_identity() {
        let known = provenance(&machine()).identity(&cell());
        for fact in PROGRAM_FACTS.iter().chain(&CLASS_FACTS) {
            let mut other = machine();
            other.facts.insert((*fact).to_owned(), "another".to_owned());
            assert_ne!(provenance(&other).identity(&cell()), known, "{fact}");
        }
        for (fact, value) in
            [("memory-mib", "15800"), ("transparent-huge-pages", "[always] madvise never")]
        {
            let mut other = machine();
            other.facts.insert(fact.to_owned(), value.to_owned());
            assert_ne!(provenance(&other).identity(&cell()), known, "{fact}");
        }
        let mut other = provenance(&machine());
        other.engines.insert("mimalloc".to_owned(), "mimalloc 2.3.0".to_owned());
        assert_ne!(other.identity(&cell()), known, "version of the allocator");
        let change: [fn(&mut Cell); 4] = [
            |cell| cell.seed += 1,
            |cell| cell.repetition += 1,
            |cell| cell.memory_limit_bytes += 1,
            |cell| {
                if let Work::KeyValue(work) = &mut cell.work {
                    work.driver = Driver::Closed { batch: 2 };
                }
            },
        ];
        for (place, change) in change.iter().enumerate() {
            let mut other = cell();
            change(&mut other);
            assert_ne!(provenance(&machine()).identity(&other), known, "change {place}");
        }
    }

    #[test]
    fn what_varies_from_minute_to_minute_does_not() {
        let known = provenance(&machine()).identity(&cell());
        let mut other = machine();
        other.facts.insert("load-average".to_owned(), "9 9 9 1/100 4243".to_owned());
        other.facts.insert("memory-mib".to_owned(), "7890".to_owned());
        assert_eq!(provenance(&other).identity(&cell()), known);
    }

    #[test]
    fn differences_name_both_values() {
        let mut other = machine();
        other.facts.insert("revision".to_owned(), "ba9876543210-dirty".to_owned());
        other.facts.remove("kernel");
        let (first, second) = (provenance(&machine()), provenance(&other));
        let said: Vec<String> =
            first.differences(&second).iter().map(ToString::to_string).collect();
        let expected =
            ["revision: `0123456789ab` and `ba9876543210-dirty`", "kernel: `6.1.0` and `unknown`"];
        assert_eq!(said, expected);
        assert!(first.names_a_commit() && !second.names_a_commit());
        assert!(!Provenance::default().names_a_commit());
        assert!(first.differences(&first).is_empty());
    }

    #[test]
    fn versions_of_allocators_are_known_before_they_are_opened() {
        let version_of = |name: &str| (name == "mimalloc").then(|| "mimalloc 2.2.0".to_owned());
        let engines = Provenance::of(&machine(), &[cell()], version_of).engines;
        assert_eq!(engines["mimalloc"], "mimalloc 2.2.0");
        assert!(Provenance::of(&machine(), &[cell()], |_| None).engines.is_empty());
    }
}
