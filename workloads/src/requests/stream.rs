//! An endless stream of requests for one thread.

use super::live::{LiveRecords, Positions};
use super::mix::KindSampler;
use super::{Request, RequestKind, Workload};
use crate::{KeyDistribution, KeySampler, Rng, Seed, SizeDistribution};

/// Yields the requests of one thread; see [the module](super) for the records they name.
///
/// Drawing allocates nothing, except that workloads with deletes or churn list the live records, 8
/// bytes each. The list has room for a quarter more records than expected. It grows beyond that
/// only if INSERTs outnumber DELETEs without churn, or if sizes vary by orders of magnitude.
#[derive(Clone, Debug)]
pub struct RequestStream {
    kinds: KindSampler,
    kind_rng: Rng,
    keys: Keys,
    writes: Sizes,
    inserts: Sizes,
    scan_entries: (usize, usize),
    scan_rng: Rng,
    /// The first record that this thread inserts, and the stride to its next.
    insert_start: u64,
    insert_step: u64,
    inserted: u64,
}

#[derive(Clone, Debug)]
struct Sizes {
    law: SizeDistribution,
    rng: Rng,
}

impl Sizes {
    #[inline]
    fn next(&mut self) -> usize {
        self.law.sample(&mut self.rng)
    }
}

/// Where keys come from.
#[derive(Clone, Debug)]
enum Keys {
    /// Nothing was loaded and nothing is deleted: there is nothing to request.
    None,
    Loaded(KeySampler),
    /// By rank: this thread's inserts from the newest on, then the loaded records from the last on.
    Newest(KeySampler),
    /// The thread's live records.
    Own(Box<OwnKeys>),
}

#[derive(Clone, Debug)]
struct OwnKeys {
    live: LiveRecords,
    positions: Positions,
    victim_rng: Rng,
    churn: Option<Churn>,
}

#[derive(Clone, Copy, Debug)]
struct Churn {
    /// Live bytes after the load.
    cap_bytes: u64,
    /// The size of the next value to insert, drawn in advance.
    waiting_bytes: usize,
}

impl RequestStream {
    /// The requests of `thread`, one of `threads`, after `records` records were loaded with the
    /// sizes that [`Workload::loaded_value_bytes`] gives. `seed` is the seed of the run, shared by
    /// all threads.
    ///
    /// With deletes or churn, this visits the thread's loaded records once.
    ///
    /// # Panics
    ///
    /// If the workload is invalid, `thread` is not below `threads`, or `records` exceeds
    /// [`Request::RECORD_MAX`].
    pub fn new(
        workload: &Workload,
        records: u64,
        thread: usize,
        threads: usize,
        seed: Seed,
    ) -> Self {
        workload.validate().unwrap_or_else(|error| panic!("{error}"));
        assert!(thread < threads, "thread {thread} of {threads}: threads count from 0");
        assert!(records <= Request::RECORD_MAX, "{records} records do not fit into a request");
        let (thread, threads) = (thread as u64, threads as u64);
        let own = seed.stream("requests").nth(thread);
        let mut inserts = Sizes {
            law: workload.churn_value_bytes.as_ref().unwrap_or(&workload.value_bytes).clone(),
            rng: own.stream("insert sizes").rng(),
        };
        let keys = if workload.deletes() {
            let loaded = (thread..records).step_by(threads as usize);
            let loaded = loaded.map(|record| (record, workload.loaded_value_bytes(seed, record)));
            Keys::Own(Box::new(OwnKeys::new(workload, loaded, &mut inserts, own)))
        } else {
            loaded_keys(workload.keys, records, records * thread / threads, own.stream("keys"))
        };
        Self {
            kinds: KindSampler::new(&workload.mix),
            kind_rng: own.stream("kinds").rng(),
            keys,
            writes: Sizes { law: workload.value_bytes.clone(), rng: own.stream("sizes").rng() },
            inserts,
            scan_entries: workload.scan_entries,
            scan_rng: own.stream("scans").rng(),
            insert_start: records + thread,
            insert_step: threads,
            inserted: 0,
        }
    }

    /// # Panics
    ///
    /// If INSERTs run out of record numbers ([`Request::RECORD_MAX`]).
    #[inline]
    pub fn next_request(&mut self) -> Request {
        let kind = self.kinds.draw(&mut self.kind_rng);
        if let Keys::Own(own) = &mut self.keys {
            if own.live.len() == 0 {
                return self.insert();
            }
            if own.churns(kind) {
                return if own.is_full() { own.delete() } else { self.insert() };
            }
            if kind == RequestKind::Delete {
                return own.delete();
            }
        }
        match kind {
            RequestKind::Insert => self.insert(),
            _ => self.on_stored_record(kind),
        }
    }

