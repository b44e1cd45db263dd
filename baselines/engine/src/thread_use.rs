//! Tells a heap when a thread starts and stops using it, however many sessions the thread has.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::Heap;

thread_local! {
    /// The heaps that this thread uses, each with a count of uses.
    static USES: RefCell<Vec<(Identity, usize)>> = const { RefCell::new(Vec::new()) };
}

/// The addresses of a heap and of its traits: heaps without fields may share the former.
type Identity = (usize, usize);

/// The calling thread's use of a heap, which lasts until this is dropped. The same thread must drop
/// it.
#[derive(Debug)]
pub struct ThreadUse {
    heap: &'static dyn Heap,
    stays_on_its_thread: PhantomData<*const ()>,
}

impl ThreadUse {
    /// Tells the heap if this is the thread's first use.
    #[must_use]
    pub fn of(heap: &'static dyn Heap) -> Self {
        if count(heap, |uses| *uses += 1) == 1 {
            heap.thread_start();
        }
        Self { heap, stays_on_its_thread: PhantomData }
    }
}

impl Drop for ThreadUse {
    fn drop(&mut self) {
        if count(self.heap, |uses| *uses -= 1) == 0 {
            self.heap.thread_end();
        }
    }
}

/// Changes this thread's use count of the heap and returns it.
fn count(heap: &'static dyn Heap, change: impl FnOnce(&mut usize)) -> usize {
    let identity = (std::ptr::from_ref(heap).addr(), std::ptr::from_ref(heap.traits()).addr());
    USES.with_borrow_mut(|uses| {
        let index = uses.iter().position(|(other, _)| *other == identity).unwrap_or_else(|| {
            uses.push((identity, 0));
            uses.len() - 1
        });
        change(&mut uses[index].1);
        uses[index].1
    })
}
