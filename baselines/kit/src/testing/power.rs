//! Stores whose machine loses its power: on a disk of [`crashfs`], at any request to it.
//!
//! A second process writes as in [`killed`](super::killed), its store on a mount of ours. When the power has
//! failed, the process is killed, and what survives is written to a folder where the store is opened and
//! looked into. The next process goes on from the survivors, so power fails while stores recover, too.

use std::fs::{self, File};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use crashfs::{Disk, Failure, Mounted, Order, Tree, may_mount};
use engine::{Durability, KvEngine};

use super::killed::{Killed, account, look_for_prefix, look_into};
use super::survivor::SOUND;
use super::{Random, Survivor};
use crate::folder::Folder;

/// Failures within which a disk that forgets is found.
const FAILURES_MAX: u64 = 60;
/// Attempts to explain a loss by less.
const LOOKS_MAX: u64 = 200;
/// Requests until the power fails: while a store opens or soon after, or after some merges.
const SOON: u64 = 60;
const LATE: u64 = 3000;

/// What must be there.
#[derive(Clone, Copy, Debug)]
enum Promise {
    /// Everything that was acknowledged.
    All,
    /// What was written before some moment, and nothing that was written after it.
    Prefix,
}

/// A disk, and what is asked of a store on it.
#[derive(Clone, Copy, Debug)]
struct Ring<'name> {
    durability: Durability,
    order: Order,
    promise: Promise,
    /// Part of the names of files whose synchronisation the disk forgets.
    forgets: Option<&'name str>,
}

impl<E: KvEngine> Survivor<E> {
    /// After so many failures of the power, all is there that was acknowledged as on the disk, whether the
    /// disk keeps the order of writes or not.
    ///
    /// # Panics
    /// If something is lost, with what the disk had lost, as little as explains it.
    pub fn loses_nothing_without_power(&self, failures: u64) {
        for order in [Order::Any, Order::AsIssued] {
            let ring = Ring {
                durability: Durability::Acknowledged,
                order,
                promise: Promise::All,
                forgets: None,
            };
            self.expect(ring, failures);
        }
    }

    /// In a mode that does not wait for the disk, one that keeps the order of writes has a prefix of them after
    /// each of so many failures.
    ///
    /// # Panics
    /// If something else is there.
    pub fn leaves_a_prefix_without_power(&self, durability: Durability, failures: u64) {
        self.expect(
            Ring { durability, order: Order::AsIssued, promise: Promise::Prefix, forgets: None },
            failures,
        );
    }

    /// On a disk that forgets to synchronise files with this in their names, something is lost, and found.
    ///
    /// # Panics
    /// If nothing is.
    pub fn is_caught_without_power(&self, forgets: &str) {
        let ring = Ring {
            durability: Durability::Acknowledged,
            order: Order::Any,
            promise: Promise::All,
            forgets: Some(forgets),
        };
        let Some(told) = self.fails_again_and_again(ring, FAILURES_MAX) else { return };
        let lost = told.expect_err("a disk that forgets loses something");
        assert!(lost.contains("not synchronised, the disk had lost: bytes "), "{lost}");
        println!("{}, {forgets}: {lost}", E::TRAITS.name);
    }

    fn expect(&self, ring: Ring<'_>, failures: u64) {
        let Some(told) = self.fails_again_and_again(ring, failures) else { return };
        let Ring { durability, order, .. } = ring;
        let name = E::TRAITS.name;
        let count = told.unwrap_or_else(|lost| panic!("{name}, {durability:?}, {order:?}: {lost}"));
        println!("{name}, {durability:?}, {order:?}: {failures} failures, {count} operations");
    }

