//! The closed loop of batches: the next call follows the answer to the last. Work that need not happen
//! between two calls happens between two spans, as for single operations.

use engine::{KvEngine, KvSession, Op, Outcome as Answer, PutOutcome, ValueBuffers};
use workloads::key_of;
use workloads::requests::{Request, RequestKind};

use super::calls::Found;
use super::lane::{Lane, time};
use super::latency::BATCH;
use super::recheck::recheck;
use super::single::SPAN;

/// Longest batch; `plan` rejects longer ones.
pub(super) const BATCH_MAX: usize = 64;

/// A source of requests, read several at a time.
pub(super) trait Words {
    /// The next `length` requests; fewer at the end.
    fn next_words(&mut self, length: usize) -> &[Request];

    /// All requests that are known ahead; none if they are generated in the loop.
    fn known(&self) -> &[Request];
}

/// Prepared before the clock starts.
impl Words for &[Request] {
    #[inline]
    fn next_words(&mut self, length: usize) -> &[Request] {
        let (next, rest) = self.split_at(length.min(self.len()));
        *self = rest;
        next
    }

    fn known(&self) -> &[Request] {
        self
    }
}

/// Generated one by one in the loop.
pub(super) struct Made<I> {
    requests: I,
    words: [Request; BATCH_MAX],
}

impl<I: Iterator<Item = Request>> Made<I> {
    pub(super) fn by(requests: I) -> Self {
        Self { requests, words: [Request::default(); BATCH_MAX] }
    }
}

impl<I: Iterator<Item = Request>> Words for Made<I> {
    #[inline]
    fn next_words(&mut self, length: usize) -> &[Request] {
        let mut made = 0;
        for (word, request) in self.words[..length].iter_mut().zip(&mut self.requests) {
            *word = request;
            made += 1;
        }
        &self.words[..made]
    }

    fn known(&self) -> &[Request] {
        &[]
    }
}

/// Executes the requests in batches of `batch`. A sampled batch is timed as a whole.
pub(super) fn run_batches<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    requests: &mut dyn Words,
    batch: usize,
) -> Result<(), String> {
    // Loops over arrays of constant length become straight-line vector code. There are few lengths
    // because each is compiled separately for every store.
    match batch {
        0..=8 => run_batches_of::<E, 8>(session, lane, requests, batch),
        9..=32 => run_batches_of::<E, 32>(session, lane, requests, batch),
        _ => run_batches_of::<E, BATCH_MAX>(session, lane, requests, batch),
    }
}

fn run_batches_of<E: KvEngine, const N: usize>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    requests: &mut dyn Words,
    batch: usize,
) -> Result<(), String> {
    let mut answers = [Answer::Absent; N];
    // `timed_every` counts operations; divided by the batch, it counts batches.
    let timed_every = match lane.shared.timed_every {
        u64::MAX => u64::MAX,
        every => (every / batch as u64).max(1),
    };
    let mut until_timed = if timed_every == u64::MAX { u64::MAX } else { 1 };
    let mut counted = 0;
    let mut executed = 0;
    // The operations executed since the last check, and the most that may accumulate.
    let mut span = [Request::default(); SPAN];
    let (mut kept, mut ready) = (0, 0);
    while !lane.shared.is_stopped() {
        if kept + batch > ready {
            recheck::<E>(
                session,
                lane,
                (&span[..kept], lane.first + executed - kept as u64),
                batch,
            );
            kept = 0;
            if lane.is_over() {
                break;
            }
            ready = match requests.known() {
                [] => SPAN,
                known => lane.make_values(&known[..known.len().min(SPAN)], lane.first + executed),
            };
        }
        let words = requests.next_words(batch.min(ready));
        if words.is_empty() {
            break;
        }
        until_timed -= 1;
        let timed = until_timed == 0;
        let answers = &mut answers[..words.len()];
        let (started, ended) =
            execute::<E, N>(session, lane, words, lane.first + executed, answers, timed)?;
        executed += words.len() as u64;
        span[kept..kept + words.len()].copy_from_slice(words);
        kept += words.len();
        if timed {
            until_timed = timed_every;
            lane.latency.record(BATCH, ended - started);
            lane.seconds.add(ended, executed - counted, ended - started);
            counted = executed;
        }
    }
    recheck::<E>(session, lane, (&span[..kept], lane.first + executed - kept as u64), batch);
    lane.done.operations = executed;
    Ok(())
}

