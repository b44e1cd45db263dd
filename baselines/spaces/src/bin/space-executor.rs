//! The process of a space, for tests of this crate.

fn main() -> std::process::ExitCode {
    let Err(error) = spaces::executor::run();
    eprintln!("{error}");
    std::process::ExitCode::FAILURE
}
