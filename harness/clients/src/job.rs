//! What all clients of a run do alike, and which part of it one does.

use record::Arrivals;
use serde::{Deserialize, Serialize};
use workloads::Seed;
use workloads::requests::Workload;

use crate::keys::Keys;
use crate::slots::SlotMap;
use crate::target::{Address, Target};

/// The schedule and the records of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Job {
    pub target: Target,
    /// All servers when the run began: any of them tells who has which slots, whichever is gone.
    pub nodes: Vec<Address>,
    pub seed: u64,
    pub workload: Workload,
    /// Records that are loaded before the start, and read and overwritten from then on.
    pub records: u64,
    pub clients: usize,
    /// Connections of each client. Each has one request under way at a time.
    pub connections: usize,
    /// Of all clients together.
    pub rate_ops_per_s: f64,
    pub arrivals: Arrivals,
    pub duration_ms: u64,
    pub interval_ms: u64,
    /// The longest wait for an answer, and for a connection.
    pub timeout_ms: u64,
    /// Replicas that must have a write before it counts as acknowledged; 0 for what the master says.
    pub wait_replicas: u32,
    /// Whether clients also hand over each latency.
    pub keep_samples: bool,
    /// The slots of each shard when the run began, as pairs of the first and the last.
    pub slots: Vec<Vec<(u16, u16)>>,
}

impl Job {
    /// Connections of all clients: each is the only writer of its records.
    #[must_use]
    pub fn writers(&self) -> u64 {
        (self.clients * self.connections) as u64
    }

    /// The connection that writes a record.
    #[must_use]
    pub fn writer_of(&self, record: u64) -> u64 {
        record % self.writers()
    }

    /// A record near this one that `writer` writes. So the shares of the distribution are kept but for
    /// neighbours.
    #[must_use]
    pub fn own_record(&self, record: u64, writer: u64) -> u64 {
        let writers = self.writers();
        let own = record - record % writers + writer;
        if own < self.records { own } else { own - writers }
    }

    /// How many records `writer` writes: `writer`, `writer + writers` …
    #[must_use]
    pub fn records_of(&self, writer: u64) -> u64 {
        self.records.saturating_sub(writer).div_ceil(self.writers())
    }

    #[must_use]
    pub fn seed(&self) -> Seed {
        Seed(self.seed)
    }

    #[must_use]
    pub(crate) fn slot_map(&self) -> SlotMap {
        let ranges = |shard: &Vec<(u16, u16)>| shard.iter().map(|&(from, to)| from..=to).collect();
        SlotMap::new(&self.slots.iter().map(ranges).collect::<Vec<_>>())
    }

    /// How many records each shard gets.
    #[must_use]
    pub fn keys_of_shards(&self) -> Vec<u64> {
        let map = self.slot_map();
        let (keys, mut of_shards) = (self.keys(), vec![0; self.slots.len().max(1)]);
        let mut room = keys.room();
        for record in 0..self.records {
            of_shards[map.shard_of(keys.key(record, &mut room))] += 1;
        }
        of_shards
    }

    /// The keys of its records.
    #[must_use]
    pub(crate) fn keys(&self) -> Keys {
        Keys::of(&self.workload)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A small job without servers.
    pub(crate) fn job(clients: usize, connections: usize, records: u64) -> Job {
        Job {
            target: "redis://127.0.0.1:1".parse().unwrap(),
            nodes: vec!["127.0.0.1:1".parse().unwrap()],
            seed: 42,
            workload: Workload::by_name("get-50").unwrap(),
            records,
            clients,
            connections,
            rate_ops_per_s: 1000.0,
            arrivals: Arrivals::Poisson,
            duration_ms: 1000,
            interval_ms: 100,
            timeout_ms: 1000,
            wait_replicas: 0,
            keep_samples: false,
            slots: vec![vec![(0, 8191)], vec![(8192, 16_383)]],
        }
    }

    #[test]
    fn each_record_has_one_writer_and_each_writer_only_its_own() {
        for (clients, connections, records) in [(1, 1, 1), (4, 2, 1000), (3, 3, 10), (2, 4, 8)] {
            let job = job(clients, connections, records);
            let counted: u64 = (0..job.writers()).map(|writer| job.records_of(writer)).sum();
            assert_eq!(counted, records);
            for record in 0..records {
                for writer in 0..job.writers() {
                    let own = job.own_record(record, writer);
                    assert!(own < records && job.writer_of(own) == writer, "{record} {writer}");
                }
            }
        }
    }

    #[test]
    fn every_record_is_of_one_shard() {
        for sizes in [None, Some("1..40".parse().unwrap())] {
            let mut job = job(1, 1, 10_000);
            job.workload.key_bytes = sizes;
            let keys = job.keys_of_shards();
            assert_eq!(keys.iter().sum::<u64>(), 10_000);
            assert!(keys.iter().all(|keys| (4700..5300).contains(keys)), "{keys:?}");
        }
    }
}
