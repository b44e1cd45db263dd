//! Puts and removes of rungs that are one table alone.

use engine::PutOutcome;

use crate::back::{self, Value};
use crate::front::Front;
use crate::record::Reference;
use crate::rung::Rung;
use crate::session::BulletSession;
use crate::store::Shared;

impl BulletSession<'_> {
    /// Puts into the front alone.
    pub(crate) fn put_in_front(&mut self, front: &Front, key: u64, value: &[u8]) -> PutOutcome {
        let shared = self.shared;
        let bucket = front.lock(key);
        let pair = bucket.find(key);
        let (old, new) =
            (pair.map(|pair| Shared::size(pair.bytes)), Shared::size(value.len() as u64));
        if !shared.live.admit(old, new, shared.object_bytes) {
            return PutOutcome::Full;
        }
        let Some(block) = front.fill(self.slot, key, value, false) else {
            shared.live.replace(Some(new), old);
            return PutOutcome::Full;
        };
        bucket.link(self.slot, pair, block, Reference::NONE);
        if pair.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted }
    }

    /// Puts into the back alone.
    pub(crate) fn put_in_back(&mut self, key: u64, value: &[u8]) -> PutOutcome {
        let shared = self.shared;
        let back = shared.back();
        back::to_words(value, &mut self.words);
        let bytes = value.len() as u64;
        let (words, me, slot) = (&self.words, &mut self.me, self.slot);
        back.exclusively(key, || {
            // Who counts before it stores finds the old length first.
            let value = Value { words, bytes };
            let directly = shared.rung == Rung::HikvHt;
            let stored = if directly {
                admit(shared, back.length(&mut me.touched, key), bytes, || {
                    back.put_directly(&mut me.touched, slot, key, value).is_ok()
                })
            } else {
                let old = back.length(&mut me.touched, key);
                admit(shared, old, bytes, || {
                    let mut tx = me.begin(&back.region, &back.heap);
                    let stored = back.put_in(&mut tx, key, value, 0).is_ok();
                    if stored {
                        tx.commit(&back.layout);
                    }
                    stored
                })
            };
            stored.unwrap_or(PutOutcome::Full)
        })
    }

    /// Removes from the back alone.
    pub(crate) fn remove_from_back(&mut self, key: u64) -> bool {
        let shared = self.shared;
        let back = shared.back();
        let (me, slot) = (&mut self.me, self.slot);
        let old = back.exclusively(key, || {
            if shared.rung == Rung::HikvHt {
                return back.remove_directly(&mut me.touched, slot, key);
            }
            let mut tx = me.begin(&back.region, &back.heap);
            let old = back.remove_in(&mut tx, key, 0);
            if !tx.is_empty() {
                tx.commit(&back.layout);
            }
            old
        });
        if let Some(bytes) = old {
            shared.live.replace(Some(Shared::size(bytes)), None);
        }
        old.is_some()
    }

    /// Removes from the front alone.
    pub(crate) fn remove_from_front(&mut self, front: &Front, key: u64) -> bool {
        let bucket = front.lock(key);
        let Some(pair) = bucket.find(key) else { return false };
        bucket.unlink(self.slot, pair);
        self.shared.live.replace(Some(Shared::size(pair.bytes)), None);
        true
    }
}

/// Counts a value in the place of another, and stores it; takes the count back if that fails.
fn admit(
    shared: &Shared,
    old: Option<u64>,
    bytes: u64,
    store: impl FnOnce() -> bool,
) -> Option<PutOutcome> {
    let (old, new) = (old.map(Shared::size), Shared::size(bytes));
    if !shared.live.admit(old, new, shared.object_bytes) {
        return None;
    }
    if !store() {
        shared.live.replace(Some(new), old);
        return None;
    }
    Some(if old.is_some() { PutOutcome::Updated } else { PutOutcome::Inserted })
}
