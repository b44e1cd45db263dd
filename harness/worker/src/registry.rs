//! Every store and allocator by name. Only this file and `adapters/` know which ones exist; plans and
//! reports consult their traits instead.
//!
//! A store enters the one list, which `for_each_store!` expands, in one of two ways:
//!
//! * it **registers itself**, if it can open itself ([`engine::OpenStore`]): one line under "Stores that
//!   register themselves" in `harness/worker/Cargo.toml`, and its types in its own manifest under
//!   `package.metadata.nibble-bench`. The build script (`harness/worker/build/stores.rs`) reads both and
//!   writes the entries;
//! * it has a **line here**, if it needs an adapter: an opener in `adapters/` that wraps a foreign
//!   interface, reinterprets a cell's settings, or opens one crate as several stores.
//!
//! After that, both kinds are treated the same: names, traits, and conformance tests, unless the crate runs them.

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;

use baseline_embedded::{LevelDb, Lmdb, RocksDb};
use baseline_faulty::Faulty;
use baseline_heapstore::HeapStore;
use baseline_maps::{Congee, Dashmap, Flurry, MapStore, OneTbb, Papaya, Scc, Skiplist, Striped};
use baseline_masstree::Masstree;
use baseline_mica::{Crcw, Crew, Erew, Mica, MicaCache, MicaHandover};
use baseline_null::Null;
use baseline_ramcloud::RamCloud;
use baseline_redis::RedisServers;
use baseline_roofline::Roofline;
use baseline_roofline::disk::DiskRoofline;
use engine::{
    AllocatorChoice, DEFAULT_VARIANT, EngineTraits, Heap, HeapTraits, HeapVariant, KvEngine,
    OpenError, OpenStore, Options, Rule, Setup,
};
use kit::partitions::Partitions;

use crate::adapters::hindered::{HinderedHeapStore, HinderedNibble};
use crate::adapters::nibble::NibbleEngine;
use crate::adapters::{self, Opening};
pub use byte_stores::bytes_store_names;
pub(crate) use byte_stores::with_bytes_store;
use record::unknown_name;
use record::{Role, System};

/// A generic operation on an open store, so that the timed loop is compiled for each engine.
pub trait StoreVisitor {
    type Output;
    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output;
}

// `with_stores_that_register!` and `with_bytes_stores_that_register!`: expand a macro with the lines they are
// given and those of the stores that register themselves.
include!(concat!(env!("OUT_DIR"), "/stores.rs"));

// Behind the lists that it adds to.
mod byte_stores;

/// Expands `$macro!` with every store: `(kind module Type, opener)`. The opener takes a [`Setup`] and its
/// [`Options`], and answers with an [`Opening`]. A store that `keeps` values passes the conformance tests in
/// that module; one that is `tested` passes them in its crate, and here the first of them, as it is opened; one
/// that `prices` the harness or the memory has nothing to conform to.
macro_rules! for_each_store {
    ($macro:ident) => {
        with_stores_that_register! { $macro
            (prices null Null, adapters::null::open),
            (prices roofline Roofline, adapters::roofline::open),
            (prices roofline_disk DiskRoofline, adapters::roofline::disk),
            (keeps nibble NibbleEngine, adapters::nibble::open),
            (tested heapstore HeapStore, adapters::heapstore::open),
            (tested congee MapStore<Congee>, adapters::maps::congee),
            (tested dashmap MapStore<Dashmap>, adapters::maps::dashmap),
            (tested flurry MapStore<Flurry>, adapters::maps::flurry),
            (tested onetbb MapStore<OneTbb>, adapters::maps::onetbb),
            (tested papaya MapStore<Papaya>, adapters::maps::papaya),
            (tested scc MapStore<Scc>, adapters::maps::scc),
            (tested skiplist MapStore<Skiplist>, adapters::maps::skiplist),
            (tested striped MapStore<Striped>, adapters::maps::striped),
            (tested mica Mica<Crcw>, adapters::mica::store),
            (tested mica_crew Mica<Crew>, adapters::mica::store),
            (tested mica_erew Mica<Erew>, adapters::mica::store),
            (tested mica_handover MicaHandover, adapters::mica::handover),
            (tested mica_cache MicaCache<Crcw>, adapters::mica::cache),
            (tested mica_cache_crew MicaCache<Crew>, adapters::mica::cache),
            (tested mica_cache_erew MicaCache<Erew>, adapters::mica::cache),
            (tested masstree Masstree, adapters::masstree::open),
            (tested ramcloud RamCloud, adapters::ramcloud::open),
            (tested rocksdb RocksDb, adapters::embedded::rocksdb),
            (tested leveldb LevelDb, adapters::embedded::leveldb),
            (keeps leveldb_partitioned Partitions<LevelDb>, adapters::embedded::leveldb_partitioned),
            (tested lmdb Lmdb, adapters::embedded::lmdb),
            (tested redis RedisServers, adapters::redis::open),
            (keeps faulty Faulty, adapters::faulty::open),
            (tested hindered HinderedNibble, adapters::hindered::nibble),
            (tested hindered_heapstore HinderedHeapStore, adapters::hindered::heapstore),
        }
    };
}

