//! Runs the cells of a plan: those that ask about memory side by side, one active on each core; then those
//! that need more than a core, one active at a time; then those that need the machine for themselves. Idle
//! waits of all but the last overlap within a memory budget.

use std::sync::{Mutex, PoisonError};

use super::{Berth, CellRunner, Flight, Floor, FloorGuard, Interrupt, Reserve};
use crate::memory::touched_bytes;
use platform::cpu::allowed_cores;
use record::{Cell, CellRecord, Flag, Row};

/// Told of every finished cell, in the order they finish.
pub trait Progress: Send {
    fn finished(&mut self, cell: &Cell, record: CellRecord);
}

/// Runs all cells; returns whether the user interrupted the run, in which case unfinished cells
/// are dropped.
///
/// `memory_bytes` bounds the memory that all cells in flight are expected to hold together; the `reserve`
/// holds what they leave.
pub fn run_all(
    cells: &[Cell],
    runner: &dyn CellRunner,
    (memory_bytes, reserve): (u64, &Reserve),
    interrupt: &Interrupt,
    progress: &mut dyn Progress,
) -> bool {
    let floor = Floor::default();
    let cores: Vec<Floor> = (0..allowed_cores().len()).map(Floor::of_core).collect();
    let schedule = Schedule {
        runner,
        interrupt,
        progress: Mutex::new(progress),
        again: Mutex::new(Again::default()),
        flight: Flight::new(memory_bytes, reserve),
    };
    let (exclusive, shared): (Vec<&Cell>, Vec<&Cell>) =
        cells.iter().partition(|cell| cell.is_exclusive());
    let (narrow, wide): (Vec<&Cell>, Vec<&Cell>) =
        shared.into_iter().partition(|cell| cell.needs_one_core() && !has_processes(cell));
    let narrow = Mutex::new(narrow.iter());
    std::thread::scope(|scope| {
        for floor in &cores {
            scope.spawn(|| schedule.overlap(&narrow, floor));
        }
    });
    schedule.overlap(&Mutex::new(wide.iter()), &floor);
    let mut grant = reserve.grant(0);
    for process in processes(&exclusive) {
        if interrupt.is_set() {
            break;
        }
        let guard = floor.take();
        grant.change_to(touched_bytes(process[0]));
        if schedule.run(&process, (&floor, guard), Berth::alone()) {
            continue;
        }
        // It ended before it had answered all: each by itself.
        for cell in process {
            if !interrupt.is_set() {
                schedule.run(&[cell], (&floor, floor.take()), Berth::alone());
            }
        }
    }
    interrupt.is_set()
}

/// What all cells of a run share.
struct Schedule<'a> {
    runner: &'a dyn CellRunner,
    interrupt: &'a Interrupt,
    progress: Mutex<&'a mut dyn Progress>,
    again: Mutex<Again>,
    flight: Flight<'a>,
}

impl Schedule<'_> {
    /// Runs the cells of one process; whether it answered all of them.
    fn run<'floor>(
        &self,
        cells: &[&Cell],
        (floor, guard): (&'floor Floor, FloorGuard<'floor>),
        mut berth: Berth<'_>,
    ) -> bool {
        let records = measured(cells, self.runner, (floor, guard, &mut berth), &self.again);
        let all = records.len() == cells.len();
        for (cell, record) in cells.iter().zip(records).filter(|(_, record)| !record.interrupted) {
            self.progress.lock().unwrap_or_else(PoisonError::into_inner).finished(cell, record);
        }
        all
    }

    /// Runs the next of `cells` as soon as the floor is free, until there are none. Each runs on a thread of
    /// its own, so that the next one starts while it stands idle.
    fn overlap(&self, cells: &Mutex<std::slice::Iter<'_, &Cell>>, floor: &Floor) {
        let next = || cells.lock().unwrap_or_else(PoisonError::into_inner).next().copied();
        std::thread::scope(|scope| {
            while let Some(cell) = next() {
                // Whoever waits for the floor takes no room from the other cores' cells meanwhile.
                floor.wait_until_free();
                let berth = self.flight.board(cell.expected_bytes());
                // The cell starts when the floor is free, and starts with it.
                let guard = floor.take();
                if self.interrupt.is_set() {
                    break;
                }
                scope.spawn(move || self.run(&[cell], (floor, guard), berth));
            }
        });
    }
}

/// Whether the system works in processes or threads of its own, which want a core beside the client's.
fn has_processes(cell: &Cell) -> bool {
    worker::registry::traits_of(&cell.system)
        .is_some_and(|traits| traits.processes || traits.background_threads)
}

/// How often a cell is measured in all where the host gave too much processor time to others.
const ATTEMPTS: usize = 3;

/// What measuring again has brought. A host that takes processor time all the time would take it again.
#[derive(Debug, Default)]
struct Again {
    tried: u32,
    helped: u32,
}

impl Again {
    /// Tries before anything is concluded from them.
    const TRIED_MIN: u32 = 8;

    fn is_worth_it(&self) -> bool {
        self.tried < Self::TRIED_MIN || self.helped * 2 >= self.tried
    }
}

