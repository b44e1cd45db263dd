//! The suite every store passes: with one server and with several, of Redis, of Redis 8 that moves
//! objects and that does not, and of Valkey. Where they are not installed, and where a program is
//! named that is not there, it is skipped.

use baseline_redis::{Config, Defrag, RedisServers, Server};
use engine::OpenError;

fn open(server: Server, servers: usize, bytes: u64) -> Result<RedisServers, OpenError> {
    let object_memory_bytes = Some(bytes);
    RedisServers::open(Config { servers, server, object_memory_bytes, ..Config::default() })
}

engine::conformance_tests!(one_redis, RedisServers, |bytes| super::open(Server::Redis, 1, bytes));
engine::conformance_tests!(many_redis, RedisServers, |bytes| super::open(Server::Redis, 3, bytes));
engine::conformance_tests!(redis_8, RedisServers, |bytes| super::open(Server::Redis8, 1, bytes));
engine::bytes_conformance_tests!(byte_keys, RedisServers, |bytes| {
    let object_memory_bytes = Some(bytes);
    RedisServers::open(Config { servers: 2, object_memory_bytes, ..Config::default() })
});
engine::conformance_tests!(moving, RedisServers, |bytes| {
    RedisServers::open(Config {
        server: Server::Redis8,
        defrag: Defrag::Tuned,
        object_memory_bytes: Some(bytes),
        ..Config::default()
    })
});
engine::conformance_tests!(valkey, RedisServers, |bytes| super::open(Server::Valkey, 2, bytes));

engine::conformance_tests!(absent, RedisServers, |_| {
    let program = Some("/nonexistent/redis-server".into());
    RedisServers::open(Config { program, ..Config::default() })
});
