//! Tests of the crate as a whole, through what it shows to others.

#[expect(unsafe_code, reason = "blocks of a heap are addresses")]
mod faults;
mod hindered;
#[expect(unsafe_code, reason = "a call of the C library")]
mod hindered_memory;
