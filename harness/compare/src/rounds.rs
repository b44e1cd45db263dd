//! Rounds: in each, every cell is measured once as a block of all sides in mirrored order, so that
//! a linear drift of the machine falls on all sides alike. Which side comes first is drawn for each
//! block, and so is the order of the cells.

use std::ops::Range;

use workloads::Seed;

/// The letters of sides, in ids of cells. `C` is A measured again.
pub const LETTERS: [char; 6] = ['A', 'B', 'C', 'D', 'E', 'F'];

/// How the processes of a comparison follow one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Block by block, each mirrored: `A B C C B A`, `C A B B A C`, …
    Mirrored,
    /// All of A, then all of B: what `power` shows to be deceived by drift.
    Sequential,
}

/// One process of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub round: u32,
    /// Place in the block: two for each side.
    pub place: usize,
    pub cell: usize,
    pub side: usize,
}

/// The processes of `rounds`, in order: two of each side for every cell and round.
#[must_use]
pub fn places(
    rounds: Range<u32>,
    cells: usize,
    sides: usize,
    seed: u64,
    order: Order,
) -> Vec<Place> {
    let mut places = Vec::new();
    match order {
        Order::Mirrored => {
            for round in rounds {
                for cell in shuffled(cells, seed, &format!("cells-{round}")) {
                    let first = shuffled(sides, seed, &format!("sides-{round}-{cell}"));
                    let block = first.iter().chain(first.iter().rev()).copied().enumerate();
                    places.extend(block.map(|(place, side)| Place { round, place, cell, side }));
                }
            }
        }
        Order::Sequential => {
            for side in 0..sides {
                for round in rounds.clone() {
                    for cell in shuffled(cells, seed, &format!("cells-{round}")) {
                        let two = [2 * side, 2 * side + 1];
                        places.extend(two.map(|place| Place { round, place, cell, side }));
                    }
                }
            }
        }
    }
    places
}

fn shuffled(count: usize, seed: u64, stream: &str) -> Vec<usize> {
    let mut rng = Seed(seed).stream(stream).rng();
    let mut order: Vec<usize> = (0..count).collect();
    for place in (1..count).rev() {
        order.swap(place, rng.below(place as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_side_is_measured_twice_in_every_block_and_its_places_have_one_middle() {
        let places = places(0..50, 6, 3, 1, Order::Mirrored);
        assert_eq!(places.len(), 50 * 6 * 6);
        for block in places.chunks(6) {
            let (round, cell) = (block[0].round, block[0].cell);
            assert!(block.iter().all(|place| (place.round, place.cell) == (round, cell)));
            for side in 0..3 {
                let of: usize =
                    block.iter().filter(|place| place.side == side).map(|place| place.place).sum();
                assert_eq!(of, 5, "the mirrored place of p is 5 − p");
            }
        }
    }

    #[test]
    fn each_side_comes_first_about_as_often() {
        let places = places(0..300, 1, 3, 7, Order::Mirrored);
        for side in 0..3 {
            let first = places.iter().filter(|place| place.place == 0 && place.side == side);
            assert!((75..=125).contains(&first.count()));
        }
    }

    #[test]
    fn in_sequence_one_side_follows_the_other() {
        let places = places(0..2, 2, 2, 7, Order::Sequential);
        let sides: Vec<usize> = places.iter().map(|place| place.side).collect();
        assert_eq!(sides, [[0; 8], [1; 8]].concat());
    }
}
