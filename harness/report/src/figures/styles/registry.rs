//! The registry of styles: one row for each store, allocator and variant that figures show, in the order
//! in which they are drawn. Ours come first, then the rivals that most figures share, then the rest.

use super::Look;

/// Names as in labels of systems. An allocator's row is also that of `heapstore` on it, whose lines are
/// dotted and whose points are open where the allocator's are filled, or filled where they are open.
/// ` log-only` is the second bar of a bounded store.
pub(super) const REGISTRY: [(&str, Look); 68] = [
    ("nibble", look("#b0003a", 3, 7, 1)),
    ("nibble log-only", look("#e75c8e", 2, 4, 3)),
    ("nibble@update=append", look("#e8799a", 4, 5, 2)),
    ("nibble@update=append log-only", look("#fbd5df", 7, 4, 5)),
    ("nibble@preset=paper", look("#7a0026", 5, 13, 4)),
    ("nibble@preset=paper log-only", look("#f4b6c6", 3, 12, 4)),
    ("nibble@preset=paper@update=in-place", look("#7a0026", 1, 12, 5)),
    ("nibble@huge-pages=false", look("#e8799a", 5, 12, 2)),
    ("mica@preset=nibble-paper", look("#1f78b4", 1, 9, 2)),
    ("mica@preset=nibble-paper log-only", look("#9ecae1", 2, 10, 1)),
    ("mica", look("#5b9bc8", 7, 9, 1)),
    ("tcmalloc", look("#8c510a", 7, 3, 1)),
    ("jemalloc", look("#d55e00", 6, 15, 2)),
    ("ramcloud", look("#eba91c", 5, 5, 1)),
    ("ramcloud log-only", look("#f5c264", 6, 4, 1)),
    ("ramcloud@instances=2", look("#74430a", 2, 4, 2)),
    ("masstree:jemalloc", look("#1b9e77", 3, 11, 1)),
    ("hashmap", look("#333333", 4, 1, 1)),
    ("mimalloc", look("#003b73", 1, 13, 5)),
    ("mimalloc2", look("#8da9c4", 5, 7, 5)),
    ("glibc", look("#4d4d4d", 0, 14, 4)),
    ("redis@servers=2", look("#d34d2e", 5, 10, 2)),
    ("redis", look("#d34d2e", 5, 10, 4)),
    ("redis@server=redis8", look("#7f1d0e", 3, 14, 1)),
    ("redis@defrag=default@server=redis8", look("#a63a1f", 1, 11, 2)),
    ("redis@defrag=tuned@server=redis8", look("#d34d2e", 4, 8, 1)),
    ("redis@server=valkey", look("#b3b3b3", 3, 14, 5)),
    ("memcached", look("#9bd39e", 2, 0, 1)),
    ("memcached@slab-automove=false", look("#14532d", 7, 0, 2)),
    ("redis@server=redis8@servers=2", look("#7f1d0e", 4, 15, 5)),
    ("redis@server=valkey@servers=2", look("#4d4d4d", 3, 14, 2)),
    ("redis@preload=jemalloc@server=valkey@servers=2", look("#d55e00", 6, 15, 1)),
    ("redis@preload=mimalloc@server=valkey@servers=2", look("#003b73", 1, 13, 2)),
    ("snmalloc", look("#56b4e9", 1, 12, 1)),
    ("scudo", look("#7b3294", 4, 8, 2)),
    ("rpmalloc", look("#a58c00", 2, 1, 4)),
    ("gperftools", look("#1f603b", 2, 10, 5)),
    ("masstree:mimalloc", look("#66c2a5", 5, 11, 4)),
    ("masstree:glibc", look("#8fd3bd", 6, 11, 5)),
    ("mica-erew", look("#56b4e9", 2, 8, 4)),
    ("mica-crew", look("#56b4e9", 6, 8, 5)),
    ("mica-handover", look("#1f78b4", 0, 9, 4)),
    ("mica-cache", look("#a6cee3", 4, 9, 5)),
    ("hybridlog", look("#54278f", 6, 1, 3)),
    ("btree", look("#1b9e77", 2, 3, 2)),
    ("skiplist:jemalloc", look("#cc79a7", 0, 12, 3)),
    ("dashmap:jemalloc", look("#0072b2", 1, 7, 2)),
    ("papaya:jemalloc", look("#009e73", 2, 1, 2)),
    ("scc:jemalloc", look("#eba91c", 5, 15, 4)),
    ("striped:jemalloc", look("#56b4e9", 3, 13, 1)),
    ("flurry:jemalloc", look("#7b3294", 7, 10, 3)),
    ("onetbb:jemalloc", look("#bcc232", 6, 3, 4)),
    ("congee:jemalloc", look("#a0522d", 6, 3, 5)),
    ("segcache", look("#00664a", 6, 11, 3)),
    ("rocksdb", look("#0057a8", 1, 7, 4)),
    ("leveldb", look("#eba91c", 5, 5, 4)),
    ("lmdb", look("#7b3294", 4, 8, 3)),
    ("clsm", look("#0072b2", 3, 15, 3)),
    ("lsm", look("#e69f00", 5, 3, 3)),
    ("silt", look("#00664a", 3, 14, 3)),
    ("null", look("#999999", 3, 4, 4)),
    ("text", look("#999999", 3, 5, 5)),
    ("keyed", look("#1f78b4", 1, 9, 3)),
    ("tagged", look("#b0003a", 4, 7, 3)),
    ("background", look("#0072b2", 3, 5, 3)),
    ("inline", look("#e69f00", 5, 13, 3)),
    ("live bytes", look("#555555", 3, 0, 5)),
    ("roofline", look("#555555", 3, 1, 5)),
];

/// Series without a row that are drawn in this order, after those that have one: rungs of a ladder.
pub(super) const LADDER: [&str; 8] = [
    "bullet@rung=volatile",
    "bullet@rung=phash",
    "bullet@rung=hikv-ht",
    "bullet@rung=st",
    "bullet@rung=lfr",
    "bullet@rung=opt",
    "bullet@rung=dyn",
    "bullet@rung=full",
];

/// Looks of series without a row, in the order in which a figure takes them.
pub(super) const OTHERS: [Look; 16] = [
    look("#0072b2", 3, 7, 1),
    look("#e69f00", 5, 5, 2),
    look("#00664a", 4, 9, 4),
    look("#cc79a7", 1, 11, 5),
    look("#333333", 2, 1, 2),
    look("#d55e00", 6, 13, 4),
    look("#1a1a1a", 3, 15, 1),
    look("#7f7f7f", 0, 3, 5),
    look("#c9b458", 3, 12, 1),
    look("#7b3294", 7, 14, 2),
    look("#0072b2", 3, 10, 3),
    look("#b8860b", 5, 12, 4),
    look("#00664a", 4, 8, 1),
    look("#a64d79", 1, 4, 2),
    look("#555555", 2, 9, 3),
    look("#d55e00", 6, 5, 5),
];

const fn look(colour: &'static str, pattern: u8, point: u8, dash: u8) -> Look {
    Look { colour, pattern, point, dash }
}
