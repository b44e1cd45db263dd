//! The header of a trace file: what it contains and where that comes from.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::source::Source;
use super::{Record, TraceError, TraceErrorKind};

/// The first bytes of every trace file. The first byte is not a character; the last two are bytes
/// that programs change when they take a file for text.
pub(super) const MAGIC: [u8; 8] = *b"\x89NBTRC\r\n";

/// The newest version of the format: that of traces whose keys have texts.
pub const VERSION: u32 = 3;

/// The version of all other traces, so that older programs read them.
const VERSION_OF_NUMBERS: u32 = 2;

/// The largest size of the header's text, or of the text at the end of a trace.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// Magic, version and length of the text.
const FIXED_BYTES: usize = 16;

/// The kind of records in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// [`Operation`](crate::trace::Operation)s on a key-value store.
    Operations,
    /// [`Allocation`](crate::trace::Allocation)s.
    Allocations,
}

impl Content {
    /// The name in messages and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Operations => "operations",
            Self::Allocations => "allocations",
        }
    }
}

impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a trace knows of its keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Keys {
    /// Numbers: those of the program, or hashes of its texts.
    #[default]
    Numbers,
    /// Numbers, and the text that each stands for.
    Texts,
}

impl Keys {
    fn are_numbers(&self) -> bool {
        *self == Self::Numbers
    }
}

/// Describes what a trace contains and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Header {
    /// The kind of records.
    pub content: Content,
    /// What is known of keys.
    #[serde(default, skip_serializing_if = "Keys::are_numbers")]
    pub keys: Keys,
    /// What was recorded, for example `postmark 1.51 on FUSE`.
    pub source: String,
    /// The seed, if the program took one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// The program's parameters, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, String>,
}

impl Header {
    /// The header of a trace of `R` records, without seed and parameters.
    #[must_use]
    pub fn new<R: Record>(source: impl Into<String>) -> Self {
        Self {
            content: R::CONTENT,
            keys: Keys::Numbers,
            source: source.into(),
            seed: None,
            parameters: BTreeMap::new(),
        }
    }

    /// The first bytes of the file; `None` if the text is longer than [`TEXT_BYTES_MAX`].
    pub(super) fn to_bytes(&self) -> Option<Vec<u8>> {
        let text = serde_json::to_vec(self).expect("strings and numbers");
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let mut bytes = Vec::with_capacity(FIXED_BYTES + text.len() + size_of::<u64>());
        bytes.extend(MAGIC);
        let version = match self.keys {
            Keys::Numbers => VERSION_OF_NUMBERS,
            Keys::Texts => VERSION,
        };
        bytes.extend(version.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        Some(bytes)
    }

    /// Reads what [`to_bytes`](Self::to_bytes) wrote. Also returns its checksum, which starts the
    /// chain of checksums.
    pub(super) fn read<In: Read>(source: &mut Source<In>) -> Result<(Self, u64), TraceError> {
        let mut fixed = Vec::new();
        source.read(FIXED_BYTES, &mut fixed)?;
        if fixed.is_empty() || !fixed.iter().zip(MAGIC).all(|(&byte, magic)| byte == magic) {
            fixed.truncate(MAGIC.len());
            return Err(source.error(0, TraceErrorKind::NotATrace { first_bytes: fixed }));
        }
        if fixed.len() < FIXED_BYTES {
            return Err(source.error(source.offset(), TraceErrorKind::HeaderCutShort));
        }
        let word = |at: usize| u32::from_le_bytes(fixed[at..at + 4].try_into().expect("4 bytes"));
        let (version, text_bytes) = (word(8), word(12) as usize);
        if version > VERSION {
            return Err(source.error(8, TraceErrorKind::Newer { version }));
        }
        let damaged = |what: String| TraceErrorKind::HeaderDamaged { what };
        if version == 0 {
            return Err(source.error(8, damaged("there is no version 0".into())));
        }
        if text_bytes > TEXT_BYTES_MAX {
            let what = format!("the text has {text_bytes} bytes, more than {TEXT_BYTES_MAX}");
            return Err(source.error(12, damaged(what)));
        }
        let mut bytes = fixed;
        if source.read(text_bytes + size_of::<u64>(), &mut bytes)? < text_bytes + size_of::<u64>() {
            return Err(source.error(source.offset(), TraceErrorKind::HeaderCutShort));
        }
        let (content, checksum) = bytes.split_last_chunk().expect("read above");
        let checksum = u64::from_le_bytes(*checksum);
        if checksum != xxh3_64(content) {
            let what = "its checksum does not fit its bytes".into();
            return Err(source.error(content.len() as u64, damaged(what)));
        }
        let header: Self = serde_json::from_slice(&content[FIXED_BYTES..])
            .map_err(|error| source.error(FIXED_BYTES as u64, damaged(error.to_string())))?;
        let may_have_texts = version >= VERSION && header.content == Content::Operations;
        if header.keys == Keys::Texts && !may_have_texts {
            let what = format!("{} of version {version} have no texts of keys", header.content);
            return Err(source.error(FIXED_BYTES as u64, damaged(what)));
        }
        Ok((header, checksum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Allocation, Operation};

    fn read(bytes: &[u8]) -> Result<Header, String> {
        let mut source = Source::new(bytes, "a.trace");
        Header::read(&mut source).map(|(header, _)| header).map_err(|error| error.to_string())
    }

    #[test]
    fn a_header_comes_back() {
        let plain = Header::new::<Allocation>("");
        let full = Header {
            seed: Some(u64::MAX),
            parameters: [("files".into(), "1 000\n\"ü\"".into())].into(),
            ..Header::new::<Operation>("postmark 1.51 on FUSE")
        };
        let texts = Header { keys: Keys::Texts, ..Header::new::<Operation>("twitter") };
        for (header, version) in [(plain, 2), (full, 2), (texts, 3)] {
            let bytes = header.to_bytes().unwrap();
            assert_eq!((read(&bytes), bytes[8]), (Ok(header), version));
        }
        let impossible = Header { keys: Keys::Texts, ..Header::new::<Allocation>("") };
        let refusal = read(&impossible.to_bytes().unwrap()).unwrap_err();
        assert!(refusal.contains("allocations of version 3 have no texts of keys"), "{refusal}");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_a_remedy() {
        assert_eq!(
            read(b"time,key,size\n1,2,3\n"),
            Err("trace a.trace, byte 0: not a trace of this format: it begins with \"time,key\"; \
                 convert traces of other formats with `nibble-bench trace convert`"
                .into())
        );
        assert_eq!(
            read(b""),
            Err("trace a.trace, byte 0: not a trace of this format: it is empty; convert traces \
                 of other formats with `nibble-bench trace convert`"
                .into())
        );
        let sound = Header::new::<Operation>("x").to_bytes().unwrap();
        let mut newer = sound.clone();
        newer[8] = 7;
        assert_eq!(
            read(&newer),
            Err("trace a.trace, byte 8: written in version 7 of the format; this program reads \
                 version 3; use the nibble-bench that wrote it or a newer one"
                .into())
        );
        for length in 1..sound.len() {
            let refusal = read(&sound[..length]).unwrap_err();
            assert!(refusal.starts_with(&format!("trace a.trace, byte {length}: ")), "{refusal}");
        }
        let mut huge = sound;
        huge[15] = 0x7F;
        assert!(read(&huge).unwrap_err().contains("more than 1048576"));
    }

    #[test]
    fn a_text_without_bounds_is_not_written() {
        let header = Header::new::<Operation>("x".repeat(TEXT_BYTES_MAX));
        assert_eq!(header.to_bytes(), None);
    }
}
