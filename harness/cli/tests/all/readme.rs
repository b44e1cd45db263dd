//! What the README and the book show is what the committed reference run says.

use crate::common::{self, bench, read, root};
use crate::json_output::documented;

/// The documents that show tables of the run; `scripts/publish-reference` finds them in the same way.
fn spliced() -> Vec<String> {
    let pages = std::fs::read_dir(root().join("docs/src")).unwrap().flatten();
    let pages = pages.filter(|page| page.path().extension().is_some_and(|ending| ending == "md"));
    let pages = pages.map(|page| format!("docs/src/{}", page.file_name().to_string_lossy()));
    let with_tables = |path: &String| read(path).contains("\n<!-- begin ");
    std::iter::once("README.md".to_owned()).chain(pages).filter(with_tables).collect()
}

#[test]
fn tables_are_those_of_the_reference_run() {
    let files = spliced();
    for file in ["README.md", "docs/src/claims.md", "docs/src/figures.md", "docs/src/numbers.md"] {
        assert!(files.iter().any(|one| one == file), "{file} shows no table");
    }
    let mut command = bench();
    command.arg("splice").args(files).arg("--check").current_dir(root());
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{told}");
}

#[test]
fn a_number_changed_by_hand_is_stale_and_is_written_again() {
    let file = common::scratch("readme-stale").join("claims.md");
    let page = read("docs/src/claims.md");
    let (before, after) = page.split_once("<!-- begin claims -->\n").expect("a block of claims");
    std::fs::write(&file, format!("{before}<!-- begin claims -->\nall hold\n{after}")).unwrap();
    let run = |check: &[&str]| {
        bench().arg("splice").arg(&file).args(check).current_dir(root()).output().unwrap()
    };
    let checked = run(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let told = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(told.contains("its tables are not those of results/reference"), "{told}");
    let tables = |arguments: &[&str]| {
        let all = documented("splice", &run(arguments));
        assert_eq!(all[0]["file"].as_str(), file.to_str());
        all[0]["tables"].as_str().unwrap().to_owned()
    };
    assert_eq!(tables(&["--check", "--json"]), "stale");
    assert!(run(&[]).status.success());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), page);
    assert_eq!(tables(&["--json"]), "current");
}

#[test]
fn pictures_are_those_of_the_reference_run() {
    let mut count = 0;
    for file in spliced() {
        let text = read(&file);
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for picture in links.filter(|path| path.ends_with(".svg")) {
            count += 1;
            let path = picture.trim_start_matches("../../");
            assert!(path.starts_with("results/reference/figures/"), "{file}: {picture}");
            assert!(root().join(path).is_file(), "{file}: {picture}");
        }
    }
    assert!(count >= 3, "{count} pictures");
}

/// Whoever reads the published page follows no link into nothing, and a clone stays small.
#[test]
fn the_published_run_is_whole_and_small() {
    const PACKED_BYTES_MAX: u64 = 8 << 20;
    let folder = root().join("results/reference");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    let links = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let files: Vec<String> = links
        .filter(|link| !link.starts_with('#') && !link.starts_with("http"))
        .map(unescaped)
        .collect();
    assert!(files.len() > 20, "{files:?}");
    let dead: Vec<&String> = files.iter().filter(|file| !folder.join(file).is_file()).collect();
    assert!(dead.is_empty(), "{} dead links: {:?}", dead.len(), &dead[..dead.len().min(5)]);
    let after =
        |mark: &'static str| page.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
    let places: std::collections::HashSet<&str> = after(" id=\"").collect();
    let lost: Vec<&str> = after("href=\"#").filter(|anchor| !places.contains(anchor)).collect();
    assert!(lost.is_empty(), "anchors that lead nowhere: {:?}", &lost[..lost.len().min(5)]);
    let packed: u64 = packed_bytes(&folder);
    assert!(packed < PACKED_BYTES_MAX, "results/reference takes {packed} bytes, compressed");
}

/// `%40` as `@`.
fn unescaped(link: &str) -> String {
    let mut parts = link.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(bytes).unwrap()
}

/// Bytes of the files below `folder` as git keeps them, about.
fn packed_bytes(folder: &std::path::Path) -> u64 {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let sizes = files.map(|file| match file.path() {
        path if path.is_dir() => packed_bytes(&path),
        path => {
            let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
            std::io::Write::write_all(&mut packed, &std::fs::read(path).unwrap()).unwrap();
            packed.finish().unwrap().len() as u64
        }
    });
    sizes.sum()
}
