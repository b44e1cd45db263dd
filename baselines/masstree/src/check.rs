//! Checks every invariant of a tree while all sessions are stopped.

use crate::counters::Counter;
use crate::epoch::{Guard, Stopped};
use crate::key::{Key, Rank};
use crate::node::{Border, Interior, WIDTH};
use crate::row::Link;
use crate::shared::{Node, layer_at};

/// What was found, to compare with what was counted.
#[derive(Debug, Default)]
struct Totals {
    objects: u64,
    key_bytes: u64,
    value_bytes: u64,
    layers: u64,
    nodes: u64,
    node_bytes: u64,
}

/// A node to check, and what its position promises.
#[derive(Debug)]
struct Expected<'g> {
    node: Node<'g>,
    parent: Option<&'g Interior>,
    low: u64,
    /// The first slice that belongs to the next node.
    high: Option<u64>,
}

/// One layer: its first node, and the bytes of the slices above it.
#[derive(Debug)]
struct LayerToCheck<'g> {
    anchor: &'g Border,
    root: Node<'g>,
    above_bytes: u64,
}

/// Checks the tree below `root`. Limbo must be empty.
pub(crate) fn check(
    stopped: &Stopped<'_>,
    root: Node<'_>,
    bound: (u64, u64),
) -> Result<(), String> {
    let guard = stopped.guard();
    let mut totals = Totals::default();
    let mut layers = vec![LayerToCheck { anchor: leftmost(guard, root)?, root, above_bytes: 0 }];
    while let Some(layer) = layers.pop() {
        check_layer(guard, &layer, &mut layers, &mut totals)
            .map_err(|violation| format!("layer below {} bytes: {violation}", layer.above_bytes))?;
    }
    compare(stopped, &totals)?;
    let (pool_bytes, bound_bytes) = bound;
    let credits: u64 = stopped.locals().map(|local| local.credit.bytes()).sum();
    let claimed_bytes = pool_bytes + credits + totals.key_bytes + totals.value_bytes;
    if claimed_bytes != bound_bytes {
        return Err(format!("pool, credit and live are {claimed_bytes} of {bound_bytes} bytes"));
    }
    Ok(())
}

fn compare(stopped: &Stopped<'_>, totals: &Totals) -> Result<(), String> {
    let sum = |counter| stopped.sum(counter);
    let left = |allocated, freed| sum(allocated).wrapping_sub(sum(freed));
    for (what, found, counted) in [
        ("objects", totals.objects, sum(Counter::LiveObjects)),
        ("rows", totals.objects, left(Counter::RowsAllocated, Counter::RowsFreed)),
        ("key bytes", totals.key_bytes, sum(Counter::LiveKeyBytes)),
        ("value bytes", totals.value_bytes, sum(Counter::LiveValueBytes)),
        ("layers", totals.layers, 1 + left(Counter::LayersCreated, Counter::LayersCollapsed)),
        ("nodes", totals.nodes, left(Counter::NodesAllocated, Counter::NodesFreed)),
        ("bytes of nodes", totals.node_bytes, sum(Counter::NodeBytes)),
    ] {
        if found != counted {
            return Err(format!("{found} {what} in a tree that counts {counted}"));
        }
    }
    Ok(())
}

fn check_layer<'g>(
    guard: Guard<'g>,
    layer: &LayerToCheck<'g>,
    layers: &mut Vec<LayerToCheck<'g>>,
    totals: &mut Totals,
) -> Result<(), String> {
    totals.layers += 1;
    // Children are pushed in reverse, so that border nodes are visited in order.
    let mut nodes = vec![Expected { node: layer.root, parent: None, low: 0, high: None }];
    let mut list = Some(layer.anchor);
    let mut prev = None;
    while let Some(expected) = nodes.pop() {
        totals.nodes += 1;
        totals.node_bytes += expected.node.block().bytes as u64;
        check_head(guard, &expected)?;
        if let Some(interior) = expected.node.as_interior() {
            check_interior(guard, interior, &expected, &mut nodes)?;
            continue;
        }
        let border = expected.node.as_border().ok_or("a node of neither kind")?;
        if !list.is_some_and(|listed| std::ptr::eq(listed, border)) {
            return Err(format!("the node of {:#x} is not next in the list", expected.low));
        }
        let linked_back = border.prev.load(guard).map(std::ptr::from_ref);
        if linked_back != prev.map(std::ptr::from_ref) || border.next.is_marked() {
            return Err(format!("the node of {:#x} is linked wrongly", expected.low));
        }
        (prev, list) = (Some(border), border.next.load(guard));
        if border.permutation().len() == 0 && border.prev.load(guard).is_some() {
            return Err(format!("the node of {:#x} is empty", expected.low));
        }
        check_border(guard, border, &expected, layer, layers, totals)?;
    }
    if list.is_some() {
        return Err("the list goes on behind the last node".to_owned());
    }
    let only = layer.root.as_border();
    if layer.above_bytes > 0 && only.is_some_and(|border| border.permutation().len() == 0) {
        return Err("the layer is empty".to_owned());
    }
    Ok(())
}

