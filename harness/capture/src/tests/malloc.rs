//! Real programs under the recorder: the recording matches what they did, and their behaviour does not
//! change.

use std::ffi::OsString;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::malloc::{CaptureError, Converted, RawFile, RecordOptions, Recording, record};
use workloads::trace::{Allocation, AllocationKind};

/// The library, built into the folder above this test's, where `record` finds it.
fn library() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let test = std::env::current_exe().expect("this test");
        let profile = test.parent().and_then(Path::parent).expect("the folder of the profile");
        let target = profile.parent().expect("the folder of all profiles");
        let profile_name = profile.file_name().and_then(|name| name.to_str()).expect("a name");
        let profile_name = if profile_name == "debug" { "dev" } else { profile_name };
        let status = Command::new(std::env::var_os("CARGO").expect("cargo runs this test"))
            .args(["build", "--quiet", "--package", "nibble-preload"])
            .args(["--profile", profile_name, "--target-dir"])
            .arg(target)
            .status()
            .expect("cargo starts");
        assert!(status.success(), "the library builds");
        profile.join("libnibble_preload.so")
    })
}

/// An empty folder for one test.
fn scratch(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this test");
    let target = test.ancestors().nth(3).expect("the folder of all profiles");
    let folder = target.join("tmp").join(format!("malloc-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a scratch folder");
    folder
}

/// Compiles `src/tests/programs/NAME.c`; `None` if there is no compiler.
fn compile(name: &str, output: &Path, flags: &[&str]) -> Option<()> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/tests/programs/{name}.c"));
    let compiled = Command::new("cc")
        .args(["-O1", "-fno-builtin", "-D_GNU_SOURCE", "-pthread", "-o"])
        .arg(output)
        .args(flags)
        .arg(source)
        .status();
    match compiled {
        Ok(status) => {
            assert!(status.success(), "{name}.c compiles");
            Some(())
        }
        Err(error) => {
            eprintln!("skipped: no C compiler here: {error}");
            None
        }
    }
}

fn program(name: &str, test: &str) -> Option<OsString> {
    let path = scratch(test).join(name);
    compile(name, &path, &[])?;
    Some(path.into())
}

fn run(command: &[OsString]) -> Recording {
    library();
    record(command, RecordOptions::default()).expect("a recording")
}

fn read(file: &RawFile) -> (Vec<Allocation>, Converted) {
    let mut allocations = file.allocations().expect("a readable file");
    let events = allocations.by_ref().collect::<Result<Vec<_>, _>>().expect("whole");
    (events, allocations.converted())
}

fn allocate(object: u64, bytes: u64, alignment: u32) -> Allocation {
    Allocation { thread: 0, object, kind: AllocationKind::Allocate { bytes, alignment } }
}

fn reallocate(object: u64, bytes: u64) -> Allocation {
    Allocation { thread: 0, object, kind: AllocationKind::Reallocate { bytes } }
}

fn free(object: u64) -> Allocation {
    Allocation { thread: 0, object, kind: AllocationKind::Free }
}

#[test]
fn a_program_its_copy_and_its_child_are_recorded_exactly() {
    let Some(program) = program("known", "exactly") else { return };
    let recording = run(std::slice::from_ref(&program));
    assert_eq!(recording.status().code(), Some(0), "the program noticed");
    let [first, copy, child] = recording.files() else { panic!("{:?}", recording.files()) };
    assert_eq!(first.program, Path::new(&program));
    assert_eq!(recording.of_program("known").expect("the program"), first);

    let page_bytes = 4096;
    let (events, converted) = read(first);
    let expected = [
        allocate(0, 100, 0),
        allocate(1, 300, 0),
        reallocate(0, 5000),
        allocate(2, 128, 64),
        allocate(3, 50, 4096),
        allocate(4, 33, 32),
        allocate(5, 40, 0),
        allocate(6, 44, 0),
        reallocate(6, 55),
        free(1),
        free(5),
        allocate(7, 9, page_bytes),
        free(4),
        allocate(8, 0, 0),
        free(8),
        free(0),
        allocate(9, 10, page_bytes),
        free(9),
    ];
    assert_eq!(events, expected);
    let expected = Converted {
        events: 18,
        threads: 1,
        objects: 10,
        live_objects_end: 4,
        live_bytes_end: 128 + 50 + 55 + 9,
        live_bytes_max: 5000 + 300 + 128 + 50 + 33 + 40 + 55,
        ..Converted::default()
    };
    assert_eq!(converted, expected);
    assert!(!first.inherited);

    let (events, converted) = read(copy);
    assert_eq!(events, [allocate(0, 60, 0), allocate(1, 70, 0), free(0)]);
    assert_eq!(converted.foreign_frees, 2);
    assert!(copy.inherited && copy.parent_pid == first.pid);

    assert_eq!(read(child).0, [allocate(0, 7, 0), free(0)]);
    assert!(!child.inherited && child.pid == copy.pid);
}

