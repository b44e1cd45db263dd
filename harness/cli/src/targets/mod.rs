//! Performance targets: a table of questions with a bar each, measured in ABBA blocks and
//! answered with `holds`, `falls short` or `undecided`.
//!
//! ```text
//! suites/targets.toml ─ file ─► entries ─ target ─► targets ─ cells ─► cells ─ runner ─► rows ─ judge ─► lines ─ print
//! ```
//!
//! | file | what |
//! |---|---|
//! | `file` | the TOML, strict |
//! | `target` | keys checked against the kind, combinations expanded |
//! | `sizes` | scales, and sizes by hand |
//! | `cells` | what to run |
//! | `judge`, `yardstick` | from rows to a number with an interval |
//! | `bar` | from that to a verdict |
//! | `print` | the table, as text and as JSON |

mod bar;
mod cells;
mod file;
mod judge;
mod print;
mod sizes;
mod target;
mod yardstick;

pub(crate) use bar::Verdict;
pub(crate) use cells::{cells, round_of};
pub(crate) use file::File;
pub(crate) use judge::{Line, judge};
pub(crate) use print::{Printer, Record};
pub(crate) use sizes::Sizes;
pub(crate) use target::{Kind, Target, select};
pub(crate) use yardstick::judge_yardstick;

/// The table that comes with the program.
pub(crate) const BUILT_IN: (&str, &str) =
    ("targets.toml", include_str!("../../../suites/targets.toml"));

#[cfg(test)]
pub(crate) mod tests {
    use super::file::File;
    use super::sizes::Sizes;
    use super::target::{Kind, Target};
    use super::{BUILT_IN, cells};

    /// A file without targets, to which tests add some.
    pub(crate) const HEAD: &str = r#"
        question = "?"
        seed = 7
        [scale.quick]
        object-memory = "64MiB"
        operations = 1000
        blocks = 3
        repetitions = 3
        overhead-repetitions = 1
        object-counts = 5
        calibration = "1MiB"
        [calibration]
        random-line-ns = 10.0
        copy-gb-per-s = 10.0
        [[yardstick]]
        name = "fast"
        mops = [{ value-bytes = 64, get-percent = 50, is = 4.0 }]
        [[yardstick]]
        name = "slow"
        mops = [{ value-bytes = 64, get-percent = 50, is = 1.0 }]
"#;

    pub(crate) fn file(text: &str) -> File {
        let one =
            "[[target]]\nname = \"t\"\nquestion = \"?\"\nbar = \"> 1\"\nkind = \"yardstick\"\n";
        File::parse("t.toml", &format!("{text}{one}")).unwrap()
    }

    /// The targets of one entry called `t`.
    pub(crate) fn file_with(entry: &str) -> Vec<Target> {
        let entry =
            format!("[[target]]\nname = \"t\"\nquestion = \"?\"\nbar = \">= 1.5\"\n{entry}");
        let file = File::parse("t.toml", &format!("{HEAD}{entry}")).unwrap();
        file.targets("t.toml").unwrap()
    }

    #[test]
    fn the_built_in_table_can_be_planned_at_every_scale() {
        let file = File::parse(BUILT_IN.0, BUILT_IN.1).unwrap();
        let targets = file.targets(BUILT_IN.0).unwrap();
        assert!(targets.len() >= 30, "{}", targets.len());
        let scales: Vec<&str> = file.scales.keys().map(String::as_str).collect();
        assert_eq!(scales, ["quick", "smoke", "standard"]);
        for sizes in file.scales.values() {
            for target in &targets {
                assert!(target.question.ends_with('?'), "{}", target.name);
                assert!(!cells(&file, target, sizes).unwrap().is_empty());
            }
        }
    }

    /// Compaction has something to choose from.
    #[test]
    fn targets_of_a_fill_have_512_segments() {
        let file = File::parse(BUILT_IN.0, BUILT_IN.1).unwrap();
        let Sizes { object_memory, .. } = file.scales["quick"].clone();
        for target in file.targets(BUILT_IN.0).unwrap() {
            let side = match &target.kind {
                Kind::Compare { b, .. } => b,
                Kind::Statistic { side, .. } => side,
                _ => continue,
            };
            if side.fill_percent.is_some_and(|fill| fill >= 80) {
                assert!(side.segments.is_some_and(|segments| segments >= 512), "{}", target.name);
                let bytes = side.object_memory.unwrap_or(object_memory).0;
                assert!(bytes / 512 >= 64 << 10, "{}: a segment is a block at least", target.name);
            }
        }
    }
}
