//! One line of a random page, after something that may have cost the processor its translations: the
//! question of Fig. 47 of the dissertation.
//!
//! Each page has one line that is touched, always the same one and not the same in every page, so that
//! the data stay in the caches as long as translations matter. What is timed is the load alone.

use std::fmt;
use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use platform::clock::{monotonic_ns, ticks_ordered};
use platform::flush::Flusher;
use platform::mapping::PAGE_BYTES;
use platform::relay::Turn;
use platform::segments::{Attached, CHOSEN_END};
use platform::{cpu, process::ask_parent};

use crate::journey::{Journey, JourneyError};
use crate::pointer::Here;
use crate::registry::{Access, Keeper, NewSegment, Registry, RegistryError, Rights, SegmentId};
use crate::shared::InSegment;
use crate::traveller::{Go, SpaceHandle, Traveller};
use crate::walk::ticks_per_ns;

/// Touches whose times are kept: the last ones.
const KEPT: usize = 1 << 13;
const PAGE_WORDS: usize = PAGE_BYTES / size_of::<u64>();
const LINE_WORDS: usize = 8;
/// Most pages of a set.
pub const PAGES_MAX: usize = 1 << 20;
/// The end of the range, where no other segment of this program lies.
const BASE: usize = CHOSEN_END - PAGES_MAX * PAGE_BYTES;

/// What happens between two touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Nothing.
    Nothing,
    /// A system call that does nothing.
    Syscall,
    /// Another thread of the process runs on the core, and gives the turn back.
    Thread,
    /// Another process runs on the core, and gives the turn back: the address space changes twice.
    Process,
    /// All translations of the core are flushed.
    Flush,
}

/// What was measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Touched {
    /// Touches.
    pub touches: u64,
    /// Those that did not find what the page holds.
    pub wrong: u64,
    /// Wall time of all, with what happened between them.
    pub elapsed_ns: u64,
    /// Times of the last touches, ascending.
    pub line_ns: Vec<f64>,
}

/// Why nothing was measured.
#[derive(Debug)]
pub enum TouchError {
    /// A set of so many pages.
    Pages(usize),
    /// The spaces cannot be had, or ended.
    Journey(JourneyError),
    /// The system refused something.
    System(io::Error),
}

impl fmt::Display for TouchError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pages(pages) => write!(formatter, "{pages} pages: use 1 to {PAGES_MAX}"),
            Self::Journey(error) => error.fmt(formatter),
            Self::System(error) => write!(formatter, "touching pages: {error}"),
        }
    }
}

impl std::error::Error for TouchError {}

impl From<io::Error> for TouchError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<JourneyError> for TouchError {
    fn from(error: JourneyError) -> Self {
        Self::Journey(error)
    }
}

impl From<RegistryError> for TouchError {
    fn from(error: RegistryError) -> Self {
        Self::Journey(error.into())
    }
}

/// Touches `touches` random pages of a set of `pages`. `program` starts a program that serves as a
/// keeper, and as a space whose traveller is [`Toucher`]; all runs on `core`.
///
/// # Errors
/// The system's error; if a process of the spaces ends.
pub fn touch(
    between: Between,
    pages: usize,
    touches: u64,
    (core, program): (usize, fn() -> io::Result<Command>),
) -> Result<Touched, TouchError> {
    if pages == 0 || pages > PAGES_MAX {
        return Err(TouchError::Pages(pages));
    }
    let keeper = Keeper::start(program)?;
    let registry = keeper.connect()?;
    let segment = registry.make_segment(NewSegment {
        name: "touched".to_owned(),
        base: BASE,
        bytes: pages * PAGE_BYTES,
        page_bytes: PAGE_BYTES,
        access: Access::owner(),
        lockable: false,
    })?;
    let words = registry.map(segment, Rights::ReadWrite)?;
    for page in 0..pages {
        // Relaxed: processes and threads start afterwards.
        words.words()[word_of(page)].store(stamp_of(page), Ordering::Relaxed);
    }
    cpu::pin_to(core)?;
    let mut toucher = Box::new(Toucher {
        random: 0x9E37_79B9_7F4A_7C15,
        pages: pages as u64,
        done: 0,
        left: touches,
        wrong: 0,
        segment: segment.number(),
        unused: 0,
        spaces: [0; 2],
        ticks: [0; KEPT],
    });
    let elapsed_ns = match between {
        Between::Nothing => toucher.alone(&words, || Ok(()))?,
        Between::Syscall => toucher.alone(&words, || {
            ask_parent();
            Ok(())
        })?,
        Between::Flush => {
            let mut flusher = Flusher::new()?;
            toucher.alone(&words, || flusher.flush())?
        }
        Between::Thread => beside_a_thread(&mut toucher, &words, core)?,
        Between::Process => {
            // The set is mapped in the two spaces alone.
            drop(words);
            by_journey(&mut toucher, &registry, (core, program))?
        }
    };
    Ok(toucher.touched(elapsed_ns))
}

