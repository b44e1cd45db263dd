//! Tables: sorted files that are never changed.
//!
//! ```text
//! block │ … │ block │ filter │ index │ footer
//! ```
//!
//! Each block and the filter end with a checksum. The index is a block whose entries are the last
//! entry of each block, with the block's place as value. Index and filter stay in memory while the
//! table is open.
//!
//! | file | contents |
//! |---|---|
//! | `block` | entries, and the search among them |
//! | `bloom` | which keys may be there |
//! | `builder` | writing a table |
//! | `reader` | looking a key up; a cursor |

mod block;
mod bloom;
mod builder;
mod reader;

pub(crate) use block::Block;
pub(crate) use block::Entry;
pub(crate) use builder::{Builder, Meta, Shape};
pub(crate) use reader::{Graveyard, Table, TableCursor};

/// Size of the footer, in bytes.
const FOOTER_BYTES: usize = 56;
/// "nibblsm" and the format's number.
const MAGIC: u64 = 0x6e69_6262_6c73_6d01;
const CHECKSUM_BYTES: usize = 8;
