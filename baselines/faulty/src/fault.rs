//! The faults and how each one is committed.

use std::str::FromStr;
use std::time::Duration;
use std::{fmt, process, thread};

use engine::OpenError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// No fault: the control.
    None,
    /// The process aborts.
    Crash,
    Panic,
    /// The operation never returns.
    Hang,
    /// Each further operation touches memory and never frees it.
    Leak,
    /// Every hundredth value read is wrong; stores only.
    Lie,
    /// Every hundredth put is acknowledged and dropped; stores only.
    Lose,
    /// One single operation takes long; stores only.
    Stall,
    /// Every hundredth value read ends as the key's previous value does; stores only.
    Tear,
    /// Every hundredth get answers with the key's previous value; stores only.
    Stale,
    /// Every hundredth delete is acknowledged and undone by the next put; stores only.
    Resurrect,
    /// Every hundredth write of several keys in one step is carried out but for its last key, which
    /// follows with the next such write; stores only.
    Part,
    /// Every hundredth put with a lifetime is carried out without; stores only.
    Outlive,
}

impl Fault {
    pub const ALL: [Self; 13] = [
        Self::None,
        Self::Crash,
        Self::Panic,
        Self::Hang,
        Self::Leak,
        Self::Lie,
        Self::Lose,
        Self::Stall,
        Self::Tear,
        Self::Stale,
        Self::Resurrect,
        Self::Part,
        Self::Outlive,
    ];

    /// The faults that a heap can commit: a heap knows no values.
    pub(crate) const OF_HEAPS: [Self; 5] =
        [Self::None, Self::Crash, Self::Panic, Self::Hang, Self::Leak];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Crash => "crash",
            Self::Panic => "panic",
            Self::Hang => "hang",
            Self::Leak => "leak",
            Self::Lie => "lie",
            Self::Lose => "lose",
            Self::Stall => "stall",
            Self::Tear => "tear",
            Self::Stale => "stale",
            Self::Resurrect => "resurrect",
            Self::Part => "part",
            Self::Outlive => "outlive",
        }
    }

    /// Ends or stops the calling thread, if that is the fault.
    pub(crate) fn strike(self) {
        match self {
            Self::Crash => process::abort(),
            Self::Panic => panic!("the planted panic"),
            Self::Hang => loop {
                thread::sleep(Duration::from_secs(3600));
            },
            Self::None | Self::Leak | Self::Lie | Self::Lose => {}
            Self::Stall | Self::Tear | Self::Stale => {}
            Self::Resurrect | Self::Part | Self::Outlive => {}
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Fault {
    type Err = OpenError;

    fn from_str(name: &str) -> Result<Self, OpenError> {
        Self::ALL.into_iter().find(|fault| fault.name() == name).ok_or_else(|| {
            OpenError::BadSetting {
                setting: "fault".to_owned(),
                value: name.to_owned(),
                accepted: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

/// Touches `bytes` of memory and leaks them.
pub(crate) fn leak(bytes: usize) {
    Box::leak(vec![0xa5_u8; bytes].into_boxed_slice());
}
