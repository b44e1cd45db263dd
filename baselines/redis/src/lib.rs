//! Redis and Valkey, unmodified: servers on UNIX sockets, driven through hiredis, which is loaded
//! when a store is opened.
//!
//! Each server is a process with one thread that executes commands. A key belongs to the server
//! that its hash selects. A session has a connection to every server, and a batch is one pipeline
//! to each. The servers are children of this process, die with it however it ends, and live in a
//! private folder that is removed with them.
//!
//! If a server ends while it is in use, the operation that notices panics with how it ended and its
//! last words: the contract's operations have no error for this, and none may continue without the
//! server.
//!
//! Beside the stores the crate has connections for clients of servers that others started: to one
//! server through hiredis, to a cluster through libvalkey.
#![deny(unsafe_code)]

// Tests use the crate as others do.
#[cfg(test)]
extern crate self as baseline_redis;

#[expect(unsafe_code, reason = "libvalkey is a C library; no address of it leaves the module")]
mod cluster;
mod config;
#[expect(unsafe_code, reason = "hiredis is a C library; no address of it leaves the module")]
mod connection;
#[expect(unsafe_code, reason = "symbols and structs have the types of their header")]
mod hiredis;
mod information;
mod installed;
mod kinds;
#[expect(unsafe_code, reason = "symbols and structs have the types of their header")]
mod libvalkey;
mod process;
#[expect(unsafe_code, reason = "a reply's text is copied from where the library keeps it")]
mod raw;
mod reply;
mod session;
mod store;
#[cfg(test)]
mod tests;

pub use cluster::ClusterConnection;
pub use config::{Config, SERVERS_MAX};
pub use connection::Connection;
pub use kinds::{Defrag, Preload, Server, UnknownName};
pub use libvalkey::{LIBVALKEY_FILE, LIBVALKEY_VERSION, libvalkey_file};
pub use reply::Reply;
pub use session::RedisSession;
pub use store::RedisServers;
