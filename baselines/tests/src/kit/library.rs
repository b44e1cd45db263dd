//! Libraries and functions that are not there are named, with what brings them.

use engine::OpenError;
use kit::library::SharedLibrary;

#[test]
fn a_library_that_is_not_there_is_named_with_its_package() {
    let error = SharedLibrary::load("libno-such-store.so.9", "libno-such-store9").unwrap_err();
    let OpenError::Missing { what, remedy } = error else { panic!("{error}") };
    assert!(what.starts_with("libno-such-store.so.9 ("), "{what}");
    assert!(what.contains("cannot open shared object file"), "{what}");
    assert!(remedy.starts_with("scripts/setup installs Debian's libno-such-store9"), "{remedy}");
}

#[test]
fn a_function_that_is_not_there_is_named_with_its_library() {
    let library = SharedLibrary::load("libc.so.6", "libc6").unwrap();
    // SAFETY: there is no such symbol.
    let found = unsafe { library.function::<unsafe extern "C" fn()>("rocksdb_no_such_call") };
    let OpenError::Missing { what, .. } = found.unwrap_err() else { panic!("another error") };
    assert!(what.starts_with("the function rocksdb_no_such_call of libc.so.6 ("), "{what}");
}
