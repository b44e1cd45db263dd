//! ABBA: the order of a pairwise comparison. A linear drift of the machine over a block falls on
//! both sides alike, and each block gives one ratio.

use crate::cell::Cell;
use crate::record::Row;

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

/// The cells of `blocks` blocks, in order, with ids that say block, place and side. Every block
/// draws operations of its own; within a block both sides execute the same ones.
#[must_use]
pub fn cells(a: &Cell, b: &Cell, blocks: u32) -> Vec<Cell> {
    let mut cells = Vec::new();
    for block in 0..blocks {
        for (place, side) in ORDER.into_iter().enumerate() {
            let (letter, cell) = match side {
                Side::A => ("A", a),
                Side::B => ("B", b),
            };
            let mut cell = cell.clone();
            cell.id = format!("pair/{block}/{place}-{letter}/{}", cell.system.label());
            cell.repetition = block;
            cell.seed += u64::from(block);
            cells.push(cell);
        }
    }
    cells
}

/// The four throughputs of one block, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Operations per second at each place of ABBA.
    pub throughput_ops_per_s: [f64; 4],
}

impl Block {
    /// B over A: the geometric means of the two runs of each side.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let [a1, b1, b2, a2] = self.throughput_ops_per_s;
        ((b1 * b2) / (a1 * a2)).sqrt()
    }
}

/// The complete blocks among `rows`: those whose four cells all measured their `run` step.
#[must_use]
pub fn blocks_of(rows: &[Row], blocks: u32) -> Vec<Block> {
    let throughput = |block: u32, place: usize| {
        let prefix = format!("pair/{block}/{place}-");
        let row = rows.iter().find(|row| row.step == "run" && row.cell.id.starts_with(&prefix))?;
        (row.outcome == crate::record::Outcome::Measured).then_some(row.throughput_ops_per_s)
    };
    (0..blocks)
        .filter_map(|block| {
            let places: Option<Vec<f64>> =
                (0..ORDER.len()).map(|place| throughput(block, place)).collect();
            Some(Block { throughput_ops_per_s: places?.try_into().ok()? })
        })
        .collect()
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
        let drifting = Block { throughput_ops_per_s: [100.0, 90.0, 80.0, 70.0] };
        assert!((drifting.ratio() - 1.0).abs() < 0.02, "{}", drifting.ratio());
        let sequential: f64 = (90.0_f64 * 70.0 / (100.0 * 80.0)).sqrt();
        assert!((sequential - 1.0).abs() > 0.1, "A B A B would have been deceived");
    }

    #[test]
    fn order_and_seeds() {
        let cell = crate::plan::tests::sample_cells().remove(0);
        let cells = cells(&cell, &cell, 2);
        let letters: Vec<&str> =
            cells.iter().map(|cell| &cell.id.split('/').nth(2).unwrap()[2..]).collect();
        assert_eq!(letters, ["A", "B", "B", "A", "A", "B", "B", "A"]);
        assert_eq!(cells[0].seed, cells[3].seed);
        assert_ne!(cells[0].seed, cells[4].seed);
    }
}
