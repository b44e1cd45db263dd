//! Every variant takes effect: its environment reaches the allocator, which says or shows so.

use std::thread;

use super::common::{Block, in_child, opened, setting};
use engine::{Environment, Heap};
use kit::testing::resident_bytes;

/// Runs `body` where the variant `variant` of `name` is in force.
fn varied(name: &str, variant: &str, test: &str, body: fn(&'static dyn Heap)) {
    let heap = heaps::by_name(name).expect("registered");
    let traits = heap.traits();
    let variant = traits.variants.iter().find(|known| known.name == variant).expect("a variant");
    in_child((module_path!(), test), &[traits.environment, variant.environment], || {
        if opened(heap) {
            body(heap);
        }
    });
}

#[test]
fn names_are_unique_and_default_comes_first() {
    let mut names: Vec<&str> = heaps::all().iter().map(|heap| heap.traits().name).collect();
    assert_eq!(names.len(), 10);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 10, "a name is taken twice");
    for heap in heaps::all() {
        let traits = heap.traits();
        assert_eq!(heaps::by_name(traits.name).map(|heap| heap.traits().name), Some(traits.name));
        let mut variants: Vec<&str> = traits.variants.iter().map(|variant| variant.name).collect();
        assert_eq!(variants[0], "default", "{}", traits.name);
        assert!(traits.variants[0].environment.is_empty(), "{}", traits.name);
        variants.sort_unstable();
        variants.dedup();
        assert_eq!(variants.len(), traits.variants.len(), "{}", traits.name);
    }
    assert!(heaps::by_name("no such heap").is_none());
}

#[test]
fn every_heap_describes_itself() {
    let environments: Vec<Environment> =
        heaps::all().iter().map(|heap| heap.traits().environment).collect();
    in_child((module_path!(), "every_heap_describes_itself"), &environments, describe);
}

fn describe() {
    for heap in heaps::all() {
        if opened(*heap) {
            heap.open().expect("opened again");
            eprintln!("{}: {}", heap.traits().name, heap.version());
            for setting in heap.settings() {
                eprintln!("    {} = {}", setting.name, setting.value);
            }
            assert!(!setting(*heap, "purge").is_empty());
            eprintln!("    {:?}", heap.statistics());
        }
    }
}

/// Documents and purposes: what a variant is called by is what its authors say of it.
#[test]
fn every_variant_names_its_document() {
    for traits in heaps::all().iter().map(|heap| heap.traits()) {
        for variant in &traits.variants[1..] {
            let at = format!("{} {}", traits.name, variant.name);
            assert!(["fast", "small"].contains(&variant.name), "{at}");
            assert!(!variant.environment.is_empty(), "{at} sets nothing");
            assert!(variant.source.contains(['.', '(', '/', ',']), "{at}: {}", variant.source);
        }
    }
}

/// The README's table says of each variant what is in force.
#[test]
fn the_readme_lists_every_variant_with_its_settings_and_document() {
    let readme = include_str!("../../README.md").replace('\n', " ");
    for traits in heaps::all().iter().map(|heap| heap.traits()) {
        for variant in &traits.variants[1..] {
            let settings =
                variant.environment.iter().map(|(name, value)| format!("`{name}={value}`"));
            let settings = settings.collect::<Vec<_>>().join(", ");
            let line = format!(
                "| `{}` | `{}` | {settings} | {} |",
                traits.name, variant.name, variant.source
            );
            let alike = traits.name == "mimalloc2"; // As `mimalloc`.
            assert!(alike || readme.contains(&line), "baselines/heaps/README.md lacks:\n{line}");
        }
    }
}

#[test]
fn glibc_small() {
    varied("glibc", "small", "glibc_small", |heap| {
        // Two threads at once get an arena each by default; here all share the first.
        let threads: Vec<_> =
            (0..4).map(|_| thread::spawn(move || Block::new(heap, 1000, 1).free(heap))).collect();
        for thread in threads {
            thread.join().expect("a thread that allocates");
        }
        assert_eq!(setting(heap, "arenas (malloc_info)"), "1");

        // By default, freeing a mapped block raises the threshold for mapping; a set one stays.
        Block::new(heap, 1 << 20, 2).free(heap);
        let before = mapped_blocks();
        let block = Block::new(heap, 200_000, 3);
        assert_eq!(mapped_blocks(), before + 1, "200,000 bytes are a mapping of their own");
        block.free(heap);
    });
}

