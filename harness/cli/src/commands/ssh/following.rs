//! Follows the shards of a sweep: each host takes one after the other, measures it, and its run is fetched.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::super::measure::progress_bar;
use super::super::sweep::run_of;
use super::{Sweep, remember};
use crate::runner::Interrupt;
use crate::ssh::{Host, ShardTask, SshError, Turn, Turns};

/// How long a host that was lost is left alone, before each time that it is asked again.
const PAUSES: [Duration; 3] =
    [Duration::from_secs(5), Duration::from_secs(30), Duration::from_secs(120)];
/// How often it is looked whether something is to be done.
const TICK: Duration = Duration::from_millis(100);

/// A sweep that is followed, by a thread for each host.
pub(super) struct Following<'a> {
    folder: &'a Path,
    interrupt: &'a Interrupt,
    state: Mutex<State>,
}

struct State {
    sweep: Sweep,
    turns: Turns,
    /// By shard: how many of its cells are whole.
    cells: BTreeMap<u32, usize>,
    /// Hosts that have not been given up, with what they do.
    hosts: BTreeMap<String, &'static str>,
    /// Why nothing more is begun.
    fault: Option<String>,
    /// The last failure of a shard.
    failure: String,
    fetching: Duration,
}

impl<'a> Following<'a> {
    pub(super) fn new(folder: &'a Path, sweep: Sweep, interrupt: &'a Interrupt) -> Self {
        let (mut left, mut cells) = (Vec::new(), BTreeMap::new());
        for shard in 1..=sweep.of {
            match run_of(folder, shard, sweep.of) {
                Some((_, run)) if run.is_finished => _ = cells.insert(shard, run.cells),
                _ => left.push(shard),
            }
        }
        let state = State {
            turns: Turns::new(left, sweep.begun.clone()),
            sweep,
            cells,
            hosts: BTreeMap::new(),
            fault: None,
            failure: String::new(),
            fetching: Duration::ZERO,
        };
        Self { folder, interrupt, state: Mutex::new(state) }
    }

    /// Has the hosts measure what is left; the shards that are not there at the end.
    pub(super) fn follow(&self, hosts: &[Host], quiet: bool) -> Vec<u32> {
        let bar = progress_bar(self.state().sweep.cells, quiet);
        self.state().hosts = hosts.iter().map(|host| (host.name.clone(), "waiting")).collect();
        std::thread::scope(|scope| {
            for host in hosts {
                let bar = &bar;
                scope.spawn(move || {
                    self.work(host, bar);
                    self.state().hosts.remove(&host.name);
                });
            }
            loop {
                let mut state = self.state();
                bar.set_position(state.cells.values().sum::<usize>() as u64);
                bar.set_message(told(&state.hosts));
                let hosts: BTreeSet<String> = state.hosts.keys().cloned().collect();
                if hosts.is_empty() {
                    break;
                }
                if let (None, Some(shard)) = (&state.fault, state.turns.given_up(&hosts)) {
                    state.fault = Some(format!("shard {shard} was given up: {}", state.failure));
                }
                drop(state);
                std::thread::sleep(TICK);
            }
        });
        bar.finish_and_clear();
        self.left()
    }

    /// Shards that are not there.
    pub(super) fn left(&self) -> Vec<u32> {
        self.state().turns.left()
    }

    /// Why shards are left, if it was a fault of theirs.
    pub(super) fn fault(&self) -> Option<String> {
        self.state().fault.clone()
    }

    /// Time for fetching runs, during which a host measures nothing.
    pub(super) fn fetching(&self) -> Duration {
        self.state().fetching
    }

    /// Takes turns until nothing is left, or the host cannot be reached any more.
    fn work(&self, host: &Host, bar: &ProgressBar) {
        let say = |text: String| bar.suspend(|| eprintln!("{text}"));
        let mut losses = 0;
        while !self.is_over() {
            let turn = self.state().turns.next(&host.name);
            let shard = match turn {
                Turn::Nothing => return,
                Turn::Wait => {
                    self.does(host, "waiting");
                    std::thread::sleep(TICK);
                    continue;
                }
                Turn::Shard(shard) => shard,
            };
            self.does(host, "measuring");
            let before = self.state().cells.get(&shard).copied().unwrap_or(0);
            let Err(error) = self.shard(host, shard) else {
                self.state().turns.finished(shard);
                continue;
            };
            let mut state = self.state();
            if self.interrupt.is_set() {
                state.turns.lost(shard);
                return;
            }
            if !error.may_pass() {
                state.turns.failed(shard);
                state.failure = error.to_string();
                drop(state);
                say(format!("shard {shard}: {error}"));
                continue;
            }
            state.turns.lost(shard);
            let has_gained = state.cells.get(&shard).copied().unwrap_or(0) > before;
            drop(state);
            losses = if has_gained { 1 } else { losses + 1 };
            let Some(pause) = PAUSES.get(losses - 1) else {
                say(format!("left out: {error}; shard {shard} is for whoever is free"));
                return;
            };
            say(format!("{error}; shard {shard} is for whoever is free"));
            self.does(host, "away");
            let began = Instant::now();
            while began.elapsed() < *pause && !self.is_over() && !self.state().turns.is_over() {
                std::thread::sleep(TICK);
            }
        }
    }

    /// Measures a shard and fetches its run.
    fn shard(&self, host: &Host, shard: u32) -> Result<(), SshError> {
        let (arguments, of) = {
            let mut state = self.state();
            state.sweep.begun = state.turns.begun().clone();
            remember(self.folder, &state.sweep).map_err(|error| SshError::Here {
                host: host.name.clone(),
                reason: format!("{}: {error}", self.folder.display()),
            })?;
            (state.sweep.arguments.clone(), state.sweep.of)
        };
        let task = ShardTask { shard, of, arguments: &arguments };
        let tell = |cells| _ = self.state().cells.insert(shard, cells);
        let measured = host.measure(task, &|| self.interrupt.is_set(), tell);
        if self.interrupt.is_set() || measured.as_ref().is_err_and(SshError::may_pass) {
            return measured;
        }
        // A shard with unexpected outcomes ends with a code of its own, and is whole.
        let began = Instant::now();
        let fetched = host.fetch(shard, self.folder);
        self.state().fetching += began.elapsed();
        match run_of(self.folder, shard, of) {
            Some((_, run)) if fetched.is_ok() && run.is_finished => {
                self.state().cells.insert(shard, run.cells);
                Ok(())
            }
            _ => measured.and(fetched).and(Err(SshError::Unfinished { host: host.name.clone() })),
        }
    }

    fn does(&self, host: &Host, what: &'static str) {
        self.state().hosts.insert(host.name.clone(), what);
    }

    fn is_over(&self) -> bool {
        self.interrupt.is_set() || self.state().fault.is_some()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a thread that panicked left is counts and names; its panic is passed on anyway.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How many hosts do what.
fn told(hosts: &BTreeMap<String, &'static str>) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for does in hosts.values() {
        *counts.entry(does).or_default() += 1;
    }
    let told: Vec<String> = counts.iter().map(|(does, count)| format!("{count} {does}")).collect();
    told.join(", ")
}
