//! Measures the memory itself, without any store: reads of random lines, and copies.

use std::time::Instant;

use platform::process::MemoryRollup;
use stats::median;
use workloads::Seed;

use super::mapped::MappedSlice;
use crate::kernel::available_memory_bytes;
use record::Calibration;

const LINE_WORDS: usize = 64 / 8;
const COPY_WORDS: usize = 1024 / 8;
/// Lines or copies per measurement; the median of several measurements counts.
const LINES: u64 = 1 << 22;
const COPIES: u64 = 1 << 19;
const MEASUREMENTS: usize = 5;

/// Reads `bytes` (a power of two, at most three quarters of the available memory) at random. All of it is
/// resident before the clock starts.
///
/// # Errors
/// When the memory cannot be mapped.
pub fn calibrate(bytes: u64) -> std::io::Result<Calibration> {
    let fitting = bytes.min(available_memory_bytes() / 4 * 3).max(1 << 20);
    let bytes = 1_u64 << fitting.ilog2();
    super::pin(0, &platform::cpu::allowed_cores());
    let words = MappedSlice::<u64>::resident(bytes as usize / 8)?;
    let mut random = Random(Seed(1).stream("calibration").rng().below(u64::MAX) | 1);
    let mut timed = |body: &mut dyn FnMut(&mut Random) -> u64| {
        let all: Vec<f64> = (0..MEASUREMENTS)
            .map(|_| {
                let started = Instant::now();
                std::hint::black_box(body(&mut random));
                started.elapsed().as_nanos() as f64
            })
            .collect();
        median(&all).unwrap_or(f64::NAN)
    };
    let lines_ns = timed(&mut |random| read_lines(&words, random));
    let mut buffer = [0; COPY_WORDS];
    let copies_ns = timed(&mut |random| copy_out(&words, &mut buffer, random));
    let huge = MemoryRollup::of(std::process::id())?.anonymous_huge_bytes;
    Ok(Calibration {
        bytes,
        huge_page_bytes: huge.min(bytes),
        random_line_ns: lines_ns / LINES as f64,
        copy_gb_per_s: (COPIES * 1024) as f64 / copies_ns,
    })
}

/// A xorshift generator. Its addresses do not depend on the data read, so reads overlap.
struct Random(u64);

impl Random {
    #[inline]
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn read_lines(words: &[u64], random: &mut Random) -> u64 {
    let mask = words.len() / LINE_WORDS - 1;
    (0..LINES).fold(0, |sum, _| {
        let line = random.next() as usize & mask;
        sum ^ words[line * LINE_WORDS]
    })
}

/// Copies like a GET: from a random place into a buffer that stays in the cache.
fn copy_out(words: &[u64], buffer: &mut [u64; COPY_WORDS], random: &mut Random) -> u64 {
    let mask = words.len() / COPY_WORDS - 1;
    for _ in 0..COPIES {
        let from = (random.next() as usize & mask) * COPY_WORDS;
        buffer.copy_from_slice(&words[from..from + COPY_WORDS]);
        std::hint::black_box(&mut *buffer);
    }
    buffer[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn something_is_measured_of_the_memory_asked_for() {
        let measured = calibrate(3 << 20).unwrap();
        assert_eq!(measured.bytes, 2 << 20, "a power of two");
        assert!(measured.random_line_ns > 0.0 && measured.copy_gb_per_s > 0.0, "{measured:?}");
    }
}