fn measured<'floor>(
    cells: &[&Cell],
    runner: &dyn CellRunner,
    (floor, guard, berth): (&'floor Floor, FloorGuard<'floor>, &mut Berth<'_>),
    again: &Mutex<Again>,
) -> Vec<CellRecord> {
    let is_stolen = |records: &[CellRecord]| {
        let stolen = |row: &Row| row.step == "run" && row.flags.contains(&Flag::Stolen);
        records.iter().any(|record| !record.interrupted && record.rows.iter().any(stolen))
    };
    let again = || again.lock().unwrap_or_else(PoisonError::into_inner);
    let mut records = runner.run(cells, (floor, guard), berth);
    for _ in 1..ATTEMPTS {
        if !is_stolen(&records) || !again().is_worth_it() {
            break;
        }
        records = runner.run(cells, (floor, floor.take()), berth);
        let mut again = again();
        again.tried += 1;
        again.helped += u32::from(!is_stolen(&records));
    }
    records
}

/// The cells in the order of the plan; those that share a process stand together, where the first of
/// them stood.
#[must_use]
pub fn processes<'a>(cells: &[&'a Cell]) -> Vec<Vec<&'a Cell>> {
    let mut processes: Vec<Vec<&Cell>> = Vec::new();
    for &cell in cells {
        match processes.iter_mut().find(|process| process[0].shares_process_with(cell)) {
            Some(process) => process.push(cell),
            None => processes.push(vec![cell]),
        }
    }
    processes
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;
    use crate::plan::tests::sample_cells;
    use crate::runner::FloorGuard;

    /// Answers for its cells by itself.
    struct Scripted<Run>(Run);

    impl<Run: Fn(&[&Cell]) -> Vec<CellRecord> + Sync> CellRunner for Scripted<Run> {
        fn run<'floor>(
            &self,
            cells: &[&Cell],
            _: (&'floor Floor, FloorGuard<'floor>),
            _: &mut Berth<'_>,
        ) -> Vec<CellRecord> {
            self.0(cells)
        }
    }

    /// Counts its runs, and loses processor time to others in all but the `quiet_every`-th ones.
    fn robbed(quiet_every: usize, runs: &AtomicUsize, cells: &[&Cell]) -> Vec<CellRecord> {
        let is_quiet = (runs.fetch_add(1, Relaxed) + 1).is_multiple_of(quiet_every);
        let record = |cell: &&Cell| {
            let mut row = record::made_up::row(cell, "run");
            row.flags = if is_quiet { Vec::new() } else { vec![Flag::Stolen] };
            CellRecord { rows: vec![row], ..CellRecord::default() }
        };
        cells.iter().map(record).collect()
    }

    #[test]
    fn a_robbed_cell_is_measured_again_for_as_long_as_that_helps() {
        let cell = sample_cells().remove(0);
        let again = Mutex::new(Again::default());
        let floor = Floor::default();
        let runs_of = |quiet_every: usize, cells: usize| {
            let runs = AtomicUsize::new(0);
            let runner = Scripted(|cells: &[&Cell]| robbed(quiet_every, &runs, cells));
            for _ in 0..cells {
                let berth = &mut Berth::alone();
                measured(&[&cell], &runner, (&floor, floor.take(), berth), &again);
            }
            runs.into_inner()
        };
        assert_eq!(runs_of(1, 10), 10, "nothing was taken");
        assert_eq!(runs_of(2, 10), 20, "the second run is quiet");
        assert_eq!(runs_of(usize::MAX, 1), ATTEMPTS, "so it is tried");
        // Ten of twelve tries have helped; after eight that do not, no more are made.
        assert_eq!(runs_of(usize::MAX, 10), 10 + 9);
        assert_eq!(runs_of(usize::MAX, 10), 10);
    }

    struct Count(usize);

    impl Progress for Count {
        fn finished(&mut self, _: &Cell, _: CellRecord) {
            self.0 += 1;
        }
    }

    #[test]
    fn every_cell_is_finished_once_even_under_a_tiny_budget() {
        for memory_bytes in [0, u64::MAX] {
            let cells = sample_cells();
            let runner =
                Scripted(|cells: &[&Cell]| cells.iter().map(|_| CellRecord::default()).collect());
            let mut count = Count(0);
            let interrupt = Interrupt::default();
            assert!(!run_all(
                &cells,
                &runner,
                (memory_bytes, &Reserve::default()),
                &interrupt,
                &mut count
            ));
            assert_eq!(count.0, cells.len());
        }
    }

    #[test]
    fn an_interrupt_keeps_what_was_finished_and_starts_nothing_more() {
        let cells = sample_cells();
        let interrupt = Interrupt::default();
        let seen = AtomicUsize::new(0);
        let runner = Scripted(|cells: &[&Cell]| {
            let interrupted = seen.fetch_add(1, Relaxed) + 1 >= 3;
            if interrupted {
                interrupt.raise();
            }
            cells.iter().map(|_| CellRecord { interrupted, ..CellRecord::default() }).collect()
        });
        let mut count = Count(0);
        assert!(run_all(&cells, &runner, (0, &Reserve::default()), &interrupt, &mut count));
        // The memory budget lets one cell at a time start, whatever the number of floors.
        assert_eq!(count.0, 2);
        assert_eq!(seen.load(Relaxed), 3);
    }
}
