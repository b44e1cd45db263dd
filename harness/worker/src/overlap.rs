//! How far operations overlap on a core, moment by moment.
//!
//! An operation here is made as a store's GET is: two loads from memory, the second at a place that the
//! first one says, and some hundred instructions. The next operation's first load begins before this one's
//! second has arrived if both are within the instructions that the processor looks ahead. Two hardware
//! threads that share a core divide these between them. So the loop takes up to twice as long while the
//! other thread works, and a guest, which does not see that thread, sees nothing but this.

use std::hint::black_box;
use std::io;
use std::thread;
use std::time::Duration;

use platform::clock::monotonic_ns;
use workloads::Seed;

use super::mapped::MappedSlice;
use super::pin;

/// Memory that is read. Most last-level caches are smaller.
const BYTES: usize = 256 << 20;
const OPERATIONS: u64 = 10_000;
const MOMENTS: usize = 60;
const PAUSE: Duration = Duration::from_millis(15);
/// Rounds of six instructions that an operation has besides.
const ROUNDS: u64 = 15;

/// What an operation takes on the first allowed core in each of sixty moments within a second or two, in
/// nanoseconds.
///
/// # Errors
/// If memory for it, 256 MiB, cannot be mapped.
pub fn overlap_ns() -> io::Result<Vec<f64>> {
    thread::scope(|scope| {
        scope
            .spawn(|| {
                pin(0, &platform::cpu::allowed_cores());
                moments()
            })
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn moments() -> io::Result<Vec<f64>> {
    let mut words = MappedSlice::resident(BYTES / size_of::<u64>())?;
    let mut rng = Seed(1).stream("overlap").rng();
    words.fill_with(|| rng.next_u64());
    let mut seed = 1;
    Ok((0..MOMENTS)
        .map(|_| {
            thread::sleep(PAUSE);
            let started_ns = monotonic_ns();
            seed = black_box(operate(&words, seed));
            (monotonic_ns() - started_ns) as f64 / OPERATIONS as f64
        })
        .collect())
}

/// Executes the operations of a moment. Returns where the next moment begins.
#[inline(never)]
fn operate(words: &[u64], mut seed: u64) -> u64 {
    let mask = words.len() - 1;
    let mut sum = 0_u64;
    for at in 0..OPERATIONS {
        seed = scramble(seed);
        let second = words[seed as usize & mask];
        sum = sum.wrapping_add(words[second as usize & mask]);
        // Nothing before depends on these, nor does what follows, but for the sum.
        let mut other = at + 1;
        for _ in 0..ROUNDS {
            other = scramble(other);
        }
        sum ^= other;
    }
    black_box(sum);
    seed
}

/// A step of Marsaglia's xorshift generator (Journal of Statistical Software 8, 2003).
#[inline(always)]
fn scramble(mut word: u64) -> u64 {
    word ^= word << 13;
    word ^= word >> 7;
    word ^ (word << 17)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_has_a_time_and_reads_other_places() {
        let words: Vec<u64> = (0..1 << 16).collect();
        let next = operate(&words, 1);
        assert_ne!(next, 1);
        assert_ne!(operate(&words, next), next);
        let taken = overlap_ns().unwrap();
        assert_eq!(taken.len(), MOMENTS);
        assert!(taken.iter().all(|&ns| ns > 0.0));
    }
}
