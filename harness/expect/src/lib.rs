//! Expectations: a number against a bound. Published claims and performance targets are both written
//! in this language and judged by this evaluator. Everything here is a pure function of text and
//! numbers: nothing measures, and nothing knows a store.
//!
//! ```text
//! claims.toml, targets.toml ─ read ─► Expectations ┐
//! summary rows, machine ────────── evaluate ───────┴─► Answers (holds, fails, undecided, not testable) ─ render
//! ```
//!
//! An `[[expectation]]` has an `id`, a `source`, what it `says`, perhaps the `figure` that shows it, and
//! one `[[expectation.ask]]` or more. A question selects rows by their labels (`where`, then `of` and `to`)
//! and states one relation between the values of their `metric`:
//!
//! | relation | what is judged | holds if |
//! |---|---|---|
//! | `select` | the metric of each row of `of`; with `worst = true` only the row nearest to failing | it lies within the bounds |
//! | `ratio` | the metric of each row of `of` ÷ that of every row of `to` with the same labels; `system`, `engine`, `set.*` and the labels that `of` or `to` names may differ | the ratio lies within the bounds |
//! | `monotone` | rows of `of` in the order of the number in `along`, from `from` to `to`; rows that differ in another label form separate lines | `falls`: first ÷ last is at least `by`, and each row ÷ the one before is at most 1.1; `rises`: the mirror; `flat`: each ÷ the first lies within 1/`by` … `by` |
//! | `crossover` | `of` ÷ `to` at each number of `along` | it is below 1 up to the first number of `between`, and above 1 from the second on |
//!
//! A metric is a name that rows have, or the quotient of two counters: `"copied_bytes / appended_bytes"`.
//!
//! | bound | holds if the interval is | touching it |
//! |---|---|---|
//! | `at-least`, `at-most` | on that side | holds |
//! | `above`, `below` | on that side | fails |
//! | `margin` (a share, 0 if absent) | – | a value this near to a bound is undecided, whatever its interval |
//!
//! | `interval` | of values | of ratios |
//! |---|---|---|
//! | `welch` (if absent) | 95 %, Student's, of the mean logarithm of n ≥ 2 processes | 95 %, Welch's, of the difference of mean logarithms |
//! | `rounds` | 99.9 %, bootstrap, of the median; the range of fewer than three values | the same of the logarithms of one ratio a round, where three rounds or more measured both sides |
//!
//! Where a run measured undecided comparisons again (`reproduce --decide`), the first 2 processes are judged
//! at 99 %, and so are the first 4, 8, 13 and 20; the first look that decides counts ([`REPEATED_LOOKS`]).
//! Memory is judged of the first 1, 2, 4, 8 and 13.
//! From the second look on a ratio is that of the repetitions which measured both sides.
//!
//! A row that is `exact` is a point. One comparison *holds* if its whole interval lies within the
//! bounds, *fails* if it lies outside a bound, and is *undecided* otherwise, or with one process. With
//! nothing to judge, the answer is *not testable*. Of many comparisons together:
//!
//! | file | holds | fails |
//! |---|---|---|
//! | claims | none fails, and at least 90 % hold | more than 10 % fail, or one whose whole interval lies more than 10 % beyond its bound |
//! | with a `plan` | all hold | one fails |
//!
//! Both numbers are in `share.rs`. Whatever neither holds nor fails is *undecided*.
//!
//! | `on` | asked of |
//! |---|---|
//! | `any` | every machine |
//! | `large` | machines that have what `needs` says: `cores`, `sockets`, a `kernel` that is no stock one |
//! | `small` | machines that lack what the `large` question beside it needs; all, if there is none |
//!
//! `from-scale = "standard"` leaves a question to runs of that scale and larger ones ([`at_scale`]); a table
//! does so by preset: `from-scale = { paper = "standard" }`.
//!
//! `vary = { LABEL = [..] }` makes an expectation of each combination of those values: the label is
//! added to every `where`, and the values to the id (`batch/64-B`).
//!
//! The table `presets` names an `engine`, the `names` of its presets and the `default`, which rows run
//! that name none. A question that names the engine is put to each preset, and answered by rows of that
//! preset: `system = "nibble"` then means `nibble@preset=paper` as well. `presets = [..]` in a question
//! limits it to some of them; with none, rows of any preset answer. `implies = { paper = "update=append" }`
//! says that the preset has this setting of itself: put to it, `nibble@update=append` means
//! `nibble@preset=paper`.
//!
//! A file whose expectations are measured for their own sake ([`read_planned`]) says how in the table
//! `plan`, and in `cells` of each expectation; both belong to the caller. Nothing that such an
//! expectation selects may be missing: it is not testable then.
//!
//! [`evaluate_permuted`] asks again with each system's numbers moved to another system: a comparison
//! that still holds says nothing about which system is which.

#![deny(unsafe_code)]

mod answer;
mod bounds;
mod crossover;
mod error;
mod estimate;
mod evaluate;
mod expectation;
mod file;
mod judged;
mod looks;
mod metric;
mod monotone;
mod names;
mod permute;
mod place;
mod preset;
mod ratio;
pub mod render;
mod scale;
mod select;
mod share;
mod summary;
#[cfg(test)]
mod tests;
mod unit;
mod vary;
mod words;

pub use answer::{Answer, Counts, Machine, Measured};
pub use bounds::{Bounds, Edge};
pub use error::{Mistake, ReadError};
pub use evaluate::evaluate;
pub use expectation::{
    Expectation, Kernel, Method, Metric, Moves, Needs, On, Question, Relation, Selection,
};
pub use file::{Planned, read, read_planned};
pub use looks::{Look, ONE_LOOK, REPEATED_LOOKS, in_repeated_looks, next_look};
pub use permute::{PermutationTally, Permuted, evaluate_permuted};
pub use preset::Preset;
pub use scale::at_scale;
pub use select::UNMEASURED;
pub use share::{FAR_BEYOND, LEAST_HOLDING_PERCENT};
pub use stats::Verdict;
pub use summary::Summary;
pub use unit::Unit;
