//! Which programs take preloaded libraries, and which libraries can be preloaded.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::{Preload, Refusal, preloads, refusal};

/// An ELF file of 64 bits with one segment of this type.
fn elf(path: &Path, segment: u32) {
    let mut bytes = vec![0; 64 + 56];
    bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
    bytes[32..40].copy_from_slice(&64_u64.to_le_bytes());
    bytes[54..56].copy_from_slice(&56_u16.to_le_bytes());
    bytes[56..58].copy_from_slice(&1_u16.to_le_bytes());
    bytes[64..68].copy_from_slice(&segment.to_le_bytes());
    fs::write(path, bytes).unwrap();
    fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn programs_without_a_loader_and_scripts_of_theirs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    elf(&file("static"), 1);
    elf(&file("dynamic"), 3);
    assert_eq!(refusal(file("static").as_os_str()), Some(Refusal::Static(file("static"))));
    assert_eq!(refusal(file("dynamic").as_os_str()), None);
    let script = format!("#!{}\n", file("static").display());
    fs::write(file("script"), script).unwrap();
    fs::set_permissions(file("script"), Permissions::from_mode(0o755)).unwrap();
    let of_script = refusal(file("script").as_os_str()).unwrap();
    assert!(of_script.to_string().contains("statically linked"), "{of_script}");
    assert_eq!(refusal("sh".as_ref()), None);
    fs::write(file("no-program"), "text").unwrap();
    for missing in [file("none"), file("no-program"), "no-such-program-here".into()] {
        assert!(matches!(refusal(missing.as_os_str()), Some(Refusal::NotFound(_))));
    }
}

/// Where somebody else owns the file, which takes root to arrange.
#[test]
fn programs_that_gain_rights_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("su");
    elf(&path, 3);
    let own = rustix::process::getuid();
    if !own.is_root() {
        return;
    }
    std::os::unix::fs::chown(&path, Some(12_345), Some(12_345)).unwrap();
    for (mode, how) in [(0o4755, "setuid"), (0o2755, "setgid")] {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        assert_eq!(refusal(path.as_os_str()), Some(Refusal::GainsRights(path.clone(), how)));
    }
}

#[test]
fn named_allocators_are_files_that_the_loader_can_take() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("lib with space.so");
    fs::write(&odd, "").unwrap();
    for (text, expected) in [
        ("mine".to_owned(), "NAME=FILE.so"),
        ("mine=/no/such.so".to_owned(), "/no/such.so"),
        (format!("mine={}", odd.display()), "space"),
        (format!("mine={}", folder.path().display()), "is no file"),
    ] {
        let said = Preload::parse(&text).unwrap_err();
        assert!(said.contains(expected), "{said}");
    }
    let plain = folder.path().join("lib.so");
    fs::write(&plain, "").unwrap();
    let preload = Preload::parse(&format!("mine={}", plain.display())).unwrap();
    let refused = preload.check("sh".as_ref()).unwrap_err();
    assert!(refused.contains("does not preload"), "no library: {refused}");
    assert_eq!(Preload::none().environment()[0].1, "");
}

#[test]
fn found_allocators_are_taken_by_the_loader() {
    for preload in preloads() {
        assert_eq!(preload.check("sh".as_ref()), Ok(()), "{}", preload.name);
    }
}
