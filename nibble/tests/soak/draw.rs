//! Configurations drawn from all knobs of the engine, and lengths of values.

use nibble::{
    Compaction, Config, CopyRoutine, CoreSource, EpochClock, HeadChoice, HoleUse, IndexLayout,
    Placement, Selection, Survivors, Update, limits,
};

use crate::common::Random;

/// One of `all`.
pub(crate) fn one<T: Copy>(random: &mut Random, all: &[T]) -> T {
    all[random.below(all.len() as u64) as usize]
}

/// A number from `least` up to twice `most`, small ones as likely as large ones.
pub(crate) fn scaled(random: &mut Random, least: u64, most: u64) -> u64 {
    let doublings = u64::from((most / least).ilog2()) + 1;
    let from = least << random.below(doublings);
    from + random.below(from)
}

/// A configuration that a store opens with.
pub(crate) fn configuration(random: &mut Random, least_bytes: u64, most_bytes: u64) -> Config {
    loop {
        let config = any(random, least_bytes, most_bytes);
        if config.in_use().is_ok() {
            return config;
        }
    }
}

/// Every field is drawn here, so a new one is not forgotten.
fn any(random: &mut Random, least_bytes: u64, most_bytes: u64) -> Config {
    Config {
        object_memory_bytes: scaled(random, least_bytes, most_bytes),
        virtual_nodes: one(random, &[0, 1, 1, 2, 3, 4]),
        segment_bytes: one(
            random,
            &[0, 0, 16 << 10, 64 << 10, 100_000, 512 << 10, 2 << 20, 8 << 20],
        ),
        block_bytes: one(random, &[0, 4 << 10, 8 << 10, 16 << 10, 64 << 10, 256 << 10]),
        heads: one(random, &[0, 1, 2, 3, 7]),
        head_choice: one(random, HeadChoice::ALL),
        core_source: one(random, CoreSource::ALL),
        placement: one(random, Placement::ALL),
        epoch: one(random, EpochClock::ALL),
        compaction: one(random, Compaction::ALL),
        compaction_workers: 1 + random.below(4) as usize,
        free_low_percent: random.below(u64::from(limits::FREE_LOW_PERCENT_MAX) + 1) as u32,
        reserve_percent: random.below(u64::from(limits::RESERVE_PERCENT_MAX) + 1) as u32
            * random.below(2) as u32,
        selection: one(random, Selection::ALL),
        survivors: one(random, Survivors::ALL),
        copy: one(random, CopyRoutine::ALL),
        update: one(random, Update::ALL),
        holes: one(random, HoleUse::ALL),
        index: one(random, IndexLayout::ALL),
        index_partitions: one(random, &[0, 1, 1, 5, 64]),
        resident: random.below(4) == 0,
        huge_pages: random.below(2) == 0,
        return_free_memory: random.below(2) == 0,
        full_wait_ms: one(random, &[0, 1, 5, 20]),
    }
}

/// How long values are: one in eight is drawn up to the maximum, the others up to a part of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lengths {
    pub(crate) most: usize,
    part: usize,
}

impl Lengths {
    pub(crate) fn drawn(random: &mut Random, limit: usize) -> Self {
        let all = [0, 7, 40, 300, 1_000, 1_000, 4_000, 4_000, 4_000, 12_000, 100_000, 1 << 20];
        let most = one(random, &all).min(limit);
        Self { most, part: one(random, &[1, 1, 2, 10, 100]) }
    }

    pub(crate) fn next(self, random: &mut Random) -> usize {
        let part = if random.below(8) == 0 { 1 } else { self.part };
        random.below((self.most / part) as u64 + 1) as usize
    }

    /// About how many bytes an object takes.
    pub(crate) fn object_bytes(self) -> u64 {
        let mean = self.most / 16 + self.most * 7 / 16 / self.part;
        mean as u64 + 12
    }
}
