//! Files that are read, and what is said of those that are not.

use crate::{Mistake, On, ReadError, Relation, read};

use super::made_up::{expectation, expectations, file, question};

/// What is said of a file.
fn error(text: &str) -> ReadError {
    read(text).expect_err(text)
}

/// What is said of a file whose only question says `word`; it names the claim and the question.
fn mistake(word: &str) -> (Mistake, String) {
    let error = error(&file(word));
    let said = error.to_string();
    assert!(said.starts_with("expectation \"a-claim\", question 1: "), "{said}");
    match error {
        ReadError::Question { mistake, .. } => (mistake, said),
        other => panic!("{other}"),
    }
}

const GOOD: &str = "select = { of = { system = \"nibble\" }, at-most = 1.1 }";

#[test]
fn every_word_is_read() {
    let of = "of = { system = \"nibble\" }";
    let to = "to = { engine = [\"mica\", \"redis\"] }";
    let text = expectation(
        "fig8a-epoch",
        &[
            &question(
                "any",
                "select = { of = { system = \"nibble\" }, at-least = 1, at-most = 1.1 }",
            ),
            &question("small", &format!("ratio = {{ {of}, {to}, at-least = 1.5 }}")),
            &question(
                "large",
                &format!(
                    "needs = {{ cores = 16, sockets = 2 }}\nmonotone = {{ {of}, along = \
                     \"value-bytes\", from = 64, to = \"4KiB\", moves = \"falls\" }}"
                ),
            ),
            &question(
                "any",
                &format!(
                    "crossover = {{ {of}, {to}, along = \"fill-percent\", between = [50, 80] }}"
                ),
            ),
        ],
    );
    let expectations = expectations(&text.replace("says =", "figure = \"components\"\nsays ="));
    let expectation = &expectations[0];
    assert_eq!(expectation.figure.as_deref(), Some("components"));
    let questions = &expectation.questions;
    assert_eq!(
        questions.iter().map(|question| question.on).collect::<Vec<_>>()[..3],
        [On::Any, On::Small, On::Large]
    );
    assert_eq!((questions[2].needs.cores, questions[2].needs.sockets), (16, 2));
    assert!(matches!(&questions[0].relation, Relation::Select { bounds, .. }
        if (bounds.at_least, bounds.at_most) == (Some(1.0), Some(1.1))));
    assert!(matches!(&questions[1].relation, Relation::Ratio { to, .. }
        if to.labels["engine"] == ["mica", "redis"]));
    assert!(matches!(
        &questions[2].relation,
        Relation::Monotone { span: [64.0, 4096.0], by: 1.0, .. }
    ));
    assert!(matches!(&questions[3].relation, Relation::Crossover { between: [50.0, 80.0], .. }));
}

#[test]
fn values_of_labels_are_what_rows_write() {
    let word = "select = { of = { threads = 2, resident = true, set.update = \"in-place\", \
                \"set.heads\" = [1, 4] }, at-most = 1 }";
    let expectations = expectations(&file(word));
    let Relation::Select { of, .. } = &expectations[0].questions[0].relation else { panic!() };
    let found: Vec<(&str, Vec<&str>)> = of
        .labels
        .iter()
        .map(|(label, values)| (label.as_str(), values.iter().map(String::as_str).collect()))
        .collect();
    assert_eq!(
        found,
        [
            ("resident", vec!["true"]),
            ("set.heads", vec!["1", "4"]),
            ("set.update", vec!["in-place"]),
            ("threads", vec!["2"])
        ]
    );
}

#[test]
fn a_claim_has_a_name_of_its_own_and_says_something() {
    let twice = expectation("twin", &[&question("any", GOOD)]).repeat(2);
    assert_eq!(error(&twice), ReadError::Duplicate { id: "twin".to_owned() });
    assert!(error(&twice).to_string().contains("\"twin\" is there twice; rename one"));
    let named = error(&expectation("Fig 8a", &[&question("any", GOOD)])).to_string();
    assert_eq!(
        named,
        "expectation \"Fig 8a\": an id is lower-case words joined by `-`, as in \"fig8a-epoch\""
    );
    for (key, value) in [("source", "A paper, Fig. 1"), ("says", "it is so")] {
        let text = file(GOOD).replace(value, "  ");
        assert_eq!(
            error(&text).to_string(),
            format!("expectation \"a-claim\": `{key}` is empty; say it in a few words")
        );
    }
    let text = file(GOOD).replace("that it is so", "");
    assert_eq!(
        error(&text).to_string(),
        "expectation \"a-claim\", question 1: `expects` is empty; say it in a few words"
    );
    assert_eq!(
        error(&expectation("a-claim", &[])).to_string(),
        "expectation \"a-claim\" has no question; add an [[expectation.ask]]"
    );
}

#[test]
fn an_ask_has_one_word() {
    let (found, said) = mistake("");
    assert_eq!(found, Mistake::Words { found: Vec::new() });
    assert!(said.contains("add one of `select`, `ratio`, `monotone` and `crossover`"));
    let (found, said) =
        mistake(&format!("{GOOD}\nratio = {{ of = {{}}, to = {{}}, at-least = 1 }}"));
    assert_eq!(found, Mistake::Words { found: vec!["select", "ratio"] });
    assert!(said.contains("`select` and `ratio` together; a question has one relation"));
}

