//! What tests measure instead of a machine: blocks of made-up runs.

use stats::Better;
use stats::noise::{Noise, normal};
use workloads::Seed;

use crate::Blocks;

/// A suite of six cells with three metrics each, measured in blocks on one machine.
#[derive(Clone, Copy)]
pub(crate) struct Suite {
    pub(crate) blocks: usize,
    /// Noise of a block's ratio.
    pub(crate) noise: Noise,
    /// By what factor B of the first cell takes longer.
    pub(crate) slower: f64,
    /// By what factor whatever is not the first to be measured takes longer, of every cell.
    pub(crate) shift: f64,
    /// Whether A is measured again.
    pub(crate) control: bool,
    /// The effect asked about.
    pub(crate) tolerance: f64,
}

/// The default: 20 blocks of equal sides, 3 % noise, 5 % outliers.
pub(crate) const SUITE: Suite = Suite {
    blocks: 20,
    noise: Noise { deviation: 0.03, outliers: 0.05 },
    slower: 1.0,
    shift: 1.0,
    control: true,
    tolerance: 0.05,
};

/// The suite's cells.
pub(crate) const CELLS: usize = 6;

impl Suite {
    /// Measures it: the machine drifts by a few per cent from round to round under all sides.
    pub(crate) fn measure(&self, seed: Seed) -> Vec<Blocks> {
        let mut rng = seed.rng();
        let mut entries = Vec::new();
        for cell in 0..CELLS {
            for metric in ["throughput", "p99", "elapsed"] {
                let better = if metric == "throughput" { Better::Higher } else { Better::Lower };
                let name = format!("cell-{cell}");
                entries.push(Blocks::empty(&name, metric, "x", better, self.tolerance));
            }
        }
        // The two sides of a ratio share its noise.
        let side = Noise { deviation: self.noise.deviation / 2.0_f64.sqrt(), outliers: 0.0 };
        let mut drift = 0.0;
        for _ in 0..self.blocks {
            drift += 0.03 * normal(&mut rng);
            for (at, entry) in entries.iter_mut().enumerate() {
                let slower = if at < 3 { self.slower.ln() } else { 0.0 };
                let mut value = |longer: f64, noise: Noise| {
                    let log = drift + longer + noise.draw(&mut rng);
                    (if entry.better == Better::Higher { -log } else { log }).exp()
                };
                let a = value(0.0, side);
                let disturbed = Noise { outliers: self.noise.outliers, ..side };
                let b = value(slower + self.shift.ln(), disturbed);
                let again = value(self.shift.ln(), disturbed);
                entry.push([a; 2], [b; 2], self.control.then_some([again; 2]));
            }
        }
        entries
    }
}
