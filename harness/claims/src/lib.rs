//! Published claims as queries over summary rows, and whether they hold. Pure functions of text and
//! numbers: nothing here measures, and nothing knows a store.
//!
//! ```text
//! claims.toml ─ read ─► Claims ┐
//! summary rows, machine ───────┴─ evaluate ─► Answers (holds, fails, undecided, not testable) ─ render
//! ```

#![deny(unsafe_code)]

mod summary;

pub use summary::Summary;
