//! How runs end, in words.

use super::run_line;
use crate::drain::last_lines;
use crate::{Ending, Ignored, Output};

#[test]
fn exit_codes_and_signals_are_told_with_the_last_lines() {
    let ran = run_line("echo first >&2; echo cannot do this >&2; exit 3", &Output::Null).unwrap();
    assert_eq!((ran.ending.to_string().as_str(), ran.ending.code()), ("exit code 3", Some(3)));
    assert_eq!(ran.said, "first\ncannot do this");
    let ran = run_line("kill -SEGV $$", &Output::Null).unwrap();
    assert_eq!(ran.ending.to_string(), "killed by signal 11 (SIGSEGV)");
    assert_eq!(ran.ending.code(), None);
}

#[test]
fn what_is_ignored_is_what_was_asked_for() {
    let codes = Ignored::parse("1, 3").unwrap();
    assert!(codes.accepts(Ending::Exited(3)) && codes.accepts(Ending::Exited(0)));
    assert!(!codes.accepts(Ending::Exited(2)) && !codes.accepts(Ending::Signalled(11)));
    let all = Ignored::parse("all-non-zero").unwrap();
    assert!(all.accepts(Ending::Signalled(11)) && all.accepts(Ending::Exited(2)));
    let limit = std::time::Duration::from_secs(1);
    assert!(!all.accepts(Ending::TimedOut(limit)) && !all.accepts(Ending::Stopped));
    assert!(!Ignored::Nothing.accepts(Ending::Exited(1)));
    assert!(Ignored::parse("some").unwrap_err().contains("all-non-zero"));
}

#[test]
fn last_lines_are_few_and_move_no_cursor() {
    let many: String = (0..100).map(|line| format!("line {line}\n")).collect();
    assert_eq!(last_lines(many.as_bytes()).lines().next(), Some("line 95"));
    assert_eq!(last_lines(b"a\x1b[31m\n\n  \nb\xff\n"), "a [31m\nb\u{fffd}");
    assert_eq!(last_lines(b""), "");
}
