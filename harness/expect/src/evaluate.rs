//! Every ask of every expectation, answered.

use crate::answer::{Answer, Machine};
use crate::crossover::judge_crossover;
use crate::judged::Judging;
use crate::monotone::{Movement, judge_monotone};
use crate::ratio::{judge_ratio, judge_select};
use crate::{Ask, Expectation, Needs, On, Relation, Summary};

/// An answer for each ask, in the order of the file.
#[must_use]
pub fn evaluate(expectations: &[Expectation], rows: &[Summary], machine: &Machine) -> Vec<Answer> {
    let asks = expectations.iter().flat_map(|one| (0..one.asks.len()).map(move |at| (one, at)));
    asks.map(|(expectation, at)| match not_asked(expectation, at, machine) {
        Some(reason) => Answer::new(expectation, at, Err(reason)),
        None => answer(expectation, at, rows),
    })
    .collect()
}

/// The answer to one ask, whatever the machine.
pub(crate) fn answer(expectation: &Expectation, at: usize, rows: &[Summary]) -> Answer {
    Answer::new(expectation, at, judge(&expectation.asks[at], rows))
}

/// Why this machine is not asked.
pub(crate) fn not_asked(expectation: &Expectation, at: usize, machine: &Machine) -> Option<String> {
    let asks = &expectation.asks;
    match asks[at].on {
        On::Any => None,
        On::Large => lacking(asks[at].needs, machine),
        On::Small => {
            let mut large = asks.iter().filter(|ask| ask.on == On::Large).peekable();
            let is_large =
                large.peek().is_some() && large.all(|ask| lacking(ask.needs, machine).is_none());
            is_large.then(|| "not asked here: the machine is large".to_owned())
        }
    }
}

/// What `machine` has too little of.
fn lacking(needs: Needs, machine: &Machine) -> Option<String> {
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

fn judge<'a>(ask: &Ask, rows: &'a [Summary]) -> Result<Judging<'a>, String> {
    match &ask.relation {
        Relation::Select { of, bounds, worst } => judge_select(ask, of, *bounds, *worst, rows),
        Relation::Ratio { of, to, bounds } => judge_ratio(ask, of, to, *bounds, rows),
        Relation::Monotone { of, along, span, moves, by } => {
            let movement = Movement { along, span: *span, moves: *moves, by: *by };
            judge_monotone(ask, of, movement, rows)
        }
        Relation::Crossover { of, to, along, between } => {
            judge_crossover(ask, [of, to], along, *between, rows)
        }
    }
}
