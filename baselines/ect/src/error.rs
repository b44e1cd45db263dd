//! What can be wrong with the keys of an index, its image, and the inputs of a merge.

use std::fmt;

/// Why an index cannot be built from the keys it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// A key is equal to the one before: two keys have the same hash, or one was given twice.
    DuplicateHash {
        /// The second key's ordinal.
        ordinal: u64,
    },
    /// A key is less than the one before.
    Unsorted {
        /// The key's ordinal.
        ordinal: u64,
    },
    /// A key has another length than the index was made for.
    KeyLength {
        /// The key's length.
        key_bytes: usize,
        /// The length it should have.
        wanted_bytes: usize,
    },
    /// The buckets of a group are too full for relative offsets of 16 bits: keys are no uniform
    /// hashes, or far more came than were announced.
    CrowdedGroup {
        /// Buckets in a group.
        group_buckets: u32,
        /// Bits of tries before the bucket, within its group.
        bits: u64,
        /// Items before the bucket, within its group.
        items: u64,
    },
}

impl fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DuplicateHash { ordinal } => {
                write!(formatter, "key {ordinal} has the same hash as the one before: keep one")
            }
            Self::Unsorted { ordinal } => {
                write!(formatter, "key {ordinal} is less than the one before: sort the keys")
            }
            Self::KeyLength { key_bytes, wanted_bytes } => {
                write!(formatter, "a key has {key_bytes} bytes, and should have {wanted_bytes}")
            }
            Self::CrowdedGroup { group_buckets, bits, items } => write!(
                formatter,
                "within a group of {group_buckets} buckets, one begins after {bits} bits and \
                 {items} items, and 65535 is the most: hash the keys, announce them all, or use \
                 smaller buckets"
            ),
        }
    }
}

impl std::error::Error for BuildError {}

/// The bits of a trie are not those of any trie: memory was changed since they were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// The bucket.
    pub bucket: u64,
}

impl fmt::Display for Malformed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the trie of bucket {} is malformed: rebuild the index", self.bucket)
    }
}

impl std::error::Error for Malformed {}

/// Why bytes are not the image of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// It begins with something else.
    NoIndex,
    /// It ends early, or too late.
    Length {
        /// Its length in bytes.
        bytes: u64,
        /// The length that it should have.
        wanted_bytes: u64,
    },
    /// Bits have changed since it was written.
    Checksum {
        /// As written.
        stored: u64,
        /// Of the bytes as they are.
        computed: u64,
    },
    /// A number in it is out of range though the checksum is right.
    Field {
        /// Which.
        name: &'static str,
        /// Its value.
        value: u64,
    },
}

impl fmt::Display for ImageError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoIndex => formatter.write_str("this is no image of an entropy-coded index"),
            Self::Length { bytes, wanted_bytes } => {
                write!(formatter, "the image has {bytes} bytes and should have {wanted_bytes}")
            }
            Self::Checksum { stored, computed } => write!(
                formatter,
                "the image's checksum is {computed:#x} and should be {stored:#x}: rebuild the \
                 index from the items"
            ),
            Self::Field { name, value } => write!(formatter, "{name} = {value} is out of range"),
        }
    }
}

impl std::error::Error for ImageError {}

/// One of the inputs of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeInput {
    /// The items that are there.
    Old,
    /// The changes to them.
    New,
}

/// Why a merge ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MergeError<E> {
    /// A key is not greater than the one before it in the same input.
    Unsorted {
        /// Which input.
        input: MergeInput,
        /// The key's ordinal in that input.
        ordinal: u64,
    },
    /// An input failed.
    Input(E),
}

impl<E: fmt::Display> fmt::Display for MergeError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsorted { input, ordinal } => {
                let input = if *input == MergeInput::Old { "old" } else { "new" };
                write!(
                    formatter,
                    "key {ordinal} of the {input} items is not above the one before: sort them \
                     and keep one of each"
                )
            }
            Self::Input(error) => error.fmt(formatter),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for MergeError<E> {}
