//! What a program wrote, what it had synchronised, and what is there after the power failed.

use std::fs::{self, File};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use crate::{Disk, Failure, Kept, Mounted, Order, Tree, may_mount};

/// Mounts a disk, works on it, and returns it; `None` where nothing can be mounted.
fn worked(order: Order, requests: u64, work: impl FnOnce(&Path)) -> Option<Disk> {
    if let Err(reason) = may_mount() {
        eprintln!("skipped: {reason}");
        return None;
    }
    let folder = folder();
    let disk = Disk::new(Tree::default(), order, requests, &folder.join("acknowledged"));
    let mount_point = folder.join("files");
    fs::create_dir(&mount_point).unwrap();
    let mounted = Mounted::new(disk.clone(), &mount_point, "crashfs-tests").unwrap();
    work(&mount_point);
    mounted.unmount();
    fs::remove_dir_all(folder).unwrap();
    Some(disk)
}

fn folder() -> PathBuf {
    use std::sync::atomic::{AtomicU64, Ordering};
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    // Relaxed: only distinct numbers are asked for.
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("crashfs-{}-{number}", std::process::id()));
    fs::create_dir(&path).unwrap();
    path
}

/// The files of a tree, by their paths.
fn files(tree: &Tree) -> Vec<(String, Vec<u8>)> {
    let folder = folder();
    tree.write_to(&folder).unwrap();
    let named = tree.paths().into_iter().filter(|(_, inode)| tree.contents(*inode).is_some());
    let mut found: Vec<_> = named
        .map(|(path, _)| (path.display().to_string(), fs::read(folder.join(path)).unwrap()))
        .collect();
    fs::remove_dir_all(folder).unwrap();
    found.sort();
    found
}

/// All that can survive, by drawing often.
fn outcomes(failure: &Failure) -> Vec<(Tree, Kept)> {
    let mut seed = 1_u64;
    let mut below = |n| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % n
    };
    let mut found: Vec<(Tree, Kept)> = Vec::new();
    for _ in 0..2000 {
        let kept = failure.draw(&mut below);
        let tree = failure.survivors(&kept);
        if found.iter().all(|(other, _)| *other != tree) {
            found.push((tree, kept));
        }
    }
    found
}

#[test]
fn programs_see_their_files_as_on_any_file_system() {
    let Some(disk) = worked(Order::Any, u64::MAX, |root| {
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::write(root.join("a/one"), vec![7; 10_000]).unwrap();
        fs::rename(root.join("a/one"), root.join("a/b/two")).unwrap();
        assert_eq!(fs::read(root.join("a/b/two")).unwrap(), vec![7; 10_000]);
        assert_eq!(fs::metadata(root.join("a/b/two")).unwrap().len(), 10_000);
        File::options().write(true).open(root.join("a/b/two")).unwrap().set_len(3).unwrap();
        assert_eq!(fs::read(root.join("a/b/two")).unwrap(), [7; 3]);
        assert_eq!(
            fs::remove_dir(root.join("a")).unwrap_err().kind(),
            ErrorKind::DirectoryNotEmpty
        );
        fs::remove_file(root.join("a/b/two")).unwrap();
        fs::remove_dir(root.join("a/b")).unwrap();
        let names: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(fs::read(root.join("a/b/two")).unwrap_err().kind(), ErrorKind::NotFound);
    }) else {
        return;
    };
    assert!(!disk.has_failed() && disk.failure().is_none());
}

/// Synchronises a part of what is written, on a disk that loses its power at the eighth request.
fn partly_synchronised(order: Order) -> Option<Failure> {
    let disk = worked(order, 8, |root| {
        let mut file = File::create(root.join("kept")).unwrap();
        file.write_all(&[1; 600]).unwrap();
        file.sync_all().unwrap();
        file.write_all(&[2; 1000]).unwrap();
        let mut other = File::create(root.join("other")).unwrap();
        other.write_all(b"x").unwrap();
        file.write_all(&[3; 10]).unwrap();
        // The power fails here: after it everything is refused.
        assert!(other.sync_all().is_err());
        assert!(file.write_all(b"more").is_err() && fs::read(root.join("other")).is_err());
    });
    disk.map(|disk| disk.failure().unwrap())
}

