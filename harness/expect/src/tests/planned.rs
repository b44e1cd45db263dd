//! Files that say what is measured for them, and expectations that vary.

use crate::{Planned, Verdict, evaluate, read, read_planned};
use serde::Deserialize;

use super::made_up::{SMALL, absent, expectation, near, question};

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Size {
    bytes: u64,
}

const HEAD: &str = "seed = 7\n[plan]\nbytes = 64\n";
const TWICE: &str =
    "ratio = { of = { system = \"b\" }, to = { system = [\"a\", \"c\"] }, at-least = 2 }";

fn planned(text: &str) -> Result<Planned<Size, Size>, String> {
    read_planned(&format!("{HEAD}{text}")).map_err(|error| error.to_string())
}

fn with(keys: &str, question: &str) -> String {
    expectation("a-target", &[question]).replace("says =", &format!("{keys}\nsays ="))
}

#[test]
fn each_combination_is_an_expectation_of_its_own() {
    let keys = "vary = { workload = [\"get-100\", \"get-0\"], value-bytes = [64, \"1KiB\"], \
                threads = 2 }\ncells = { bytes = 9 }";
    let Planned { seed, plan, expectations } =
        planned(&with(keys, &question("any", TWICE))).unwrap();
    assert_eq!((seed, plan), (7, Size { bytes: 64 }));
    let ids: Vec<&str> = expectations.iter().map(|(one, _)| one.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "a-target/threads-2-64-B-get-100",
            "a-target/threads-2-64-B-get-0",
            "a-target/threads-2-1KiB-get-100",
            "a-target/threads-2-1KiB-get-0"
        ]
    );
    assert!(expectations.iter().all(|(_, cells)| *cells == Size { bytes: 9 }));
    let place = &expectations[1].0.questions[0].rows.labels;
    assert_eq!(
        (&place["workload"][..], &place["value-bytes"][..]),
        (&["get-0".to_owned()][..], &["64".to_owned()][..])
    );
    let named = "vary = { system = [\"a\", \"b\"] }";
    assert_eq!(
        planned(&with(named, &question("any", TWICE))).unwrap_err(),
        "expectation \"a-target\", question 1: `system` is varied and named by the question too; drop it \
         from one of them"
    );
}

#[test]
fn nothing_that_was_planned_may_be_missing() {
    let text = with("", &question("any", TWICE));
    let planned = planned(&text).unwrap().expectations.remove(0).0;
    let unplanned = read(&text).unwrap().remove(0);
    let dead = absent("c", "", "crashed");
    for (a, claim, target) in
        [(1.0, Verdict::Holds, Verdict::NotTestable), (5.0, Verdict::Fails, Verdict::Fails)]
    {
        let rows = [near("a", "", a), near("b", "", 6.0), dead.clone()];
        let verdict = |one: &crate::Expectation| {
            let answer = evaluate(std::slice::from_ref(one), &rows, &SMALL).remove(0);
            (answer.verdict, answer.reason)
        };
        assert_eq!(verdict(&unplanned).0, claim);
        assert_eq!(verdict(&planned).0, target);
        assert!(verdict(&planned).1.contains("c: crashed"), "{}", verdict(&planned).1);
    }
}

#[test]
fn only_files_that_are_measured_have_a_plan() {
    for text in [
        format!("{HEAD}{}", expectation("a-claim", &[&question("any", TWICE)])),
        with("cells = { bytes = 9 }", &question("any", TWICE)),
    ] {
        let error = read(&text).unwrap_err().to_string();
        assert!(error.contains("are of files that are measured"), "{error}");
    }
    let error = read_planned::<Size, Size>(&with("", &question("any", TWICE))).unwrap_err();
    assert!(error.to_string().contains("it has no table [plan]"), "{error}");
    let error = planned(&with("cells = { byts = 9 }", &question("any", TWICE))).unwrap_err();
    assert!(error.contains("unknown field `byts`"), "{error}");
}
