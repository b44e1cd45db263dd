//! The paper's Figure 3: chains across three logs.

use std::collections::BTreeMap;

use engine::KvSession;

use crate::config::Config;
use crate::record::Reference;
use crate::rung::Rung;
use crate::session::BulletSession;
use crate::store::Shared;
use crate::{check, glean};
use platform::persist::Latency;

/// K1's chain is L3(2) → L2(1) → L1(1). Gleaning L1 applies all of it in reverse, and leaves the
/// other keys' records alone.
#[test]
fn the_chain_of_a_key_leads_through_three_logs() {
    let shared = Shared::open(&Config {
        logs: 3,
        log_bytes: 4096,
        latency: Latency::NONE,
        huge_pages: false,
        ..Config::new(Rung::Opt, 1 << 20, 16)
    })
    .unwrap();
    let mut logs: [_; 3] = std::array::from_fn(|_| BulletSession::open(&shared).unwrap());
    for (log, key) in [(0, 1), (1, 1), (0, 2), (1, 2), (2, 3), (2, 1)] {
        logs[log].put(key, &[log as u8; 8]).unwrap();
    }
    let header = |reference: Reference| {
        let (log, place) = reference.parts()?;
        shared.logs[log as usize].ring.header(&shared.back().region, place)
    };
    let mut chain = Vec::new();
    let mut next = shared.front().entry_of(1).unwrap();
    while let Some(found) = header(next) {
        let (log, place) = next.parts().unwrap();
        chain.push((log + 1, place / 6 + 1));
        next = found.previous;
    }
    assert_eq!(chain, [(3, 2), (2, 1), (1, 1)]);
    glean::pass(&shared, &mut shared.helper(), &shared.logs[0]);
    let mut applied = BTreeMap::new();
    for log in 0..3 {
        for number in 0..2 {
            let found = header(Reference::new(log, number * 6)).unwrap();
            applied.insert((log + 1, number + 1), (found.key, found.applied));
        }
    }
    let expected = [
        ((1, 1), (1, true)),
        ((1, 2), (2, true)),
        ((2, 1), (1, true)),
        ((2, 2), (2, true)),
        ((3, 1), (3, false)),
        ((3, 2), (1, true)),
    ];
    assert_eq!(applied, BTreeMap::from(expected));
    drop(logs);
    glean::all(&shared, &mut shared.helper(), 0);
    glean::advance(&shared, true);
    assert!(shared.is_drained());
    check::check(&shared).unwrap();
}
