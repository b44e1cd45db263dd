//! Tells the program what built it.

mod program;

fn main() {
    println!("cargo::rerun-if-changed=build");
    program::tell();
}
