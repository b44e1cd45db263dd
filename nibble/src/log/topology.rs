//! Which memory nodes a store has: those of the machine, or virtual ones.

use platform::{cpu, numa};

/// A planned node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NodePlan {
    /// The kernel's number, for binding memory and workers; `None` if nothing is to be bound.
    pub(crate) number: Option<usize>,
    /// The cores that belong to this node.
    pub(crate) cores: Vec<usize>,
    pub(crate) heads: usize,
}

/// The nodes of the machine, or `virtual_nodes` nodes to which the cores are dealt in turn. Each
/// has `heads` heads, or one per core if `heads` is 0.
pub(crate) fn topology(virtual_nodes: usize, heads: usize) -> Vec<NodePlan> {
    let plan = |number, cores: Vec<usize>| {
        let heads = if heads == 0 { cores.len().max(1) } else { heads };
        NodePlan { number, cores, heads }
    };
    if virtual_nodes > 0 {
        let hands = deal(&cpu::allowed_cores(), virtual_nodes);
        return hands.into_iter().map(|cores| plan(None, cores)).collect();
    }
    let nodes = numa::nodes();
    let several = nodes.len() > 1;
    nodes.into_iter().map(|node| plan(several.then_some(node.number), node.cores)).collect()
}

fn deal(cores: &[usize], hands: usize) -> Vec<Vec<usize>> {
    let mut dealt = vec![Vec::new(); hands];
    for (turn, &core) in cores.iter().enumerate() {
        dealt[turn % hands].push(core);
    }
    dealt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_dealt_in_turn_and_a_node_may_have_none() {
        assert_eq!(deal(&[3, 9, 17], 2), [vec![3, 17], vec![9]]);
        assert_eq!(deal(&[3], 2), [vec![3], vec![]]);
        let nodes = topology(5, 0);
        assert_eq!(nodes.len(), 5);
        assert!(nodes.iter().all(|node| node.heads == node.cores.len().max(1)));
        assert!(topology(5, 7).iter().all(|node| node.heads == 7));
    }

    #[test]
    fn nothing_is_bound_on_a_machine_with_one_node() {
        let nodes = topology(0, 0);
        assert!(nodes.len() > 1 || nodes[0].number.is_none());
    }
}
