//! Data access modes: who may read and write a partition, fixed at compile time.

use std::fmt::Debug;

use engine::Sharing;

/// Who may perform a kind of operation on a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The session that has claimed the partition.
    Owner,
    /// Any session.
    Anyone,
}

mod sealed {
    /// Restricts the modes to those in this file.
    pub trait Sealed {}
}

/// A data access mode.
pub trait Mode: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// The mode's name in the thesis.
    const LABEL: &'static str;
    /// Who may read.
    const READS: Access;
    /// Who may write.
    const WRITES: Access;

    /// Whether readers can race with a writer, and so must validate what they have read.
    const READERS_VALIDATE: bool = matches!(Self::READS, Access::Anyone);
    /// Whether writers can race with one another, and so must lock.
    const WRITERS_LOCK: bool = matches!(Self::WRITES, Access::Anyone);
    /// The mode in terms of the engine contract.
    const SHARING: Sharing = match (Self::READS, Self::WRITES) {
        (Access::Owner, Access::Owner) => Sharing::Partitioned,
        (Access::Anyone, Access::Owner) => Sharing::PartitionedWrites,
        (_, Access::Anyone) => Sharing::Shared,
    };
}

/// Exclusive read, exclusive write: only the owner accesses a partition, and nothing is
/// synchronised.
#[derive(Clone, Copy, Debug)]
pub enum Erew {}

/// Concurrent read, exclusive write: the owner writes, readers validate.
#[derive(Clone, Copy, Debug)]
pub enum Crew {}

/// Concurrent read, concurrent write: writers lock, readers validate.
#[derive(Clone, Copy, Debug)]
pub enum Crcw {}

impl sealed::Sealed for Erew {}
impl sealed::Sealed for Crew {}
impl sealed::Sealed for Crcw {}

impl Mode for Erew {
    const LABEL: &'static str = "erew";
    const READS: Access = Access::Owner;
    const WRITES: Access = Access::Owner;
}

impl Mode for Crew {
    const LABEL: &'static str = "crew";
    const READS: Access = Access::Anyone;
    const WRITES: Access = Access::Owner;
}

impl Mode for Crcw {
    const LABEL: &'static str = "crcw";
    const READS: Access = Access::Anyone;
    const WRITES: Access = Access::Anyone;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_follow_from_who_may_do_what() {
        assert_eq!(Erew::SHARING, Sharing::Partitioned);
        assert_eq!(Crew::SHARING, Sharing::PartitionedWrites);
        assert_eq!(Crcw::SHARING, Sharing::Shared);
        let facts = [
            (Erew::READERS_VALIDATE, Erew::WRITERS_LOCK),
            (Crew::READERS_VALIDATE, Crew::WRITERS_LOCK),
            (Crcw::READERS_VALIDATE, Crcw::WRITERS_LOCK),
        ];
        assert_eq!(facts, [(false, false), (true, false), (true, true)]);
    }
}
