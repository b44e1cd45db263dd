//! The lossy index: the buckets of all partitions, in one mapping.

use std::io;
use std::sync::Arc;

use platform::Pages;
use platform::mapping::HUGE_PAGE_BYTES;
use platform::racy::Words;

use super::bucket::{BUCKET_WORDS, Bucket};
use crate::keyhash::KeyHash;

/// The buckets of a partition.
#[derive(Debug)]
pub(crate) struct Index {
    /// Those of all partitions: one mapping, so that no huge page is left half used but the last.
    words: Arc<Words>,
    first: usize,
    buckets: usize,
}

impl Index {
    /// The indexes of all partitions, of as many empty buckets each, at least one.
    pub(crate) fn open(
        partitions: usize,
        buckets: usize,
        pages: Pages,
        resident: bool,
    ) -> io::Result<Vec<Self>> {
        let words =
            buckets.checked_mul(BUCKET_WORDS * partitions).ok_or(io::ErrorKind::OutOfMemory)?;
        let words = Arc::new(Words::map(words, pages, resident)?);
        let index = |number| Self { words: Arc::clone(&words), first: number * buckets, buckets };
        Ok((0..partitions).map(index).collect())
    }

    /// How many there are.
    pub(crate) fn buckets(&self) -> usize {
        self.buckets
    }

    /// Bytes of the indexes of all partitions, on whole pages.
    pub(crate) fn bytes_of_all(&self) -> u64 {
        self.words.bytes().next_multiple_of(HUGE_PAGE_BYTES as u64)
    }

    /// Those on 2 MiB pages now, where the system tells.
    pub(crate) fn huge_bytes_of_all(&self) -> Option<u64> {
        self.words.huge_bytes()
    }

    /// The number of a key's bucket.
    #[inline]
    pub(crate) fn bucket_of(&self, hash: KeyHash) -> usize {
        hash.bucket(self.buckets)
    }

    /// A bucket.
    #[inline]
    pub(crate) fn bucket(&self, number: usize) -> Bucket<'_> {
        debug_assert!(number < self.buckets);
        Bucket { words: &self.words.all().as_chunks::<BUCKET_WORDS>().0[self.first + number] }
    }

    /// Asks the processor for a bucket.
    #[inline]
    pub(crate) fn prefetch(&self, number: usize) {
        let at = (self.first + number) * BUCKET_WORDS;
        self.words.prefetch_lines(at, BUCKET_WORDS, BUCKET_WORDS);
    }
}
