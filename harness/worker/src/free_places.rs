//! Places without an object, by the thread that freed them.

use std::io;

use super::mapped::MappedSlice;

/// Free places of each thread: a doubly-ended list, linked through a slice of its own.
///
/// A thread reuses the place that it freed last, which is likely to be in its cache. If it has none, it
/// takes the place that another thread freed longest ago, because events on a place wait for that
/// thread's last event there, which is then most likely done.
#[derive(Debug)]
pub(super) struct FreePlaces {
    ends: Vec<Ends>,
    links: MappedSlice<Links>,
}

/// A place's number plus one; 0 for none.
type Link = u32;

#[derive(Clone, Copy, Debug, Default)]
struct Ends {
    oldest: Link,
    newest: Link,
}

/// The neighbours of a free place in its list.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Links {
    older: Link,
    newer: Link,
}

impl FreePlaces {
    /// Empty lists for `threads` threads and up to `places` places.
    pub(super) fn new(threads: usize, places: usize) -> io::Result<Self> {
        let links = MappedSlice::resident(places)?;
        Ok(Self { ends: vec![Ends::default(); threads], links })
    }

    /// Notes that `thread` has freed `place`.
    pub(super) fn put(&mut self, thread: u32, place: u32) {
        let link = place + 1;
        let ends = &mut self.ends[thread as usize];
        self.links[place as usize] = Links { older: ends.newest, newer: 0 };
        match ends.newest {
            0 => ends.oldest = link,
            newest => self.links[newest as usize - 1].newer = link,
        }
        ends.newest = link;
    }

    /// Takes a free place for `thread`.
    pub(super) fn take(&mut self, thread: u32) -> Option<u32> {
        let own = &mut self.ends[thread as usize];
        if let Some(place) = own.newest.checked_sub(1) {
            own.newest = self.links[place as usize].older;
            match own.newest {
                0 => own.oldest = 0,
                newest => self.links[newest as usize - 1].newer = 0,
            }
            return Some(place);
        }
        let other = self.ends.iter_mut().find(|ends| ends.oldest != 0)?;
        let place = other.oldest - 1;
        other.oldest = self.links[place as usize].newer;
        match other.oldest {
            0 => other.newest = 0,
            oldest => self.links[oldest as usize - 1].older = 0,
        }
        Some(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ones_own_newest_comes_first_and_then_anothers_oldest() {
        let mut free = FreePlaces::new(2, 10).unwrap();
        assert_eq!(free.take(0), None);
        for place in [3, 9, 0] {
            free.put(0, place);
        }
        free.put(1, 5);
        assert_eq!(free.take(0), Some(0));
        let taken: Vec<Option<u32>> = (0..4).map(|_| free.take(1)).collect();
        assert_eq!(taken, [Some(5), Some(3), Some(9), None]);
        free.put(0, 9);
        assert_eq!((free.take(0), free.take(0)), (Some(9), None));
    }
}
