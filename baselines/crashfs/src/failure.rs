//! Which changes survive, and the fewest losses that explain a fault.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::change::Change;
use crate::tree::{Inode, Tree};

/// How much a disk keeps of the order in which it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All that came before some moment survives, and nothing after it; what is synchronised waits for all.
    AsIssued,
    /// Any sectors of any files survive, and of the journal what came before some moment.
    Any,
}

/// A disk at the moment when its power failed.
#[derive(Clone, Debug)]
pub struct Failure {
    durable: Tree,
    /// Not synchronised, in order, by sectors.
    pending: Vec<Change>,
    order: Order,
    /// How much was acknowledged.
    pub acknowledged: u64,
}

/// Which of the changes survive that were not synchronised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept(Vec<bool>);

/// Changes of which a prefix survives.
type History = Option<(Inode, u64)>;

impl Failure {
    pub(crate) fn new(
        durable: Tree,
        pending: Vec<Change>,
        order: Order,
        acknowledged: u64,
    ) -> Self {
        let pending = pending.into_iter().flat_map(Change::by_sectors).collect();
        Self { durable, pending, order, acknowledged }
    }

    /// Draws what survives; `below(n)` is a random number below `n`.
    pub fn draw(&self, mut below: impl FnMut(u64) -> u64) -> Kept {
        let mut lengths: BTreeMap<History, u64> = BTreeMap::new();
        for change in &self.pending {
            *lengths.entry(self.history(change)).or_default() += 1;
        }
        // Of a file often all or nothing survives: programs notice less when everything is in parts.
        let mut ways: BTreeMap<Option<Inode>, u64> = BTreeMap::new();
        let mut left: BTreeMap<History, u64> = BTreeMap::new();
        for (history, length) in lengths {
            let way = ways.entry(history.map(|(inode, _)| inode)).or_insert_with(|| below(4));
            let kept = match (self.order, *way) {
                (Order::Any, 0) => 0,
                (Order::Any, 1) => length,
                _ => below(length + 1),
            };
            left.insert(history, kept);
        }
        let kept = self.pending.iter().map(|change| {
            let left = left.get_mut(&self.history(change)).expect("counted above");
            let survives = *left > 0;
            *left = left.saturating_sub(1);
            survives
        });
        Kept(kept.collect())
    }

    fn history(&self, change: &Change) -> History {
        match self.order {
            Order::AsIssued => None,
            Order::Any => change.sector(),
        }
    }

    /// The files that survive.
    #[must_use]
    pub fn survivors(&self, kept: &Kept) -> Tree {
        let mut tree = self.durable.clone();
        let kept = self.pending.iter().zip(&kept.0).filter(|(_, kept)| **kept);
        kept.for_each(|(change, _)| tree.apply(change));
        tree.sweep();
        tree
    }

    /// Takes losses back as long as `is_wrong` still finds the fault: what is left explains it.
    pub fn fewest_losses(&self, kept: Kept, mut is_wrong: impl FnMut(&Tree) -> bool) -> Kept {
        let files: BTreeSet<_> = self.pending.iter().map(Change::contents).collect();
        let mut kept = kept;
        let mut attempt = |mut more: Kept, wanted: &dyn Fn(usize) -> bool| {
            let before = more.clone();
            (0..more.0.len()).filter(|at| wanted(*at)).for_each(|at| more.0[at] = true);
            let is_new = more != before && self.is_possible(&more);
            if is_new && is_wrong(&self.survivors(&more)) { more } else { before }
        };
        for file in files {
            kept = attempt(kept, &|at| self.pending[at].contents() == file);
        }
        for at in 0..kept.0.len() {
            kept = attempt(kept, &|one| one == at);
        }
        kept
    }

    /// Whether of every history a prefix survives.
    fn is_possible(&self, kept: &Kept) -> bool {
        let mut ended = BTreeSet::new();
        self.pending.iter().zip(&kept.0).all(|(change, kept)| {
            let history = self.history(change);
            if !kept {
                ended.insert(history);
            }
            !kept || !ended.contains(&history)
        })
    }

    /// What is lost, a line for each name and each range of a file.
    #[must_use]
    pub fn losses(&self, kept: &Kept) -> Vec<String> {
        let mut all = self.durable.clone();
        let mut ever: BTreeMap<Inode, String> = BTreeMap::new();
        let mut note = |tree: &Tree| {
            for (path, inode) in tree.paths() {
                ever.insert(inode, path.display().to_string());
            }
        };
        note(&all);
        for change in &self.pending {
            all.apply(change);
            if change.contents().is_none() {
                note(&all);
            }
        }
        let name = |inode: &Inode| ever.get(inode).map_or("a file without a name", |name| name);
        let mut lines = Vec::new();
        let mut last: Option<(Inode, u64, u64)> = None;
        let tell = |last: &mut Option<(Inode, u64, u64)>, lines: &mut Vec<String>| {
            if let Some((inode, first, end)) = last.take() {
                lines.push(format!("bytes {first} to {end} of {}", name(&inode)));
            }
        };
        for (change, _) in self.pending.iter().zip(&kept.0).filter(|(_, kept)| !**kept) {
            if let Change::Write { inode, offset, data, .. } = change {
                let end = offset + data.len() as u64;
                match &mut last {
                    Some((file, _, to)) if file == inode && to == offset => *to = end,
                    _ => {
                        tell(&mut last, &mut lines);
                        last = Some((*inode, *offset, end));
                    }
                }
                continue;
            }
            tell(&mut last, &mut lines);
            let shown =
                |(_, name): &(Inode, std::ffi::OsString)| Path::new(name).display().to_string();
            lines.push(match change {
                Change::Make { at, .. } => format!("the name {}", shown(at)),
                Change::Remove { at } => format!("the removal of {}", shown(at)),
                Change::Rename { from, to } => {
                    format!("the renaming of {} to {}", shown(from), shown(to))
                }
                Change::Resize { inode, bytes } => format!("the length {bytes} of {}", name(inode)),
                Change::Write { .. } => unreachable!("told above"),
            });
        }
        tell(&mut last, &mut lines);
        lines
    }
}
