//! Segments: their bytes, their clones, and how long they live.

use std::sync::atomic::{AtomicBool, Ordering};

use spaces::registry::{Registry, Rights};

use super::script::{Do, Script};
use super::world::{
    PAGE, free_base, journey, journey_on, lockable, new_segment, run, segment, space, words, world,
};

/// Rule 8.
#[test]
fn a_clone_differs_by_later_writes() {
    let (_keeper, registry) = world();
    let origin = segment(&registry, "origin");
    let before = space(&registry, "before", &[(origin, Rights::ReadWrite)]);
    let mut first = journey(&registry);
    let handle = first.attach(before).unwrap();
    run(&mut first, &[Do::To(handle), Do::Store(origin, 0, 1), Do::Store(origin, 511, 2)]);
    let clone = registry.clone_segment(origin, "clone").unwrap();
    let taken = registry.clone_segment(origin, "clone").unwrap_err().to_string();
    assert!(taken.starts_with("the name `clone` is taken"), "{taken}");
    // At the same base, so that pointers in it lead to it.
    let [one, two] = [origin, clone].map(|id| registry.describe_segment(id).unwrap());
    assert_eq!((one.base, one.bytes, one.lockable), (two.base, two.bytes, two.lockable));
    let after = space(&registry, "after", &[(clone, Rights::ReadWrite)]);
    let there = first.attach(after).unwrap();
    run(
        &mut first,
        &[Do::To(handle), Do::Store(origin, 1, 3), Do::To(there), Do::Store(clone, 2, 4)],
    );
    let [origin, clone] = [origin, clone].map(|id| words(&registry, id));
    assert_eq!((origin[..4].to_vec(), origin[511]), (vec![1, 3, 0, 0], 2));
    assert_eq!((clone[..4].to_vec(), clone[511]), (vec![1, 0, 4, 0], 2));
}

/// Rule 8, under writers: no visit is copied half done.
#[test]
fn a_clone_under_writers_is_whole() {
    const CLONES: usize = 60;
    let (keeper, registry) = world();
    let origin = registry.make_segment(lockable("origin", free_base(), 64)).unwrap();
    let writes = space(&registry, "writes", &[(origin, Rights::ReadWrite)]);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let registry = Registry::connect(keeper.name()).unwrap();
            let mut journey = journey_on(&registry, 1);
            let handle = journey.attach(writes).unwrap();
            let steps =
                [Do::To(handle), Do::CountAll(origin), Do::Primary, Do::Again(u64::MAX), Do::Done];
            journey.begin_again(Script::new(&steps)).unwrap();
            // Relaxed: a flag by itself.
            while !stop.load(Ordering::Relaxed) {
                journey.run(64).unwrap();
            }
        });
        let mut last = 0;
        let torn = (0..CLONES).find_map(|_| {
            let clone = registry.clone_segment(origin, "clone").unwrap();
            let seen = words(&registry, clone);
            registry.remove_segment(clone).unwrap();
            let differs = seen.iter().any(|&word| word != seen[0]);
            let back = seen[0] < last;
            last = seen[0];
            (differs || back).then_some(seen)
        });
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        assert!(torn.is_none(), "a visit was copied in part: {:?}", torn.map(|words| words[0]));
        assert!(last > 0, "the writer wrote meanwhile");
    });
}

#[test]
fn pages_of_two_sizes() {
    let (_keeper, registry) = world();
    let mut new = new_segment("huge", free_base(), 512);
    new.page_bytes = 2 << 20;
    match registry.make_segment(new) {
        Ok(id) => assert_eq!(words(&registry, id).len(), 512 * PAGE / 8),
        // Huge pages of shared memory may be switched off.
        Err(error) => eprintln!("not tested on pages of 2 MiB: {error}"),
    }
}
