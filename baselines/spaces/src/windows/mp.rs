//! Message passing between processes that are pinned to cores, as the paper's MP: this process owns
//! window 0 and applies its sets in place. A set of another window is copied into a message; its
//! process applies it and answers.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use engine::{OpenError, Setting, WindowsError, WindowsSetup};
use platform::segments::{Attached, address_for};

use super::message::received;
use super::{Opened, Wait, reply};
use crate::executor::Role;
use crate::processes::Processes;
use crate::table::{Table, cannot};
use crate::walk::{Alone, Reach, apply};

/// The settings.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mp {
    pub(crate) wait: Wait,
    /// Cores to use; 0 for all.
    pub(crate) cores: usize,
}

struct Messages {
    processes: Processes,
    own: Attached,
    here: usize,
    asked: Mp,
    used_cores: usize,
}

/// Opens the way.
pub(crate) fn mp(setup: &WindowsSetup<'_>, asked: Mp) -> Opened {
    let used_cores = if asked.cores == 0 { setup.cores.len() } else { asked.cores };
    if used_cores > setup.cores.len() {
        return Err(OpenError::Missing {
            what: format!("core {used_cores} for `mp@cores={used_cores}`"),
            remedy: format!("this machine lets the process use {}", setup.cores.len()),
        });
    }
    let core_of = |window: usize| setup.cores[window % used_cores];
    let processes = Processes::start(setup, (Role::Serve(asked.wait), 1), core_of)?;
    let system = |error| cannot("this process's own window", 0, error);
    platform::cpu::pin_to(core_of(0)).map_err(system)?;
    let own = address_for(setup.shape.window_bytes);
    let own = own.and_then(|address| processes.table.windows[0].attach(address)).map_err(system)?;
    let table = Table { windows: processes.table.again()? };
    let messages = Messages { processes, own, here: 0, asked, used_cores };
    Ok(Box::new(Alone::open(setup, table, messages)?))
}

impl Messages {
    /// Waits for an answer, and looks at the other processes now and then.
    fn answer(&mut self) -> Result<(), WindowsError> {
        const LOOK_EVERY: Duration = Duration::from_millis(100);
        if self.asked.wait == Wait::Block {
            return self.processes.wait();
        }
        let mut look = Instant::now() + LOOK_EVERY;
        while !received(self.processes.control.owner(), self.asked.wait) {
            if Instant::now() >= look {
                self.processes.look()?;
                look = Instant::now() + LOOK_EVERY;
            }
        }
        Ok(())
    }
}

impl Reach for Messages {
    #[inline]
    fn go(&mut self, window: usize) -> Result<(), WindowsError> {
        self.here = window;
        Ok(())
    }

    #[inline]
    fn set(&mut self, values: &[u64]) -> Result<(), WindowsError> {
        if self.here == 0 {
            apply(self.own.words(), values);
            return Ok(());
        }
        for (word, &value) in self.processes.control.mail().iter().zip(values) {
            // Relaxed: ordered by the message.
            word.store(value, Ordering::Relaxed);
        }
        reply(self.processes.control.turn(self.here), self.asked.wait);
        self.answer()
    }

    fn processes(&self) -> Vec<u32> {
        self.processes.ids()
    }

    fn settings(&self) -> Vec<Setting> {
        let wait = Wait::WORDS[self.asked.wait as usize].to_owned();
        let cores = self.used_cores.to_string();
        [("wait", wait), ("cores", cores)]
            .map(|(name, value)| Setting { name: name.to_owned(), value })
            .into()
    }
}
