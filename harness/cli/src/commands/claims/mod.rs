//! Published claims, asked of a run: what `reproduce` writes into its report and `reproduce --check`
//! prints.

mod command;
mod files;

use std::path::Path;

use expect::{Answer, Counts, Expectation, Machine, On, Summary, Verdict};

pub(super) use command::run;
pub(crate) use files::built_in;

use super::{Failure, output};
use crate::environment::capture;
use record::archive::{self, RunRecord, write_whole};
use record::{Cell, MachineRecord, Row, Scale};
use report::page::{ClaimDetail, ClaimLine};
use report::summaries;

/// The claims that a run of this scale and of these suites is asked, in the looks in which it judges them.
fn asked_of(run: &RunRecord) -> Vec<Expectation> {
    let claims = files::of_run(run);
    let claims = match &run.scale {
        Some(scale) => expect::at_scale(claims, &scale.name, &Scale::NAMES),
        None => claims,
    };
    match run.decide_s {
        Some(_) => expect::in_repeated_looks(claims),
        None => claims,
    }
}

/// Prints what the run in `folder` says of each claim. Nothing is measured and nothing is written.
pub(super) fn check(folder: &Path, json: bool) -> Result<(), Failure> {
    let (run, rows) = archive::load(folder).map_err(Failure::usage)?;
    let answers = answers(folder, &run, &rows)?;
    if json {
        output::print_json(&answers);
    } else {
        output::print(&expect::render::text(&answers));
    }
    Ok(())
}

/// Checks each claim against a run.
pub(super) fn answers(
    folder: &Path,
    run: &RunRecord,
    rows: &[Row],
) -> Result<Vec<Answer>, Failure> {
    Ok(asked(&asked_of(run), &summaries(folder, rows)?, &run.machine))
}

/// Of each of `cells`, whether a claim asks for it that a run of the scale of that name is asked.
pub(super) fn is_asked(cells: &[Cell], scale: &str) -> Vec<bool> {
    let claims = expect::at_scale(built_in(), scale, &Scale::NAMES);
    let machine = machine_of(&capture());
    let is_asked = |cell: &Cell| {
        let labels = summaries::labels_of(cell);
        claims.iter().any(|claim| claim.selects(&labels, &machine))
    };
    cells.iter().map(is_asked).collect()
}

/// Counts the answers: how many hold, fail, and so on.
pub(super) fn counted(answers: &[Answer]) -> String {
    Counts::of(answers.iter().map(|answer| answer.verdict)).words()
}

