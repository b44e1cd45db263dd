//! Threads that read what others write, with logs that are always full.

use baseline_bullet::{Bullet, Config, Rung};
use engine::{KvEngine, KvSession, OpenError};
use kit::testing::{Stress, counter};
use platform::persist::{Latency, Medium, has_write_back};

/// So few bytes that every few puts must wait for a gleaner, or become one.
fn short_logs(rung: Rung) -> Bullet {
    Bullet::open(&Config {
        clients: 2,
        logs: 4,
        log_bytes: 4096,
        epoch_us: 100,
        latency: Latency::NONE,
        huge_pages: false,
        ..Config::new(rung, 8 << 20, 1 << 10)
    })
    .unwrap()
}

#[test]
fn every_value_is_whole_and_none_is_lost_while_logs_are_full() {
    for rung in Rung::ALL {
        let store = short_logs(rung);
        let stress = Stress { threads: 3, operations: 30_000, fill_percent: 2, seed: 5 };
        let done = stress.run(&store, 8 << 20).unwrap_or_else(|wrong| panic!("{rung}: {wrong}"));
        assert!(done.found > 1000, "{rung}: {done:?}");
        assert!(!rung.has_logs() || counter(&store, "full_logs") > 100, "{rung}");
    }
}

/// Of a hot key most records are void before they are applied.
#[test]
fn a_hot_key_is_applied_seldom() {
    let store = short_logs(Rung::Full);
    let mut session = store.session().unwrap();
    for number in 0..5000_u64 {
        session.put(number % 4, &number.to_le_bytes()).unwrap();
    }
    store.settle();
    store.check().unwrap();
    let (applied, collapsed) =
        (counter(&store, "applied_records"), counter(&store, "collapsed_records"));
    assert!(collapsed > 2 * applied, "{applied} applied, {collapsed} collapsed");
}

/// Where the processor has `clwb`, a store on it works; elsewhere it says what is missing.
#[test]
fn a_store_on_the_processors_own_instruction_works_or_is_refused() {
    let config = Config {
        medium: Medium::WriteBack,
        latency: Latency::NONE,
        huge_pages: false,
        ..Config::new(Rung::Full, 8 << 20, 1 << 10)
    };
    match Bullet::open(&config) {
        Ok(store) => {
            assert!(has_write_back());
            let stress = Stress { threads: 2, operations: 5000, fill_percent: 2, seed: 6 };
            stress.run(&store, 8 << 20).unwrap();
        }
        Err(OpenError::Missing { what, .. }) => assert!(!has_write_back(), "{what}"),
        Err(other) => panic!("{other}"),
    }
}
