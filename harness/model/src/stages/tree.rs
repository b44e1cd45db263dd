//! A levelled tree of sorted tables, of which only the keys are kept: enough to count what it writes.

/// Which table of a level is compacted next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The first table behind the last compacted key, as LevelDB does.
    InTurn,
    /// The table with the most items, as RocksDB 3.9 does (§4.7).
    Largest,
}

/// Limits of a tree, in items.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    pub(super) level0_tables: usize,
    /// Of levels from 1 on; the last has none that matters.
    pub(super) level_items: Vec<f64>,
    pub(super) table_items: usize,
    /// Items of the level after the next that one new table may overlap with.
    pub(super) overlap_items: usize,
    pub(super) pick: Pick,
}

/// Keys of one table, ascending and not empty.
type Table = Vec<u32>;

#[derive(Debug, Default)]
struct Level {
    /// Ascending, and not overlapping.
    tables: Vec<Table>,
    items: usize,
    /// Largest key of the table that was compacted last.
    last_key: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Tree {
    limits: Limits,
    level0: Vec<Table>,
    /// From level 1 on.
    levels: Vec<Level>,
    /// Items written into each level from 0 on.
    written: Vec<u64>,
}

impl Tree {
    pub(super) fn new(limits: Limits) -> Self {
        let count = limits.level_items.len();
        let levels = (0..count).map(|_| Level::default()).collect();
        Self { limits, level0: Vec::new(), levels, written: vec![0; count + 1] }
    }

    /// Items written into each level from 0 on, so far.
    pub(super) fn written(&self) -> &[u64] {
        &self.written
    }

    /// Items in each level from 1 on.
    #[cfg(test)]
    pub(super) fn level_items(&self) -> Vec<usize> {
        self.levels.iter().map(|level| level.items).collect()
    }

    /// All keys of the tree, ascending.
    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<u32> {
        let levels = self.levels.iter().flat_map(|level| &level.tables);
        let mut keys: Vec<u32> = self.level0.iter().chain(levels).flatten().copied().collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Tables have the sizes they may have, ascend and do not overlap, and levels count their items.
    #[cfg(test)]
    pub(super) fn check(&self) {
        for level in &self.levels {
            let keys: Vec<u32> = level.tables.iter().flatten().copied().collect();
            assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "out of order");
            assert_eq!(keys.len(), level.items);
            let sizes = level.tables.iter().map(Vec::len);
            assert!(sizes.clone().all(|len| len > 0 && len <= self.limits.table_items));
        }
    }

    /// Writes the keys of a full write buffer as a table of level 0, and compacts until no level is
    /// beyond its limit.
    pub(super) fn flush(&mut self, mut keys: Vec<u32>) {
        keys.sort_unstable();
        keys.dedup();
        self.written[0] += keys.len() as u64;
        self.level0.push(keys);
        while let Some(level) = self.fullest() {
            if level == 0 { self.compact_level0() } else { self.compact(level - 1) }
        }
    }

    /// The level that is furthest beyond its limit; of equals the upper.
    fn fullest(&self) -> Option<usize> {
        let level0 = self.level0.len() as f64 / self.limits.level0_tables as f64;
        let above_last = self.levels.len() - 1;
        let others = self.levels[..above_last].iter().zip(&self.limits.level_items);
        let fills = others.map(|(level, limit)| level.items as f64 / limit);
        let mut fullest = (0, level0);
        for (level, fill) in (1..).zip(fills) {
            if fill > fullest.1 {
                fullest = (level, fill);
            }
        }
        (fullest.1 >= 1.0).then_some(fullest.0)
    }

    fn compact_level0(&mut self) {
        let mut keys: Vec<u32> = self.level0.drain(..).flatten().collect();
        keys.sort_unstable();
        keys.dedup();
        self.merge_into(0, keys);
    }

    /// Compacts one table of `self.levels[at]` into the next.
    fn compact(&mut self, at: usize) {
        let level = &mut self.levels[at];
        let table = match self.limits.pick {
            Pick::InTurn => {
                let behind = level
                    .last_key
                    .map_or(0, |last| level.tables.partition_point(|table| table[0] <= last));
                if behind == level.tables.len() { 0 } else { behind }
            }
            Pick::Largest => {
                let sizes = level.tables.iter().enumerate().map(|(at, table)| (table.len(), at));
                sizes.max_by_key(|&(len, at)| (len, usize::MAX - at)).map_or(0, |(_, at)| at)
            }
        };
        let keys = level.tables.remove(table);
        level.items -= keys.len();
        level.last_key = keys.last().copied();
        self.merge_into(at + 1, keys);
    }

    /// Merges `keys` with the tables of `self.levels[at]` that they overlap with.
    fn merge_into(&mut self, at: usize, keys: Table) {
        let (first, last) = (keys[0], keys[keys.len() - 1]);
        let tables = &self.levels[at].tables;
        let from = tables.partition_point(|table| table[table.len() - 1] < first);
        let to = tables.partition_point(|table| table[0] <= last);
        let old: usize = tables[from..to].iter().map(Vec::len).sum();
        let merged = union(&keys, tables[from..to].iter().flatten().copied(), old);
        let items = merged.len();
        let new = self.cut(at, &merged);
        let level = &mut self.levels[at];
        level.items = level.items - old + items;
        level.tables.splice(from..to, new);
        self.written[at + 1] += items as u64;
    }

    /// `keys` in tables of no more than the most items and the most overlap with the level after `at`.
    fn cut(&self, at: usize, keys: &[u32]) -> Vec<Table> {
        let below: &[Table] = self.levels.get(at + 1).map_or(&[], |level| &level.tables);
        let mut next = below.partition_point(|table| table[table.len() - 1] < keys[0]);
        let (mut tables, mut start, mut overlap) = (Vec::new(), 0, 0);
        for (end, &key) in keys.iter().enumerate() {
            while next < below.len() && below[next][below[next].len() - 1] < key {
                // The first key of a table passes what lies before it without overlapping.
                overlap += if end > start { below[next].len() } else { 0 };
                next += 1;
            }
            let full = end - start >= self.limits.table_items;
            if full || overlap > self.limits.overlap_items {
                tables.push(keys[start..end].to_vec());
                (start, overlap) = (end, 0);
            }
        }
        tables.push(keys[start..].to_vec());
        tables
    }
}

/// All keys of both, ascending, each once; both are ascending, and `others` has `count` keys.
fn union(keys: &[u32], others: impl Iterator<Item = u32>, count: usize) -> Vec<u32> {
    let mut all = Vec::with_capacity(keys.len() + count);
    let mut rest = keys;
    for other in others {
        while let [key, tail @ ..] = rest
            && *key < other
        {
            all.push(*key);
            rest = tail;
        }
        if let [key, tail @ ..] = rest
            && *key == other
        {
            rest = tail;
        }
        all.push(other);
    }
    all.extend_from_slice(rest);
    all
}
