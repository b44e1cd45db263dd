//! Commands on the command line, and their parameters.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use crate::{Asked, Command, MEASURES, Scan, Shell};

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(Into::into).collect()
}

#[test]
fn commands_stand_between_dashes() {
    let both = Command::split(&words(&["a", "-x", "--", "b c", "d"])).unwrap();
    let lines: Vec<String> = both.iter().map(Command::line).collect();
    assert_eq!(lines, ["a -x", "'b c' d"]);
    assert_eq!(Command::split(&words(&["a", "--"])), Err(2));
    assert_eq!(Command::split(&words(&["--", "a"])), Err(1));
    assert_eq!(Command::split(&words(&["a", "--", "--", "b"])), Err(2));
}

#[test]
fn a_shell_reads_the_words_as_one_line() {
    let command = Command::new(words(&["echo $HOME", "|", "wc"]));
    assert_eq!(command.executed(None), command.words);
    let shell = Shell::named("default".as_ref());
    assert_eq!(command.executed(shell.as_ref()), words(&["sh", "-c", "echo $HOME | wc"]));
    assert_eq!(Shell::named("none".as_ref()), None);
}

#[test]
fn parameters_have_every_combination() {
    let scans =
        [Scan::ranged("n", "1", "3", "1").unwrap(), Scan::listed("how", "fast,slow").unwrap()];
    let all = Scan::combinations(&scans);
    assert_eq!(all.len(), 6);
    let command = Command::new(words(&["run", "-j{n}", "{how}", "{n}{other}"]));
    assert_eq!(command.with(&all[1]).line(), "run -j1 slow 1{other}");
    assert_eq!(command.with(&all[4]).name, "run -j3 fast 3{other}");
    assert_eq!(Scan::combinations(&[]), vec![Vec::new()]);
    let odd = Command::new(vec![OsString::from_vec(b"\xff{n}{n}".to_vec())]);
    let given = [("n".to_owned(), "{n}".to_owned())];
    assert_eq!(odd.with(&given).words[0].clone().into_vec(), b"\xff{n}{n}");
}

#[test]
fn steps_are_exact_decimals_and_nonsense_is_refused() {
    let values = |low, high, step| {
        let scans = [Scan::ranged("x", low, high, step)?];
        let all = Scan::combinations(&scans).into_iter();
        Ok::<_, crate::BadScan>(all.map(|mut one| one.remove(0).1).collect::<Vec<_>>())
    };
    assert_eq!(values("0", "0.3", "0.1").unwrap(), ["0.0", "0.1", "0.2", "0.3"]);
    assert_eq!(values("-2", "3", "2").unwrap(), ["-2", "0", "2"]);
    for (low, high, step) in
        [("2", "1", "1"), ("1", "2", "0"), ("1", "x", "1"), ("0", "1000000", "1"), ("1", "2", "-1")]
    {
        assert!(values(low, high, step).is_err(), "{low} {high} {step}");
    }
    assert!(Scan::listed("x", "").is_err());
}

#[test]
fn tolerances_name_a_measure() {
    let asked = Asked::parse(&["elapsed=1.5%".to_owned(), "cpu=off".to_owned()]).unwrap();
    assert_eq!(asked.of(&MEASURES[0]), Some(0.015));
    assert!(asked.is_off(&MEASURES[1]) && !asked.is_off(&MEASURES[2]));
    for (texts, expected) in [
        (&["elapsed"][..], "must be METRIC=PERCENT"),
        (&["speed=5%"], "no metric `speed`"),
        (&["elapsed=0%"], "must be 0.1% to 100%, or off"),
        (&["elapsed=off", "cpu=off", "peak-memory=off"], "nothing to judge"),
    ] {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        let said = Asked::parse(&texts).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }
}
