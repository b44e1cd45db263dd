//! A process for each window. Its address space holds the window, at the address that all windows
//! have, and the common segment with the sets. Control is handed from process to process, all on one
//! core. An approximation of switching address spaces: a switch here is two processes and a decision of
//! the scheduler.

use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Applied, Limits, Setting, Windows, WindowsError, WindowsSetup};

use super::Opened;
use crate::executor::Role;
use crate::processes::Processes;
use crate::walk::Clock;

struct Space {
    processes: Processes,
    core: usize,
}

/// Opens the way.
pub(crate) fn space(setup: &WindowsSetup<'_>) -> Opened {
    let core = setup.cores[0];
    Ok(Box::new(Space { processes: Processes::start(setup, (Role::Travel, 0), |_| core)?, core }))
}

impl Windows for Space {
    fn apply(&mut self, limits: Limits) -> Result<Applied, WindowsError> {
        self.processes.look()?;
        if limits.sets == 0 {
            return Ok(Applied::default());
        }
        // On the core of the executors; elsewhere, waking another core would count.
        let pinned = platform::cpu::pin_to(self.core);
        pinned.map_err(WindowsError::system(format!("pinning to core {}", self.core)))?;
        let clock = Clock::start(self.processes.ids(), limits.within_ns);
        let first = self.processes.control.begin(limits.sets, clock.until_ticks);
        self.processes.control.turn(first).give();
        self.processes.wait()?;
        Ok(ran(clock, &self.processes.control))
    }

    fn show(&self, window: usize, see: &mut dyn FnMut(&[AtomicU64])) -> Result<(), WindowsError> {
        self.processes.table.show(window, see)
    }

    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }

    fn processes(&self) -> Vec<u32> {
        self.processes.ids()
    }
}

/// What a run did whose partners hand over.
pub(super) fn ran(clock: Clock, control: &crate::control::Control) -> Applied {
    use crate::control::Field;
    // Relaxed: ordered by the owner's turn.
    let load = |word: &AtomicU64| word.load(Ordering::Relaxed);
    let stamps = control.stamps();
    let applied =
        clock.stop(control.read(Field::Done), |set| load(&stamps[set as usize % stamps.len()]));
    Applied {
        switches: control.read(Field::Switches),
        updates_by_window: control.counts().iter().map(load).collect(),
        ..applied
    }
}
