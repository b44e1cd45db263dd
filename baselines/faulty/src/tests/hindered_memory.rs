//! What is leaked is resident as long as the store is open, and not after. Alone in its process,
//! whose memory it looks at.

use baseline_faulty::{Config, Faulty, Hindered, Hindrance, Naming, Percent};
use engine::{KvEngine, KvSession};
use kit::testing::{Alone, resident_bytes};

struct Name;

impl Naming for Name {
    const NAME: &'static str = "hindered-in-a-test";
}

#[test]
fn what_is_leaked_is_resident_until_the_store_is_dropped() {
    Alone::new(module_path!(), "what_is_leaked_is_resident_until_the_store_is_dropped").run(leak);
}

fn leak() {
    const VALUE_BYTES: usize = 1 << 20;
    const VALUES: u64 = 64;
    const SLACK: u64 = 2 << 20;
    let before = resident_bytes();
    let hold = |leak| {
        let hindrance = Hindrance { leak: Percent::new(leak).unwrap(), ..Hindrance::default() };
        let store = Hindered::<_, Name>::open(Faulty::open(Config::default()), hindrance).unwrap();
        let mut session = store.session().unwrap();
        let value = vec![1; VALUE_BYTES];
        (0..VALUES).for_each(|key| assert!(session.put(key, &value).unwrap().is_stored()));
        drop((session, value));
        (resident_bytes() - before, store.leaked_bytes())
    };
    // The first time the C library learns how large blocks are.
    hold(0.0);
    let (plain, nothing) = hold(0.0);
    trim();
    let kept = resident_bytes();
    assert_eq!(nothing, 0);
    let (leaking, leaked) = hold(50.0);
    assert!(leaked.abs_diff(VALUES * VALUE_BYTES as u64 / 2) < SLACK, "{leaked}");
    assert!(leaking.abs_diff(plain + leaked) < SLACK, "{leaking} {plain} {leaked}");
    trim();
    assert!(resident_bytes() < kept + SLACK, "it is given back");
}

/// Has the C library give back what it keeps of freed blocks, which differs from run to run.
fn trim() {
    // SAFETY: takes the heap's own locks; live blocks stay.
    unsafe { libc::malloc_trim(0) };
}
