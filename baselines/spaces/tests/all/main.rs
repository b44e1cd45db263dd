//! Tests of the ways, and of spaces as objects, with the processes that they really start.

mod conformance;
mod heaps;
mod journeys;
mod killed;
mod locks;
mod model;
mod refused;
mod registry;
mod script;
mod segments;
mod spaces_killed;
mod touch;
mod users;
mod world;

use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use engine::{Limits, OpenError, Windows, WindowsSetup, WindowsShape};
use workloads::Seed;
use workloads::updates::{Order, Sets, check_window, fill_window};

/// 8 windows of 4 MiB.
const SHAPE: WindowsShape =
    WindowsShape { windows: 8, window_bytes: 4 << 20, page_bytes: 4096, updates_per_set: 16 };
/// A limit of time that no test reaches.
const NEVER_NS: u64 = 3_600_000_000_000;

fn executor() -> io::Result<Command> {
    Ok(Command::new(env!("CARGO_BIN_EXE_space-executor")))
}

/// `mp@wait=yield@cores=1` as name and settings.
fn parts(label: &str) -> (&str, BTreeMap<String, String>) {
    let mut words = label.split('@');
    let name = words.next().unwrap();
    let option = |word: &str| {
        let (name, value) = word.split_once('=').unwrap();
        (name.to_owned(), value.to_owned())
    };
    (name, words.map(option).collect())
}

/// A way on a table whose words are their indices.
fn open(label: &str, shape: WindowsShape, sets: &Sets) -> Result<Box<dyn Windows>, OpenError> {
    let (name, options) = parts(label);
    let cores = platform::cpu::allowed_cores();
    let (order, values) = (sets.order(), sets.values());
    let setup = WindowsSetup { shape, order, values, cores: &cores, executor };
    let way = spaces::open(name, &options, &setup)?;
    for window in 0..shape.windows {
        way.show(window, &mut |words| fill_window(words, window)).unwrap();
    }
    Ok(way)
}

fn sets(shape: WindowsShape, count: usize) -> Sets {
    Sets::new(Seed(42), shape.windows, shape.updates_per_set, count, Order::Drawn)
}

fn limits(sets: u64) -> Limits {
    Limits { sets, within_ns: NEVER_NS }
}

/// Words that are not as the reference has them after `done` sets.
fn wrong(way: &dyn Windows, sets: &Sets, done: u64) -> u64 {
    let window = |window| {
        let mut wrong = 0;
        way.show(window, &mut |words| wrong = check_window(words, window, sets, done).wrong)
            .unwrap();
        wrong
    };
    (0..sets.windows()).map(window).sum()
}
