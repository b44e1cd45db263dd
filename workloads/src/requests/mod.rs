//! Request mixes for a store: YCSB's shape, plus deletes and churn.
//!
//! A [`Workload`] describes the requests. A [`RequestStream`] yields them for one thread as 8-byte
//! words, either prepared before the clock starts or drawn while it runs.
//!
//! ```
//! use workloads::Seed;
//! use workloads::requests::{Request, RequestStream, Workload};
//!
//! let workload = Workload::by_name("ycsb-a").unwrap();
//! let (records, thread, threads) = (1_000_000, 0, 4);
//! let mut stream = RequestStream::new(&workload, records, thread, threads, Seed(42));
//! let mut words = vec![Request::default(); 1000];
//! stream.fill(&mut words); // the next call goes on where this one ended
//! ```
//!
//! Each request is issued once. Replaying an array would let the processor learn it, and would read
//! the same records again in the same order.
//!
//! # Who may name which record
//!
//! Loaded records are `0..records`. Thread `t` of `n` inserts `records + t`, `records + t + n`,
//! `records + t + 2 n`, …: no record is inserted twice.
//!
//! * A mix *without deletes* draws keys over the loaded records. Only `latest` requests inserted
//!   records, and only from the thread that inserted them, so no request meets a record whose
//!   INSERT is still in flight. (YCSB lets its range grow, requests the inserts of all threads, and
//!   waits until each is acknowledged.)
//! * With *deletes or churn*, thread `t` owns the loaded records with `record % n == t` and the
//!   records it inserted. It deletes one of its live records, chosen uniformly, and draws every
//!   other key by position from the list of its live records, so no request names a dead record.
//!   When nothing is live, a request becomes an INSERT.
//!
//! * Requests of [groups](Groups) name loaded records, none of which is ever deleted. The group is
//!   that of the drawn record. A mix that writes groups writes nothing else, so all values of a group
//!   carry one stamp at any moment.
//!
//! Kinds, keys, sizes and victims come from independent streams: two mixes of GETs and UPDATEs with
//! the same seed access the same records in the same order.

mod groups;
mod live;
mod mix;
mod presets;
mod replay;
mod request;
mod stream;
mod twitter;
mod workload;

pub use groups::Groups;
pub use mix::{Mix, MixError};
pub use replay::{Miss, Numbering, ReplayError, ReplayTotals};
pub use request::{Request, RequestKind};
pub use stream::RequestStream;
pub use workload::{Workload, WorkloadError};
