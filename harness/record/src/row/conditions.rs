//! Conditions that two stores must share before they are ranked.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Durability;
use crate::dimensions::in_bytes;

/// The conditions under which a store answered. A difference in any field can change the numbers for
/// reasons other than the store's design.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Conditions {
    /// Requested page size.
    pub page_bytes: u64,
    /// Where a key's hash is computed: `none`, `store`, `client-and-server`.
    pub hashing: String,
    /// What keys are: `words`, byte strings of so many bytes, such as `16` or `8-64`, or `trace`: the texts
    /// of a trace.
    #[serde(default = "words", skip_serializing_if = "are_words")]
    pub keys: String,
    /// Whether a GET copies the value out; the contract asks for it.
    pub copy_out: bool,
    /// Threads that send requests.
    pub client_threads: u64,
    /// The store's own threads in the same process.
    pub store_threads: u64,
    /// Processes that the store starts.
    pub servers: u64,
    /// Operations per call.
    pub batch: u64,
    /// How requests reach the store: `call` or `unix-socket`.
    pub transport: String,
    /// Which thread may send which request: `any-thread`, `steered` (each request is dealt to the worker
    /// of its key before the clock starts), `steered-writes`.
    pub steering: String,
    /// What survives the store's end: `false`, `queued` (what was written until some moment before its
    /// process was killed), `process` (all that was answered before that), `acknowledged` (all that was
    /// answered before the system ended).
    pub durable: Durability,
    /// Where objects are: `memory`, `emulated-persistent-memory`, `disk`, or `files-in-memory`, where a
    /// store for disks has its files on a tmpfs.
    #[serde(default = "memory", skip_serializing_if = "is_memory")]
    pub storage: String,
    /// What PUT and DELETE say of their key: `telling`, whether it was there, or `blind`, because to know
    /// would mean to look it up.
    #[serde(default = "telling", skip_serializing_if = "is_telling")]
    pub writes: String,
    /// How requests that read a record and overwrite it are carried out, if there are any: `atomic`, or
    /// `get-then-put`, so that what others write in between is lost.
    #[serde(default = "get_then_put", skip_serializing_if = "is_get_then_put")]
    pub rmw: String,
    /// What snapshots show, if requests take any: `linearizable`, all that was acknowledged before, or
    /// `consistent`, some moment that may be earlier; `none` if none are taken.
    #[serde(default = "none", skip_serializing_if = "is_none")]
    pub snapshots: String,
    /// How strictly the configured capacity binds: `hard`, `soft`, `none`.
    pub memory_bound: String,
    /// What happens when memory is exhausted: `refuses`, `evicts`, `grows`.
    pub when_full: String,
}

/// What keys of most cells are, and of all that rows without the field are of.
const WORDS: &str = "words";

/// What keys are where a trace is replayed with its own.
pub const TRACE_KEYS: &str = "trace";

fn words() -> String {
    WORDS.to_owned()
}

fn are_words(keys: &str) -> bool {
    keys == WORDS
}

/// Where objects of most stores are, and of all that rows without the field are of.
const MEMORY: &str = "memory";

fn memory() -> String {
    MEMORY.to_owned()
}

fn is_memory(storage: &str) -> bool {
    storage == MEMORY
}

/// What writes of most stores are, and of all that rows without the field are of.
const TELLING: &str = "telling";

fn telling() -> String {
    TELLING.to_owned()
}

fn is_telling(writes: &str) -> bool {
    writes == TELLING
}

/// How the driver carries out what a store cannot, and how all did of which rows are without the field.
const GET_THEN_PUT: &str = "get-then-put";

fn get_then_put() -> String {
    GET_THEN_PUT.to_owned()
}

fn is_get_then_put(rmw: &str) -> bool {
    rmw == GET_THEN_PUT
}

/// What snapshots show where none are taken, and in all rows without the field.
const NONE: &str = "none";

fn none() -> String {
    NONE.to_owned()
}

fn is_none(snapshots: &str) -> bool {
    snapshots == NONE
}

