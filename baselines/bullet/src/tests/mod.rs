//! Tests of the crate as a whole.

mod bad_input;
mod conformance;
mod crashes;
mod faults;
mod figure_three;
mod killed;
mod mutants;
mod ratios;
mod readers;
mod rig;
mod roles;
mod scripts;
