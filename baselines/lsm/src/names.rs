//! Names of files: a number and what the file is.

/// Names the manifest that counts.
pub(crate) const CURRENT: &str = "CURRENT";
/// Takes the place of [`CURRENT`] when it is durable.
pub(crate) const CURRENT_NEXT: &str = "CURRENT.next";

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Log,
    Table,
    Manifest,
}

impl Kind {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Log, "log"), (Self::Table, "table"), (Self::Manifest, "manifest")];

    /// The name of the file of this kind with this number.
    pub(crate) fn name(self, number: u64) -> String {
        let (_, word) = Self::ALL.iter().find(|(kind, _)| *kind == self).expect("all are listed");
        format!("{number:08}.{word}")
    }

    /// The kind and number of a file of ours.
    pub(crate) fn parse(name: &str) -> Option<(Self, u64)> {
        let (number, word) = name.split_once('.')?;
        let (kind, _) = Self::ALL.iter().find(|(_, known)| *known == word)?;
        Some((*kind, number.parse().ok()?))
    }
}
