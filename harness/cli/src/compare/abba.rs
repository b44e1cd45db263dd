//! ABBA: the order of a pairwise comparison. A linear drift of the machine over a block falls on
//! both sides alike, and each block gives one ratio.

use record::Cell;
use record::{Outcome, Row};

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

/// The order within a block.
const ORDER: [Side; 4] = [Side::A, Side::B, Side::B, Side::A];

/// The cells of `blocks` blocks, in order, with ids that begin with `name` and say block, place
/// and side. Every block draws operations of its own; within a block both sides execute the same
/// ones.
#[must_use]
pub fn cells(name: &str, a: &Cell, b: &Cell, blocks: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for block in 0..blocks {
        for (place, side) in ORDER.into_iter().enumerate() {
            let (letter, cell) = match side {
                Side::A => ("A", a),
                Side::B => ("B", b),
            };
            let mut cell = cell.clone();
            cell.id = format!("{name}/{block}/{place}-{letter}/{}", cell.system.label());
            cell.repetition = block;
            cell.seed += u64::from(block);
            cells.push(cell);
        }
    }
    cells
}

/// What was measured at the four places of one block, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Operations per second, or what else is compared, at each place of ABBA.
    pub measured: [f64; 4],
}

impl Block {
    /// B over A: the geometric means of the two runs of each side.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let [a1, b1, b2, a2] = self.measured;
        ((b1 * b2) / (a1 * a2)).sqrt()
    }

    /// What both runs of one side measured.
    #[must_use]
    pub fn of(&self, side: Side) -> [f64; 2] {
        let [a1, b1, b2, a2] = self.measured;
        match side {
            Side::A => [a1, a2],
            Side::B => [b1, b2],
        }
    }
}

/// The complete blocks of the comparison `name` among `rows`: those whose four cells ended in
/// nothing unexpected and have a `measure` of their `run` step.
#[must_use]
pub fn blocks_of(
    name: &str,
    rows: &[Row],
    blocks: u32,
    measure: impl Fn(&Row) -> Option<f64>,
) -> Vec<Block> {
    let measured = |block: u32, place: usize| {
        let prefix = format!("{name}/{block}/{place}-");
        let of_cell = || rows.iter().filter(|row| row.cell.id.starts_with(&prefix));
        let run = of_cell().find(|row| row.step == "run")?;
        let sound = of_cell().all(|row| row.outcome == Outcome::Measured);
        sound.then(|| measure(run)).flatten()
    };
    (0..blocks)
        .filter_map(|block| {
            let places: Option<Vec<f64>> =
                (0..ORDER.len()).map(|place| measured(block, place)).collect();
            Some(Block { measured: places?.try_into().ok()? })
        })
        .collect()
}

/// Operations per second of a row.
#[must_use]
pub fn throughput(row: &Row) -> Option<f64> {
    Some(row.throughput_ops_per_s)
}

/// One ratio a block.
#[must_use]
pub fn ratios(blocks: &[Block]) -> Vec<f64> {
    blocks.iter().map(Block::ratio).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_drift_cancels_within_a_block() {
        // The machine gets slower by 10 % of the start a run; B is truly as fast as A.
        let drifting = Block { measured: [100.0, 90.0, 80.0, 70.0] };
        assert!((drifting.ratio() - 1.0).abs() < 0.02, "{}", drifting.ratio());
        let sequential: f64 = (90.0_f64 * 70.0 / (100.0 * 80.0)).sqrt();
        assert!((sequential - 1.0).abs() > 0.1, "A B A B would have been deceived");
    }

    #[test]
    fn order_and_seeds() {
        let cell = crate::plan::tests::sample_cells().remove(0);
        let cells = cells("t", &cell, &cell, 2);
        let letters: Vec<&str> =
            cells.iter().map(|cell| &cell.id.split('/').nth(2).unwrap()[2..]).collect();
        assert_eq!(letters, ["A", "B", "B", "A", "A", "B", "B", "A"]);
        assert_eq!(cells[0].seed, cells[3].seed);
        assert_ne!(cells[0].seed, cells[4].seed);
    }
}
