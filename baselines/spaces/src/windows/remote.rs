//! Words of a window are read from the process that holds it, changed here, and written back, by one
//! system call each for a set (two for more words than one call takes).

use std::time::Duration;

use engine::{WindowsError, WindowsSetup};
use platform::process::remote::{read_words, write_words};

use super::Opened;
use crate::executor::Role;
use crate::processes::{Processes, place};
use crate::table::Table;
use crate::walk::{Alone, Reach};

struct Remote {
    processes: Processes,
    pids: Vec<u32>,
    place: usize,
    window_words: usize,
    here: usize,
    /// Index and value of each update of a set, then only one for each index.
    updates: Vec<(usize, u64)>,
    addresses: Vec<usize>,
    words: Vec<u64>,
}

/// Opens the way.
pub(crate) fn remote(setup: &WindowsSetup<'_>) -> Opened {
    let processes = Processes::start(setup, (Role::Hold, 0), |_| setup.cores[0])?;
    let table = Table { windows: processes.table.again()? };
    let updates = setup.shape.updates_per_set;
    let remote = Remote {
        pids: processes.ids(),
        place: place(&processes.control),
        processes,
        window_words: setup.shape.window_bytes / size_of::<u64>(),
        here: 0,
        updates: Vec::with_capacity(updates),
        addresses: Vec::with_capacity(updates),
        words: Vec::with_capacity(updates),
    };
    Ok(Box::new(Alone::open(setup, table, remote)?))
}

impl Remote {
    /// Two updates of one word become one, because all words are read before any is written.
    fn fold(&mut self, values: &[u64]) {
        let words = self.window_words as u128;
        let index = |value: u64| ((u128::from(value) * words) >> u64::BITS) as usize;
        self.updates.clear();
        self.updates.extend(values.iter().map(|&value| (index(value), value)));
        self.updates.sort_unstable();
        self.updates.dedup_by(|later, first| {
            let same = later.0 == first.0;
            first.1 ^= if same { later.1 } else { 0 };
            same
        });
    }
}

impl Reach for Remote {
    fn go(&mut self, window: usize) -> Result<(), WindowsError> {
        self.here = window;
        Ok(())
    }

    fn set(&mut self, values: &[u64]) -> Result<(), WindowsError> {
        self.fold(values);
        let (pid, place) = (self.pids[self.here], self.place);
        let address = |&(index, _): &(usize, u64)| place + index * size_of::<u64>();
        self.addresses.clear();
        self.addresses.extend(self.updates.iter().map(address));
        self.words.clear();
        self.words.resize(self.updates.len(), 0);
        let done = read_words(pid, &self.addresses, &mut self.words).and_then(|()| {
            for (word, (_, value)) in self.words.iter_mut().zip(&self.updates) {
                *word ^= value;
            }
            write_words(pid, &self.addresses, &self.words)
        });
        let Err(error) = done else { return Ok(()) };
        // A process that was killed is gone from memory a little before it has ended.
        for _ in 0..100 {
            self.processes.look()?;
            std::thread::sleep(Duration::from_millis(1));
        }
        Err(WindowsError::System { doing: format!("words of window {}", self.here), error })
    }

    fn processes(&self) -> Vec<u32> {
        self.pids.clone()
    }
}