impl Conditions {
    /// Everything except what the suite varies (clients and batch), field by field as text.
    fn said(&self) -> [(&'static str, String); 15] {
        let pages = match self.page_bytes {
            bytes if bytes >= 1 << 20 => format!("{} MiB pages", bytes >> 20),
            bytes => format!("{} KiB pages", bytes >> 10),
        };
        [
            ("pages", pages),
            (
                "hashing",
                match self.hashing.as_str() {
                    "none" => "keys are compared, not hashed".to_owned(),
                    "store" => "hashes in the store".to_owned(),
                    _ => "hashes in client and server".to_owned(),
                },
            ),
            (
                KEYS,
                match self.keys.as_str() {
                    WORDS => "8-byte words as keys".to_owned(),
                    TRACE_KEYS => "the trace's texts as keys".to_owned(),
                    sizes => format!("keys of {}", in_bytes(sizes)),
                },
            ),
            ("copy-out", if self.copy_out { "copies out" } else { "hands out references" }.into()),
            (
                "threads",
                match self.store_threads {
                    0 => "no thread of its own".to_owned(),
                    1 => "1 thread of its own".to_owned(),
                    more => format!("{more} threads of its own"),
                },
            ),
            (
                "servers",
                match self.servers {
                    0 => "no server process".to_owned(),
                    1 => "1 server process".to_owned(),
                    more => format!("{more} server processes"),
                },
            ),
            ("transport", if self.transport == "call" { "a call" } else { "a UNIX socket" }.into()),
            (
                "steering",
                match self.steering.as_str() {
                    "any-thread" => "any thread asks for any key".to_owned(),
                    "steered" => "requests dealt to the worker of their key".to_owned(),
                    _ => "writes dealt to the worker of their key".to_owned(),
                },
            ),
            ("durable", self.durable.told().to_owned()),
            (
                STORAGE,
                match self.storage.as_str() {
                    MEMORY => "objects in memory".to_owned(),
                    "emulated-persistent-memory" => "persistent memory, emulated".to_owned(),
                    "disk" => "objects on a disk".to_owned(),
                    _ => "files for a disk, in memory".to_owned(),
                },
            ),
            (
                WRITES,
                match self.writes.as_str() {
                    TELLING => "writes tell what was there",
                    _ => "blind writes",
                }
                .to_owned(),
            ),
            (
                RMW,
                match self.rmw.as_str() {
                    GET_THEN_PUT => "a GET and then a PUT for a read-modify-write",
                    _ => "atomic read-modify-writes",
                }
                .to_owned(),
            ),
            (
                SNAPSHOTS,
                match self.snapshots.as_str() {
                    NONE => "no snapshots are taken",
                    "linearizable" => "snapshots of a moment within the call",
                    _ => "snapshots of a moment that may be earlier",
                }
                .to_owned(),
            ),
            (
                "bound",
                match self.memory_bound.as_str() {
                    "hard" => "capacity binds all memory".to_owned(),
                    "soft" => "capacity binds objects".to_owned(),
                    _ => "no capacity".to_owned(),
                },
            ),
            ("when full", format!("{} when full", self.when_full)),
        ]
    }

    /// What may change a comparison by itself, whatever the designs: pages, transport, who may ask for which
    /// key, durability, keys if they are not words, where objects are if not in memory, whether writes are
    /// blind, whether read-modify-writes are atomic, and what snapshots show.
    #[must_use]
    pub fn that_matter(&self) -> BTreeMap<String, String> {
        const MATTER: [&str; 4] = ["pages", "transport", "steering", "durable"];
        let unusual = [
            (KEYS, !are_words(&self.keys)),
            (STORAGE, !is_memory(&self.storage)),
            (WRITES, !is_telling(&self.writes)),
            (RMW, !is_get_then_put(&self.rmw)),
            (SNAPSHOTS, !is_none(&self.snapshots)),
        ];
        let words = self
            .said()
            .into_iter()
            .filter(|(name, _)| MATTER.contains(name) || unusual.contains(&(name, true)));
        words.map(|(name, text)| (name.to_owned(), text)).collect()
    }

    /// The differences from `other`, as text; clients and batch are left out.
    #[must_use]
    pub fn beside(&self, other: &Self) -> Vec<String> {
        let pairs = self.said().into_iter().zip(other.said());
        pairs.filter(|(own, other)| own != other).map(|(own, _)| own.1).collect()
    }
}

/// The name of what keys are.
const KEYS: &str = "keys";
/// The name of where objects are.
const STORAGE: &str = "storage";
/// The name of what writes say.
const WRITES: &str = "writes";
/// The name of how records are read and overwritten.
const RMW: &str = "rmw";
/// The name of what snapshots show.
const SNAPSHOTS: &str = "snapshots";

/// The most common value of each field: the conditions against which others are marked. On a tie the
/// first in order wins; `None` for an empty list.
#[must_use]
pub fn most_common(all: &[&Conditions]) -> Option<Conditions> {
    fn mode<T: Ord + Clone>(all: &[&Conditions], of: impl Fn(&Conditions) -> T) -> T {
        let values: Vec<T> = all.iter().map(|one| of(one)).collect();
        let distinct: BTreeSet<&T> = values.iter().collect();
        let count = |value: &T| values.iter().filter(|other| *other == value).count();
        // `max_by_key` returns the last of equal maxima, hence the reversed order.
        let most = distinct.into_iter().rev().max_by_key(|value| count(value));
        most.expect("there is at least one").clone()
    }
    if all.is_empty() {
        return None;
    }
    Some(Conditions {
        page_bytes: mode(all, |one| one.page_bytes),
        hashing: mode(all, |one| one.hashing.clone()),
        keys: mode(all, |one| one.keys.clone()),
        copy_out: mode(all, |one| one.copy_out),
        client_threads: mode(all, |one| one.client_threads),
        store_threads: mode(all, |one| one.store_threads),
        servers: mode(all, |one| one.servers),
        batch: mode(all, |one| one.batch),
        transport: mode(all, |one| one.transport.clone()),
        steering: mode(all, |one| one.steering.clone()),
        durable: mode(all, |one| one.durable),
        storage: mode(all, |one| one.storage.clone()),
        writes: mode(all, |one| one.writes.clone()),
        rmw: mode(all, |one| one.rmw.clone()),
        snapshots: mode(all, |one| one.snapshots.clone()),
        memory_bound: mode(all, |one| one.memory_bound.clone()),
        when_full: mode(all, |one| one.when_full.clone()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up::plain_conditions;

    #[test]
    fn keys_of_a_trace_are_told_in_words() {
        let (plain, mut trace) = (plain_conditions(), plain_conditions());
        trace.keys = TRACE_KEYS.to_owned();
        assert_eq!(trace.beside(&plain), ["the trace's texts as keys"]);
        assert_eq!(plain.beside(&trace), ["8-byte words as keys"]);
    }

    #[test]
    fn every_field_that_differs_is_told_and_no_other() {
        let plain = plain_conditions();
        assert!(plain.beside(&plain).is_empty());
        let other = Conditions {
            page_bytes: 2 << 20,
            hashing: "none".to_owned(),
            keys: "8-64".to_owned(),
            copy_out: false,
            client_threads: 7,
            store_threads: 1,
            servers: 2,
            batch: 64,
            transport: "unix-socket".to_owned(),
            steering: "steered".to_owned(),
            durable: Durability::Acknowledged,
            storage: "disk".to_owned(),
            writes: "blind".to_owned(),
            rmw: "atomic".to_owned(),
            snapshots: "consistent".to_owned(),
            memory_bound: "none".to_owned(),
            when_full: "evicts".to_owned(),
        };
        assert_eq!(
            other.beside(&plain),
            [
                "2 MiB pages",
                "keys are compared, not hashed",
                "keys of 8-64 B",
                "hands out references",
                "1 thread of its own",
                "2 server processes",
                "a UNIX socket",
                "requests dealt to the worker of their key",
                "durable when answered",
                "objects on a disk",
                "blind writes",
                "atomic read-modify-writes",
                "snapshots of a moment that may be earlier",
                "no capacity",
                "evicts when full",
            ]
        );
    }

    /// Rows that were made before stores on disks, blind writes, atomic ones, snapshots or other keys than
    /// words say nothing of them, and stay what they were.
    #[test]
    fn what_is_usual_goes_without_saying() {
        let plain = plain_conditions();
        let text = serde_json::to_string(&plain).unwrap();
        let unsaid = [STORAGE, WRITES, RMW, SNAPSHOTS, "keys"];
        assert!(unsaid.iter().all(|name| !text.contains(name)), "{text}");
        assert_eq!(serde_json::from_str::<Conditions>(&text).unwrap(), plain);
        assert!(!plain.that_matter().contains_key(STORAGE));
        let files = Conditions { storage: "files-in-memory".to_owned(), ..plain.clone() };
        let text = serde_json::to_string(&files).unwrap();
        assert_eq!(serde_json::from_str::<Conditions>(&text).unwrap(), files);
        assert_eq!(files.that_matter()[STORAGE], "files for a disk, in memory");
        assert_eq!(files.beside(&plain), ["files for a disk, in memory"]);
        let blind = Conditions { writes: "blind".to_owned(), ..plain.clone() };
        let text = serde_json::to_string(&blind).unwrap();
        assert_eq!(serde_json::from_str::<Conditions>(&text).unwrap(), blind);
        assert_eq!(blind.that_matter()[WRITES], "blind writes");
        let looks = Conditions { snapshots: "linearizable".to_owned(), ..plain };
        let text = serde_json::to_string(&looks).unwrap();
        assert_eq!(serde_json::from_str::<Conditions>(&text).unwrap(), looks);
        assert_eq!(looks.that_matter()[SNAPSHOTS], "snapshots of a moment within the call");
    }

    #[test]
    fn the_most_common_is_found_field_by_field() {
        let plain = plain_conditions();
        let one = Conditions { store_threads: 1, ..plain.clone() };
        let two = Conditions { page_bytes: 2 << 20, ..plain.clone() };
        let common = most_common(&[&one, &two, &plain]).unwrap();
        assert_eq!(common, plain, "each of the others differs in a field of its own");
        assert_eq!(most_common(&[]), None);
    }
}
