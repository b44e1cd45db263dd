//! What one run takes, and that nothing of it remains.

use std::time::{Duration, Instant};

use super::{run_line, run_within, shell};
use crate::{Ending, Failure, Input, Launch, Output, run};

#[test]
fn a_run_has_its_time_its_faults_and_its_end() {
    let ran = run_line("sleep 0.05", &Output::Null).unwrap();
    assert_eq!(ran.ending, Ending::Exited(0));
    assert!(ran.elapsed_ns >= 50_000_000, "{ran:?}");
    assert!(ran.minor_faults > 0 && ran.peak_bytes > 0 && !ran.curve.is_empty());
    let busy = "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done";
    let busy = run_line(busy, &Output::Null).unwrap();
    assert!(busy.user_ns > ran.user_ns && busy.user_ns >= 20_000_000, "{busy:?}");
}

/// A shell keeps 64 MiB in a variable, far more than this process has.
#[test]
fn the_peak_is_that_of_the_kernel() {
    let line = "x=$(head -c 67108864 /dev/zero | tr '\\0' x); sleep 0.05";
    let ran = run_line(line, &Output::Null).unwrap();
    let mib = ran.peak_bytes >> 20;
    assert!((64..300).contains(&mib), "{mib} MiB");
    let sampled = ran.curve.iter().map(|point| point.bytes).max().unwrap();
    assert!(sampled >= 60 << 20, "it sleeps with it: {sampled}");
}

#[test]
fn memory_of_several_processes_is_added_up() {
    let one = "x=$(head -c 33554432 /dev/zero | tr '\\0' x); sleep 1; true";
    let line = format!("({one}) & ({one}) & wait");
    let ran = run_line(&line, &Output::Null).unwrap();
    let alone = run_line(one, &Output::Null).unwrap();
    assert!(ran.curve.iter().any(|point| point.processes >= 3), "{:?}", ran.curve.last());
    // Each of them sleeps beside its child.
    let asleep = |run: &crate::Run, processes: u32| {
        let points = run.curve.iter().filter(|point| point.processes == processes);
        let mut bytes: Vec<u64> = points.map(|point| point.bytes).collect();
        bytes.sort_unstable();
        bytes.get(bytes.len() / 2).copied().unwrap_or(0)
    };
    let (both, one) = (asleep(&ran, 5), asleep(&alone, 2));
    assert!(both > one * 3 / 2 && both < one * 5 / 2, "{both} and {one}");
}

#[test]
fn a_process_that_forks_away_is_found_named_and_ended() {
    let began = Instant::now();
    let ran = run_line("setsid sleep 600 > /dev/null 2>&1 & exit 0", &Output::Null).unwrap();
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!((ran.ending, ran.left), (Ending::Exited(0), vec!["sleep".to_owned()]));
    let twice = "(setsid sh -c 'sleep 601 & sleep 602' &) ; exit 0";
    let ran = run_line(twice, &Output::Null).unwrap();
    assert!(ran.left.len() >= 2, "{:?}", ran.left);
}

#[test]
fn a_process_that_ends_soon_is_no_stray() {
    let ran = run_line("sleep 0.05 & exit 0", &Output::Null).unwrap();
    assert_eq!(ran.left, Vec::<String>::new());
}

#[test]
fn a_server_may_stay_and_is_not_taken_for_a_later_run() {
    let words = shell("sleep 30 & echo $! > /dev/null");
    let ran = run(Launch {
        words: &words,
        environment: &[],
        input: &Input::Null,
        output: &Output::Null,
        timeout: Duration::from_secs(20),
        servers_stay: true,
        stop: &|| false,
    })
    .unwrap();
    assert_eq!(ran.left, Vec::<String>::new());
    let later = run_line("exit 0", &Output::Null).unwrap();
    assert_eq!(later.left, Vec::<String>::new());
    let all = platform::process::descendants(std::process::id());
    let stays =
        all.into_iter().filter(|pid| crate::memory::living_name(*pid).as_deref() == Some("sleep"));
    let stays: Vec<u32> = stays.collect();
    assert!(!stays.is_empty(), "it was killed");
    stays.into_iter().for_each(platform::process::kill);
}

#[test]
fn gigabytes_of_output_take_no_memory() {
    for (bytes, output) in [(10_u64 << 30, Output::Null), (256 << 20, Output::Pipe)] {
        let ran = run_line(&format!("head -c {bytes} /dev/zero"), &output).unwrap();
        assert_eq!(ran.ending, Ending::Exited(0));
    }
    let ran = run_line("head -c 100000000 /dev/zero >&2; echo last >&2", &Output::Null).unwrap();
    assert!(ran.said.ends_with("last") && ran.said.len() < 5000, "{}", ran.said.len());
}

#[test]
fn input_is_empty_or_a_file() {
    let empty = run_line("test -z \"$(cat)\"", &Output::Null).unwrap();
    assert_eq!(empty.ending, Ending::Exited(0));
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in"), folder.path().join("out"));
    std::fs::write(&input, "some words").unwrap();
    let launch = Launch {
        words: &shell("cat; printf %s \"$GIVEN\""),
        environment: &[("GIVEN".into(), "!".into())],
        input: &Input::File(input),
        output: &Output::File(output.clone()),
        timeout: Duration::from_secs(20),
        servers_stay: false,
        stop: &|| false,
    };
    run(launch).unwrap();
    assert_eq!(std::fs::read_to_string(output).unwrap(), "some words!");
    let missing = Launch { input: &Input::File("/no/such/file".into()), ..launch };
    let said = run(missing).unwrap_err().to_string();
    assert!(said.contains("/no/such/file"), "{said}");
}

#[test]
fn what_hangs_is_killed_with_all_that_it_started() {
    let began = Instant::now();
    let limit = Duration::from_millis(200);
    let ran = run_within("trap '' TERM; sleep 700 & sleep 701", &Output::Null, limit).unwrap();
    assert_eq!(ran.ending, Ending::TimedOut(limit));
    assert!(began.elapsed() < Duration::from_secs(60));
    let lines = platform::process::descendants(std::process::id())
        .into_iter()
        .filter_map(|pid| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok());
    let left: Vec<String> = lines.filter(|line| line.contains("\x0070")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_is_stopped_says_so() {
    let ran = run(Launch {
        words: &shell("sleep 600"),
        environment: &[],
        input: &Input::Null,
        output: &Output::Null,
        timeout: Duration::from_secs(60),
        servers_stay: false,
        stop: &|| true,
    });
    assert_eq!(ran.unwrap().ending, Ending::Stopped);
}

#[test]
fn what_is_not_found_is_an_error_that_names_it() {
    let launch = |words: &[&str]| {
        let words: Vec<std::ffi::OsString> = words.iter().map(Into::into).collect();
        run(Launch {
            words: &words,
            environment: &[],
            input: &Input::Null,
            output: &Output::Null,
            timeout: Duration::from_secs(20),
            servers_stay: false,
            stop: &|| false,
        })
    };
    let said = launch(&["no-such-program-here"]).unwrap_err().to_string();
    assert!(said.contains("`no-such-program-here` cannot be started"), "{said}");
    let said = launch(&["sleep 1"]).unwrap_err();
    assert!(matches!(said, Failure::NotStarted { is_line: true, .. }));
    assert!(said.to_string().contains("--shell sh"), "{said}");
}
