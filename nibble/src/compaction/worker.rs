//! A compaction worker: its candidates, its victim, and its round. Run by a thread of the store,
//! or by whichever writer holds its lock.

use std::time::Duration;

use super::choose::{Candidates, Choice};
use super::crew::Progress;
use super::inline::Pause;
use super::pace::{Budget, Pace};
use super::relocate::{Step, Tools, Victim};
use super::survivors::Place;
use crate::constants::WORTH_DIVISOR;
use crate::instrument::{Mutant, Point, mutated, reach};
use crate::knobs::Survivors;
use crate::store::Shared;
use crate::sync::lock;

/// Shortest and longest sleep while something is due but has to wait for a grace period.
const NAP: (Duration, Duration) = (Duration::from_micros(50), Duration::from_millis(4));
/// How often a worker examines its candidates while memory is low and nothing is worth compacting.
const POLL: Duration = Duration::from_millis(100);

/// The result of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// Something was done, and there may be more to do.
    Worked,
    /// Something is due, once readers and writers have moved on.
    Waiting,
    /// Nothing can be done.
    Quiet,
}

/// The state of one worker.
#[derive(Debug)]
pub(crate) struct Worker {
    node: usize,
    number: usize,
    /// When the oldest operation in progress began, as of the last scan of the epoch table. A scan
    /// takes a while.
    minimum: u64,
    pub(crate) candidates: Candidates,
    pub(crate) victim: Option<Victim>,
    pub(crate) tools: Tools,
    pub(super) pause: Pause,
}

impl Worker {
    pub(crate) fn new(node: usize, number: usize) -> Self {
        Self {
            node,
            number,
            minimum: 0,
            candidates: Candidates::default(),
            victim: None,
            tools: Tools::default(),
            pause: Pause::default(),
        }
    }

    /// Frees what can be freed, chooses a victim unless there is one, and empties it as far as the
    /// budget allows. In a closed store it does nothing: a worker that panicked may have left its
    /// victim half moved.
    pub(crate) fn round(&mut self, shared: &Shared, budget: &mut Budget) -> Round {
        if shared.is_closed() {
            return Round::Quiet;
        }
        let node = &shared.log.nodes[self.node];
        let progress = node.crew.progress(self.number);
        let watch = Watch(shared);
        let round = self.step(shared, progress, budget);
        std::mem::forget(watch);
        progress.set_limbo(self.tools.limbo.blocks(), self.tools.limbo.since_ns());
        if round == Round::Quiet {
            progress.count_quiet();
        }
        round
    }

    fn step(&mut self, shared: &Shared, progress: &Progress, budget: &mut Budget) -> Round {
        let (log, node) = (&shared.log, &shared.log.nodes[self.node]);
        node.take_rolled(self.number, self.candidates.all_mut());
        let (available, low) = (node.pool.available(), node.low_blocks());
        let pace = Pace::of(available, low, log.space.waiters(), node.is_inline());
        self.reclaim(shared, progress);
        let in_place = shared.overwriting.is_announced();
        let place = Place { log, node, index: &shared.index, in_place };
        let mut young = false;
        if self.victim.is_none() {
            let chosen = self.choose(shared, pace);
            young = chosen == Choice::Young;
            if let Choice::Victim(id) = chosen {
                node.crew.note_victim(log.segments[id].dead(), log.segments[id].used());
                self.victim = Victim::pick(id, log);
                if self.victim.is_none() {
                    young = true;
                    self.candidates.all_mut().push(id);
                }
            }
        }
        let pressed = matches!(pace, Pace::Pressed { .. });
        let Some(victim) = &mut self.victim else {
            let rolled = pressed && self.close_dead_heads(place);
            if pressed {
                self.tools.output.trim(place);
            }
            if pace == Pace::Rest && node.return_idle_memory(log) {
                return Round::Worked;
            }
            let waiting = rolled || young || !self.tools.limbo.is_empty();
            return if waiting { Round::Waiting } else { Round::Quiet };
        };
        // Under pressure, clients get no room that compaction may need.
        let survivors = if pressed { Survivors::Separate } else { shared.survivors };
        let copied = self.tools.mover.copied_bytes;
        let step = victim.empty(place, &mut self.tools, survivors, budget);
        if pressed || step == Step::Suspended {
            self.tools.output.trim(place);
        }
        self.candidates.all_mut().append(&mut self.tools.output.closed);
        let finished = step == Step::Finished;
        progress.count_step(self.tools.mover.copied_bytes - copied, u64::from(finished));
        match step {
            Step::Finished => {
                self.victim = None;
                Round::Worked
            }
            Step::Paused => Round::Worked,
            Step::Suspended if !self.tools.limbo.is_empty() => Round::Waiting,
            Step::Suspended => Round::Quiet,
        }
    }

