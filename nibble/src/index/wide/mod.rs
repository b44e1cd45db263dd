//! The index of the papers: buckets of fifteen entries, one bucket per key; a partition whose
//! bucket is full doubles.
//!
//! An entry is a segment id and a virtual address. There are two layouts: [`TextBucket`] is that of
//! the paper's text, [`KeyedBucket`] that of the 2017 source.

mod bucket;
mod grow;
mod keyed;
mod table;
mod text;

pub(crate) use keyed::KeyedBucket;
pub(crate) use table::WideTable;
pub(crate) use text::TextBucket;