#[test]
fn bounds_are_there_and_possible() {
    let (found, said) = mistake("select = { of = {} }");
    assert_eq!(found, Mistake::NoBound { word: "select" });
    assert!(said.contains("add `at-least`, `at-most` or both"));
    assert_eq!(mistake("ratio = { of = {}, to = {} }").0, Mistake::NoBound { word: "ratio" });
    let (found, said) = mistake("select = { of = {}, at-least = 2, at-most = 1.5 }");
    assert_eq!(found, Mistake::Crossed { low: 2.0, high: 1.5 });
    assert!(said.contains("the lower bound 2 is above the upper bound 1.5; swap them or drop one"));
    assert_eq!(
        mistake("ratio = { of = {}, to = {}, at-least = 1, below = 2 }").0,
        Mistake::MixedBounds
    );
    assert_eq!(
        mistake("select = { of = {}, above = 2, margin = 1 }").0,
        Mistake::Margin { margin: 1.0 }
    );
    let (found, said) = mistake("select = { of = {}, worst = true, at-least = 1, at-most = 2 }");
    assert_eq!(found, Mistake::WorstOfTwo);
    assert!(said.contains("`worst` needs one bound"));
    assert!(mistake("select = { of = {}, at-most = -1 }").1.contains("`at-most = -1`"));
    assert!(mistake("select = { of = {}, at-least = nan }").1.contains("`at-least = NaN`"));
}

#[test]
fn movements_and_crossings_are_possible() {
    let monotone = |rest: &str| {
        mistake(&format!("monotone = {{ of = {{}}, along = \"fill-percent\", {rest} }}"))
    };
    let (found, said) = monotone("from = 50, to = 90, moves = \"flat\"");
    assert_eq!(found, Mistake::NoBy);
    assert!(said.contains("as in `by = 1.1`"));
    assert!(monotone("from = 50, to = 90, moves = \"falls\", by = 0.8").1.contains("`by = 0.8`"));
    assert_eq!(
        monotone("from = 90, to = 50, moves = \"falls\"").0,
        Mistake::Span { first: 90.0, last: 50.0 }
    );
    assert!(
        monotone("from = \"low\", to = 50, moves = \"falls\"")
            .1
            .contains("`from = \"low\"` is no place")
    );
    let crossover = |of: &str, between: &str| {
        mistake(&format!(
            "crossover = {{ of = {{ {of} }}, to = {{}}, along = \"fill-percent\", between = {between} }}"
        ))
    };
    assert_eq!(crossover("", "[80, 80]").0, Mistake::Span { first: 80.0, last: 80.0 });
    let (found, said) = crossover("fill-percent = 50", "[50, 80]");
    assert_eq!(found, Mistake::AlongFixed { along: "fill-percent".to_owned() });
    assert!(said.contains("`fill-percent` is both what `along` names"));
}

#[test]
fn needs_are_of_large_machines() {
    let needs = format!("needs = {{ cores = 16 }}\n{GOOD}");
    for on in ["any", "small"] {
        let error = error(&expectation("a-claim", &[&question(on, &needs)])).to_string();
        assert!(error.contains(&format!("`needs` of a question on \"{on}\"; drop it")), "{error}");
    }
    let error = error(&expectation("a-claim", &[&question("large", GOOD)])).to_string();
    assert!(error.contains("on \"large\" without `needs`"), "{error}");
}

#[test]
fn names_are_known() {
    let (found, said) = mistake("select = { of = { sistem = \"nibble\" }, at-most = 1 }");
    assert_eq!(found, Mistake::Label { name: "sistem".to_owned() });
    assert!(
        said.contains("no row has a label `sistem`; labels are ageing, arrivals, ")
            && said.ends_with("and set.NAME")
    );
    assert_eq!(
        mistake("select = { of = { set = \"x\" }, at-most = 1 }").0,
        Mistake::Label { name: "set".to_owned() }
    );
    assert!(matches!(
        mistake("monotone = { of = {}, along = \"fil\", from = 1, to = 2, moves = \"rises\" }").0,
        Mistake::Label { .. }
    ));
    let error = error(&file(GOOD).replace("\"throughput\"", "\"throughputs\"")).to_string();
    assert!(
        error.contains("no row has a metric `throughputs`; metrics are throughput, "),
        "{error}"
    );
    let (_, said) = mistake("select = { of = { threads = [] }, at-most = 1 }");
    assert!(said.contains("`threads = []`: say a text, a number, true or false, or a list"));
    assert!(mistake("select = { of = { keys = \"\" }, at-most = 1 }").1.contains("`keys = \"\"`"));
}

#[test]
fn unknown_keys_are_errors_with_their_line() {
    for (text, key) in [
        (file(GOOD).replace("says =", "sais ="), "sais"),
        (file(GOOD).replace("at-most", "atmost"), "atmost"),
        (file(GOOD).replace("on = \"any\"", "on = \"tiny\""), "tiny"),
        (file(&format!("need = 1\n{GOOD}")), "need"),
    ] {
        let error = error(&text);
        assert!(matches!(&error, ReadError::Toml(said) if said.contains(key)), "{error}");
        assert!(error.to_string().contains("line "), "{error}");
    }
}

#[test]
fn a_file_without_claims_is_refused() {
    let said = error("expectation = []").to_string();
    assert!(said.contains("it has no expectation: write an [[expectation]] table"), "{said}");
}
