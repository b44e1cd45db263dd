//! Every setting of every store: what is refused is refused by plans too, and what is suggested in its
//! place can be had, to the letter.

use std::collections::{BTreeMap, BTreeSet};

use engine::{
    AllocatorChoice, EngineTraits, KvEngine, MemoryBound, OpenError, Rule, Setup, Storage,
};

use kit::folder::is_in_memory;

use crate::registry::{self, StoreVisitor, configured, open_heap, rules, store_traits, with_store};

/// Numbers of which each rule refuses some.
const NUMBERS: [&str; 7] = ["-1", "0", "3", "5", "1000", "2.5", "64k"];

/// What an open store reports.
struct Settings;

impl StoreVisitor for Settings {
    type Output = BTreeMap<String, String>;

    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
        engine.settings().into_iter().map(|setting| (setting.name, setting.value)).collect()
    }
}

fn setup(traits: &EngineTraits, object_memory_bytes: Option<u64>) -> Setup {
    let heap = (traits.allocator == AllocatorChoice::Chosen)
        .then(|| open_heap("glibc").expect("the C library is here"));
    Setup {
        object_memory_bytes,
        live_bytes: 8 << 20,
        records_max: 1 << 14,
        value_bytes_max: 100,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: BTreeMap::new(),
        folder: None,
        heap,
    }
}

fn with(setup: &Setup, name: &str, value: &str) -> Setup {
    let options = BTreeMap::from([(name.to_owned(), value.to_owned())]);
    Setup { options, ..setup.clone() }
}

/// Values that the store can be asked for: the words, and what is suggested for numbers that it refuses.
fn suggested(traits: &EngineTraits, setup: &Setup, name: &str, rule: &Rule) -> Vec<String> {
    let store = traits.name;
    // As many processes are more than this test needs.
    let numbers = NUMBERS.into_iter().filter(|number| !traits.processes || *number != "1000");
    match rule {
        Rule::Switch => ["true", "false"].map(str::to_owned).to_vec(),
        Rule::OneOf(words) => words.clone(),
        Rule::Whole(_) | Rule::Decimal { .. } => {
            let wrong = numbers.filter(|number| !rule.accepts(number));
            let suggestions =
                wrong.filter_map(|number| match configured(store, &with(setup, name, number)) {
                    Err(OpenError::Refused { setting, value, rule }) => {
                        assert_eq!((setting.as_str(), value.as_str()), (name, number), "{store}");
                        rule.nearest(number)
                    }
                    Err(OpenError::BadSetting { .. }) => None,
                    other => panic!("{store}@{name}={number}: {other:?}"),
                });
            suggestions.collect()
        }
    }
}

/// Whether the store was opened with the setting and reports it as asked.
fn is_had(store: &str, setup: &Setup, name: &str, value: &str) -> bool {
    let asked = with(setup, name, value);
    if let Err(error) = configured(store, &asked) {
        // It needs another setting beside it, or another cell, or a disk.
        let is_elsewhere =
            matches!(error, OpenError::BadSetting { .. } | OpenError::Unusable { .. });
        assert!(is_elsewhere, "{store}@{name}={value}: {error}");
        return false;
    }
    match with_store(store, &asked, Settings) {
        Ok(settings) => {
            let told = settings.get(name).map(String::as_str);
            assert_eq!(told, Some(value), "{store}@{name}={value}: {settings:?}");
            true
        }
        Err(OpenError::Missing { what, .. } | OpenError::Unusable { what, .. }) => {
            eprintln!("skipped {store}@{name}={value}: {what}");
            false
        }
        Err(error) => panic!("{store}@{name}={value}: a plan accepts it, and then: {error}"),
    }
}

#[test]
fn what_is_suggested_can_be_had_to_the_letter() {
    for traits in store_traits() {
        let store = traits.name;
        let mut had = BTreeSet::new();
        let mut all = BTreeSet::new();
        // Where memory has no bound, it decides nothing.
        let memories: &[_] = match traits.memory_bound {
            MemoryBound::None => &[None],
            MemoryBound::Hard | MemoryBound::Soft => &[Some(32 << 20), None],
        };
        for &memory in memories {
            let setup = setup(traits, memory);
            for (name, rule) in rules(store, &setup).expect("it opens without settings") {
                all.insert(name);
                for value in suggested(traits, &setup, name, &rule) {
                    // To open a store on a disk is to wait for it: once for each setting.
                    if traits.storage == Storage::Disk && had.contains(name) {
                        continue;
                    }
                    if is_had(store, &setup, name, &value) {
                        had.insert(name);
                    }
                }
            }
        }
        let never: Vec<_> = all.difference(&had).collect();
        assert!(never.is_empty() || traits.may_be_missing, "{store}: never opened with {never:?}");
    }
}