/// Executes one batch, whose first operation is the thread's `first`-th. Returns its start and end if it
/// is `timed`.
#[inline]
fn execute<E: KvEngine, const N: usize>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    words: &[Request],
    first: u64,
    answers: &mut [Answer],
    timed: bool,
) -> Result<(u64, u64), String> {
    // Branch-free over all slots, so that the compiler vectorises these loops. A short batch is padded
    // with default words.
    let padded: [Request; N];
    let slots = match words.first_chunk::<N>() {
        Some(full) => full,
        None => {
            padded = std::array::from_fn(|slot| words.get(slot).copied().unwrap_or_default());
            &padded
        }
    };
    let mut keys = [0; N];
    let (mut gets, mut absent) = (0_u64, 0_u64);
    for (slot, (key, word)) in keys.iter_mut().zip(slots).enumerate() {
        *key = key_of(word.record());
        let gets_it = word.is(RequestKind::Get) | word.is(RequestKind::GetAbsent);
        gets |= u64::from(gets_it) << slot;
        absent |= u64::from(word.is(RequestKind::GetAbsent)) << slot;
    }
    let all = u64::MAX >> (u64::BITS as usize - words.len());
    gets &= all;
    let mut asked: [Op<'_>; N] = std::array::from_fn(|slot| Op::Get { key: keys[slot] });
    let mut writers = lane.writers.iter_mut();
    let mut ahead = lane.values.untaken();
    let (mut updates, mut taken) = (0_u64, 0);
    for slot in bits(all & !gets) {
        let (word, key) = (words[slot], keys[slot]);
        if word.is(RequestKind::Delete) | word.is(RequestKind::DeleteAbsent) {
            asked[slot] = Op::Delete { key };
            continue;
        }
        let value = if lane.ahead {
            let (value, later) = ahead.split_at(word.size());
            (ahead, taken) = (later, taken + value.len());
            value
        } else {
            let writer = writers.next().expect("a writer for each operation of a batch");
            writer.number_next(first + slot as u64);
            writer.value(key, word.size())
        };
        asked[slot] = Op::Put { key, value };
        updates |= u64::from(word.is(RequestKind::Update)) << slot;
    }
    let started = time(timed);
    let mut buffers = ValueBuffers::new(lane.buffer, lane.slot_bytes);
    session.execute(&asked[..words.len()], &mut buffers, answers);
    let ended = time(timed);
    lane.values.skip(taken);
    // GETs that found a value and updates that were stored are counted already.
    let mut plain = gets & !absent & mask(answers, |answer| matches!(answer, Answer::Found(_)));
    for slot in bits(updates) {
        let stored = matches!(answers[slot], Answer::Put(outcome) if outcome.is_stored());
        plain |= u64::from(stored) << slot;
    }
    for slot in bits(all & !plain) {
        look_at::<E>(session, lane, (words[slot], answers[slot]), first + slot as u64)?;
    }
    Ok((started, ended))
}

/// Positions of the set bits.
#[inline]
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let place = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(place)
    })
}

/// One bit per item; the first item's bit is the lowest.
#[inline]
fn mask<T>(items: &[T], is: impl Fn(&T) -> bool) -> u64 {
    items.iter().enumerate().fold(0, |bits, (slot, item)| bits | u64::from(is(item)) << slot)
}

/// Counts one operation of a batch that needs individual treatment.
#[inline(never)]
fn look_at<E: KvEngine>(
    session: &mut E::Session<'_>,
    lane: &mut Lane<'_>,
    (word, answer): (Request, Answer),
    index: u64,
) -> Result<(), String> {
    match (word.kind(), answer) {
        (RequestKind::Get, Answer::Absent) => {
            lane.missing(Found::Absent);
            lane.refill::<E>(session, index, word)?;
        }
        (RequestKind::GetAbsent, Answer::Absent) => {}
        (RequestKind::GetAbsent, Answer::Found(_)) => lane.absent::<E>(true),
        (RequestKind::DeleteAbsent, Answer::Deleted(outcome)) => {
            lane.absent::<E>(outcome.was_present());
        }
        (RequestKind::Delete, Answer::Deleted(outcome)) => lane.deleted(outcome),
        (RequestKind::Update | RequestKind::Insert, Answer::Put(PutOutcome::Full)) => {
            lane.done.refuse(index);
            lane.shared.raise_stop();
        }
        (RequestKind::Update, Answer::Put(_)) => {}
        (RequestKind::Insert, Answer::Put(_)) => lane.done.note_insert(word.size()),
        (kind, answer) => return Err(format!("{kind:?} gave {answer:?} in a batch")),
    }
    Ok(())
}
