//! What each block says, as Markdown.

use std::path::Path;

use expect::{Answer, Counts, Verdict};

use crate::figures::{self, Figure};
use crate::page::{machine_line, matrices_of};
use record::{Row, archive::RunRecord, unknown_name};

const RUN: &str = "run";
/// Which published claims hold.
const CLAIMS: &str = "claims";
/// Which figures there are.
const FIGURES: &str = "figures";

/// The run whose numbers are shown.
#[derive(Debug)]
pub struct Material<'a> {
    pub folder: &'a Path,
    pub run: &'a RunRecord,
    pub rows: &'a [Row],
    /// What its rows say of the claims.
    pub answers: &'a [Answer],
}

/// The content of the block `name`.
///
/// # Errors
/// A name that no block has, with near ones; a figure that has no numbers in the run.
pub fn block(name: &str, material: &Material<'_>) -> Result<String, String> {
    match name {
        RUN => Ok(run(material)),
        CLAIMS => Ok(claims_by_source(material)),
        FIGURES => Ok(list()),
        figure => match figures::by_name(figure) {
            Some(figure) => numbers(figure, material),
            None => {
                let known = figures::all().iter().map(|figure| figure.name.as_str());
                Err(unknown_name("block", figure, [RUN, CLAIMS, FIGURES].into_iter().chain(known)))
            }
        },
    }
}

fn run(material: &Material<'_>) -> String {
    let run = material.run;
    let fact = |name: &str| run.machine.facts.get(name).map_or("unknown", String::as_str);
    let scale = run.scale.as_ref().map_or("none", |scale| scale.name.as_str());
    format!(
        "Measured by `{}` (scale {scale}) from {} to {}, revision {}, on {}.\n",
        run.command,
        run.started,
        run.finished.as_deref().unwrap_or("no end"),
        fact("revision"),
        machine_line(run)
    )
}

/// The verdicts counted by source, and the claims that fail; the whole table is a file of the run.
fn claims_by_source(material: &Material<'_>) -> String {
    let mut sources: Vec<&str> = Vec::new();
    for answer in material.answers {
        if !sources.contains(&answer.source.as_str()) {
            sources.push(&answer.source);
        }
    }
    let heading = ["source", "holds", "fails", "undecided", "not testable here", "what fails"];
    let mut lines = vec![heading.map(str::to_owned).to_vec()];
    for source in sources {
        let of = || material.answers.iter().filter(|answer| answer.source == source);
        let count = |verdict| match of().filter(|answer| answer.verdict == verdict).count() {
            0 => "–".to_owned(),
            count => count.to_string(),
        };
        let failing: Vec<String> = of()
            .filter(|answer| answer.verdict == Verdict::Fails)
            .map(|answer| {
                let preset = answer.preset.as_ref().map(|preset| format!(" (preset {preset})"));
                format!("{}{}: {}", answer.id, preset.unwrap_or_default(), answer.line())
            })
            .collect();
        let mut line = vec![source.to_owned()];
        line.extend(
            [Verdict::Holds, Verdict::Fails, Verdict::Undecided, Verdict::NotTestable].map(count),
        );
        line.push(if failing.is_empty() { "–".to_owned() } else { failing.join("; ") });
        lines.push(line);
    }
    let counts = Counts::of(material.answers.iter().map(|answer| answer.verdict));
    let file = material.folder.join("claims.md");
    format!(
        "{} questions asked of this run: {}. Each with its interval: `{}`.\n\n{}",
        material.answers.len(),
        counts.words(),
        file.display(),
        table(&lines, false)
    )
}

fn list() -> String {
    let lines = figures::all().iter().map(|figure| {
        vec![format!("`{}`", figure.name), figure.question.clone(), figure.source.clone()]
    });
    let heading = ["figure", "asks", "after"].map(str::to_owned).to_vec();
    table(&std::iter::once(heading).chain(lines).collect::<Vec<_>>(), false)
}

fn numbers(figure: &Figure, material: &Material<'_>) -> Result<String, String> {
    let matrices = matrices_of(figure, material.folder, material.rows);
    if matrices.is_empty() {
        return Err(format!(
            "{}: figure `{}` has no small table with numbers of this run",
            material.folder.display(),
            figure.name
        ));
    }
    let mut text = String::new();
    for matrix in matrices {
        text += &format!("{}; medians\n\n{}\n", matrix.title, table(&matrix.lines, true));
    }
    Ok(text)
}

/// A table whose first line is its heading; all columns but the first to the right where they are
/// numbers.
fn table(lines: &[Vec<String>], numbers: bool) -> String {
    let line = |fields: &[String]| {
        let fields: Vec<String> = fields.iter().map(|field| field.replace('|', "\\|")).collect();
        format!("| {} |\n", fields.join(" | "))
    };
    let Some((heading, rest)) = lines.split_first() else { return String::new() };
    let rule = |place| if numbers && place > 0 { "---:" } else { "---" };
    let rules: Vec<String> = (0..heading.len()).map(|place| rule(place).to_owned()).collect();
    let mut text = line(heading) + &line(&rules);
    text.extend(rest.iter().map(|fields| line(fields)));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture;
    use crate::page::tests::run;

    fn content(name: &str) -> Result<String, String> {
        let (run, rows) = (run("quick"), fixture::rows());
        let material = Material { folder: Path::new(""), run: &run, rows: &rows, answers: &[] };
        block(name, &material)
    }

    #[test]
    fn numbers_of_a_figure_are_a_table_and_all_figures_are_listed() {
        let text = content("store-bloat").unwrap();
        assert!(text.lines().filter(|line| line.starts_with("| ")).count() > 2, "{text}");
        assert!(text.contains("---:"));
        let list = content("figures").unwrap();
        assert!(figures::all().iter().all(|figure| list.contains(&figure.name)));
        assert!(content("run").unwrap().contains("scale quick"));
    }

    #[test]
    fn unknown_blocks_are_refused_with_near_names() {
        let error = content("store-bloot").unwrap_err();
        assert!(error.contains("did you mean store-bloat"), "{error}");
    }
}
