//! A [`Comparison`](crate::Comparison) as people and programs read it.
//!
//! | function | for |
//! |---|---|
//! | [`text()`] | a terminal |
//! | [`markdown()`] | a comment on a pull request, or a job's summary |
//! | [`json()`], [`from_json`] | programs |
//! | [`junit()`], [`junit_error`] | CI systems that show test reports |
//! | [`markdown_created`], [`json_created`], [`junit_created`] | a gate that found no baseline |
//! | [`aligned()`], [`colour`], [`escape`], [`numbers`] | other reports: what these are written with |
//!
//! All say the same in the same words: sentences are in `words`, the order and the columns of
//! verdicts in `rows`, numbers in `numbers`.

mod aligned;
pub mod colour;
mod created;
pub mod escape;
#[cfg(test)]
mod fixture;
mod json;
mod junit;
mod markdown;
pub mod numbers;
mod rows;
mod text;
mod words;

pub use aligned::aligned;
pub use created::{json_created, markdown_created};
pub use json::{from_json, json};
pub use junit::{junit, junit_created, junit_error};
pub use markdown::{MARKDOWN_BYTES_MAX, MARKER, markdown};
pub use text::text;
