//! Redis and Valkey, unmodified: servers on UNIX sockets, driven through hiredis.
//!
//! Each server is a process with one thread that executes commands. A key belongs to the server
//! that its hash selects. A session has a connection to every server, and a batch is one pipeline
//! to each. The servers are children of this process, die with it however it ends, and live in a
//! private folder that is removed with them.
//!
//! If a server ends while it is in use, the operation that notices panics with how it ended and its
//! last words: the contract's operations have no error for this, and none may continue without the
//! server.
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_redis;

mod config;
#[cfg_attr(
    hiredis,
    expect(unsafe_code, reason = "hiredis is a C library, called through the shim")
)]
#[cfg_attr(not(hiredis), path = "no_connection.rs")]
mod connection;
mod information;
mod installed;
mod keeper;
mod process;
mod reply;
mod session;
mod store;
#[cfg(test)]
mod tests;

pub use config::{Config, Preload, SERVERS_MAX, Server, UnknownName};
pub use session::RedisSession;
pub use store::RedisServers;
