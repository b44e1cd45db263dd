//! `killtest`: kills a small run at random moments, resumes it each time, and checks that what it
//! left is what a run that nobody disturbed leaves. The body of `scripts/killtest`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use workloads::Seed;

use super::Failure;
use crate::cli::KilltestArguments;
use record::archive;
use worker::exit;

/// Cells of well below a second each: of both workloads, alone and side by side.
const SUITE: &str = r#"
question = "Does a run survive whatever ends it?"

[[fragmentation]]
heaps = ["null", "glibc"]
patterns = ["P4", "P6"]

[[key-value]]
stores = ["null", "hashmap"]
distributions = ["uniform", "zipfian:0.99"]
get-percent = [50, 95]
value-bytes = [1024]
fill-percent = [10]
threads = [1]
batch = [1, 32]
"#;

/// Marks every process of a run, by its folder's path; children inherit it.
const MARK: &str = "NIBBLE_BENCH_KILLTEST";

/// How long the kernel may take to end the children of a process that was killed.
const END_OF_CHILDREN: Duration = Duration::from_secs(20);

/// Kills, resumes, checks; prints what was done.
pub(super) fn run(arguments: &KilltestArguments) -> Result<(), Failure> {
    let folder = &arguments.folder;
    fs::create_dir(folder)
        .map_err(|error| Failure::usage(format!("{}: {error}", folder.display())))?;
    let folder = fs::canonicalize(folder).map_err(|error| Failure::internal(error.to_string()))?;
    let test = Killtest { suite: folder.join("killed.toml"), mark: folder.join("runs") };
    test.run(arguments).map_err(|reason| Failure {
        code: exit::UNEXPECTED,
        message: Some(format!("{reason}; what it left is in {}", folder.display())),
    })?;
    fs::remove_dir_all(&folder)
        .map_err(|error| Failure::internal(format!("{}: {error}", folder.display())))
}

struct Killtest {
    suite: PathBuf,
    /// The folder of the runs that are killed; its path is the mark of their processes.
    mark: PathBuf,
}