/// Writes the summary rows beside the rows and asks each claim of them.
pub(super) fn keep(folder: &Path, run: &RunRecord, rows: &[Row]) -> Result<Vec<Answer>, Failure> {
    let summaries = summaries(folder, rows)?;
    let answers = asked(&asked_of(run), &summaries, &run.machine);
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
        is_of_unlike: answer.is_of_unlike(),
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
    use stats::noise::normal;
    use workloads::Seed;

    use super::*;
    use crate::plan::{MachineLimits, plan};
    use crate::traces::Traces;
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
        let answers = asked(&asked_of(&run), &summaries, &run.machine);
        let mut ids = BTreeSet::new();
        for line in lines(&answers) {
            for text in [&line.source, &line.says, &line.expects, &line.reason] {
                assert!(!text.trim().is_empty(), "{line:?}");
            }
            assert!(ids.insert(line.id.clone()), "{} twice", line.id);
        }
        // Only what needs many cores or sockets is not testable, and only of figures about them; what is left
        // to larger scales; what the paper's configuration is not measured for; and what a store refuses along
        // a line.
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
        for answer in answers.iter().filter(|answer| answer.verdict == Verdict::NotTestable) {
            let Answer { id: claim, reason, source, preset, .. } = answer;
            if reason.starts_with("needs ") {
                assert!(scaling(source), "{claim}: {source}");
            } else if !reason.starts_with("asked from scale ") {
                let is_unmeasured = reason.starts_with(expect::UNMEASURED);
                assert!(is_unmeasured || reason.contains(": measured from "), "{claim}: {reason}");
                assert_eq!(preset.as_deref(), Some("paper"), "{claim}: {reason}");
            }
        }
    }

    #[test]
    fn claims_are_left_to_scales_that_there_are() {
        let questions = built_in().into_iter().flat_map(|claim| claim.questions);
        let scales: BTreeSet<String> = questions.filter_map(|one| one.from_scale).collect();
        assert!(scales.contains("standard"), "{scales:?}");
        assert!(scales.iter().all(|scale| Scale::NAMES.contains(&scale.as_str())), "{scales:?}");
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

    /// What no built-in suite measures of what a machine of two cores is asked. Such an answer is *not
    /// testable*, and says so.
    const UNMEASURED: [&str; 0] = [];

    #[test]
    fn suites_measure_what_claims_ask() {
        let suites = crate::suites::names().map(|name| crate::suites::built_in(name).unwrap());
        let suites: Vec<crate::suites::Suite> = suites.collect();
        let scale = record::Scale::by_name("quick").unwrap();
        let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };
        let planned = plan(&suites, &scale, &Traces::default(), limits).unwrap();
        let labels: BTreeSet<_> = planned.cells.iter().map(summaries::labels_of).collect();
        let machine = Machine { cores: 2, sockets: 1 };
        let mut unmeasured = Vec::new();
        for claim in built_in() {
            for question in &claim.questions {
                let alone = Expectation { questions: vec![question.clone()], ..claim.clone() };
                // A large machine's question alone is not put to this one. Traces are recorded first.
                let families = question.rows.labels.get("family").cloned().unwrap_or_default();
                let is_of_suites =
                    families.iter().any(|family| family != "trace" && family != "replay");
                let is_put = question.on != On::Large && is_of_suites;
                if is_put && !labels.iter().any(|labels| alone.selects(labels, &machine)) {
                    let preset = question.preset.as_ref().map_or("", |preset| &preset.name);
                    unmeasured.push(format!("{} {preset}", claim.id).trim().to_owned());
                }
            }
        }
        assert_eq!(unmeasured, UNMEASURED);
    }

    /// How the made-up processes of a comparison differ.
    #[derive(Clone, Copy, PartialEq)]
    enum Differ {
        /// As all processes of the reference run do.
        Together,
        /// The same, and whole repetitions are slow as well.
        WithRepetitions,
        /// Each side as much as those of one cell of the reference run, one of those that were measured
        /// again: two processes do not tell how far they differ.
        AsOneCell,
    }

    /// With the truth exactly on the bound, every decision is wrong.
    #[test]
    fn repeated_looks_decide_wrongly_no_more_often_than_they_say() {
        const EXPERIMENTS: usize = 4_000;
        let (_, summaries) = reference();
        let values = summaries.iter().filter_map(|row| row.metrics.get("throughput"));
        let cells: Vec<Vec<f64>> =
            values.filter(|values| values.len() >= 2).map(|values| logs(values)).collect();
        let differences = cells.concat();
        assert!(differences.len() > 1_000, "{}", differences.len());
        let told: Vec<&Vec<f64>> = cells.iter().filter(|logs| logs.len() >= 2 * 4).collect();
        assert!(told.len() > 50, "{}", told.len());
        let claims = expect::read(
            "[[expectation]]\nid = \"equal\"\nsource = \"made up\"\nsays = \"one is as fast\"\n\
             [[expectation.ask]]\non = \"any\"\nexpects = \"at least as fast\"\n\
             metric = \"throughput\"\nwhere = {}\n\
             ratio = { of = { system = \"one\" }, to = { system = \"other\" }, at-least = 1.0 }\n",
        );
        let once = claims.unwrap();
        let repeated = expect::in_repeated_looks(once.clone());
        let mut rng = Seed(31).rng();
        let machine = Machine { cores: 2, sockets: 1 };
        let mut wrong = |claims: &[Expectation], processes: usize, differ: Differ| {
            let decided = (0..EXPERIMENTS).filter(|_| {
                let mut one_of = |all: &[f64]| all[rng.below(all.len() as u64) as usize];
                let drift: Vec<f64> = (0..processes)
                    .map(|_| match differ {
                        Differ::WithRepetitions => one_of(&differences),
                        Differ::Together | Differ::AsOneCell => 0.0,
                    })
                    .collect();
                let rows = ["one", "other"].map(|system| {
                    let own = told[rng.below(told.len() as u64) as usize];
                    let squares: f64 = own.iter().map(|log| log * log).sum();
                    let deviation = (squares / own.len() as f64).sqrt();
                    let log = |drift: &f64| {
                        drift
                            + match differ {
                                Differ::AsOneCell => deviation * normal(&mut rng),
                                _ => differences[rng.below(differences.len() as u64) as usize],
                            }
                    };
                    let values: Vec<f64> = drift.iter().map(log).map(f64::exp).collect();
                    Summary {
                        labels: [("system".to_owned(), system.to_owned())].into(),
                        cells: (0..processes).map(|at| format!("{system}/{at}")).collect(),
                        metrics: [("throughput".to_owned(), values)].into(),
                        ..Summary::default()
                    }
                });
                expect::evaluate(claims, &rows, &machine)[0].verdict != Verdict::Undecided
            });
            100.0 * decided.count() as f64 / EXPERIMENTS as f64
        };
        let single = wrong(&once, 3, Differ::Together);
        let [repeated, drifting, own] =
            [Differ::Together, Differ::WithRepetitions, Differ::AsOneCell]
                .map(|differ| wrong(&repeated, 20, differ));
        println!(
            "wrong: {single:.1} % of single looks, {repeated:.1} % of up to five, {drifting:.1} % \
             where whole repetitions are slow, {own:.1} % where each side differs as one cell does"
        );
        // The last takes the most restless cells for all: what is known of the spread beforehand makes light
        // of them.
        for (wrong, most) in [(single, 6.0), (repeated, 6.0), (drifting, 6.0), (own, 9.0)] {
            assert!(wrong <= most, "{wrong:.1} %");
            assert!(wrong > 0.5, "looks that never decide are no looks: {wrong:.1} %");
        }
    }

    /// One process decides about memory, so it must not do that where the next one would say otherwise: every
    /// cell of the reference that several processes measured is held against each of them as the truth.
    #[test]
    fn one_process_decides_about_memory_only_what_others_confirm() {
        let (_, summaries) = reference();
        let claims = expect::read(
            "[[expectation]]\nid = \"small\"\nsource = \"made up\"\nsays = \"it is small\"\n\
             [[expectation.ask]]\non = \"any\"\nexpects = \"at most 1\"\nmetric = \"overhead\"\n\
             where = {}\nselect = { of = { system = \"one\" }, at-most = 1.0 }\n",
        );
        let claims = expect::in_repeated_looks(claims.unwrap());
        let machine = Machine { cores: 2, sockets: 1 };
        let decided = |value: f64| {
            let row = Summary {
                labels: [("system".to_owned(), "one".to_owned())].into(),
                cells: vec!["one/0".to_owned()],
                metrics: [("overhead".to_owned(), vec![value])].into(),
                ..Summary::default()
            };
            expect::evaluate(&claims, &[row], &machine)[0].verdict != Verdict::Undecided
        };
        assert!(decided(1.2) && decided(0.8), "what lies far from the bound is decided");
        let several = |row: &&Summary| row.metrics.get("overhead").is_some_and(|all| all.len() > 1);
        let (mut tried, mut wrong) = (0, 0);
        for values in summaries.iter().filter(several).map(|row| &row.metrics["overhead"]) {
            for (one, other) in values.iter().flat_map(|one| values.iter().map(move |it| (one, it)))
            {
                tried += 1;
                wrong += usize::from(decided(one / other));
            }
        }
        println!("{wrong} of {tried} processes would decide against another");
        assert!(tried > 100 && wrong * 20 <= tried, "{wrong} of {tried}");
    }

    /// How far the processes of one cell lie from their mean, on either side of it.
    fn logs(values: &[f64]) -> Vec<f64> {
        let logs: Vec<f64> = values.iter().map(|value| value.ln()).collect();
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        // The mean of n takes an n-th of the variance with it.
        let spread = (logs.len() as f64 / (logs.len() as f64 - 1.0)).sqrt();
        logs.iter().flat_map(|log| [(log - mean) * spread, (mean - log) * spread]).collect()
    }

    #[test]
    fn machines_are_known_by_cores_and_nodes_with_memory() {
        let facts =
            [("cores", "240"), ("sockets", "1"), ("memory-of-nodes", "node0 1 MiB, node1 1 MiB")];
        let facts = facts.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
        assert_eq!(machine_of(&MachineRecord { facts }), Machine { cores: 240, sockets: 2 });
    }
}
