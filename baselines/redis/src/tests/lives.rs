//! How servers start and end: what is recorded of them, what becomes of those that die, and of
//! those whose parent does.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::common::{folder, kill, opened, redis, runs, valkey};
use baseline_redis::{Config, Defrag, Preload, RedisServers, Server};
use engine::{KvEngine, KvSession, Op, OpenError, Outcome, SessionError, ValueBuffers};
use kit::testing::{Alone, setting, statistic};

/// The message of the panic that `body` ends with.
fn panic_of(body: impl FnOnce()) -> String {
    let payload = catch_unwind(AssertUnwindSafe(body)).expect_err("it panics");
    payload.downcast_ref::<String>().expect("a message").clone()
}

/// Sends the signal of this name.
fn signal(pid: u32, name: &str) {
    let status = Command::new("kill").args(["-s", name, &pid.to_string()]).status();
    assert!(status.expect("kill").success());
}

#[test]
fn a_killed_server_ends_the_operation_with_its_fate() {
    let Some(store) = redis(2) else { return };
    let mut single = store.session().unwrap();
    let mut batched = store.session().unwrap();
    for key in 0..100 {
        single.put(key, b"value").unwrap();
    }
    let victim = store.server_pids()[1];
    kill(victim);
    let fate = format!("redis-server 2 of 2 (process {victim}) ended (signal: 9 (SIGKILL))");
    let read_all = || {
        for key in 0..100 {
            let _ = single.get(key, &mut [0; 5]);
        }
    };
    let message = panic_of(read_all);
    assert!(message.starts_with(&fate), "{message}");
    assert!(message.contains("; its last words: "), "{message}");
    assert!(message.contains("ready to accept connections"), "{message}");
    let operations: Vec<_> = (0..100).map(|key| Op::Get { key }).collect();
    let mut slots = [0; 500];
    let execute = || {
        let mut outcomes = [Outcome::Absent; 100];
        batched.execute(&operations, &mut ValueBuffers::new(&mut slots, 5), &mut outcomes);
    };
    let message = panic_of(execute);
    assert!(message.starts_with(&fate), "{message}");
    assert!(matches!(store.session(), Err(SessionError::Unreachable { .. })));
    assert!(store.check().unwrap_err().starts_with(&fate));
    let message = panic_of(|| drop(store.statistics()));
    assert!(message.starts_with(&fate), "{message}");
}

/// The system queues a connection that the server has not seen yet; many of those fill the queue,
/// and no operation on them would be answered.
#[test]
fn a_session_waits_until_the_server_has_taken_it_in() {
    let Some(store) = redis(1) else { return };
    let server = store.server_pids()[0];
    signal(server, "STOP");
    std::thread::scope(|scope| {
        let session = scope.spawn(|| store.session().map(drop));
        std::thread::sleep(Duration::from_millis(50));
        let waits = !session.is_finished();
        signal(server, "CONT");
        session.join().unwrap().unwrap();
        assert!(waits, "a session of a server that is stopped");
    });
}

#[test]
fn a_dropped_store_leaves_neither_servers_nor_files() {
    let Some(store) = redis(3) else { return };
    let (folder, pids) = (folder(&store), store.server_pids());
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(folder.join("2.socket").exists());
    assert!(pids.iter().all(|&pid| runs(pid)));
    drop(store);
    assert!(!pids.iter().any(|&pid| runs(pid)));
    assert!(!folder.exists());
}

#[test]
fn servers_die_with_a_parent_that_is_killed() {
    if Alone::task().is_some() {
        let store = redis(2).expect("the parent opened one, too");
        println!("\npids {:?} folder {}", store.server_pids(), folder(&store).display());
        loop {
            std::thread::park();
        }
    }
    let Some(_) = redis(1) else { return };
    let parent = Alone::new(module_path!(), "servers_die_with_a_parent_that_is_killed");
    let mut child = parent.told("be killed").stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let line = lines.into_iter().find(|line| line.starts_with("pids [")).expect("it opened");
    let (pids, left) = line["pids [".len()..].split_once("] folder ").unwrap();
    let pids: Vec<u32> = pids.split(", ").map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.len() == 2 && pids.iter().all(|&pid| runs(pid)), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
    while pids.iter().any(|&pid| runs(pid)) {
        std::thread::yield_now();
    }
    let left = std::path::Path::new(left);
    assert!(left.exists(), "nobody was there to remove it");
    let next = redis(1).expect("it opened before");
    assert!(!left.exists(), "the next one removes it");
    drop(next);
}

#[test]
fn versions_allocators_and_settings_are_recorded() {
    if let Some(store) = redis(1) {
        let version = setting(&store, "version");
        assert!(version.split('.').count() == 3, "{version}");
        assert!(setting(&store, "mem_allocator").starts_with("jemalloc"));
        assert!(setting(&store, "hiredis").starts_with(|first: char| first.is_ascii_digit()));
        let line = setting(&store, "command-line");
        assert!(line.contains("--save \"\" --appendonly no"), "{line}");
        assert!(line.contains("--maxmemory 0 --maxmemory-policy noeviction"), "{line}");
    }
    if let Some(store) = valkey(Config::default()) {
        assert_eq!(setting(&store, "mem_allocator"), "libc");
        assert_eq!(setting(&store, "allocators mapped"), "none beside the program's own");
    }
}

