//! Compiles the plain C loops that two of the ways are held against.

fn main() {
    println!("cargo::rerun-if-changed=c/plain.c");
    println!("cargo::rerun-if-changed=build.rs");
    // As C programs are released, whatever the profile of the rest.
    cc::Build::new().file("c/plain.c").opt_level(2).debug(false).warnings(true).compile("plain");
}
