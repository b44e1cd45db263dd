//! Stores that run as servers: their memory is the cell's, their death a row, and none of them
//! outlives its cell, whatever ends it. Skipped where Redis is not installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

use crate::common::{bench, only_folder, run_suite, scratch};
use harness::runner::{Berth, CellRunner, Floor, Interrupt, ProcessRunner};
use platform::process::{ProcessMemory, descendants};
use record::{Outcome, Row};

const REQUESTS: &str = r#"
    [[key-value]]
    stores = ["redis@servers=2"]
    get-percent = [50]
    value-bytes = [1024]
    fill-percent = [50]
    threads = [2]
    roofline = false
"#;

const FRAGMENTATION: &str = r#"
    [[fragmentation]]
    stores = ["redis@servers=2"]
    patterns = ["P2"]
    threads = [2]
"#;

fn suite(timeout_s: u64, work: &str) -> String {
    format!("question = \"What becomes of servers?\"\ntimeout-s = {timeout_s}\n{work}")
}

/// Whether a cell's rows say that Redis is not installed here.
fn is_skipped(rows: &[Row]) -> bool {
    let unavailable = rows.iter().find(|row| row.outcome == Outcome::Unavailable);
    if let Some(row) = unavailable {
        eprintln!("skipped: {:?}", row.reason);
    }
    unavailable.is_some()
}

/// Whether `pid` is a server that runs.
fn serves(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    stat.contains("(redis-server)") && state.is_some_and(|state| state != 'Z' && state != 'X')
}

fn wait_until_none_serves(servers: &[u32]) {
    while servers.iter().any(|&pid| serves(pid)) {
        std::thread::yield_now();
    }
}

#[test]
fn memory_of_servers_is_the_cells_and_bounded_with_it() {
    let (code, _, rows) = run_suite("servers-memory", &suite(120, REQUESTS), &[]);
    if is_skipped(&rows) {
        return;
    }
    assert_eq!(code, 0, "{:?}", rows.last().unwrap().reason);
    let load = rows.iter().find(|row| row.step == "load").expect("a load");
    let memory = load.memory.as_ref().unwrap();
    let loaded = memory.at_once.unwrap();
    // The worker itself holds nothing of them.
    assert!(loaded.live_bytes > 20 << 20, "{loaded:?}");
    assert!(loaded.resident_bytes >= loaded.live_bytes, "{loaded:?}");
    let empty_bytes = load.statistics["empty_server_resident_bytes"];
    assert!(empty_bytes > 1e6 && empty_bytes < loaded.resident_bytes as f64, "{empty_bytes}");
    assert_eq!(load.settings["servers"], "2");
    assert!(load.cpu.system_ns > 0, "sockets take the kernel's time: {:?}", load.cpu);

    let mut cell = load.cell.clone();
    cell.memory_limit_bytes = memory.baseline_bytes + loaded.resident_bytes / 2;
    let program = env!("CARGO_BIN_EXE_nibble-bench").into();
    let runner = ProcessRunner { program, interrupt: Interrupt::default() };
    let floor = Floor::default();
    let record = runner.run(&[&cell], (&floor, floor.take()), &mut Berth::alone()).remove(0);
    let last = record.rows.last().expect("a row, never a hole");
    assert_eq!(last.outcome, Outcome::OutOfMemory, "{:?}", last.reason);
    let line = &last.settings["command-line"];
    let folder = line.split(' ').find(|word| word.contains("nibble-redis-")).expect("a folder");
    let left: Vec<u32> = all_processes().filter(|&pid| calls(pid).contains(folder)).collect();
    wait_until_none_serves(&left);
}

fn all_processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").expect("/proc is mounted").flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn calls(pid: u32) -> String {
    fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default()
}

/// A run whose servers hold a part of the load.
struct Loading {
    run: Child,
    servers: Vec<u32>,
    results: PathBuf,
}

