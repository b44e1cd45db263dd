//! Parts of cell ids. No other crate parses an id.

use super::{Cell, System};

/// Prefix of the ids of a comparison's cells.
const COMPARISON: &str = "compare";

impl Cell {
    /// The id without the repetition.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.strip_suffix(&format!("/{}", self.repetition)).unwrap_or(&self.id)
    }

    /// The name of the same work on another system.
    #[must_use]
    pub fn name_with(&self, system: &System) -> String {
        let name = self.name();
        let work = name.strip_suffix(&self.system.label()).unwrap_or(name);
        format!("{work}{}", system.label())
    }

    /// The id of the same repetition of the same work on another system.
    #[must_use]
    pub fn id_with(&self, system: &System) -> String {
        let [own, other] = [&self.system, system].map(|system| format!("/{}/", system.label()));
        self.id.replacen(&own, &other, 1)
    }
}

impl System {
    /// The same store with this option at its default; `None` unless the option is `value`.
    #[must_use]
    pub fn without(&self, option: &str, value: &str) -> Option<Self> {
        let Self::Store { name, heap, options } = self else { return None };
        let mut options = options.clone();
        options.remove(option).filter(|set| set == value)?;
        Some(Self::Store { name: name.clone(), heap: heap.clone(), options })
    }
}

/// The id of a comparison's process: `compare/ROUND/PLACE-SIDE/NAME`. Both sides share the name.
#[must_use]
pub fn id_in_comparison(round: u32, place: &str, side: char, name: &str) -> String {
    format!("{COMPARISON}/{round}/{place}-{side}/{name}")
}

/// Round, side and name of such an id.
#[must_use]
pub fn of_comparison(id: &str) -> Option<(u32, char, &str)> {
    let rest = id.strip_prefix(COMPARISON)?.strip_prefix('/')?;
    let (round, rest) = rest.split_once('/')?;
    let (place, name) = rest.split_once('/')?;
    let (_, side) = place.split_once('-')?;
    Some((round.parse().ok()?, side.parse().ok()?, name))
}