macro_rules! traits_of_all {
    ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
        &[$(&<$engine as KvEngine>::TRAITS),*]
    };
}

/// Traits of every store, test-only ones included.
#[must_use]
pub fn store_traits() -> &'static [&'static EngineTraits] {
    const TRAITS: &[&EngineTraits] = for_each_store!(traits_of_all);
    TRAITS
}

/// The opener of a store that registers itself.
fn opening_of_its_own<E: OpenStore<Config: 'static>>(
    setup: &Setup,
    options: &mut Options,
) -> Result<Opening<E>, OpenError> {
    let config = E::configure(setup, options)?;
    Ok(Box::new(move || E::open_configured(config)))
}

/// Opens a store by its opener.
pub(crate) fn opened<E>(
    opener: impl FnOnce(&Setup, &mut Options) -> Result<Opening<E>, OpenError>,
    setup: &Setup,
) -> Result<E, OpenError> {
    let mut options = setup.options();
    let opening = opener(setup, &mut options)?;
    options.finish()?;
    opening()
}

/// Reads and checks the settings of the store `name` as opening it does, and opens nothing. What was read
/// is returned.
///
/// # Errors
/// What opening it would refuse: an unknown store or setting, or a value that cannot be had.
pub(crate) fn configured(name: &str, setup: &Setup) -> Result<Options, OpenError> {
    let mut options = setup.options();
    macro_rules! configure_named {
        ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
            $(if name == <$engine as KvEngine>::TRAITS.name {
                let _opening: Opening<$engine> = $open(setup, &mut options)?;
                options.finish()?;
                return Ok(options);
            })*
        };
    }
    for_each_store!(configure_named);
    Err(unknown_store(name))
}

/// The settings of the store `name`, each with the values that it takes in a cell of `setup`.
///
/// # Errors
/// As for a cell without settings: too little memory for the store's own choices.
pub(crate) fn rules(name: &str, setup: &Setup) -> Result<Vec<(&'static str, Rule)>, OpenError> {
    let plain = Setup { options: BTreeMap::new(), ..setup.clone() };
    configured(name, &plain).map(|options| options.rules().to_vec())
}

/// The settings of the store with `traits`, each with the values that it takes where it has so much object
/// memory.
#[must_use]
pub fn rules_within(traits: &EngineTraits, object_memory_bytes: u64) -> Vec<(&'static str, Rule)> {
    let setup = Setup {
        object_memory_bytes: Some(object_memory_bytes),
        live_bytes: object_memory_bytes / 2,
        records_max: object_memory_bytes / 1024,
        value_bytes_max: 1024,
        sessions: 1,
        cache_bytes: None,
        resident: true,
        tells_updates: false,
        options: BTreeMap::new(),
        // Any: it is named, not opened.
        folder: None,
        heap: heaps::all().first().copied(),
    };
    rules(traits.name, &setup).unwrap_or_default()
}

