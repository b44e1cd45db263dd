//! How large targets are measured: a scale of the file, or sizes by hand.

use serde::{Deserialize, Serialize};

use crate::suites::Bytes;

/// Sizes of one scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Sizes {
    /// Object memory of a target that names none.
    pub(crate) object_memory: Bytes,
    /// Object memory of a target that names more than this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) object_memory_max: Option<Bytes>,
    /// What is live in a cell of a fixed live set; the object memory follows from its fill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) live_set: Option<Bytes>,
    /// Operations of each thread within the clock.
    pub(crate) operations: u64,
    /// ABBA blocks of a comparison.
    pub(crate) blocks: u32,
    /// Repetitions of counters and yardsticks.
    pub(crate) repetitions: u32,
    /// Repetitions of each object count of an overhead: they hardly differ.
    pub(crate) overhead_repetitions: u32,
    /// Object counts over which the worst overhead is sought.
    pub(crate) object_counts: u32,
    /// Memory that the calibration reads.
    pub(crate) calibration: Bytes,
}

impl Sizes {
    /// Object memory for a target that asks for `wished`.
    pub(crate) fn object_memory_for(&self, wished: Option<Bytes>) -> u64 {
        let bytes = wished.unwrap_or(self.object_memory).0;
        self.object_memory_max.map_or(bytes, |most| bytes.min(most.0))
    }

    /// From `bytes` to twice as much in equal ratios, in whole MiB above 16 MiB.
    pub(crate) fn spanning(&self, bytes: u64) -> Vec<u64> {
        let steps = f64::from(self.object_counts.max(2) - 1);
        let granule: u64 = if bytes >= 16 << 20 { 1 << 20 } else { 1 << 16 };
        (0..self.object_counts.max(2))
            .map(|step| (bytes as f64 * 2_f64.powf(f64::from(step) / steps)).round() as u64)
            .map(|bytes| bytes / granule * granule)
            .collect()
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// The value and what is allowed.
    pub(crate) fn check(&self) -> Result<(), String> {
        for (name, value, least, most) in [
            ("blocks", self.blocks, 3, 1000),
            ("repetitions", self.repetitions, 3, 1000),
            ("overhead-repetitions", self.overhead_repetitions, 1, 1000),
            ("object-counts", self.object_counts, 2, 100),
        ] {
            if !(least..=most).contains(&value) {
                return Err(format!("{name} = {value}: must be {least} to {most}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn sizes() -> Sizes {
        Sizes {
            object_memory: Bytes(64 << 20),
            object_memory_max: Some(Bytes(128 << 20)),
            live_set: Some(Bytes(16 << 20)),
            operations: 1000,
            blocks: 3,
            repetitions: 3,
            overhead_repetitions: 1,
            object_counts: 5,
            calibration: Bytes(1 << 20),
        }
    }

    #[test]
    fn object_memory_is_the_targets_up_to_the_scales_limit() {
        let sizes = sizes();
        assert_eq!(sizes.object_memory_for(None), 64 << 20);
        assert_eq!(sizes.object_memory_for(Some(Bytes(100 << 20))), 100 << 20);
        assert_eq!(sizes.object_memory_for(Some(Bytes(4 << 30))), 128 << 20);
    }

    #[test]
    fn object_counts_span_a_factor_of_two() {
        let all: Vec<u64> = sizes().spanning(64 << 20).iter().map(|bytes| bytes >> 20).collect();
        assert_eq!(all, [64, 76, 90, 107, 128]);
    }

    #[test]
    fn too_few_blocks_are_refused() {
        let error = Sizes { blocks: 2, ..sizes() }.check().unwrap_err();
        assert_eq!(error, "blocks = 2: must be 3 to 1000");
    }
}
