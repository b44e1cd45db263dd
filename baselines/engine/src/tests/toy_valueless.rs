//! A store that keeps nothing and says so.

use super::toy::{REFUSES, ToySession};
use engine::{EngineTraits, KvEngine, MemoryCensus, SessionError};

#[derive(Debug)]
pub(crate) struct Valueless;

impl KvEngine for Valueless {
    const TRAITS: EngineTraits = EngineTraits { keeps_values: false, ..EngineTraits::BASE };

    type Session<'engine> = ToySession<'engine, REFUSES>;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Err(SessionError::TooManySessions { limit: 0 })
    }

    fn memory(&self) -> MemoryCensus {
        MemoryCensus::default()
    }
}
