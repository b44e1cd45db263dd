//! What goes around runs, in which order, and what fails.

use std::path::Path;

use crate::{Bench, Command, Ending, Failure, Ignored, Length, Session, Settings, Shell, Side};

/// A command that adds a word to a file.
fn adds(word: &str, file: &Path) -> Command {
    let words = ["sh", "-c", &format!("echo {word} >> {}", file.display())].map(Into::into);
    Command { name: word.to_owned(), words: words.to_vec(), parameters: Vec::new() }
}

fn side(command: Command, place: usize) -> Side {
    Side { command, place, environment: Vec::new(), is_control: false }
}

#[test]
fn every_line_runs_in_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let line = |word: &str| format!("echo {word} >> {}", file.display());
    let settings = Settings {
        warm_up: 1,
        set_up: Some(line("up")),
        clean_up: Some(line("down")),
        prepare: vec![line("before")],
        conclude: vec![line("after")],
        ..Settings::default()
    };
    let session = Session::open(&settings, &|| false).unwrap();
    let mut bench = Bench::new(session, vec![vec![side(adds("run", &file), 0)]], 1);
    bench.begin().unwrap();
    bench.measure(&[0].into(), Length::Runs(3), &mut |_| {}).unwrap();
    bench.end().unwrap();
    let log = std::fs::read_to_string(&file).unwrap();
    let expected = format!("up {}down", "before run after ".repeat(4));
    assert_eq!(log.split_whitespace().collect::<Vec<_>>().join(" "), expected);
    assert_eq!(bench.measured().runs(0, 0).count(), 3, "warm-up is not measured");
}

#[test]
fn rounds_are_mirrored_and_each_side_has_its_preparation() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("log");
    let line = |word: &str| format!("echo {word} >> {}", file.display());
    let settings = Settings { prepare: vec![line("for-a"), line("for-b")], ..Settings::default() };
    let session = Session::open(&settings, &|| false).unwrap();
    let sides = vec![side(adds("a", &file), 0), side(adds("b", &file), 1)];
    let mut bench = Bench::new(session, vec![sides], 1);
    bench.begin().unwrap();
    let rounds = bench.measure(&[0].into(), Length::Runs(4), &mut |_| {}).unwrap();
    assert_eq!(rounds, 0..2);
    let log = std::fs::read_to_string(&file).unwrap();
    let log: Vec<&str> = log.split_whitespace().collect();
    for pair in log.chunks(2) {
        assert_eq!(pair[0], format!("for-{}", pair[1]));
    }
    for round in log.chunks(8) {
        assert_eq!((round[1], round[3]), (round[7], round[5]), "mirrored: {log:?}");
        assert_ne!(round[1], round[3]);
    }
}

#[test]
fn what_fails_is_named_with_its_code_and_words() {
    let failing = |line: &str| Command::new(["sh", "-c", line].map(Into::into).to_vec());
    let run = |settings: &Settings, line: &str| {
        let mut session = Session::open(settings, &|| false)?;
        let command = failing(line);
        session.begin(&command, 0, &[])?;
        let run = session.measure(&command, 0, &[], 1)?;
        Ok::<_, Failure>((run, session.notes()))
    };
    let said = run(&Settings::default(), "echo broken >&2; exit 7").unwrap_err().to_string();
    for text in ["run 1: exit code 7", "--ignore-failure", "\n    broken"] {
        assert!(said.contains(text), "{text}: {said}");
    }
    let ignoring = Settings { ignored: Ignored::Codes(vec![7]), ..Settings::default() };
    let (ran, notes) = run(&ignoring, "exit 7").unwrap();
    assert_eq!(ran.ending, Ending::Exited(7));
    assert!(notes[0].contains("exit code 7, which is ignored"), "{notes:?}");
    let said = run(&ignoring, "exit 8").unwrap_err().to_string();
    assert!(said.contains("nothing on standard error"), "{said}");
    let prepared = Settings { prepare: vec!["exit 4".to_owned()], ..ignoring };
    let said = run(&prepared, "exit 0").unwrap_err().to_string();
    assert!(said.contains("preparation `exit 4`: exit code 4"), "{said}");
}

#[test]
fn a_side_that_fails_is_left_out_but_never_the_first() {
    let settings = Settings::default();
    let sides = |first: &str, second: &str| {
        let command = |line: &str| Command::new(["sh", "-c", line].map(Into::into).to_vec());
        let again = Side { is_control: true, ..side(command(first), 0) };
        vec![vec![side(command(first), 0), side(command(second), 1), again]]
    };
    let measured = |cells| {
        let session = Session::open(&settings, &|| false)?;
        let mut bench = Bench::new(session, cells, 1).tolerant();
        bench.begin()?;
        bench.measure(&[0].into(), Length::Runs(4), &mut |_| {})?;
        Ok::<_, Failure>(bench)
    };
    let bench = measured(sides("exit 0", "kill -SEGV $$")).unwrap();
    let said = bench.failed(0, 1).unwrap().to_string();
    assert!(said.contains("SIGSEGV"), "{said}");
    let counts: Vec<usize> = (0..3).map(|side| bench.measured().runs(0, side).count()).collect();
    assert_eq!(counts, [4, 0, 4]);
    assert!(measured(sides("exit 1", "exit 0")).is_err());
}

#[test]
fn what_a_shell_takes_is_subtracted_and_said() {
    let settings = Settings { shell: Some(Shell("sh".into())), ..Settings::default() };
    let mut session = Session::open(&settings, &|| false).unwrap();
    assert!(session.notes()[0].contains("the shell itself takes"), "{:?}", session.notes());
    let command = Command::new(vec!["test -n \"$HOME\" && sleep 0.1".into()]);
    let run = session.measure(&command, 0, &[], 1).unwrap();
    assert!(run.elapsed_ns > 50_000_000 && run.ending.is_success());
    let missing = Settings { shell: Some(Shell("no-such-shell".into())), ..Settings::default() };
    assert!(Session::open(&missing, &|| false).is_err());
}

#[test]
fn time_ends_a_measurement_but_not_before_the_fewest_rounds() {
    let settings = Settings::default();
    let cells = || vec![vec![side(Command::new(vec!["true".into()]), 0)]];
    let rounds = |length| {
        let session = Session::open(&settings, &|| false).unwrap();
        let mut bench = Bench::new(session, cells(), 1);
        bench.measure(&[0].into(), length, &mut |_| {}).unwrap().end
    };
    let none = std::time::Duration::ZERO;
    assert_eq!(rounds(Length::Time(none, 4, 9)), 4);
    assert_eq!(rounds(Length::Time(std::time::Duration::from_secs(600), 1, 3)), 3);
    assert_eq!(rounds(Length::Runs(5)), 3, "two and a half");
}
