//! Who may do what with a segment.

use std::fmt;

use serde::{Deserialize, Serialize};

use platform::sockets::Peer;

/// What one may do with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Rights {
    /// Read it. A process that writes to it is stopped by the kernel.
    Read,
    /// Read it and write to it.
    ReadWrite,
}

impl fmt::Display for Rights {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::ReadWrite => "read-write",
        })
    }
}

/// Whom an entry of an access list is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Who {
    /// Processes of this user.
    User(u32),
    /// Processes whose primary group is this one.
    Group(u32),
    /// All processes that can reach the keeper.
    Anyone,
}

/// The access list of a segment. Its owner's user and root may do everything, whatever it says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    entries: Vec<(Who, Rights)>,
}

impl Access {
    /// The owner alone.
    #[must_use]
    pub fn owner() -> Self {
        Self::default()
    }

    /// One more entry.
    #[must_use]
    pub fn and(mut self, who: Who, rights: Rights) -> Self {
        self.entries.push((who, rights));
        self
    }

    /// The number of entries.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// What `peer` may do with a segment of the user `owner`: the most that an entry grants.
    pub(crate) fn granted(&self, owner: u32, peer: Peer) -> Option<Rights> {
        if may_govern(owner, peer) {
            return Some(Rights::ReadWrite);
        }
        let applies = |who: &Who| match *who {
            Who::User(uid) => uid == peer.uid,
            Who::Group(gid) => gid == peer.gid,
            Who::Anyone => true,
        };
        self.entries.iter().filter(|(who, _)| applies(who)).map(|&(_, rights)| rights).max()
    }
}

/// Whether `peer` may change what belongs to the user `owner`.
pub(crate) fn may_govern(owner: u32, peer: Peer) -> bool {
    peer.uid == owner || peer.uid == 0
}