#[test]
fn another_thread_takes_objects_over() {
    let Some(program) = program("handed_over", "handed-over") else { return };
    let (events, converted) = read(run(&[program]).largest());
    // Ignores what the C library allocates for the thread.
    let ours = |bytes: u64| [10_001, 20_002, 30_003, 40_004].contains(&bytes);
    let mut objects = Vec::new();
    let mut seen = Vec::new();
    for Allocation { thread, object, kind } in events {
        if matches!(kind, AllocationKind::Allocate { bytes, .. } if ours(bytes)) {
            objects.push(object);
        }
        if let Some(number) = objects.iter().position(|&one| one == object) {
            seen.push(Allocation { thread, object: number as u64, kind });
        }
    }
    let by_other = |event| Allocation { thread: 1, ..event };
    let expected = [
        allocate(0, 10_001, 0),
        allocate(1, 20_002, 0),
        by_other(free(0)),
        by_other(reallocate(1, 30_003)),
        by_other(allocate(2, 40_004, 0)),
        free(2),
        free(1),
    ];
    assert_eq!(seen, expected);
    assert_eq!((converted.threads, converted.foreign_frees, converted.implied_frees), (2, 0, 0));
}

#[test]
fn what_was_recorded_survives_a_kill() {
    let Some(program) = program("killed", "killed") else { return };
    let recording = run(&[program]);
    assert_eq!(recording.status().signal(), Some(libc::SIGKILL));
    let (events, converted) = read(recording.largest());
    let mut expected = Vec::new();
    for bytes in 1..=300_000u64 {
        expected.push(allocate(bytes - 1, bytes % 1000, 0));
        if bytes % 50 != 0 {
            expected.push(free(bytes - 1));
        }
    }
    assert!(events == expected, "{} events, {} expected", events.len(), expected.len());
    assert_eq!((converted.live_objects_end, converted.incomplete_records), (6_000, 0));
}

#[test]
fn threads_that_exchange_objects_are_recorded_in_an_order_that_replays() {
    let Some(program) = program("threads", "threads") else { return };
    let recording = run(&[program]);
    assert_eq!(recording.status().code(), Some(0));
    let (events, converted) = read(recording.largest());
    assert!(converted.objects >= 400_000);
    assert_eq!(converted.threads, 5);
    assert_eq!((converted.foreign_frees, converted.implied_frees), (0, 0));
    assert_eq!((converted.incomplete_records, converted.lost_events), (0, 0));
    let mut live = std::collections::HashMap::new();
    for Allocation { object, kind, .. } in events {
        match kind {
            AllocationKind::Allocate { bytes, .. } => {
                assert_eq!(live.insert(object, bytes), None, "{object} is allocated twice");
            }
            AllocationKind::Reallocate { bytes } => {
                assert!(live.insert(object, bytes).is_some(), "{object} is not alive");
            }
            AllocationKind::Free => {
                assert!(live.remove(&object).is_some(), "{object} is not alive");
            }
        }
    }
    assert_eq!(live.len() as u64, converted.live_objects_end);
    assert_eq!(live.values().sum::<u64>(), converted.live_bytes_end);
    // Memory that the C library caches for later threads.
    assert!(live.len() < 20, "{} objects of the program are alive", live.len());
}

#[test]
fn a_loader_that_allocates_for_thread_local_memory_is_stood() {
    let folder = scratch("thread-local");
    let library = folder.join("0.so");
    let Some(()) = compile("thread_local", &library, &["-shared", "-fPIC"]) else { return };
    let main = folder.join("main");
    compile("thread_local", &main, &["-DMAIN"]).expect("a compiler");
    let mut command = vec![main.into_os_string(), library.clone().into_os_string()];
    for number in 1..100 {
        let copy = folder.join(format!("{number}.so"));
        fs::copy(&library, &copy).expect("a copy");
        command.push(copy.into());
    }
    let recording = run(&command);
    assert_eq!(recording.status().code(), Some(0), "{:?}", recording.status());
    let (events, converted) = read(recording.largest());
    let of = |wanted: u64| {
        let allocates = |event: &&Allocation| matches!(event.kind, AllocationKind::Allocate { bytes, .. } if bytes == wanted);
        events.iter().filter(allocates).count()
    };
    assert!(of(2) >= 100 && of(3) >= 100);
    assert_eq!((converted.foreign_frees, converted.implied_frees), (0, 0));
}

/// Runs a shell command under the library without `record`, which would create the folder.
fn shell(command: &str, folder: &Path) -> (i32, String, String) {
    let output = Command::new("sh")
        .args(["-c", command])
        .env("PRELOAD", library())
        .env("NIBBLE_PRELOAD_FOLDER", folder)
        .stdin(Stdio::null())
        .output()
        .expect("a shell");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().expect("a code"), text(&output.stdout), text(&output.stderr))
}