    /// Under pressure even open segments are considered. Returns whether there is a new candidate.
    fn close_dead_heads(&mut self, place: Place<'_>) -> bool {
        let Place { log, node, .. } = place;
        let waited_for = log.space.waiters() > 0;
        let divisor = if waited_for { u64::MAX } else { WORTH_DIVISOR };
        let all = self.candidates.all_mut();
        let before = all.len();
        for head in node.heads() {
            // A PUT that waits may be told that nothing is dead: only after a look at every head.
            let state = if waited_for { Some(head.lock()) } else { head.try_lock() };
            all.extend(state.and_then(|mut state| state.close_if_dead(log, node, divisor)));
        }
        let output = &mut self.tools.output;
        if output.is_worth_compacting(log, divisor) {
            output.close(place);
            all.append(&mut output.closed);
        }
        all.len() > before
    }

    fn choose(&mut self, shared: &Shared, pace: Pace) -> Choice {
        let (segments, selection) = (&shared.log.segments, shared.selection);
        let minimum = self.minimum;
        let settled = |minimum| {
            move |closed| {
                let passed = shared.log.clock.has_passed(closed, minimum);
                passed || mutated(Mutant::PutUnpinnedBeforePublish)
            }
        };
        let chosen = self.candidates.choose(segments, pace, selection, settled(minimum));
        if chosen != Choice::Young {
            return chosen;
        }
        self.minimum = shared.epochs.horizon();
        reach(Point::Scanned);
        self.candidates.choose(segments, pace, selection, settled(self.minimum))
    }

    fn reclaim(&mut self, shared: &Shared, progress: &Progress) {
        if self.tools.limbo.is_empty() {
            return;
        }
        if !self.tools.limbo.may_free(&shared.log, self.minimum) {
            self.minimum = shared.epochs.horizon();
            reach(Point::Scanned);
        }
        let (log, node) = (&shared.log, &shared.log.nodes[self.node]);
        let freed = self.tools.limbo.reclaim(log, node, self.minimum);
        if freed > 0 {
            progress.count_freed(freed);
            if self.node == 0 || !mutated(Mutant::BellOfFirstNode) {
                log.space.ring();
            }
            node.return_idle_memory(log);
        }
    }
}

/// Closes the store if it is dropped: by a round that panics, in a thread of the store or in a
/// writer. The worker's lock is still held then, so whoever takes it next finds the store closed.
struct Watch<'store>(&'store Shared);

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        if !mutated(Mutant::PanicUnwatched) {
            self.0.close();
        }
    }
}

/// The main loop of background worker `number` of a node.
pub(crate) fn run(shared: &Shared, node: usize, number: usize) {
    let node = &shared.log.nodes[node];
    if !node.cores.is_empty() {
        // A worker on another node is slower, but nothing worse.
        let _ = platform::cpu::pin_to_any(&node.cores);
    }
    let signals = &node.signals;
    let mut nap = NAP.0;
    while !signals.stopped() {
        let rings = signals.rings();
        let round = lock(&node.crew.workers[number]).round(shared, &mut Budget::round());
        match round {
            Round::Worked => nap = NAP.0,
            Round::Waiting => {
                std::thread::sleep(nap);
                nap = NAP.1.min(nap * 2);
            }
            Round::Quiet => {
                nap = NAP.0;
                shared.log.space.ring();
                signals.sleep(rings, node.is_low().then_some(POLL));
            }
        }
    }
}