#[test]
fn a_preloaded_allocator_is_seen_in_the_server() {
    for preload in Preload::ALL {
        let config = Config { preload: Some(preload), servers: 2, ..Config::default() };
        let Some(store) = valkey(config) else { continue };
        let mapped = setting(&store, "allocators mapped");
        let name = preload.name().replace('-', "_");
        assert!(mapped.contains(&format!("lib{name}.so")), "{preload}: {mapped}");
        let mut session = store.session().unwrap();
        session.put(1, b"value").unwrap();
        assert_eq!(session.get(1, &mut [0; 5]), Ok(Some(5)));
    }
}

#[test]
fn pinned_servers_have_a_core_each() {
    let Some(store) = opened(Config { pin: true, servers: 2, ..Config::default() }) else { return };
    let cores = platform::cpu::allowed_cores();
    for (number, pid) in store.server_pids().into_iter().enumerate() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        let core = cores[cores.len() - 1 - number % cores.len()];
        assert_eq!(line.unwrap().trim(), core.to_string());
    }
    assert_eq!(platform::cpu::allowed_cores(), cores, "the caller is left as it was");
}

#[test]
fn a_server_that_does_not_start_says_why() {
    if redis(1).is_none() {
        return;
    }
    let program = |path: &str| Config { program: Some(path.into()), ..Config::default() };
    let error = RedisServers::open(program("/bin/false")).unwrap_err();
    let message = error.to_string();
    assert!(matches!(error, OpenError::Unusable { .. }), "{message}");
    let expected = "redis-server 1 of 1 does not work: it ended at its start (exit status: 1)";
    assert!(message.starts_with(expected), "{message}");
    let error = RedisServers::open(program("/dev/null")).unwrap_err();
    assert!(matches!(error, OpenError::Missing { .. }), "{error}");

    let script = std::env::temp_dir().join(format!("never-answers-{}", std::process::id()));
    fs::write(&script, "#!/bin/sh\necho I am slow\nexec sleep 1000\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let slow = program(script.to_str().unwrap());
    let error = RedisServers::open(Config { startup_timeout: Duration::from_secs(1), ..slow });
    fs::remove_file(&script).unwrap();
    let message = error.unwrap_err().to_string();
    assert!(message.contains("it did not answer in time: I am slow"), "{message}");
}

/// Debian builds Redis for the system's jemalloc, which cannot tell where moving helps.
#[test]
fn active_defragmentation_is_in_force_or_said_to_be_missing() {
    for server in Server::ALL {
        if opened(Config { server, ..Config::default() }).is_none() {
            continue;
        }
        for defrag in [Defrag::Default, Defrag::Tuned] {
            match RedisServers::open(Config { server, defrag, ..Config::default() }) {
                Ok(store) => {
                    assert_eq!(setting(&store, "defrag"), defrag.name());
                    let line = setting(&store, "command-line");
                    assert!(line.contains("--activedefrag yes"), "{line}");
                    let is_tuned = line.contains("--active-defrag-ignore-bytes 1mb");
                    assert_eq!(is_tuned, defrag == Defrag::Tuned, "{line}");
                }
                Err(error) => {
                    assert!(server != Server::Redis8, "it has a jemalloc of its own: {error}");
                    assert!(matches!(error, OpenError::Missing { .. }), "{error}");
                    assert!(error.to_string().contains("`defrag`"), "{error}");
                }
            }
        }
    }
}

/// Half of the objects of every page are deleted: 20 MB of 40.
#[test]
fn redis_8_moves_objects_where_it_is_told_to() {
    let config = Config { server: Server::Redis8, defrag: Defrag::Tuned, ..Config::default() };
    let Some(store) = opened(config) else { return };
    assert!(setting(&store, "version").starts_with("8."));
    assert!(setting(&store, "mem_allocator").starts_with("jemalloc"));
    assert_eq!(setting(&store, "allocators mapped"), "none beside the program's own");
    let mut session = store.session().unwrap();
    let keys = 0..40_000;
    for key in keys.clone() {
        session.put(key, &[1; 1000]).unwrap();
    }
    for key in keys.clone().filter(|key| key % 2 == 0) {
        assert!(session.delete(key).was_present());
    }
    // The server looks ten times a second; a minute is for a machine that is busy.
    let deadline = Instant::now() + Duration::from_secs(60);
    while statistic(&store, "active_defrag_moved_objects") == 0.0 {
        assert!(Instant::now() < deadline, "it moves nothing: {:?}", store.statistics());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(statistic(&store, "servers_cpu_s") > 0.0);
    let mut buffer = [0; 1000];
    for key in keys {
        let expected = (key % 2 == 1).then_some(1000);
        assert_eq!(session.get(key, &mut buffer), Ok(expected), "key {key}");
    }
    assert_eq!(store.check(), Ok(()));
}