#[test]
fn what_is_synchronised_survives_and_the_rest_may_be_lost_torn_or_reordered() {
    let Some(failure) = partly_synchronised(Order::Any) else { return };
    assert_eq!(failure.acknowledged, 0, "there is no account");
    let shown: Vec<_> = outcomes(&failure).iter().map(|(tree, _)| files(tree)).collect();
    assert!(shown.iter().all(|files| files[0].0 == "kept" && files[0].1[..600] == [1; 600]));
    let lengths: Vec<_> = shown.iter().map(|files| files[0].1.len()).collect();
    assert!([600, 1600, 1610].iter().all(|length| lengths.contains(length)), "{lengths:?}");
    // Sectors end at 1024 and 1536; the last has the ends of two writes.
    assert!(shown.iter().any(|files| files[0].1.len() > 1024 && files[0].1[700] == 0), "a hole");
    assert!(shown.iter().any(|files| files.len() == 1), "a name is lost");
    assert!(shown.iter().any(|files| files.len() == 2 && files[1].1.is_empty()));
}

#[test]
fn a_disk_that_keeps_the_order_has_what_came_before() {
    let Some(failure) = partly_synchronised(Order::AsIssued) else { return };
    let shown: Vec<_> = outcomes(&failure).iter().map(|(tree, _)| files(tree)).collect();
    assert!(shown.len() > 3);
    for files in shown {
        let later = files.iter().any(|(name, _)| name == "other");
        assert!(!later || files[0].1[600..1600] == [2; 1000], "what came before is there");
    }
}

#[test]
fn a_file_that_is_renamed_before_it_is_synchronised_may_be_empty() {
    let Some(disk) = worked(Order::Any, 5, |root| {
        fs::write(root.join("new"), b"contents").unwrap();
        fs::rename(root.join("new"), root.join("current")).unwrap();
        let journal = File::open(root).unwrap();
        journal.sync_all().unwrap();
        assert!(fs::write(root.join("last"), b"").is_err());
    }) else {
        return;
    };
    let failure = disk.failure().unwrap();
    let wrong = |tree: &Tree| files(tree).contains(&("current".to_owned(), Vec::new()));
    let (_, kept) = outcomes(&failure).into_iter().find(|(tree, _)| wrong(tree)).unwrap();
    let fewest = failure.fewest_losses(kept, wrong);
    assert_eq!(failure.losses(&fewest), ["bytes 0 to 8 of current"]);
    let named = |tree: &Tree| files(tree).iter().any(|(name, _)| name == "current");
    assert!(outcomes(&failure).iter().all(|(tree, _)| named(tree)), "the journal is");
}

#[test]
fn a_disk_that_forgets_loses_what_was_synchronised() {
    for (forgets, survives) in [("nothing", true), ("log", false)] {
        let Some(disk) = worked(Order::Any, u64::MAX, |_| {}) else { return };
        drop(disk);
        let folder = folder();
        let mount_point = folder.join("files");
        fs::create_dir(&mount_point).unwrap();
        fs::write(folder.join("acknowledged"), b"123").unwrap();
        let disk = Disk::new(Tree::default(), Order::Any, 4, &folder.join("acknowledged"))
            .forgetting(forgets);
        let mounted = Mounted::new(disk.clone(), &mount_point, "crashfs-tests").unwrap();
        let mut file = File::create(mount_point.join("7.log")).unwrap();
        file.write_all(b"record").unwrap();
        file.sync_all().unwrap();
        assert!(file.write_all(b"last").is_err());
        drop(file);
        mounted.unmount();
        fs::remove_dir_all(folder).unwrap();
        let failure = disk.failure().unwrap();
        assert_eq!(failure.acknowledged, 3);
        let all = outcomes(&failure).into_iter().all(|(tree, _)| {
            files(&tree).first().is_some_and(|(_, bytes)| bytes.starts_with(b"record"))
        });
        assert_eq!(all, survives, "forgets {forgets}");
    }
}