    /// Fills `words` with the next requests.
    pub fn fill(&mut self, words: &mut [Request]) {
        words.fill_with(|| self.next_request());
    }

    /// With deletes or churn, the thread's live records, each as the INSERT that would store it at
    /// its present size. Otherwise empty.
    pub fn own_live(&self) -> &[Request] {
        match &self.keys {
            Keys::Own(own) => own.live.as_slice(),
            _ => &[],
        }
    }

    /// With deletes or churn, the total size of the values in [`RequestStream::own_live`].
    /// Otherwise 0.
    pub fn own_live_bytes(&self) -> u64 {
        match &self.keys {
            Keys::Own(own) => own.live.bytes(),
            _ => 0,
        }
    }

    fn insert(&mut self) -> Request {
        let record = self.insert_start + self.inserted * self.insert_step;
        self.inserted += 1;
        match &mut self.keys {
            Keys::Own(own) => {
                let next = self.inserts.next();
                let bytes = match &mut own.churn {
                    Some(churn) => std::mem::replace(&mut churn.waiting_bytes, next),
                    None => next,
                };
                own.live.insert(record, bytes)
            }
            _ => Request::new(RequestKind::Insert, self.inserts.next(), record),
        }
    }

    /// A request of this kind for a stored record, or an INSERT if there is none.
    #[inline]
    fn on_stored_record(&mut self, kind: RequestKind) -> Request {
        let size = match kind {
            RequestKind::Update
            | RequestKind::ReadModifyWrite
            | RequestKind::WriteTogether
            | RequestKind::WriteExpiring => self.writes.next(),
            RequestKind::Scan | RequestKind::SnapshotScan => {
                let (from, to) = self.scan_entries;
                from + self.scan_rng.below((to - from) as u64 + 1) as usize
            }
            _ => 0,
        };
        let record = match &mut self.keys {
            Keys::None => return self.insert(),
            Keys::Loaded(sampler) => sampler.next_record(),
            Keys::Newest(sampler) => {
                let rank = sampler.next_record();
                match self.inserted.checked_sub(rank + 1) {
                    Some(insert) => self.insert_start + insert * self.insert_step,
                    None => sampler.records() - 1 - (rank - self.inserted),
                }
            }
            Keys::Own(own) => {
                let position = own.positions.draw(own.live.len());
                if matches!(kind, RequestKind::Update | RequestKind::ReadModifyWrite) {
                    own.live.resize(position, size);
                }
                own.live.record_at(position)
            }
        };
        Request::new(kind, size, record)
    }
}

/// Keys for workloads that delete nothing; a sequential walk begins at `start`.
fn loaded_keys(keys: KeyDistribution, records: u64, start: u64, seed: Seed) -> Keys {
    let sampler = |keys| KeySampler::new(keys, records, seed.rng());
    match keys {
        _ if records == 0 => Keys::None,
        KeyDistribution::Latest { theta } => {
            Keys::Newest(sampler(KeyDistribution::Zipfian { theta, scrambled: false }))
        }
        _ => Keys::Loaded(sampler(keys).starting_at(start)),
    }
}

impl OwnKeys {
    /// `loaded` yields the loaded records with their sizes.
    fn new(
        workload: &Workload,
        loaded: impl Iterator<Item = (u64, usize)> + Clone,
        inserts: &mut Sizes,
        seed: Seed,
    ) -> Self {
        let count = loaded.clone().count();
        let cap_bytes: u64 = loaded.clone().map(|(_, bytes)| bytes as u64).sum();
        let expected = if workload.churn {
            count.max((cap_bytes as f64 / inserts.law.mean()) as usize)
        } else {
            count
        };
        let mut live = LiveRecords::with_capacity(expected + expected / 4 + 64);
        for (record, bytes) in loaded {
            live.insert(record, bytes);
        }
        let churn = workload.churn.then(|| Churn { cap_bytes, waiting_bytes: inserts.next() });
        Self {
            live,
            positions: Positions::new(workload.keys, count as u64, seed.stream("keys")),
            victim_rng: seed.stream("victims").rng(),
            churn,
        }
    }

    /// Whether a request of this kind is a churn step.
    #[inline]
    fn churns(&self, kind: RequestKind) -> bool {
        self.churn.is_some() && matches!(kind, RequestKind::Insert | RequestKind::Delete)
    }

    /// Whether the next value would exceed the cap.
    #[inline]
    fn is_full(&self) -> bool {
        self.churn
            .is_some_and(|churn| self.live.bytes() + churn.waiting_bytes as u64 > churn.cap_bytes)
    }

    fn delete(&mut self) -> Request {
        Request::new(RequestKind::Delete, 0, self.live.remove_any(&mut self.victim_rng))
    }
}

#[cfg(test)]
mod tests;
