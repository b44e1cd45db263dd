//! What cannot be is refused by name, with the remedy.

use std::process::Command;

use engine::{OpenError, WindowsShape};

use super::{SHAPE, open, parts, sets};

fn refused(label: &str, shape: WindowsShape) -> String {
    let (name, options) = parts(label);
    spaces::check(name, &options, &shape).unwrap_err().to_string()
}

#[test]
fn sizes_that_no_way_has() {
    let cases = [
        (WindowsShape { windows: 0, ..SHAPE }, "setting `windows` = `0`: accepted are 1 to 256"),
        (
            WindowsShape { windows: 257, ..SHAPE },
            "setting `windows` = `257`: accepted are 1 to 256",
        ),
        (
            WindowsShape { updates_per_set: 4097, ..SHAPE },
            "setting `updates` = `4097`: accepted are 0 to 4096",
        ),
        (
            WindowsShape { page_bytes: 8192, ..SHAPE },
            "setting `page-bytes` = `8192`: accepted are 4096 and 2097152",
        ),
        (
            WindowsShape { window_bytes: 0, ..SHAPE },
            "setting `window-bytes` = `0`: accepted are multiples of 4096",
        ),
        (
            WindowsShape { window_bytes: 4 << 10, page_bytes: 2 << 20, ..SHAPE },
            "setting `window-bytes` = `4096`: accepted are multiples of 2097152",
        ),
    ];
    for (shape, told) in cases {
        assert_eq!(refused("flat", shape), told);
    }
}

#[test]
fn what_one_way_cannot() {
    let odd = WindowsShape { window_bytes: 3 << 20, ..SHAPE };
    assert!(refused("move", odd).ends_with("accepted are multiples of 2097152"));
    assert!(spaces::check("map", &Default::default(), &odd).is_ok());
    assert!(refused("syscall", SHAPE).ends_with("0, because `syscall` holds no window"));
    let told = refused("mp@transport=openmpi", SHAPE);
    assert!(told.starts_with("OpenMPI for `mp@transport=openmpi` is missing"), "{told}");
    assert!(told.contains("openmpi-bin"), "{told}");
    assert!(refused("mp@wait=sleep", SHAPE).ends_with("accepted are spin, yield, block"));
    assert!(refused("hand-over@by=mail", SHAPE).ends_with("futex, pipe, eventfd, yield"));
    assert!(refused("space@by=pipe", SHAPE).starts_with("unknown setting `by`"));
    assert!(refused("spacejmp", SHAPE).contains("flat, map, map-unmap, map-populate, move"));
}

#[test]
fn more_cores_than_there_are() {
    let error = open("mp@cores=1024", SHAPE, &sets(SHAPE, 1)).err().unwrap();
    assert!(matches!(error, OpenError::Missing { .. }), "{error}");
    assert!(error.to_string().starts_with("core 1024 for `mp@cores=1024` is missing"), "{error}");
}

#[test]
fn a_program_that_is_no_executor() {
    let sets = sets(SHAPE, 1);
    let cores = platform::cpu::allowed_cores();
    let (order, values) = (sets.order(), sets.values());
    let executor = || Ok(Command::new("false"));
    let setup = engine::WindowsSetup { shape: SHAPE, order, values, cores: &cores, executor };
    let error = spaces::open("space", &Default::default(), &setup).err().unwrap();
    assert!(error.to_string().starts_with("the process of space 0 does not work"), "{error}");
}

#[test]
fn an_executor_started_by_hand() {
    let output = Command::new(env!("CARGO_BIN_EXE_space-executor")).output().unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("is started by the program that measures, not by hand"), "{told}");
}
