//! The live records of one thread, for workloads that delete records.

use super::request::{Request, RequestKind};
use crate::{KeyDistribution, KeySampler, Rng, Seed};

/// The live records of one thread with the sizes of their values, 8 bytes each. Each is held as the
/// INSERT that would store it.
#[derive(Clone, Debug)]
pub(super) struct LiveRecords {
    records: Vec<Request>,
    bytes: u64,
}

impl LiveRecords {
    /// An empty list with room for `capacity` records. Every page of it has been touched.
    pub(super) fn with_capacity(capacity: usize) -> Self {
        let touched = Request::new(RequestKind::Insert, Request::SIZE_MAX, Request::RECORD_MAX);
        let mut records = vec![touched; capacity];
        records.clear();
        Self { records, bytes: 0 }
    }

    /// All records, each as the INSERT that would store it.
    pub(super) fn as_slice(&self) -> &[Request] {
        &self.records
    }

    #[inline]
    pub(super) const fn len(&self) -> u64 {
        self.records.len() as u64
    }

    #[inline]
    pub(super) const fn bytes(&self) -> u64 {
        self.bytes
    }

    #[inline]
    pub(super) fn record_at(&self, position: u64) -> u64 {
        self.records[position as usize].record()
    }

    /// Appends a record and returns its INSERT.
    #[inline]
    pub(super) fn insert(&mut self, record: u64, value_bytes: usize) -> Request {
        let insert = Request::new(RequestKind::Insert, value_bytes, record);
        self.records.push(insert);
        self.bytes += value_bytes as u64;
        insert
    }

    /// Sets the size of the value at `position`.
    #[inline]
    pub(super) fn resize(&mut self, position: u64, value_bytes: usize) {
        let entry = &mut self.records[position as usize];
        self.bytes = self.bytes - entry.size() as u64 + value_bytes as u64;
        *entry = Request::new(RequestKind::Insert, value_bytes, entry.record());
    }

    /// Removes a record, chosen uniformly; the last record takes its place. The list must not be
    /// empty.
    #[inline]
    pub(super) fn remove_any(&mut self, rng: &mut Rng) -> u64 {
        let victim = self.records.swap_remove(rng.below(self.len()) as usize);
        self.bytes -= victim.size() as u64;
        victim.record()
    }
}

/// Draws positions in a list whose length changes.
#[derive(Clone, Debug)]
pub(super) enum Positions {
    /// Uniform over the list.
    Uniform(Rng),
    /// Draws from the law, modulo the length. If the list grows beyond the length the law was made
    /// for, records beyond that are not drawn until a delete moves them down.
    FromStart(KeySampler),
    /// The same, counted from the end. Inserts are appended, so the newest records come first; but
    /// the last record also fills the place of a deleted one and so loses its rank.
    FromEnd(KeySampler),
}

impl Positions {
    /// Ranks follow the law over `length_expected`.
    pub(super) fn new(keys: KeyDistribution, length_expected: u64, seed: Seed) -> Self {
        let sampler = |keys| KeySampler::new(keys, length_expected.max(1), seed.rng());
        match keys {
            KeyDistribution::Uniform => Self::Uniform(seed.rng()),
            KeyDistribution::Latest { theta } => {
                Self::FromEnd(sampler(KeyDistribution::Zipfian { theta, scrambled: false }))
            }
            _ => Self::FromStart(sampler(keys)),
        }
    }

    /// A position in `0..length`; `length` must not be zero.
    #[inline]
    pub(super) fn draw(&mut self, length: u64) -> u64 {
        match self {
            Self::Uniform(rng) => rng.below(length),
            Self::FromStart(sampler) => sampler.next_record() % length,
            Self::FromEnd(sampler) => length - 1 - sampler.next_record() % length,
        }
    }
}
