//! The invariants that hold when no session operates and every log is drained.

use std::collections::HashMap;

use platform::persist::Touched;

use crate::cells::Direct;
use crate::store::Shared;

/// Walks both tables.
pub(crate) fn check(shared: &Shared) -> Result<(), String> {
    let counted = (shared.live.objects(), shared.live.value_bytes());
    let in_back = if shared.back.is_some() { Some(walk_back(shared)?) } else { None };
    let mut in_front = HashMap::new();
    let mut buried = 0;
    if let Some(front) = &shared.front {
        front.for_each(|key, value, _| match value {
            Some(value) => _ = in_front.insert(key, value.to_vec()),
            None => buried += 1,
        });
    }
    let drained = shared.logs.iter().all(|log| log.backlog() == 0);
    let found = match &in_back {
        Some(back) if drained => back,
        _ => &in_front.iter().map(|(&key, value)| (key, value.len() as u64)).collect(),
    };
    let sums = (found.len() as u64, found.values().sum::<u64>());
    if (drained || shared.is_complete) && sums != counted {
        return Err(format!("{sums:?} pairs and bytes, and {counted:?} are counted"));
    }
    let Some(in_back) = in_back.filter(|_| drained && shared.front.is_some()) else {
        return Ok(());
    };
    if buried > 0 {
        return Err(format!("{buried} tombstones are left, and no record is"));
    }
    if shared.is_complete && in_front.len() != in_back.len() {
        return Err(format!("{} pairs in front, {} in the back", in_front.len(), in_back.len()));
    }
    let mut touched = Touched::default();
    for (key, value) in in_front {
        let mut other = vec![0; value.len()];
        let bytes = shared.back().get(&mut touched, key, &mut other);
        if bytes != Some(value.len() as u64) || other != value {
            return Err(format!("key {key:#x} differs in front and in the back ({bytes:?} bytes)"));
        }
    }
    Ok(())
}

/// Pairs with a value and their lengths. Each block has one owner.
fn walk_back(shared: &Shared) -> Result<HashMap<u64, u64>, String> {
    let back = shared.back();
    let mut pairs = HashMap::new();
    let mut blocks = Vec::new();
    let mut twice = None;
    back.for_each(|block, words, key, bytes, _| {
        blocks.push((block, crate::heap::block_words(words)));
        if let Some(bytes) = bytes
            && pairs.insert(key, bytes).is_some()
        {
            twice = Some(key);
        }
    })?;
    if let Some(key) = twice {
        return Err(format!("key {key:#x} is in the back twice"));
    }
    let mut touched = Touched::default();
    let mut cells = Direct { region: &back.region, touched: &mut touched };
    back.heap.for_each_free(&mut cells, |block, words| blocks.push((block, words)));
    blocks.sort_unstable();
    if let Some(pair) = blocks.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
        return Err(format!("blocks overlap: {pair:?}"));
    }
    let end = back.region.load(back.layout.bump_at());
    match (blocks.first(), blocks.last()) {
        (Some(first), Some(last)) if first.0 < back.layout.heap_at() || last.0 + last.1 > end => {
            Err(format!("blocks from {first:?} to {last:?}, and the heap ends at {end}"))
        }
        _ => Ok(pairs),
    }
}
