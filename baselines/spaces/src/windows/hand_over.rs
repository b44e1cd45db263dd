//! A thread for each window, all of one process and on one core: the hand-over of [`super::space`]
//! without its page tables.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use engine::{Applied, Limits, Setting, Windows, WindowsError, WindowsSetup};
use platform::segments::Attached;

use super::Opened;
use super::baton::{Baton, By};
use super::space::ran;
use crate::control::{Control, Next};
use crate::table::{Table, cannot};
use crate::walk::Clock;

struct HandOver {
    shared: Arc<Shared>,
    table: Table,
    threads: Vec<JoinHandle<io::Result<()>>>,
    core: usize,
    by: By,
}

/// What all threads use.
struct Shared {
    control: Control,
    windows: Vec<Attached>,
    /// The owner's, then one for each window.
    batons: Vec<Baton>,
    stop: AtomicBool,
}

/// Opens the way.
pub(crate) fn hand_over(setup: &WindowsSetup<'_>, by: By) -> Opened {
    let table = Table::new(&setup.shape)?;
    let windows = table.attach_all()?;
    let system = |error| cannot("threads that hand over", 0, error);
    let (_, control) = Control::new(setup).map_err(system)?;
    let batons = (0..=setup.shape.windows).map(|_| Baton::new(by)).collect::<io::Result<_>>();
    let batons = batons.map_err(system)?;
    let shared = Arc::new(Shared { control, windows, batons, stop: AtomicBool::new(false) });
    let core = setup.cores[0];
    let mut open = HandOver { shared, table, threads: Vec::new(), core, by };
    for window in 0..setup.shape.windows {
        let shared = Arc::clone(&open.shared);
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        let thread = thread.spawn(move || shared.serve(window, core)).map_err(system)?;
        open.threads.push(thread);
    }
    Ok(Box::new(open))
}

impl Shared {
    /// What the thread of `window` does.
    fn serve(&self, window: usize, core: usize) -> io::Result<()> {
        platform::cpu::pin_to(core)?;
        let turn = self.control.turn(window);
        loop {
            self.batons[window + 1].wait(turn)?;
            // Relaxed: ordered by the turn.
            if self.stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            match self.control.visit(window, self.windows[window].words()) {
                Next::Window(next) => self.give(next)?,
                Next::Owner => self.batons[0].give(self.control.owner())?,
            }
        }
    }

    #[inline]
    fn give(&self, window: usize) -> io::Result<()> {
        self.batons[window + 1].give(self.control.turn(window))
    }
}

impl Windows for HandOver {
    fn apply(&mut self, limits: Limits) -> Result<Applied, WindowsError> {
        if limits.sets == 0 {
            return Ok(Applied::default());
        }
        let pinned = platform::cpu::pin_to(self.core);
        pinned.map_err(WindowsError::system(format!("pinning to core {}", self.core)))?;
        let clock = Clock::start(Vec::new(), limits.within_ns);
        let first = self.shared.control.begin(limits.sets, clock.until_ticks);
        let owner = self.shared.control.owner();
        let handed = self.shared.give(first).and_then(|()| self.shared.batons[0].wait(owner));
        handed.map_err(WindowsError::system("handing over"))?;
        Ok(ran(clock, &self.shared.control))
    }

    fn show(&self, window: usize, see: &mut dyn FnMut(&[AtomicU64])) -> Result<(), WindowsError> {
        self.table.show(window, see)
    }

    fn settings(&self) -> Vec<Setting> {
        let by = By::WORDS[self.by as usize];
        vec![Setting { name: "by".to_owned(), value: by.to_owned() }]
    }
}

impl Drop for HandOver {
    fn drop(&mut self) {
        // Relaxed: the turn given below orders it.
        self.shared.stop.store(true, Ordering::Relaxed);
        for window in 0..self.threads.len() {
            let _ = self.shared.give(window);
        }
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
