//! The conditions under which a store answers, derived from its traits.

use engine::{
    EngineTraits, FullMeaning, Hashing, MemoryBound, Presence, Sharing, Storage, Transport,
};
use record::Conditions;

/// Conditions of a store with `traits` that is open as `presence` and `storage` describe, used by `threads`
/// with `batch` operations per call.
#[must_use]
pub fn conditions(
    traits: &EngineTraits,
    (presence, storage): (Presence, Storage),
    threads: usize,
    batch: usize,
) -> Conditions {
    Conditions {
        page_bytes: presence.page_bytes as u64,
        hashing: match traits.hashing {
            Hashing::None => "none",
            Hashing::Store => "store",
            Hashing::ClientAndServer => "client-and-server",
        }
        .to_owned(),
        copy_out: true,
        client_threads: threads as u64,
        store_threads: presence.threads as u64,
        servers: presence.servers as u64,
        batch: batch as u64,
        transport: match traits.transport {
            Transport::Call => "call",
            Transport::UnixSocket => "unix-socket",
        }
        .to_owned(),
        steering: match traits.sharing {
            Sharing::Shared => "any-thread",
            Sharing::Partitioned => "steered",
            Sharing::PartitionedWrites => "steered-writes",
        }
        .to_owned(),
        durable: traits.durable,
        storage: match storage {
            Storage::Memory => "memory",
            Storage::EmulatedPersistentMemory => "emulated-persistent-memory",
            Storage::Disk => "disk",
            Storage::FilesInMemory => "files-in-memory",
        }
        .to_owned(),
        memory_bound: match traits.memory_bound {
            MemoryBound::Hard => "hard",
            MemoryBound::Soft => "soft",
            MemoryBound::None => "none",
        }
        .to_owned(),
        when_full: match traits.full {
            FullMeaning::Refuse => "refuses",
            FullMeaning::Evict => "evicts",
            FullMeaning::Grow => "grows",
        }
        .to_owned(),
    }
}

/// Conditions expected from `traits` before an instance is open: one thread of its own, and one server if
/// the store starts any.
#[must_use]
pub fn expected_conditions(traits: &EngineTraits, threads: usize, batch: usize) -> Conditions {
    let presence = Presence {
        page_bytes: traits.page_bytes,
        threads: usize::from(traits.background_threads),
        servers: usize::from(traits.processes),
    };
    conditions(traits, (presence, traits.storage), threads, batch)
}
