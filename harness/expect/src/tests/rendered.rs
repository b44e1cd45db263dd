//! Answers on a terminal and as Markdown.

use crate::{Answer, evaluate, render};

use super::made_up::{SMALL, expectation, expectations, near, question};

fn answers() -> Vec<Answer> {
    let of = "of = { system = \"nibble\" }";
    let text = expectation(
        "fig1-fast",
        &[
            &question("any", &format!("select = {{ {of}, at-least = 1000000 }}")),
            &question(
                "large",
                &format!("needs = {{ cores = 16 }}\nselect = {{ {of}, at-least = 1 }}"),
            ),
        ],
    ) + &expectation(
        "fig2-faster-than-rivals",
        &[&question(
            "any",
            &format!("ratio = {{ {of}, to = {{ system = \"mica\" }}, at-least = 3 }}"),
        )],
    )
    .replace("it is so", "A | B @you <b>");
    let rows = [near("nibble", "", 2e6), near("mica", "", 1e6)];
    evaluate(&expectations(&text), &rows, &SMALL)
}

#[test]
fn a_terminal_gets_aligned_columns_and_counts() {
    let text = render::text(&answers());
    assert_eq!(
        text.matches("\u{1b}[3").count(),
        2,
        "what holds and what fails has a colour: {text}"
    );
    assert_eq!(
        anstream::adapter::strip_str(&text).to_string(),
        "\
3 answers: 1 holds, 1 fails, 1 not testable

claim                        preset  source           on     verdict       measured
fig1-fast (1)                –       A paper, Fig. 1  any    holds         nibble: 2.00 Mops/s (2.00 … 2.00), expected ≥ 1.00 Mops/s
fig1-fast (2)                –       A paper, Fig. 1  large  not testable  needs 16 cores, this machine has 2
fig2-faster-than-rivals (1)  –       A paper, Fig. 1  any    fails         nibble ÷ mica: 2.00× (2.00 … 2.00), expected ≥ 3.00×
"
    );
}

#[test]
fn markdown_has_no_empty_field_and_no_markup_of_others() {
    let page = render::markdown(&answers());
    let lines: Vec<&str> = page.lines().collect();
    assert_eq!(lines.len(), 2 + 3 + 2);
    for line in &lines[..5] {
        let fields: Vec<&str> = line.trim_matches('|').split('|').collect();
        assert_eq!(fields.len(), 8, "{line}");
        assert!(fields.iter().all(|field| !field.trim().is_empty()), "{line}");
    }
    assert!(lines[2].contains("<code>fig1-fast</code> (1)") && lines[2].contains("**holds**"));
    assert!(lines[2].contains("2.00 Mops/s (2.00 … 2.00), expected ≥ 1.00 Mops/s"));
    assert!(!page.contains("<b>") && !page.contains("@you"));
    assert_eq!(lines[6], "3 answers: 1 holds, 1 fails, 1 not testable");
}

#[test]
fn nothing_asked_is_said() {
    assert!(render::text(&[]).starts_with("0 answers: nothing\n"));
    assert!(render::markdown(&[]).ends_with("0 answers: nothing\n"));
}

#[test]
fn a_list_has_every_number_that_a_question_asks_with_its_presets() {
    let head =
        "[presets]\nengine = \"nibble\"\nnames = [\"paper\", \"best\"]\ndefault = \"best\"\n";
    let of = "of = { system = \"nibble\" }";
    let large = format!("needs = {{ cores = 16 }}\nselect = {{ {of}, at-least = 1000000 }}");
    let ratio = format!("ratio = {{ {of}, to = {{ system = [\"a\", \"b\"] }}, at-most = 0.5 }}");
    let text = expectation("fast", &[&question("any", &ratio), &question("large", &large)]);
    let listed = render::listed(&expectations(&(head.to_owned() + &text)));
    assert_eq!(listed[0].questions[1].presets, ["paper", "best"]);
    assert_eq!(
        render::list(&listed),
        "\
fast
  source   A paper, Fig. 1
  says     it is so
  figure   none
  question 1
    machines any
    expects  that it is so
    bound    throughput of `of` ÷ `to`: ≤ 0.500×
    where    family = key-value
    of       system = nibble
    to       system = a or b
    presets  paper, best
  question 2
    machines large: at least 16 cores
    expects  that it is so
    bound    throughput of each: ≥ 1.00 Mops/s
    where    family = key-value
    of       system = nibble
    presets  paper, best
"
    );
}
