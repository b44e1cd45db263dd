//! Processes that are killed while they write groups of keys in one step: all of a step is there, or none.
//!
//! The account is kept as for single operations: a byte for each step that was answered.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use engine::{KvSession, Write};

use super::killed::{OPERATIONS_MAX, account, acknowledged};
use super::{made, read_version};

/// Groups that are written in turn.
const GROUPS: u64 = 50;
const KEYS_OF_A_GROUP: u64 = 4;
const VALUE_BYTES: usize = 300;

/// A group that is not as its last step left it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Torn {
    /// The last step on the group that was acknowledged, if any was.
    pub(super) step: Option<u64>,
    /// How many were acknowledged in all.
    pub(super) acknowledged: u64,
    /// What each key of the group holds.
    pub(super) found: Vec<String>,
}

impl fmt::Display for Torn {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { step, acknowledged, found } = self;
        let found = found.join(", ");
        match step {
            Some(step) => write!(
                formatter,
                "step {step} of {acknowledged} that were acknowledged is not there as a whole: its keys \
                 hold {found}"
            ),
            None => write!(formatter, "part of a step is there that was not acknowledged: {found}"),
        }
    }
}

fn keys_of(step: u64) -> impl Iterator<Item = u64> {
    (0..KEYS_OF_A_GROUP).map(move |member| member * GROUPS + step % GROUPS)
}

/// Some steps delete one of their keys.
fn deletes(step: u64, key: u64) -> bool {
    step % 7 == 5 && key / GROUPS == step / 7 % KEYS_OF_A_GROUP
}

/// Goes on where the account in `folder` ends, until the process is killed. Piecemeal, each key of a step is
/// written by itself.
///
/// # Panics
/// If the store refuses.
pub(super) fn step_until_killed(session: &mut impl KvSession, piecemeal: bool, folder: &Path) {
    let first = acknowledged(folder);
    let mut account =
        File::options().create(true).append(true).open(account(folder)).expect("an account");
    for step in first..first + OPERATIONS_MAX {
        let values = keys_of(step).map(|key| (key, made(key, step, VALUE_BYTES)));
        let values: Vec<(u64, Vec<u8>)> = values.collect();
        let writes = values.iter().map(|(key, value)| match deletes(step, *key) {
            true => Write::Delete { key: *key },
            false => Write::Put { key: *key, value },
        });
        let writes: Vec<Write<'_>> = writes.collect();
        let together = if piecemeal { 1 } else { writes.len() };
        for writes in writes.chunks(together) {
            let done = session.write_in_one_step(writes).expect("short values");
            assert!(done.expect("a store that writes in one step").is_stored());
        }
        account.write_all(&[1]).expect("the account is kept");
    }
}

/// Looks at every group. The step after the last one acknowledged may have been done.
///
/// # Errors
/// The first group that is not as a step left it.
pub(super) fn look_for_torn(session: &mut impl KvSession, folder: &Path) -> Result<u64, Torn> {
    let acknowledged = acknowledged(folder);
    let mut buffer = [0; VALUE_BYTES];
    for group in 0..GROUPS {
        let mut found = |key| {
            let bytes = session.get(key, &mut buffer).expect("values of one length")?;
            Some(read_version(key, &buffer[..bytes]))
        };
        let held: Vec<_> = keys_of(group).map(|key| (key, found(key))).collect();
        let is_of = |step: Option<u64>| {
            held.iter().all(|(key, found)| match step {
                Some(step) if !deletes(step, *key) => *found == Some(Ok(step)),
                _ => found.is_none(),
            })
        };
        let last = (0..acknowledged).rev().take(GROUPS as usize);
        let step = last.into_iter().find(|step| step % GROUPS == group);
        let is_under_way = acknowledged % GROUPS == group && is_of(Some(acknowledged));
        if is_of(step) || is_under_way {
            continue;
        }
        let found = held.iter().map(|(_, found)| match found {
            None => "nothing".to_owned(),
            Some(Ok(version)) => format!("the value of step {version}"),
            Some(Err(wrong)) => wrong.clone(),
        });
        return Err(Torn { step, acknowledged, found: found.collect() });
    }
    Ok(acknowledged)
}
