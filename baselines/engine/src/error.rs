//! One error type per operation, with the numbers and the remedy.

use std::fmt;

use crate::Rule;

/// Why a store or heap could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenError {
    /// A setting has a value that its rule does not take.
    Refused {
        /// The setting's name.
        setting: String,
        /// The value as given.
        value: String,
        /// The values that it takes.
        rule: Rule,
    },
    /// There is no such setting.
    UnknownSetting {
        /// The name as given.
        setting: String,
        /// The settings that there are.
        known: Vec<&'static str>,
    },
    /// A setting does not go together with others, or with what is asked of the store.
    BadSetting {
        /// The setting's name.
        setting: String,
        /// The value as given.
        value: String,
        /// The values that are accepted.
        accepted: String,
    },
    /// A component is missing on this machine.
    Missing {
        /// What is missing.
        what: String,
        /// How to get it.
        remedy: String,
    },
    /// A component is present but does not work.
    Unusable {
        /// Which component.
        what: String,
        /// How it fails, and what to do about it.
        reason: String,
    },
    /// The operating system refused memory.
    OutOfMemory {
        /// Bytes requested.
        wanted_bytes: u64,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { setting, value, rule } => {
                write!(formatter, "setting `{setting}` = `{value}`: accepted are {rule}")?;
                match rule.nearest(value) {
                    Some(nearest) => write!(formatter, "; the nearest is {nearest}"),
                    None => Ok(()),
                }
            }
            Self::UnknownSetting { setting, known } if known.is_empty() => {
                write!(formatter, "unknown setting `{setting}`: this store has no settings")
            }
            Self::UnknownSetting { setting, known } => {
                write!(formatter, "unknown setting `{setting}`: there are {}", known.join(", "))
            }
            Self::BadSetting { setting, value, accepted } => {
                write!(formatter, "setting `{setting}` = `{value}`: accepted are {accepted}")
            }
            Self::Missing { what, remedy } => write!(formatter, "{what} is missing: {remedy}"),
            Self::Unusable { what, reason } => write!(formatter, "{what} does not work: {reason}"),
            Self::OutOfMemory { wanted_bytes } => write!(
                formatter,
                "the system refused {wanted_bytes} bytes: lower the capacity or free memory"
            ),
        }
    }
}

impl std::error::Error for OpenError {}

/// Why a session could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionError {
    /// Every slot of the thread table is taken.
    TooManySessions {
        /// How many sessions the engine supports at a time.
        limit: usize,
    },
    /// Another session holds a partition that this one would have to itself.
    Claimed {
        /// The partition.
        partition: usize,
    },
    /// The server of an out-of-process store refuses the connection or does not answer.
    Unreachable {
        /// What the server or the system reports.
        reason: String,
    },
}

impl fmt::Display for SessionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooManySessions { limit } => {
                write!(formatter, "all {limit} sessions are in use: drop one, or use fewer threads")
            }
            Self::Claimed { partition } => write!(
                formatter,
                "partition {partition} belongs to another session: drop that one first, or give \
                 each worker its own"
            ),
            Self::Unreachable { reason } => write!(
                formatter,
                "a server is unreachable ({reason}): find out what it lacks or why it ended, then \
                 reopen the store"
            ),
        }
    }
}

impl std::error::Error for SessionError {}

/// Why a `get` could not copy the value out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GetError {
    /// The caller's buffer is shorter than the value.
    BufferTooShort {
        /// The value's length.
        value_bytes: usize,
        /// The buffer's length.
        buffer_bytes: usize,
    },
}

impl fmt::Display for GetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::BufferTooShort { value_bytes, buffer_bytes } = self;
        write!(
            formatter,
            "the value has {value_bytes} bytes and the buffer {buffer_bytes}: pass a longer buffer"
        )
    }
}

impl std::error::Error for GetError {}

