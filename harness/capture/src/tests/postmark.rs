//! PostMark on our file system: the recording, and that nothing is left behind.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::postmark::{CaptureError, Recorded, availability, record, record_from};
use workloads::postmark::{Generator, Parameters};
use workloads::trace::{Operation, OperationKind};

/// Whether PostMark can be recorded here; prints the reason if not.
fn can_record() -> bool {
    match availability() {
        Ok(_) => true,
        Err(reason) => {
            println!("skipped: {reason}");
            false
        }
    }
}

fn recorded(parameters: &Parameters) -> (Vec<Operation>, Recorded) {
    let mut operations = Vec::new();
    let mut sink = |operation| {
        operations.push(operation);
        Ok(())
    };
    let recorded = record(parameters, &mut sink, &|_| {}).unwrap();
    (operations, recorded)
}

/// Mounts and folders left by a process.
fn left_behind(process: u32) -> Vec<String> {
    let own = format!("nibble-postmark-{process}-");
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
    let mounted = mounts.lines().filter(|line| line.contains(&own)).map(str::to_owned);
    let folders = fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    let folders = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
    mounted.chain(folders.filter(|name| name.starts_with(&own))).collect()
}

/// Statistics of a trace that random numbers hardly change.
#[derive(Debug, Default)]
struct Profile {
    /// GETs that hit, GETs that miss, inserts, overwrites, deletes.
    kinds: [f64; 5],
    /// Mean bytes over all PUTs with data, and over all GETs that hit.
    put_bytes: f64,
    get_bytes: f64,
    live_bytes_max: f64,
    live_bytes_mean: f64,
    put_bytes_max: u32,
    /// Shares of operations on objects with at most 9 and 18 operations.
    few: [f64; 2],
}

impl Profile {
    fn of(operations: &[Operation]) -> Self {
        let mut profile = Self::default();
        let (mut live, mut touched) = (HashMap::new(), HashMap::new());
        let (mut live_bytes, mut puts) = (0_u64, 0.0);
        for operation in operations {
            *touched.entry(operation.key).or_insert(0_u64) += 1;
            let bytes = operation.value_bytes;
            let before = match operation.kind {
                OperationKind::Get => live.get(&operation.key).copied(),
                OperationKind::Put => live.insert(operation.key, bytes),
                OperationKind::Delete => live.remove(&operation.key),
            };
            let kind = match (operation.kind, before) {
                (OperationKind::Get, Some(stored)) => {
                    assert_eq!(stored, bytes, "a GET tells what is stored");
                    profile.get_bytes += f64::from(bytes);
                    0
                }
                (OperationKind::Get, None) => 1,
                (OperationKind::Put, None) => 2,
                (OperationKind::Put, Some(_)) => 3,
                (OperationKind::Delete, hit) => {
                    assert!(hit.is_some(), "nothing is deleted that is not there");
                    4
                }
            };
            profile.kinds[kind] += 1.0;
            if operation.kind != OperationKind::Get {
                live_bytes -= u64::from(before.unwrap_or(0));
                live_bytes += u64::from(bytes);
            }
            if kind == 3 {
                profile.put_bytes += f64::from(bytes);
                profile.put_bytes_max = profile.put_bytes_max.max(bytes);
                puts += 1.0;
            }
            profile.live_bytes_max = profile.live_bytes_max.max(live_bytes as f64);
            profile.live_bytes_mean += live_bytes as f64 / operations.len() as f64;
        }
        assert!(live.is_empty(), "PostMark removes all that it made");
        profile.put_bytes /= puts;
        profile.get_bytes /= profile.kinds[0];
        profile.few = [9, 18].map(|bound| {
            let few: u64 = touched.values().filter(|touches| **touches <= bound).sum();
            few as f64 / operations.len() as f64
        });
        profile
    }
}

#[track_caller]
fn assert_near(what: &str, found: f64, wanted: f64, tolerance: f64) {
    assert!((found / wanted - 1.0).abs() <= tolerance, "{what}: {found} and {wanted}");
}

