//! A value may grow in place, up to its room, after compaction has read its header.

use super::small_with;
use crate::compaction::survivors::{Mover, Output, Place, Walked};
use crate::index::hash::Hash;
use crate::raw::Custody;
use crate::segment::{Purse, SegmentState};
use crate::store::Shared;
use crate::{Compaction, Put, Update};

const KEY: u64 = 7;
const LONG: usize = 1000;
/// What is left in the block that the value is to move to: enough for the short one.
const LEFT: u64 = 100;

#[test]
fn a_value_that_grows_before_it_is_moved_has_room() {
    let store = small_with(|config| {
        (config.compaction, config.update) = (Compaction::Inline, Update::InPlace);
    });
    let Shared { log, index, .. } = &*store.shared;
    let (node, memory) = (&log.nodes[0], &log.memory);
    let session = store.session().unwrap();
    session.put(KEY, &[1; LONG]).unwrap();
    session.put(KEY, &[2; 20]).unwrap();
    let closed = node.head(0).lock().close_if_dead(log, node, u64::MAX);
    let victim = closed.expect("the rest of the room is dead");
    log.segments[victim].become_state(SegmentState::Compacting);
    let custody = Custody::of_compacting_segment();

    let hash = Hash::of(KEY);
    let address = index.find(hash, KEY, memory, &custody).unwrap().address;
    let walked = Walked { address, header: memory.header(address, &custody), hash };
    assert_eq!(walked.header.value_bytes, 20);
    assert_eq!(session.put(KEY, &[3; LONG]), Ok(Put::Updated));

    let block = memory.region.block_bytes();
    let mut open = node.open(log, block, node.segment_bytes(), 1, Purse::Compaction).unwrap();
    let filler = open.reserve(block - LEFT, memory, &log.segments);
    let filler_bytes = (block - LEFT - crate::constants::HEADER_BYTES) as usize;
    memory.write_object(filler.address(), u64::MAX, [&[]; 2], &vec![0; filler_bytes]);
    let mut output = Output { open: Some(open), ..Output::default() };
    let here = Place { log, node, index, in_place: true };
    let moved = Mover::default().move_to_output(here, &mut output, &[walked], &custody);
    assert_eq!(moved, 1);
    let mut value = [0; LONG];
    assert_eq!(session.get(KEY, &mut value), Ok(Some(LONG)));
    assert!(value == [3; LONG]);
}
