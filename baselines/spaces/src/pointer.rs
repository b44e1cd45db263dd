//! Pointers that know their space.
//!
//! Addresses in segments are absolute, and mean what they say only in a space that has the segment
//! there. A [`Here`] is the space in which a step runs. An [`In`] is a pointer of that step: its brand
//! `'space` is a lifetime of which nothing outside the step knows, so it cannot leave it. What is
//! stored is a [`Kept`], which names its segment, and is checked against the space when it is used.
//!
//! ```
//! # use spaces::pointer::{Here, In, NotHere};
//! # use spaces::registry::SegmentId;
//! # use std::sync::atomic::AtomicU64;
//! fn step<'space>(here: &Here<'space>, segment: SegmentId) -> Result<u64, NotHere> {
//!     let pointer: In<'space, AtomicU64> = here.root(segment)?;
//!     Ok(pointer.get(here).load(std::sync::atomic::Ordering::Relaxed))
//! }
//! ```
//!
//! A pointer does not outlive its step:
//!
//! ```compile_fail
//! # use spaces::pointer::{Here, In, NotHere};
//! # use spaces::registry::SegmentId;
//! # use std::sync::atomic::AtomicU64;
//! fn step<'space>(here: &Here<'space>, segment: SegmentId) -> Result<In<'static, AtomicU64>, NotHere> {
//!     let pointer: In<'space, AtomicU64> = here.root(segment)?;
//!     Ok(pointer)
//! }
//! ```
//!
//! Nor is it used in another space:
//!
//! ```compile_fail
//! # use spaces::pointer::{Here, In};
//! # use std::sync::atomic::AtomicU64;
//! fn step<'space, 'other>(pointer: In<'space, AtomicU64>, there: &Here<'other>) -> u64 {
//!     pointer.get(there).load(std::sync::atomic::Ordering::Relaxed)
//! }
//! ```
//!
//! Nor is it a part of what travels:
//!
//! ```compile_fail
//! # use spaces::pointer::{Here, In};
//! # use spaces::registry::SegmentId;
//! # use spaces::traveller::{Go, Traveller};
//! # use std::sync::atomic::AtomicU64;
//! struct Keeps<'space> {
//!     pointer: Option<In<'space, AtomicU64>>,
//! }
//! impl<'space> Keeps<'space> {
//!     fn step<'here>(&mut self, here: &Here<'here>, segment: SegmentId) {
//!         self.pointer = here.root(segment).ok();
//!     }
//! }
//! ```

use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use platform::segments::{Attached, RANGE_START};

use crate::registry::{Rights, SegmentId};
use crate::shared::{InSegment, Shared, at, values};
use crate::traveller::{Arrival, SpaceHandle};

/// A segment as an attached space has it.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) segment: SegmentId,
    pub(crate) rights: Rights,
    pub(crate) attached: Attached,
}

/// The space in which a step runs.
#[derive(Debug)]
pub struct Here<'space> {
    parts: &'space [Part],
    space: SpaceHandle,
    arrival: Arrival,
    /// Makes the lifetime a brand: it can be neither shortened nor lengthened.
    brand: PhantomData<fn(&'space ()) -> &'space ()>,
}

/// A pointer of one step, into a segment of its space.
pub struct In<'space, T> {
    target: &'space T,
    segment: SegmentId,
    brand: PhantomData<fn(&'space ()) -> &'space ()>,
}

impl<T> fmt::Debug for In<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:p} of {}", self.target, self.segment)
    }
}

impl<T> Clone for In<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for In<'_, T> {}

/// A segment that the space of a step does not have, or not so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotHere {
    /// The segment.
    pub segment: SegmentId,
    /// The address that leads nowhere; `None` if the whole segment is not here.
    pub address: Option<usize>,
    /// The space.
    pub space: SpaceHandle,
}

impl fmt::Display for NotHere {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { segment, space, .. } = self;
        match self.address {
            None => write!(f, "{segment} is not in {space}: attach it there, or go where it is"),
            Some(address) => write!(f, "{address:#x} is no such value of {segment} in {space}"),
        }
    }
}

impl std::error::Error for NotHere {}

impl<'space> Here<'space> {
    pub(crate) fn new(parts: &'space [Part], space: SpaceHandle, arrival: Arrival) -> Self {
        Self { parts, space, arrival, brand: PhantomData }
    }

    /// The space; [`SpaceHandle::PRIMARY`] in the process that began the journey.
    #[must_use]
    pub fn space(&self) -> SpaceHandle {
        self.space
    }

    /// How the traveller came to this step.
    #[must_use]
    pub fn arrival(&self) -> Arrival {
        self.arrival
    }

    /// What the space may do with a segment.
    ///
    /// # Errors
    /// If it does not have it.
    pub fn rights(&self, segment: SegmentId) -> Result<Rights, NotHere> {
        self.part(segment).map(|part| part.rights)
    }

