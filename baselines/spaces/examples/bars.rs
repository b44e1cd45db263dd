//! The bars that the ways are held to, measured in one run: ways take turns, and each ratio is a median of
//! rounds with the range of all.
//!
//! ```text
//! cargo build --release -p spaces --bins --examples && target/release/examples/bars
//! ```

use std::io;
use std::process::Command;

use engine::{Applied, Limits, Windows, WindowsSetup, WindowsShape};
use workloads::Seed;
use workloads::updates::{Order, Sets, check_window, fill_window};

/// Odd, so that there is a middle one.
const ROUNDS: usize = 7;
const LIMITS: Limits = Limits { sets: u64::MAX >> 1, within_ns: 200_000_000 };

/// 4 windows of 64 MiB, 64 updates a set.
const UPDATES: WindowsShape =
    WindowsShape { windows: 4, window_bytes: 64 << 20, page_bytes: 4096, updates_per_set: 64 };
/// Switches between two windows, without updates.
const SWITCHES: WindowsShape =
    WindowsShape { windows: 2, window_bytes: 2 << 20, page_bytes: 4096, updates_per_set: 0 };

/// The program of an executor lies beside the folder of this one.
fn executor() -> io::Result<Command> {
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(2).ok_or(io::ErrorKind::NotFound)?;
    Ok(Command::new(folder.join("space-executor")))
}

/// A way on its own table, and what it did.
struct Measured {
    way: Box<dyn Windows>,
    sets: Sets,
    done: u64,
}

impl Measured {
    fn open(name: &str, shape: WindowsShape) -> Self {
        let order = if shape.updates_per_set == 0 { Order::InTurn } else { Order::Drawn };
        let sets = Sets::new(Seed(42), shape.windows, shape.updates_per_set, 1 << 15, order);
        let cores = platform::cpu::allowed_cores();
        let (order, values) = (sets.order(), sets.values());
        let setup = WindowsSetup { shape, order, values, cores: &cores, executor };
        let way = spaces::open(name, &Default::default(), &setup).expect(name);
        for window in 0..shape.windows {
            way.show(window, &mut |words| fill_window(words, window)).expect(name);
        }
        Self { way, sets, done: 0 }
    }

    /// Time of a set, or of a switch where sets have no updates.
    fn ns(&mut self) -> (f64, Applied) {
        let applied = self.way.apply(LIMITS).expect("a run");
        self.done += applied.sets;
        let count = if self.sets.updates_per_set() == 0 { applied.switches } else { applied.sets };
        (applied.elapsed_ns as f64 / count as f64, applied)
    }

    fn wrong(&self) -> u64 {
        let mut wrong = 0;
        for window in 0..self.sets.windows() {
            let check = &mut |words: &[_]| {
                wrong += check_window(words, window, &self.sets, self.done).wrong;
            };
            self.way.show(window, check).expect("a window");
        }
        wrong
    }
}

/// Prints the ratio of times of `slow` ÷ `fast`, which take turns.
fn compare(
    bar: &str,
    (slow, slow_shape): (&str, WindowsShape),
    (fast, fast_shape): (&str, WindowsShape),
) {
    let mut slow = Measured::open(slow, slow_shape);
    let mut fast = Measured::open(fast, fast_shape);
    // The first round finds code and caches.
    let (mut ratios, mut times, mut faults) = (Vec::new(), [Vec::new(), Vec::new()], [0, 0]);
    for round in 0..=ROUNDS {
        let ((one, of_one), (two, of_two)) = (slow.ns(), fast.ns());
        if round > 0 {
            ratios.push(one / two);
            times[0].push(one);
            times[1].push(two);
            faults[0] += of_one.minor_faults;
            faults[1] += of_two.minor_faults;
        }
    }
    let [one, two] = times.map(middle);
    let wrong = slow.wrong() + fast.wrong();
    let (least, most) = (smallest(&ratios), largest(&ratios));
    println!(
        "{bar}: {:.3} ({least:.3} to {most:.3}); {one:.0} ns ÷ {two:.0} ns; faults {} and {}; {wrong} wrong",
        middle(ratios),
        faults[0],
        faults[1]
    );
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn smallest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(0.0, f64::max)
}

fn main() {
    let switches = |window_bytes| WindowsShape { window_bytes, ..SWITCHES };
    compare(
        "space over map-unmap, updates, at least 10",
        ("map-unmap", UPDATES),
        ("space", UPDATES),
    );
    compare("flat over plain-c, updates, at least 0.8", ("plain-c", UPDATES), ("flat", UPDATES));
    compare(
        "hand-over over plain-c, one switch, at most 1.25",
        ("hand-over", SWITCHES),
        ("plain-c", SWITCHES),
    );
    compare("space over hand-over, one switch", ("space", SWITCHES), ("hand-over", SWITCHES));
    compare("move of 1 GiB over 2 MiB, at most 2", ("move", switches(1 << 30)), ("move", SWITCHES));
}
