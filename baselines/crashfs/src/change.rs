//! One change of files and folders, as a disk may have it or not.

use std::ffi::OsString;

use crate::tree::Inode;

/// What a device writes as a whole.
const SECTOR_BYTES: u64 = 512;
/// By how much a file grows at once, unless a write ends before.
const BLOCK_BYTES: u64 = 4096;

/// A name within a folder.
pub(crate) type Place = (Inode, OsString);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Make {
        at: Place,
        inode: Inode,
        is_folder: bool,
    },
    Remove {
        at: Place,
    },
    Rename {
        from: Place,
        to: Place,
    },
    Resize {
        inode: Inode,
        bytes: u64,
    },
    /// Afterwards the file has `least_bytes` at least.
    Write {
        inode: Inode,
        offset: u64,
        data: Vec<u8>,
        least_bytes: u64,
    },
}

impl Change {
    pub(crate) fn write(inode: Inode, offset: u64, data: Vec<u8>) -> Self {
        let least_bytes = offset + data.len() as u64;
        Self::Write { inode, offset, data, least_bytes }
    }

    /// The file whose contents it is about; `None` if the journal has it.
    pub(crate) fn contents(&self) -> Option<Inode> {
        match self {
            Self::Write { inode, .. } => Some(*inode),
            _ => None,
        }
    }

    /// The sector that it writes; `None` if the journal has it.
    pub(crate) fn sector(&self) -> Option<(Inode, u64)> {
        match self {
            Self::Write { inode, offset, .. } => Some((*inode, offset / SECTOR_BYTES)),
            _ => None,
        }
    }

    /// The same as changes of one sector each.
    pub(crate) fn by_sectors(self) -> Vec<Self> {
        let Self::Write { inode, mut offset, data, least_bytes: end } = self else {
            return vec![self];
        };
        let mut rest = &data[..];
        let mut parts = Vec::new();
        while !rest.is_empty() {
            let room = (SECTOR_BYTES - offset % SECTOR_BYTES) as usize;
            let (part, behind) = rest.split_at(room.min(rest.len()));
            let least_bytes = end.min((offset + 1).next_multiple_of(BLOCK_BYTES));
            parts.push(Self::Write { inode, offset, data: part.to_vec(), least_bytes });
            offset += part.len() as u64;
            rest = behind;
        }
        parts
    }
}
