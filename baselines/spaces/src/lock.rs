//! The lock of a segment, shared or exclusive, among processes that may be killed at any time.
//!
//! It lies in a page of its own, because who may only read a segment must be able to lock it. The
//! keeper gives each connection a slot there. A holder is known by its slot, so whatever instant it
//! dies at, the keeper finds what it held and undoes it:
//!
//! ```text
//! │ writer │ changes │ sleepers │ poisoned by │ slot 0 │ slot 1 │ …
//!    slot + 1           (count)     (process)   idle, reading or writing
//! ```
//!
//! A reader says in its slot that it reads, then looks for a writer. A writer puts its number into
//! `writer`, then looks for readers. In one order of all these accesses, one of the two sees the other.
//! A reader that sees a writer steps back, so writers are preferred: no reader enters after a writer
//! has come, and the writer waits for those inside only.
//!
//! | edge | from | to | guarantees |
//! |---|---|---|---|
//! | LOCK | leaving: stores to slot and `writer` | entering: loads of them | the next sees what a visit wrote |
//!
//! A writer that dies while it writes poisons the segment: nobody enters until it is repaired. A reader
//! that dies has changed nothing.

use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::time::Duration;

use platform::Pages;
use platform::futex::Futex;
use platform::mapping::PAGE_BYTES;
use platform::mutant::{Mutant, mutated};
use platform::segments::{Attached, Segment};

use crate::registry::{Rights, SegmentId};
use crate::shared::{at, values};

/// Processes that may lock one segment at a time.
pub(crate) const SLOTS: usize = PAGE_BYTES / size_of::<u32>() - HEADER_WORDS;
const HEADER_WORDS: usize = 4;
/// How long a process sleeps before it looks whether the keeper lives.
const LOOK_EVERY: Duration = Duration::from_millis(100);

const FREE: u32 = 0;
const IDLE: u32 = 0;
const READING: u32 = 1;
const WRITING: u32 = 2;

/// Whether an entry waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until it has the lock.
    Blocking,
    /// Not at all.
    TryOnly,
}

/// Why an entry holds nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Another holds the lock, and the entry does not wait.
    Busy,
    /// This process died while it wrote.
    Poisoned(u32),
    /// The keeper has ended: nobody would notice the death of a holder.
    KeeperGone,
}

/// A new lock, held by nobody.
pub(crate) fn memory() -> std::io::Result<Segment> {
    Segment::resident(PAGE_BYTES, Pages::Small)
}

/// The lock as one process sees it.
#[derive(Debug)]
pub(crate) struct Lock {
    page: Attached,
    slot: usize,
}

impl Lock {
    /// The lock in `memory`, for who has `slot`.
    pub(crate) fn new(memory: &Segment, slot: usize) -> std::io::Result<Self> {
        Ok(Self { page: memory.attach_anywhere()?, slot })
    }

    pub(crate) fn slot(&self) -> usize {
        self.slot
    }

    fn writer(&self) -> &AtomicU32 {
        at(&self.page, 0)
    }

    /// Counts what happened that those who wait may wait for.
    fn changes(&self) -> &Futex {
        at(&self.page, size_of::<u32>())
    }

    fn sleepers(&self) -> &AtomicU32 {
        at(&self.page, 2 * size_of::<u32>())
    }

    fn poison(&self) -> &AtomicU32 {
        at(&self.page, 3 * size_of::<u32>())
    }

    fn slots(&self) -> &[AtomicU32] {
        values(&self.page, HEADER_WORDS * size_of::<u32>(), SLOTS)
    }

    fn number(&self) -> u32 {
        self.slot as u32 + 1
    }

    /// Enters: as a reader beside others, or as a writer alone. `lives` tells whether the keeper does.
    pub(crate) fn enter(
        &self,
        rights: Rights,
        patience: Patience,
        lives: &dyn Fn() -> bool,
    ) -> Result<(), Refused> {
        match rights {
            Rights::Read => self.enter_reading(patience, lives),
            Rights::ReadWrite => self.enter_writing(patience, lives),
        }
    }

    fn enter_reading(&self, patience: Patience, lives: &dyn Fn() -> bool) -> Result<(), Refused> {
        let own = &self.slots()[self.slot];
        loop {
            own.store(READING, SeqCst);
            // LOCK, to: with no writer there, what the last one wrote is visible.
            if self.writer().load(SeqCst) == FREE {
                break;
            }
            own.store(IDLE, SeqCst);
            self.changed();
            self.wait_until(patience, lives, || self.writer().load(SeqCst) == FREE)?;
        }
        self.unless_poisoned(|| self.leave(Rights::Read))
    }

