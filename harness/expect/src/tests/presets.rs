//! Questions about an engine with presets, put to each of them.

use crate::{Answer, Verdict, evaluate, read};

use super::made_up::{SMALL, compared, expectation, expectations, near, question};

const HEAD: &str =
    "[presets]\nengine = \"nibble\"\nnames = [\"paper\", \"best\"]\ndefault = \"best\"\n";
const TWICE: &str =
    "ratio = { of = { system = \"nibble\" }, to = { system = \"mica\" }, at-least = 2 }";

fn answers(word: &str) -> Vec<Answer> {
    let text = format!("{HEAD}{}", expectation("a-claim", &[&question("any", word)]));
    let rows = [
        near("nibble", "", 9.0),
        near("nibble@preset=paper", "", 3.0),
        near("nibble@preset=paper@update=in-place", "", 1.0),
        near("nibble@update=in-place", "", 8.0),
        near("mica@preset=paper", "", 5.0),
        near("mica", "", 2.0),
    ];
    evaluate(&expectations(&text), &rows, &SMALL)
}

fn told(word: &str) -> Vec<(Option<String>, Verdict, Vec<String>)> {
    let told = |answer: Answer| {
        let compared = compared(&answer).into_iter().map(str::to_owned).collect();
        assert_eq!(answer.question, 1);
        (answer.preset, answer.verdict, compared)
    };
    answers(word).into_iter().map(told).collect()
}

#[test]
fn each_preset_answers_by_its_own_rows() {
    let told = told(TWICE);
    let expected = [
        ("paper", Verdict::Fails, "nibble@preset=paper ÷ mica"),
        ("best", Verdict::Holds, "nibble ÷ mica"),
    ]
    .map(|(preset, verdict, text)| (Some(preset.to_owned()), verdict, vec![text.to_owned()]));
    assert_eq!(told, expected);
}

#[test]
fn settings_beside_the_preset_are_named_as_without_it() {
    let told = told("select = { of = { system = \"nibble@update=in-place\" }, at-least = 2 }");
    assert_eq!(told[0].2, ["nibble@preset=paper@update=in-place"]);
    assert_eq!(told[1].2, ["nibble@update=in-place"]);
}

#[test]
fn what_a_preset_implies_is_in_no_name() {
    let implies = "implies = { paper = \"update=append\", best = \"update=in-place\" }\n";
    let asked = |word: &str| {
        let question = question("any", word);
        let text = format!("{HEAD}{implies}{}", expectation("a-claim", &[&question]));
        let rows = ["nibble", "nibble@update=append", "nibble@preset=paper"]
            .map(|system| near(system, "", 1.0));
        let paper_in_place = near("nibble@preset=paper@update=in-place", "", 1.0);
        let rows: Vec<_> = rows.into_iter().chain([paper_in_place]).collect();
        evaluate(&expectations(&text), &rows, &SMALL)
            .iter()
            .map(|answer| compared(answer)[0].to_owned())
            .collect::<Vec<_>>()
    };
    let word = "ratio = { of = { system = \"nibble@update=in-place\" }, \
                to = { system = \"nibble@update=append\" }, at-least = 1 }";
    assert_eq!(
        asked(word),
        [
            "nibble@preset=paper@update=in-place ÷ nibble@preset=paper",
            "nibble ÷ nibble@update=append"
        ]
    );
}

#[test]
fn an_engine_is_of_one_preset_and_others_of_any() {
    let engine = told("select = { of = { engine = \"nibble\" }, at-least = 2 }");
    assert_eq!(engine.iter().map(|one| one.2.len()).collect::<Vec<_>>(), [2, 2]);
    let other = told("select = { of = { engine = \"mica\" }, at-least = 2 }");
    assert_eq!((other.len(), &other[0].0), (1, &None));
    assert_eq!(other[0].2, ["mica@preset=paper", "mica"]);
}

#[test]
fn a_question_may_be_put_to_some_presets_or_to_none() {
    let one = told(&format!("presets = [\"paper\"]\n{TWICE}"));
    assert_eq!(one.iter().map(|one| one.0.as_deref()).collect::<Vec<_>>(), [Some("paper")]);
    let none = told("presets = []\nselect = { of = { engine = \"nibble\" }, at-least = 2 }");
    assert_eq!((none.len(), none[0].2.len()), (1, 4));
}

#[test]
fn a_preset_that_was_not_measured_is_said() {
    let text = format!("{HEAD}{}", expectation("a-claim", &[&question("any", TWICE)]));
    let rows = [near("nibble", "", 9.0), near("mica", "", 2.0)];
    let answers = evaluate(&expectations(&text), &rows, &SMALL);
    assert_eq!(answers[0].verdict, Verdict::NotTestable);
    assert_eq!(
        answers[0].reason,
        "not measured in this run: no row (preset paper of nibble) of `where` has those of `of`: \
         system = nibble"
    );
}

#[test]
fn presets_that_cannot_be_asked_are_refused() {
    let refused = |head: &str, word: &str| {
        let text = format!("{head}{}", expectation("a-claim", &[&question("any", word)]));
        read(&text).unwrap_err().to_string()
    };
    let unknown = refused(HEAD, &format!("presets = [\"papers\"]\n{TWICE}"));
    assert!(unknown.contains("unknown preset `papers`: did you mean paper"), "{unknown}");
    let other = refused(
        HEAD,
        "presets = [\"best\"]\nselect = { of = { system = \"mica\" }, at-least = 2 }",
    );
    assert!(other.contains("names no engine with presets"), "{other}");
    let default = refused(&HEAD.replace("= \"best\"\n", "= \"fast\"\n"), TWICE);
    assert!(default.contains("the default `fast` is none of its names: paper, best"), "{default}");
    let implies = refused(&format!("{HEAD}implies = {{ fast = \"heads=1\" }}\n"), TWICE);
    assert!(implies.contains("a setting, `fast` is none of its names: paper, best"), "{implies}");
}
