//! A traveller that adds one to a counter in each of several spaces, in turn, and what a switch takes:
//!
//! ```text
//! cargo run --release -p spaces --example counting            2 spaces, no lock
//! cargo run --release -p spaces --example counting 16 locked  16 spaces, each entry takes a lock
//! ```

use std::error::Error;
use std::io;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

use platform::clock::monotonic_ns;
use platform::segments::RANGE_START;
use spaces::journey::{Journey, host};
use spaces::pointer::Here;
use spaces::registry::{Access, Keeper, NewSegment, Rights, SegmentId, keeper};
use spaces::shared::InSegment;
use spaces::traveller::{Code, Go, SpaceHandle, Traveller};

const ROUNDS: u64 = 200_000;

/// The traveller: where it goes, and how often it still does. Only numbers lie in it.
#[repr(C)]
struct Counts {
    spaces: [u64; 256],
    count: u32,
    next: u32,
    left: u64,
    segment: u32,
    unused: u32,
}

// SAFETY: integers in a fixed layout.
unsafe impl InSegment for Counts {}

impl Traveller for Counts {
    const NAME: &'static str = "counts";

    fn step<'space>(&mut self, here: &Here<'space>) -> Go {
        if here.space() != SpaceHandle::PRIMARY {
            let segment = SegmentId::from_number(self.segment);
            let counter = here.root::<AtomicU64>(segment).expect("all spaces have it");
            // Relaxed: ordered by the turn.
            counter.get(here).fetch_add(1, Ordering::Relaxed);
        }
        if self.left == 0 {
            return Go::Done;
        }
        self.left -= 1;
        self.next = (self.next + 1) % self.count;
        Go::To(SpaceHandle::from_number(self.spaces[self.next as usize]))
    }
}

/// This program, started again.
fn again() -> io::Result<Command> {
    Ok(Command::new(std::env::current_exe()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    if keeper::is_wanted() {
        let Err(error) = keeper::serve();
        return Err(error.into());
    }
    if host::is_wanted() {
        let Err(error) = host::run(&[Code::of::<Counts>()]);
        return Err(error.into());
    }
    let mut arguments = std::env::args().skip(1);
    let count: u32 = arguments.next().map_or(Ok(2), |count| count.parse())?;
    if !(1..=256).contains(&count) {
        return Err(format!("{count} spaces: use 1 to 256").into());
    }
    let lockable = arguments.next().is_some();
    let keeper = Keeper::start(again)?;
    let registry = keeper.connect()?;
    let segment = registry.make_segment(NewSegment {
        name: "counter".to_owned(),
        base: RANGE_START,
        bytes: 4096,
        page_bytes: 4096,
        access: Access::owner(),
        lockable,
    })?;
    let space = registry.make_space("counting")?;
    registry.attach_segment(space, segment, Rights::ReadWrite)?;
    let counts = Counts {
        spaces: [0; 256],
        count,
        next: 0,
        left: ROUNDS,
        segment: segment.number(),
        unused: 0,
    };
    let core = platform::cpu::allowed_cores()[0];
    let mut journey = Journey::begin(&registry, again, core, counts)?;
    for place in 0..count as usize {
        let handle = journey.attach(space)?;
        journey.traveller_mut().spaces[place] = handle.number();
    }
    let started_ns = monotonic_ns();
    let trip = journey.run(u64::MAX)?;
    let each_ns = (monotonic_ns() - started_ns) as f64 / trip.switches as f64;
    let counted = registry.map(segment, Rights::Read)?.words()[0].load(Ordering::Relaxed);
    println!("{counted} visits of {count} spaces, {} switches of {each_ns:.0} ns", trip.switches);
    Ok(())
}
