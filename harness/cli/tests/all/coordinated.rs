//! Coordinated clients, from outside: what is refused, and a small run on one server. Those that need a
//! server are skipped where Redis is not installed. Clusters of several, events and hosts are for
//! `scripts/cluster`.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::{bench, errors, only_folder, root, scratch, told};
use crate::json_output::documented;

const SUITE: &str = r#"
    question = "Do clients keep together?"
    [[key-value]]
    stores = ["redis"]
    get-percent = [50]
    value-bytes = [100]
    fill-percent = [50]
    threads = [2]
    distributions = ["zipfian:0.99"]
    rate-ops-per-s = [500]
"#;

/// A server of Redis on a port of its own, which ends with this.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// `None` where there is no server, which is said.
fn server(folder: &Path, more: &[&str]) -> Option<Server> {
    let port = free_port();
    let mut command = Command::new("redis-server");
    command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
    command.args(more).arg("--dir").arg(folder).stdin(Stdio::null()).stdout(Stdio::null());
    let Ok(child) = command.spawn() else {
        eprintln!("skipped: redis-server is not installed");
        return None;
    };
    let server = Server { child, port };
    let began = Instant::now();
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
        assert!(began.elapsed() < Duration::from_secs(60), "the server does not listen");
        std::thread::sleep(Duration::from_millis(10));
    }
    Some(server)
}

/// What a server answers to a line, in one line.
fn ask(port: u16, line: &str) -> String {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap();
    write!(stream, "{line}\r\n").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    answer
}

/// `None` where scripts/setup built no libvalkey, which is said.
fn libvalkey() -> Option<PathBuf> {
    let file = root().join(".libvalkey/libvalkey-0.5.0.so");
    match file.is_file() {
        true => Some(file),
        false => {
            eprintln!("skipped: libvalkey is not built");
            None
        }
    }
}

fn suite(folder: &Path, text: &str) -> PathBuf {
    let file = folder.join("together.toml");
    fs::write(&file, text).unwrap();
    file
}

fn cluster_run(folder: &Path, target: &str, more: &[&str]) -> Output {
    let mut command = bench();
    command.args(["cluster", "run"]).arg(suite(folder, SUITE)).args(["--target", target]);
    command.args(more).arg("--results").arg(folder.join("results")).output().unwrap()
}

/// The exit code and the words of a refusal, after which nothing is left.
#[track_caller]
fn refused(folder: &Path, target: &str, more: &[&str]) -> (i32, String) {
    let output = cluster_run(folder, target, more);
    assert!(!folder.join("results").exists(), "{}", errors(&output));
    (output.status.code().unwrap(), errors(&output))
}

#[test]
fn what_cannot_be_is_refused_with_the_remedy() {
    let folder = scratch("coordinated-refusals");
    let nobody = format!("redis://127.0.0.1:{}", free_port());
    let (code, said) = refused(&folder, &nobody, &[]);
    assert!(
        code == 3 && said.contains("cannot be reached") && said.contains("valkey-here"),
        "{said}"
    );
    for (target, more, words) in [
        ("127.0.0.1:6379", &[][..], "valkey-cluster://HOST:PORT"),
        ("redis://me:secret@127.0.0.1:6379", &[], "passwords"),
        (&nobody, &["--event", "5s:stop=1"], "TIME:kill=NODE"),
        (&nobody, &["--rate", "0"], "rate 0: must be 1 to"),
        (&nobody, &["--records", "3"], "--records 4"),
        (&nobody, &["--interval", "20s"], "--interval"),
        (&nobody, &["--duration", "soon"], "duration `soon`: write"),
        (&nobody, &["--executor", "ssh"], "--hosts"),
        (&nobody, &["--clients", "0"], "--clients"),
    ] {
        let (code, said) = refused(&folder, target, more);
        assert!(code == 2 && said.contains(words), "{target} {more:?}: {said}");
    }
}

#[test]
fn what_a_suite_asks_of_others_is_refused_by_its_name() {
    let folder = scratch("coordinated-suites");
    for (from, to, words) in [
        ("rate-ops-per-s = [500]", "", "--rate"),
        ("rate-ops-per-s = [500]", "rate-ops-per-s = [500, 900]", "2 combinations"),
        ("value-bytes = [100]", "value-bytes = [8]", "value-bytes = 8"),
        ("get-percent = [50]", "workloads = [\"ycsb-e\"]", "workload `ycsb-e`"),
        ("threads = [2]", "threads = [2]\nageing = \"churn:2\"", "`ageing`"),
    ] {
        let file = suite(&folder, &SUITE.replace(from, to));
        let output = bench()
            .args(["cluster", "run"])
            .arg(file)
            .args(["--target", "redis://127.0.0.1:1"])
            .output()
            .unwrap();
        let said = errors(&output);
        assert!(output.status.code() == Some(2) && said.contains(words), "{to}: {said}");
    }
}

