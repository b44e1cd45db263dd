//! Which thread executes which request. In shared stores every thread executes its own requests. Where
//! keys belong to workers, each request is dealt to the worker of its key before the clock starts, as
//! clients that know the partitions would send it (Lim's thesis, section 5.3.2). The set of requests
//! stays the same, so under skew some workers get more. The run ends with the last request of all, so
//! idle partitions do not inflate the rate.

use std::ops::Range;

use engine::{KvEngine, Sharing};
use workloads::key_of;
use workloads::requests::{Request, RequestKind, Workload};

use super::kit::Kit;
use crate::mapped::MappedSlice;

/// The requests of all threads, dealt to workers.
#[derive(Debug)]
pub(super) struct Dealt {
    words: MappedSlice<Request>,
    /// Each worker's range of `words`.
    lanes: Vec<Range<usize>>,
}

impl Dealt {
    /// Room for the requests of `threads` threads with `operations` each, allocated before the store
    /// opens.
    pub(super) fn room(threads: usize, operations: u64) -> std::io::Result<Self> {
        let words = MappedSlice::resident(threads * operations as usize)?;
        Ok(Self { words, lanes: vec![0..0; threads] })
    }

    /// Deals the words of `crew` in turn: the first of each thread before the second of any.
    pub(super) fn deal(&mut self, crew: &[Kit], executor: &dyn Fn(usize, Request) -> usize) {
        let all = || round_robin(crew.iter().map(|kit| kit.words.iter().copied()));
        let mut counts = vec![0; crew.len()];
        for (thread, request) in all() {
            counts[executor(thread, request)] += 1;
        }
        let mut end = 0;
        for (lane, count) in self.lanes.iter_mut().zip(counts) {
            *lane = end..end;
            end += count;
        }
        for (thread, request) in all() {
            let lane = &mut self.lanes[executor(thread, request)];
            self.words[lane.end] = request;
            lane.end += 1;
        }
    }

    /// The requests that worker `thread` executes.
    pub(super) fn of(&self, thread: usize) -> &[Request] {
        &self.words[self.lanes[thread].clone()]
    }

    /// Requests of the busiest worker ÷ the mean.
    pub(super) fn imbalance(&self) -> f64 {
        let most = self.lanes.iter().map(ExactSizeIterator::len).max().unwrap_or(0);
        let all: usize = self.lanes.iter().map(ExactSizeIterator::len).sum();
        most as f64 * self.lanes.len() as f64 / all.max(1) as f64
    }
}

/// Takes items from several sequences in turn, each with the number of its sequence.
pub(super) fn round_robin<I: Iterator>(
    sequences: impl Iterator<Item = I>,
) -> impl Iterator<Item = (usize, I::Item)> {
    let mut sequences: Vec<(usize, I)> = sequences.enumerate().collect();
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            if sequences.is_empty() {
                return None;
            }
            at %= sequences.len();
            let (number, sequence) = &mut sequences[at];
            let number = *number;
            match sequence.next() {
                Some(item) => {
                    at += 1;
                    return Some((number, item));
                }
                None => drop(sequences.remove(at)),
            }
        }
    })
}

/// Which of `threads` workers executes `request` of `thread`.
pub(super) fn executor<E: KvEngine>(
    engine: &E,
    workload: &Workload,
    (thread, threads): (usize, usize),
    request: Request,
) -> usize {
    let owner = || owner(engine, key_of(request.record()), threads).unwrap_or(thread);
    match E::TRAITS.sharing {
        Sharing::Shared => thread,
        Sharing::Partitioned => owner(),
        // Any worker may GET, but a GET that overtakes an insert or delete would report a false loss.
        Sharing::PartitionedWrites => {
            let stays = request.kind() == RequestKind::Get;
            if stays && !workload.inserts() && !workload.deletes() { thread } else { owner() }
        }
    }
}

/// The worker that owns `key`, if any does.
pub(super) fn owner<E: KvEngine>(engine: &E, key: u64, threads: usize) -> Option<usize> {
    if E::TRAITS.sharing.is_partitioned() { engine.route(key, threads) } else { None }
}

/// The records below `records` that `thread` loads, and checks at the end.
pub(crate) fn records_of<E: KvEngine>(
    engine: &E,
    records: u64,
    (thread, threads): (usize, usize),
) -> impl Iterator<Item = u64> {
    let (at, all) = (thread as u64, threads as u64);
    let range = if E::TRAITS.sharing.is_partitioned() {
        0..records
    } else {
        at * records / all..(at + 1) * records / all
    };
    range.filter(move |&record| {
        owner(engine, key_of(record), threads).is_none_or(|owner| owner == thread)
    })
}

/// The requests that `thread` executes, of those that `made_by` generates for each thread.
pub(super) fn share_of<E: KvEngine, I: Iterator<Item = Request>>(
    engine: &E,
    workload: &Workload,
    (thread, threads): (usize, usize),
    made_by: impl Fn(usize) -> I,
) -> impl Iterator<Item = Request> {
    // In a shared store a thread executes its own requests, so the others' are not generated.
    let makers = if E::TRAITS.sharing.is_partitioned() { 0..threads } else { thread..thread + 1 };
    let first = makers.start;
    round_robin(makers.map(made_by)).filter_map(move |(maker, request)| {
        let executor = executor(engine, workload, (first + maker, threads), request);
        (executor == thread).then_some(request)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_take_turns_until_the_last_ends() {
        let sequences = [vec![1, 2, 3], vec![], vec![10], vec![20, 21]];
        let merged: Vec<(usize, i32)> =
            round_robin(sequences.into_iter().map(Vec::into_iter)).collect();
        assert_eq!(merged, [(0, 1), (2, 10), (3, 20), (0, 2), (3, 21), (0, 3)]);
    }
}
