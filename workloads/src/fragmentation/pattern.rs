//! The definition of a fragmentation experiment.

use std::error::Error;
use std::fmt;

use crate::SizeDistribution;
use crate::bytes::format_bytes;

/// How much each of the two filling phases allocates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volume {
    /// Allocate until live bytes reach the cap (the Nibble paper's protocol).
    Fill,
    /// Allocate this multiple of the cap, deleting random objects to keep live bytes below the cap
    /// (RAMCloud's protocol, with 5).
    Multiple(f64),
}

/// The most fillings of one experiment: each takes two rows.
const CYCLES_MAX: u32 = 1000;

/// One experiment: two size distributions and a delete phase between them.
///
/// Serialised as, for example:
///
/// ```toml
/// name           = "mine"
/// first          = "48"        # bytes, "1KiB", or a range "50-150"
/// second         = "64"        # left out: the first filling is all
/// delete-percent = 90          # of the objects, by count, at random
/// volume         = "fill"      # or 5.0: allocate five times the cap in each filling
/// cycles         = 10          # left out: fill, delete, fill with the second size
/// source         = "a guess"   # optional
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// A short name for rows and figures: letters, digits, `-` and `_`.
    pub name: String,
    /// The sizes as shown to readers: `60 → 70 B`. [`Pattern::label_of`] makes it.
    pub label: String,
    /// Sizes of the first filling, in bytes.
    pub first: SizeDistribution,
    /// Sizes of the second filling. `None`: the experiment ends after the first.
    pub second: Option<SizeDistribution>,
    /// The fraction of the live objects, by count, deleted between the fillings, from 0 to 1.
    pub delete_fraction: f64,
    /// How much each filling allocates.
    pub volume: Volume,
    /// The number of fillings, each followed by a delete phase. Every other filling uses the second
    /// sizes, if there are any. `None`: fill, delete, fill with the second sizes.
    pub cycles: Option<u32>,
    /// Where the pattern comes from, and how certain that is.
    pub source: String,
}

impl Pattern {
    /// The built-in pattern of this name: `P1` to `P6`, `W1` to `W8`.
    pub fn by_name(name: &str) -> Option<Self> {
        super::all().into_iter().find(|pattern| pattern.name == name)
    }

    /// The sizes as shown to readers:
    pub fn label_of(first: &SizeDistribution, second: Option<&SizeDistribution>) -> String {
        let sizes = || [Some(first), second].into_iter().flatten();
        let unit = [(1 << 20, "MiB"), (1 << 10, "KiB")].into_iter().find(|&(bytes, _)| {
            sizes().flat_map(|size| [size.min(), size.max()]).all(|end| end.is_multiple_of(bytes))
        });
        let (bytes, unit) = unit.unwrap_or((1, "B"));
        let written = sizes().map(|size| match size {
            SizeDistribution::Constant(constant) => (constant / bytes).to_string(),
            range => format!("{}–{}", range.min() / bytes, range.max() / bytes),
        });
        format!("{} {unit}", written.collect::<Vec<_>>().join(" → "))
    }

    /// The size of the largest object of either filling, in bytes.
    pub fn object_bytes_max(&self) -> usize {
        self.second.as_ref().map_or(0, SizeDistribution::max).max(self.first.max())
    }

    /// The size of the smallest object of either filling, in bytes.
    pub fn object_bytes_min(&self) -> usize {
        self.second.as_ref().map_or(usize::MAX, SizeDistribution::min).min(self.first.min())
    }