#[test]
fn glibc_fast() {
    varied("glibc", "fast", "glibc_fast", |heap| {
        // A block as large as an eighth of what an arena of a thread holds.
        const BLOCK_BYTES: usize = 8 << 20;
        let before = mapped_blocks();
        let block = Block::new(heap, BLOCK_BYTES, 3);
        assert_eq!(mapped_blocks(), before, "no block is a mapping of its own");
        let full = resident_bytes();
        block.free(heap);
        let gone = full.saturating_sub(resident_bytes());
        assert!(gone < BLOCK_BYTES as u64 / 2, "{gone} bytes of the top were trimmed");
    });
}

fn mapped_blocks() -> usize {
    // SAFETY: takes nothing.
    unsafe { libc::mallinfo2() }.hblks
}

#[test]
fn jemalloc_small() {
    varied("jemalloc", "small", "jemalloc_small", |heap| {
        assert_eq!(setting(heap, "opt.background_thread"), "true");
        assert_eq!(setting(heap, "opt.tcache_max"), "4096");
        assert_eq!(setting(heap, "opt.narenas"), "2");
        assert_eq!(setting(heap, "opt.dirty_decay_ms"), "5000");
        assert_eq!(setting(heap, "opt.muzzy_decay_ms"), "5000");
    });
}

#[test]
fn jemalloc_fast() {
    varied("jemalloc", "fast", "jemalloc_fast", |heap| {
        assert_eq!(setting(heap, "opt.background_thread"), "true");
        assert_eq!(setting(heap, "opt.metadata_thp"), "auto");
        assert_eq!(setting(heap, "opt.dirty_decay_ms"), "30000");
        assert_eq!(setting(heap, "opt.muzzy_decay_ms"), "30000");
    });
}

#[test]
fn mimalloc_small() {
    varied("mimalloc", "small", "mimalloc_small", |heap| {
        assert_eq!(setting(heap, "purge_delay"), "0");
    });
}

#[test]
fn mimalloc_fast() {
    varied("mimalloc", "fast", "mimalloc_fast", |heap| {
        assert_eq!(setting(heap, "purge_delay"), "-1");
    });
}

#[test]
fn mimalloc2_small() {
    varied("mimalloc2", "small", "mimalloc2_small", |heap| {
        assert_eq!(setting(heap, "purge_delay"), "0");
    });
}

#[test]
fn mimalloc2_fast() {
    varied("mimalloc2", "fast", "mimalloc2_fast", |heap| {
        assert_eq!(setting(heap, "purge_delay"), "-1");
    });
}

/// Both are what their names say, with defaults that only that version has.
#[test]
fn mimalloc_is_version_3_and_mimalloc2_version_2() {
    for (name, version, purge_delay) in [("mimalloc", "3.", "1000"), ("mimalloc2", "2.", "10")] {
        let heap = heaps::by_name(name).expect("registered");
        let told = heap.version();
        assert!(told.starts_with(&format!("mimalloc {version}")), "{name}: {told}");
        assert_eq!(setting(heap, "purge_delay"), purge_delay, "{name}");
    }
}

#[test]
fn tcmalloc_small() {
    varied("tcmalloc", "small", "tcmalloc_small", |heap| {
        assert_eq!(setting(heap, "per_cpu_caches_active"), "true");
        assert_eq!(setting(heap, "max_per_cpu_cache_size"), "262144");
        assert_eq!(setting(heap, "background_release_rate"), "268435456");
        assert_eq!(setting(heap, "background_thread"), "true");
    });
}

#[test]
fn tcmalloc_fast() {
    varied("tcmalloc", "fast", "tcmalloc_fast", |heap| {
        assert_eq!(setting(heap, "per_cpu_caches_active"), "true");
        assert_eq!(setting(heap, "max_per_cpu_cache_size"), "6291456");
        assert_eq!(setting(heap, "background_thread"), "false");
    });
}

#[test]
fn gperftools_small() {
    varied("gperftools", "small", "gperftools_small", |heap| {
        assert_eq!(setting(heap, "tcmalloc.aggressive_memory_decommit"), "1");
        assert_eq!(setting(heap, "TCMALLOC_RELEASE_RATE"), "10");
    });
}

