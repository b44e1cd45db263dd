//! Stores on a disk that are opened again, after they were closed or their process was killed.
//!
//! A test of the store's crate kills: its program is started a second time, and finds in its task that it
//! has to write until it is killed.

use std::path::Path;
use std::process::Command;

use engine::conformance::keeps_what_it_acknowledged;
use engine::{Durability, KvEngine, OpenError, Storage};

use super::Alone;
use super::killed::{Lost, acknowledged, killed_again_and_again, look_into, operate_on};
use super::killed_steps::{Torn, look_for_torn, step_until_killed};
use crate::folder::{Folder, is_in_memory};

/// Kills with which one that loses is found.
const KILLS: u64 = 5;
/// Kills with which one of steps that are written key by key is found: some fall between two steps.
const KILLS_OF_STEPS: u64 = 20;

/// What a process does until it is killed.
const HASTY: &str = "hasty";
pub(super) const SOUND: &str = "sound";
const STEPS: &str = "steps";
const PIECEMEAL: &str = "piecemeal";

/// A store of which something survives.
#[derive(Debug)]
pub struct Survivor<E> {
    /// `module_path!()` of the test that kills.
    pub module: &'static str,
    /// The name of that test, which asks [`obeys`](Self::obeys) first.
    pub test: &'static str,
    /// Opens the store that is in a folder, or an empty one. The last argument tells whether anybody asks if a
    /// key was present: some write in one step only if nobody does. Its files are in a folder `store` there,
    /// which is made unless it is there.
    pub open: fn(&Path, Durability, bool) -> Result<E, OpenError>,
    /// Whether it opens, empty, after the power failed while it was made.
    pub is_made_at_once: bool,
}

/// How many kills a long test is asked for.
///
/// # Panics
/// If `NIBBLE_KILLS` is no number.
#[must_use]
pub fn kills_asked() -> u64 {
    std::env::var("NIBBLE_KILLS").map_or(100, |count| count.parse().expect("a number"))
}

fn is_of_steps(way: &str) -> bool {
    [STEPS, PIECEMEAL].contains(&way)
}

impl<E: KvEngine> Survivor<E> {
    /// Opened again and again after it was closed, the store keeps what it acknowledged, with each of these.
    ///
    /// # Panics
    /// If it does not, or says something else of itself.
    pub fn reopens(&self, given: &[Durability]) {
        for &durability in given {
            let Some(folder) = self.fresh_folder(durability) else { return };
            let open = || self.expect_open(folder.path(), durability, true);
            let store = open();
            assert_eq!((store.durability(), store.storage()), (durability, Storage::Disk));
            assert!(store.folders().iter().all(|files| files.starts_with(folder.path())));
            assert_eq!(store.folders().len(), 1);
            let in_memory = store.statistics().into_iter();
            let in_memory = in_memory.filter(|one| one.name == "unmapped_files_bytes");
            assert_eq!(in_memory.map(|one| one.value).sum::<f64>(), 0.0);
            drop(store);
            keeps_what_it_acknowledged(&open);
        }
    }

    /// Whether this process was started to write to this store; then it has.
    ///
    /// # Panics
    /// If the store refuses.
    #[must_use]
    pub fn obeys(&self) -> bool {
        let Some(task) = Alone::task() else { return false };
        let words: Vec<&str> = task.splitn(4, ' ').collect();
        let [name, durability, way, folder] = words[..] else { panic!("four words: {task}") };
        if name != E::TRAITS.name {
            return false;
        }
        let named = Durability::ALL.into_iter().find(|one| one.name() == durability);
        let folder = Path::new(folder);
        let store = self.expect_open(folder, named.expect("a durability"), !is_of_steps(way));
        if is_of_steps(way) {
            let mut session = store.session().expect("a session");
            step_until_killed(&mut session, way == PIECEMEAL, folder);
        } else {
            operate_on(&store, way == HASTY, folder);
        }
        true
    }

