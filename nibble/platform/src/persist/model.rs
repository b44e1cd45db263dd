//! What may have persisted: every image that a crash can leave.
//!
//! The processor keeps a line's stores in order, and may write a line back whenever it likes. So at a
//! crash each line holds a prefix of the stores made to it, independent of all other lines, and no
//! shorter one than was flushed and then fenced. Words of eight bytes are not torn.
//!
//! The worst moment of all between two fences is just before the second: whatever an earlier crash
//! could have left, this one can leave too. So it is enough to look there
//! ([`watch`](Model::watch)) and where something is promised.
//!
//! One thread at a time works on a modelled region, and may act for several in turn
//! ([`act_as`](Model::act_as)): a fence counts for the flushes of the same one only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::panic::Location;

use super::LINE_WORDS;

/// A flush or fence, by its place in the source: file, line and column.
pub type Site = (&'static str, u32, u32);

type Watcher = Box<dyn FnMut(&Model) + Send>;

/// The images of one region.
#[derive(Default)]
pub struct Model {
    durable: Vec<u64>,
    lines: BTreeMap<u64, Line>,
    sites: BTreeSet<Site>,
    left_out: Option<Site>,
    watcher: Option<Watcher>,
    actor: u32,
}

/// Stores to a line since it was last certain.
#[derive(Debug, Default)]
struct Line {
    stores: Vec<(u64, u64)>,
    /// By thread, how many of them its next fence makes durable.
    flushed: BTreeMap<u32, usize>,
}

impl fmt::Debug for Model {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Model").field("lines", &self.lines).finish_non_exhaustive()
    }
}

impl Model {
    pub(super) fn new(image: &[u64]) -> Self {
        Self { durable: image.to_vec(), ..Self::default() }
    }

    pub(super) fn reset(&mut self, image: &[u64]) {
        self.lines.clear();
        self.durable.clear();
        self.durable.extend_from_slice(image);
    }

    pub(super) fn store(&mut self, at: u64, value: u64) {
        self.lines.entry(at / LINE_WORDS).or_default().stores.push((at, value));
    }

    pub(super) fn flush(&mut self, line: u64, place: &'static Location<'static>) {
        if self.passes(place)
            && let Some(line) = self.lines.get_mut(&line)
        {
            line.flushed.insert(self.actor, line.stores.len());
        }
    }

    pub(super) fn fence(&mut self, place: &'static Location<'static>) {
        if let Some(mut watcher) = self.watcher.take() {
            watcher(self);
            self.watcher = Some(watcher);
        }
        if !self.passes(place) {
            return;
        }
        let Self { durable, lines, actor, .. } = self;
        lines.retain(|_, line| {
            let certain = line.flushed.remove(actor).unwrap_or(0);
            for (at, value) in line.stores.drain(..certain) {
                durable[at as usize] = value;
            }
            line.flushed.values_mut().for_each(|count| *count = count.saturating_sub(certain));
            !line.stores.is_empty()
        });
    }

    /// Notes a flush or fence; whether it has an effect.
    fn passes(&mut self, place: &'static Location<'static>) -> bool {
        let site = (place.file(), place.line(), place.column());
        self.sites.insert(site);
        self.left_out != Some(site)
    }

    /// Flushes and fences are this thread's from now on; returns whose they were.
    pub fn act_as(&mut self, actor: u32) -> u32 {
        std::mem::replace(&mut self.actor, actor)
    }

    /// Calls `watcher` before each fence from now on, or nobody.
    pub fn watch(&mut self, watcher: Option<Watcher>) {
        self.watcher = watcher;
    }

    /// The flushes and fences that were made so far.
    #[must_use]
    pub fn sites(&self) -> &BTreeSet<Site> {
        &self.sites
    }

    /// Makes one flush or fence void: a planted fault.
    pub fn leave_out(&mut self, site: Option<Site>) {
        self.left_out = site;
    }

    /// How many images a crash may leave now, at most `u64::MAX`; some may be equal.
    #[must_use]
    pub fn count(&self) -> u64 {
        let choices = self.lines.values().map(|line| line.stores.len() as u64 + 1);
        choices.fold(1, u64::saturating_mul)
    }

    /// Whether a store to a line of this word is not certain yet.
    #[must_use]
    pub fn is_open(&self, at: u64) -> bool {
        self.lines.contains_key(&(at / LINE_WORDS))
    }

    /// A word of the image that is certain.
    #[must_use]
    pub fn durable(&self, at: u64) -> u64 {
        self.durable[at as usize]
    }

    /// Calls `visit` with each image that a crash may leave now; returns how many there were.
    pub fn for_each(&self, visit: impl FnMut(&[u64])) -> u64 {
        self.for_each_of(|_| false, visit)
    }