    fn enter_writing(&self, patience: Patience, lives: &dyn Fn() -> bool) -> Result<(), Refused> {
        let come = || self.writer().compare_exchange(FREE, self.number(), SeqCst, SeqCst).is_ok();
        // LOCK, to: as the next writer, and below, after the last reader.
        self.wait_until(patience, lives, come)?;
        let nobody_reads = || self.slots().iter().all(|slot| slot.load(SeqCst) != READING);
        if let Err(refused) = self.wait_until(patience, lives, nobody_reads) {
            self.writer().store(FREE, SeqCst);
            self.changed();
            return Err(refused);
        }
        self.slots()[self.slot].store(WRITING, SeqCst);
        self.unless_poisoned(|| self.leave(Rights::ReadWrite))
    }

    /// Leaves what was entered with these rights.
    pub(crate) fn leave(&self, rights: Rights) {
        // LOCK, from: what this visit wrote. A process that dies between the two stores has left.
        self.slots()[self.slot].store(IDLE, SeqCst);
        if rights == Rights::ReadWrite {
            // LOCK, from: as above.
            self.writer().store(FREE, SeqCst);
        }
        self.changed();
    }

    /// What the keeper does when the process `pid`, which has this slot, is dead.
    pub(crate) fn bury(&self, pid: u32) {
        let own = &self.slots()[self.slot];
        let wrote = own.load(SeqCst) == WRITING && self.writer().load(SeqCst) == self.number();
        if wrote {
            // Before the lock is free, so that whoever enters sees it.
            self.poison().store(pid, SeqCst);
        }
        own.store(IDLE, SeqCst);
        let _ = self.writer().compare_exchange(self.number(), FREE, SeqCst, SeqCst);
        self.changed();
    }

    /// The process that died while it wrote, if one did.
    pub(crate) fn poisoned_by(&self) -> Option<u32> {
        match self.poison().load(SeqCst) {
            0 => None,
            pid => Some(pid),
        }
    }

    /// Lets processes enter again.
    pub(crate) fn repair(&self) {
        self.poison().store(0, SeqCst);
        self.changed();
    }

    fn unless_poisoned(&self, leave: impl FnOnce()) -> Result<(), Refused> {
        let Some(pid) = self.poisoned_by() else { return Ok(()) };
        leave();
        Err(Refused::Poisoned(pid))
    }

    /// Waits until `over`, which may take what it waits for. It looks at `changes` first, so that a
    /// change after it looked keeps it from sleeping.
    fn wait_until(
        &self,
        patience: Patience,
        lives: &dyn Fn() -> bool,
        over: impl Fn() -> bool,
    ) -> Result<(), Refused> {
        loop {
            let seen = self.changes().word().load(SeqCst);
            if over() {
                return Ok(());
            }
            if let Some(pid) = self.poisoned_by() {
                return Err(Refused::Poisoned(pid));
            }
            if patience == Patience::TryOnly {
                return Err(Refused::Busy);
            }
            // A process that dies here leaves the count too high, which costs others a call.
            self.sleepers().fetch_add(1, SeqCst);
            self.changes().wait(seen, Some(LOOK_EVERY));
            self.sleepers().fetch_sub(1, SeqCst);
            if !lives() {
                return Err(Refused::KeeperGone);
            }
        }
    }

    /// Wakes those who wait. In one order of all accesses, either the count below is after that of a
    /// sleeper, or the sleeper's kernel sees the change.
    fn changed(&self) {
        self.changes().word().fetch_add(1, SeqCst);
        if self.sleepers().load(SeqCst) > 0 {
            self.changes().wake(i32::MAX.cast_unsigned());
        }
    }
}

/// The locks of one space, in ascending order of their segments, so that no two travellers wait for
/// each other.
#[derive(Debug, Default)]
pub(crate) struct Locks {
    all: Vec<(SegmentId, Rights, Lock)>,
}

impl Locks {
    pub(crate) fn add(&mut self, segment: SegmentId, rights: Rights, lock: Lock) {
        let at = self.all.partition_point(|&(other, ..)| other < segment);
        self.all.insert(at, (segment, rights, lock));
    }

    /// Returns whether there was one.
    pub(crate) fn remove(&mut self, segment: SegmentId) -> bool {
        let before = self.all.len();
        self.all.retain(|&(other, ..)| other != segment);
        self.all.len() < before
    }

    /// Enters all, or none; on failure, says at which segment.
    pub(crate) fn enter(
        &self,
        patience: Patience,
        lives: &dyn Fn() -> bool,
    ) -> Result<(), (SegmentId, Refused)> {
        for (at, (segment, rights, lock)) in self.all.iter().enumerate() {
            if let Err(refused) = lock.enter(*rights, patience, lives) {
                let kept = usize::from(mutated(Mutant::LockForgotten));
                self.all[..at].iter().skip(kept).for_each(|(_, rights, lock)| lock.leave(*rights));
                return Err((*segment, refused));
            }
        }
        Ok(())
    }

    /// Leaves all.
    pub(crate) fn leave(&self) {
        self.all.iter().rev().for_each(|(_, rights, lock)| lock.leave(*rights));
    }
}
