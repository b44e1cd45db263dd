//! The conditions under which a store answers, derived from its traits.

use engine::{
    EngineTraits, FullMeaning, Hashing, KvEngine, MemoryBound, Presence, Rmw, Sharing, Snapshots,
    Storage, Transport, Writes,
};
use record::{Conditions, Durability};
use workloads::requests::Workload;

/// What an instance says of itself.
struct Instance {
    presence: Presence,
    storage: Storage,
    durability: engine::Durability,
    writes: Writes,
    rmw: Rmw,
    snapshots: Snapshots,
}

/// Conditions of `engine`, used by `threads` with `batch` operations per call. How it reads, modifies and
/// writes is one of them if the workload does, and what its snapshots show if the workload takes any.
#[must_use]
pub fn conditions_of<E: KvEngine>(
    engine: &E,
    threads: usize,
    batch: usize,
    workload: Option<&Workload>,
) -> Conditions {
    let modifies = workload.is_some_and(Workload::modifies);
    let looks = workload.is_some_and(Workload::reads_at_one_moment);
    let instance = Instance {
        presence: engine.presence(),
        storage: engine.storage(),
        durability: engine.durability(),
        writes: engine.writes(),
        rmw: if modifies && E::TRAITS.rmw == Rmw::Atomic { engine.rmw() } else { Rmw::GetThenPut },
        snapshots: if looks { engine.snapshots() } else { Snapshots::No },
    };
    conditions(&E::TRAITS, &instance, threads, batch)
}

fn conditions(
    traits: &EngineTraits,
    instance: &Instance,
    threads: usize,
    batch: usize,
) -> Conditions {
    let presence = instance.presence;
    Conditions {
        page_bytes: presence.page_bytes as u64,
        hashing: match traits.hashing {
            Hashing::None => "none",
            Hashing::Store => "store",
            Hashing::ClientAndServer => "client-and-server",
        }
        .to_owned(),
        keys: "words".to_owned(),
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
        durable: match instance.durability {
            engine::Durability::None => Durability::None,
            engine::Durability::Queued => Durability::Queued,
            engine::Durability::Process => Durability::Process,
            engine::Durability::Acknowledged => Durability::Acknowledged,
        },
        storage: match instance.storage {
            Storage::Memory => "memory",
            Storage::EmulatedPersistentMemory => "emulated-persistent-memory",
            Storage::Disk => "disk",
            Storage::FilesInMemory => "files-in-memory",
        }
        .to_owned(),
        writes: match instance.writes {
            Writes::Telling => "telling",
            Writes::Blind => "blind",
        }
        .to_owned(),
        rmw: match instance.rmw {
            Rmw::Atomic => "atomic",
            Rmw::GetThenPut => "get-then-put",
        }
        .to_owned(),
        snapshots: match instance.snapshots {
            Snapshots::No => "none",
            Snapshots::Consistent => "consistent",
            Snapshots::Linearizable => "linearizable",
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
    let instance = Instance {
        presence,
        storage: traits.storage,
        durability: traits.durability,
        writes: traits.writes,
        rmw: Rmw::GetThenPut,
        snapshots: Snapshots::No,
    };
    conditions(traits, &instance, threads, batch)
}
