//! Sorted items and sorted changes to them, into sorted items: an incremental update (§3.1.5,
//! table 2.3). Items that stay are neither sorted nor hashed again.

use std::cmp::Ordering;
use std::fmt;
use std::iter::Peekable;

use crate::error::{MergeError, MergeInput};

/// What a change does to its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<V> {
    /// The key has this value from now on.
    Put(V),
    /// The key is gone.
    Delete,
}

/// An item of an input, found in order.
type Taken<K, T, E> = Result<(K, T), MergeError<E>>;

/// Yields the items after the changes, by key. Nothing is read ahead but one item of each input;
/// after an error it yields nothing more.
pub struct Merge<O: Iterator, N: Iterator> {
    old: Peekable<O>,
    new: Peekable<N>,
    old_ordinal: u64,
    new_ordinal: u64,
    failed: bool,
}

impl<O: Iterator, N: Iterator> fmt::Debug for Merge<O, N> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { old_ordinal, new_ordinal, failed, .. } = self;
        write!(formatter, "Merge at {old_ordinal} old, {new_ordinal} new, failed: {failed}")
    }
}

impl<K, V, E, O, N> Merge<O, N>
where
    K: Ord + Clone,
    O: Iterator<Item = Result<(K, V), E>>,
    N: Iterator<Item = Result<(K, Change<V>), E>>,
{
    /// Both inputs must ascend strictly by key; an item that does not is an error of the merge.
    pub fn new(old: O, new: N) -> Self {
        let (old, new) = (old.peekable(), new.peekable());
        Self { old, new, old_ordinal: 0, new_ordinal: 0, failed: false }
    }

    fn take_old(&mut self) -> Option<Taken<K, V, E>> {
        let item = self.old.next()?;
        self.old_ordinal += 1;
        Some(self.checked(item, MergeInput::Old))
    }

    fn take_new(&mut self) -> Option<Taken<K, Change<V>, E>> {
        let item = self.new.next()?;
        self.new_ordinal += 1;
        Some(self.checked(item, MergeInput::New))
    }

    /// Compares a key with the one that follows it.
    fn checked<T>(&mut self, item: Result<(K, T), E>, input: MergeInput) -> Taken<K, T, E> {
        let (key, value) = item.map_err(MergeError::Input)?;
        let (next, ordinal) = match input {
            MergeInput::Old => (key_of(self.old.peek()), self.old_ordinal),
            MergeInput::New => (key_of(self.new.peek()), self.new_ordinal),
        };
        if next.is_some_and(|next| *next <= key) {
            return Err(MergeError::Unsorted { input, ordinal });
        }
        Ok((key, value))
    }

    /// Which input has the lesser key: old, new, or both the same. A failed input comes first, so
    /// that it is reported.
    fn turn(&mut self) -> Option<Ordering> {
        match (self.old.peek(), self.new.peek()) {
            (None, None) => None,
            (Some(_), None) | (Some(Err(_)), _) => Some(Ordering::Less),
            (None, Some(_)) | (_, Some(Err(_))) => Some(Ordering::Greater),
            (Some(Ok((old, _))), Some(Ok((new, _)))) => Some(old.cmp(new)),
        }
    }

    fn step(&mut self) -> Option<Result<(K, V), MergeError<E>>> {
        loop {
            let turn = self.turn()?;
            if turn.is_le() {
                let old = self.take_old()?;
                if turn.is_lt() || old.is_err() {
                    return Some(old);
                }
            }
            match self.take_new()? {
                Ok((key, Change::Put(value))) => return Some(Ok((key, value))),
                Ok((_, Change::Delete)) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

fn key_of<K, T, E>(item: Option<&Result<(K, T), E>>) -> Option<&K> {
    item.and_then(|item| item.as_ref().ok()).map(|(key, _)| key)
}

impl<K, V, E, O, N> Iterator for Merge<O, N>
where
    K: Ord + Clone,
    O: Iterator<Item = Result<(K, V), E>>,
    N: Iterator<Item = Result<(K, Change<V>), E>>,
{
    type Item = Result<(K, V), MergeError<E>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let item = self.step();
        self.failed = matches!(item, Some(Err(_)));
        item
    }
}
