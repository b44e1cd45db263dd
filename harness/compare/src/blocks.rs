//! What was measured in blocks of one metric of one cell.

use stats::Better;

/// Values of side A, side B and, as a control, side A again: one value per block and side, all in
/// one unit. The same index is the same block.
#[derive(Clone, Debug, PartialEq)]
pub struct Blocks {
    pub cell: String,
    pub metric: String,
    pub unit: String,
    /// Its good direction.
    pub better: Better,
    /// The effect asked about, as a share above 0: 0.05 is 5 %.
    pub tolerance: f64,
    /// Of A, one a block.
    pub a: Vec<f64>,
    /// Of B, as many.
    pub b: Vec<f64>,
    /// Of A again, as many, or none at all.
    pub control: Vec<f64>,
}

/// The logarithms of the ratios of all complete blocks.
pub(crate) struct LogRatios {
    /// B ÷ A.
    pub(crate) ratio: Vec<f64>,
    /// A again ÷ A; empty without a control.
    pub(crate) control: Vec<f64>,
}

impl Blocks {
    /// Of no blocks yet.
    #[must_use]
    pub fn empty(cell: &str, metric: &str, unit: &str, better: Better, tolerance: f64) -> Self {
        Self {
            cell: cell.to_owned(),
            metric: metric.to_owned(),
            unit: unit.to_owned(),
            better,
            tolerance,
            a: Vec::new(),
            b: Vec::new(),
            control: Vec::new(),
        }
    }

    /// Adds a block from the two runs of each side, by their geometric mean. A run that measured
    /// nothing is `NAN`; its block does not count.
    ///
    /// # Panics
    ///
    /// If some blocks have a control and others do not: indices would then no longer match.
    pub fn push(&mut self, a: [f64; 2], b: [f64; 2], control: Option<[f64; 2]>) {
        let controlled = self.control.len() == self.a.len();
        assert!(
            self.a.is_empty() || controlled == control.is_some(),
            "{} {}: a control of some blocks only",
            self.cell,
            self.metric
        );
        self.a.push(geometric_mean(a));
        self.b.push(geometric_mean(b));
        self.control.extend(control.map(geometric_mean));
    }

    /// These blocks, then those of `later`; a control stays only where both have it.
    pub(crate) fn then(&self, later: &Self) -> Self {
        let both = |first: &[f64], second: &[f64]| [first, second].concat();
        let controlled = !self.control.is_empty() && !later.control.is_empty();
        Self {
            a: both(&self.a, &later.a),
            b: both(&self.b, &later.b),
            control: if controlled { both(&self.control, &later.control) } else { Vec::new() },
            ..self.clone()
        }
    }

    /// A block is complete if all its ratios are numbers. The control measures A as well, so B is
    /// compared with both measurements: four processes tell more of A than two.
    pub(crate) fn log_ratios(&self) -> LogRatios {
        let mut logs = LogRatios { ratio: Vec::new(), control: Vec::new() };
        for (at, (a, b)) in self.a.iter().zip(&self.b).enumerate() {
            let mut of_a = *a;
            let mut control = None;
            if !self.control.is_empty() {
                let Some(again) = self.control.get(at) else { continue };
                control = log_ratio(*again, *a);
                if control.is_none() {
                    continue;
                }
                of_a = geometric_mean([*a, *again]);
            }
            let Some(ratio) = log_ratio(*b, of_a) else { continue };
            logs.control.extend(control);
            logs.ratio.push(ratio);
        }
        logs
    }
}

fn geometric_mean([first, second]: [f64; 2]) -> f64 {
    (first * second).sqrt()
}

/// The logarithm of `of` ÷ `to`. Two zeros are equal (nothing copied on either side); a zero and
/// something else have no ratio.
fn log_ratio(of: f64, to: f64) -> Option<f64> {
    if of == 0.0 && to == 0.0 {
        return Some(0.0);
    }
    let log = (of / to).ln();
    (of > 0.0 && to > 0.0 && log.is_finite()).then_some(log)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_the_geometric_mean_of_a_sides_runs() {
        let mut blocks = Blocks::empty("cell", "p99", "ns", Better::Lower, 0.05);
        blocks.push([2.0, 8.0], [3.0, 3.0], Some([1.0, 16.0]));
        blocks.push([0.1, 0.1], [1e9 + 0.7, 1e9 + 0.7], Some([7.0, 7.0]));
        assert_eq!(blocks.a, [4.0, 0.1]);
        assert_eq!(blocks.b, [3.0, 1e9 + 0.7], "equal runs have exactly their value");
        assert_eq!(blocks.control, [4.0, 7.0]);
        assert_eq!(blocks.then(&blocks).control, [4.0, 7.0, 4.0, 7.0]);
        let uncontrolled = Blocks { control: Vec::new(), ..blocks.clone() };
        assert!(blocks.then(&uncontrolled).control.is_empty());
    }

    #[test]
    #[should_panic(expected = "a control of some blocks only")]
    fn a_control_is_of_all_blocks_or_none() {
        let mut blocks = Blocks::empty("cell", "p99", "ns", Better::Lower, 0.05);
        blocks.push([1.0; 2], [1.0; 2], None);
        blocks.push([1.0; 2], [1.0; 2], Some([1.0; 2]));
    }

    #[test]
    fn a_block_without_a_ratio_does_not_count() {
        let mut blocks = Blocks::empty("cell", "copied", "B", Better::Lower, 0.05);
        for (a, b, control) in [
            (1.0, f64::NAN, 1.0),
            (0.0, 0.0, 0.0),
            (0.0, 1.0, 0.0),
            (1.0, 2.0, f64::INFINITY),
            (4.0, 2.0, 4.0),
        ] {
            blocks.push([a; 2], [b; 2], Some([control; 2]));
        }
        let logs = blocks.log_ratios();
        assert_eq!(logs.ratio, [0.0, 0.5_f64.ln()]);
        assert_eq!(logs.control, [0.0, 0.0]);
    }
}
