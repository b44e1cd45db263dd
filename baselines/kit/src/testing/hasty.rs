//! Sessions that answer before they hand anything over: what forgetting to synchronise looks like to a
//! process that is killed, since the system keeps all that it was handed.

use std::collections::VecDeque;

use engine::{DeleteOutcome, GetError, KvSession, PutError, PutOutcome};

/// Writes that wait.
const WAITING_MAX: usize = 8;

/// A session whose writes wait for a few more.
#[derive(Debug)]
pub struct Hasty<S> {
    inner: S,
    /// Keys with their values, or none where they are deleted.
    waiting: VecDeque<(u64, Option<Vec<u8>>)>,
}

impl<S: KvSession> Hasty<S> {
    /// Around `inner`.
    pub fn new(inner: S) -> Self {
        Self { inner, waiting: VecDeque::new() }
    }

    fn wait(&mut self, key: u64, value: Option<Vec<u8>>) {
        self.waiting.push_back((key, value));
        if self.waiting.len() > WAITING_MAX {
            match self.waiting.pop_front() {
                Some((key, Some(value))) => {
                    self.inner.put(key, &value).expect("a value that was accepted");
                }
                Some((key, None)) => _ = self.inner.delete(key),
                None => {}
            }
        }
    }
}

impl<S: KvSession> KvSession for Hasty<S> {
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let waiting = self.waiting.iter().rev().find(|(waiting, _)| *waiting == key);
        let Some((_, value)) = waiting else { return self.inner.get(key, buffer) };
        let Some(value) = value else { return Ok(None) };
        let Some(place) = buffer.get_mut(..value.len()) else {
            let (value_bytes, buffer_bytes) = (value.len(), buffer.len());
            return Err(GetError::BufferTooShort { value_bytes, buffer_bytes });
        };
        place.copy_from_slice(value);
        Ok(Some(value.len()))
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        self.wait(key, Some(value.to_owned()));
        Ok(PutOutcome::Stored)
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.wait(key, None);
        DeleteOutcome::Done
    }
}
