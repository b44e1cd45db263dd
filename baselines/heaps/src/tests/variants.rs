//! Every variant takes effect: its environment reaches the allocator, which says or shows so.

use std::thread;

use super::common::{Block, in_child, opened, setting};
use engine::{Environment, Heap};
use kit::testing::resident_bytes;

/// Runs `body` where the variant `tuned` of `name` is in force.
fn tuned(name: &str, test: &str, body: fn(&'static dyn Heap)) {
    varied(name, "tuned", test, body);
}

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
    assert_eq!(names.len(), 9);
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 9, "a name is taken twice");
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

#[test]
fn glibc_tuned() {
    tuned("glibc", "glibc_tuned", |heap| {
        // Two threads at once get an arena each by default; here all share the first.
        let threads: Vec<_> =
            (0..4).map(|_| thread::spawn(move || Block::new(heap, 1000, 1).free(heap))).collect();
        for thread in threads {
            thread.join().expect("a thread that allocates");
        }
        assert_eq!(setting(heap, "arenas (malloc_info)"), "1");

        // By default, freeing a mapped block raises the threshold for mapping; a set one stays.
        Block::new(heap, 1 << 20, 2).free(heap);
        // SAFETY: takes nothing.
        let before = unsafe { libc::mallinfo2() }.hblks;
        let block = Block::new(heap, 200_000, 3);
        // SAFETY: takes nothing.
        let after = unsafe { libc::mallinfo2() }.hblks;
        assert_eq!(after, before + 1, "200,000 bytes are a mapping of their own");
        block.free(heap);
    });
}

#[test]
fn jemalloc_tuned() {
    tuned("jemalloc", "jemalloc_tuned", |heap| {
        assert_eq!(setting(heap, "opt.narenas"), "1");
        assert_eq!(setting(heap, "opt.dirty_decay_ms"), "0");
        assert_eq!(setting(heap, "opt.muzzy_decay_ms"), "0");
    });
}

#[test]
fn jemalloc_background() {
    varied("jemalloc", "background", "jemalloc_background", |heap| {
        assert_eq!(setting(heap, "opt.background_thread"), "true");
        assert_eq!(setting(heap, "opt.dirty_decay_ms"), "10000");
    });
}

#[test]
fn mimalloc_tuned() {
    tuned("mimalloc", "mimalloc_tuned", |heap| {
        assert_eq!(setting(heap, "purge_delay"), "0");
        assert_eq!(setting(heap, "page_full_retain"), "0");
        assert_eq!(setting(heap, "arena_eager_commit"), "0");
    });
}

#[test]
fn tcmalloc_tuned() {
    tuned("tcmalloc", "tcmalloc_tuned", |heap| {
        assert_eq!(setting(heap, "per_cpu_caches_active"), "true");
        assert_eq!(setting(heap, "max_per_cpu_cache_size"), "262144");
        assert_eq!(setting(heap, "background_release_rate"), "268435456");
        assert_eq!(setting(heap, "background_thread"), "true");
    });
}

#[test]
fn gperftools_tuned() {
    tuned("gperftools", "gperftools_tuned", |heap| {
        assert_eq!(setting(heap, "tcmalloc.aggressive_memory_decommit"), "1");
        assert_eq!(setting(heap, "TCMALLOC_RELEASE_RATE"), "10");
    });
}

#[test]
fn scudo_tuned() {
    tuned("scudo", "scudo_tuned", |heap| {
        assert_eq!(setting(heap, "release_to_os_interval_ms"), "100");
        // The flag is obeyed, too: freed blocks leave without a purge, which there is none of.
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

/// Scudo's checksum is the processor's where the processor has one, as its authors build it.
#[cfg(target_arch = "x86_64")]
#[test]
fn scudo_uses_the_processors_checksum() {
    let heap = heaps::by_name("scudo").expect("registered");
    heap.open().expect("linked in");
    let expected = if std::is_x86_feature_detected!("sse4.2") { "CRC32" } else { "software" };
    assert_eq!(setting(heap, "header checksum"), expected);
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
        ("scudo", "scudo-sys"),
    ];
    for (name, package) in sources {
        let version = heaps::by_name(name).expect("registered").version();
        let entry = format!("name = \"{package}\"\nversion = \"");
        let (_, rest) = lock.split_once(&entry).expect("a locked package");
        let locked = rest.split('"').next().expect("a version");
        assert!(version.contains(&format!("{package} {locked}")), "{version}: {locked} is linked");
    }
}
