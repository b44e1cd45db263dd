//! A tiny project with the expected package and program, in a folder of its own.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

const WORKSPACE: &str = r#"[workspace]
resolver = "3"
members = ["harness/cli"]
"#;
const LOCK: &str = r#"version = 4

[[package]]
name = "harness"
version = "0.1.0"
"#;
const PACKAGE: &str = r#"[package]
name = "harness"
version = "0.1.0"
edition = "2024"

[[bin]]
name = "nibble-bench"
path = "src/main.rs"

[lints.rust]
unexpected_cfgs = "allow"
"#;
const MAIN: &str = r##"mod answer;
fn main() {
    let configured = cfg!(configured);
    let file = file!();
    let answer = answer::ANSWER;
    let facts = format!(r#"{{"answer":"{answer}","configured":"{configured}","file":"{file}"}}"#);
    println!(r#"{{"protocol":1,"schema":2,"facts":{facts}}}"#);
}
"##;
/// A program without the sub-command.
pub const TOO_OLD: &str = r#"fn main() {
    eprintln!("error: unrecognized subcommand 'about'");
    std::process::exit(2);
}
"#;

/// A folder that is removed when dropped.
#[derive(Debug)]
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // Relaxed: the number only has to be unique.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("builds-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path.canonicalize().unwrap())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A git repository of such a project.
#[derive(Debug)]
pub struct Project {
    scratch: Scratch,
}

impl Project {
    /// A project with one commit, whose program answers `first`.
    pub fn new() -> Self {
        let project = Self { scratch: Scratch::new() };
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.write("Cargo.toml", WORKSPACE);
        project.write("Cargo.lock", LOCK);
        project.write("harness/cli/Cargo.toml", PACKAGE);
        project.write("harness/cli/src/main.rs", MAIN);
        project.write(".gitignore", "/results\n/target\n");
        project.configure("configured");
        project.commit_answer("first");
        project
    }

    pub fn root(&self) -> &Path {
        &self.scratch.0
    }

    /// The folder for programs, as the harness names it.
    pub fn builds(&self) -> PathBuf {
        self.root().join("results/builds")
    }

    pub fn write(&self, name: &str, text: &str) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Makes cargo's configuration set the cfg `name`, by both kinds of flags.
    pub fn configure(&self, name: &str) {
        let flags = format!("rustflags = [\"--cfg\", \"{name}\"]\n");
        let text = format!("[build]\n{flags}[target.'cfg(unix)']\n{flags}");
        self.write(".cargo/config.toml", &text);
    }

    /// Commits a program that answers `answer`.
    pub fn commit_answer(&self, answer: &str) -> String {
        let text = format!("pub(crate) const ANSWER: &str = \"{answer}\";\n");
        self.write("harness/cli/src/answer.rs", &text);
        self.commit()
    }

    /// Commits everything, and returns the commit's name.
    pub fn commit(&self) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "a change"]);
        self.git(&["rev-parse", "HEAD"])
    }

    pub fn git(&self, arguments: &[&str]) -> String {
        git(self.root(), arguments)
    }

    /// Checkouts that git lists beside the main one.
    pub fn worktrees(&self) -> Vec<String> {
        let list = self.git(&["worktree", "list", "--porcelain"]);
        let paths = list.lines().filter_map(|line| line.strip_prefix("worktree "));
        paths.skip(1).map(str::to_owned).collect()
    }
}

/// Runs git, independent of the user's settings.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=test", "-c", "user.email=test@example.invalid"])
        .args(["-c", "commit.gpgsign=false", "-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env_remove("GIT_DIR")
        .output()
        .expect("git runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
