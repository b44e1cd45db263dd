//! Opens the stores that do not register themselves, and wraps those that do not implement the contract.
//!
//! Each opener reads and checks a store's settings and returns what opens it, so that a plan refuses what
//! the store would refuse. The rules by which it reads them are the only table of the store's settings.

use engine::{OpenError, Options, Rule, Setup};

/// Opens a store whose settings are read and checked.
pub(crate) type Opening<E> = Box<dyn FnOnce() -> Result<E, OpenError>>;

/// Refuses more threads than a store has sessions for.
fn check_sessions(setup: &Setup, most: usize) -> Result<(), OpenError> {
    if setup.sessions <= most {
        return Ok(());
    }
    Err(OpenError::Refused {
        setting: "threads".to_owned(),
        value: setup.sessions.to_string(),
        rule: Rule::Whole((1..=most as u64).into()),
    })
}

/// Tells where a store uses less of the object memory than it is given, because what remains is too short
/// for its parts.
fn tell_unused(setup: &Setup, options: &mut Options, used_bytes: u64) {
    const UNTOLD_PERCENT: u64 = 1;
    let Some(given_bytes) = setup.object_memory_bytes else { return };
    if used_bytes < given_bytes / 100 * (100 - UNTOLD_PERCENT) {
        options.tell(format!(
            "uses {} MiB of {} MiB of object memory: the rest is too short for its parts",
            used_bytes >> 20,
            given_bytes >> 20
        ));
    }
}

pub(crate) mod embedded;
pub(crate) mod faulty;
pub(crate) mod heapstore;
pub(crate) mod hindered;
pub(crate) mod maps;
pub(crate) mod masstree;
pub(crate) mod mica;
pub(crate) mod nibble;
pub(crate) mod null;
pub(crate) mod ramcloud;
pub(crate) mod redis;
pub(crate) mod roofline;

#[cfg(test)]
mod made_up {
    //! A small store to open in tests.

    use engine::Setup;

    pub(super) fn setup(options: &[(&str, &str)]) -> Setup {
        let owned = |&(name, value): &(&str, &str)| (name.to_owned(), value.to_owned());
        Setup {
            object_memory_bytes: Some(16 << 20),
            live_bytes: 1 << 20,
            records_max: 1 << 14,
            value_bytes_max: 100,
            sessions: 1,
            cache_bytes: None,
            resident: false,
            tells_updates: true,
            options: options.iter().map(owned).collect(),
            folder: None,
            heap: None,
        }
    }
}
