//! Access lists, among processes of several users: Alice and Bob share three ranges with two sets of
//! rights (Fig. 38 of the dissertation). Only root can start processes of other users.

use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use platform::process::bind_to_parent;
use spaces::registry::{Access, Registry, RegistryError, Rights, SegmentId, Who};

use super::world::{free_base, lockable, new_segment, space, world};

const ALICE: u32 = 61_001;
const BOB: u32 = 61_002;
/// Tells this program, started again, the keeper's name.
const USER: &str = "NIBBLE_TEST_SPACES_USER";
const RANGES: [&str; 3] = ["alice's", "common", "bob's"];

/// Not a test by itself: a user who tries everything, and says what it may.
#[test]
#[ignore = "started by another test"]
fn a_user_of_another_test() {
    let Ok(name) = std::env::var(USER) else { return };
    let registry = Registry::connect(&name).unwrap();
    for range in RANGES {
        let id = registry.find_segment(range).unwrap();
        let may = [Rights::ReadWrite, Rights::Read].into_iter().find(|&rights| {
            let Ok(mapped) = registry.map(id, rights) else { return false };
            // Relaxed: nobody writes meanwhile.
            let value = mapped.words()[0].load(Ordering::Relaxed);
            if rights == Rights::ReadWrite {
                mapped.words()[0].store(value + 1, Ordering::Relaxed);
            }
            true
        });
        println!("{range}: {}", may.map_or("nothing".to_owned(), |rights| rights.to_string()));
        let mut refusals = Vec::new();
        let mut tries = |told: Result<(), RegistryError>| {
            refusals.push(told.map_or_else(|error| error.to_string(), |()| "done".to_owned()));
        };
        tries(registry.set_access(id, Access::owner()));
        tries(registry.remove_segment(id));
        tries(registry.attach_segment(registry.find_space("all").unwrap(), id, Rights::Read));
        tries(registry.clone_segment(id, &format!("{name} {range}")).map(|_| ()));
        println!("{range}: {}", refusals.join("; "));
    }
    let own = registry.make_segment(new_segment("own", free_base(), 1)).unwrap();
    registry.set_access(own, Access::owner().and(Who::Anyone, Rights::Read)).unwrap();
    registry.remove_segment(own).unwrap();
    println!("own: removed");
}

/// What a process of this user says; `None` if there can be none.
fn ask(registry: &Registry, uid: u32) -> Option<String> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "users::a_user_of_another_test", "--ignored", "--nocapture"]);
    command.env(USER, registry.name()).uid(uid).gid(uid).current_dir("/").stdin(Stdio::null());
    bind_to_parent(&mut command);
    match command.output() {
        Ok(output) => {
            let told = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{told}");
            Some(told)
        }
        Err(error) => {
            eprintln!("not tested as user {uid}: {error}");
            None
        }
    }
}

#[test]
fn two_users_share_three_ranges() {
    let (_keeper, registry) = world();
    let lists = [
        Access::owner().and(Who::User(ALICE), Rights::ReadWrite).and(Who::Anyone, Rights::Read),
        Access::owner().and(Who::Anyone, Rights::Read).and(Who::Group(BOB), Rights::ReadWrite),
        Access::owner().and(Who::User(BOB), Rights::ReadWrite),
    ];
    let mut ranges: Vec<SegmentId> = Vec::new();
    for (name, access) in RANGES.into_iter().zip(lists) {
        let mut new = lockable(name, free_base(), 1);
        new.access = access;
        ranges.push(registry.make_segment(new).unwrap());
    }
    let all: Vec<_> = ranges.iter().map(|&id| (id, Rights::Read)).collect();
    space(&registry, "all", &all);
    let Some(alice) = ask(&registry, ALICE) else { return };
    let bob = ask(&registry, BOB).unwrap();
    let says = |told: &str, line: &str| assert!(told.contains(line), "{line}\n{told}");
    says(&alice, "alice's: read-write\n");
    says(&alice, "common: read\n");
    says(&alice, "bob's: nothing\n");
    says(&bob, "alice's: read\n");
    says(&bob, "common: read-write\n");
    says(&bob, "bob's: read-write\n");
    let owner = registry.describe_segment(ranges[0]).unwrap().owner;
    let belongs = format!("`common` belongs to user {owner}: user {ALICE} cannot change it");
    says(&alice, &format!("common: {belongs}; {belongs}; "));
    says(&alice, &format!("; `all` belongs to user {owner}: user {ALICE} cannot change it; done"));
    let denied = format!("user {ALICE} may nothing of segment `bob's`, not read");
    says(&alice, &denied);
    says(&alice, "own: removed");
    let counted = ranges.iter().map(|&id| super::world::words(&registry, id)[0]);
    assert_eq!(counted.collect::<Vec<_>>(), [1, 1, 1], "each range was written by one of them");
}
