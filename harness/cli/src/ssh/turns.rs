//! Which host measures which shard next.

use std::collections::{BTreeMap, BTreeSet};

/// How many hosts a shard may fail on before it is given up.
const FAILURES: usize = 3;

/// What a free host does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// It measures that shard.
    Shard(u32),
    /// It waits: others measure what is left, and one of them may be lost.
    Wait,
    /// Nothing is left for it.
    Nothing,
}

/// The shards of a plan, shared out among hosts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns {
    free: BTreeSet<u32>,
    /// By shard: the host that measures it.
    taken: BTreeMap<u32, String>,
    /// By shard: the host that has its rows so far.
    begun: BTreeMap<u32, String>,
    /// By shard: the hosts on which it failed, though they could be reached.
    failed: BTreeMap<u32, BTreeSet<String>>,
}

impl Turns {
    /// Those of the shards that are `left`; rows of some are on the host that has `begun` them.
    pub(crate) fn new(left: impl IntoIterator<Item = u32>, begun: BTreeMap<u32, String>) -> Self {
        Self { free: left.into_iter().collect(), begun, ..Self::default() }
    }

    /// The host's turn: what it has begun itself, or else what nobody has, or else what a host began that is
    /// lost. It measures that from the beginning.
    pub(crate) fn next(&mut self, host: &str) -> Turn {
        let may = |shard: &&u32| !self.failed.get(shard).is_some_and(|hosts| hosts.contains(host));
        let order = |shard: &&u32| match self.begun.get(shard) {
            Some(by) if by == host => 0,
            None => 1,
            Some(_) => 2,
        };
        let Some(&shard) = self.free.iter().filter(may).min_by_key(order) else {
            return if self.is_over() { Turn::Nothing } else { Turn::Wait };
        };
        self.free.remove(&shard);
        self.taken.insert(shard, host.to_owned());
        self.begun.insert(shard, host.to_owned());
        Turn::Shard(shard)
    }

    /// The shard is there.
    pub(crate) fn finished(&mut self, shard: u32) {
        self.taken.remove(&shard);
        self.begun.remove(&shard);
    }

    /// Its host cannot be reached any more: whoever is free measures it.
    pub(crate) fn lost(&mut self, shard: u32) {
        self.taken.remove(&shard);
        self.free.insert(shard);
    }

    /// It failed on a host that can be reached: another one tries.
    pub(crate) fn failed(&mut self, shard: u32) {
        let host = self.taken.remove(&shard).unwrap_or_default();
        self.free.insert(shard);
        self.failed.entry(shard).or_default().insert(host);
    }

    /// A shard that nobody takes any more: it failed on too many hosts, or on all that are there.
    pub(crate) fn given_up(&self, hosts: &BTreeSet<String>) -> Option<u32> {
        let none = BTreeSet::new();
        let failed = |shard: &u32| self.failed.get(shard).unwrap_or(&none);
        let is_over = |shard: &&u32| {
            let failed = failed(shard);
            failed.len() >= FAILURES || hosts.is_subset(failed)
        };
        self.free.iter().find(is_over).copied()
    }

    /// Whether all shards are there.
    pub(crate) fn is_over(&self) -> bool {
        self.free.is_empty() && self.taken.is_empty()
    }

    /// Shards that are not there.
    pub(crate) fn left(&self) -> Vec<u32> {
        let left: BTreeSet<u32> = self.free.iter().chain(self.taken.keys()).copied().collect();
        left.into_iter().collect()
    }

    /// Which host has the rows of each shard that was begun.
    pub(crate) fn begun(&self) -> &BTreeMap<u32, String> {
        &self.begun
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_hosts_shard_goes_to_the_first_that_is_free() {
        let mut turns = Turns::new(1..=3, BTreeMap::new());
        assert_eq!((turns.next("a"), turns.next("b")), (Turn::Shard(1), Turn::Shard(2)));
        turns.lost(1);
        turns.finished(2);
        assert_eq!(turns.next("b"), Turn::Shard(3), "what nobody has begun comes first");
        turns.finished(3);
        assert_eq!(turns.next("b"), Turn::Shard(1));
        assert_eq!(turns.next("a"), Turn::Wait, "for it is measured");
        assert_eq!(turns.left(), [1]);
        turns.finished(1);
        assert_eq!((turns.next("a"), turns.next("b")), (Turn::Nothing, Turn::Nothing));
    }

    #[test]
    fn a_host_goes_on_with_what_it_has_begun() {
        let begun = BTreeMap::from([(1, "a".to_owned()), (2, "b".to_owned())]);
        let mut turns = Turns::new(1..=3, begun);
        assert_eq!(turns.next("b"), Turn::Shard(2));
        turns.lost(2);
        assert_eq!(turns.next("b"), Turn::Shard(2), "it has its rows");
        assert_eq!(turns.next("c"), Turn::Shard(3));
        assert_eq!(turns.next("a"), Turn::Shard(1));
        assert_eq!(turns.begun()[&3], "c");
    }

    #[test]
    fn a_shard_that_fails_is_tried_by_others_and_then_given_up() {
        let hosts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let mut turns = Turns::new([1], BTreeMap::new());
        assert_eq!(turns.next("a"), Turn::Shard(1));
        turns.failed(1);
        assert_eq!(turns.next("a"), Turn::Wait, "not once more here");
        assert_eq!(turns.given_up(&hosts(&["a", "b"])), None);
        assert_eq!(turns.given_up(&hosts(&["a"])), Some(1), "the other is gone");
        for host in ["b", "c"] {
            assert_eq!(turns.next(host), Turn::Shard(1));
            turns.failed(1);
        }
        assert_eq!(turns.given_up(&hosts(&["a", "b", "c", "d"])), Some(1), "three have tried");
        let turns = Turns::new([2], BTreeMap::new());
        assert_eq!(turns.given_up(&hosts(&[])), Some(2), "nobody is there");
    }
}
