//! Keys drawn by popularity, the same for the same seed.

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[derive(Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; the excess of some over others is below 2⁻³² of their chance.
    fn below(&mut self, bound: u32) -> u32 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u32
    }

    /// A number from 0 up to, not with, 1.
    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// All numbers below `count`, in any order.
    pub(super) fn order(&mut self, count: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..count).collect();
        for last in (1..count).rev() {
            order.swap(last as usize, self.below(last + 1) as usize);
        }
        order
    }
}

/// Draws keys; which key has which rank is left to chance, so that popular keys are no neighbours.
#[derive(Debug)]
pub(super) enum Keys {
    Uniform { count: u32 },
    Zipfian { shares: Vec<f64>, key_of_rank: Vec<u32> },
}

impl Keys {
    pub(super) fn new(count: u32, skew: f64, random: &mut Random) -> Self {
        if skew == 0.0 {
            return Self::Uniform { count };
        }
        let mut sum = 0.0;
        let mut shares: Vec<f64> = (1..=count)
            .map(|rank| {
                sum += f64::from(rank).powf(-skew);
                sum
            })
            .collect();
        shares.iter_mut().for_each(|share| *share /= sum);
        Self::Zipfian { shares, key_of_rank: random.order(count) }
    }

    pub(super) fn draw(&self, random: &mut Random) -> u32 {
        match self {
            Self::Uniform { count } => random.below(*count),
            Self::Zipfian { shares, key_of_rank } => {
                let share = random.share();
                // The last share is 1, which `share` stays below.
                key_of_rank[shares.partition_point(|&up_to| up_to <= share)]
            }
        }
    }
}
