//! Why a journey does not go on.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

use platform::relay::Death;

use super::SPACES_MAX;
use crate::registry::RegistryError;
use crate::traveller::SpaceHandle;

/// What went wrong in the process of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fault {
    Registry(RegistryError),
    /// The traveller wants to go where no handle leads.
    UnknownHandle(u64),
}

/// The reason, with the remedy. If nothing else is said, the journey is what it was before the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JourneyError {
    /// A segment or a space is not what was asked. A traveller that could not enter a space is in the
    /// primary space then.
    Registry(RegistryError),
    /// No space has this handle, or it is detached. A traveller that wanted to go there is in the
    /// primary space.
    UnknownHandle(SpaceHandle),
    /// The traveller is inside the space.
    Inside(SpaceHandle),
    /// The traveller is done.
    AlreadyDone,
    /// So many spaces are attached already.
    TooManySpaces,
    /// The program of the spaces does not know the traveller.
    UnknownTraveller(&'static str),
    /// A process of a space has died. The journey is over, and its processes are ended.
    Died {
        /// The space.
        space: SpaceHandle,
        /// How the process ended.
        how: String,
    },
    /// The system refused something.
    System {
        /// What was done.
        what: String,
        /// The system's error.
        error: String,
    },
}

impl JourneyError {
    pub(super) fn died(space: SpaceHandle, death: Death) -> Self {
        let how = death.status.map_or("unknown".to_owned(), |status| status.to_string());
        Self::Died { space, how }
    }

    pub(super) fn system(what: &str) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::System { what: what.to_owned(), error: error.to_string() }
    }
}

impl From<RegistryError> for JourneyError {
    fn from(error: RegistryError) -> Self {
        Self::Registry(error)
    }
}

impl From<Fault> for JourneyError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Registry(error) => Self::Registry(error),
            Fault::UnknownHandle(number) => Self::UnknownHandle(SpaceHandle(number)),
        }
    }
}

impl fmt::Display for JourneyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Registry(error) => error.fmt(f),
            Self::UnknownHandle(handle) => {
                write!(f, "no space is attached by the handle {:#x}", handle.0)
            }
            Self::Inside(handle) => {
                write!(f, "the traveller is inside {handle}: let it leave first")
            }
            Self::AlreadyDone => f.write_str("the traveller is done: begin another journey"),
            Self::TooManySpaces => {
                write!(f, "{SPACES_MAX} spaces are attached already: detach one first")
            }
            Self::UnknownTraveller(name) => write!(
                f,
                "the program of the spaces knows no traveller `{name}`: add its code where that \
                 program calls `journey::host::run`"
            ),
            Self::Died { space, how } => {
                write!(f, "the process of {space} ended ({how}), and the journey with it")
            }
            Self::System { what, error } => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for JourneyError {}
