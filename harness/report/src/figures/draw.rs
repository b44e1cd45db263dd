//! Data files, scripts and drawings of a run, complete or not at all.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Figure;
use super::table::Table;
use record::Row;

/// Scripts that the figures' own scripts call.
const HELPERS: [(&str, &str); 5] = [
    ("lists.gp", include_str!("../../../../plots/lists.gp")),
    ("style.gp", include_str!("../../../../plots/style.gp")),
    ("bars.gp", include_str!("../../../../plots/bars.gp")),
    ("lines.gp", include_str!("../../../../plots/lines.gp")),
    ("heat.gp", include_str!("../../../../plots/heat.gp")),
];

/// Formats drawn.
const TERMINALS: [&str; 3] = ["svg", "pdf", "png"];

/// A figure and what came of it.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub figure: Figure,
    /// The drawing; there is none where `empty` says why.
    pub svg: PathBuf,
    /// Why there is no drawing.
    pub empty: Option<String>,
    /// The numbers, for people.
    pub table: Table,
    /// Sentences below the drawing: repetitions, waits, common settings.
    pub notes: Vec<String>,
    /// Systems planned that have no number in it, with the reason.
    pub missing: Vec<String>,
}

/// Whether tables are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawings {
    ByGnuplot,
    /// Not at all. Tables and scripts are written all the same.
    LeftOut,
}

impl Drawings {
    fn why_none(self) -> Option<String> {
        (self == Self::LeftOut).then(|| {
            "nothing was drawn, as `--without-drawings` asked: where gnuplot is installed, \
             `nibble-bench report` on this folder draws it"
                .to_owned()
        })
    }
}