/// The traveller: it touches a page in one space, and goes to the other and back.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Toucher {
    random: u64,
    pages: u64,
    done: u64,
    left: u64,
    wrong: u64,
    segment: u32,
    unused: u32,
    spaces: [u64; 2],
    ticks: [u32; KEPT],
}

#[expect(unsafe_code, reason = "says what may lie in segments")]
mod in_segments {
    use super::{InSegment, Toucher};

    // SAFETY: integers in a fixed layout.
    unsafe impl InSegment for Toucher {}
}

impl Toucher {
    /// Touches the next page.
    fn touch(&mut self, words: &[AtomicU64]) {
        // Knuth's generator; its high bits are the random ones.
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let page = ((self.random >> 33) % self.pages) as usize;
        let word = &words[word_of(page)];
        let before = ticks_ordered();
        // Relaxed: written before all of this.
        let seen = word.load(Ordering::Relaxed);
        let after = ticks_ordered();
        self.wrong += u64::from(seen != stamp_of(page));
        let ticks = u32::try_from(after - before).unwrap_or(u32::MAX);
        self.ticks[self.done as usize % KEPT] = ticks;
        self.done += 1;
        self.left -= 1;
    }

    /// Touches all pages in this thread; returns how long that took.
    fn alone(
        &mut self,
        words: &Attached,
        mut between: impl FnMut() -> io::Result<()>,
    ) -> io::Result<u64> {
        let started_ns = monotonic_ns();
        while self.left > 0 {
            between()?;
            self.touch(words.words());
        }
        Ok(monotonic_ns() - started_ns)
    }

    fn touched(&self, elapsed_ns: u64) -> Touched {
        let kept = &self.ticks[..KEPT.min(self.done as usize)];
        let mut line_ns: Vec<f64> =
            kept.iter().map(|&ticks| f64::from(ticks) / ticks_per_ns()).collect();
        line_ns.sort_unstable_by(f64::total_cmp);
        Touched { touches: self.done, wrong: self.wrong, elapsed_ns, line_ns }
    }
}

impl Touched {
    /// The mean of the times without the longest and the shortest twentieth, which interrupts and the
    /// clock make; 0 of none.
    #[must_use]
    pub fn trimmed_mean_ns(&self) -> f64 {
        let cut = self.line_ns.len() / 20;
        let middle = &self.line_ns[cut..self.line_ns.len() - cut];
        middle.iter().sum::<f64>() / middle.len().max(1) as f64
    }
}

impl Traveller for Toucher {
    const NAME: &'static str = "toucher";

    fn step<'space>(&mut self, here: &Here<'space>) -> Go {
        let [touches, other] = self.spaces.map(SpaceHandle::from_number);
        if here.space() != touches {
            return Go::To(touches);
        }
        let words = here.all::<AtomicU64>(SegmentId::from_number(self.segment));
        self.touch(words.expect("both spaces have the segment"));
        if self.left == 0 { Go::Done } else { Go::To(other) }
    }
}

/// Before each touch a thread on the same core has the turn.
fn beside_a_thread(toucher: &mut Toucher, words: &Attached, core: usize) -> io::Result<u64> {
    let (here, there, stop) = (Turn::default(), Turn::default(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let pinned = cpu::pin_to(core);
            loop {
                there.wait();
                // Relaxed: ordered by the turn.
                if stop.load(Ordering::Relaxed) {
                    return pinned;
                }
                here.give();
            }
        });
        let elapsed_ns = toucher.alone(words, || {
            there.give();
            here.wait();
            Ok(())
        });
        // Relaxed: the turn given below orders it.
        stop.store(true, Ordering::Relaxed);
        there.give();
        other.join().expect("it only waits and gives")?;
        elapsed_ns
    })
}

/// Before each touch another space has the turn.
fn by_journey(
    toucher: &mut Toucher,
    registry: &Registry,
    (core, program): (usize, fn() -> io::Result<Command>),
) -> Result<u64, TouchError> {
    let space = registry.make_space("touching")?;
    registry.attach_segment(space, SegmentId::from_number(toucher.segment), Rights::ReadWrite)?;
    let mut journey = Journey::begin(registry, program, core, *toucher)?;
    let spaces = [journey.attach(space)?, journey.attach(space)?];
    journey.traveller_mut().spaces = spaces.map(SpaceHandle::number);
    let started_ns = monotonic_ns();
    journey.run(u64::MAX)?;
    let elapsed_ns = monotonic_ns() - started_ns;
    *toucher = *journey.traveller_mut();
    Ok(elapsed_ns)
}

/// The word of a page that is touched, each in a line of its own.
fn word_of(page: usize) -> usize {
    let line = page * 11 % (PAGE_WORDS / LINE_WORDS);
    page * PAGE_WORDS + line * LINE_WORDS
}

fn stamp_of(page: usize) -> u64 {
    // Different words times an odd constant differ, and no product is 0.
    (page as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
