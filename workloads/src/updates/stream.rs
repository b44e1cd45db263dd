//! HPCC's stream of pseudo-random values: a shift register over the polynomial x⁶³ + x² + x + 1.

/// Values after which the stream repeats (HPCC's `PERIOD`).
pub const PERIOD: u64 = 1_317_624_576_693_539_401;
/// What a bit shifted out brings back (HPCC's `POLY`).
const POLYNOMIAL: u64 = 7;

/// The value after `value`: `a ← (a << 1) ^ (a < 0 ? 7 : 0)`.
#[inline]
#[must_use]
pub const fn advance(value: u64) -> u64 {
    (value << 1) ^ (if value >> 63 == 1 { POLYNOMIAL } else { 0 })
}

/// Value `number` of the stream that begins with 1, without the values before it (HPCC's `starts`).
#[must_use]
pub fn nth(number: u64) -> u64 {
    let number = number % PERIOD;
    // Bit `at` of a value, squared as a polynomial.
    let mut squares = [0; 64];
    let mut square = 1;
    for place in &mut squares {
        *place = square;
        square = advance(advance(square));
    }
    let squared = |value: u64| {
        let set = (0..64).filter(|at| value >> at & 1 == 1);
        set.fold(0, |sum, at| sum ^ squares[at as usize])
    };
    let bits = u64::BITS - number.leading_zeros();
    (0..bits).rev().fold(1, |value, at| {
        let value = squared(value);
        if number >> at & 1 == 1 { advance(value) } else { value }
    })
}

/// The values of the stream, from one of them on.
#[derive(Clone, Debug)]
pub struct Stream {
    value: u64,
}

impl Stream {
    /// The stream from value `number` on.
    #[must_use]
    pub fn starting_at(number: u64) -> Self {
        Self { value: nth(number) }
    }
}

impl Iterator for Stream {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let value = self.value;
        self.value = advance(value);
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_double_and_a_bit_shifted_out_brings_seven() {
        assert_eq!(Stream::starting_at(0).take(4).collect::<Vec<_>>(), [1, 2, 4, 8]);
        assert_eq!(nth(63), 1 << 63);
        assert_eq!(nth(64), 7);
        assert_eq!(nth(65), 14);
        assert_eq!(advance(1 << 63 | 1), 2 ^ 7);
    }

    #[test]
    fn jumping_ahead_gives_what_walking_gives() {
        let mut value = 1;
        for number in 0..5_000 {
            assert_eq!(nth(number), value, "value {number}");
            value = advance(value);
        }
        for from in [1 << 20, 1 << 40, PERIOD - 2] {
            assert_eq!(advance(nth(from)), nth(from + 1), "after {from}");
        }
    }

    #[test]
    fn the_stream_repeats_after_its_period() {
        assert_eq!(nth(PERIOD), 1);
        assert_eq!(nth(PERIOD + 64), 7);
        // No proper divisor of the period is one: the factors are HPCC's.
        let factors = [7_u64, 73, 127, 337, 92_737, 649_657];
        assert_eq!(factors.iter().product::<u64>(), PERIOD);
        for factor in factors {
            assert_ne!(nth(PERIOD / factor), 1, "period {}", PERIOD / factor);
        }
    }
}