impl Loading {
    /// Starts one; `None` where there is no Redis.
    fn start(name: &str, timeout_s: u64, work: &str) -> Option<Self> {
        /// Beyond what a server holds that was just started.
        const LOADED_BYTES: u64 = 12 << 20;
        let folder = scratch(name);
        let (file, results) = (folder.join("suite.toml"), folder.join("results"));
        fs::write(&file, suite(timeout_s, work)).expect("the suite is written");
        let mut run = bench()
            .args(["run", file.to_str().unwrap(), "--scale", "smoke", "--quiet", "--results"])
            .arg(&results)
            // Traces would push the last words out of a row's reason.
            .env_remove("RUST_BACKTRACE")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        loop {
            let servers = descendants(run.id()).into_iter().filter(|&pid| serves(pid));
            let servers: Vec<u32> = servers.collect();
            let is_loaded = |&pid: &u32| {
                ProcessMemory::of(pid).is_ok_and(|memory| memory.resident_bytes() > LOADED_BYTES)
            };
            if servers.len() == 2 && servers.iter().all(is_loaded) {
                return Some(Self { run, servers, results });
            }
            if run.try_wait().expect("our child").is_some() {
                assert!(is_skipped(&rows_in(&results)), "it ended before its servers were loaded");
                return None;
            }
            std::thread::yield_now();
        }
    }

    /// Waits for its end and that of its servers; the row of its end, if it has one.
    fn end(mut self) -> (ExitStatus, Option<Row>) {
        let status = self.run.wait().expect("our child");
        wait_until_none_serves(&self.servers);
        (status, rows_in(&self.results).pop())
    }
}

fn rows_in(results: &Path) -> Vec<Row> {
    let run = only_folder(results).and_then(|run| record::archive::load(&run).ok());
    run.map(|(_, rows)| rows).unwrap_or_default()
}

fn send(signal: &str, pid: u32) {
    let status = Command::new("sh").args(["-c", &format!("kill -{signal} {pid}")]).status();
    assert!(status.expect("a shell").success(), "{signal} to {pid}");
}

#[test]
fn a_server_that_is_killed_or_hangs_ends_its_cell_with_its_fate() {
    let killed = "(process PID) ended (signal: 9 (SIGKILL))";
    let requests = format!("of 2 {killed}; its last words: ");
    for (name, timeout_s, work, (signal, server), outcome, fate) in [
        ("killed", 120, REQUESTS, ("KILL", 0), Outcome::Failed, requests.as_str()),
        // Between phases or within, on all threads.
        ("killed-at-work", 120, FRAGMENTATION, ("KILL", 1), Outcome::Crashed, killed),
        ("hangs", 5, REQUESTS, ("STOP", 1), Outcome::Timeout, ""),
    ] {
        let loading = Loading::start(&format!("server-{name}"), timeout_s, work);
        let Some(loading) = loading else { return };
        let victim = loading.servers[server];
        send(signal, victim);
        let (status, row) = loading.end();
        assert_eq!(status.code(), Some(1));
        let row = row.expect("a row, never a hole");
        let reason = row.reason.clone().unwrap();
        assert_eq!((row.outcome, row.expected), (outcome, false), "{reason}");
        let died = "a worker thread died: redis-server ";
        assert!(outcome != Outcome::Failed || reason.starts_with(died), "{reason}");
        let fate = fate.replace("PID", &victim.to_string());
        assert!(reason.contains(&fate), "{fate} is not in: {reason}");
    }
}

#[test]
fn servers_end_with_a_run_that_is_interrupted_or_killed() {
    for signal in ["INT", "KILL"] {
        let Some(loading) = Loading::start(&format!("servers-{signal}"), 120, REQUESTS) else {
            return;
        };
        send(signal, loading.run.id());
        let (status, row) = loading.end();
        assert!(!status.success(), "{status}");
        assert!(row.is_none(), "the cell was not done: {row:?}");
    }
}
