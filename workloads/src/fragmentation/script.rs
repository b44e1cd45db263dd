//! Turns a pattern into one thread's actions: a state machine of counters.

use std::error::Error;
use std::fmt;

use super::{Pattern, PatternError, Phase, Step, Volume};
use crate::{Rng, Seed, SizeDistribution};

/// What the thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Allocate an object and append it to the table of live objects. If memory runs out, leave the
    /// table alone and call [`PhaseScript::refused`].
    Allocate { bytes: usize },
    /// `swap_remove` this element of the table, free it, and call [`PhaseScript::deleted`].
    Delete {
        /// An index into the table of live objects.
        victim: usize,
    },
    /// The phase is over; [`PhaseScript::step`] gives the next one.
    EndOfPhase,
}

/// What ends a filling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Limit {
    /// Live bytes never exceed this: the thread's share of the experiment's cap.
    LiveBytes(u64),
    /// The first refusal. For stores with bounded memory.
    UntilRefused,
}

/// Why a pattern has no script.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptError {
    /// The pattern itself cannot run.
    Pattern(PatternError),
    /// The largest object exceeds the cap.
    CapTooSmall {
        /// This thread's share of the cap.
        cap_bytes: u64,
        /// The size of the pattern's largest object.
        object_bytes_max: usize,
    },
    /// The pattern allocates a multiple of the cap, but there is no cap.
    MultipleOfNoCap { name: String },
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(error) => error.fmt(f),
            Self::CapTooSmall { cap_bytes, object_bytes_max } => write!(
                f,
                "cap of {cap_bytes} B for one thread: the largest object has {object_bytes_max} B; \
                 raise the cap or use fewer threads"
            ),
            Self::MultipleOfNoCap { name } => write!(
                f,
                "pattern {name} allocates a multiple of the cap, and filling until refused has \
                 none; give a cap in live bytes, or a pattern with volume = \"fill\""
            ),
        }
    }
}

impl Error for ScriptError {}

/// Yields the actions of one thread, phase by phase.
///
/// The script keeps counters only. The *caller* owns the table of live objects, performs the
/// actions, and reports the size of each deleted object:
///
/// ```
/// use workloads::Seed;
/// use workloads::fragmentation::{Action, Limit, Pattern, PhaseScript};
///
/// let pattern = Pattern::by_name("P1").unwrap();
/// let mut script = PhaseScript::new(&pattern, Limit::LiveBytes(10_000), Seed(42))?;
/// let mut live: Vec<usize> = Vec::new(); // sizes stand in for objects
/// while let Some(step) = script.step() {
///     loop {
///         match script.next_action() {
///             Action::Allocate { bytes } => live.push(bytes),
///             Action::Delete { victim } => script.deleted(live.swap_remove(victim)),
///             Action::EndOfPhase => break,
///         }
///     }
///     println!("{step}: {} B live", script.live_bytes());
/// }
/// # Ok::<(), workloads::fragmentation::ScriptError>(())
/// ```
///
/// Each phase draws from its own stream, so a refill requests the same sizes however far the first
/// filling came. The script allocates nothing and an action costs a few nanoseconds, because it runs
/// inside the timed loop.
#[derive(Clone, Debug)]
pub struct PhaseScript {
    first: SizeDistribution,
    second: Option<SizeDistribution>,
    delete_fraction: f64,
    /// `u64::MAX` when only a refusal ends a filling.
    cap_bytes: u64,
    /// Total bytes that a filling allocates; `u64::MAX` when it ends at the cap.
    volume_bytes: u64,
    cycles: Option<u32>,
    seed: Seed,

    step: Option<Step>,
    sizes: SizeDistribution,
    rng: Rng,
    live_bytes: u64,
    live_objects: u64,
    allocated_bytes: u64,
    /// The value of `allocated_bytes` at which this filling ends; `u64::MAX` when the cap or a
    /// refusal ends it.
    allocated_bytes_end: u64,
    /// Objects still to delete in this phase.
    victims: u64,
    /// A size that was drawn and waits for room; zero if none.
    waiting_bytes: usize,
    last: Last,
}

/// The last action, until the caller reports its outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Settled,
    Allocate(usize),
    Delete,
    Refused,
}

