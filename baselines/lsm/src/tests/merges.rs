//! Levels: what goes down stays right.

use std::time::Duration;

use super::common::{SCHEMES, check, get, key, open, tiny, value};

#[test]
fn what_is_deleted_stays_deleted() {
    for scheme in SCHEMES {
        let store = open(tiny(scheme));
        let mut session = store.session().unwrap();
        for number in 0..1500 {
            session.put(&key(number), &value(number)).unwrap();
        }
        store.rotate().unwrap();
        store.settle(Duration::from_secs(5));
        let depth = || {
            let disk = store.parts.view.load().disk.clone();
            (0..disk.levels.len()).rev().find(|&level| !disk.levels[level].is_empty())
        };
        assert!(depth() >= Some(2), "several levels: {:?}", depth());
        for number in (0..1500).step_by(2) {
            session.delete(&key(number)).unwrap();
        }
        for _ in 0..2 {
            store.rotate().unwrap();
            store.settle(Duration::from_secs(5));
            for number in 0..1500 {
                let expected = (number % 2 == 1).then_some(number);
                assert_eq!(get(&mut session, &key(number)), expected, "{scheme}, key {number}");
            }
            check(&store);
            store.merge_all().unwrap();
        }
    }
}