fn unknown_store(name: &str) -> OpenError {
    OpenError::BadSetting {
        setting: "store".to_owned(),
        value: name.to_owned(),
        accepted: store_names().join(", "),
    }
}

/// What this machine lacks of all that some setting of the store `name` needs, each with how to get it.
/// No store is opened.
#[must_use]
pub fn lacking(name: &str) -> Vec<OpenError> {
    macro_rules! lacking_named {
        ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
            $(if name == <$engine as KvEngine>::TRAITS.name {
                return <$engine as KvEngine>::lacking();
            })*
        };
    }
    for_each_store!(lacking_named);
    Vec::new()
}

/// Opens the store `name` and passes it to `visitor`. The store is dropped afterwards, unless its objects
/// are on a heap: to free millions of them one by one takes seconds, and a worker ends with its cells.
///
/// # Errors
/// An invalid name or setting, or something that is missing.
pub fn with_store<V: StoreVisitor>(
    name: &str,
    setup: &Setup,
    visitor: V,
) -> Result<V::Output, OpenError> {
    macro_rules! open_named {
        ($(($kind:ident $module:ident $engine:ty, $open:path)),* $(,)?) => {
            $(if name == <$engine as KvEngine>::TRAITS.name {
                let engine: $engine = opened($open, setup)?;
                let output = visitor.visit(&engine);
                if <$engine as KvEngine>::TRAITS.allocator == AllocatorChoice::Chosen {
                    let _kept = ManuallyDrop::new(engine);
                }
                return Ok(output);
            })*
        };
    }
    for_each_store!(open_named);
    Err(unknown_store(name))
}

/// The pseudo-store that shows the cost of memory alone.
#[must_use]
pub fn roofline() -> System {
    let name = Roofline::TRAITS.name.to_owned();
    System::Store { name, heap: None, options: BTreeMap::new() }
}

/// The role of `system` in figures.
#[must_use]
pub fn role(system: &System) -> Role {
    match system {
        System::Kernel | System::Way { .. } => Role::Kernel,
        System::Heap { name, .. } => match heap(name).map(|heap| heap.traits().keeps_values) {
            Some(false) => Role::Price,
            _ => Role::Allocator,
        },
        System::Store { name, .. } if name == DiskRoofline::TRAITS.name => Role::Roofline,
        System::Store { .. } if is_roofline(system) => Role::Roofline,
        System::Store { .. } => match traits_of(system).map(|traits| traits.keeps_values) {
            Some(false) => Role::Price,
            _ => Role::Store,
        },
    }
}

/// The way to reach windows that `text` names, as `space` or `mp@wait=block`.
///
/// # Errors
/// An unknown way, with near matches; a setting without a value.
pub fn way(text: &str) -> Result<System, String> {
    let mut parts = text.split('@');
    let name = parts.next().unwrap_or_default();
    if spaces::way(name).is_none() {
        return Err(unknown_name("way", name, spaces::names()));
    }
    let option = |part: &str| match part.split_once('=') {
        Some((key, value)) => Ok((key.to_owned(), plainly(value))),
        None => Err(format!("`{text}`: `{part}` has no value: write `{name}@{part}=VALUE`")),
    };
    let options = parts.map(option).collect::<Result<_, _>>()?;
    Ok(System::Way { name: name.to_owned(), options })
}

/// Whether `system` is the pseudo-store that shows the cost of memory alone.
#[must_use]
pub fn is_roofline(system: &System) -> bool {
    matches!(system, System::Store { name, .. } if name == Roofline::TRAITS.name)
}

/// Traits of the store `system`; `None` for allocators.
#[must_use]
pub fn traits_of(system: &System) -> Option<&'static EngineTraits> {
    let System::Store { name, .. } = system else { return None };
    store_traits().iter().find(|traits| traits.name == name).copied()
}

