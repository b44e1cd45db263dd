//! Dependent loads: the latency of memory where nothing can be fetched ahead, by the size of the memory
//! that is walked.
//!
//! Each chain is a cycle through all lines of its own part of the memory, in random order. The first word
//! of a line is the number of the next line. After the clock stops, every chain is walked again for the
//! same number of steps and must end at the same line. Each cycle must also return to its start after as
//! many steps as it has lines.

use platform::Pages;
use platform::clock::monotonic_ns;
use platform::mapping::HUGE_PAGE_BYTES;
use record::{Cell, Chase, Flag, LINE_BYTES, Outcome, StepReport, System, Verification};
use workloads::{Rng, Seed};

use super::link::Link;
use super::mapped::MappedSlice;
use super::usage::Usage;
use super::{Stop, pin};
use crate::protocol::Event;

const LINE_WORDS: usize = LINE_BYTES as usize / size_of::<u64>();

/// Runs the cell. The memory is resident and linked before the clock starts.
pub(super) fn run(
    cell: &Cell,
    work: &Chase,
    engine_bytes: u64,
    link: &mut Link,
) -> Result<(), Stop> {
    if cell.system != System::Kernel {
        return Err(Stop::failed(format!(
            "`{}` does not walk memory: the processor does",
            cell.system.label()
        )));
    }
    pin(0, &platform::cpu::allowed_cores());
    let parts = Parts::linked(work, &mut Seed(cell.seed).stream("chains").rng())?;
    let steps = work.operations / work.chains as u64;
    // What fits into a cache is cached when the clock starts.
    parts.walk(steps.min(work.lines_per_chain()));
    link.say_and_wait(&Event::Ready { engine_bytes });
    link.say(&Event::Opened {
        version: String::new(),
        settings: Default::default(),
        conditions: None,
        folders: Vec::new(),
    });
    link.say_and_wait(&Event::Before { step: "run".to_owned(), grows_bytes: 0 });
    let before = Usage::now();
    let started_ns = monotonic_ns();
    let ends = parts.walk(steps);
    let elapsed_ns = monotonic_ns() - started_ns;
    let used = Usage::now().since(&before);
    let mut report = StepReport::measured("run", steps * work.chains as u64, elapsed_ns);
    used.note_in(&mut report);
    report.flags.push(Flag::Populated);
    let checked = parts.check(steps, &ends);
    report.verified(checked);
    link.say(&Event::Step(Box::new(report)));
    link.say_and_wait(&Event::Ending);
    Ok(())
}

/// The memory, and the first line of each chain.
struct Parts {
    words: MappedSlice<u64>,
    starts: Vec<usize>,
    lines: usize,
}

impl Parts {
    fn linked(work: &Chase, rng: &mut Rng) -> Result<Self, Stop> {
        let huge = work.page_bytes == HUGE_PAGE_BYTES as u64;
        let pages = if huge { Pages::Huge } else { Pages::Small };
        let bytes = work.memory_bytes as usize;
        let mut words =
            MappedSlice::resident_on(bytes / size_of::<u64>(), pages).map_err(Stop::failed)?;
        let on_huge = words.huge_bytes().map_err(Stop::failed)?;
        if on_huge != if huge { work.memory_bytes } else { 0 } {
            return Err(Stop::Because {
                outcome: Outcome::Unavailable,
                reason: format!(
                    "of {bytes} bytes on pages of {}, {on_huge} lie on pages of 2 MiB",
                    work.page_bytes
                ),
            });
        }
        let lines = work.lines_per_chain() as usize;
        let starts: Vec<usize> = (0..work.chains).map(|chain| chain * lines).collect();
        for &start in &starts {
            link_cycle(&mut words, start..start + lines, rng);
        }
        Ok(Self { words, starts, lines })
    }

    /// The line of each chain after `steps` loads.
    fn walk(&self, steps: u64) -> Vec<usize> {
        match self.starts.len() {
            1 => self.walk_together::<1>(steps),
            2 => self.walk_together::<2>(steps),
            4 => self.walk_together::<4>(steps),
            8 => self.walk_together::<8>(steps),
            _ => self.walk_together::<16>(steps),
        }
    }

    /// With a chain count known at compile time, the positions stay in registers.
    #[inline(never)]
    fn walk_together<const N: usize>(&self, steps: u64) -> Vec<usize> {
        let mut at: [usize; N] = self.starts[..].try_into().expect("as many chains as planned");
        for _ in 0..steps {
            for line in &mut at {
                *line = self.next(*line);
            }
        }
        at.to_vec()
    }

    #[inline(always)]
    fn next(&self, line: usize) -> usize {
        self.words[line * LINE_WORDS] as usize
    }

    /// Walks every chain alone: once for as many steps as were timed, and once around.
    fn check(&self, steps: u64, ends: &[usize]) -> Verification {
        let mut checked = Verification { checked: self.starts.len() as u64, ..Default::default() };
        for (&start, &end) in self.starts.iter().zip(ends) {
            let (mut line, mut around) = (start, 0);
            let mut found = start;
            for step in 1..=steps.max(self.lines as u64) {
                line = self.next(line);
                if line == start && around == 0 {
                    around = step;
                }
                if step == steps {
                    found = line;
                }
            }
            checked.wrong += u64::from(around != self.lines as u64 || found != end);
        }
        checked
    }
}

/// Links all `lines` into one cycle in random order (Sattolo's algorithm).
fn link_cycle(words: &mut [u64], lines: std::ops::Range<usize>, rng: &mut Rng) {
    let first = lines.start;
    for line in lines.clone() {
        words[line * LINE_WORDS] = line as u64;
    }
    for line in lines.skip(1).rev() {
        let other = first + rng.below((line - first) as u64) as usize;
        words.swap(line * LINE_WORDS, other * LINE_WORDS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Chase =
        Chase { memory_bytes: 1 << 20, page_bytes: 4096, chains: 4, operations: 40_000 };

    #[test]
    fn every_chain_walks_all_lines_of_its_part_and_ends_where_it_should() {
        for chains in [1, 2, 4, 8, 16] {
            let work = Chase { chains, ..SMALL };
            let parts = Parts::linked(&work, &mut Seed(1).rng()).unwrap();
            let ends = parts.walk(10_000);
            let checked = parts.check(10_000, &ends);
            assert_eq!((checked.checked, checked.wrong), (chains as u64, 0));
            // Another start differs in order only.
            let other = Parts::linked(&work, &mut Seed(2).rng()).unwrap();
            assert_ne!(other.walk(10_000), ends);
        }
    }

    #[test]
    fn a_cycle_that_is_cut_short_and_an_end_that_is_wrong_are_noticed() {
        let mut parts = Parts::linked(&SMALL, &mut Seed(1).rng()).unwrap();
        let mut ends = parts.walk(10_000);
        ends[1] = ends[0];
        assert_eq!(parts.check(10_000, &ends).wrong, 1);
        let (from, to) = (parts.starts[2], parts.starts[2] as u64);
        let next = parts.next(from);
        parts.words[next * LINE_WORDS] = to;
        let ends = parts.walk(10_000);
        assert_eq!(parts.check(10_000, &ends).wrong, 1);
    }
}
