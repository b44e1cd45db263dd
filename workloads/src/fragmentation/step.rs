//! The steps of an experiment and their order.

use std::fmt;

use super::Pattern;

/// What a step does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Allocate objects: of the first size, or in cycles alternating between both.
    Fill,
    /// Delete a fraction of the objects.
    Delete,
    /// Allocate objects of the second size; only in experiments without cycles.
    Refill,
}

impl Phase {
    /// The name in rows and figures.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fill => "fill",
            Self::Delete => "delete",
            Self::Refill => "refill",
        }
    }
}

/// A step of an experiment. Displayed as in rows: `fill`, or `fill-3` in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step {
    pub phase: Phase,
    /// The cycle, from 1; `None` in experiments without cycles.
    pub cycle: Option<u32>,
}

impl Step {
    /// The first step of an experiment with this many cycles.
    pub(super) const fn first(cycles: Option<u32>) -> Self {
        let cycle = if cycles.is_some() { Some(1) } else { None };
        Self { phase: Phase::Fill, cycle }
    }

    /// The step after this one; `None` at the end. An experiment without cycles and without a
    /// second size ends after its filling.
    pub(super) fn next(self, cycles: Option<u32>, has_second: bool) -> Option<Self> {
        let Self { phase, cycle } = self;
        match (phase, cycle) {
            (Phase::Fill, Some(_)) => Some(Self { phase: Phase::Delete, cycle }),
            (_, Some(cycle)) => (Some(cycle) < cycles)
                .then_some(Self { phase: Phase::Fill, cycle: Some(cycle + 1) }),
            (Phase::Fill, None) => has_second.then_some(Self { phase: Phase::Delete, cycle }),
            (Phase::Delete, None) => Some(Self { phase: Phase::Refill, cycle }),
            (Phase::Refill, None) => None,
        }
    }

    /// Whether the step allocates objects of the pattern's second size, if it has one.
    pub(super) const fn takes_second(self) -> bool {
        match self.cycle {
            Some(cycle) => cycle.is_multiple_of(2),
            None => matches!(self.phase, Phase::Refill),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.phase.name())?;
        self.cycle.map_or(Ok(()), |cycle| write!(f, "-{cycle}"))
    }
}

impl Pattern {
    /// The steps of the experiment, in order.
    pub fn steps(&self) -> impl Iterator<Item = Step> {
        let (cycles, has_second) = (self.cycles, self.second.is_some());
        std::iter::successors(Some(Step::first(cycles)), move |step| step.next(cycles, has_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pattern: &Pattern) -> Vec<String> {
        pattern.steps().map(|step| step.to_string()).collect()
    }

    #[test]
    fn steps_are_named_as_in_rows() {
        let twice = Pattern::by_name("P1").unwrap();
        assert_eq!(names(&twice), ["fill", "delete", "refill"]);
        assert_eq!(names(&Pattern::by_name("W1").unwrap()), ["fill"]);
        for second in [None, twice.second.clone()] {
            let cyclic = Pattern { cycles: Some(2), second, ..twice.clone() };
            assert_eq!(names(&cyclic), ["fill-1", "delete-1", "fill-2", "delete-2"]);
        }
    }
}