    /// The same with fewer images: of lines that begin at a `coarse` word, all stores persist or
    /// none. That is enough where nobody reads what is not complete.
    pub fn for_each_of(&self, coarse: impl Fn(u64) -> bool, mut visit: impl FnMut(&[u64])) -> u64 {
        let choices: Vec<(&[(u64, u64)], usize)> = self
            .lines
            .iter()
            .map(|(line, Line { stores, .. })| {
                (&**stores, if coarse(line * LINE_WORDS) { stores.len() } else { 1 })
            })
            .collect();
        let mut image = self.durable.clone();
        let mut chosen = vec![0; choices.len()];
        let mut visited = 0;
        loop {
            visit(&image);
            visited += 1;
            // The next combination: one step more on the first line that has one left, and none on
            // those before.
            let has_more = |&line: &usize| chosen[line] < choices[line].0.len();
            let Some(next) = (0..choices.len()).find(has_more) else { return visited };
            for line in 0..next {
                chosen[line] = 0;
                for &(at, _) in choices[line].0 {
                    image[at as usize] = self.durable[at as usize];
                }
            }
            let (stores, step) = choices[next];
            for &(at, value) in &stores[chosen[next]..chosen[next] + step] {
                image[at as usize] = value;
            }
            chosen[next] += step;
        }
    }

    /// An image that a crash may leave now. `below` gives a random number below its argument.
    pub fn sample(&self, mut below: impl FnMut(u64) -> u64) -> Vec<u64> {
        let mut image = self.durable.clone();
        for line in self.lines.values() {
            let most = line.stores.len() as u64;
            // The ends are as likely as all that lies between.
            let kept = match below(3) {
                0 => 0,
                1 => most,
                _ => below(most + 1),
            };
            for &(at, value) in &line.stores[..kept as usize] {
                image[at as usize] = value;
            }
        }
        image
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::persist::Region;

    fn images(region: &Region, words: [usize; 3]) -> BTreeSet<[u64; 3]> {
        let mut found = BTreeSet::new();
        let model = region.model().unwrap();
        let visited = model.for_each(|image| {
            found.insert(words.map(|at| image[at]));
        });
        assert_eq!(visited, model.count());
        found
    }

    #[test]
    fn each_line_holds_a_prefix_of_its_stores_and_what_was_fenced() {
        let region = Region::modelled(&[0; 32]).unwrap();
        let words = [0, 1, 8];
        region.store(0, 1);
        region.store(1, 2);
        region.store(8, 3);
        // Of the first line nothing, the first word, or both; of the second its word or not.
        let all = [[0, 0, 0], [1, 0, 0], [1, 2, 0], [0, 0, 3], [1, 0, 3], [1, 2, 3]];
        assert_eq!(images(&region, words), BTreeSet::from(all));
        region.flush(0, 2);
        assert_eq!(images(&region, words), BTreeSet::from(all), "a flush alone promises nothing");
        region.store(0, 4);
        region.fence();
        let rest = [[1, 2, 0], [1, 2, 3], [4, 2, 0], [4, 2, 3]];
        assert_eq!(
            images(&region, words),
            BTreeSet::from(rest),
            "the store after the flush is open"
        );
    }

    #[test]
    fn a_fence_counts_for_the_flushes_of_its_own_thread() {
        let region = Region::modelled(&[0; 8]).unwrap();
        region.store(0, 1);
        region.flush(0, 1);
        region.model().unwrap().act_as(1);
        region.fence();
        assert_eq!(region.model().unwrap().count(), 2);
        region.store(1, 2);
        region.flush(0, 2);
        region.model().unwrap().act_as(0);
        region.fence();
        assert_eq!(images(&region, [0, 1, 2]), BTreeSet::from([[1, 0, 0], [1, 2, 0]]));
        region.model().unwrap().act_as(1);
        region.fence();
        assert_eq!(region.model().unwrap().count(), 1);
    }

    #[test]
    fn a_site_that_is_left_out_has_no_effect() {
        let region = Region::modelled(&[0; 8]).unwrap();
        let persist = |value| {
            region.store(0, value);
            region.flush(0, 1);
            region.fence();
        };
        persist(1);
        let sites = region.model().unwrap().sites().clone();
        assert_eq!(sites.len(), 2);
        for site in sites {
            region.fill(&[0; 8]);
            region.model().unwrap().leave_out(Some(site));
            persist(2);
            assert_eq!(region.model().unwrap().count(), 2, "{site:?}");
        }
    }

    #[test]
    fn samples_are_images() {
        let region = Region::modelled(&[0; 16]).unwrap();
        (1..=3).for_each(|value| region.store(value, value));
        region.store(9, 9);
        let mut number = 0_u64;
        let mut seen = BTreeSet::new();
        for _ in 0..200 {
            let image = region.model().unwrap().sample(|bound| {
                number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(7);
                (number >> 33) % bound
            });
            seen.insert([1, 2, 3, 9].map(|at| image[at]));
        }
        assert_eq!(seen.len(), 8, "{seen:?}");
    }
}
