//! A region of persistent words: accesses, flushes and fences.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::latency::{Calibration, Latency, wait};
use super::lines::{WriteBack, store_fence};
use super::model::Model;
use super::{LINE_WORDS, Touched};
use crate::Pages;
use crate::racy::{WORD_BYTES, Words, copy_out};

/// What a region is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// DRAM: a flush costs nothing, a fence and an access wait.
    Emulated,
    /// DRAM with `clwb` and `sfence`; an access waits.
    WriteBack,
}

/// Words that are durable once they are flushed and a fence has followed.
///
/// Addresses are numbers of words from the region's start, so they mean the same wherever it is
/// mapped. Accesses are relaxed: who shares words orders them by other means.
#[derive(Debug)]
pub struct Region {
    words: Words,
    length: u64,
    behind: Behind,
}

#[derive(Debug)]
enum Behind {
    Waits { write_back: Option<WriteBack>, fence_ticks: u64, load_ticks: u64 },
    Model(Box<Mutex<Model>>),
}

impl Behind {
    fn new(medium: Medium, latency: Latency) -> io::Result<Self> {
        let write_back = match medium {
            Medium::WriteBack => {
                let found = WriteBack::of_this_processor();
                Some(found.ok_or(io::Error::from(io::ErrorKind::Unsupported))?)
            }
            Medium::Emulated => None,
        };
        let ticks = |ns| if ns == 0 { 0 } else { Calibration::of_process().ticks(ns) };
        Ok(Self::Waits {
            write_back,
            fence_ticks: if write_back.is_some() { 0 } else { ticks(latency.fence_ns) },
            load_ticks: ticks(latency.load_ns),
        })
    }
}

impl Region {
    /// Maps `length` words of memory, all zero.
    ///
    /// # Errors
    /// The system's error if address space is exhausted; [`Unsupported`](io::ErrorKind::Unsupported)
    /// if the processor lacks the medium's instruction.
    pub fn map(length: u64, medium: Medium, latency: Latency, pages: Pages) -> io::Result<Self> {
        let behind = Behind::new(medium, latency)?;
        Ok(Self { words: Words::map(length as usize, pages, false)?, length, behind })
    }

    /// Maps all whole words of a file.
    ///
    /// # Errors
    /// As for [`map`](Self::map), and the system's of the file.
    pub fn of_file(file: &File, medium: Medium, latency: Latency) -> io::Result<Self> {
        let behind = Behind::new(medium, latency)?;
        let length = file.metadata()?.len() / WORD_BYTES as u64;
        Ok(Self { words: Words::of_file(file.as_fd(), length as usize)?, length, behind })
    }

    /// A region before a crash model, which holds `image` and counts it as durable.
    ///
    /// # Errors
    /// The system's if address space is exhausted.
    pub fn modelled(image: &[u64]) -> io::Result<Self> {
        let model = Box::new(Mutex::new(Model::new(image)));
        let words = Words::map(image.len(), Pages::Small, false)?;
        let region = Self { words, length: image.len() as u64, behind: Behind::Model(model) };
        region.fill(image);
        Ok(region)
    }

    /// Overwrites the whole region with an image, which a model then counts as durable.
    ///
    /// # Panics
    /// If the image is longer than the region.
    pub fn fill(&self, image: &[u64]) {
        assert!(image.len() as u64 <= self.length, "an image of the region's length");
        for (word, &value) in self.words.all().iter().zip(image) {
            // Relaxed: as everywhere here.
            word.store(value, Ordering::Relaxed);
        }
        if let Some(mut model) = self.model() {
            model.reset(image);
        }
    }