/// The store that keeps nothing, by which the harness is priced.
#[must_use]
pub fn null(value_bytes: usize) -> Null {
    Null::open(value_bytes)
}

/// The routine by which the store `system` copies objects.
///
/// # Errors
/// A system without such a routine, or a setting that does not exist.
pub fn copy_routine(system: &System) -> Result<nibble::CopyRoutine, OpenError> {
    match system {
        System::Store { name, options, .. } if name == <NibbleEngine>::TRAITS.name => {
            adapters::nibble::copy_routine(&mut Options::new(options))
        }
        other => Err(OpenError::BadSetting {
            setting: "copy".to_owned(),
            value: other.label(),
            accepted: format!("settings of {}", <NibbleEngine>::TRAITS.name),
        }),
    }
}

/// Names of the stores fit for publication.
#[must_use]
pub fn store_names() -> Vec<&'static str> {
    store_traits().iter().filter(|traits| !traits.test_only).map(|traits| traits.name).collect()
}

/// Every allocator, test-only ones included.
#[must_use]
pub fn all_heaps() -> Vec<&'static dyn Heap> {
    let mut all = heaps::all().to_vec();
    all.push(baseline_faulty::faulty_heap());
    all
}

/// The allocator `name`, opened.
///
/// # Errors
pub fn open_heap(name: &str) -> Result<&'static dyn Heap, OpenError> {
    let found = heap(name).ok_or_else(|| OpenError::BadSetting {
        setting: "heap".to_owned(),
        value: name.to_owned(),
        accepted: heap_traits().iter().map(|traits| traits.name).collect::<Vec<_>>().join(", "),
    })?;
    found.open()?;
    Ok(found)
}

/// The allocator of that name, which may be followed by a variant: `jemalloc`, `jemalloc-small`.
#[must_use]
pub fn heap(text: &str) -> Option<&'static dyn Heap> {
    heap_and_variant(text).map(|(heap, _)| heap)
}

/// The allocator and the variant in `NAME` or `NAME-VARIANT`, as it is written below a store.
fn heap_and_variant(text: &str) -> Option<(&'static dyn Heap, &'static HeapVariant)> {
    let (name, wanted) = text.split_once('-').unwrap_or((text, DEFAULT_VARIANT.name));
    let heap = heap_named(name)?;
    let variant = heap.traits().variants.iter().find(|variant| variant.name == wanted)?;
    Some((heap, variant))
}

fn heap_named(name: &str) -> Option<&'static dyn Heap> {
    all_heaps().into_iter().find(|heap| heap.traits().name == name)
}

/// Traits of every allocator fit for publication.
#[must_use]
pub fn heap_traits() -> Vec<&'static HeapTraits> {
    let traits = all_heaps().into_iter().map(|heap| heap.traits());
    traits.filter(|traits| !traits.test_only).collect()
}

/// Allocators by name in the given variants; `*` stands for all that hand out memory. A variant that an
/// allocator lacks is skipped; one that none of those named has is an error.
///
/// # Errors
/// Unknown names with near matches.
pub fn heaps(names: &[String], variants: &[String]) -> Result<Vec<System>, String> {
    let mut chosen: Vec<&HeapTraits> = Vec::new();
    for name in names {
        if name == "*" {
            chosen.extend(heap_traits().into_iter().filter(|traits| traits.keeps_values));
            continue;
        }
        let heap = heap_named(name).ok_or_else(|| {
            unknown_name("heap", name, heap_traits().into_iter().map(|traits| traits.name))
        })?;
        chosen.push(heap.traits());
    }
    let known: Vec<&str> = all_heaps()
        .into_iter()
        .flat_map(|heap| heap.traits().variants)
        .map(|variant| variant.name)
        .collect();
    if let Some(unknown) = variants.iter().find(|name| !known.contains(&name.as_str())) {
        let mut known = known;
        known.sort_unstable();
        known.dedup();
        return Err(unknown_name("variant", unknown, known));
    }
    let has = |traits: &HeapTraits, name: &String| traits.variants.iter().any(|it| it.name == name);
    let lacking = |name: &&String| !chosen.iter().any(|traits| has(traits, name));
    if let Some(variant) = variants.iter().find(lacking).filter(|_| !chosen.is_empty()) {
        return Err(format!("variant `{variant}`: none of {} has it", names.join(", ")));
    }
    let mut systems = Vec::new();
    for traits in chosen {
        for variant in traits.variants.iter().filter(|has| variants.iter().any(|v| v == has.name)) {
            systems.push(System::Heap {
                name: traits.name.to_owned(),
                variant: variant.name.to_owned(),
            });
        }
    }
    Ok(systems)
}

