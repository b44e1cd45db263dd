//! Published claims, asked of a run: what `reproduce` writes into its report and `reproduce --check`
//! prints.

mod command;

use std::path::Path;

use expect::{Answer, Counts, Expectation, Machine, On, Summary, Verdict};

pub(super) use command::run;

use super::Failure;
use record::MachineRecord;
use record::Row;
use record::archive::{self, RunRecord, write_whole};
use report::page::{ClaimDetail, ClaimLine};
use report::summaries;

const CLAIMS: &str = include_str!("../../../../suites/claims.toml");

pub(crate) fn built_in() -> Vec<Expectation> {
    expect::read(CLAIMS).expect("the built-in claims are read by a test")
}

/// Prints what the run in `folder` says of each claim. Nothing is measured and nothing is written.
pub(super) fn check(folder: &Path) -> Result<(), Failure> {
    let (run, rows) = archive::load(folder).map_err(Failure::usage)?;
    let answers = answers(folder, &run, &rows)?;
    print!("{}", expect::render::text(&answers));
    Ok(())
}

/// Checks each claim against a run.
pub(super) fn answers(
    folder: &Path,
    run: &RunRecord,
    rows: &[Row],
) -> Result<Vec<Answer>, Failure> {
    Ok(asked(&built_in(), &summaries(folder, rows)?, &run.machine))
}

/// Counts the answers: how many hold, fail, and so on.
pub(super) fn counted(answers: &[Answer]) -> String {
    Counts::of(answers.iter().map(|answer| answer.verdict)).words()
}

/// Writes the summary rows beside the rows and asks each claim of them.
pub(super) fn keep(folder: &Path, run: &RunRecord, rows: &[Row]) -> Result<Vec<Answer>, Failure> {
    let summaries = summaries(folder, rows)?;
    let answers = asked(&built_in(), &summaries, &run.machine);
    for (name, text) in [
        (summaries::FILE, summaries::text(&summaries)),
        ("claims.md", expect::render::markdown(&answers)),
    ] {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes())
            .map_err(|error| Failure::internal(format!("{}: {error}", path.display())))?;
    }
    Ok(answers)
}

fn summaries(folder: &Path, rows: &[Row]) -> Result<Vec<Summary>, Failure> {
    summaries::summaries(folder, rows).map_err(Failure::usage)
}

fn asked(claims: &[Expectation], rows: &[Summary], machine: &MachineRecord) -> Vec<Answer> {
    expect::evaluate(claims, rows, &machine_of(machine))
}

/// The machine on which the run was measured, as claims know it.
fn machine_of(machine: &MachineRecord) -> Machine {
    let number = |name: &str| machine.facts.get(name)?.parse().ok();
    let nodes = machine.facts.get("memory-of-nodes").map_or(0, |text| text.matches("node").count());
    let sockets = number("sockets").unwrap_or(1);
    Machine { cores: number("cores").unwrap_or(1), sockets: nodes.max(sockets) }
}

/// Rows of the table of claims in the report.
pub(super) fn lines(answers: &[Answer]) -> Vec<ClaimLine> {
    let lines = answers.iter().map(|answer| ClaimLine {
        id: id(answer),
        source: answer.source.clone(),
        says: answer.says.clone(),
        on: match answer.on {
            On::Any => "on every machine",
            On::Small => "on few cores",
            On::Large => "on many cores",
        }
        .to_owned(),
        preset: answer.preset.clone(),
        share: answer.share(),
        expects: answer.expects.clone(),
        verdict: word(answer.verdict),
        // What was judged is counted in what was measured.
        reason: answer.reason.clone(),
        measured: answer.telling().map_or_else(String::new, |_| answer.line()),
        details: answer
            .measured
            .iter()
            .map(|measured| ClaimDetail {
                what: measured.compared.clone(),
                value_text: measured.shown(),
                bound: measured.expected.clone(),
                verdict: word(measured.verdict),
                cells: measured.cells.clone(),
            })
            .collect(),
        figure: answer.figure.clone(),
    });
    lines.collect()
}

