//! Gleaners wake when logs fill and go to sleep when nobody puts.

use std::thread;
use std::time::{Duration, Instant};

use baseline_bullet::{Bullet, Config, Rung};
use engine::{KvEngine, KvSession};
use kit::testing::counter;
use platform::persist::Latency;

#[test]
fn without_puts_no_gleaner_stays_awake() {
    for rung in [Rung::Dyn, Rung::Full] {
        let store = Bullet::open(&Config {
            clients: 2,
            logs: 4,
            log_bytes: 64 << 10,
            latency: Latency::NONE,
            huge_pages: false,
            ..Config::new(rung, 8 << 20, 1 << 14)
        })
        .unwrap();
        let mut session = store.session().unwrap();
        let (mut key, mut woken) = (0, false);
        let from = Instant::now();
        while !woken && from.elapsed() < Duration::from_secs(20) {
            for _ in 0..1000 {
                key = (key + 1) % (1 << 14);
                session.put(key, &[1; 100]).unwrap();
            }
            woken = counter(&store, "role_switches") > 0;
        }
        assert!(woken, "{rung}: nobody was woken by full logs");
        let mut buffer = [0; 100];
        while counter(&store, "gleaners_awake") > 0 && from.elapsed() < Duration::from_secs(20) {
            (0..1000).for_each(|key| _ = session.get(key, &mut buffer).unwrap());
            thread::yield_now();
        }
        assert_eq!(counter(&store, "gleaners_awake"), 0, "{rung}");
        drop(session);
        store.settle();
        store.check().unwrap();
    }
}
