//! The assumptions of every prediction.

/// Sentences printed with every prediction.
pub const ASSUMPTIONS: &[&str] = &[
    "A core of the modelled machine does what is not shared as fast as one of this machine, with data \
     of the size measured here. Slower cores and larger data would reach every limit of shared \
     things later and at more threads, so ratios to a system that is stopped by one would be smaller.",
    "Threads have a core each and fill one socket after the other; data lie on the sockets that have \
     threads. All threads do the same work.",
    "A shared thing changes hands for one read-modify-write and the transfer of its lines; any thread \
     that comes to it is as likely as another to have had it last. Waiting is in order and costs \
     nothing else: no thread goes to sleep, no lock is fought for, whoever waits slows nobody.",
    "Memory that is not local costs its added latency for each miss that another waits for: bucket \
     and object (nibble, mica, ramcloud), two nodes and a row (masstree). Bandwidth is shared evenly, \
     by all misses; caches keep the 1024 hottest keys and nothing else.",
    "nibble: appends are local and its heads private where each core has one; a shared head moves 3 \
     lines and is held for 20 ns. Placement by key uses a head for each core, of any socket. The global \
     epoch counter is increased once an operation; the other epochs share nothing.",
    "nibble in place and mica: an overwrite holds the bucket while the value is copied (16 bytes a \
     ns) and moves the object's lines. mica: memory by the key's hash; allocating, freeing and changing \
     a size each take the heap of one partition for each core (100 ns, 4 lines).",
    "masstree: splits and rebalancing are in one thread's time; a row that another thread allocated \
     goes back to that thread's arena, 16 at once. ramcloud: an append holds the instance's only head \
     while it copies (3 lines), a GET its bucket too; one instance's memory is on one socket.",
    "clsm: a write counts in two words that all writers share (5 ns each), a GET in none. lsm: a write \
     holds the only turn for 500 ns and while it copies, a mutex twice, and a GET that mutex twice. Both: a \
     search waits for four lines; merges never hold anybody up.",
    "Uniform keys never meet, nor do those of a hot tenth of many. Skewed keys meet at the bucket of the key, its node, or its object; a \
     read of what others wrote since fetches it from the writer and holds nobody up. Keys are as many \
     as were measured here.",
    "Compaction, page faults, translation misses and the operating system are as in one thread's \
     measurement, and in the way of nobody else.",
];