    /// Checks that the pattern can run. Reading a file checks this, and
    /// [`PhaseScript::new`](super::PhaseScript::new) checks it again, because the fields are
    /// public.
    pub fn validate(&self) -> Result<(), PatternError> {
        let readable = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        if self.name.is_empty() || !self.name.chars().all(readable) {
            return Err(PatternError::Name { name: self.name.clone() });
        }
        if self.object_bytes_min() == 0 {
            return Err(PatternError::EmptyObject);
        }
        if !(0.0..=1.0).contains(&self.delete_fraction) {
            return Err(PatternError::DeleteFraction { fraction: self.delete_fraction });
        }
        match (self.volume, self.cycles) {
            (Volume::Multiple(multiple), _) if !(multiple >= 1.0 && multiple.is_finite()) => {
                Err(PatternError::Volume { multiple })
            }
            (_, Some(cycles)) if !(2..=CYCLES_MAX).contains(&cycles) => {
                Err(PatternError::Cycles { cycles })
            }
            (Volume::Fill, Some(cycles)) if self.delete_fraction == 0.0 => {
                Err(PatternError::NothingDeleted { cycles })
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Pattern {
    /// `P1: 60 → 70 B, 90 % deleted`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.label)?;
        if self.second.is_some() || self.cycles.is_some() {
            write!(f, ", {} % deleted", percent(self.delete_fraction))?;
        }
        self.cycles.map_or(Ok(()), |cycles| write!(f, ", {cycles} cycles"))
    }
}

/// A fraction in per cent, without floating-point noise: 0.07 gives 7, not 7.000000000000001.
pub(super) fn percent(fraction: f64) -> f64 {
    (fraction * 1e11).round() / 1e9
}

/// Why a pattern cannot run.
#[derive(Clone, Debug, PartialEq)]
pub enum PatternError {
    /// The name is empty or contains a character that is unsafe in file names.
    Name { name: String },
    /// The sizes include zero.
    EmptyObject,
    /// The fraction to delete is not between 0 and 1.
    DeleteFraction { fraction: f64 },
    /// The multiple of the cap is below one or not a number.
    Volume { multiple: f64 },
    /// The number of fillings is below two or above the limit.
    Cycles { cycles: u32 },
    /// Nothing is deleted between fillings up to a cap, so every filling but the first does
    /// nothing.
    NothingDeleted { cycles: u32 },
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { name } => {
                write!(f, "name = \"{name}\": use letters, digits, '-' and '_', at least one")
            }
            Self::EmptyObject => {
                write!(f, "size {}: no cap is ever reached; use 1 or more", format_bytes(0))
            }
            Self::DeleteFraction { fraction } => {
                write!(f, "delete-percent = {}: must be from 0 to 100", percent(*fraction))
            }
            Self::Volume { multiple } => write!(
                f,
                "volume = {multiple}: must be 1 or more, or memory never fills; for a single \
                 filling write \"fill\""
            ),
            Self::Cycles { cycles } => write!(
                f,
                "cycles = {cycles}: must be from 2 to {CYCLES_MAX}; leave it out to fill, delete and \
                 fill once more"
            ),
            Self::NothingDeleted { cycles } => write!(
                f,
                "delete-percent = 0 with cycles = {cycles}: fillings after the first find no room; \
                 delete some, or leave cycles out"
            ),
        }
    }
}

impl Error for PatternError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern() -> Pattern {
        Pattern::by_name("P1").unwrap()
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        let message = |pattern: Pattern| pattern.validate().unwrap_err().to_string();
        assert_eq!(
            message(Pattern { name: "a b".into(), ..pattern() }),
            "name = \"a b\": use letters, digits, '-' and '_', at least one"
        );
        assert_eq!(
            message(Pattern { second: Some(SizeDistribution::Constant(0)), ..pattern() }),
            "size 0: no cap is ever reached; use 1 or more"
        );
        assert_eq!(
            message(Pattern { delete_fraction: 1.07, ..pattern() }),
            "delete-percent = 107: must be from 0 to 100"
        );
        assert_eq!(
            message(Pattern { volume: Volume::Multiple(0.5), ..pattern() }),
            "volume = 0.5: must be 1 or more, or memory never fills; for a single filling write \
             \"fill\""
        );
        for cycles in [0, 1, 1001] {
            assert_eq!(
                message(Pattern { cycles: Some(cycles), ..pattern() }),
                format!(
                    "cycles = {cycles}: must be from 2 to 1000; leave it out to fill, delete and fill \
                     once more"
                )
            );
        }
        assert_eq!(
            message(Pattern { cycles: Some(3), delete_fraction: 0.0, ..pattern() }),
            "delete-percent = 0 with cycles = 3: fillings after the first find no room; delete \
             some, or leave cycles out"
        );
        for multiple in [f64::NAN, f64::INFINITY, -1.0] {
            let pattern = Pattern { volume: Volume::Multiple(multiple), ..pattern() };
            assert!(pattern.validate().is_err());
        }
    }

    #[test]
    fn labels_share_a_unit_where_they_can() {
        let label = |first: &str, second: Option<&str>| {
            let second: Option<SizeDistribution> = second.map(|text| text.parse().unwrap());
            Pattern::label_of(&first.parse().unwrap(), second.as_ref())
        };
        assert_eq!(label("60", Some("70")), "60 → 70 B");
        assert_eq!(label("1000", Some("1024")), "1000 → 1024 B");
        assert_eq!(label("1KiB", Some("10KiB")), "1 → 10 KiB");
        assert_eq!(label("50-150", Some("5000-15000")), "50–150 → 5000–15000 B");
        assert_eq!(label("1MiB", None), "1 MiB");
    }

    #[test]
    fn a_pattern_introduces_itself() {
        assert_eq!(pattern().to_string(), "P1: 60 → 70 B, 90 % deleted");
        assert_eq!(Pattern::by_name("W1").unwrap().to_string(), "W1: 100 B");
        let cyclic = Pattern { second: None, cycles: Some(10), label: "60 B".into(), ..pattern() };
        assert_eq!(cyclic.to_string(), "P1: 60 B, 90 % deleted, 10 cycles");
    }
}
