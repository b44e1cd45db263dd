//! Tests of the checker of histories.

mod cross_check;
mod planted;
