//! Several memory nodes are one store.

use super::common::variants::{ROWS, everything, some};
use super::common::{Random, fill_store, open, small, verified};
use nibble::{CoreSource, OpenError, Placement, Store};

#[test]
fn one_core_fills_the_memory_of_every_node() {
    for (turn, &source) in CoreSource::ALL.iter().enumerate() {
        let mut config = small(8 << 20, 128 << 10);
        config.virtual_nodes = [4, 2, 3][turn];
        (config.core_source, config.placement) = (source, Placement::Local);
        std::thread::spawn(move || {
            let core = *platform::cpu::allowed_cores().last().unwrap();
            platform::cpu::pin_to(core).unwrap();
            let nodes = config.virtual_nodes as u64;
            let store = open(config);
            let session = store.session().unwrap();
            let filled = fill_store(&session, 0, |_| 500);
            let statistics = store.statistics();
            assert_eq!(statistics.nodes, nodes);
            assert!(statistics.utilisation() > 0.95, "{statistics:?}");
            let mut buffer = [0; 500];
            for key in 0..filled {
                assert_eq!(session.get(key, &mut buffer), Ok(Some(500)));
                assert_eq!(verified(key, &buffer), 0);
            }
            drop(session);
            store.check().unwrap();
        })
        .join()
        .unwrap();
    }
}

/// The tests that go through all rows of choices try any two of them together.
#[test]
fn any_two_choices_come_together() {
    let rows: Vec<[String; 11]> = (0..ROWS)
        .map(|row| {
            let config = everything(&small(4 << 20, 64 << 10), row);
            [
                config.virtual_nodes.to_string(),
                config.placement.to_string(),
                config.survivors.to_string(),
                config.selection.to_string(),
                config.epoch.to_string(),
                config.head_choice.to_string(),
                config.copy.to_string(),
                config.core_source.to_string(),
                config.update.to_string(),
                config.compaction.to_string(),
                config.index.to_string(),
            ]
        })
        .collect();
    let distinct = |choice: &dyn Fn(&[String; 11]) -> String| {
        rows.iter().map(choice).collect::<std::collections::BTreeSet<_>>().len()
    };
    let values: Vec<_> = (0..11).map(|knob| distinct(&|row| row[knob].clone())).collect();
    assert_eq!(values, [3, 2, 2, 3, 3, 3, 3, 3, 2, 2, 3]);
    for (one, other) in (0..11).flat_map(|one| (0..one).map(move |other| (one, other))) {
        let pairs = distinct(&|row| format!("{} {}", row[one], row[other]));
        assert_eq!(pairs, values[one] * values[other], "knobs {one} and {other}");
    }
}

#[test]
fn segments_of_every_state_add_up() {
    for config in some(&small(4 << 20, 64 << 10), 1) {
        let store = open(config);
        let session = store.session().unwrap();
        let filled = fill_store(&session, 0, |_| 700);
        let mut random = Random(8);
        for _ in 0..filled / 2 {
            session.delete(random.below(filled)).unwrap();
        }
        for key in 0..filled / 4 {
            session.put(filled + key, &[0; 700]).unwrap();
        }
        drop(session);
        store.settle();
        // A worker that had begun on a segment retires it after the others have come to rest.
        while store.statistics().segments.limbo > 0 {
            store.settle();
        }
        let statistics = store.statistics();
        let report = store.check().unwrap();
        let counts = statistics.segments;
        assert_eq!(counts.open + counts.closed + counts.compacting, report.segments);
        assert_eq!((statistics.reclamation_bytes, statistics.reclamation_age_ns), (0, 0));
        assert_eq!(statistics.live_object_bytes, report.live_object_bytes);
        assert!(statistics.copied_bytes > 0 && statistics.put_waits > 0);
        assert!(statistics.put_wait_ns > 0, "{statistics:?}");
    }
}

#[test]
fn too_many_nodes_for_the_memory_do_not_open() {
    let mut config = small(1 << 20, 64 << 10);
    config.virtual_nodes = 8;
    let error = Store::open(config.clone()).unwrap_err();
    assert!(matches!(error, OpenError::TooLittleMemory { needed: 2_097_152, .. }), "{error}");
    config.virtual_nodes = 65;
    let error = Store::open(config).unwrap_err().to_string();
    assert_eq!(error, "virtual_nodes = 65: must be between 0 and 64");
}
