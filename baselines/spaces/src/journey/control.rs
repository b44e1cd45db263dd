//! The common segment of one journey: turn words, how far the traveller is, what its processes are
//! told and tell, and the traveller itself.
//!
//! ```text
//! │ fields │ handles │ message │ a turn for the owner and each space │ the traveller │
//! ```
//!
//! Only who has the turn writes to it; the turn orders all of that.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use platform::Pages;
use platform::mapping::PAGE_BYTES;
use platform::relay::Turn;
use platform::segments::{Attached, Segment, address_for};

use super::error::Fault;
use crate::registry::{decode, encode};
use crate::traveller::{Arrival, SpaceHandle};

/// Spaces that one journey may have attached at a time.
pub const SPACES_MAX: usize = 256;

const LINE_WORDS: usize = 8;
const HANDLES_AT: usize = 64;
const MESSAGE_AT: usize = 384;
const MESSAGE_WORDS: usize = 512;
const TURNS_AT_LINE: usize = (MESSAGE_AT + MESSAGE_WORDS) / LINE_WORDS;
/// Where the traveller lies.
pub(super) const TRAVELLER_AT: usize =
    ((TURNS_AT_LINE + SPACES_MAX + 1) * size_of::<Turn>()).next_multiple_of(PAGE_BYTES);

const _: () = assert!(HANDLES_AT + SPACES_MAX < MESSAGE_AT);

/// The place of the owner among those who may have the turn; spaces follow.
pub(super) const OWNER: usize = 0;

/// Words that both sides use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Field {
    /// What a space is to do: [`Command`].
    Command,
    /// The segment that it is about.
    Segment,
    /// 1 if the space is to write to it.
    Writes,
    /// The slot from which the traveller comes.
    From,
    /// 1 if its entry does not wait.
    TryOnly,
    /// How it comes: 0 stayed, 1 entered, 2 it could not enter the space of `BusyHandle`.
    Arrival,
    BusyHandle,
    Steps,
    /// Steps after which the run pauses.
    StepsMost,
    Switches,
    /// Entries that were refused because a lock was busy.
    Refusals,
}

/// What the owner asks of a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Visit,
    Map,
    Unmap,
}

/// What a space tells the owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Report {
    /// What was asked is done.
    Ready,
    /// The traveller goes to the primary space.
    Primary,
    Done,
    /// It has made its steps, and is in the space of this slot.
    Paused(usize),
    /// It could not go on; it is in no space.
    Failed(Fault),
}

/// The segment as one process has it.
#[derive(Debug)]
pub(super) struct Control {
    attached: Attached,
}

impl Control {
    /// Makes the segment, for a traveller of so many bytes.
    pub(super) fn new(traveller_bytes: usize) -> io::Result<(Segment, Self)> {
        let bytes = (TRAVELLER_AT + traveller_bytes).next_multiple_of(PAGE_BYTES);
        let segment = Segment::resident(bytes, Pages::Small)?;
        let attached = segment.attach(address_for(bytes)?)?;
        Ok((segment, Self { attached }))
    }

    /// The segment that another process has made, at the address that it has there.
    pub(super) fn received(segment: &Segment, address: usize) -> io::Result<Self> {
        Ok(Self { attached: segment.attach(address)? })
    }

    pub(super) fn attached(&self) -> &Attached {
        &self.attached
    }

    #[inline]
    pub(super) fn turn(&self, slot: usize) -> &Turn {
        self.attached.turn(TURNS_AT_LINE + slot)
    }

    #[inline]
    pub(super) fn read(&self, field: Field) -> u64 {
        // Relaxed: ordered by the turn, here and below.
        self.attached.words()[field as usize].load(Ordering::Relaxed)
    }

    #[inline]
    pub(super) fn write(&self, field: Field, value: u64) {
        self.attached.words()[field as usize].store(value, Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn add_one(&self, field: Field) {
        self.write(field, self.read(field) + 1);
    }

    pub(super) fn set_handle(&self, slot: usize, handle: u64) {
        self.handle(slot).store(handle, Ordering::Relaxed);
    }

    fn handle(&self, slot: usize) -> &AtomicU64 {
        &self.attached.words()[HANDLES_AT + slot]
    }

    /// The slot of a handle that leads to a space, now.
    pub(super) fn slot_of(&self, handle: SpaceHandle) -> Option<usize> {
        let slot = super::slot_in(handle)?;
        (self.handle(slot).load(Ordering::Relaxed) == handle.0).then_some(slot)
    }

    pub(super) fn command(&self) -> Command {
        match self.read(Field::Command) {
            0 => Command::Visit,
            1 => Command::Map,
            _ => Command::Unmap,
        }
    }

    pub(super) fn set_command(&self, command: Command) {
        self.write(Field::Command, command as u64);
    }

    pub(super) fn arrival(&self) -> Arrival {
        match self.read(Field::Arrival) {
            0 => Arrival::Stayed,
            1 => Arrival::Entered,
            _ => Arrival::Busy(SpaceHandle(self.read(Field::BusyHandle))),
        }
    }

    pub(super) fn set_arrival(&self, arrival: Arrival) {
        let word = match arrival {
            Arrival::Stayed => 0,
            Arrival::Entered => 1,
            Arrival::Busy(handle) => {
                self.write(Field::BusyHandle, handle.0);
                2
            }
        };
        self.write(Field::Arrival, word);
    }

    /// Tells the owner. The owner's turn is given by the caller.
    pub(super) fn report(&self, report: &Report) {
        let bytes = encode(report);
        let words = self.message();
        assert!(bytes.len() <= (words.len() - 1) * 8, "a report of {} bytes", bytes.len());
        words[0].store(bytes.len() as u64, Ordering::Relaxed);
        for (word, eight) in words[1..].iter().zip(bytes.chunks(8)) {
            let mut whole = [0; 8];
            whole[..eight.len()].copy_from_slice(eight);
            word.store(u64::from_le_bytes(whole), Ordering::Relaxed);
        }
    }

    /// What was told.
    pub(super) fn reported(&self) -> Option<Report> {
        let words = self.message();
        let count = words[0].load(Ordering::Relaxed) as usize;
        let bytes = words[1..].iter().flat_map(|word| word.load(Ordering::Relaxed).to_le_bytes());
        decode(&bytes.take(count).collect::<Vec<u8>>())
    }

    fn message(&self) -> &[AtomicU64] {
        &self.attached.words()[MESSAGE_AT..][..MESSAGE_WORDS]
    }
}
