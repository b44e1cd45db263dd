//! Checks a value that was read back and says what happened to it.

use super::layout::{HEADER_BYTES, Header, OFFSETS, offset, pool, short_key, short_value};

/// What the bytes of a value reveal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The value is whole and belongs to the key; this write made it.
    Good {
        /// The writer's id.
        writer: u16,
        /// Which of the writer's values it is.
        sequence: u64,
    },
    /// The value is whole and belongs to the key, but is too short to say which write made it.
    GoodUnstamped,
    /// The header is intact, but the value was written with another length.
    WrongLength {
        /// The length that was written.
        written: usize,
    },
    /// An intact value of another key.
    Foreign {
        /// The key it belongs to.
        key: u64,
    },
    /// The header is intact, but part of the body belongs to another version.
    Torn,
    /// Bytes that no writer wrote.
    Corrupt,
}

impl Condition {
    /// Whether the value is as it was written.
    #[inline]
    pub const fn is_good(self) -> bool {
        matches!(self, Self::Good { .. } | Self::GoodUnstamped)
    }
}

/// Checks values of all writers. A check costs one memory comparison. Threads may share a checker.
#[derive(Clone, Debug)]
pub struct ValueChecker {
    pool: Box<[u8]>,
    value_bytes_max: usize,
}

impl ValueChecker {
    /// A checker for values of up to `value_bytes_max` bytes; at least the maximum that the writers
    /// were given.
    pub fn new(value_bytes_max: usize) -> Self {
        Self { pool: pool(value_bytes_max), value_bytes_max }
    }

    /// Checks what a store returned for `key`.
    ///
    /// It does not check whether this is the *newest* version; compare the sequence for that.
    #[inline]
    pub fn check(&self, key: u64, bytes: &[u8]) -> Condition {
        let Some(header) = bytes.first_chunk::<HEADER_BYTES>() else {
            return check_short(key, bytes);
        };
        let header = Header::from_bytes(header);
        let written = header.written_bytes();
        if header.key != key || written != bytes.len() as u64 || bytes.len() > self.value_bytes_max
        {
            return self.explain_header(header, key);
        }
        let start = offset(header.stamp);
        let expected = &self.pool[start + HEADER_BYTES..start + bytes.len()];
        let body = &bytes[HEADER_BYTES..];
        if body == expected {
            return Condition::from(header.stamp);
        }
        self.explain_body(start, body, expected)
    }

    #[cold]
    fn explain_header(&self, header: Header, key: u64) -> Condition {
        // A damaged header yields a random 64-bit length, which is never plausible.
        let written = usize::try_from(header.written_bytes()).unwrap_or(usize::MAX);
        match written {
            _ if written < HEADER_BYTES || written > self.value_bytes_max => Condition::Corrupt,
            _ if header.key != key => Condition::Foreign { key: header.key },
            _ => Condition::WrongLength { written },
        }
    }

    /// Torn if the bytes from the first difference on match the same place of another version.
    #[cold]
    fn explain_body(&self, start: usize, body: &[u8], expected: &[u8]) -> Condition {
        // Sixteen bytes never match by accident; fewer than four would, at 4096 offsets.
        const EVIDENCE_BYTES_MIN: usize = 4;
        const EVIDENCE_BYTES_MAX: usize = 16;
        let differs = body.iter().zip(expected).take_while(|(found, meant)| found == meant).count();
        let evidence = &body[differs..body.len().min(differs + EVIDENCE_BYTES_MAX)];
        let stands_at = |other: usize| {
            let from = other + HEADER_BYTES + differs;
            self.pool[from..from + evidence.len()] == *evidence
        };
        let torn = evidence.len() >= EVIDENCE_BYTES_MIN
            && (0..OFFSETS).any(|other| other != start && stands_at(other));
        if torn { Condition::Torn } else { Condition::Corrupt }
    }
}

#[inline]
fn check_short(key: u64, bytes: &[u8]) -> Condition {
    if short_value(key, bytes.len())[..bytes.len()] == *bytes {
        return Condition::GoodUnstamped;
    }
    explain_short(bytes)
}

