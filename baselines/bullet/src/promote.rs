//! Gets that the front misses after a recovery: pairs come from the back, and stay.

use engine::GetError;

use crate::back::Back;
use crate::counts::add;
use crate::faults::{Fault, Step};
use crate::front::{Found, Front};
use crate::record::Reference;
use crate::session::{BulletSession, found};

impl BulletSession<'_> {
    /// Reads a key that the front does not have from the back, and copies it to the front.
    #[cold]
    pub(crate) fn promote(
        &mut self,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        let (front, back) = (self.shared.front(), self.shared.back());
        if self.shared.faults.has(Fault::StaleMiss) {
            return self.promote_unlocked(front, back, key, buffer);
        }
        // The bucket is taken before the back is read: what is inserted is not stale (B6).
        let bucket = front.lock(key);
        if bucket.find(key).is_some() {
            drop(bucket);
            return found(front.get(key, buffer, true), buffer.len());
        }
        let Some(bytes) = back.value_bytes(&mut self.me.touched, key) else { return Ok(None) };
        let mut value = vec![0; bytes as usize];
        back.get(&mut self.me.touched, key, &mut value);
        self.shared.faults.at(Step::BackRead);
        if let Some(block) = front.fill(self.slot, key, &value, false) {
            bucket.link(self.slot, None, block, Reference::NONE);
            add(&self.shared.counters.promoted, 1);
        }
        drop(bucket);
        copied(&value, buffer)
    }

    /// B6 as the text leaves it open.
    fn promote_unlocked(
        &mut self,
        front: &Front,
        back: &Back,
        key: u64,
        buffer: &mut [u8],
    ) -> Result<Option<usize>, GetError> {
        let Some(bytes) = back.value_bytes(&mut self.me.touched, key) else { return Ok(None) };
        let mut value = vec![0; bytes as usize];
        back.get(&mut self.me.touched, key, &mut value);
        self.shared.faults.at(Step::BackRead);
        if let Some(block) = front.fill(self.slot, key, &value, false) {
            let bucket = front.lock(key);
            bucket.link(self.slot, bucket.find(key), block, Reference::NONE);
        }
        copied(&value, buffer)
    }
}

fn copied(value: &[u8], buffer: &mut [u8]) -> Result<Option<usize>, GetError> {
    if let Some(front) = buffer.get_mut(..value.len()) {
        front.copy_from_slice(value);
    }
    found(Found::Value(value.len()), buffer.len())
}