    /// `None` where nothing can be mounted, there is no disk, or the store is missing.
    fn fails_again_and_again(&self, ring: Ring<'_>, failures: u64) -> Option<Result<u64, String>> {
        if let Err(reason) = may_mount() {
            eprintln!("skipped: {reason}");
            return None;
        }
        let folder = self.fresh_folder(ring.durability)?;
        let mount_point = folder.path().join("store");
        fs::create_dir(&mount_point).expect("an empty folder");
        let mut random = Random(failures ^ ring.forgets.map_or(0, |name| name.len() as u64));
        let (mut files, mut count) = (Tree::default(), 0);
        for _ in 0..failures {
            let requests =
                1 + [SOON, LATE].map(|most| random.below(most))[random.below(2) as usize];
            let mut disk = Disk::new(files, ring.order, requests, &account(folder.path()));
            if let Some(name) = ring.forgets {
                disk = disk.forgetting(name);
            }
            let failure = self.write_until_it_fails(ring.durability, disk, folder.path());
            let kept = failure.draw(|n| random.below(n));
            files = failure.survivors(&kept);
            let is_half_made = failure.acknowledged == 0 && !self.is_made_at_once;
            let look = |files: &Tree| self.look(ring, files, failure.acknowledged);
            count = match look(&files) {
                Ok(count) => count,
                Err(_) if is_half_made => {
                    files = Tree::default();
                    0
                }
                Err(lost) => {
                    let mut looks = 0..LOOKS_MAX;
                    let kept = failure.fewest_losses(kept, |files| {
                        looks.next().is_some() && look(files).is_err()
                    });
                    let least = look(&failure.survivors(&kept)).expect_err("still wrong");
                    let losses = failure.losses(&kept).join("; ");
                    let whole = match ring.forgets {
                        None => kept_files(&failure.survivors(&kept)),
                        Some(_) => String::new(),
                    };
                    return Some(Err(format!(
                        "{least} (at first: {lost}). Of what was not synchronised, the disk had \
                         lost: {losses}{whole}"
                    )));
                }
            };
            // What was written after the power had failed is not acknowledged.
            set_account(folder.path(), count);
        }
        Some(Ok(count))
    }

    /// Starts a process that writes to a store on the disk, and kills it when the power has failed.
    fn write_until_it_fails(&self, durability: Durability, disk: Disk, folder: &Path) -> Failure {
        let mounted = Mounted::new(disk.clone(), &folder.join("store"), "crashfs")
            .unwrap_or_else(|error| panic!("a mount: {error}"));
        let errors = folder.join("errors");
        let mut command = self.again(durability, SOUND, folder);
        command.stderr(File::create(&errors).expect("a file"));
        let mut process = Killed::start(command);
        while !disk.has_failed() {
            if let Some(ended) = process.ended() {
                assert!(
                    disk.has_failed(),
                    "the process ended by itself: {ended}\n{}",
                    fs::read_to_string(&errors).unwrap_or_default()
                );
            }
            thread::sleep(Duration::from_millis(1));
        }
        drop(process);
        mounted.unmount();
        disk.failure().expect("it has failed")
    }

    /// Opens the store that survives, on the disk of this machine, and looks into it.
    fn look(&self, ring: Ring<'_>, files: &Tree, acknowledged: u64) -> Result<u64, String> {
        let folder = Folder::create(&std::env::temp_dir(), "kit-survivor-").expect("a folder");
        let folder = folder.path();
        let below = folder.join("store");
        fs::create_dir(&below).and_then(|()| files.write_to(&below)).expect("room for the files");
        set_account(folder, acknowledged);
        let looked = catch_unwind(AssertUnwindSafe(|| {
            let store =
                (self.open)(folder, ring.durability, true).map_err(|error| error.to_string())?;
            match ring.promise {
                Promise::All => look_into(&store, folder).map_err(|lost| lost.to_string()),
                Promise::Prefix => {
                    look_for_prefix(&mut store.session().expect("a session"), folder)
                }
            }
        }));
        looked.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned();
            Err(text.unwrap_or_else(|| "the store panics".to_owned()))
        })
    }
}

/// Has the account say that so much is acknowledged.
fn set_account(folder: &Path, acknowledged: u64) {
    let account = File::options().create(true).write(true).truncate(false).open(account(folder));
    account.and_then(|account| account.set_len(acknowledged)).expect("an account");
}

/// Leaves the files for whoever wants to look, and says where.
fn kept_files(files: &Tree) -> String {
    let folder = std::env::temp_dir().join(format!("power-failed-{}", std::process::id()));
    let kept = fs::create_dir_all(&folder).and_then(|()| files.write_to(&folder));
    kept.map_or_else(|_| String::new(), |()| format!("; what is left is in {}", folder.display()))
}