    /// After so many kills of processes in each mode that survives them, all is there; of what was written in
    /// one step, where the store can, no part is missing.
    ///
    /// # Panics
    /// If something is lost, or in parts.
    pub fn loses_nothing(&self, kills: u64) {
        for durability in [Durability::Process, Durability::Acknowledged] {
            if let Some(told) = self.lives(durability, SOUND, kills) {
                let count = told.unwrap_or_else(|lost| panic!("{}: {lost}", E::TRAITS.name));
                println!("{}, {durability:?}: {kills} kills, {count} operations", E::TRAITS.name);
            }
            if let Some(told) = self.lives_in_steps(durability, STEPS, kills) {
                let count = told.unwrap_or_else(|torn| panic!("{}: {torn}", E::TRAITS.name));
                println!("{}, {durability:?}: {kills} kills, {count} steps", E::TRAITS.name);
            }
        }
    }

    /// What is lost is found: of sessions that answer before they hand anything over, and of a store in these
    /// modes, which survive no kill.
    ///
    /// # Panics
    /// If nothing is lost.
    pub fn is_caught(&self, losing: &[Durability]) {
        let hasty = self.lives(Durability::Process, HASTY, KILLS);
        let losing = losing.iter().map(|&durability| self.lives(durability, SOUND, KILLS));
        for told in losing.chain([hasty]).flatten() {
            let lost = told.expect_err("something is lost");
            let text = lost.to_string();
            assert!(text.contains("acknowledged, is lost: there is "), "{text}");
            assert!(lost.operation < lost.acknowledged, "{text}");
        }
        let piecemeal = self.lives_in_steps(Durability::Process, PIECEMEAL, KILLS_OF_STEPS);
        if let Some(told) = piecemeal {
            let torn = told.expect_err("a step is in parts").to_string();
            assert!(torn.contains("the value of step "), "{torn}");
        }
    }

    fn expect_open(&self, folder: &Path, durability: Durability, asks: bool) -> E {
        let opened = (self.open)(folder, durability, asks);
        opened.unwrap_or_else(|error| panic!("{}: {error}", E::TRAITS.name))
    }

    /// A folder without a store; `None` where there is no disk, or the store is missing.
    pub(super) fn fresh_folder(&self, durability: Durability) -> Option<Folder> {
        let parent = std::env::temp_dir();
        if is_in_memory(&parent) {
            eprintln!("skipped: {} is no disk", parent.display());
            return None;
        }
        let create = || Folder::create(&parent, "kit-survivor-").expect("a folder");
        match (self.open)(create().path(), durability, true) {
            Ok(_) => Some(create()),
            Err(error @ OpenError::Missing { .. }) => {
                eprintln!("skipped {}: {error}", E::TRAITS.name);
                None
            }
            Err(error) => panic!("{}: {error}", E::TRAITS.name),
        }
    }

    /// A process that writes to the store in the folder until it is killed, not yet started.
    pub(super) fn again(&self, durability: Durability, way: &str, folder: &Path) -> Command {
        let name = E::TRAITS.name;
        let task = format!("{name} {} {way} {}", durability.name(), folder.display());
        Alone::new(self.module, self.test).told(&task)
    }

    /// Kills processes that write to the store, one after the other; `Err` if something was lost.
    fn lives(&self, durability: Durability, way: &str, kills: u64) -> Option<Result<u64, Lost>> {
        self.is_killed(durability, (way, kills), look_into)
    }

    /// The same of processes that write groups in one step; `None` if the store cannot.
    fn lives_in_steps(
        &self,
        durability: Durability,
        way: &str,
        kills: u64,
    ) -> Option<Result<u64, Torn>> {
        if !E::TRAITS.writes_in_one_step {
            return None;
        }
        self.is_killed(durability, (way, kills), |store, folder| {
            store.check().expect("the store is sound");
            look_for_torn(&mut store.session().expect("a session"), folder)
        })
    }

    fn is_killed<Fault>(
        &self,
        durability: Durability,
        (way, kills): (&str, u64),
        look: impl Fn(&E, &Path) -> Result<u64, Fault>,
    ) -> Option<Result<u64, Fault>> {
        let folder = self.fresh_folder(durability)?;
        let folder = folder.path();
        let most = if durability == Durability::Acknowledged { 60 } else { 3000 };
        let again = || self.again(durability, way, folder);
        let told = killed_again_and_again(folder, (kills, most), again, || {
            look(&self.expect_open(folder, durability, !is_of_steps(way)), folder)
        });
        if let Ok(count) = told {
            assert_eq!(count, acknowledged(folder));
        }
        Some(told)
    }
}
