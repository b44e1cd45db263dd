//! The one-line index: ten entries of six bytes, each a tag and an offset into object memory.
//!
//! A key may be in either of two buckets of its partition; a search begins with the first. An
//! insertion that finds both full moves an entry to its other bucket, and now and then a bucket
//! is split in two (linear hashing), so that the load stays above nine tenths at any number of
//! keys.

pub(crate) mod bucket;
mod coding;
mod insert;
mod search;
mod split;
mod table;

pub(crate) use bucket::TaggedBucket;
pub(crate) use table::TaggedTable;
