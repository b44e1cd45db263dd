//! Help, completions and manual pages, as a shell and `man` take them.

use std::process::{Command, Stdio};

use crate::common::{bench, errors, run, scratch, told};

#[test]
fn help_has_the_purpose_three_examples_and_groups_in_this_order() {
    let help = told(&run(&["--help"]));
    assert!(help.starts_with("Measure how fast memory allocators"), "{help}");
    let headings =
        ["Usage:", "Examples:", "Measure:", "Compare:", "Inspect:", "Data:", "Plumbing:"];
    let places: Vec<usize> = headings
        .iter()
        .map(|heading| help.find(heading).unwrap_or_else(|| panic!("{heading} in {help}")))
        .collect();
    assert!(places.is_sorted(), "{places:?}");
    let compare = told(&run(&["compare", "--help"]));
    assert!(compare.contains("EXAMPLES\n    nibble-bench compare nibble hashmap"), "{compare}");
}

#[test]
fn a_shell_takes_the_completions() {
    let output = run(&["completions", "bash"]);
    let script = told(&output);
    assert!(output.status.success() && script.contains("reproduce"), "{}", errors(&output));
    let folder = scratch("completions");
    std::fs::write(folder.join("it.bash"), script).unwrap();
    let completed = Command::new("bash")
        .args(["--norc", "-c"])
        .arg(
            "source ./it.bash; COMP_WORDS=(nibble-bench com); COMP_CWORD=1; \
             completer=$(complete -p nibble-bench | sed 's/.*-F *\\([^ ]*\\).*/\\1/'); \
             $completer nibble-bench com nibble-bench; echo ${COMPREPLY[*]}",
        )
        .current_dir(&folder)
        .output()
        .expect("bash runs");
    assert_eq!(told(&completed).trim(), "compare completions", "{}", errors(&completed));
    assert_eq!(run(&["completions", "cobol"]).status.code(), Some(2));
}

#[test]
fn manual_pages_are_made_of_the_help() {
    let folder = scratch("man");
    let pages = folder.join("man1");
    let output = bench().arg("man").arg(&pages).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    let page = std::fs::read_to_string(pages.join("nibble-bench-compare.1")).unwrap();
    assert!(page.contains(".TH") && page.contains("nibble hashmap"), "{page}");
    assert!(told(&run(&["man"])).contains(".SH NAME"));
}

/// Colours are for terminals: what is piped has none, whatever the terminal could show.
#[test]
fn what_is_piped_has_no_colours() {
    let claims = ["claims", "--run", "results/reference", "fig1-two-to-three"];
    let text = |set: &[(&str, &str)]| {
        let output = bench()
            .args(claims)
            .env_remove("NO_COLOR")
            .envs(set.iter().copied())
            .current_dir(crate::common::root())
            .stderr(Stdio::null())
            .output()
            .unwrap();
        told(&output)
    };
    assert!(!text(&[]).contains('\u{1b}') && !text(&[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(text(&[("CLICOLOR_FORCE", "1")]).contains("\u{1b}[3"), "asked for, they are there");
}