fn check_head(guard: Guard<'_>, expected: &Expected<'_>) -> Result<(), String> {
    let (head, low) = (expected.node.head(), expected.low);
    let version = head.version.now();
    if version.is_locked() || version.is_deleted() || version != head.version.stable() {
        return Err(format!("the node of {low:#x} has version {version:?}"));
    }
    if version.is_root() != expected.parent.is_none() {
        return Err(format!("the node of {low:#x}: who is the root? {version:?}"));
    }
    let parent = head.parent.load(guard).map(std::ptr::from_ref);
    if parent != expected.parent.map(std::ptr::from_ref) {
        return Err(format!("the node of {low:#x} names another parent"));
    }
    Ok(())
}

fn check_interior<'g>(
    guard: Guard<'g>,
    interior: &'g Interior,
    expected: &Expected<'g>,
    nodes: &mut Vec<Expected<'g>>,
) -> Result<(), String> {
    let len = interior.len();
    if len == 0 {
        return Err(format!("the interior node of {:#x} has one child", expected.low));
    }
    let unused = |index: usize| {
        interior.key(index) == u64::MAX && interior.child(guard, index + 1).is_none()
    };
    if !(len..WIDTH).all(unused) {
        return Err(format!("the interior node of {:#x} has litter", expected.low));
    }
    for index in (0..=len).rev() {
        let low = if index == 0 { expected.low } else { interior.key(index - 1) };
        let high = if index == len { expected.high } else { Some(interior.key(index)) };
        if high.is_some_and(|high| high <= low) {
            return Err(format!("separators of {:#x} are out of order", expected.low));
        }
        let node = interior.child(guard, index).ok_or("a child is missing")?;
        nodes.push(Expected { node, parent: Some(interior), low, high });
    }
    Ok(())
}

fn check_border<'g>(
    guard: Guard<'g>,
    border: &'g Border,
    expected: &Expected<'g>,
    layer: &LayerToCheck<'g>,
    layers: &mut Vec<LayerToCheck<'g>>,
    totals: &mut Totals,
) -> Result<(), String> {
    let low = expected.low;
    let next_low = border.next.load(guard).map(Border::low);
    if border.low() != low || next_low != expected.high {
        let own = border.low();
        return Err(format!("the node of {low:#x} holds {own:#x} to {next_low:#x?}"));
    }
    if !border.permutation().is_valid() {
        return Err(format!("the node of {low:#x} has a slot twice"));
    }
    if let Some(bag) = border.suffixes.load(guard) {
        totals.nodes += 1;
        totals.node_bytes += bag.block().bytes as u64;
    }
    let mut before = None;
    for slot in border.permutation().slots() {
        let entry = border.entry(guard, slot);
        let order = entry.order();
        if before.is_some_and(|before| before >= order) {
            return Err(format!("keys of {low:#x} are out of order at {order:x?}"));
        }
        before = Some(order);
        if entry.slice < low || expected.high.is_some_and(|high| entry.slice >= high) {
            return Err(format!("slice {:#x} is in the node of {low:#x}", entry.slice));
        }
        let slice_bytes = entry.rank.slice_bytes();
        if Key::new(&entry.slice.to_be_bytes()[..slice_bytes]).slice() != entry.slice {
            return Err(format!("slice {:#x} is longer than its key", entry.slice));
        }
        let above_bytes = layer.above_bytes + slice_bytes as u64;
        if entry.rank == Rank::LAYER {
            let anchor = layer_at(entry.link, guard);
            let root = anchor.layer_root.load(guard).ok_or("a layer has no root")?;
            layers.push(LayerToCheck { anchor, root, above_bytes });
            continue;
        }
        if (entry.rank == Rank::SUFFIX) == entry.suffix.is_empty() {
            return Err(format!("slice {:#x}: {:?} and its suffix", entry.slice, entry.rank));
        }
        let row = Link::from_bits(entry.link).row(guard);
        if !row.is_whole() {
            return Err(format!("slice {:#x} links a row of another length", entry.slice));
        }
        totals.objects += 1;
        totals.key_bytes += above_bytes + entry.suffix.len() as u64;
        totals.value_bytes += row.value_bytes() as u64;
    }
    Ok(())
}

/// The first border node below `root`.
fn leftmost<'g>(guard: Guard<'g>, root: Node<'g>) -> Result<&'g Border, String> {
    let mut node = root;
    while let Some(interior) = node.as_interior() {
        node = interior.child(guard, 0).ok_or("the first child is missing")?;
    }
    node.as_border().ok_or_else(|| "a node of neither kind".to_owned())
}
