//! Damaged results: never a panic, and a file that was cut is never taken for a whole one.

use std::fs;

use crate::imports::{ImportFault, import};
use workloads::{Rng, Seed};

use super::{files, fixture};

/// Damaged bytes tried of each fixture: all that there can be are too many.
const FLIPS: usize = 500;

/// `bytes` with another byte somewhere.
fn flipped(bytes: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut flipped = bytes.to_vec();
    let at = rng.below(bytes.len() as u64) as usize;
    flipped[at] ^= 1 + rng.below(255) as u8;
    flipped
}

#[test]
fn cut_json_is_an_error_at_its_end() {
    let path = crate::tests::scratch("cut");
    for (_, fixture) in files().into_iter().filter(|(_, path)| path.extension().unwrap() == "json")
    {
        let whole = fs::read(&fixture).unwrap();
        fs::write(&path, &whole).unwrap();
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        for cut in (1..whole.trim_ascii_end().len()).rev() {
            file.set_len(cut as u64).unwrap();
            let error = import(&path).expect_err("cut JSON");
            match error.fault {
                ImportFault::Json { offset_bytes, .. } => assert_eq!(offset_bytes, cut, "{error}"),
                _ => panic!("{} cut at {cut}: {error}", fixture.display()),
            }
        }
    }
}

/// Text has no end of its own: cut between lines it is a shorter output, cut within one an error.
#[test]
fn cut_text_never_gives_a_cut_number() {
    let path = crate::tests::scratch("cut-text");
    for (_, fixture) in files().into_iter().filter(|(_, path)| path.extension().unwrap() == "txt") {
        let bytes = fs::read(&fixture).unwrap();
        let whole = import(&fixture).unwrap();
        for cut in 0..bytes.len() {
            fs::write(&path, &bytes[..cut]).unwrap();
            let Ok(imported) = import(&path) else { continue };
            for (line, whole) in imported.lines.iter().zip(&whole.lines) {
                for (metric, series) in &line.metrics {
                    assert!(
                        whole.metrics[metric].values.starts_with(&series.values),
                        "{metric} cut at {cut}"
                    );
                }
            }
        }
    }
}

#[test]
fn flipped_bytes_never_panic() {
    let mut rng = Rng::new(Seed(5));
    let path = crate::tests::scratch("flipped");
    let mut taken = 0;
    for (_, fixture) in files() {
        let bytes = fs::read(&fixture).unwrap();
        for _ in 0..FLIPS {
            fs::write(&path, flipped(&bytes, &mut rng)).unwrap();
            if let Ok(imported) = import(&path) {
                taken += 1;
                let series = imported.lines.iter().flat_map(|line| line.metrics.values());
                for value in series.flat_map(|series| &series.values) {
                    assert!(value.is_finite() && *value >= 0.0);
                }
            }
        }
    }
    // A digit for another is no damage that anybody can see.
    assert!(taken > 0);
}

#[test]
fn damaged_samples_of_criterion_never_panic() {
    let folder = crate::tests::scratch("criterion-flipped");
    let newest = folder.join("new");
    fs::create_dir_all(&newest).unwrap();
    let mut rng = Rng::new(Seed(6));
    let names = ["benchmark.json", "sample.json"];
    let whole = names.map(|name| fs::read(fixture("criterion/slow/sort/new").join(name)).unwrap());
    for damaged in 0..names.len() {
        for (name, bytes) in names.iter().zip(&whole) {
            fs::write(newest.join(name), bytes).unwrap();
        }
        assert!(import(&folder).is_ok());
        let (path, bytes) = (newest.join(names[damaged]), &whole[damaged]);
        for at in 0..bytes.len() {
            fs::write(&path, &bytes[..at]).unwrap();
            let error = import(&folder).expect_err("cut JSON");
            assert_eq!(error.path, path);
        }
        for _ in 0..FLIPS {
            fs::write(&path, flipped(bytes, &mut rng)).unwrap();
            let _ = import(&folder);
        }
    }
}
