//! The two threads of a store: one converts, one merges. So a long merge does not keep PUTs from a
//! new LogStore.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use crate::error::Error;
use crate::instance::Instance;
use crate::shared::Shared;
use crate::work;

/// Running threads; they end when this is dropped, after the step they are at.
#[derive(Debug)]
pub(crate) struct Threads {
    shared: Arc<Shared>,
    stop: Arc<AtomicBool>,
    handles: Vec<JoinHandle<()>>,
}

type Task = fn(&Shared, &Instance) -> Result<bool, Error>;

impl Threads {
    pub(crate) fn start(shared: &Arc<Shared>) -> Result<Self, Error> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut threads = Self { shared: Arc::clone(shared), stop, handles: Vec::new() };
        let tasks: [(&str, Task); 2] = [
            ("silt-convert", |shared, instance| work::convert(shared, instance)),
            ("silt-merge", |shared, instance| {
                work::merge(shared, instance, shared.params.merge_entries)
            }),
        ];
        for (name, task) in tasks {
            let (shared, stop) = (Arc::clone(shared), Arc::clone(&threads.stop));
            let handle = thread::Builder::new()
                .name(name.to_owned())
                .spawn(move || run(&shared, &stop, task))
                .map_err(|source| Error::Io { action: "start", file: name.to_owned(), source })?;
            threads.handles.push(handle);
        }
        Ok(threads)
    }

    pub(crate) fn count(&self) -> usize {
        self.handles.len()
    }
}

fn run(shared: &Shared, stop: &AtomicBool, task: Task) {
    loop {
        let seen = shared.signal.now();
        let mut has_worked = false;
        for instance in &shared.instances {
            // Relaxed: it says only that nobody waits for more; the join orders the rest.
            if stop.load(Ordering::Relaxed) {
                return;
            }
            match task(shared, instance) {
                Ok(worked) => has_worked |= worked,
                Err(error) => {
                    shared.fail(&error);
                    return;
                }
            }
        }
        if !has_worked {
            shared.signal.wait(seen);
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // Relaxed: as above.
        self.stop.store(true, Ordering::Relaxed);
        self.shared.signal.changed();
        for handle in self.handles.drain(..) {
            if handle.join().is_err() && !thread::panicking() {
                panic!("a thread of the store has panicked");
            }
        }
    }
}
