//! Every command of the README is executed, here at a size that suits a test, or listed as executed by hand.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::common::{bench, errors, read, root, scratch, told};

/// How a line of the README is executed.
enum Executed {
    /// By this test, with further options that make it smaller; it ends with one of these codes.
    Here { more: &'static [&'static str], codes: &'static [i32] },
    /// By hand, for this reason.
    ByHand(&'static str),
}

use Executed::{ByHand, Here};

/// The lines of the README's blocks of commands, in their order.
const LINES: [(&str, Executed); 10] = [
    ("scripts/reproduce", ByHand("takes an hour")),
    ("scripts/test", ByHand("runs this test")),
    ("scripts/reproduce --figure fig11", ByHand("builds a release")),
    ("cargo build --release", ByHand("takes minutes")),
    (
        "target/release/nibble-bench compare nibble hashmap",
        Here {
            more: &["--blocks", "3", "--operations", "20000", "--object-memory", "16MiB"],
            codes: &[0, 6, 7],
        },
    ),
    (
        "target/release/nibble-bench run store-bloat --scale quick --filter P1/nibble/bounded \
         --repetitions 3",
        Here { more: &[], codes: &[0] },
    ),
    (
        "target/release/nibble-bench compare results/reference results/RUN",
        // Memory is the same; 6, 7: throughput of another machine, or of a busy one, is not.
        Here { more: &[], codes: &[0, 6, 7] },
    ),
    (
        "target/release/nibble-bench gate --baseline origin/main --budget 8m",
        ByHand("builds a revision"),
    ),
    ("target/release/nibble-bench run my.toml --scale quick", Here { more: &[], codes: &[0] }),
    (
        "target/release/nibble-bench choose --value-bytes 100..2000 --get 95 --live 8GiB --memory 12GiB",
        // 9: what the published run measured may not qualify.
        Here { more: &[], codes: &[0, 9] },
    ),
];

/// The lines of the blocks of commands, and the files that they write.
fn lines() -> (Vec<String>, Vec<(String, String)>) {
    let (mut lines, mut files) = (Vec::new(), Vec::new());
    let readme = read("README.md");
    for block in readme.split("```sh\n").skip(1) {
        let block = block.split("```").next().expect("a block ends");
        let mut block = block.lines();
        while let Some(line) = block.next() {
            if let Some((file, end)) =
                line.strip_prefix("cat > ").and_then(|rest| rest.split_once(" <<"))
            {
                let end = end.trim_matches('\'');
                let text: Vec<&str> = block.by_ref().take_while(|line| *line != end).collect();
                files.push((file.to_owned(), text.join("\n")));
            } else {
                let line = line.split(" #").next().expect("a line").trim();
                lines.extend((!line.is_empty()).then(|| line.to_owned()));
            }
        }
    }
    (lines, files)
}

/// The run that the first `run` of the README made.
fn first_run(folder: &Path) -> PathBuf {
    let runs = fs::read_dir(folder.join("results")).expect("results").flatten();
    let is_it = |path: &PathBuf| path.to_string_lossy().ends_with("-store-bloat");
    runs.map(|entry| entry.path()).find(is_it).expect("the README runs store-bloat")
}

fn execute(folder: &Path, line: &str, more: &[&str]) -> Output {
    // What is laid beside the published run has its scale. Once suffices to see that it works.
    let mut line = match line.contains("--filter") {
        true => line.replace("--repetitions 3", "--repetitions 1"),
        false => line.replace("--scale quick", "--scale smoke"),
    };
    if line.contains("results/RUN") {
        let name = first_run(folder).file_name().expect("a name").to_string_lossy().into_owned();
        line = line.replace("results/RUN", &format!("results/{name}"));
    }
    let arguments = line.split(' ').skip(1);
    bench()
        .args(arguments)
        .args(more)
        .args((!line.contains(" choose ")).then_some("--quiet"))
        .current_dir(folder)
        .output()
        .expect("it starts")
}

#[test]
fn a_smoke_run_is_shown_beside_the_published_one_and_not_judged() {
    let folder = scratch("readme-smoke");
    let run =
        ["run", "store-bloat", "--scale", "smoke", "--filter", "P1/nibble/bounded", "--quiet"];
    let output = bench().args(run).current_dir(&folder).output().expect("it starts");
    assert!(output.status.success(), "{}", errors(&output));
    let output = bench()
        .arg("compare")
        .args([root().join("results/reference"), first_run(&folder)])
        .output()
        .expect("it starts");
    let said = told(&output);
    assert_eq!(output.status.code(), Some(7), "{said}{}", errors(&output));
    let row = said.lines().find(|line| line.starts_with("memory  ")).expect("a row of memory");
    let columns: Vec<&str> =
        row.split("  ").map(str::trim).filter(|text| !text.is_empty()).collect();
    assert!(columns[1].starts_with("1.") && columns[2].starts_with("1."), "both medians: {row}");
    assert_eq!(columns[3], "–", "one value has no interval: {row}");
    for text in ["cannot be told", "unknown: the sides ask different things", "Nothing is judged:"]
    {
        assert!(said.contains(text), "{text}: {said}");
    }
}

#[test]
fn every_command_of_the_readme_is_executed() {
    let (lines, files) = lines();
    let known: Vec<&str> = LINES.iter().map(|(line, _)| *line).collect();
    assert_eq!(lines, known, "left: README.md, right: what this test knows of");
    let folder = scratch("readme-commands");
    fs::create_dir(folder.join("results")).unwrap();
    symlink(root().join("results/reference"), folder.join("results/reference")).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    for (line, executed) in LINES {
        match executed {
            ByHand(why) => println!("by hand, since it {why}: {line}"),
            Here { more, codes } => {
                let output = execute(&folder, line, more);
                let code = output.status.code().expect("an exit code");
                let error = errors(&output);
                assert!(codes.contains(&code), "{line}: {code}: {}{error}", told(&output));
                let words = error.lines().filter(|line| line.starts_with("error: "));
                assert!(words.map(str::len).sum::<usize>() < 2000, "{line}: {error}");
            }
        }
    }
}
