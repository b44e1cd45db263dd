//! Each thread's requests of a replayed trace, and their times.

use workloads::requests::{Request, RequestKind};

use super::super::Stop;
use super::super::mapped::MappedSlice;
use crate::precompiled;
use record::{Replay, WorkingSets};

/// The requests of `thread` among `threads`, with all copies in lockstep.
pub(super) fn words(replay: &Replay, lane: (usize, usize)) -> Result<MappedSlice<Request>, Stop> {
    let mut words = MappedSlice::resident(length(replay, lane)?).map_err(Stop::failed)?;
    let mut places = words.iter_mut();
    read(replay, |request| {
        for record in records(replay, lane, request.record()) {
            *places.next().expect("as many requests as were counted") = request.of_record(record);
        }
    })?;
    Ok(words)
}

/// Deletes of the records that are live after `words`; record numbers are below `record_numbers`.
pub(super) fn leftovers(
    words: &[Request],
    record_numbers: u64,
) -> Result<MappedSlice<Request>, Stop> {
    let mut live = MappedSlice::<u8>::resident(record_numbers as usize).map_err(Stop::failed)?;
    let mut count = 0_usize;
    for word in words {
        let is_live = match word.kind() {
            RequestKind::Insert => 1,
            RequestKind::Delete => 0,
            _ => continue,
        };
        let flag = &mut live[word.record() as usize];
        count = count + usize::from(is_live) - usize::from(*flag);
        *flag = is_live;
    }
    let mut deletes = MappedSlice::resident(count).map_err(Stop::failed)?;
    let records = live.iter().enumerate().filter(|(_, flag)| **flag == 1);
    for (delete, (record, _)) in deletes.iter_mut().zip(records) {
        *delete = Request::new(RequestKind::Delete, 0, record as u64);
    }
    Ok(deletes)
}

/// The times at which the requests are due, from the trace.
pub(super) fn times(replay: &Replay, lane: (usize, usize)) -> Result<MappedSlice<u64>, Stop> {
    let mut owned =
        MappedSlice::<u8>::resident(replay.totals.requests as usize).map_err(Stop::failed)?;
    let mut at = 0;
    read(replay, |request| {
        // `check_replay` limits the copies, so that the count fits a byte.
        owned[at] = records(replay, lane, request.record()).count() as u8;
        at += 1;
    })?;
    let mut times = MappedSlice::resident(length(replay, lane)?).map_err(Stop::failed)?;
    let (mut places, mut owned) = (times.iter_mut(), owned.iter());
    precompiled::read_times(&replay.precompiled, replay.totals.requests, |time_ns| {
        for _ in 0..owned.next().copied().unwrap_or(0) {
            *places.next().expect("as many times as requests") = time_ns;
        }
    })
    .map_err(Stop::failed)?;
    Ok(times)
}

fn read(replay: &Replay, each: impl FnMut(Request)) -> Result<(), Stop> {
    precompiled::read(&replay.precompiled, replay.totals.requests, each).map_err(Stop::failed)
}

/// Number of requests of the thread.
fn length(replay: &Replay, lane: (usize, usize)) -> Result<usize, Stop> {
    match replay.working_sets {
        WorkingSets::Private => Ok((replay.copies * replay.totals.requests) as usize),
        WorkingSets::Shared => {
            let mut count = 0;
            read(replay, |request| count += records(replay, lane, request.record()).count())?;
            Ok(count)
        }
    }
}

/// The records that stand for the trace's `record` in the copies that the thread executes.
fn records(
    replay: &Replay,
    (thread, threads): (usize, usize),
    record: u64,
) -> impl Iterator<Item = u64> {
    let (all, copies) = (replay.totals.records, replay.copies);
    let (first, shared) = match replay.working_sets {
        WorkingSets::Private => (thread as u64 * copies, false),
        WorkingSets::Shared => (0, true),
    };
    (first..first + copies).map(move |copy| copy * all + record).filter(move |record| {
        !shared || workloads::key_of(*record) % threads as u64 == thread as u64
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use workloads::requests::{Miss, ReplayTotals};

    use super::*;
    use record::PrecompiledRequests;

    fn replay(working_sets: WorkingSets, copies: u64) -> Replay {
        Replay {
            trace: "t".to_owned(),
            digest: String::new(),
            precompiled: PrecompiledRequests { file: String::new(), checksum: String::new() },
            working_sets,
            copies,
            miss: Miss::Nothing,
            keys: None,
            totals: ReplayTotals { records: 100, ..ReplayTotals::default() },
        }
    }

    fn of(replay: &Replay, thread: usize) -> BTreeSet<u64> {
        (0..100).flat_map(|record| records(replay, (thread, 2), record)).collect()
    }

    #[test]
    fn what_is_left_is_deleted() {
        let word = |kind, record| Request::new(kind, 0, record);
        let words = [
            word(RequestKind::Insert, 3),
            word(RequestKind::Insert, 1),
            word(RequestKind::Delete, 3),
            word(RequestKind::Insert, 7),
            word(RequestKind::Update, 1),
            word(RequestKind::Insert, 3),
        ];
        let deletes = leftovers(&words, 8).unwrap();
        assert_eq!(*deletes, [1, 3, 7].map(|record| word(RequestKind::Delete, record)));
    }

    #[test]
    fn private_sets_do_not_meet_and_shared_ones_are_dealt() {
        let private = replay(WorkingSets::Private, 3);
        assert_eq!(of(&private, 0), (0..300).collect());
        assert_eq!(of(&private, 1), (300..600).collect());
        let shared = replay(WorkingSets::Shared, 3);
        let (first, second) = (of(&shared, 0), of(&shared, 1));
        assert!(first.is_disjoint(&second) && first.len() > 100 && second.len() > 100);
        assert_eq!(first.len() + second.len(), 300);
    }
}