impl Killtest {
    fn run(&self, arguments: &KilltestArguments) -> Result<(), String> {
        fs::write(&self.suite, SUITE).map_err(|error| error.to_string())?;
        let undisturbed = self.suite.with_file_name("undisturbed");
        let started = Instant::now();
        let status = wait(&mut self.start(None, &undisturbed)?)?;
        let whole_run = started.elapsed();
        let reference = only_run(&undisturbed).ok_or("the undisturbed run left no folder")?;
        if !status.success() {
            return Err(format!("the undisturbed run ended with {status}"));
        }
        let expected = identities(&reference)?;
        println!("undisturbed: {} cells in {:.1} s", expected.len(), whole_run.as_secs_f64());

        let mut rng = Seed(arguments.seed).stream("killtest").rng();
        let (mut kills, mut runs, mut there) = (0, 1, 0);
        while kills < arguments.kills {
            let mut child = self.start(only_run(&self.mark).as_deref(), &self.mark)?;
            // With a fifth left a kill would meet little but the start of a process.
            if there * 5 < expected.len() * 4 {
                // Rather late in a fresh run, where early on there is little to lose; in the first
                // half of what a resumed one has left, so that it is killed again.
                let left = (expected.len() - there) as f64 / expected.len() as f64;
                let moment = rng.unit_f64();
                let share = if there == 0 { moment.sqrt() } else { left * moment / 2.0 };
                std::thread::sleep(whole_run.mul_f64(share));
            } else {
                wait(&mut child)?;
            }
            if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
                // Whole runs are checked, and the next one is killed.
                if !status.success() {
                    return Err(format!("a resumed run ended with {status}"));
                }
                self.check(&expected)?;
                fs::remove_dir_all(&self.mark).map_err(|error| error.to_string())?;
                (runs, there) = (runs + 1, 0);
                continue;
            }
            child.kill().and_then(|()| child.wait()).map_err(|error| error.to_string())?;
            kills += 1;
            self.await_end_of_children()?;
            there = self.whole_cells()?;
            println!("kill {kills}: {there} of {} cells were there", expected.len());
        }
        let status = wait(&mut self.start(only_run(&self.mark).as_deref(), &self.mark)?)?;
        if !status.success() {
            return Err(format!("the run resumed last ended with {status}"));
        }
        self.check(&expected)?;
        println!("{kills} kills in {runs} run(s): every cell is there once and whole");
        Ok(())
    }

    /// Starts the suite below `results`, or resumes `run`.
    fn start(&self, run: Option<&Path>, results: &Path) -> Result<Child, String> {
        let program = std::env::current_exe().map_err(|error| error.to_string())?;
        let mut command = Command::new(program);
        match run {
            Some(run) => command.args(["run", "--quiet", "--resume"]).arg(run),
            None => command
                .args(["run", "--quiet", "--scale", "smoke", "--results"])
                .arg(results)
                .arg(&self.suite),
        };
        command
            .env(MARK, &self.mark)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| error.to_string())
    }

    /// Number of complete cells in the run.
    fn whole_cells(&self) -> Result<usize, String> {
        let Some(run) = only_run(&self.mark) else { return Ok(0) };
        let (_, rows) = archive::load(&run)?;
        Ok(rows.iter().filter(|row| row.last).count())
    }

    /// A finished run: the cells and identities expected, each once and whole, with its files.
    fn check(&self, expected: &BTreeMap<String, String>) -> Result<(), String> {
        let run = only_run(&self.mark).ok_or("the killed run left no folder")?;
        if identities(&run)? != *expected {
            return Err("the plan of the killed run is not that of the undisturbed one".to_owned());
        }
        let (_, rows) = archive::load(&run)?;
        let mut found = BTreeMap::new();
        for row in &rows {
            let id = &row.cell.id;
            let curve = row.curve.as_ref().ok_or_else(|| format!("cell {id} has no curve"))?;
            archive::curve(&run, curve)?;
            if row.last && found.insert(id.clone(), row.identity.clone()).is_some() {
                return Err(format!("cell {id} is there twice"));
            }
            if !row.expected {
                return Err(format!("cell {id} {}: {:?}", row.step, row.reason));
            }
        }
        if found != *expected {
            return Err(format!("cells found: {found:?}; planned: {expected:?}"));
        }
        match parts(&run).or_else(|| parts(&run.join("curves"))) {
            Some(part) => Err(format!("{} is half-written", part.display())),
            None => Ok(()),
        }
    }

    /// Waits until no process that bears the mark is left.
    fn await_end_of_children(&self) -> Result<(), String> {
        let started = Instant::now();
        loop {
            match marked(&self.mark) {
                None => return Ok(()),
                Some(pid) if started.elapsed() > END_OF_CHILDREN => {
                    return Err(format!("process {pid} survived the parent that was killed"));
                }
                Some(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

fn wait(child: &mut Child) -> Result<ExitStatus, String> {
    child.wait().map_err(|error| error.to_string())
}

/// Identities of the planned cells, by id.
fn identities(run: &Path) -> Result<BTreeMap<String, String>, String> {
    let plan = archive::plan(run)?;
    Ok(plan.into_iter().map(|planned| (planned.cell.id, planned.identity)).collect())
}

/// The run below `results`, beside which the history is; folders that were being made do not count.
fn only_run(results: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(results).ok()?.flatten().map(|entry| entry.path());
    entries.find(|path| path.is_dir() && !is_part(path))
}

/// An unfinished file in `folder`.
fn parts(folder: &Path) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find(|path| is_part(path))
}

fn is_part(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "part")
}

/// A living process whose environment bears the mark. This one does not: only its children do.
fn marked(mark: &Path) -> Option<u32> {
    let entry = format!("{MARK}={}", mark.display());
    fs::read_dir("/proc").ok()?.flatten().find_map(|process| {
        let pid = process.file_name().to_string_lossy().parse().ok()?;
        // Of a process that is gone, or ended and not yet waited for, there is nothing to read.
        let environment = fs::read(process.path().join("environ")).ok()?;
        environment.split(|&byte| byte == 0).any(|known| known == entry.as_bytes()).then_some(pid)
    })
}
