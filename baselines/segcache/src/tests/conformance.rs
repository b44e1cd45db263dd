//! The suite every store passes, with each policy of eviction.

use baseline_segcache::{Config, Eviction, Segcache};

macro_rules! with_policies {
    ($($module:ident $policy:ident)*) => { $(
        engine::conformance_tests!($module, Segcache, |bytes| {
            Segcache::open(Config { eviction: Eviction::$policy, ..Config::new(bytes, bytes / 64) })
        });
    )* };
}

with_policies! {
    merge Merge
    s3_fifo S3Fifo
    random Random
}
