//! Batches: their operations overlap their cache misses.

use super::Session;
use crate::address::VirtualAddress;
use crate::batch::{Answer, Answers, Buffers, Group, IN_FLIGHT, Operation};
use crate::constants::HEADER_BYTES;
use crate::epoch::Pin;
use crate::index::hash::Hash;
use crate::instrument::{Mutant, mutated};
use crate::name::Name;
use crate::store::Shared;

/// The most lines of an object to prefetch; for longer objects the processor's own prefetchers take
/// over.
const LINES_AHEAD: usize = 17;

impl Session<'_> {
    /// Executes a batch, in groups of 64 operations that overlap their cache misses.
    ///
    /// Each operation is drawn from `operations` once. Operations take effect in their order, and
    /// each is linearisable by itself; a batch is not a transaction. A GET copies its value to its
    /// slot of `buffers`. `answers` receives the position of every operation in the batch, counted
    /// from 0, and its answer, in order.
    ///
    /// A group is drawn before it is executed and answered afterwards, both outside the epoch. So
    /// the iterator and `answers` may use this session, and may panic: then the groups executed so
    /// far have taken effect, and the rest has not.
    ///
    /// ```
    /// use nibble::{Answer, Buffers, Config, Operation, Put, Store};
    ///
    /// let store = Store::open(Config::best(16 << 20))?;
    /// let session = store.session()?;
    /// let batch = [Operation::Put { key: 7, value: b"seven" }, Operation::Get { key: 7 }];
    /// let mut bytes = [0; 2 * 64];
    /// let mut buffers = Buffers::new(&mut bytes, 64);
    /// let mut answers = Vec::new();
    /// session.execute(batch, &mut buffers, |_, answer| answers.push(answer));
    /// assert_eq!(answers, [Answer::Stored(Put::Inserted), Answer::Found(5)]);
    /// assert_eq!(&bytes[64..][..5], b"seven");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If a GET has no slot in `buffers`.
    pub fn execute<'value>(
        &self,
        operations: impl IntoIterator<Item = Operation<'value>>,
        buffers: &mut Buffers<'_>,
        answers: impl FnMut(usize, Answer),
    ) {
        self.execute_named(operations.into_iter(), buffers, answers);
    }
}

impl<'store, K: ?Sized> Session<'store, K> {
    /// As [`Session::execute`], each operation with the name of its key.
    #[inline(always)]
    pub(super) fn execute_named<'value, N: Name>(
        &self,
        mut operations: impl Iterator<Item = Operation<'value, N>>,
        buffers: &mut Buffers<'_>,
        mut answers: impl FnMut(usize, Answer),
    ) {
        let mut group = Group::new();
        let mut answered = Answers::new();
        let mut first = 0;
        loop {
            group.clear();
            group.extend(operations.by_ref().take(IN_FLIGHT).map(|operation| {
                let hash = Hash::of(operation.key().word());
                self.shared.index.prefetch(hash);
                (hash, operation)
            }));
            if group.is_empty() {
                return;
            }
            self.execute_group(&group, first, buffers, &mut answered);
            for (place, answer) in answered.drain(..).enumerate() {
                answers(first + place, answer);
            }
            self.tidy();
            if !group.is_full() {
                return;
            }
            first += IN_FLIGHT;
        }
    }

    /// Executes the operations of a group within one epoch. A PUT that must wait for memory leaves
    /// the epoch while it waits.
    #[inline]
    fn execute_group<N: Name>(
        &self,
        group: &[(Hash, Operation<'_, N>)],
        first: usize,
        buffers: &mut Buffers<'_>,
        answered: &mut Answers,
    ) {
        let backwards = mutated(Mutant::BatchReordersKey);
        let mut pin = self.enter();
        for &(hash, operation) in group {
            self.fetch_object(hash, operation);
        }
        for turn in 0..group.len() {
            let place = if backwards { group.len() - 1 - turn } else { turn };
            let (hash, operation) = group[place];
            let (answer, inside) = self.execute_one(hash, operation, first + place, buffers, pin);
            answered.push(answer);
            pin = inside;
        }
        drop(pin);
        if backwards {
            answered.reverse();
        }
    }

    /// Prefetches what the operation will need of the object that its key seems to lead to.
    #[inline]
    fn fetch_object<N: Name>(&self, hash: Hash, operation: Operation<'_, N>) {
        let Shared { log, index, .. } = self.shared;
        let Some(place) = index.hint(hash, &log.memory) else { return };
        let bytes = operation.key().prefix_bytes()
            + match operation {
                Operation::Get { .. } => self.value_bytes_seen.get(),
                Operation::Put { value, .. } if self.in_place => value.len(),
                Operation::Put { .. } | Operation::Delete { .. } => 0,
            };
        let lines = (place.raw() as usize % 64 + HEADER_BYTES as usize + bytes).div_ceil(64);
        for line in 0..lines.min(LINES_AHEAD) {
            log.memory.region.prefetch(VirtualAddress::new(place.raw() + 64 * line as u64));
        }
    }

    #[inline]
    fn execute_one<N: Name>(
        &self,
        hash: Hash,
        operation: Operation<'_, N>,
        index: usize,
        buffers: &mut Buffers<'_>,
        pin: Pin<'store>,
    ) -> (Answer, Pin<'store>) {
        let answer = match operation {
            Operation::Get { key } => match self.get_pinned(hash, key, buffers.slot(index), &pin) {
                Ok(Some(value_bytes)) => {
                    self.value_bytes_seen.set(value_bytes);
                    Answer::Found(value_bytes)
                }
                Ok(None) => Answer::Absent,
                Err(error) => Answer::TooShort { value_bytes: error.value_bytes },
            },
            Operation::Delete { key } => match self.check_open() {
                Ok(()) => Answer::Deleted(self.delete_pinned(hash, key, &pin)),
                Err(error) => Answer::Refused(error),
            },
            Operation::Put { key, value } => {
                let attempt = match self.check_put(key, value) {
                    Ok(()) => self.put_pinned(hash, key, value, &pin),
                    Err(error) => Some(Err(error)),
                };
                let (stored, pin) = match attempt {
                    Some(done) => (done, pin),
                    None => {
                        drop(pin);
                        (self.put_patiently(hash, key, value), self.enter())
                    }
                };
                return (stored.map_or_else(Answer::Refused, Answer::Stored), pin);
            }
        };
        (answer, pin)
    }
}
