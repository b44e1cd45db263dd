//! All drawings of a run in one PDF, one a page.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::draw::Drawn;

/// The file's name in the run's folder.
pub const UNITED: &str = "figures.pdf";

/// Unites the drawings of `drawn`, in their order, into `figures.pdf` in `folder`; `None` where
/// there is no drawing. A file that was there before is gone unless it is replaced.
///
/// # Errors
/// Why there is no such file, as a sentence for the run's notices.
pub fn unite(folder: &Path, drawn: &[Drawn]) -> Result<Option<PathBuf>, String> {
    unite_by("pdfunite", folder, drawn)
}

fn unite_by(program: &str, folder: &Path, drawn: &[Drawn]) -> Result<Option<PathBuf>, String> {
    let failed = |what: String| format!("Left out: {UNITED}, all figures in one file: {what}");
    let (target, part) = (folder.join(UNITED), folder.join("figures.pdf.part"));
    if target.exists() {
        fs::remove_file(&target)
            .map_err(|error| failed(format!("{}: {error}", target.display())))?;
    }
    let pages: Vec<PathBuf> = drawn
        .iter()
        .filter(|drawn| drawn.empty.is_none())
        .map(|drawn| drawn.svg.with_extension("pdf"))
        .collect();
    if pages.is_empty() {
        return Ok(None);
    }
    let output = Command::new(program).args(&pages).arg(&part).output().map_err(|error| {
        failed(format!(
            "{program} does not run ({error}): install the Debian package poppler-utils, then \
             `nibble-bench report` on this folder makes it"
        ))
    })?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(failed(format!(
            "{program} ended with {}: {}",
            output.status,
            complaint.trim()
        )));
    }
    fs::rename(&part, &target).map_err(|error| failed(format!("{}: {error}", part.display())))?;
    Ok(Some(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::{self, Folder};
    use crate::figures::{Drawings, by_name, draw, gnuplot_available};

    /// Two drawings, and a figure without one between them.
    fn some_drawn(folder: &Path) -> Option<Vec<Drawn>> {
        if let Err(reason) = gnuplot_available() {
            eprintln!("skipped: {reason}");
            return None;
        }
        let rows = fixture::rows();
        let names = ["allocator-bloat", "memory-over-time", "store-bloat"];
        let wanted: Vec<_> = names.iter().filter_map(|name| by_name(name)).collect();
        let drawn = draw(folder, &rows, &wanted, Drawings::ByGnuplot).expect("drawings");
        assert!(drawn[1].empty.is_some(), "its curves are not there");
        Some(drawn)
    }

    #[test]
    fn drawings_become_one_file_with_a_page_each() {
        let folder = Folder::new("united");
        let Some(drawn) = some_drawn(&folder.0) else { return };
        let path = match unite(&folder.0, &drawn) {
            Ok(path) => path.expect("there are drawings"),
            Err(reason) => {
                assert!(reason.contains("poppler-utils"), "{reason}");
                eprintln!("skipped: {reason}");
                return;
            }
        };
        let told = Command::new("pdfinfo").arg(&path).output().expect("it comes with pdfunite");
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        assert!(told.contains("Pages:           2"), "{told}");
        // One alone is a file too, and of none there is no file, whatever was there before.
        assert_eq!(unite(&folder.0, &drawn[..1]), Ok(Some(path.clone())));
        assert_eq!(unite(&folder.0, &drawn[1..2]), Ok(None));
        assert!(!path.exists());
    }

    #[test]
    fn without_the_program_the_reason_names_the_remedy() {
        let folder = Folder::new("united-none");
        let Some(drawn) = some_drawn(&folder.0) else { return };
        fs::write(folder.0.join(UNITED), "of an earlier report").expect("a file");
        let reason = unite_by("no-such-pdfunite", &folder.0, &drawn).expect_err("no program");
        assert!(reason.contains("poppler-utils") && reason.contains(UNITED), "{reason}");
        assert!(!folder.0.join(UNITED).exists(), "it showed other drawings");
    }
}