#[test]
fn the_generator_is_like_the_program() {
    if !can_record() {
        return;
    }
    let parameters = Parameters::of_files(500);
    let (operations, recorded) = recorded(&parameters);
    let mut generator = Generator::new(&parameters).unwrap();
    let generated: Vec<Operation> = generator.by_ref().collect();
    let (real, model) = (Profile::of(&operations), Profile::of(&generated));
    println!(
        "recorded:  {:?}\n{real:?}\ngenerated: {:?}\n{model:?}",
        recorded.counts,
        generator.counts()
    );
    assert_near("operations", real.kinds.iter().sum(), model.kinds.iter().sum(), 0.02);
    for (what, real, model) in [
        ("GETs that hit", real.kinds[0], model.kinds[0]),
        ("GETs that miss", real.kinds[1], model.kinds[1]),
        ("inserts", real.kinds[2], model.kinds[2]),
        ("overwrites", real.kinds[3], model.kinds[3]),
        ("deletes", real.kinds[4], model.kinds[4]),
        ("bytes of an overwrite", real.put_bytes, model.put_bytes),
        ("bytes of a GET", real.get_bytes, model.get_bytes),
    ] {
        assert_near(what, real, model, 0.05);
    }
    // The number of files drifts by about 63 in this many transactions, so these vary most.
    assert_near("most live bytes", real.live_bytes_max, model.live_bytes_max, 0.4);
    assert_eq!(real.put_bytes_max, model.put_bytes_max, "files grow to the same bound");
    for (real, model) in real.few.into_iter().zip(model.few) {
        assert!((real - model).abs() < 0.05, "objects with few operations: {real} and {model}");
    }
}

#[test]
fn a_seed_gives_one_trace() {
    if !can_record() {
        return;
    }
    let parameters = Parameters::of_files(100);
    let ((first, said), (second, again)) = (recorded(&parameters), recorded(&parameters));
    assert_eq!(said.counts, again.counts);
    assert_eq!((said.operations, said.version.as_str()), (first.len() as u64, "v1.51"));
    assert!(said.report.contains("Files:"), "{}", said.report);
    let without_times = |operations: &[Operation]| {
        operations.iter().map(|o| (o.kind, o.key, o.value_bytes)).collect::<Vec<_>>()
    };
    assert!(without_times(&first) == without_times(&second), "the sequences differ");
    assert!(first.is_sorted_by_key(|operation| operation.time_ns));
    assert_eq!((first[0].time_ns, first.last().unwrap().time_ns), (0, said.elapsed_ns));
    let other = recorded(&Parameters { seed: 43, ..parameters }).0;
    assert!(without_times(&first) != without_times(&other));
}

#[test]
fn files_that_need_blocks_are_read_back_whole() {
    if !can_record() {
        return;
    }
    let parameters =
        Parameters { size_bytes: (3000, 20_000), transactions: 400, ..Parameters::of_files(50) };
    let (operations, _) = recorded(&parameters);
    let profile = Profile::of(&operations);
    assert!(profile.kinds[0] > 1000.0 && profile.live_bytes_max > 300_000.0, "{profile:?}");
}

/// A stand-in for PostMark.
struct Stand {
    path: PathBuf,
}

impl Stand {
    fn new(name: &str, script: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stand-{name}-{}", std::process::id()));
        fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&path, PermissionsExt::from_mode(0o700)).unwrap();
        Self { path }
    }

    fn record(&self) -> CaptureError {
        let parameters = Parameters::of_files(10);
        record_from(&self.path, &parameters, &mut |_| Ok(()), &|_| {}).unwrap_err()
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        fs::remove_file(&self.path).unwrap();
    }
}

#[test]
fn programs_that_end_badly_are_errors() {
    if !can_record() {
        return;
    }
    let failed = Stand::new("fails", "echo out of luck >&2; exit 3").record();
    assert!(matches!(failed, CaptureError::Failed { .. }));
    assert!(failed.to_string().ends_with("exit status: 3; it said: out of luck"), "{failed}");
    let killed = Stand::new("killed", "kill -9 $$").record();
    assert!(killed.to_string().contains("signal: 9"), "{killed}");
    let silent = Stand::new("silent", "cat >/dev/null").record();
    assert!(matches!(silent, CaptureError::NoReport { .. }), "{silent}");
    let lying = "echo PostMark v9; echo Time:; for w in created read appended deleted; do \
                 echo 1 $w; done; touch files/a; cat files/a; rm files/a";
    let lies = Stand::new("lies", lying).record();
    assert!(matches!(lies, CaptureError::Disagrees { .. }), "{lies}");
    let path = PathBuf::from("/nowhere/postmark");
    let parameters = Parameters::of_files(10);
    let missing = record_from(&path, &parameters, &mut |_| Ok(()), &|_| {}).unwrap_err();
    assert!(matches!(missing, CaptureError::Start { .. }), "{missing}");
}

