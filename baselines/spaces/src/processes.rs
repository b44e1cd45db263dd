//! The processes of the spaces of one way: started, awaited, watched, ended.

use std::process::Stdio;
use std::sync::atomic::Ordering;
use std::time::Duration;

use engine::{OpenError, WindowsError, WindowsSetup};
use platform::relay::{Death, Partners};
use platform::segments::address_for;

use crate::control::{Control, Field};
use crate::executor::{Role, VARIABLE};
use crate::table::{Table, cannot};

/// A process for each window, from window `first` on, and the segment that all share.
#[derive(Debug)]
pub(crate) struct Processes {
    pub(crate) control: Control,
    pub(crate) table: Table,
    partners: Partners,
    first: usize,
}

impl Processes {
    /// Starts the processes; each has mapped its window when this returns. `core_of` says where each
    /// runs.
    pub(crate) fn start(
        setup: &WindowsSetup<'_>,
        (role, first): (Role, usize),
        core_of: impl Fn(usize) -> usize,
    ) -> Result<Self, OpenError> {
        let table = Table::new(&setup.shape)?;
        let system = |error| cannot("processes of spaces", 0, error);
        let (common, control) = Control::new(setup).map_err(system)?;
        let place = address_for(setup.shape.window_bytes).map_err(system)?;
        control.write(Field::Place, place as u64);
        control.write(Field::Role, role.word());
        let mut partners = Partners::default();
        for window in first..setup.shape.windows {
            // Relaxed: the process starts afterwards.
            control.cores()[window].store(core_of(window) as u64, Ordering::Relaxed);
            let mut start = || {
                let mut command = (setup.executor)()?;
                command.env(VARIABLE, format!("{window} {}", control.address()));
                command.stdin(Stdio::from(common.descriptor()?));
                command.stdout(Stdio::from(table.windows[window].descriptor()?));
                partners.start(&mut command)
            };
            start().map_err(system)?;
        }
        let mut started = Self { control, table, partners, first };
        for window in first..setup.shape.windows {
            started.await_window(window)?;
        }
        Ok(started)
    }

    fn await_window(&mut self, window: usize) -> Result<(), OpenError> {
        let unusable = |reason: String| OpenError::Unusable {
            what: format!("the process of space {window}"),
            reason,
        };
        loop {
            if self.control.is_mapped(window).map_err(|error| unusable(error.to_string()))? {
                return Ok(());
            }
            self.look().map_err(|error| unusable(error.to_string()))?;
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the owner's turn while all processes live.
    pub(crate) fn wait(&mut self) -> Result<(), WindowsError> {
        let Self { control, partners, first, .. } = self;
        control.owner().wait_among(partners).map_err(|death| died(*first, death))
    }

    /// Looks whether all processes live.
    pub(crate) fn look(&mut self) -> Result<(), WindowsError> {
        self.partners.look().map_err(|death| died(self.first, death))
    }

    /// Their ids.
    pub(crate) fn ids(&self) -> Vec<u32> {
        self.partners.ids()
    }
}

fn died(first: usize, death: Death) -> WindowsError {
    let how = death.status.map_or("unknown".to_owned(), |status| status.to_string());
    WindowsError::Died { space: first + death.partner, how }
}

/// The address at which every space has its window.
pub(crate) fn place(control: &Control) -> usize {
    control.read(Field::Place) as usize
}
