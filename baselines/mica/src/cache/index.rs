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
    /// The buckets of all partitions: in one mapping, so that only the last huge page is partly
    /// used.
    words: Arc<Words>,
    first: usize,
    buckets: usize,
}

impl Index {
    /// The indexes of all partitions, each with the same number of empty buckets, at least one.
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

    /// Number of buckets of the partition.
    pub(crate) fn buckets(&self) -> usize {
        self.buckets
    }

    /// Size of the indexes of all partitions, in whole pages.
    pub(crate) fn bytes_of_all(&self) -> u64 {
        self.words.bytes().next_multiple_of(HUGE_PAGE_BYTES as u64)
    }

    /// How much of that is on 2 MiB pages now, if the system tells.
    pub(crate) fn huge_bytes_of_all(&self) -> Option<u64> {
        self.words.huge_bytes()
    }

    /// The number of the bucket for a key.
    #[inline]
    pub(crate) fn bucket_of(&self, hash: KeyHash) -> usize {
        hash.bucket(self.buckets)
    }

    /// The bucket with this number.
    #[inline]
    pub(crate) fn bucket(&self, number: usize) -> Bucket<'_> {
        debug_assert!(number < self.buckets);
        Bucket { words: &self.words.all().as_chunks::<BUCKET_WORDS>().0[self.first + number] }
    }

    /// Prefetches a bucket.
    #[inline]
    pub(crate) fn prefetch(&self, number: usize) {
        let at = (self.first + number) * BUCKET_WORDS;
        self.words.prefetch_lines(at, BUCKET_WORDS, BUCKET_WORDS);
    }
}
