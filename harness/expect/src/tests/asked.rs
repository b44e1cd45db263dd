//! Which machine is asked what.

use crate::{Answer, Machine, Verdict, evaluate};

use super::made_up::{expectation, expectations, near, question};

const WORD: &str = "select = { of = {}, at-least = 1 }";

fn answers(questions: &[&str], cores: usize, sockets: usize) -> Vec<Answer> {
    let expectations = expectations(&expectation("a-claim", questions));
    evaluate(&expectations, &[near("nibble", "", 2.0)], &Machine { cores, sockets })
}

fn large(needs: &str) -> String {
    question("large", &format!("needs = {{ {needs} }}\n{WORD}"))
}

#[test]
fn a_large_ask_needs_what_it_says() {
    let of = |needs: &str, cores, sockets| {
        let answer = answers(&[&large(needs)], cores, sockets).remove(0);
        (answer.verdict, answer.reason)
    };
    let not = |reason: &str| (Verdict::NotTestable, reason.to_owned());
    assert_eq!(of("cores = 16", 2, 1), not("needs 16 cores, this machine has 2"));
    assert_eq!(of("sockets = 2", 16, 1), not("needs 2 sockets, this machine has 1"));
    assert_eq!(
        of("cores = 16, sockets = 2", 2, 1),
        not("needs 16 cores and 2 sockets, this machine has 2 and 1")
    );
    assert_eq!(of("cores = 16, sockets = 2", 16, 2).0, Verdict::Holds);
}

#[test]
fn a_small_ask_stands_in_for_a_large_one() {
    let questions = [large("cores = 16"), question("small", WORD), question("any", WORD)];
    let questions: Vec<&str> = questions.iter().map(String::as_str).collect();
    let verdicts = |cores| -> Vec<Verdict> {
        answers(&questions, cores, 1).iter().map(|answer| answer.verdict).collect()
    };
    use Verdict::{Holds, NotTestable};
    assert_eq!(verdicts(2), [NotTestable, Holds, Holds]);
    assert_eq!(verdicts(16), [Holds, NotTestable, Holds]);
    assert_eq!(answers(&questions, 16, 1)[1].reason, "not asked here: the machine is large");
    let alone = answers(&[&question("small", WORD)], 64, 8);
    assert_eq!(alone[0].verdict, Holds, "no large question says what is large");
    let two = [large("cores = 4"), large("cores = 16"), question("small", WORD)];
    let two: Vec<&str> = two.iter().map(String::as_str).collect();
    assert_eq!(answers(&two, 8, 1)[2].verdict, Holds, "one of the large ones is not asked");
}

#[test]
fn answers_are_in_the_order_of_the_file() {
    let text = expectation("second", &[&question("any", WORD), &question("small", WORD)])
        + &expectation("first", &[&question("any", WORD)]);
    let machine = Machine { cores: 1, sockets: 1 };
    let answers = evaluate(&expectations(&text), &[near("nibble", "", 2.0)], &machine);
    let order: Vec<(&str, usize)> =
        answers.iter().map(|answer| (answer.id.as_str(), answer.question)).collect();
    assert_eq!(order, [("second", 1), ("second", 2), ("first", 1)]);
    assert!(
        answers
            .iter()
            .all(|answer| answer.says == "it is so" && answer.source == "A paper, Fig. 1")
    );
}