#[test]
fn a_setting_that_does_not_exist_is_refused_by_every_store() {
    for traits in store_traits() {
        let asked = with(&setup(traits, Some(32 << 20)), "nosuch", "1");
        let error = configured(traits.name, &asked).expect_err("there is none");
        let known: Vec<&str> = rules(traits.name, &asked)
            .expect("it opens without settings")
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            error,
            OpenError::UnknownSetting { setting: "nosuch".to_owned(), known },
            "{}",
            traits.name
        );
    }
}

#[test]
fn more_threads_than_a_store_has_sessions_for_are_refused_with_as_many_as_it_has() {
    for (name, most) in [("nibble", 256), ("masstree", 256), ("hybridlog", 256)] {
        let traits = store_traits().iter().find(|traits| traits.name == name).expect("a store");
        let plain = setup(traits, Some(32 << 20));
        assert!(configured(name, &Setup { sessions: most, ..plain.clone() }).is_ok());
        let error = configured(name, &Setup { sessions: most + 1, ..plain }).expect_err("too many");
        let told = "setting `threads` = `257`: accepted are whole numbers from 1 to 256; the nearest is 256";
        assert_eq!(error.to_string(), told);
    }
    let traits = store_traits().iter().find(|traits| traits.name == "lmdb").expect("a store");
    let two = Setup { sessions: 2, ..setup(traits, Some(32 << 20)) };
    let error = configured("lmdb", &with(&two, "sessions", "1")).expect_err("one is too few");
    assert!(
        error.to_string().ends_with("whole numbers from 2 to 65536; the nearest is 2"),
        "{error}"
    );
}

/// Reading the settings takes none of the memory that opening takes: no store is opened by a plan.
#[test]
fn a_heap_that_is_not_opened_suffices_to_read_settings() {
    let plain = setup(&EngineTraits::BASE, Some(32 << 20));
    let asked = Setup { heap: registry::heap("jemalloc"), ..plain };
    assert!(configured("heapstore", &asked).is_ok());
}

/// A store on a disk sizes what it holds itself by the memory that it may use, and takes no more than that.
#[test]
fn memory_for_data_is_limited_for_stores_on_a_disk_alone() {
    const LIMIT_BYTES: u64 = 32 << 20;
    if is_in_memory(&std::env::temp_dir()) {
        println!("skipped: {} is no disk", std::env::temp_dir().display());
        return;
    }
    let mut on_disk = Vec::new();
    for traits in store_traits() {
        let plain = Setup { cache_bytes: Some(LIMIT_BYTES), ..setup(traits, Some(32 << 20)) };
        let known = rules(traits.name, &setup(traits, Some(32 << 20))).expect("it opens");
        let has = |name| known.iter().any(|(known, _)| *known == name);
        let takes_disk = known.iter().any(|(name, rule)| *name == "files" && rule.accepts("disk"));
        let asked = if takes_disk { with(&plain, "files", "disk") } else { plain };
        if !takes_disk && traits.storage != Storage::Disk {
            let error = configured(traits.name, &asked).expect_err("its objects are in memory");
            assert!(error.to_string().starts_with("setting `cache-percent` = "), "{error}");
            continue;
        }
        on_disk.push(traits.name);
        configured(traits.name, &asked).unwrap_or_else(|error| panic!("{}: {error}", traits.name));
        for setting in ["write-buffer-bytes", "block-cache-bytes", "cache-bytes"] {
            let mut more = asked.clone();
            more.options.insert(setting.to_owned(), (LIMIT_BYTES + 4096).to_string());
            if has(setting) {
                let error =
                    configured(traits.name, &more).expect_err("more than the limit").to_string();
                let remedy =
                    format!("of {LIMIT_BYTES} bytes together, which is what cache-percent gives");
                assert!(error.contains(&remedy), "{}: {error}", traits.name);
            }
        }
    }
    on_disk.sort_unstable();
    let all = [
        "clsm",
        "fjall",
        "leveldb",
        "leveldb-partitioned",
        "lmdb",
        "lsm",
        "lsm-partitioned",
        "redb",
        "rocksdb",
        "roofline-disk",
        "silt",
    ];
    assert_eq!(on_disk, all);
}
