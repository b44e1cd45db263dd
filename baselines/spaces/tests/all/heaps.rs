//! Memory inside a segment, and pointers that are kept there.

use std::sync::atomic::{AtomicU64, Ordering};

use spaces::heap::HeapError;
use spaces::journey::Journey;
use spaces::pointer::{Here, Link};
use spaces::registry::{Rights, SegmentId};
use spaces::shared::{InSegment, Shared};
use spaces::traveller::{Go, SpaceHandle, Traveller};

use super::world::{PAGE, free_base, new_segment, program, segment, space, world};

/// An element of a list.
#[repr(C)]
struct Node {
    next: Link<Node>,
    value: AtomicU64,
    payload: [AtomicU64; 6],
}

// SAFETY: atomics in a fixed layout.
unsafe impl InSegment for Node {}
// SAFETY: as above.
unsafe impl Shared for Node {}

const NODES: u64 = 1000;

/// Builds a list in one space, adds it up in another, takes it apart, and goes where it is not.
#[repr(C)]
pub(crate) struct Lists {
    builds: u64,
    adds_up: u64,
    elsewhere: u64,
    heap: u32,
    filler: u32,
    stage: u64,
    first: Link<Node>,
    pub(crate) sum: u64,
    pub(crate) used: [u64; 2],
    pub(crate) not_here: u64,
    pub(crate) errors: u64,
}

// SAFETY: integers in a fixed layout.
unsafe impl InSegment for Lists {}

impl Traveller for Lists {
    const NAME: &'static str = "lists";

    fn step<'space>(&mut self, here: &Here<'space>) -> Go {
        let heap = SegmentId::from_number(self.heap);
        self.stage += 1;
        match self.stage {
            1 => Go::To(SpaceHandle::from_number(self.builds)),
            2 => {
                self.build(here, heap).unwrap();
                Go::To(SpaceHandle::from_number(self.adds_up))
            }
            3 => {
                self.add_up(here, heap);
                Go::To(SpaceHandle::from_number(self.elsewhere))
            }
            4 => {
                let kept = self.first.load().unwrap();
                let not_here = here.at(kept).unwrap_err();
                self.not_here = u64::from(not_here.segment == heap && not_here.address.is_none());
                let told = not_here.to_string();
                assert!(told.ends_with("attach it there, or go where it is"), "{told}");
                assert!(matches!(here.heap(heap), Err(HeapError::NotHere(_))));
                Go::To(SpaceHandle::from_number(self.builds))
            }
            _ => {
                self.take_apart(here, heap).unwrap();
                Go::Done
            }
        }
    }
}

impl Lists {
    fn build(&mut self, here: &Here<'_>, heap: SegmentId) -> Result<(), HeapError> {
        let heap = here.heap(heap)?;
        for value in 1..=NODES {
            let node = heap.allocate::<Node>()?;
            let fields = node.get(here);
            assert!(fields.payload.iter().all(|word| word.load(Ordering::Relaxed) == 0));
            fields.value.store(value, Ordering::Relaxed);
            // Relaxed above: the link publishes it.
            fields.next.store(heap.root::<Node>().load());
            heap.root().store(Some(node.keep()));
        }
        self.first.store(heap.root::<Node>().load());
        self.used[0] = heap.used_bytes() as u64;
        // Blocks of all sizes until none is left, each counted.
        let mut held = Vec::new();
        while let Ok(block) = heap.allocate::<[AtomicU64; 32]>() {
            held.push(block);
        }
        let full = heap.allocate::<[AtomicU64; 32]>().unwrap_err();
        assert!(matches!(full, HeapError::Full { bytes: 256, .. }), "{full}");
        let mut addresses: Vec<usize> =
            held.iter().map(|block| block.get(here).as_ptr().addr()).collect();
        addresses.sort_unstable();
        assert!(addresses.windows(2).all(|two| two[0] + 256 <= two[1]), "blocks overlap");
        let count = held.len();
        held.into_iter().try_for_each(|block| heap.free(block))?;
        let again = (0..count).filter(|_| heap.allocate::<[AtomicU64; 32]>().is_ok()).count();
        assert_eq!(again, count, "what was freed is there again");
        Ok(())
    }

    /// In a space that may only read the heap.
    fn add_up(&mut self, here: &Here<'_>, heap: SegmentId) {
        self.errors += u64::from(here.heap(heap).unwrap_err() == HeapError::ReadOnly(heap));
        let filler = SegmentId::from_number(self.filler);
        self.errors += u64::from(here.heap(filler).unwrap_err() == HeapError::NoHeap(filler));
        let mut next = self.first.load();
        while let Some(kept) = next {
            let node = here.at(kept).unwrap().get(here);
            self.sum += node.value.load(Ordering::Relaxed);
            next = node.next.load();
        }
    }

    fn take_apart(&mut self, here: &Here<'_>, heap: SegmentId) -> Result<(), HeapError> {
        let heap = here.heap(heap)?;
        while let Some(kept) = heap.root::<Node>().load() {
            let node = here.at(kept).map_err(HeapError::NotHere)?;
            heap.root().store(node.get(here).next.load());
            heap.free(node)?;
        }
        for _ in 0..NODES {
            heap.allocate::<Node>()?;
        }
        self.used[1] = heap.used_bytes() as u64;
        Ok(())
    }
}

#[test]
fn a_list_with_pointers_is_read_where_its_segment_is() {
    let (_keeper, registry) = world();
    let heap = registry.make_segment(new_segment("heap", free_base(), 64)).unwrap();
    let filler = segment(&registry, "filler");
    let mapped = registry.map(filler, Rights::ReadWrite).unwrap();
    // Relaxed: processes start afterwards.
    mapped.words()[0].store(1, Ordering::Relaxed);
    let builds = space(&registry, "builds", &[(heap, Rights::ReadWrite)]);
    let reads = [(heap, Rights::Read), (filler, Rights::ReadWrite)];
    let adds_up = space(&registry, "adds up", &reads);
    let elsewhere = registry.make_space("elsewhere").unwrap();
    let lists = Lists {
        builds: 0,
        adds_up: 0,
        elsewhere: 0,
        heap: heap.number(),
        filler: filler.number(),
        stage: 0,
        first: Link::default(),
        sum: 0,
        used: [0; 2],
        not_here: 0,
        errors: 0,
    };
    let core = platform::cpu::allowed_cores()[0];
    let mut journey = Journey::begin(&registry, program, core, lists).unwrap();
    let handles = [builds, adds_up, elsewhere].map(|id| journey.attach(id).unwrap().number());
    let lists = journey.traveller_mut();
    [lists.builds, lists.adds_up, lists.elsewhere] = handles;
    let trip = journey.run(u64::MAX).unwrap();
    assert_eq!((trip.at, trip.switches), (None, 4));
    let lists = journey.traveller_mut();
    assert_eq!(lists.sum, NODES * (NODES + 1) / 2);
    assert_eq!((lists.not_here, lists.errors), (1, 2));
    // 64 bytes each, and the header.
    assert!(lists.used[0] > NODES * 64 && lists.used[0] < NODES * 64 + 1024);
    assert!(lists.used[1] <= 64 * PAGE as u64);
}
