//! The suite every store passes, with many shards and with one.

use baseline_hashmap::{Config, ShardedBytes, ShardedMap};

engine::conformance_tests!(sharded, ShardedMap, |_| { ShardedMap::open(Config { shards: 64 }) });
engine::conformance_tests!(one_lock, ShardedMap, |_| { ShardedMap::open(Config { shards: 1 }) });
engine::bytes_conformance_tests!(bytes, ShardedBytes, |_| {
    ShardedBytes::open(Config { shards: 64 })
});