    /// The value with which a segment begins.
    ///
    /// # Errors
    /// If the space does not have the segment, or the segment is too small for it.
    pub fn root<T: Shared>(&self, segment: SegmentId) -> Result<In<'space, T>, NotHere> {
        self.value(segment, 0)
    }

    /// All of a segment, as values of one type.
    ///
    /// # Errors
    /// If the space does not have it.
    pub fn all<T: Shared>(&self, segment: SegmentId) -> Result<&[T], NotHere> {
        let part = self.part(segment)?;
        Ok(values(&part.attached, 0, part.attached.bytes() / size_of::<T>().max(1)))
    }

    /// The pointer that was kept, as one of this step.
    ///
    /// # Errors
    /// If the space does not have its segment, or no such value lies there.
    pub fn at<T: Shared>(&self, kept: Kept<T>) -> Result<In<'space, T>, NotHere> {
        let (segment, address) = kept.parts();
        let part = self.part(segment)?;
        let nowhere = NotHere { segment, address: Some(address), space: self.space };
        let offset = address.checked_sub(part.attached.address()).ok_or(nowhere)?;
        self.value(segment, offset).map_err(|_| nowhere)
    }

    pub(crate) fn part(&self, segment: SegmentId) -> Result<&'space Part, NotHere> {
        let part = self.parts.iter().find(|part| part.segment == segment);
        part.ok_or(NotHere { segment, address: None, space: self.space })
    }

    /// The value at `offset` of a segment.
    pub(crate) fn value<T: Shared>(
        &self,
        segment: SegmentId,
        offset: usize,
    ) -> Result<In<'space, T>, NotHere> {
        let attached = &self.part(segment)?.attached;
        let ends = offset.checked_add(size_of::<T>());
        let fits = ends.is_some_and(|end| end <= attached.bytes());
        if !fits || !offset.is_multiple_of(align_of::<T>()) {
            let address = Some(attached.address().wrapping_add(offset));
            return Err(NotHere { segment, address, space: self.space });
        }
        Ok(In { target: at(attached, offset), segment, brand: PhantomData })
    }
}

impl<'space, T: Shared> In<'space, T> {
    /// What it points to.
    #[must_use]
    pub fn get<'here>(&self, _here: &'here Here<'space>) -> &'here T {
        self.target
    }

    /// The pointer, to be stored in a segment.
    #[must_use]
    pub fn keep(&self) -> Kept<T> {
        Kept::new(self.segment, self.address())
    }

    pub(crate) fn address(&self) -> usize {
        std::ptr::from_ref(self.target).addr()
    }

    pub(crate) fn segment(&self) -> SegmentId {
        self.segment
    }
}

/// Bits of a kept pointer for the address, in steps of 8 bytes from the start of the range.
const ADDRESS_BITS: u32 = 40;
const STEP_BYTES: usize = 8;

/// A pointer in a segment: the segment that it points into, and the address. It is a word and never 0.
#[repr(transparent)]
pub struct Kept<T> {
    word: u64,
    target: PhantomData<fn() -> T>,
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Kept<T> {}

impl<T> PartialEq for Kept<T> {
    fn eq(&self, other: &Self) -> bool {
        self.word == other.word
    }
}

impl<T> Eq for Kept<T> {}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (segment, address) = self.parts();
        write!(formatter, "{address:#x} of {segment}")
    }
}

impl<T> Kept<T> {
    fn new(segment: SegmentId, address: usize) -> Self {
        let step = (address - RANGE_START) / STEP_BYTES;
        debug_assert!(address.is_multiple_of(STEP_BYTES) && step < 1 << ADDRESS_BITS);
        Self { word: u64::from(segment.0) << ADDRESS_BITS | step as u64, target: PhantomData }
    }

    fn parts(self) -> (SegmentId, usize) {
        let step = self.word & ((1 << ADDRESS_BITS) - 1);
        let segment = SegmentId((self.word >> ADDRESS_BITS) as u32);
        (segment, RANGE_START + step as usize * STEP_BYTES)
    }
}

/// A place in a segment for a pointer, or for none.
#[derive(Debug)]
#[repr(transparent)]
pub struct Link<T> {
    word: AtomicU64,
    target: PhantomData<fn() -> T>,
}

#[expect(unsafe_code, reason = "says what may lie in segments")]
mod in_segments {
    use super::{InSegment, Kept, Link, Shared};

    // SAFETY: an integer: any word is a value, and is checked when it is used.
    unsafe impl<T: 'static> InSegment for Kept<T> {}
    // SAFETY: an integer: any word is a value, and is checked when it is used.
    unsafe impl<T: 'static> InSegment for Link<T> {}
    // SAFETY: an atomic.
    unsafe impl<T: 'static> Shared for Link<T> {}
}

impl<T> Default for Link<T> {
    fn default() -> Self {
        Self { word: AtomicU64::new(0), target: PhantomData }
    }
}

impl<T> Link<T> {
    /// The pointer, if there is one.
    #[must_use]
    pub fn load(&self) -> Option<Kept<T>> {
        // LINK, to: what was written to the target before it was linked.
        let word = self.word.load(Ordering::Acquire);
        (word != 0).then_some(Kept { word, target: PhantomData })
    }

    /// Stores a pointer, or none. What was written to its target before is seen by who loads it.
    pub fn store(&self, kept: Option<Kept<T>>) {
        // LINK, from: the target is whole.
        self.word.store(kept.map_or(0, |kept| kept.word), Ordering::Release);
    }
}