/// Foreign if the key implied by the first word explains a second word too.
#[cold]
fn explain_short(bytes: &[u8]) -> Condition {
    const FOREIGN_BYTES_MIN: usize = 16;
    if bytes.len() >= FOREIGN_BYTES_MIN
        && let Some(first) = bytes.first_chunk()
    {
        let key = short_key(u64::from_le_bytes(*first), bytes.len());
        if short_value(key, bytes.len())[..bytes.len()] == *bytes {
            return Condition::Foreign { key };
        }
    }
    Condition::Corrupt
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Stamp, ValueWriter};

    const KEY: u64 = 0xE220_A839_7B1D_CDAF;
    const OTHER: u64 = 0x6E78_9E6A_A1B9_65F4;

    #[test]
    fn every_changed_byte_is_seen() {
        let mut writer = ValueWriter::new(3, 200);
        let checker = ValueChecker::new(200);
        for length in 1..=200 {
            let mut value = writer.value(KEY, length).to_vec();
            assert!(checker.check(KEY, &value).is_good());
            for at in 0..length {
                let right = value[at];
                for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                    value[at] = right ^ flip;
                    let verdict = checker.check(KEY, &value);
                    assert!(!verdict.is_good(), "{length} bytes, byte {at} ^ {flip}: {verdict:?}");
                }
                value[at] = right;
            }
        }
    }

    #[test]
    fn a_changed_bit_is_corrupt_not_torn() {
        let mut value = ValueWriter::new(3, 200).value(KEY, 200).to_vec();
        let checker = ValueChecker::new(200);
        for at in 0..value.len() - 4 {
            value[at] ^= 0x10;
            assert_eq!(checker.check(KEY, &value), Condition::Corrupt, "byte {at}");
            value[at] ^= 0x10;
        }
    }

    #[test]
    fn two_versions_spliced_are_torn() {
        let mut writer = ValueWriter::new(3, 1000);
        let checker = ValueChecker::new(1000);
        for length in [32, 64, 100, 1000] {
            let old = writer.value(KEY, length).to_vec();
            let new = writer.value(KEY, length).to_vec();
            for cut in HEADER_BYTES..=length - 5 {
                for (head, tail) in [(&old, &new), (&new, &old)] {
                    let spliced = [&head[..cut], &tail[cut..]].concat();
                    assert_eq!(
                        checker.check(KEY, &spliced),
                        Condition::Torn,
                        "{length}, cut {cut}"
                    );
                }
            }
            for cut in (1..HEADER_BYTES).chain(length - 4..length) {
                let spliced = [&old[..cut], &new[cut..]].concat();
                let whole = spliced == old || spliced == new;
                assert_eq!(checker.check(KEY, &spliced).is_good(), whole, "{length}, cut {cut}");
            }
        }
    }

    #[test]
    fn another_keys_value_is_foreign() {
        let mut writer = ValueWriter::new(3, 200);
        let checker = ValueChecker::new(200);
        for length in 1..=200 {
            let verdict = checker.check(KEY, writer.value(OTHER, length));
            let expected = match length {
                1..16 => Condition::Corrupt,
                _ => Condition::Foreign { key: OTHER },
            };
            assert_eq!(verdict, expected, "{length} bytes");
        }
    }

    #[test]
    fn a_cut_value_knows_its_length() {
        let mut writer = ValueWriter::new(3, 200);
        let checker = ValueChecker::new(200);
        let mut value = writer.value(KEY, 100).to_vec();
        assert_eq!(checker.check(KEY, &value[..99]), Condition::WrongLength { written: 100 });
        assert_eq!(checker.check(KEY, &value[..24]), Condition::WrongLength { written: 100 });
        assert_eq!(checker.check(KEY, &value[..23]), Condition::Corrupt);
        value.resize(300, 0);
        assert_eq!(checker.check(KEY, &value), Condition::WrongLength { written: 100 });
        let longer = ValueWriter::new(3, 400).value(KEY, 400).to_vec();
        assert_eq!(checker.check(KEY, &longer), Condition::Corrupt);
    }

    #[test]
    fn short_values_are_checked_by_key_and_length() {
        let checker = ValueChecker::new(0);
        assert_eq!(checker.check(KEY, &[]), Condition::GoodUnstamped);
        assert!(ValueWriter::new(1, 0).value(KEY, 0).is_empty());
        let mut writer = ValueWriter::new(3, 23);
        for length in 1..HEADER_BYTES {
            let value = writer.value(KEY, length).to_vec();
            assert_eq!(checker.check(KEY, &value), Condition::GoodUnstamped);
            assert_eq!(writer.value(KEY, length), value, "all versions are alike");
            assert!(length < 4 || !checker.check(KEY, &value[1..]).is_good());
        }
        assert_eq!(writer.next_stamp(), Stamp::new(3, 46));
    }
}