#[test]
fn a_client_that_is_not_understood_says_so() {
    let mut client = bench()
        .args(["cluster", "client"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    drop(client.stdin.take());
    assert_eq!(client.wait().unwrap().code(), Some(3), "its coordinator is gone");
}

#[test]
fn clients_of_one_server_count_what_it_counts() {
    let folder = scratch("coordinated-single");
    let Some(server) = server(&folder, &[]) else { return };
    let target = format!("redis://127.0.0.1:{}", server.port);
    let (code, said) = refused(&folder, &target.replace("redis:", "valkey-cluster:"), &[]);
    assert!(code == 3 && said.contains("no cluster is at 127.0.0.1"), "{said}");
    let (code, said) = refused(&folder, &target, &["--event", "1s:migrate=0-9:1:1"]);
    assert!(code == 2 && said.contains("TIME:migrate"), "{said}");
    let (code, said) = refused(&folder, &target, &["--event", "1s:kill=127.0.0.1:1"]);
    assert!(code == 2 && said.contains("no master is `127.0.0.1:1`"), "{said}");
    let (code, said) = refused(&folder, &target, &["--event", "30s:kill=1"]);
    assert!(code == 2 && said.contains("after the end"), "{said}");

    let more =
        ["--clients", "3", "--duration", "2s", "--records", "1000", "--keep-samples", "--json"];
    let output = cluster_run(&folder, &target, &more);
    assert_eq!(output.status.code(), Some(0), "{}{}", told(&output), errors(&output));
    let document = documented("cluster run", &output);
    let counters = &document["counters"];
    assert_eq!(counters["reads"], counters["gets-of-masters"], "{counters}");
    assert_eq!(counters["writes"], counters["sets-of-masters"], "{counters}");
    assert_eq!(
        (&document["found"]["records"], &document["shards"][0]["keys"]),
        (&1000.into(), &1000.into())
    );
    for client in document["clients"].as_array().unwrap() {
        // One machine has one clock: the true offset is 0.
        let offset = client["offset"]["offset-ns"].as_i64().unwrap();
        let error = client["offset"]["error-ns"].as_u64().unwrap();
        assert!(offset.unsigned_abs() <= error, "{client}");
    }

    // The merged histogram has the samples of all clients.
    let results = only_folder(&folder.join("results/cluster")).expect("a run");
    let mut samples = Vec::new();
    for number in 1..=3 {
        let text = fs::read_to_string(results.join(format!("samples/{number}.txt"))).unwrap();
        samples.extend(text.lines().map(|line| line.parse::<u64>().unwrap()));
    }
    samples.sort_unstable();
    assert_eq!(document["all"]["answered"], samples.len());
    let exact = samples[(samples.len() as f64 * 0.999).ceil() as usize - 1];
    let merged = document["all"]["p999-ns"].as_u64().unwrap();
    assert!(
        merged >= exact && (merged - exact) as f64 <= exact as f64 / 1000.0,
        "{merged} {exact}"
    );

    // What is there now are keys.
    let again = cluster_run(&folder, &target, &["--duration", "1s"]);
    assert!(
        again.status.code() == Some(3) && errors(&again).contains("--allow-keys"),
        "{}",
        errors(&again)
    );
}

/// A cluster of one server, which has all slots.
#[test]
fn clients_of_a_cluster_ask_it_through_libvalkey() {
    let folder = scratch("coordinated-cluster");
    let Some(library) = libvalkey() else { return };
    let Some(server) = server(&folder, &["--cluster-enabled", "yes"]) else { return };
    let target = format!("valkey-cluster://127.0.0.1:{}", server.port);
    let (code, said) = refused(&folder, &target, &[]);
    assert!(code == 3 && said.contains("does not serve all keys"), "{said}");
    assert_eq!(ask(server.port, "CLUSTER ADDSLOTSRANGE 0 16383"), "+OK\r\n");
    let began = Instant::now();
    while !ask(server.port, "GET nothing").starts_with("$-1") {
        assert!(began.elapsed() < Duration::from_secs(60), "the cluster does not come up");
        std::thread::sleep(Duration::from_millis(10));
    }

    let with = |library: &Path, more: &[&str]| {
        let mut command = bench();
        command.args(["cluster", "run"]).arg(suite(&folder, SUITE)).args(["--target", &target]);
        command.args(["--clients", "2", "--duration", "1s", "--records", "500", "--json"]);
        command.args(more).arg("--results").arg(folder.join("results"));
        command.env("NIBBLE_LIBVALKEY", library).output().unwrap()
    };
    let missing = with(Path::new("/nonexistent/libvalkey.so"), &[]);
    let said = errors(&missing);
    assert!(missing.status.code() == Some(3) && said.contains("scripts/setup builds"), "{said}");
    let refused = with(&library, &["--wait", "1"]);
    assert!(errors(&refused).contains("--wait 0"), "it has no replica: {}", errors(&refused));

    let output = with(&library, &[]);
    assert_eq!(output.status.code(), Some(0), "{}{}", told(&output), errors(&output));
    let document = documented("cluster run", &output);
    assert_eq!(document["library"], "libvalkey 0.5.0");
    let counters = &document["counters"];
    assert_eq!(counters["reads"], counters["gets-of-masters"], "{counters}");
    assert_eq!(counters["writes"], counters["sets-of-masters"], "{counters}");
    assert_eq!(document["found"]["records"], 500);
}
