//! Settings by name, as cells carry them; what a store of the suite reports.

use std::collections::BTreeMap;

use baseline_silt::Silt;
use engine::{DeleteOutcome, KvEngine, KvSession, OpenStore, PutOutcome, Setup};
use kit::testing::{counter, setting};

fn setup(records_max: u64, options: &[(&str, &str)]) -> Setup {
    let options = options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Setup {
        object_memory_bytes: None,
        live_bytes: 1 << 20,
        records_max,
        value_bytes_max: 100,
        sessions: 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: options.collect::<BTreeMap<_, _>>(),
        folder: None,
        heap: None,
    }
}

#[test]
fn settings_are_reported_as_they_were_asked_for() {
    let asked = [
        ("instances", "2"),
        ("tag-bits", "8"),
        ("merge-entries", "5000"),
        ("displacements", "64"),
        ("index-bucket-keys", "128"),
        ("acknowledge", "written"),
        ("ask-presence", "false"),
        ("threads", "false"),
        ("convert-per-s", "10000"),
        ("merge-per-s", "20000"),
    ];
    let store = Silt::open_for(&setup(1000, &asked)).unwrap();
    for (name, value) in asked {
        assert_eq!(setting(&store, name), value, "{name}");
    }
    assert_eq!((store.presence().threads, setting(&store, "record-bytes").as_str()), (0, "128"));
    for (name, value, told) in [
        ("tag-bits", "16", "whole numbers from 4 to 15; the nearest is 15"),
        ("acknowledge", "soon", "buffered, written, synced"),
        ("bits", "1", "there are instances, tag-bits"),
    ] {
        let error = Silt::open_for(&setup(1000, &[(name, value)])).unwrap_err().to_string();
        assert!(error.contains(told), "{name}={value}: {error}");
    }
}

/// The proportions of table 2.4.
#[test]
fn a_store_is_sized_as_the_text_s_example() {
    for (records, tag_bits, merge_entries) in
        [(100_000_000, "15", "7500000"), (1_000_000, "10", "75000"), (10, "10", "1000")]
    {
        let setup = setup(records, &[]);
        let config = Silt::configure(&setup, &mut setup.options()).unwrap();
        assert_eq!(config.params.tag_bits.to_string(), tag_bits);
        assert_eq!(config.params.merge_entries.to_string(), merge_entries);
    }
}

/// Where nobody asks what was there, a PUT reads nothing, and nothing is claimed to live.
#[test]
fn blind_writes_look_nothing_up() {
    let asked = [("tag-bits", "8"), ("merge-entries", "1000"), ("threads", "false")];
    let reads = |tells_updates| {
        let store = Silt::open_for(&Setup { tells_updates, ..setup(1000, &asked) }).unwrap();
        let mut session = store.session().unwrap();
        for key in 0..12_000 {
            let put = session.put(key % 8000, &key.to_le_bytes()).unwrap();
            let told = if key < 8000 { PutOutcome::Inserted } else { PutOutcome::Updated };
            assert_eq!(put, if tells_updates { told } else { PutOutcome::Stored }, "{key}");
        }
        let (removed, done) = (DeleteOutcome::Removed, DeleteOutcome::Done);
        assert_eq!(session.delete(3), if tells_updates { removed } else { done });
        assert_eq!(session.get(3, &mut [0; 100]), Ok(None));
        assert_eq!(session.get(4, &mut [0; 100]), Ok(Some(8)));
        assert_eq!(store.memory().live_objects, if tells_updates { 7999 } else { 0 });
        counter(&store, "hash_reads") + counter(&store, "sorted_reads")
    };
    assert!(reads(false) <= 4, "two GETs");
    assert!(reads(true) > 3000);
}
