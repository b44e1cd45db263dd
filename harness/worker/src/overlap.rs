//! How far operations overlap on a core, moment by moment.
//!
//! An operation here is made as a store's GET is: two loads from memory, the second at a place that the
//! first one says, and some hundred instructions. The next operation's first load begins before this one's
//! second has arrived if both are within the instructions that the processor looks ahead. Two hardware
//! threads that share a core divide these between them. So the loop takes up to twice as long while the
//! other thread works, and a guest, which does not see that thread, sees nothing but this. Operations that
//! must wait for one another take the same time in either case, and tell how fast memory is.

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

/// How many times as fast operations are that may overlap as such that must wait for one another, on the
/// first allowed core, in each of sixty moments within two seconds or three.
///
/// # Errors
/// If memory for it, 256 MiB, cannot be mapped.
pub fn overlaps() -> io::Result<Vec<f64>> {
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
    let mut elapsed_ns = |operate: fn(&[u64], u64) -> u64| {
        let started_ns = monotonic_ns();
        seed = black_box(operate(&words, seed));
        (monotonic_ns() - started_ns) as f64
    };
    Ok((0..MOMENTS)
        .map(|_| {
            thread::sleep(PAUSE);
            elapsed_ns(operate::<true>) / elapsed_ns(operate::<false>)
        })
        .collect())
}

/// Executes the operations of a moment. Returns where the next moment begins.
#[inline(never)]
fn operate<const WAITS: bool>(words: &[u64], mut seed: u64) -> u64 {
    let mask = words.len() - 1;
    let (mut sum, mut last) = (0_u64, 0);
    for at in 0..OPERATIONS {
        seed = scramble(seed);
        let first = if WAITS { seed ^ last } else { seed };
        last = words[words[first as usize & mask] as usize & mask];
        sum = sum.wrapping_add(last);
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
    fn every_moment_is_compared_and_reads_other_places() {
        let words: Vec<u64> = (0..1 << 16).collect();
        let next = operate::<false>(&words, 1);
        assert_ne!(next, 1);
        assert_eq!(operate::<true>(&words, 1), next, "both kinds have the same generator");
        let folds = overlaps().unwrap();
        assert_eq!(folds.len(), MOMENTS);
        assert!(folds.iter().all(|&fold| fold > 0.0));
    }
}
