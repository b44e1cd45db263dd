//! Ctrl-C and SIGTERM as a flag that the runner looks at between and within cells.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user asked to stop.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
}

impl Interrupt {
    /// Registers for SIGINT and SIGTERM. A second signal ends the program at once.
    ///
    /// # Errors
    /// When the signals cannot be registered.
    pub fn register() -> io::Result<Self> {
        let interrupt = Self::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            // Order matters: the first handler ends the program only if the flag is already set.
            signal_hook::flag::register_conditional_shutdown(
                signal,
                worker::exit::INTERRUPTED.into(),
                Arc::clone(&interrupt.flag),
            )?;
            signal_hook::flag::register(signal, Arc::clone(&interrupt.flag))?;
        }
        Ok(interrupt)
    }

    /// Whether a signal arrived.
    #[must_use]
    pub fn is_set(&self) -> bool {
        // Relaxed: a flag that is polled; nothing else is published with it.
        self.flag.load(Ordering::Relaxed)
    }

    /// Raises the flag, as a signal would.
    #[cfg(test)]
    pub(super) fn raise(&self) {
        // Relaxed: as in `is_set`.
        self.flag.store(true, Ordering::Relaxed);
    }
}
