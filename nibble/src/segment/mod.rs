//! Object memory: blocks, segments made of blocks, the pool of free blocks.

pub(crate) mod block;
pub(crate) mod info;
pub(crate) mod open;
pub(crate) mod pool;
pub(crate) mod state;

pub(crate) use block::BlockTable;
pub(crate) use info::{Lease, SegmentTable};
pub(crate) use open::{Cursor, Mark, OpenSegment};
pub(crate) use pool::{Pool, Purse, Run};
pub(crate) use state::SegmentState;