/// Parses a store's short form `NAME[:HEAP][@SETTING=VALUE]…`.
///
/// # Errors
/// Unknown names with near matches; a heap for a store that takes none, or none for one that needs it.
pub fn store(text: &str) -> Result<System, String> {
    let mut parts = text.split('@');
    let (name, heap_name) = match parts.next().unwrap_or_default().split_once(':') {
        Some((name, heap)) => (name, Some(heap)),
        None => (text.split('@').next().unwrap_or_default(), None),
    };
    let traits = store_traits()
        .iter()
        .find(|traits| traits.name == name)
        .ok_or_else(|| unknown_name("store", name, store_names()))?;
    match (traits.allocator == AllocatorChoice::Chosen, heap_name) {
        (true, None) => {
            return Err(format!("store `{name}` needs a heap: write `{name}:jemalloc`"));
        }
        (false, Some(heap_name)) => {
            return Err(format!("store `{name}` takes no heap: drop `:{heap_name}`"));
        }
        (true, Some(heap_name)) if heap(heap_name).is_none() => {
            if let Some((name, variant)) = heap_name.split_once('-')
                && let Some(heap) = heap_named(name)
            {
                let has: Vec<_> = heap.traits().variants.iter().map(|it| it.name).collect();
                return Err(format!("{name} has no variant `{variant}`: {}", has.join(", ")));
            }
            let known = heap_traits().into_iter().map(|traits| traits.name);
            return Err(unknown_name("heap", heap_name, known));
        }
        (true, Some(heap_name)) if heap(heap_name).is_some_and(|it| !it.traits().keeps_values) => {
            return Err(format!("heap `{heap_name}` hands out no memory that `{name}` could use"));
        }
        _ => {}
    }
    let options = settings(parts).map_err(|error| format!("store `{text}`: {error}"))?;
    Ok(System::Store { name: name.to_owned(), heap: heap_name.map(str::to_owned), options })
}

/// Settings of a store, each written `SETTING=VALUE`.
///
/// # Errors
/// What is not written so, or is there twice.
pub fn settings<'a>(
    parts: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, String>, String> {
    let mut settings = BTreeMap::new();
    for part in parts {
        let (name, value) = part
            .split_once('=')
            .ok_or_else(|| format!("setting `{part}`: write `@SETTING=VALUE`"))?;
        let name = name.replace('_', "-");
        if let Some(before) = settings.insert(name.clone(), plainly(value)) {
            return Err(format!("setting `{name}` is there twice, as {before} and {value}"));
        }
    }
    Ok(settings)
}

/// A size or a number in the one form in which stores report it: `1MiB` and `1_048_576` are 1048576.
/// Other values stay as they are.
fn plainly(value: &str) -> String {
    let size = workloads::bytes::parse_bytes(value).map(|bytes| bytes.to_string());
    let number = || value.parse::<f64>().ok().filter(|number| number.is_finite());
    size.ok().or_else(|| number().map(|number| number.to_string())).unwrap_or(value.to_owned())
}

