//! Real programs, recorded.

mod malloc;
mod postmark;
