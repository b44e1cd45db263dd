//! The relay among threads and among real processes, which are this test program started again.

use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::*;
use crate::Pages;
use crate::mapping::PAGE_BYTES;
use crate::process::{ProcessMemory, kill};
use crate::segments::{Attached, Segment, address_for};

/// Tells this program, started again, which partner it is, and the segment's address.
const PARTNER: &str = "NIBBLE_TEST_RELAY_PARTNER";
/// The word that partners count in, behind the turn words.
const COUNTED: usize = 256;

#[test]
fn a_turn_is_taken_once() {
    let turn = Turn::default();
    assert!(!turn.take());
    turn.give();
    assert!(turn.take() && !turn.take());
    assert!(!turn.wait_for(Duration::from_millis(1)));
}

/// Rule 4: what is not atomic as a whole, a load and a store, counts right, because one runs at a time.
#[test]
fn threads_hand_over_and_see_what_was_written_before() {
    const ROUNDS: u64 = 2_000;
    let turns: [Turn; 3] = Default::default();
    let counted = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for me in 0..3 {
            let (turns, counted) = (&turns, &counted);
            scope.spawn(move || {
                for _ in 0..ROUNDS {
                    turns[me].wait();
                    // Relaxed: ordered by the turn.
                    let before = counted.load(Ordering::Relaxed);
                    assert_eq!(before % 3, me as u64);
                    counted.store(before + 1, Ordering::Relaxed);
                    turns[(me + 1) % 3].give();
                }
            });
        }
        turns[0].give();
    });
    assert_eq!(counted.into_inner(), 3 * ROUNDS);
    assert!(turns[0].take(), "the turn is with whom it was given to last");
}

/// A segment, and so many processes of this program that attach it at the same address.
fn started(partners: usize) -> (Attached, Partners) {
    let segment = Segment::resident(PAGE_BYTES, Pages::Small).unwrap();
    let attached = segment.attach(address_for(PAGE_BYTES).unwrap()).unwrap();
    let mut started = Partners::default();
    for me in 1..=partners {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "relay::tests::a_partner_of_another_test", "--ignored"]);
        command.env(PARTNER, format!("{me} {partners} {}", attached.address()));
        command.stdin(Stdio::from(segment.descriptor().unwrap())).stdout(Stdio::null());
        started.start(&mut command).unwrap();
    }
    (attached, started)
}

/// Not a test by itself: what the other processes run.
#[test]
#[ignore = "started by other tests"]
fn a_partner_of_another_test() {
    let Ok(told) = std::env::var(PARTNER) else { return };
    let mut told = told.split(' ').map(|word| word.parse::<usize>().unwrap());
    let [me, partners, address] = [(); 3].map(|()| told.next().unwrap());
    let descriptor = std::io::stdin();
    let descriptor = std::os::fd::AsFd::as_fd(&descriptor).try_clone_to_owned().unwrap();
    let segment = Segment::received(descriptor, Pages::Small).unwrap();
    let attached = segment.attach(address).unwrap();
    loop {
        attached.turn(me).wait();
        // Relaxed: ordered by the turn, here and below.
        let counted = attached.words()[COUNTED].load(Ordering::Relaxed);
        attached.words()[COUNTED].store(counted + 1, Ordering::Relaxed);
        attached.turn((me + 1) % (partners + 1)).give();
    }
}

#[test]
fn processes_hand_over_at_one_address_and_end_with_their_owner() {
    let (attached, mut partners) = started(3);
    for round in 1..=500 {
        attached.turn(1).give();
        attached.turn(0).wait_among(&mut partners).unwrap();
        assert_eq!(attached.words()[COUNTED].load(Ordering::Relaxed), 3 * round);
    }
    let ids = partners.ids();
    drop(partners);
    assert!(ids.iter().all(|&id| ProcessMemory::of(id).is_err()), "all are waited for");
}

/// Rule 10, of the relay.
#[test]
fn a_partner_that_is_killed_is_named_and_nobody_waits_for_ever() {
    let (attached, mut partners) = started(2);
    attached.turn(1).give();
    attached.turn(0).wait_among(&mut partners).unwrap();
    kill(partners.ids()[1]);
    let death = loop {
        attached.turn(1).give();
        if let Err(death) = attached.turn(0).wait_among(&mut partners) {
            break death;
        }
    };
    assert_eq!(death.partner, 1);
    assert_eq!(death.status.unwrap().signal(), Some(libc::SIGKILL));
    assert_eq!(death.to_string(), "process 1 of the relay ended (signal: 9 (SIGKILL))");
}

#[test]
fn a_program_that_is_not_there_is_an_error() {
    let mut partners = Partners::default();
    assert!(partners.start(&mut Command::new("/nonexistent/program")).is_err());
    assert!(partners.ids().is_empty() && partners.look().is_ok());
}