/// Environment variables that a worker for `system` needs at its start, according to its traits.
#[must_use]
pub fn environment_of(system: &System) -> BTreeMap<String, String> {
    let mut wanted: Vec<(&str, &str)> = Vec::new();
    let mut ask_heap = |text: &str| {
        let Some((heap, variant)) = heap_and_variant(text) else { return };
        wanted.extend(heap.traits().environment);
        wanted.extend(variant.environment);
    };
    match system {
        System::Heap { name, variant } => ask_heap(&format!("{name}-{variant}")),
        System::Store { name, heap, .. } => {
            if let Some(heap) = heap {
                ask_heap(heap);
            }
            let traits = store_traits().iter().find(|traits| traits.name == name);
            wanted.extend(traits.iter().flat_map(|traits| traits.environment));
        }
        System::Kernel | System::Way { .. } => {}
    }
    let mut environment: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in wanted {
        environment
            .entry(name.to_owned())
            // GLIBC_TUNABLES is a list; every other variable is set once.
            .and_modify(|known| *known = format!("{known}:{value}"))
            .or_insert_with(|| value.to_owned());
    }
    environment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_traits_say_what_they_are() {
        let mut names: Vec<&str> = store_traits().iter().map(|traits| traits.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for traits in store_traits() {
            assert!(!traits.name.is_empty() && !traits.description.is_empty());
        }
    }

    #[test]
    fn only_stores_that_may_be_missing_lack_anything() {
        for traits in store_traits() {
            let lacking = lacking(traits.name);
            assert!(lacking.is_empty() || traits.may_be_missing, "{}: {lacking:?}", traits.name);
            for error in lacking {
                assert!(matches!(error, OpenError::Missing { .. }), "{}: {error}", traits.name);
            }
        }
        assert!(lacking("no such store").is_empty());
    }

    #[test]
    fn short_forms_of_stores_are_read() {
        let system = store("heapstore:jemalloc").unwrap();
        assert_eq!(system.label(), "heapstore:jemalloc");
        let system = store("heapstore:jemalloc-small@huge-pages=true").unwrap();
        assert_eq!(system.label(), "heapstore:jemalloc-small@huge-pages=true");
        let (variant, plain) = system.on_a_variant().unwrap();
        assert_eq!(
            (variant, plain.label().as_str()),
            ("small", "heapstore:jemalloc@huge-pages=true")
        );
        assert_eq!(plain.on_a_variant(), None);
        for value in ["block-bytes=16384", "block_bytes=16KiB", "block-bytes=16_384"] {
            let system = store(&format!("nibble@{value}")).unwrap();
            assert_eq!(system.label(), "nibble@block-bytes=16384");
        }
    }

    #[test]
    fn wrong_short_forms_say_what_to_write() {
        for (text, expected) in [
            ("nible", "did you mean nibble"),
            ("heapstore", "needs a heap"),
            ("heapstore:jemaloc", "did you mean jemalloc"),
            ("heapstore:jemalloc-tiny", "jemalloc has no variant `tiny`: default, fast, small"),
            ("nibble:jemalloc", "takes no heap"),
            ("nibble@blocks", "write `@SETTING=VALUE`"),
            ("nibble@heads=1@heads=2", "setting `heads` is there twice, as 1 and 2"),
            ("heapstore:null", "heap `null` hands out no memory"),
        ] {
            let error = store(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn the_environment_is_what_the_traits_ask_for() {
        let system = System::Heap { name: "tcmalloc".to_owned(), variant: "default".to_owned() };
        let environment = environment_of(&system);
        assert_eq!(environment["GLIBC_TUNABLES"], "glibc.pthread.rseq=0");
        let plain = System::Heap { name: "jemalloc".to_owned(), variant: "default".to_owned() };
        assert!(environment_of(&plain).is_empty());
        let joined = environment_of(&store("heapstore:tcmalloc-small").unwrap());
        assert_eq!(joined["GLIBC_TUNABLES"], "glibc.pthread.rseq=0");
        assert_eq!(joined["HEAPS_TCMALLOC_MAX_PER_CPU_CACHE_BYTES"], "262144");
    }
}

#[cfg(test)]
mod conformance;
