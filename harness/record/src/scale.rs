//! How large a run is: one table of sizes, so that suites need no absolute numbers.

use serde::{Deserialize, Serialize};

/// Sizes of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Scale {
    /// `smoke`, `quick`, `standard`, `paper`.
    pub name: String,
    /// Largest live set of a fragmentation cell, in bytes.
    pub live_bytes: u64,
    /// The same where a suite asks for a size, at most.
    #[serde(default)]
    pub large_live_bytes: u64,
    /// Largest number of objects of a fragmentation cell; small objects get a smaller live set.
    pub objects_max: u64,
    /// Object memory of a key-value cell.
    pub store_bytes: u64,
    /// Live bytes of a key-value cell that holds its live set fixed while its capacity varies, at least;
    /// where the last-level cache is large they are four times as many ([`Scale::live_set_bytes_for`]).
    #[serde(default)]
    pub live_set_bytes: u64,
    /// Operations of each thread of a key-value cell, at most.
    pub operations_per_thread: u64,
    /// Time on the clock after which a closed loop begins no further requests; 0 is no limit.
    #[serde(default)]
    pub step_ms: u64,
    /// Duration of an open loop, in seconds.
    pub open_loop_s: f64,
    pub repetitions: u32,
    /// Idle wait before an observation.
    pub idle_ms: u64,
    /// Files of the Postmark trace; its other parameters keep the paper's proportions.
    #[serde(default)]
    pub postmark_files: u64,
    /// Copies of the Postmark trace that each thread replays in lockstep, so that a short trace fills
    /// more memory than the caches hold.
    #[serde(default)]
    pub postmark_copies: u64,
}

/// Last-level caches that a fixed live set is worth, at least.
pub const CACHES: u64 = 4;

impl Scale {
    /// Names, smallest first.
    pub const NAMES: [&'static str; 4] = ["smoke", "quick", "standard", "paper"];

    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        let (
            (live_mib, large_live_mib),
            objects_max,
            (store_mib, live_set_mib),
            (operations_per_thread, step_ms),
            open_loop_s,
            repetitions,
            idle_ms,
            (postmark_files, postmark_copies),
        ) = match name {
            "smoke" => ((32, 32), 60_000, (48, 24), (50_000, 0), 0.2, 1, 1_000, (1_000, 4)),
            "quick" => (
                (1024, 2048),
                20_000_000,
                (256, 1024),
                (4_000_000, 1_000),
                1.0,
                2,
                15_000,
                (10_000, 2),
            ),
            "standard" => (
                (1024, 4096),
                20_000_000,
                (512, 2048),
                (12_000_000, 3_000),
                3.0,
                5,
                15_000,
                (20_000, 2),
            ),
            "paper" => (
                (8192, 8192),
                u64::MAX,
                (8192, 8192),
                (32_000_000, 0),
                30.0,
                5,
                15_000,
                (2_000_000, 1),
            ),
            _ => return None,
        };
        Some(Self {
            name: name.to_owned(),
            live_bytes: live_mib << 20,
            large_live_bytes: large_live_mib << 20,
            objects_max,
            store_bytes: store_mib << 20,
            live_set_bytes: live_set_mib << 20,
            operations_per_thread,
            step_ms,
            open_loop_s,
            repetitions,
            idle_ms,
            postmark_files,
            postmark_copies,
        })
    }

    /// A fixed live set on a machine with this last-level cache: what does not fit the cache by far.
    /// Scale `smoke` measures nothing that anybody concludes from, and takes its own size.
    #[must_use]
    pub fn live_set_bytes_for(&self, cache_bytes: u64) -> u64 {
        if self.name == "smoke" {
            return self.live_set_bytes;
        }
        self.live_set_bytes.max(CACHES * cache_bytes).next_multiple_of(1 << 20)
    }

    /// The live set for objects of `mean_bytes`: the scale's, or the size of `objects_max` objects.
    #[must_use]
    pub fn live_bytes_for(&self, mean_bytes: f64) -> u64 {
        let by_count = (self.objects_max as f64 * mean_bytes) as u64;
        self.live_bytes.min(by_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_grow_and_memory_is_measured_of_a_gibibyte_from_quick_on() {
        let scales = Scale::NAMES.map(|name| Scale::by_name(name).unwrap());
        assert!(scales.is_sorted_by_key(|scale| scale.live_bytes));
        let holds_a_gibibyte = |scale: &Scale| scale.live_bytes_for(60.0) >= 1 << 30;
        assert_eq!(scales.each_ref().map(holds_a_gibibyte), [false, true, true, true]);
        assert_eq!(scales[3].live_bytes, 8 << 30, "the paper's 8 GiB");
        assert_eq!(scales[0].live_bytes_for(60.0), 3_600_000);
        assert_eq!(scales[0].live_bytes_for(1e6), 32 << 20);
    }
}