/// Unique among answers: a claim may be asked of large machines and of small ones, and of presets.
pub(super) fn id(answer: &Answer) -> String {
    let number = (answer.question > 1).then(|| format!("-{}", answer.question));
    let preset = answer.preset.as_ref().map(|preset| format!("-{preset}"));
    format!("{}{}{}", answer.id, number.unwrap_or_default(), preset.unwrap_or_default())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::Fails => "fails",
        Verdict::Undecided => "undecided",
        Verdict::NotTestable => "not testable here",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use expect::PermutationTally;

    use super::*;
    use report::figures;

    fn reference() -> (RunRecord, Vec<Summary>) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/reference");
        let (run, rows) = archive::load(&folder).unwrap();
        let summaries = summaries(&folder, &rows).unwrap();
        (run, summaries)
    }

    #[test]
    fn claims_name_figures_that_there_are() {
        let claims = built_in();
        assert!(claims.len() >= 30, "{}", claims.len());
        for claim in &claims {
            let figure =
                claim.figure.as_deref().unwrap_or_else(|| panic!("{}: no figure", claim.id));
            assert!(figures::by_name(figure).is_some(), "{}: {figure}", claim.id);
        }
    }

    #[test]
    fn every_published_figure_has_a_claim() {
        let claims = built_in();
        let sources: Vec<&str> = claims.iter().map(|claim| claim.source.as_str()).collect();
        for (paper, figures) in [
            (
                "Nibble",
                &["1", "8a", "8b", "8c", "9a", "10a", "10b", "11", "12", "13a", "13b", "14"][..],
            ),
            (
                "issertation",
                &["3", "6", "21", "22", "23", "24", "25", "26", "29", "30", "31", "32", "33", "37"],
            ),
        ] {
            for figure in figures {
                let word = |text: &str| {
                    text.contains(paper)
                        && text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| {
                            word.trim_end_matches(['a', 'b']) == *figure || word == *figure
                        })
                };
                assert!(
                    sources.iter().any(|text| word(text)),
                    "{paper} Fig. {figure}: {sources:?}"
                );
            }
        }
        assert!(sources.iter().any(|text| text.contains("Table 2")));
    }

    #[test]
    fn the_reference_run_answers_every_claim_and_no_answer_is_empty() {
        let (run, summaries) = reference();
        let answers = asked(&built_in(), &summaries, &run.machine);
        let mut ids = BTreeSet::new();
        for line in lines(&answers) {
            for text in [&line.source, &line.says, &line.expects, &line.reason] {
                assert!(!text.trim().is_empty(), "{line:?}");
            }
            assert!(ids.insert(line.id.clone()), "{} twice", line.id);
        }
        // Only what needs many cores or sockets is not testable, and only of figures about them; and
        // what the suites measure since the reference was.
        let scaling = [
            "Table 2",
            "section 1",
            "Fig. 8a",
            "Fig. 8b",
            "Fig. 8c",
            "Fig. 11",
            "Fig. 13",
            "Fig. 24",
        ];
        let scaling = |source: &str| {
            source.contains("section 5.4") || scaling.iter().any(|figure| source.contains(figure))
        };
        let newer =
            ["table2-redis", "table2-leveldb", "section1-deletes-linear", "fig13a-redis-sockets"];
        for answer in answers.iter().filter(|answer| answer.verdict == Verdict::NotTestable) {
            let Answer { id: claim, reason, source, preset, .. } = answer;
            if reason.starts_with("needs ") {
                assert!(scaling(source), "{claim}: {source}");
            } else {
                assert!(reason.starts_with(expect::UNMEASURED), "{claim}: {reason}");
                let is_newer = newer.contains(&claim.as_str());
                assert!(preset.as_deref() == Some("paper") || is_newer, "{claim}: {reason}");
            }
        }
    }

    #[test]
    fn every_question_about_nibble_is_put_to_presets_side_by_side() {
        let (run, summaries) = reference();
        let answers = asked(&built_in(), &summaries, &run.machine);
        let of = |id: &str| -> Vec<Option<&str>> {
            let own = answers.iter().filter(|answer| answer.id == id && answer.on != On::Large);
            own.map(|answer| answer.preset.as_deref()).collect()
        };
        assert_eq!(of("fig14-nibble-falls"), [Some("paper"), Some("best")]);
        assert_eq!(of("fig29-dip-at-50"), [Some("paper")], "best has no workers");
        assert_eq!(of("fig14-mica-flat"), [None]);
    }

    #[test]
    fn with_the_engines_names_permuted_comparisons_that_hold_turn() {
        let (run, summaries) = reference();
        let machine = machine_of(&run.machine);
        let permuted = expect::evaluate_permuted(&built_in(), &summaries, &machine);
        let tally = PermutationTally::of(&permuted);
        assert!(tally.hold >= 8, "{tally:?}");
        assert!(tally.turned * 10 >= tally.hold * 8, "{tally:?}");
    }

    #[test]
    fn machines_are_known_by_cores_and_nodes_with_memory() {
        let facts =
            [("cores", "240"), ("sockets", "1"), ("memory-of-nodes", "node0 1 MiB, node1 1 MiB")];
        let facts = facts.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        assert_eq!(machine_of(&MachineRecord { facts }), Machine { cores: 240, sockets: 2 });
    }
}