/// Why a `put` can never succeed. A full store is not an error but
/// [`PutOutcome::Full`](crate::PutOutcome::Full).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutError {
    /// The value is longer than the engine can ever hold.
    ValueTooLarge {
        /// The value's length.
        value_bytes: usize,
        /// The longest value that this instance accepts.
        limit_bytes: usize,
    },
}

impl fmt::Display for PutError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::ValueTooLarge { value_bytes, limit_bytes } = self;
        write!(
            formatter,
            "a value of {value_bytes} bytes exceeds the limit of {limit_bytes}: split it, or \
             configure larger segments"
        )
    }
}

impl std::error::Error for PutError {}

/// Why a key of a store of byte strings is refused, by whatever operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyTooLong {
    /// The key's length.
    pub key_bytes: usize,
    /// The longest key that the store takes.
    pub limit_bytes: usize,
}

impl KeyTooLong {
    /// # Errors
    /// If `key` has more than `limit_bytes`.
    #[inline]
    pub fn check(key: &[u8], limit_bytes: usize) -> Result<(), Self> {
        if key.len() > limit_bytes {
            return Err(Self { key_bytes: key.len(), limit_bytes });
        }
        Ok(())
    }
}

impl fmt::Display for KeyTooLong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key_bytes, limit_bytes } = self;
        write!(
            formatter,
            "a key of {key_bytes} bytes exceeds the limit of {limit_bytes}: shorten it, or choose \
             a store of longer keys"
        )
    }
}

impl std::error::Error for KeyTooLong {}

/// Why an operation on a byte string failed: because of its key, or of its value as with words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BytesError<E> {
    /// The key is longer than the store takes.
    Key(KeyTooLong),
    /// What an operation with a word can fail of.
    Value(E),
}

impl<E> BytesError<E> {
    /// What the operation came to where the key was taken.
    ///
    /// # Errors
    /// [`KeyTooLong`] where it was not.
    #[inline]
    pub fn apart<T>(result: Result<T, Self>) -> Result<Result<T, E>, KeyTooLong> {
        match result {
            Ok(done) => Ok(Ok(done)),
            Err(Self::Value(error)) => Ok(Err(error)),
            Err(Self::Key(error)) => Err(error),
        }
    }
}

impl<E: fmt::Display> fmt::Display for BytesError<E> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(error) => error.fmt(formatter),
            Self::Value(error) => error.fmt(formatter),
        }
    }
}

impl<E: std::error::Error> std::error::Error for BytesError<E> {}

impl<E> From<KeyTooLong> for BytesError<E> {
    #[inline]
    fn from(error: KeyTooLong) -> Self {
        Self::Key(error)
    }
}

impl From<GetError> for BytesError<GetError> {
    #[inline]
    fn from(error: GetError) -> Self {
        Self::Value(error)
    }
}

impl From<PutError> for BytesError<PutError> {
    #[inline]
    fn from(error: PutError) -> Self {
        Self::Value(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_the_numbers_and_the_remedy() {
        let too_large = PutError::ValueTooLarge { value_bytes: 9, limit_bytes: 8 };
        assert_eq!(
            too_large.to_string(),
            "a value of 9 bytes exceeds the limit of 8: split it, or configure larger segments"
        );
        let short = GetError::BufferTooShort { value_bytes: 9, buffer_bytes: 8 };
        assert_eq!(
            short.to_string(),
            "the value has 9 bytes and the buffer 8: pass a longer buffer"
        );
        let long = KeyTooLong::check(&[0; 9], 8).unwrap_err();
        assert_eq!(
            BytesError::<GetError>::Key(long).to_string(),
            "a key of 9 bytes exceeds the limit of 8: shorten it, or choose a store of longer keys"
        );
        assert_eq!(KeyTooLong::check(&[0; 8], 8), Ok(()));
        assert_eq!(
            SessionError::TooManySessions { limit: 2 }.to_string(),
            "all 2 sessions are in use: drop one, or use fewer threads"
        );
    }
}
