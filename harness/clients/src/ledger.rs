//! Which version of each record its writer made, and which the store acknowledged: what another client
//! checks at the end.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use workloads::value::Condition;

/// Versions of the records of one writer, in their order. Version 0 is the loaded one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Ledger {
    pub(crate) writer: u64,
    /// The last that was acknowledged.
    pub(crate) acknowledged: Versions,
    /// The last that was sent, answered or not.
    pub(crate) sent: Versions,
}

/// Versions; as text four bytes each, the least significant first, in base 64.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Versions(pub Vec<u32>);

/// Why a text holds no versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VersionsError(String);

impl fmt::Display for VersionsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "versions cannot be read: {}", self.0)
    }
}

impl std::error::Error for VersionsError {}

impl From<Versions> for String {
    fn from(versions: Versions) -> Self {
        let bytes: Vec<u8> =
            versions.0.into_iter().flat_map(|version| version.to_le_bytes()).collect();
        STANDARD.encode(bytes)
    }
}

impl TryFrom<String> for Versions {
    type Error = VersionsError;

    fn try_from(text: String) -> Result<Self, VersionsError> {
        let bytes = STANDARD.decode(text).map_err(|error| VersionsError(error.to_string()))?;
        match bytes.as_chunks() {
            (words, []) => Ok(Self(words.iter().map(|word| u32::from_le_bytes(*word)).collect())),
            (_, rest) => Err(VersionsError(format!("{} bytes are left over", rest.len()))),
        }
    }
}

/// What a client found of records that others wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Found {
    /// Records that were read.
    pub records: u64,
    /// Records that could not be read, whatever was tried.
    pub unread: u64,
    /// Records of which the last acknowledged version, or all, is gone.
    pub records_with_loss: u64,
    /// Acknowledged writes that are gone.
    pub acknowledged_writes_lost: u64,
    /// Records that are not there at all; they are among those with a loss.
    pub missing: u64,
    /// Records with a version that was sent and not acknowledged, and arrived all the same.
    pub unacknowledged_writes_found: u64,
    /// Records with a version that nobody sent.
    pub never_sent: u64,
    /// Records whose bytes nobody wrote, or that belong to another record.
    pub damaged: u64,
}

impl Found {
    pub fn add(&mut self, other: &Self) {
        self.records += other.records;
        self.unread += other.unread;
        self.records_with_loss += other.records_with_loss;
        self.acknowledged_writes_lost += other.acknowledged_writes_lost;
        self.missing += other.missing;
        self.unacknowledged_writes_found += other.unacknowledged_writes_found;
        self.never_sent += other.never_sent;
        self.damaged += other.damaged;
    }

    /// Values that no store may return, whatever it promises about replication.
    #[must_use]
    pub fn wrong(&self) -> u64 {
        self.never_sent + self.damaged
    }

    /// Counts a record: what the store returned, and what its writer knows. `None`: it is not there.
    pub(crate) fn judge(&mut self, value: Option<Condition>, writer: u16, ledger: (u32, u32)) {
        let (acknowledged, sent) = (u64::from(ledger.0), u64::from(ledger.1));
        self.records += 1;
        match value {
            None => {
                self.missing += 1;
                self.records_with_loss += 1;
                // The loaded version was acknowledged, too.
                self.acknowledged_writes_lost += acknowledged + 1;
            }
            Some(Condition::Good { writer: by, sequence }) if by == writer => {
                if sequence > sent {
                    self.never_sent += 1;
                } else if sequence > acknowledged {
                    self.unacknowledged_writes_found += 1;
                } else if sequence < acknowledged {
                    self.records_with_loss += 1;
                    self.acknowledged_writes_lost += acknowledged - sequence;
                }
            }
            Some(_) => self.damaged += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn good(writer: u16, sequence: u64) -> Option<Condition> {
        Some(Condition::Good { writer, sequence })
    }

    #[test]
    fn each_record_is_judged_by_what_its_writer_knows() {
        let judged = |value, ledger| {
            let mut found = Found::default();
            found.judge(value, 3, ledger);
            assert_eq!(found.records, 1);
            found
        };
        let one = Found { records: 1, ..Found::default() };
        assert_eq!(judged(good(3, 5), (5, 5)), one);
        assert_eq!(judged(good(3, 5), (5, 7)), one, "what was sent later may not have arrived");
        let found = judged(good(3, 6), (5, 7));
        assert_eq!(found, Found { unacknowledged_writes_found: 1, ..one.clone() });
        let found = judged(good(3, 2), (5, 5));
        let lost = Found { records_with_loss: 1, acknowledged_writes_lost: 3, ..one.clone() };
        assert_eq!((found.wrong(), found), (0, lost));
        let found = judged(None, (5, 5));
        assert_eq!((found.missing, found.acknowledged_writes_lost, found.wrong()), (1, 6, 0));
        assert_eq!(judged(good(3, 8), (5, 7)).wrong(), 1, "nobody sent it");
        assert_eq!(judged(good(4, 5), (5, 5)).wrong(), 1, "another writer's");
        assert_eq!(judged(Some(Condition::Torn), (5, 5)).wrong(), 1);
    }

    #[test]
    fn versions_are_the_same_after_the_way_as_text() {
        let versions = Versions(vec![0, 1, u32::MAX, 77]);
        assert_eq!(Versions::try_from(String::from(versions.clone())), Ok(versions));
        assert!(Versions::try_from("AAA=".to_owned()).unwrap_err().to_string().contains("2 bytes"));
        assert!(Versions::try_from("?".to_owned()).is_err());
    }
}