/// The version of the gnuplot that is installed.
///
/// # Errors
/// That there is none, and how to get one.
pub fn gnuplot_available() -> Result<String, String> {
    let missing = |reason: String| {
        format!(
            "gnuplot does not run ({reason}), and figures are drawn by it: install the Debian \
             package gnuplot-nox, or run scripts/setup, which does"
        )
    };
    let output = Command::new("gnuplot")
        .arg("--version")
        .output()
        .map_err(|error| missing(error.to_string()))?;
    if !output.status.success() {
        return Err(missing(output.status.to_string()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Draws the `wanted` figures of the run in `folder` into its folder `figures`, beside the data
/// tables and scripts they can be drawn again from. What stood there before is replaced when
/// everything is drawn.
///
/// # Errors
/// The file, or what gnuplot said.
pub fn draw(
    folder: &Path,
    rows: &[Row],
    wanted: &[&Figure],
    drawings: Drawings,
) -> Result<Vec<Drawn>, String> {
    let target = folder.join("figures");
    let part = folder.join("figures.part");
    let old = folder.join("figures.old");
    for leftover in [&part, &old] {
        if leftover.exists() {
            fs::remove_dir_all(leftover).map_err(failed(leftover))?;
        }
    }
    fs::create_dir_all(&part).map_err(failed(&part))?;
    write_helpers(&part)?;
    let drawn = wanted
        .iter()
        .map(|figure| draw_one(folder, &part, rows, figure, &target, drawings))
        .collect::<Result<Vec<Drawn>, String>>()?;
    if target.exists() {
        fs::rename(&target, &old).map_err(failed(&target))?;
    }
    fs::rename(&part, &target).map_err(failed(&part))?;
    if old.exists() {
        fs::remove_dir_all(&old).map_err(failed(&old))?;
    }
    Ok(drawn)
}

/// Draws one table that belongs to no run into `folder`, which is made if it is missing; returns the
/// drawing for pages.
///
/// # Errors
/// The file, or what gnuplot said.
pub fn draw_table(folder: &Path, name: &str, table: &str, script: &str) -> Result<PathBuf, String> {
    fs::create_dir_all(folder).map_err(failed(folder))?;
    write_helpers(folder)?;
    write(&folder.join(format!("{name}.tsv")), table)?;
    write(&folder.join(format!("{name}.gp")), script)?;
    for terminal in TERMINALS {
        run_gnuplot(folder, name, terminal)?;
    }
    Ok(folder.join(format!("{name}.svg")))
}

fn write_helpers(folder: &Path) -> Result<(), String> {
    HELPERS.into_iter().try_for_each(|(name, text)| write(&folder.join(name), text))
}

fn draw_one(
    folder: &Path,
    part: &Path,
    rows: &[Row],
    figure: &Figure,
    target: &Path,
    drawings: Drawings,
) -> Result<Drawn, String> {
    let data = figure.build(folder, rows);
    let empty = figure.why_empty(&data).or_else(|| drawings.why_none());
    write(&part.join(format!("{}.tsv", figure.name)), &data.table.to_tsv())?;
    write(&part.join(format!("{}.gp", figure.name)), &figure.script(&data.table))?;
    if empty.is_none() {
        for terminal in TERMINALS {
            run_gnuplot(part, &figure.name, terminal)?;
        }
    }
    Ok(Drawn {
        figure: figure.clone(),
        svg: target.join(format!("{}.svg", figure.name)),
        empty,
        missing: data.missing(),
        table: data.shown.unwrap_or(data.table),
        notes: data.notes,
    })
}

/// Draws one figure's table into `folder`, for looking at the drawing alone.
///
/// # Errors
/// The file, or what gnuplot said.
#[cfg(test)]
pub(super) fn draw_svg(folder: &Path, figure: &Figure, table: &Table) -> Result<PathBuf, String> {
    write_helpers(folder)?;
    write(&folder.join(format!("{}.tsv", figure.name)), &table.to_tsv())?;
    write(&folder.join(format!("{}.gp", figure.name)), &figure.script(table))?;
    run_gnuplot(folder, &figure.name, "svg")?;
    Ok(folder.join(format!("{}.svg", figure.name)))
}

fn run_gnuplot(part: &Path, name: &str, terminal: &str) -> Result<(), String> {
    let settings =
        format!("data = '{name}.tsv'; out = '{name}.{terminal}'; terminal = '{terminal}'");
    let script = format!("{name}.gp");
    let output = Command::new("gnuplot")
        // Without the user's own settings.
        .args(["-d", "-e", &settings, &script])
        .current_dir(part)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .map_err(|error| format!("gnuplot: {error}"))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    let drawing = part.join(format!("{name}.{terminal}"));
    let drew = fs::metadata(&drawing).is_ok_and(|file| file.len() > 0);
    if output.status.success() && drew {
        return if terminal == "svg" { drop_empty_groups(&drawing) } else { Ok(()) };
    }
    let folder = part.display();
    Err(format!(
        "gnuplot could not draw {folder}/{name}.{terminal} ({}): {}; the folder is kept, so \
         `cd {folder} && gnuplot {script}` shows it again",
        output.status,
        complaint.trim()
    ))
}

/// Rewrites a drawing of gnuplot's, a third of which are groups with nothing in them.
fn drop_empty_groups(drawing: &Path) -> Result<(), String> {
    let svg = fs::read_to_string(drawing).map_err(failed(drawing))?;
    write(drawing, &without_empty_groups(&svg))
}

/// A group is empty where the line that opens it is followed by the one that closes it.
fn without_empty_groups(svg: &str) -> String {
    let mut kept = String::with_capacity(svg.len());
    let mut lines = svg.split_inclusive('\n').peekable();
    while let Some(line) = lines.next() {
        let opens = line.starts_with("<g ") && line.ends_with(">\n");
        if opens && lines.peek().is_some_and(|next| next.trim_end() == "</g>") {
            lines.next();
        } else {
            kept += line;
        }
    }
    kept
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(failed(path))
}

fn failed(path: &Path) -> impl Fn(std::io::Error) -> String {
    let path = path.display().to_string();
    move |error| format!("{path}: {error}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_with_nothing_in_them_are_left_out() {
        let svg = "<svg>\n<g fill=\"none\">\n</g>\n<g fill=\"none\">\n\t<path d='M0,0'/></g>\n\
                   <g id=\"plot\" ><title>a</title>\n<g color=\"black\">\n</g>\n\t</g>\n</svg>";
        let kept = "<svg>\n<g fill=\"none\">\n\t<path d='M0,0'/></g>\n\
                    <g id=\"plot\" ><title>a</title>\n\t</g>\n</svg>";
        assert_eq!(without_empty_groups(svg), kept);
        assert_eq!(without_empty_groups(kept), kept);
    }
}
