//! memcached, unmodified: a server on a UNIX socket, asked by its meta protocol.
//!
//! The server is a child of this process, dies with it however it ends, and lives in a private folder
//! that is removed with it. Its threads share all keys. A session is a connection.
//!
//! | file | contents |
//! |---|---|
//! | `store` | the engine: opens a server, and what is known about it |
//! | `session` | operations and batches over a connection |
//! | `protocol` | commands and replies as bytes |
//! | `connection` | sends and receives them |
//! | `program` | finds the server and writes its command line |
//! | `statistics` | what the server says of itself |
//!
//! If the server ends while it is in use, the operation that notices panics with how it ended and its
//! last words: the contract's operations have no error for this, and none may continue without the
//! server.
#![forbid(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_memcached;

mod config;
mod connection;
mod program;
mod protocol;
mod session;
mod statistics;
mod store;
#[cfg(test)]
mod tests;

pub use config::{Config, WORKERS_MAX};
pub use session::{MemcachedSession, VALUE_BYTES_MAX};
pub use store::Memcached;
