//! Published claims as queries over summary rows, and whether they hold. Pure functions of text and
//! numbers: nothing here measures, and nothing knows a store.
//!
//! ```text
//! claims.toml ─ read ─► Claims ┐
//! summary rows, machine ───────┴─ evaluate ─► Answers (holds, fails, undecided, not testable) ─ render
//! ```
//!
//! An ask selects rows by their labels (`where`, then `of` and `to`) and says one word of them:
//!
//! | word | what is judged | holds where |
//! |---|---|---|
//! | `select` | the metric of each row of `of` | it is at least `at-least` and at most `at-most` |
//! | `ratio` | the metric of each row of `of` ÷ that of every row of `to` with the same labels; what may differ is `system`, `engine`, `set.*` and the labels that `of` or `to` names | the ratio lies within the bounds |
//! | `monotone` | rows of `of` in the order of the number in `along`, from `from` to `to`; rows that differ in another label are lines of their own | `falls`: first ÷ last is at least `by`, and no step rises for certain; `rises`: the mirror; `flat`: each ÷ the first lies within 1/`by` … `by` |
//! | `crossover` | `of` ÷ `to` at each number of `along` | it is below 1 up to the first number of `between`, and above 1 from the second on |
//!
//! Whatever is judged has a 95 % interval: of n ≥ 2 processes Welch's interval of the difference of
//! mean logarithms, of a row that is `exact` a point. It *holds* where the whole interval lies within
//! the bounds, *fails* where the whole interval lies outside a bound, and is *undecided* else, and of
//! one process. An answer fails where anything in it does, holds where all does, and is *not testable*
//! where there is nothing to judge.
//!
//! | `on` | asked of |
//! |---|---|
//! | `any` | every machine |
//! | `large` | machines that have what `needs` says |
//! | `small` | machines that lack what the `large` ask of the same claim needs; all, if there is none |
//!
//! [`evaluate_permuted`] asks again with the numbers at other systems' names: a comparison that still
//! holds does not tell systems apart.

#![deny(unsafe_code)]

mod answer;
mod bounds;
mod claim;
mod crossover;
mod error;
mod evaluate;
mod file;
mod interval;
mod judged;
mod monotone;
mod names;
mod permute;
mod place;
mod ratio;
pub mod render;
mod select;
mod summary;
mod unit;
mod words;

pub use answer::{Answer, Counts, Machine, Measured};
pub use bounds::Bounds;
pub use claim::{Ask, Claim, Claims, Metric, Moves, Needs, On, Relation, Selection};
pub use error::{ClaimsError, Mistake};
pub use evaluate::evaluate;
pub use file::read;
pub use permute::{PermutationTally, Permuted, evaluate_permuted};
pub use stats::Verdict;
pub use summary::Summary;
pub use unit::Unit;
