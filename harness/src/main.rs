//! `nibble-bench`.
fn main() {}
