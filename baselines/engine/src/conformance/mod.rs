//! The tests that every store passes before a number of it is published.
