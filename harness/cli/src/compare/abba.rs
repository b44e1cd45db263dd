//! ABBA: the order of a pairwise comparison. A linear drift of the machine over a block falls on
//! both sides alike, and the geometric means of both sides give one ratio a block.

use record::{Cell, Outcome, Row};

/// One of the two sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    A,
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

/// What was measured at the four places of each complete block of the comparison `name` among
/// `rows`, in order. A block is complete if its four cells ended in nothing unexpected and have a
/// `measure` of their `run` step.
#[must_use]
pub fn blocks_of(
    name: &str,
    rows: &[Row],
    blocks: u32,
    measure: impl Fn(&Row) -> Option<f64>,
) -> Vec<[f64; 4]> {
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
            places?.try_into().ok()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
