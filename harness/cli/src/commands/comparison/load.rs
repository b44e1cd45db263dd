//! A load on the machine that grows while a comparison runs: what `power` shows drift with.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Period of burning and sleeping.
const PERIOD: Duration = Duration::from_millis(10);

/// Threads that burn a share of their time, one for each core; they end with it.
pub(super) struct GrowingLoad {
    percent: Arc<AtomicU32>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl GrowingLoad {
    /// Starts the threads without load.
    pub(super) fn start() -> Self {
        let percent = Arc::new(AtomicU32::new(0));
        let over = Arc::new(AtomicBool::new(false));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let threads = (0..cores)
            .map(|_| {
                let (percent, over) = (Arc::clone(&percent), Arc::clone(&over));
                thread::spawn(move || burn(&percent, &over))
            })
            .collect();
        Self { percent, over, threads }
    }

    /// Sets the share of every core to burn.
    pub(super) fn set_percent(&self, percent: u32) {
        // Relaxed: a number that nothing else is ordered by.
        self.percent.store(percent.min(100), Ordering::Relaxed);
    }
}

impl Drop for GrowingLoad {
    fn drop(&mut self) {
        // Relaxed: a flag that nothing else is ordered by.
        self.over.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn burn(percent: &AtomicU32, over: &AtomicBool) {
    // Relaxed: see the stores.
    while !over.load(Ordering::Relaxed) {
        let busy = PERIOD * percent.load(Ordering::Relaxed) / 100;
        let began = Instant::now();
        while began.elapsed() < busy {
            std::hint::spin_loop();
        }
        thread::sleep(PERIOD - busy);
    }
}
