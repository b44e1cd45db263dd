//! Readers of public trace formats: bytes in, [`Operation`](super::Operation)s out.
//!
//! Readers stream: they hold one record or line (of at most 64 KiB, for Redis 80 MiB), never the
//! whole trace. Every format may be compressed with zstd. Compression is detected from the first
//! bytes and costs a window of at most 128 MiB. Nothing is dropped silently: lines that are not
//! key-value operations are counted by reason ([`Reader::skipped`]), and lines that cannot be
//! parsed are a [`FormatError`] that says where.
//!
//! | [`Format`] | a line or record | becomes | lost |
//! |---|---|---|---|
//! | `twitter` | `seconds,key,key size,value size,client,operation,TTL`; keys may contain commas | get, gets: GET; set, add, replace, cas, append, prepend: PUT of the value size; incr, decr: PUT of the value size, clamped to 8..=20 bytes (a number in binary, and the longest in decimal); delete: DELETE | conditions of add, replace, cas; what append was appended to; clients, TTLs |
//! | `meta-kv-202206` | columns by the header line: `key,op,size,op_count` | GET, GET_LEASE: GET; SET, SET_LEASE: PUT; DELETE: DELETE; each `op_count` times in a row; other operations and an `op_count` of 0 are skipped, as CacheLib does | leases; the format has no times: all are 0 |
//! | `meta-kv-202401` | columns by the header line: `op_time,key,op,size,op_count` | the same, in whole seconds | the same, and hits, TTLs, use cases |
//! | `oracle-general` | 24 bytes, little endian: u32 seconds, u64 id, u32 size, i64 next | GET | the next access; the format does not distinguish reads from writes |
//! | `cloudphysics` | columns by the header line: `time,op,size,lbn`; seconds, a SCSI operation code in hexadecimal, bytes | READ 6 to 16: GET; WRITE and WRITE AND VERIFY 6 to 16: PUT; other codes are skipped | that requests of different first blocks overlap |
//! | `msr` | `filetime,host,disk,Read or Write,offset,size,response time`; filetime in 100 ns | Read: GET; Write: PUT | that requests of different offsets overlap; response times |
//! | `redis-monitor` | `seconds.micros [database client] "command" "argument" …`, with or without `+` | get, getex, getrange, strlen, bit reads, dump: GET; mget, exists, touch: a GET per key; set and its kin, getset, append: PUT of the value; mset: a PUT per pair; setrange, setbit: PUT up to the last byte written; incr, decr and their kin: PUT of 8 bytes; del, unlink: a DELETE per key; getdel: GET and DELETE; other commands are skipped by name | conditions, expiry, results, sizes of what is read |
//!
//! *Keys.* Where keys are texts, their length is kept: `key size` and `key_size` where the file tells it,
//! else that of the text. [`key_of_bytes`](super::key_of_bytes) turns text into a key. It does the same with the 8
//! bytes, little endian, of an `oracle-general` id and of a first block (`lbn`): no two of them
//! share a key, and equal numbers in both formats give equal keys. [`Reader::text`] is the text itself,
//! which a trace may keep: that of the file, followed by zeros where the client's key had more bytes than the
//! file has of it; keys of Redis databases other than 0 end with a byte that no UTF-8 has and the number. An object of a block trace is
//! identified by its first block or offset, whatever the size of the request, and in `msr` also by
//! host and disk. Redis databases other than 0 have their own keys.
//!
//! *Times* count from the first operation. If a trace runs backwards, the time stands still and
//! [`Reader::backward_times`] counts the record.
//!
//! *Ends.* In text formats a last line without its newline is an error, as is a truncated record:
//! the last column of a line may look whole even when it is cut. All operations before it have been
//! returned by then.

mod batch;
mod cloud_physics;
mod error;
mod field;
mod format;
mod guess;
mod meta_kv;
mod msr;
mod oracle_general;
mod reader;
mod redis;
mod redis_arguments;
mod skipped;
mod source;
mod table;
mod twitter;

pub use error::FormatError;
pub use format::{Format, UnknownFormat};
pub use reader::{LargeValues, Reader, open};
pub use skipped::Skipped;
