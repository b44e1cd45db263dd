//! A copy routine alone: it copies from random places to consecutive ones, as compaction does.

use std::collections::BTreeMap;

use platform::clock::monotonic_ns;
use workloads::Seed;

use super::link::Link;
use super::mapped::MappedSlice;
use super::usage::Usage;
use super::{Stop, pin};
use crate::protocol::Event;
use crate::registry;
use record::Flag;
use record::StepReport;
use record::{Cell, Copying};

/// Runs the cell. Source and target are resident before the clock starts.
pub(super) fn run(
    cell: &Cell,
    work: &Copying,
    engine_bytes: u64,
    link: &mut Link,
) -> Result<(), Stop> {
    let routine = registry::copy_routine(&cell.system)?;
    let bytes = work.memory_bytes as usize;
    let from = MappedSlice::<u8>::resident(bytes).map_err(Stop::failed)?;
    let mut to = MappedSlice::<u8>::resident(bytes).map_err(Stop::failed)?;
    let places = (bytes / work.copy_bytes) as u64;
    let mut rng = Seed(cell.seed).stream("copies").rng();
    link.say_and_wait(&Event::Ready { engine_bytes });
    let settings = BTreeMap::from([("copy".to_owned(), routine.to_string())]);
    link.say(&Event::Opened {
        version: String::new(),
        settings,
        conditions: None,
        folders: Vec::new(),
    });
    link.say_and_wait(&Event::Before { step: "run".to_owned(), grows_bytes: 0 });
    pin(0, &platform::cpu::allowed_cores());
    let before = Usage::now();
    let started_ns = monotonic_ns();
    for operation in 0..work.operations {
        let source = rng.below(places) as usize * work.copy_bytes;
        let target = (operation % places) as usize * work.copy_bytes;
        routine.copy(&from[source..source + work.copy_bytes], &mut to[target..]);
    }
    let elapsed_ns = monotonic_ns() - started_ns;
    let mut report = StepReport::measured("run", work.operations, elapsed_ns);
    Usage::now().since(&before).note_in(&mut report);
    report.flags.push(Flag::Populated);
    link.say(&Event::Step(Box::new(report)));
    link.say_and_wait(&Event::Ending);
    Ok(())
}