    /// The model behind the region, if it has one.
    pub fn model(&self) -> Option<MutexGuard<'_, Model>> {
        match &self.behind {
            // A test that panics while it holds the model has failed already.
            Behind::Model(model) => Some(model.lock().unwrap_or_else(PoisonError::into_inner)),
            Behind::Waits { .. } => None,
        }
    }

    /// Number of words.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// A word that is not meant to persist, such as a lock: a crash may leave any value in it.
    #[inline]
    #[must_use]
    pub fn volatile(&self, at: u64) -> &AtomicU64 {
        &self.words.all()[at as usize]
    }

    /// Reads a word.
    #[inline]
    #[must_use]
    pub fn load(&self, at: u64) -> u64 {
        // Relaxed: who shares the word orders its accesses.
        self.words.all()[at as usize].load(Ordering::Relaxed)
    }

    /// Copies the bytes from word `at` on to `to`.
    #[inline]
    pub fn copy_out(&self, at: u64, to: &mut [u8]) {
        copy_out(&self.words.all()[at as usize..], to);
    }

    /// Writes a word. It may persist at any time from now on.
    #[inline]
    pub fn store(&self, at: u64, value: u64) {
        // Relaxed: as for loads.
        self.words.all()[at as usize].store(value, Ordering::Relaxed);
        if let Some(mut model) = self.model() {
            model.store(at, value);
        }
    }

    /// Writes words from `at` on, in order.
    #[inline]
    pub fn store_all(&self, at: u64, values: &[u64]) {
        if let Behind::Model(_) = self.behind {
            (at..).zip(values).for_each(|(at, &value)| self.store(at, value));
            return;
        }
        let words = &self.words.all()[at as usize..at as usize + values.len()];
        for (word, &value) in words.iter().zip(values) {
            // Relaxed: as for loads.
            word.store(value, Ordering::Relaxed);
        }
    }

    /// Begins to write back the lines of `words` words from `at` on. They are durable when a
    /// [`fence`](Self::fence) has followed.
    #[inline]
    #[track_caller]
    pub fn flush(&self, at: u64, words: u64) {
        let lines = at / LINE_WORDS..(at + words.max(1) - 1) / LINE_WORDS + 1;
        match &self.behind {
            Behind::Waits { write_back: None, .. } => {}
            Behind::Waits { write_back: Some(write_back), .. } => {
                for line in lines {
                    write_back.line_of(&self.words.all()[(line * LINE_WORDS) as usize]);
                }
            }
            Behind::Model(_) => {
                let place = Location::caller();
                let mut model = self.model().expect("a model is behind it");
                lines.for_each(|line| model.flush(line, place));
            }
        }
    }

    /// Makes durable what was flushed before.
    #[inline]
    #[track_caller]
    pub fn fence(&self) {
        match &self.behind {
            Behind::Waits { fence_ticks, .. } => {
                store_fence();
                wait(*fence_ticks);
            }
            Behind::Model(_) => {
                self.model().expect("a model is behind it").fence(Location::caller());
            }
        }
    }

    /// Waits for what the lines of `words` words from `at` on cost an operation that has not touched
    /// them yet.
    #[inline]
    pub fn charge(&self, touched: &mut Touched, at: u64, words: u64) {
        let Behind::Waits { load_ticks, .. } = self.behind else { return };
        if load_ticks == 0 {
            return;
        }
        let lines = at / LINE_WORDS..(at + words.max(1) - 1) / LINE_WORDS + 1;
        let fresh = lines.filter(|&line| touched.note(line)).count() as u64;
        wait(fresh * load_ticks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_kept_in_every_medium() {
        let mut regions = vec![
            Region::map(64, Medium::Emulated, Latency::USUAL, Pages::Small).unwrap(),
            Region::modelled(&[0; 64]).unwrap(),
        ];
        let real = Region::map(64, Medium::WriteBack, Latency::NONE, Pages::Small);
        assert_eq!(real.is_ok(), crate::persist::has_write_back());
        regions.extend(real);
        for region in regions {
            let mut touched = Touched::default();
            region.store_all(5, &[1, 2, 3, 4, 5]);
            region.store(6, 9);
            region.flush(5, 5);
            region.fence();
            region.charge(&mut touched, 5, 5);
            let found: Vec<_> = (4..11).map(|at| region.load(at)).collect();
            assert_eq!(found, [0, 1, 9, 3, 4, 5, 0]);
            let mut bytes = [0; 9];
            region.copy_out(6, &mut bytes);
            assert_eq!(bytes, [9, 0, 0, 0, 0, 0, 0, 0, 3]);
        }
    }

    #[test]
    fn a_file_keeps_the_words_for_the_next_mapping() {
        let path = std::env::temp_dir().join(format!("persist-{}", std::process::id()));
        let mut open = File::options();
        let file = open.read(true).write(true).create(true).truncate(true).open(&path).unwrap();
        file.set_len(4099).unwrap();
        let map = || Region::of_file(&file, Medium::Emulated, Latency::NONE).unwrap();
        map().store(511, 77);
        let again = map();
        assert_eq!((again.length(), again.load(511)), (512, 77));
        std::fs::remove_file(&path).unwrap();
    }
}
