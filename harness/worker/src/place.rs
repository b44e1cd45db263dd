//! Where the objects of a replay are: one place for each object that may be live at the same time, reused
//! by later objects.

use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// An address, and the number of events that the place has seen, in one word:
///
/// ```text
/// 63         48 47                                            0
/// ┌────────────┬──────────────────────────────────────────────┐
/// │   turn     │                   address                    │
/// └────────────┴──────────────────────────────────────────────┘
/// ```
///
/// Turns wrap around. An event waits for its own turn, and no thread can be a full round ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Held(u64);

const ADDRESS_BITS: u32 = 48;
const ADDRESS_MASK: u64 = (1 << ADDRESS_BITS) - 1;
const _: () = assert!(ADDRESS_BITS + u16::BITS == u64::BITS);

impl Held {
    fn new(turn: u16, block: Option<NonNull<u8>>) -> Self {
        let address = block.map_or(0, |block| block.as_ptr().expose_provenance() as u64);
        assert!(address <= ADDRESS_MASK, "an address of more than {ADDRESS_BITS} bits");
        Self(u64::from(turn) << ADDRESS_BITS | address)
    }

    fn turn(self) -> u16 {
        (self.0 >> ADDRESS_BITS) as u16
    }

    fn block(self) -> Option<NonNull<u8>> {
        let address = (self.0 & ADDRESS_MASK) as usize;
        NonNull::new(std::ptr::with_exposed_provenance_mut(address))
    }
}

/// One object's place.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Place {
    held: AtomicU64,
    /// Size that was last requested for the object.
    bytes: AtomicU64,
}

const _: () = assert!(size_of::<Place>() == 16);

/// Number of polls before the thread yields.
const LOOKS: u32 = 200;

impl Place {
    /// Waits for another thread's event that precedes `turn` on this place. `false` if the replay was
    /// given up in the meantime.
    pub(super) fn wait_for(&self, turn: u16, given_up: &AtomicBool) -> bool {
        let mut looks = 0_u32;
        // Acquire: pairs with the release of `leave`; what the other thread did to the block, and
        // its size, is seen.
        while Held(self.held.load(Ordering::Acquire)).turn() != turn {
            looks += 1;
            if looks < LOOKS {
                std::hint::spin_loop();
                continue;
            }
            // Relaxed: polled; nothing is published with it.
            if given_up.load(Ordering::Relaxed) {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    /// The block held and its size. Requires that this thread's last event here, or its wait, came
    /// before.
    pub(super) fn block(&self) -> (Option<NonNull<u8>>, usize) {
        // Relaxed, both: this thread wrote them, or acquired them in `wait_for`.
        let held = Held(self.held.load(Ordering::Relaxed));
        (held.block(), self.bytes.load(Ordering::Relaxed) as usize)
    }

    /// Leaves the place to the event after `turn`.
    pub(super) fn leave(&self, turn: u16, block: Option<NonNull<u8>>, bytes: usize) {
        // Relaxed: published by the release below.
        self.bytes.store(bytes as u64, Ordering::Relaxed);
        // Release: pairs with the acquire of `wait_for`.
        self.held.store(Held::new(turn.wrapping_add(1), block).0, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_holds_turn_and_address() {
        let byte = NonNull::from(&7_u8);
        for (turn, block) in [(0, None), (u16::MAX, Some(byte)), (1, Some(byte))] {
            let held = Held::new(turn, block);
            assert_eq!((held.turn(), held.block()), (turn, block));
        }
    }

    #[test]
    fn a_turn_is_waited_for_and_a_replay_that_is_given_up_is_not() {
        let place = Place { held: AtomicU64::new(0), bytes: AtomicU64::new(0) };
        let given_up = AtomicBool::new(false);
        let value = 7_u8;
        std::thread::scope(|scope| {
            // Turns wrap around: the 65,536th is 0 again.
            scope.spawn(|| {
                assert!(place.wait_for(u16::MAX, &given_up));
                assert_eq!(place.block().1, 40);
                place.leave(u16::MAX, None, 0);
            });
            place.leave(u16::MAX - 1, Some(NonNull::from(&value)), 40);
        });
        assert!(place.wait_for(0, &given_up));
        assert_eq!(place.block(), (None, 0));
        given_up.store(true, Ordering::Relaxed);
        assert!(!place.wait_for(1, &given_up));
    }
}
