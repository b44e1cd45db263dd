//! A test runs again in a process of its own, and what happens there is the test's end.

use std::panic::catch_unwind;

use kit::testing::Alone;

#[test]
fn the_body_runs_in_another_process_with_its_environment() {
    let here = std::process::id();
    let name = "the_body_runs_in_another_process_with_its_environment";
    Alone::new(module_path!(), name).env("KIT_TEST_PARENT", &here.to_string()).run(|| {
        let parent = std::env::var("KIT_TEST_PARENT").expect("given at the start");
        assert_ne!(parent, std::process::id().to_string());
    });
}

#[test]
fn a_failure_there_is_a_failure_here() {
    let run = || {
        let test = Alone::new(module_path!(), "a_failure_there_is_a_failure_here");
        test.run(|| panic!("as it should"));
    };
    if Alone::task().is_some() {
        run();
    } else {
        assert!(catch_unwind(run).is_err());
    }
}

#[test]
fn a_test_that_is_not_there_is_a_failure() {
    let run = || Alone::new(module_path!(), "no_such_test").run(|| ());
    assert!(catch_unwind(run).is_err());
}

#[test]
fn a_process_may_be_told_what_to_do() {
    let name = "a_process_may_be_told_what_to_do";
    match Alone::task() {
        None => {
            let status = Alone::new(module_path!(), name).told("exit with 7").status().unwrap();
            assert_eq!(status.code(), Some(7));
        }
        Some(task) => std::process::exit(if task == "exit with 7" { 7 } else { 1 }),
    }
}
