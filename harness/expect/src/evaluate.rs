//! Answers every question of every expectation.

use std::collections::BTreeMap;

use crate::answer::{Answer, Machine};
use crate::crossover::judge_crossover;
use crate::judged::Judging;
use crate::monotone::{Movement, judge_monotone};
use crate::ratio::{judge_ratio, judge_select};
use crate::{Expectation, Needs, On, Question, Relation, Summary};

/// An answer for each question, in the order of the file.
#[must_use]
pub fn evaluate(expectations: &[Expectation], rows: &[Summary], machine: &Machine) -> Vec<Answer> {
    let questions =
        expectations.iter().flat_map(|one| (0..one.questions.len()).map(move |at| (one, at)));
    questions
        .map(|(expectation, at)| match not_asked(expectation, at, machine) {
            Some(reason) => Answer::new(expectation, at, Err(reason)),
            None => answer(expectation, at, rows),
        })
        .collect()
}

impl Expectation {
    /// Whether a question that is put to `machine` selects rows with these labels, whatever their step.
    #[must_use]
    pub fn selects(&self, labels: &BTreeMap<String, String>, machine: &Machine) -> bool {
        let asked = |at: &usize| not_asked(self, *at, machine).is_none();
        (0..self.questions.len()).filter(asked).any(|at| self.questions[at].selects(labels))
    }
}

/// The answer to one question, whatever the machine.
pub(crate) fn answer(expectation: &Expectation, at: usize, rows: &[Summary]) -> Answer {
    Answer::new(expectation, at, judge(&expectation.questions[at], rows))
}

/// Why the question is not put to this machine, or not to a run of this scale.
pub(crate) fn not_asked(expectation: &Expectation, at: usize, machine: &Machine) -> Option<String> {
    not_put_to(expectation, at, machine).or_else(|| expectation.questions[at].left.clone())
}

fn not_put_to(expectation: &Expectation, at: usize, machine: &Machine) -> Option<String> {
    let questions = &expectation.questions;
    match questions[at].on {
        On::Any => None,
        On::Large => lacking(questions[at].needs, machine),
        On::Small => {
            let mut large = questions.iter().filter(|question| question.on == On::Large).peekable();
            let is_large = large.peek().is_some()
                && large.all(|question| lacking(question.needs, machine).is_none());
            is_large.then(|| "not asked here: the machine is large".to_owned())
        }
    }
}

/// What `machine` lacks.
fn lacking(needs: Needs, machine: &Machine) -> Option<String> {
    if let Some(kernel) = needs.kernel {
        return Some(format!("needs {}, which no stock kernel does", kernel.words()));
    }
    let lack = |needed: usize, has: usize, name: &str| {
        let s = if needed == 1 { "" } else { "s" };
        (has < needed).then(|| (format!("{needed} {name}{s}"), has))
    };
    let cores = lack(needs.cores, machine.cores, "core");
    let sockets = lack(needs.sockets, machine.sockets, "socket");
    match (cores, sockets) {
        (None, None) => None,
        (Some((needed, has)), None) | (None, Some((needed, has))) => {
            Some(format!("needs {needed}, this machine has {has}"))
        }
        (Some((cores, has_cores)), Some((sockets, has_sockets))) => Some(format!(
            "needs {cores} and {sockets}, this machine has {has_cores} and {has_sockets}"
        )),
    }
}

fn judge<'a>(question: &Question, rows: &'a [Summary]) -> Result<Judging<'a>, String> {
    match &question.relation {
        Relation::Select { of, bounds, worst } => judge_select(question, of, *bounds, *worst, rows),
        Relation::Ratio { of, to, bounds } => judge_ratio(question, of, to, *bounds, rows),
        Relation::Monotone { of, along, span, moves, by } => {
            let movement = Movement { along, span: *span, moves: *moves, by: *by };
            judge_monotone(question, of, movement, rows)
        }
        Relation::Crossover { of, to, along, between } => {
            judge_crossover(question, [of, to], along, *between, rows)
        }
    }
}
