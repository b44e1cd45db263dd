//! Processes that are killed at any moment: what they had acknowledged must be there.
//!
//! A second process puts and deletes, one operation after the other, and appends a byte to a file for
//! each that was answered. That file is the account: the system keeps it when the process is killed.
//! The next process goes on where the account ends.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use engine::{KvEngine, KvSession};

use super::{Hasty, Random, made, read_version};

/// Keys that are written in turn.
const KEYS: u64 = 200;
const VALUE_BYTES: usize = 300;
/// Ends a process that nobody kills.
pub(super) const OPERATIONS_MAX: u64 = 10_000_000;

/// An operation that was acknowledged and is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Lost {
    pub(super) key: u64,
    /// The last operation on the key that was acknowledged.
    pub(super) operation: u64,
    /// How many were acknowledged in all.
    pub(super) acknowledged: u64,
    /// What is there in its place.
    pub(super) found: String,
}

impl fmt::Display for Lost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, operation, acknowledged, found } = self;
        let kind = if deletes(*operation) { "DELETE" } else { "PUT" };
        write!(
            formatter,
            "the {kind} of key {key}, operation {operation} of {acknowledged} that were \
             acknowledged, is lost: there is {found}"
        )
    }
}

fn key_of(operation: u64) -> u64 {
    operation % KEYS
}

fn deletes(operation: u64) -> bool {
    operation % 7 == 5
}

pub(super) fn account(folder: &Path) -> PathBuf {
    folder.join("acknowledged")
}

/// How many operations were acknowledged, by all processes so far.
#[must_use]
pub(super) fn acknowledged(folder: &Path) -> u64 {
    fs::metadata(account(folder)).map_or(0, |file| file.len())
}

/// As [`operate_until_killed`], by a session of `store`; a hasty one answers before it hands anything over.
///
/// # Panics
/// If the store refuses.
pub(super) fn operate_on(store: &impl KvEngine, hasty: bool, folder: &Path) {
    let mut session = store.session().expect("a session");
    if hasty {
        operate_until_killed(&mut Hasty::new(session), folder);
    } else {
        operate_until_killed(&mut session, folder);
    }
}

/// As [`look_for_lost`], by a session of `store`, which is checked before.
///
/// # Errors
/// As there.
///
/// # Panics
/// If the store is not sound.
pub(super) fn look_into(store: &impl KvEngine, folder: &Path) -> Result<u64, Lost> {
    store.check().expect("the store is sound");
    look_for_lost(&mut store.session().expect("a session"), folder)
}

/// Goes on where the account in `folder` ends, until the process is killed.
///
/// # Panics
/// If the store refuses.
fn operate_until_killed(session: &mut impl KvSession, folder: &Path) {
    let first = acknowledged(folder);
    let mut account =
        File::options().create(true).append(true).open(account(folder)).expect("an account");
    for operation in first..first + OPERATIONS_MAX {
        let key = key_of(operation);
        if deletes(operation) {
            session.delete(key);
        } else {
            let value = made(key, operation, VALUE_BYTES);
            assert!(session.put(key, &value).expect("a short value").is_stored());
        }
        account.write_all(&[1]).expect("the account is kept");
    }
}

/// A process that ends with its owner.
pub(super) struct Killed(Child);

impl Killed {
    /// # Panics
    /// If it cannot be started.
    pub(super) fn start(mut command: Command) -> Self {
        Self(command.spawn().expect("the test program starts a second time"))
    }

    /// How it ended by itself, if it has.
    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.0.try_wait().expect("a child")
    }
}

impl Drop for Killed {
    fn drop(&mut self) {
        // It may have ended by itself; what it leaves is looked at in either case.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Starts a process that operates, and kills it when so many more operations are acknowledged.
///
/// # Panics
/// If it cannot be started, or ends before.
fn kill_after(command: Command, folder: &Path, more: u64) {
    let enough = acknowledged(folder) + more;
    let mut process = Killed::start(command);
    while acknowledged(folder) < enough {
        let ended = process.ended();
        assert!(ended.is_none(), "it ended by itself: {ended:?}");
        thread::sleep(Duration::from_millis(1));
    }
}

/// Starts processes by `again` and kills them, one after the other, at random moments within `most`
/// operations; after each, `look` opens the store and looks for what is lost.
///
/// # Errors
/// What was lost first.
///
/// # Panics
/// If a process cannot be started, or ends before.
pub(super) fn killed_again_and_again<Fault>(
    folder: &Path,
    (kills, most): (u64, u64),
    again: impl Fn() -> Command,
    look: impl Fn() -> Result<u64, Fault>,
) -> Result<u64, Fault> {
    let mut random = Random(kills);
    for _ in 0..kills {
        kill_after(again(), folder, 5 + random.below(most));
        look()?;
    }
    look()
}

/// Looks for a moment at which every key had what it has. The operation after the last one acknowledged may
/// have been done. Returns how many operations there were before the last such moment.
///
/// # Errors
/// What there is, if there was no such moment.
pub(super) fn look_for_prefix(session: &mut impl KvSession, folder: &Path) -> Result<u64, String> {
    let mut buffer = [0; VALUE_BYTES];
    let mut found = Vec::new();
    for key in 0..KEYS {
        let bytes = session.get(key, &mut buffer).expect("values of one length");
        let version = bytes.map(|bytes| read_version(key, &buffer[..bytes])).transpose()?;
        found.push(version);
    }
    let most = acknowledged(folder) + 1;
    let had_then = |count: u64| {
        (0..KEYS).zip(&found).all(|(key, found)| {
            let last = (0..count).rev().take(KEYS as usize).find(|&one| key_of(one) == key);
            *found == last.filter(|&operation| !deletes(operation))
        })
    };
    // Moments before the newest value are none.
    let first = found.iter().flatten().max().map_or(0, |newest| newest + 1);
    (first..=most).rev().find(|&count| had_then(count)).ok_or_else(|| {
        let missing: Vec<u64> = (first.saturating_sub(KEYS)..first)
            .filter(|&one| !deletes(one) && found[key_of(one) as usize] != Some(one))
            .collect();
        format!(
            "what is there is no prefix of {most} operations: that of operation {first} is there, \
             and not those of {missing:?}"
        )
    })
}

/// Looks for every key. The operation after the last one acknowledged may have been done.
///
/// # Errors
/// The first key whose last acknowledged operation is lost.
fn look_for_lost(session: &mut impl KvSession, folder: &Path) -> Result<u64, Lost> {
    let acknowledged = acknowledged(folder);
    let last: BTreeMap<u64, u64> =
        (0..acknowledged).map(|operation| (key_of(operation), operation)).collect();
    let mut buffer = [0; VALUE_BYTES];
    for (&key, &operation) in &last {
        let found = session.get(key, &mut buffer).expect("values of one length");
        let is_after = |operation| match found {
            None => deletes(operation),
            Some(bytes) => {
                !deletes(operation) && read_version(key, &buffer[..bytes]) == Ok(operation)
            }
        };
        let is_under_way = key_of(acknowledged) == key && is_after(acknowledged);
        if is_after(operation) || is_under_way {
            continue;
        }
        let found = match found.map(|bytes| read_version(key, &buffer[..bytes])) {
            None => "nothing".to_owned(),
            Some(Ok(version)) => format!("the value of operation {version}"),
            Some(Err(wrong)) => wrong,
        };
        return Err(Lost { key, operation, acknowledged, found });
    }
    Ok(acknowledged)
}
