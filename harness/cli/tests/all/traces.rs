//! Traces as a user makes and looks at them: recorded, converted, checked, repaired after a kill, described.

use std::fs;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use crate::common::{bench, errors, scratch, told};
use crate::json_output::documented;

fn trace(arguments: &[&str]) -> Output {
    bench().arg("trace").args(arguments).output().expect("the program starts")
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path that is text")
}

#[test]
fn a_trace_is_made_checked_shown_and_described() {
    let folder = scratch("trace-made");
    let file = folder.join("made.trace");
    let made = trace(&["capture", "postmark", "--generated", "--files", "500", "-o", text(&file)]);
    assert!(made.status.success(), "{}", errors(&made));
    assert!(errors(&made).contains("generator, not by the program: asked for"));
    let verified = trace(&["verify", text(&file)]);
    assert!(told(&verified).contains(": whole, "), "{}", told(&verified));
    let verified = trace(&["verify", "--json", text(&file)]);
    let all = documented("trace verify", &verified);
    assert_eq!(all[0]["whole"], true);
    assert_eq!(all[0]["content"], "operations");
    let shown = trace(&["show", text(&file), "--take", "3"]);
    assert_eq!(told(&shown).lines().count(), 4, "{}", told(&shown));
    let described = trace(&["stat", text(&file), "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&described.stdout).expect("JSON");
    let effects = &all[0]["requests"]["effects"];
    let (inserts, deletes) = (effects["insert"].as_u64(), effects["delete"].as_u64());
    // 500 files, half of 8000 transactions create one, and directories come and go, too.
    assert_eq!(inserts, deletes);
    assert!((4300..4700).contains(&inserts.unwrap()), "{inserts:?}");
}

#[test]
fn damage_is_found_with_its_offset_and_never_replayed() {
    let folder = scratch("trace-damaged");
    let whole = folder.join("results/traces/whole.trace");
    let made = trace(&["capture", "postmark", "--generated", "--files", "500", "-o", text(&whole)]);
    assert!(made.status.success(), "{}", errors(&made));
    let bytes = fs::read(&whole).expect("the trace");
    let suite = folder.join("suite.toml");
    let table = "question = \"?\"\n[[replay]]\nstores = [\"nibble\"]\ntraces = [\"whole\"]\n\
                 fill-percent = [40]\nthreads = [1]\n";
    fs::write(&suite, table).expect("a suite");
    for (name, damaged) in [
        ("flipped", {
            let mut bytes = bytes.clone();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            bytes
        }),
        ("cut", bytes[..bytes.len() - 100].to_vec()),
        ("longer", [&bytes[..], b"x"].concat()),
    ] {
        fs::write(&whole, damaged).expect("the damaged trace");
        let verified = trace(&["verify", text(&whole)]);
        assert_eq!(verified.status.code(), Some(1), "{name}");
        assert!(errors(&verified).contains(", byte "), "{name}: {}", errors(&verified));
        let verified = trace(&["verify", text(&whole), "--json"]);
        assert_eq!(verified.status.code(), Some(1), "{name}");
        assert_eq!(documented("trace verify", &verified)[0]["whole"], false, "{name}");
        let ran = bench()
            .args(["run", text(&suite), "--scale", "smoke", "--quiet", "--results"])
            .arg(folder.join("results"))
            .output()
            .expect("the program starts");
        assert!(!ran.status.success(), "{name}");
        assert!(errors(&ran).contains(", byte "), "{name}: {}", errors(&ran));
        let runs = fs::read_dir(folder.join("results")).expect("results").count();
        assert_eq!(runs, 1, "{name}: nothing but the traces is there");
    }
}

#[test]
fn a_killed_recorder_leaves_its_complete_blocks() {
    let folder = scratch("trace-killed");
    let file = folder.join("killed.trace");
    let part = folder.join("killed.trace.part");
    let mut recorder = bench()
        .args(["trace", "capture", "postmark", "--generated", "--files", "300000", "-o"])
        .arg(&file)
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts");
    while fs::metadata(&part).map_or(0, |file| file.len()) < 1 << 20 {
        std::thread::sleep(Duration::from_millis(10));
    }
    recorder.kill().expect("it runs");
    recorder.wait().expect("it ended");
    assert!(!file.exists(), "no half of a trace has the name of a whole one");
    let verified = trace(&["verify", text(&part)]);
    assert_eq!(verified.status.code(), Some(1));
    assert!(errors(&verified).contains("trace repair"), "{}", errors(&verified));
    let repaired = folder.join("repaired.trace");
    let said = trace(&["repair", text(&part), "--output", text(&repaired)]);
    assert!(said.status.success(), "{}", errors(&said));
    let again = trace(&["repair", text(&part), "--output", text(&repaired)]);
    assert_eq!(again.status.code(), Some(2), "what is there is not overwritten");
    let verified = told(&trace(&["verify", text(&repaired)]));
    let records = verified.split_whitespace().find_map(|word| word.parse::<u64>().ok());
    let records = records.expect("a number of records");
    assert!(records >= 65_536, "{verified}");
    // The last kept is the one that a whole capture has there.
    let last = (records - 1).to_string();
    let expected = folder.join("expected.trace");
    let few = ["capture", "postmark", "--generated", "--files", "300000", "--transactions", "1"];
    let made = trace(&[&few[..], &["-o", text(&expected)]].concat());
    assert!(made.status.success(), "{}", errors(&made));
    let of = |file: &Path| told(&trace(&["show", text(file), "--skip", &last, "--take", "1"]));
    assert_eq!(of(&repaired), of(&expected));
}

#[test]
fn public_formats_become_traces_and_what_is_wrong_is_said_with_its_place() {
    let folder = scratch("trace-convert");
    let input = folder.join("requests.csv");
    fs::write(&input, "0,a,1,100,1,get,0\n1,a,1,100,1,set,0\n2,b,1,7,1,delete,0\n").unwrap();
    let output = folder.join("out.trace");
    let converted = trace(&["convert", text(&input), "--format", "twitter", "-o", text(&output)]);
    assert!(converted.status.success(), "{}", errors(&converted));
    assert!(told(&converted).contains("3 operations"), "{}", told(&converted));
    assert!(told(&converted).contains("with the texts of 2 keys"), "{}", told(&converted));
    let numbers =
        &["convert", text(&input), "--format", "twitter", "--keys", "numbers", "-o", text(&output)];
    let converted = trace(numbers);
    assert!(told(&converted).contains("keys as numbers"), "{}", told(&converted));
    fs::write(&input, "0,a,1,100,1,get,0\n1,a,1,huge,1,set,0\n").unwrap();
    fs::remove_file(&output).unwrap();
    for (arguments, expected) in [
        (&["--format", "twitter"][..], "huge"),
        (&["--format", "twiter"], "did you mean"),
        (&["--format", "twitter", "--size-factor", "0"], "size_factor"),
        (&["--format", "msr", "--keys", "texts"], "keys of msr are numbers"),
        (&["--format", "twitter", "--copies", "2", "--keys", "texts"], "have no text of their own"),
    ] {
        let refused = trace(&[&["convert", text(&input), "-o", text(&output)], arguments].concat());
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        assert!(errors(&refused).contains(expected), "{}", errors(&refused));
        assert!(!output.exists(), "{arguments:?}");
    }
}

#[test]
fn a_program_is_recorded_and_described() {
    let folder = scratch("trace-malloc");
    let built = std::process::Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--locked", "--package", "nibble-preload", "--target-dir"])
        .arg(folder.join("preload"))
        .status()
        .expect("cargo starts");
    assert!(built.success());
    let library = folder.join("preload/debug/libnibble_preload.so");
    let output = folder.join("sh.trace");
    let captured = bench()
        .env("NIBBLE_PRELOAD_LIBRARY", &library)
        .args(["trace", "capture", "malloc", "-o"])
        .arg(&output)
        .args(["--", "sh", "-c", "echo from the program"])
        .output()
        .expect("the program starts");
    assert!(captured.status.success(), "{}", errors(&captured));
    assert!(told(&captured).contains("from the program"), "its output is its own");
    assert!(told(&captured).contains("allocation trace"), "{}", told(&captured));
    let none = bench()
        .env("NIBBLE_PRELOAD_LIBRARY", "/nonexistent.so")
        .args(["trace", "capture", "malloc", "-o", "x.trace", "--", "true"])
        .output()
        .expect("the program starts");
    assert_eq!(none.status.code(), Some(3));
    assert!(errors(&none).contains("nibble-preload"), "{}", errors(&none));
}
