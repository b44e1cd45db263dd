//! Which node and which head a PUT appends to.

use platform::{clock, cpu};

use super::topology::NodePlan;
use crate::constants::{HEADS_MAX, NODES_MAX};
use crate::knobs::{CoreSource, HeadChoice, Placement};

/// The node and the head of a core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Home {
    pub(crate) node: u16,
    /// The core's number within its node, by which heads are assigned.
    pub(crate) turn: u16,
}

const _: () = assert!(HEADS_MAX <= u16::MAX as usize);
const _: () = assert!(NODES_MAX <= u16::MAX as usize);

/// Maps a core id to node and head. Core ids of a restricted process may be sparse, so the table
/// covers the allowed cores; any other core is mapped somewhere, too.
#[derive(Debug)]
pub(crate) struct Choice {
    homes: Box<[Home]>,
    nodes: u64,
    source: CoreSource,
    head: HeadChoice,
    placement: Placement,
}

impl Choice {
    pub(crate) fn new(
        nodes: &[NodePlan],
        source: CoreSource,
        head: HeadChoice,
        placement: Placement,
    ) -> Self {
        // Checked once, not for every PUT.
        let source = match source {
            CoreSource::Rdpid if !cpu::has_rdpid() => CoreSource::Rseq,
            source => source,
        };
        Self { homes: homes(nodes), nodes: nodes.len() as u64, source, head, placement }
    }

    /// The home of the core on which the calling thread runs now.
    #[inline]
    pub(crate) fn here(&self) -> Home {
        let core = match self.source {
            CoreSource::Rseq => cpu::current_core(),
            CoreSource::Rdtscp => cpu::current_core_by_rdtscp(),
            CoreSource::Rdpid => cpu::current_core_by_rdpid(),
        };
        self.homes[core & (self.homes.len() - 1)]
    }

    /// The node for a key's hash, and a number that selects its head.
    #[inline]
    pub(crate) fn of(&self, hash: u64) -> (usize, usize) {
        let local = self.placement == Placement::Local;
        let by_core = local || self.head == HeadChoice::Core;
        let home = if by_core { self.here() } else { Home::default() };
        let node = if local { u64::from(home.node) } else { share(hash, self.nodes) };
        let turn = match self.head {
            HeadChoice::Core => u64::from(home.turn),
            HeadChoice::Random => clock::ticks().wrapping_mul(MIX) >> 48,
            HeadChoice::Key => hash.wrapping_mul(MIX) >> 48,
        };
        (node as usize, turn as usize)
    }
}

/// Spreads bits upwards; an odd number near 2^64 divided by the golden ratio.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// A number below `limit`, derived evenly from a hash without a division.
#[inline]
fn share(hash: u64, limit: u64) -> u64 {
    ((hash >> 16 & 0xFFFF_FFFF) * limit) >> 32
}

fn homes(nodes: &[NodePlan]) -> Box<[Home]> {
    let cores = nodes.iter().flat_map(|node| &node.cores);
    let length = cores.max().map_or(1, |&last| last + 1).next_power_of_two();
    let mut table: Box<[Home]> = (0..length)
        .map(|core| Home { node: (core % nodes.len()) as u16, turn: (core / nodes.len()) as u16 })
        .collect();
    for (number, node) in nodes.iter().enumerate() {
        for (turn, &core) in node.cores.iter().enumerate() {
            table[core] = Home { node: number as u16, turn: turn as u16 };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(cores: &[usize]) -> NodePlan {
        NodePlan { number: None, cores: cores.to_vec(), heads: 2 }
    }

    #[test]
    fn sparse_cores_are_at_home_on_their_node() {
        let table = homes(&[node(&[3, 17]), node(&[9, 40])]);
        let home = |core: usize| (table[core].node, table[core].turn);
        assert_eq!([3, 17, 9, 40].map(home), [(0, 0), (0, 1), (1, 0), (1, 1)]);
        assert_eq!(table.len(), 64);
        assert!(table.iter().all(|home| home.node < 2), "any core id is safe");
    }

    #[test]
    fn keys_spread_over_nodes_and_stay_there() {
        let nodes = [node(&[0]), node(&[1]), node(&[2])];
        let choice = Choice::new(&nodes, CoreSource::Rseq, HeadChoice::Key, Placement::Key);
        let mut seen = [0; 3];
        for key in 0..3000_u64 {
            let hash = key.wrapping_mul(MIX).rotate_left(32).wrapping_mul(MIX);
            assert_eq!(choice.of(hash), choice.of(hash));
            seen[choice.of(hash).0] += 1;
        }
        assert!(seen.iter().all(|&count| (900..1100).contains(&count)), "{seen:?}");
    }

    #[test]
    fn every_source_knows_the_core() {
        let core = *cpu::allowed_cores().last().unwrap();
        std::thread::spawn(move || {
            cpu::pin_to(core).unwrap();
            let nodes = [node(&[]), node(&[core])];
            for &source in CoreSource::ALL {
                let choice = Choice::new(&nodes, source, HeadChoice::Core, Placement::Local);
                assert_eq!(choice.of(7), (1, 0), "{source}");
            }
        })
        .join()
        .unwrap();
    }
}
