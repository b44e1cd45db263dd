//! Slots move from one master to another while clients use them: the steps that `redis-cli --cluster
//! reshard` takes, which all versions of Redis and Valkey know.

use redis::Connection;

use crate::servers::{Servers, ServersError, ask};

/// Keys that are moved by one command.
const KEYS: &str = "100";
/// The longest that one command may take on the servers, in milliseconds.
const TIMEOUT_MS: &str = "5000";

/// Moves slots, the first to the last, between shards; what was done.
pub(super) fn migrate(
    servers: &Servers,
    (first, last): (u16, u16),
    (from, to): (usize, usize),
) -> Result<String, ServersError> {
    let (from, to) = (&servers.shards[from].master, &servers.shards[to].master);
    let (mut source, mut target) = (servers.connect(&from.address)?, servers.connect(&to.address)?);
    let mut keys = 0;
    for slot in first..=last {
        let slot = slot.to_string();
        let set = |connection: &mut Connection, address, state: &str, node: &str| {
            let words = ["CLUSTER", "SETSLOT", &slot, state, node];
            ask::<()>(connection, address, "CLUSTER SETSLOT", &words)
        };
        set(&mut target, &to.address, "IMPORTING", &from.id)?;
        set(&mut source, &from.address, "MIGRATING", &to.id)?;
        loop {
            let words = ["CLUSTER", "GETKEYSINSLOT", &slot, KEYS];
            let some: Vec<Vec<u8>> =
                ask(&mut source, &from.address, "CLUSTER GETKEYSINSLOT", &words)?;
            if some.is_empty() {
                break;
            }
            keys += some.len();
            let mut command = redis::cmd("MIGRATE");
            command.arg(&to.address.host).arg(to.address.port).arg("").arg("0").arg(TIMEOUT_MS);
            command.arg("KEYS").arg(&some);
            command.exec(&mut source).map_err(|error| ServersError::Answer {
                address: from.address.clone(),
                asked: "MIGRATE",
                answer: error.to_string(),
            })?;
        }
        set(&mut target, &to.address, "NODE", &to.id)?;
        set(&mut source, &from.address, "NODE", &to.id)?;
    }
    let slots = last - first + 1;
    Ok(format!("moved {slots} slots with {keys} keys from {} to {}", from.address, to.address))
}
