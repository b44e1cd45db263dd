//! What of a store survives the end of its process or of the system.

/// What is there when a store is opened again after it ended, however it ended.
///
/// Where a store keeps its objects ([`Storage`](crate::Storage)) is another question: what a store on a
/// file system in memory, or in emulated persistent memory, calls acknowledged ends with the machine all
/// the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Nothing.
    None,
    /// Writes wait in a queue of the process: if that is killed, the last ones may be lost, and what is
    /// left is what was written until some moment.
    Queued,
    /// All that was answered, if the process is killed: the system has it. Not if the system ends.
    Process,
    /// All that was answered, if the system ends: the device has it.
    Acknowledged,
}

impl Durability {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Queued, Self::Process, Self::Acknowledged];

    /// Its name in settings and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Queued => "queued",
            Self::Process => "process",
            Self::Acknowledged => "acknowledged",
        }
    }

    /// Whether all that was answered is there after the process was killed.
    #[must_use]
    pub const fn survives_the_process(self) -> bool {
        matches!(self, Self::Process | Self::Acknowledged)
    }
}