#[test]
fn gperftools_fast() {
    varied("gperftools", "fast", "gperftools_fast", |heap| {
        assert_eq!(setting(heap, "tcmalloc.max_total_thread_cache_bytes"), "268435456");
        assert_eq!(setting(heap, "TCMALLOC_RELEASE_RATE"), "0");
    });
}

#[test]
fn scudo_small() {
    varied("scudo", "small", "scudo_small", |heap| {
        release_interval_is("100");
        // The flag is obeyed, too: freed blocks leave without a purge.
        let before = resident_bytes();
        let blocks: Vec<Block> = (0..64 << 10).map(|_| Block::new(heap, 1000, 1)).collect();
        let full = resident_bytes() - before;
        for (index, block) in blocks.into_iter().enumerate() {
            if index == 32 << 10 {
                // Past the interval, the next frees release what is free.
                std::thread::sleep(std::time::Duration::from_millis(200));
            }
            block.free(heap);
        }
        let stays = resident_bytes().saturating_sub(before);
        assert!(stays < full * 3 / 4, "{stays} of {full} bytes stay");
    });
}

#[test]
fn scudo_fast() {
    varied("scudo", "fast", "scudo_fast", |_| release_interval_is("-1"));
}

/// Of both of Scudo's allocators, for small and for large blocks.
fn release_interval_is(wanted_ms: &str) {
    let printed = crate::scudo::printed_statistics();
    let told = printed.lines().filter_map(|line| line.split_once("ReleaseToOsIntervalMs = "));
    let told: Vec<&str> = told.map(|(_, interval_ms)| interval_ms).collect();
    assert_eq!(told, [wanted_ms; 2], "{printed}");
}

/// Without its environment TCMalloc would be another design; it refuses and names the remedy.
#[test]
fn tcmalloc_refuses_without_caches_per_cpu() {
    in_child(
        (module_path!(), "tcmalloc_refuses_without_caches_per_cpu"),
        &[&[("GLIBC_TUNABLES", "")]],
        || {
            let heap = heaps::by_name("tcmalloc").expect("registered");
            let error = heap.open().expect_err("glibc has registered restartable sequences");
            assert!(error.to_string().contains("glibc.pthread.rseq=0"), "{error}");
            assert_eq!(heap.open(), Err(error), "it stays refused");
        },
    );
}

/// Scudo's library needs more static thread-local storage than glibc leaves; it refuses and names the remedy.
#[test]
fn scudo_refuses_without_room_for_its_threads() {
    in_child(
        (module_path!(), "scudo_refuses_without_room_for_its_threads"),
        &[&[("GLIBC_TUNABLES", "")]],
        || {
            let heap = heaps::by_name("scudo").expect("registered");
            let told =
                heap.open().expect_err("512 bytes are left, or it is not installed").to_string();
            let remedy = match heap.lacking() {
                None => "glibc.rtld.optional_static_tls=32768",
                Some(_) => "install the Debian package",
            };
            assert!(told.contains(remedy), "{told}");
        },
    );
}

/// Where figures show a version, its age stands beside it.
#[test]
fn versions_are_dated() {
    for name in ["jemalloc", "mimalloc", "mimalloc2", "tcmalloc", "rpmalloc"] {
        let version = heaps::by_name(name).expect("registered").version();
        assert!(version.ends_with(')') && version.contains(" ("), "{version}");
    }
}

/// Versions that no library reports are written here as constants; they may not drift from what
/// is linked.
#[test]
fn constant_versions_agree_with_the_lock_file() {
    let lock = include_str!("../../../../Cargo.lock");
    let sources = [
        ("snmalloc", "snmalloc-sys"),
        ("tcmalloc", "libtcmalloc-sys"),
        ("rpmalloc", "rpmalloc-sys"),
    ];
    for (name, package) in sources {
        let version = heaps::by_name(name).expect("registered").version();
        let entry = format!("name = \"{package}\"\nversion = \"");
        let (_, rest) = lock.split_once(&entry).expect("a locked package");
        let locked = rest.split('"').next().expect("a version");
        assert!(version.contains(&format!("{package} {locked}")), "{version}: {locked} is linked");
    }
}
