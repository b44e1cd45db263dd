//! Merging changes into sorted items, and building the index while that goes on.

use std::collections::BTreeMap;

use super::common::{Random, keys, verify};
use crate::{Builder, Change, Merge, MergeError, MergeInput, Params};

type Item<V> = Result<(u32, V), &'static str>;

fn merged(old: &[Item<u32>], new: &[Item<Change<u32>>]) -> Result<Vec<(u32, u32)>, String> {
    let merge = Merge::new(old.iter().cloned(), new.iter().cloned());
    merge.map(|item| item.map_err(|error| error.to_string())).collect()
}

#[test]
fn the_rules_are_those_of_table_2_3() {
    let old = [Ok((1, 10)), Ok((3, 30)), Ok((5, 50)), Ok((7, 70))];
    let new = [
        Ok((2, Change::Put(21))),
        Ok((3, Change::Put(31))),
        Ok((4, Change::Delete)),
        Ok((5, Change::Delete)),
        Ok((9, Change::Put(91))),
    ];
    let wanted = vec![(1, 10), (2, 21), (3, 31), (7, 70), (9, 91)];
    assert_eq!(merged(&old, &new), Ok(wanted));
    assert_eq!(merged(&old, &[]).unwrap().len(), 4);
    assert_eq!(merged(&[], &new).unwrap().len(), 3);
}

#[test]
fn input_out_of_order_is_an_error_of_its_input() {
    let sorted = [Ok((1, 10)), Ok((3, 30))];
    for wrong in [[Ok((3, 30)), Ok((1, 10))], [Ok((3, 30)), Ok((3, 31))]] {
        let error = merged(&wrong, &[]).unwrap_err();
        assert!(error.contains("key 1 of the old items"), "{error}");
        let changes = wrong.map(|item| item.map(|(key, value)| (key, Change::Put(value))));
        let error = merged(&sorted, &changes).unwrap_err();
        assert!(error.contains("key 1 of the new items"), "{error}");
    }
    assert_eq!(merged(&[Ok((1, 10)), Err("no disk")], &[]).unwrap_err(), "no disk");
    let unsorted = [Err("no disk"), Ok((1, 1))];
    let mut merge = Merge::new(
        sorted.into_iter(),
        unsorted
            .map(|item: Item<u32>| item.map(|(key, value)| (key, Change::Put(value))))
            .into_iter(),
    );
    assert_eq!(merge.next(), Some(Err(MergeError::Input("no disk"))));
    assert_eq!(merge.next(), None, "nothing follows an error");
    let input = MergeInput::Old;
    assert_ne!(MergeError::<&str>::Unsorted { input, ordinal: 1 }, MergeError::Input("no disk"));
}

/// Five batches of changes: the index built during each merge finds every key where it is.
#[test]
fn indexes_are_rebuilt_while_merging() {
    let mut random = Random(5);
    let mut items: BTreeMap<[u8; 12], u64> = keys(3000, 10).into_iter().zip(0..).collect();
    for batch in 0..5 {
        let mut changes: BTreeMap<[u8; 12], Change<u64>> =
            keys(700, 20 + batch).into_iter().map(|key| (key, Change::Put(batch))).collect();
        for key in items.keys() {
            match random.next() % 16 {
                0 => _ = changes.insert(*key, Change::Delete),
                1 => _ = changes.insert(*key, Change::Put(batch)),
                _ => {}
            }
        }
        let old: Vec<_> = items.clone().into_iter().map(Ok::<_, ()>).collect();
        let new: Vec<_> = changes.clone().into_iter().map(Ok::<_, ()>).collect();
        let mut builder = Builder::new(Params::new(12), (old.len() + new.len()) as u64);
        let mut output = Vec::new();
        for item in Merge::new(old.into_iter(), new.into_iter()) {
            let item = item.unwrap();
            builder.push(&item.0).unwrap();
            output.push(item);
        }
        for (key, change) in changes {
            match change {
                Change::Put(value) => _ = items.insert(key, value),
                Change::Delete => _ = items.remove(&key),
            }
        }
        assert!(output.iter().copied().eq(items.clone()), "batch {batch}");
        let keys: Vec<_> = items.keys().copied().collect();
        verify(&builder.finish().unwrap(), &keys);
    }
}
