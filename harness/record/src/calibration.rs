//! What the machine's memory can do now, so that numbers of another day or machine can be scaled before
//! they are compared.

use serde::{Deserialize, Serialize};

/// Measured by `nibble-bench calibrate` (one thread).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Calibration {
    /// Bytes of the memory read at random.
    pub bytes: u64,
    /// Part of the memory that the system placed on 2 MiB pages.
    pub huge_page_bytes: u64,
    /// Time for each independent read of a random cache line.
    pub random_line_ns: f64,
    /// Copies of 1 KiB from random places, in 10⁹ bytes copied per second.
    pub copy_gb_per_s: f64,
}

/// Values up to this size are one or two lines: the time of a random line decides.
const LINE_VALUE_BYTES: usize = 64;

impl Calibration {
    /// How much faster this machine is now than one that measured `line_ns` and `copy_gb_per_s`, for
    /// operations on values of `value_bytes`. Up to 64 B it is the ratio of the line times; above, the
    /// geometric mean of that and the ratio of the copy rates.
    #[must_use]
    pub fn factor(&self, line_ns: f64, copy_gb_per_s: f64, value_bytes: usize) -> f64 {
        let lines = line_ns / self.random_line_ns;
        let copies = self.copy_gb_per_s / copy_gb_per_s;
        if value_bytes <= LINE_VALUE_BYTES { lines } else { (lines * copies).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_values_scale_with_lines_and_large_ones_with_both() {
        let now =
            Calibration { bytes: 1, huge_page_bytes: 1, random_line_ns: 10.0, copy_gb_per_s: 16.0 };
        assert_eq!(now.factor(5.0, 1.0, 64), 0.5);
        assert_eq!(now.factor(10.0, 4.0, 1024), 2.0);
        assert_eq!(now.factor(5.0, 32.0, 1024), 0.5);
    }
}
