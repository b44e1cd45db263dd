//! What is built, and for which processor.

/// The program that is built.
pub(crate) const PROGRAM: &str = "nibble-bench";
/// Compiler flags for a program that runs on any processor of the architecture, and under valgrind.
pub(crate) const GENERIC_FLAGS: [&str; 2] =
    ["-C", if cfg!(target_arch = "x86_64") { "target-cpu=x86-64" } else { "target-cpu=generic" }];

/// Which processor a program is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// As in the revision's own configuration: for this machine.
    Native,
    /// Any processor of this architecture, regardless of configurations: for valgrind, which does not
    /// know every instruction of a new processor. The libraries in C and C++ are compiled this way in
    /// both flavours.
    Generic,
}