#[test]
fn programs_go_on_where_nothing_can_be_written() {
    let (code, output, errors) =
        shell("LD_PRELOAD=$PRELOAD sh -c 'echo here; exit 3'", Path::new("/nonexistent/folder"));
    assert_eq!((code, output.as_str()), (3, "here\n"));
    assert_eq!(errors.lines().count(), 1, "{errors}");
    assert!(errors.contains("recording stops and the program goes on: error 2;"), "{errors}");
    assert!(errors.contains("/nonexistent/folder/"), "{errors}");

    let (code, output, errors) =
        shell("LD_PRELOAD=$PRELOAD sh -c 'echo here; exit 3'", Path::new("relative"));
    assert_eq!((code, output.as_str()), (3, "here\n"));
    assert_eq!(errors.lines().count(), 1, "{errors}");

    let command = "unset NIBBLE_PRELOAD_FOLDER; LD_PRELOAD=$PRELOAD sh -c 'echo here; exit 3'";
    let (code, output, errors) = shell(command, Path::new("/"));
    assert_eq!((code, output.as_str(), errors.as_str()), (3, "here\n", ""));
}

/// A file size limit stands in for a full disk: neither may end the program.
#[test]
fn programs_go_on_where_room_runs_out_and_their_losses_are_counted() {
    let Some(program) = program("killed", "room-program") else { return };
    let folder = scratch("room");
    // More than the header and four windows, less than five; in blocks of 512 bytes.
    let command = format!("ulimit -f 40000; LD_PRELOAD=$PRELOAD {}", program.display());
    let (code, _, errors) = shell(&command, &folder);
    assert_eq!(code, 128 + libc::SIGKILL, "{errors}");
    let stops = errors.lines().filter(|line| line.contains("error 27;")).count();
    assert_eq!(stops, 1, "{errors}");
    let paths: Vec<_> = fs::read_dir(&folder).expect("the folder").flatten().collect();
    assert_eq!(paths.len(), 1);
    let file = RawFile::open(&paths[0].path()).expect("a recording").expect("that has begun");
    let (events, converted) = read(&file);
    assert_eq!(events.len(), 1 << 19);
    assert_eq!(converted.incomplete_records, 1);
    assert_eq!(converted.lost_events, 594_000 - (1 << 19) - 1);
}

#[test]
fn an_interpreter_is_recorded_and_found_by_name() {
    library();
    let script = "perl -e 'my %words; $words{$_ % 977} .= $_ for 1 .. 20000; print 0 + %words'";
    let command = ["sh", "-c", &format!("true; {script}; true")].map(OsString::from);
    let options = RecordOptions { stdout: Stdio::null(), ..RecordOptions::default() };
    let recording = record(&command, options).expect("a recording");
    let Ok(perl) = recording.of_program("perl") else {
        eprintln!("skipped: no perl here");
        return;
    };
    assert_eq!(recording.largest(), perl);
    let (events, converted) = read(perl);
    assert_eq!(events.len() as u64, converted.events);
    assert!(converted.objects > 2_000 && converted.threads == 1);
    assert_eq!((converted.foreign_frees, converted.implied_frees), (0, 0));
    assert!(recording.files().iter().any(|file| file.is_of("sh")), "sh is a link to some shell");
    let error = recording.of_program("python").expect_err("no such process").to_string();
    assert!(error.starts_with("no process ran python; recorded were: "), "{error}");
}

#[test]
fn programs_that_cannot_be_recorded_are_errors() {
    library();
    let error = record(&[], RecordOptions::default()).expect_err("no program");
    assert!(matches!(error, CaptureError::NoCommand));
    let missing = record(&["/nonexistent/program".into()], RecordOptions::default());
    let error = missing.expect_err("no program").to_string();
    assert!(error.starts_with("cannot run /nonexistent/program: "), "{error}");

    let path = scratch("static").join("killed");
    if compile("killed", &path, &["-static"]).is_some() {
        let error = record(&[path.into()], RecordOptions::default()).expect_err("nothing");
        assert!(matches!(error, CaptureError::NothingRecorded { .. }), "{error}");
        assert!(error.to_string().contains("is statically linked"), "{error}");
    }
}

#[test]
fn recordings_stay_only_where_the_caller_says() {
    library();
    let command = ["sh", "-c", ":"].map(OsString::from);
    let recording = record(&command, RecordOptions::default()).expect("a recording");
    let path = recording.largest().path.clone();
    assert!(path.is_file());
    drop(recording);
    assert!(!path.exists() && !path.parent().expect("a folder").exists());

    let folder = scratch("kept").join("new");
    let options = || RecordOptions { folder: Some(folder.clone()), ..RecordOptions::default() };
    let path = record(&command, options()).expect("a recording").largest().path.clone();
    assert!(path.is_file() && path.parent() == Some(&folder));
    let error = record(&command, options()).expect_err("the folder has recordings");
    assert!(matches!(error, CaptureError::FolderInUse { .. }), "{error}");
}
