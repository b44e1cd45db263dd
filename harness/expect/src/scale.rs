//! Questions that small runs are not asked, because they are not likely to decide them.

use crate::Expectation;

/// The same questions, put to a run of `scale`: those of a larger one of `scales`, which are in their
/// order, are left to it. A run of none of these scales is asked everything.
#[must_use]
pub fn at_scale(
    mut expectations: Vec<Expectation>,
    scale: &str,
    scales: &[&str],
) -> Vec<Expectation> {
    let place = |name: &str| scales.iter().position(|known| *known == name);
    let Some(own) = place(scale) else { return expectations };
    for question in expectations.iter_mut().flat_map(|one| &mut one.questions) {
        let from = question.from_scale.as_deref();
        let larger = from.filter(|from| place(from).is_some_and(|from| from > own));
        question.left = larger
            .map(|from| format!("asked from scale {from} on: fewer processes do not decide it"));
    }
    expectations
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::made_up::{SMALL, expectation, expectations, near, question};
    use crate::{Verdict, evaluate};

    #[test]
    fn a_question_is_left_to_its_scale() {
        let left = question("any", "from-scale = \"large\"\nselect = { of = {}, at-least = 1 }");
        let asked = question("any", "select = { of = {}, at-least = 1 }");
        let all = expectations(&expectation("a-claim", &[&left, &asked]));
        let verdicts = |scale: &str| -> Vec<(Verdict, String)> {
            let all = at_scale(all.clone(), scale, &["small", "large"]);
            let answers = evaluate(&all, &[near("nibble", "", 2.0)], &SMALL);
            answers.into_iter().map(|answer| (answer.verdict, answer.reason)).collect()
        };
        let small = verdicts("small");
        assert_eq!(small[0].0, Verdict::NotTestable);
        assert_eq!(small[0].1, "asked from scale large on: fewer processes do not decide it");
        assert_eq!(small[1].0, Verdict::Holds);
        for scale in ["large", "my own"] {
            assert!(verdicts(scale).iter().all(|one| one.0 == Verdict::Holds), "{scale}");
        }
    }
}