impl PhaseScript {
    /// The actions of `pattern` for one thread. Each thread needs its own seed.
    pub fn new(pattern: &Pattern, limit: Limit, seed: Seed) -> Result<Self, ScriptError> {
        pattern.validate().map_err(ScriptError::Pattern)?;
        let (cap_bytes, volume_bytes) = match (limit, pattern.volume) {
            (Limit::LiveBytes(cap), Volume::Fill) => (cap, u64::MAX),
            (Limit::LiveBytes(cap), Volume::Multiple(multiple)) => {
                (cap, (cap as f64 * multiple).ceil() as u64)
            }
            (Limit::UntilRefused, Volume::Fill) => (u64::MAX, u64::MAX),
            (Limit::UntilRefused, Volume::Multiple(_)) => {
                return Err(ScriptError::MultipleOfNoCap { name: pattern.name.clone() });
            }
        };
        let object_bytes_max = pattern.object_bytes_max();
        if object_bytes_max as u64 > cap_bytes {
            return Err(ScriptError::CapTooSmall { cap_bytes, object_bytes_max });
        }
        let mut script = Self {
            first: pattern.first.clone(),
            second: pattern.second.clone(),
            delete_fraction: pattern.delete_fraction,
            cap_bytes,
            volume_bytes,
            cycles: pattern.cycles,
            seed,
            step: None,
            sizes: pattern.first.clone(),
            rng: seed.rng(),
            live_bytes: 0,
            live_objects: 0,
            allocated_bytes: 0,
            allocated_bytes_end: 0,
            victims: 0,
            waiting_bytes: 0,
            last: Last::Settled,
        };
        script.enter(Some(Step::first(pattern.cycles)));
        Ok(script)
    }

    /// The step that the next action belongs to; `None` when all steps are over.
    #[inline]
    pub const fn step(&self) -> Option<Step> {
        self.step
    }

    /// Total size of the objects in the caller's table.
    #[inline]
    pub const fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// Number of objects in the caller's table.
    #[inline]
    pub const fn live_objects(&self) -> u64 {
        self.live_objects
    }

    /// Bytes allocated in all phases so far, including deleted objects.
    #[inline]
    pub const fn allocated_bytes(&self) -> u64 {
        self.allocated_bytes
    }

    /// Returns the next action. An allocation counts as done unless [`PhaseScript::refused`]
    /// follows.
    #[inline]
    pub fn next_action(&mut self) -> Action {
        debug_assert!(self.last != Last::Delete, "deleted() was not called");
        match self.step.map(|step| step.phase) {
            Some(Phase::Fill | Phase::Refill) => self.next_of_filling(),
            Some(Phase::Delete) if self.victims > 0 => {
                self.victims -= 1;
                self.delete()
            }
            _ => self.end_phase(),
        }
    }

    /// Reports that the object of the last [`Action::Delete`] is gone, and its size.
    #[inline]
    pub const fn deleted(&mut self, bytes: usize) {
        debug_assert!(matches!(self.last, Last::Delete), "nothing was to be deleted");
        self.last = Last::Settled;
        self.live_bytes -= bytes as u64;
        self.live_objects -= 1;
    }

    /// Reports that the last [`Action::Allocate`] found no memory. The script takes it back and
    /// ends the phase.
    ///
    /// # Panics
    ///
    /// If the last action was not an allocation.
    #[cold]
    pub fn refused(&mut self) {
        let Last::Allocate(bytes) = self.last else {
            panic!("refused(): the last action was not an allocation");
        };
        self.last = Last::Refused;
        self.live_bytes -= bytes as u64;
        self.live_objects -= 1;
        self.allocated_bytes -= bytes as u64;
    }

    #[inline]
    fn next_of_filling(&mut self) -> Action {
        if self.last == Last::Refused || self.allocated_bytes >= self.allocated_bytes_end {
            return self.end_phase();
        }
        if self.waiting_bytes == 0 {
            self.waiting_bytes = self.sizes.sample(&mut self.rng);
        }
        let bytes = self.waiting_bytes;
        if self.cap_bytes - self.live_bytes < bytes as u64 {
            let at_cap = self.volume_bytes == u64::MAX;
            return if at_cap { self.end_phase() } else { self.delete() };
        }
        self.waiting_bytes = 0;
        self.live_bytes += bytes as u64;
        self.live_objects += 1;
        self.allocated_bytes += bytes as u64;
        self.last = Last::Allocate(bytes);
        Action::Allocate { bytes }
    }

    #[inline]
    fn delete(&mut self) -> Action {
        self.last = Last::Delete;
        Action::Delete { victim: self.rng.below(self.live_objects) as usize }
    }

    #[cold]
    fn end_phase(&mut self) -> Action {
        let next = self.step.and_then(|step| step.next(self.cycles, self.second.is_some()));
        self.enter(next);
        Action::EndOfPhase
    }

    fn enter(&mut self, step: Option<Step>) {
        self.step = step;
        self.last = Last::Settled;
        self.waiting_bytes = 0;
        let Some(step) = step else { return };
        let stream = self.seed.stream(step.phase.name());
        self.rng = step.cycle.map_or(stream, |cycle| stream.nth(cycle.into())).rng();
        self.allocated_bytes_end = self.allocated_bytes.saturating_add(self.volume_bytes);
        if step.phase == Phase::Delete {
            self.victims = (self.live_objects as f64 * self.delete_fraction).round() as u64;
        } else {
            let second = self.second.as_ref().filter(|_| step.takes_second());
            self.sizes = second.unwrap_or(&self.first).clone();
        }
    }
}

/// The largest number of objects of `pattern` that can be live at once in `cap_bytes`: the length
/// of the caller's table.
pub fn objects_max(pattern: &Pattern, cap_bytes: u64) -> usize {
    usize::try_from(cap_bytes / pattern.object_bytes_min().max(1) as u64).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