#[test]
fn the_file_system_behaves_as_one() {
    if !can_record() {
        return;
    }
    // Anything unexpected ends the shell, so that no report is printed.
    let script =
        "set -e; cat >/dev/null; cd files; mkdir d; printf hello >d/a; printf ' world' >>d/a
        [ \"$(cat d/a)\" = 'hello world' ]; [ \"$(ls d)\" = a ]
        if rmdir d 2>/dev/null || cat none 2>/dev/null; then exit 1; fi
        mv d/a b; [ \"$(cat b)\" = 'hello world' ]; : >b; [ ! -s b ]
        head -c 10000 /dev/zero | tr '\\0' x >c; truncate -s 5000 c; [ \"$(wc -c <c)\" = 5000 ]
        mv c b; [ \"$(tail -c 2 b)\" = xx ]; chmod 600 b; exec 9<b; rm b
        [ \"$(head -c 3 <&9)\" = xxx ]; exec 9<&-; rmdir d; [ -z \"$(ls)\" ]; cd ..
        echo PostMark v9; echo Time:; for w in created read appended deleted; do echo 0 $w; done";
    let error = Stand::new("files", script).record();
    assert!(matches!(error, CaptureError::Disagrees { .. }), "{error}");
}

#[test]
fn a_sink_that_refuses_or_panics_ends_the_recording_and_nothing_stays() {
    if !can_record() {
        return;
    }
    let parameters = Parameters::of_files(2000);
    let told = Cell::new(0);
    let mut taken = 0;
    let mut refuse = |_| {
        taken += 1;
        if taken > 5000 { Err(io::Error::from(io::ErrorKind::StorageFull)) } else { Ok(()) }
    };
    let error = record(&parameters, &mut refuse, &|operations| told.set(operations)).unwrap_err();
    assert!(matches!(error, CaptureError::Sink(_)), "{error}");
    assert!((1..=5000).contains(&told.get()), "{told:?}");
    let panicked = std::panic::catch_unwind(|| {
        record(&parameters, &mut |_| panic!("the sink's own"), &|_| {})
    });
    assert!(panicked.is_err());
    // Other tests of this process briefly have mounts of their own.
    wait_until(|| left_behind(std::process::id()).is_empty());
}

/// Waits at most one minute.
#[track_caller]
fn wait_until(mut holds: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("it never came to that");
}

/// Set when this program is run again, to record until it is killed.
const RECORDS: &str = "CAPTURE_TEST_RECORDS";

#[test]
fn what_a_killed_recording_leaves_the_next_one_removes() {
    if !can_record() {
        return;
    }
    if std::env::var_os(RECORDS).is_some() {
        let parameters = Parameters::of_files(1_000_000);
        let error = record(&parameters, &mut |_| Ok(()), &|_| {});
        panic!("it was to be killed: {error:?}");
    }
    let mut recorder = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::postmark::what_a_killed_recording_leaves_the_next_one_removes"])
        .env(RECORDS, "1")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    // Its first folder was created by `can_record`.
    let second = format!("nibble-postmark-{}-1", recorder.id());
    wait_until(|| left_behind(recorder.id()).iter().any(|left| left.contains(&second)));
    recorder.kill().unwrap();
    recorder.wait().unwrap();
    availability().unwrap();
    // Another test may have found them first and be about to remove them.
    wait_until(|| left_behind(recorder.id()).is_empty());
}

#[test]
fn parameters_are_checked_before_anything_is_mounted() {
    let parameters = Parameters { files: 0, ..Parameters::of_files(10) };
    let error = record(&parameters, &mut |_| Ok(()), &|_| {});
    // Without PostMark, that error comes first.
    assert!(matches!(error, Err(CaptureError::Parameters(_) | CaptureError::Unavailable(_))));
}
