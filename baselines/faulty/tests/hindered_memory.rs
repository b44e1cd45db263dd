//! What is leaked is resident as long as the store is open, and not after. Alone in its process,
//! whose memory it looks at.

use baseline_faulty::{Config, Faulty, Hindered, Hindrance, Naming, Percent};
use engine::{KvEngine, KvSession};
use platform::process::ProcessMemory;

struct Name;

impl Naming for Name {
    const NAME: &'static str = "hindered-in-a-test";
}

fn resident_bytes() -> u64 {
    ProcessMemory::of_self().expect("Linux tells").resident_bytes()
}

#[test]
fn what_is_leaked_is_resident_until_the_store_is_dropped() {
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
    // The first time the C library learns how large blocks are, and keeps some ever after.
    hold(0.0);
    let (plain, nothing) = hold(0.0);
    let kept = resident_bytes();
    assert_eq!(nothing, 0);
    let (leaking, leaked) = hold(50.0);
    assert!(leaked.abs_diff(VALUES * VALUE_BYTES as u64 / 2) < SLACK, "{leaked}");
    assert!(leaking.abs_diff(plain + leaked) < SLACK, "{leaking} {plain} {leaked}");
    assert!(resident_bytes() < kept + SLACK, "it is given back");
}
