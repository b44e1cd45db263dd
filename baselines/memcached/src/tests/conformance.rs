//! The suite every store passes, with and without moving pages between classes of sizes. Where the
//! server is not installed, and where a program is named that is not there, it is skipped.

use baseline_memcached::{Config, Memcached};

engine::conformance_tests!(moving, Memcached, |bytes| {
    Memcached::open(Config { object_memory_bytes: Some(bytes), ..Config::default() })
});

engine::bytes_conformance_tests!(byte_keys, Memcached, |bytes| {
    Memcached::open(Config { object_memory_bytes: Some(bytes), ..Config::default() })
});

engine::conformance_tests!(rigid, Memcached, |bytes| {
    let object_memory_bytes = Some(bytes);
    Memcached::open(Config {
        slab_automove: false,
        workers: 1,
        object_memory_bytes,
        ..Config::default()
    })
});

engine::conformance_tests!(absent, Memcached, |_| {
    let program = Some("/nonexistent/memcached".into());
    Memcached::open(Config { program, ..Config::default() })
});
