//! One client's use of a store: get, put and delete on every rung.

use std::sync::atomic::Ordering;

use engine::{DeleteOutcome, GetError, KvSession, PutError, PutOutcome, SessionError};
use kit::spin::Spin;

use crate::front::Found;
use crate::logs::Log;
use crate::record::Opcode;
use crate::store::Shared;
use crate::tx::Transactor;

/// A session of a [`Bullet`](crate::Bullet).
#[derive(Debug)]
pub struct BulletSession<'a> {
    pub(crate) shared: &'a Shared,
    pub(crate) slot: usize,
    pub(crate) me: Transactor,
    pub(crate) log: Option<&'a Log>,
    /// The value of a put, as words, and its record.
    pub(crate) words: Vec<u64>,
    pub(crate) record: Vec<u64>,
}

impl<'a> BulletSession<'a> {
    pub(crate) fn open(shared: &'a Shared) -> Result<Self, SessionError> {
        let limit = shared.sessions.len();
        let free = shared.sessions.iter().position(|taken| {
            // Relaxed: only looks. Acquire: pairs with the release of the last owner's drop.
            !taken.load(Ordering::Relaxed) && !taken.swap(true, Ordering::Acquire)
        });
        let slot = free.ok_or(SessionError::TooManySessions { limit })?;
        let mut session = Self {
            shared,
            slot,
            me: Transactor::new(slot),
            log: None,
            words: Vec::new(),
            record: Vec::new(),
        };
        session.log = session.any_log();
        Ok(session)
    }

    /// A session in the place of one that is idle, with its slot and its log.
    #[cfg(test)]
    pub(crate) fn stranger(shared: &'a Shared, slot: usize) -> std::mem::ManuallyDrop<Self> {
        std::mem::ManuallyDrop::new(Self {
            shared,
            slot,
            me: Transactor::new(slot),
            log: shared.logs.get(slot),
            words: Vec::new(),
            record: Vec::new(),
        })
    }

    /// A log without writer: there are as many as sessions. Its number is the session's, unless
    /// sessions have changed their logs.
    fn any_log(&self) -> Option<&'a Log> {
        let logs = &self.shared.logs;
        if logs.is_empty() {
            return None;
        }
        let mut spin = Spin::default();
        loop {
            let own = (0..logs.len()).map(|index| &logs[(self.slot + index) % logs.len()]);
            if let Some(log) = own.into_iter().find(|log| log.claim()) {
                return Some(log);
            }
            // A session that changes its log holds two for a moment.
            spin.wait();
        }
    }
}

/// What a get answers.
pub(crate) fn found(found: Found, buffer_bytes: usize) -> Result<Option<usize>, GetError> {
    match found {
        Found::Value(value_bytes) if value_bytes > buffer_bytes => {
            Err(GetError::BufferTooShort { value_bytes, buffer_bytes })
        }
        Found::Value(value_bytes) => Ok(Some(value_bytes)),
        Found::Buried | Found::Missing => Ok(None),
    }
}

impl KvSession for BulletSession<'_> {
    #[inline]
    fn get(&mut self, key: u64, buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
        let Some(front) = &self.shared.front else {
            self.me.touched.begin();
            let bytes = self.shared.back().get(&mut self.me.touched, key, buffer);
            return found(
                bytes.map_or(Found::Missing, |bytes| Found::Value(bytes as usize)),
                buffer.len(),
            );
        };
        let with_lock = !self.shared.rung.reads_without_locks();
        match front.get(key, buffer, with_lock) {
            Found::Missing if !self.shared.is_complete => {
                self.me.touched.begin();
                self.promote(key, buffer)
            }
            other => found(other, buffer.len()),
        }
    }

    fn put(&mut self, key: u64, value: &[u8]) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.shared.value_bytes_max);
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        self.me.touched.begin();
        Ok(match &self.shared.front {
            None => self.put_in_back(key, value),
            Some(front) if !self.shared.rung.has_logs() => self.put_in_front(front, key, value),
            Some(_) => self.append(key, value, Opcode::Put).unwrap_or(PutOutcome::Full),
        })
    }

    fn delete(&mut self, key: u64) -> DeleteOutcome {
        self.me.touched.begin();
        let was_present = match &self.shared.front {
            None => self.remove_from_back(key),
            Some(front) if !self.shared.rung.has_logs() => self.remove_from_front(front, key),
            Some(_) => self.append(key, &[], Opcode::Remove).is_some(),
        };
        DeleteOutcome::told(was_present)
    }
}

impl Drop for BulletSession<'_> {
    fn drop(&mut self) {
        if let Some(log) = self.log {
            log.disown();
        }
        // Release: pairs with the acquire of the next owner's claim.
        self.shared.sessions[self.slot].store(false, Ordering::Release);
    }
}
