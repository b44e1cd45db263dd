//! Every short script, and many long ones, crashed at every point.

use kit::testing::Random;

use super::rig::{Do, Plan, run};
use crate::faults::Step;
use crate::rung::Rung;

/// What scripts of rungs with logs are made of: two keys, of which one is put and removed through both
/// logs; each log gleaned alone; a gleaner between the tail and the name.
const WITH_LOGS: &[Do] = &[
    Do::Put(0, 1),
    Do::Put(1, 1),
    Do::Remove(1, 1),
    Do::Put(0, 2),
    Do::Glean(0),
    Do::Glean(1),
    Do::Advance,
];
/// The same for rungs that are the back table alone.
const BACK_ALONE: &[Do] =
    &[Do::Put(0, 1), Do::Put(1, 2), Do::Put(0, 3), Do::Remove(0, 1), Do::Remove(1, 2)];
/// What may come besides: recovery, and steps within steps.
const BESIDES: &[Do] = &[
    Do::Crash(false),
    Do::Crash(true),
    Do::Get(0, 1),
    Do::Remove(0, 2),
    Do::GleanAt(Step::RecordDurable),
    Do::GleanAt(Step::TailDurable),
    Do::GleanAt(Step::Named),
    Do::PutAt(Step::NewestRead, 1),
    Do::RemoveAt(Step::NewestRead, 1),
    Do::RemoveAt(Step::BackRead, 1),
];

fn kept(plan: Plan, script: &[Do]) -> u64 {
    match run(plan, script) {
        Ok(seen) => seen.images,
        Err(violation) => panic!("{}: {violation}\n{script:?}", plan.rung),
    }
}

/// Runs every script of `length` steps. Images are examined within the last step: those of earlier
/// ones belong to shorter scripts.
pub(crate) fn every(alphabet: &[Do], length: usize, mut visit: impl FnMut(&[Do])) {
    let count = alphabet.len().pow(length as u32);
    for number in 0..count {
        let mut rest = number;
        let script: Vec<_> = (0..length)
            .map(|_| {
                let step = alphabet[rest % alphabet.len()];
                rest /= alphabet.len();
                step
            })
            .collect();
        visit(&script);
    }
}

fn all_up_to(rung: Rung, alphabet: &[Do], longest: usize, every_prefix: bool) {
    let (mut scripts, mut images) = (0_u64, 0);
    for length in 1..=longest {
        let plan = Plan { from: length - 1, every_prefix, ..Plan::of(rung) };
        every(alphabet, length, |script| {
            scripts += 1;
            images += kept(plan, script);
        });
    }
    eprintln!("{rung}: {scripts} scripts of up to {longest} steps, {images} images");
}

/// Random scripts, of which the last two steps are examined, and all steps of one in ten.
fn random_scripts(rung: Rung, scripts: u64, seed: u64) {
    let mut random = Random(seed);
    let mut images = 0;
    for number in 0..scripts {
        let length = 7 + random.below(24) as usize;
        let script: Vec<_> = (0..length)
            .map(|_| {
                let many = if rung.has_logs() { WITH_LOGS } else { BACK_ALONE };
                let rare = if rung.has_logs() { BESIDES } else { &BESIDES[..3] };
                let from = if random.below(4) == 0 { rare } else { many };
                from[random.below(from.len() as u64) as usize]
            })
            .filter(|step| rung != Rung::HikvHt || !matches!(step, Do::Crash(_)))
            .collect();
        let from = if number % 10 == 0 { 0 } else { script.len().saturating_sub(2) };
        images += kept(Plan { from, ..Plan::of(rung) }, &script);
    }
    eprintln!("{rung}: {scripts} random scripts from seed {seed}, {images} images");
}

#[test]
fn short_scripts_keep_their_promises() {
    for rung in [Rung::St, Rung::Opt, Rung::Full] {
        all_up_to(rung, WITH_LOGS, 3, false);
    }
    for rung in [Rung::Phash, Rung::HikvHt] {
        all_up_to(rung, BACK_ALONE, 3, true);
    }
}

#[test]
fn random_scripts_keep_their_promises() {
    for rung in Rung::ALL.into_iter().filter(|rung| rung.has_back()) {
        random_scripts(rung, 40, 7);
    }
}

/// Scripts of up to six steps on every rung that differs in the crash model, and all crash points.
#[test]
#[ignore = "minutes: cargo test --release -p baseline-bullet six -- --ignored --nocapture"]
fn scripts_of_six_steps_keep_their_promises() {
    for rung in [Rung::Full, Rung::Opt, Rung::St] {
        all_up_to(rung, WITH_LOGS, 6, false);
    }
    for rung in [Rung::Phash, Rung::HikvHt] {
        all_up_to(rung, BACK_ALONE, 6, true);
    }
}

/// With every prefix of redo entries, and with recoveries and interruptions among the steps.
#[test]
#[ignore = "minutes: cargo test --release -p baseline-bullet besides -- --ignored --nocapture"]
fn scripts_with_all_that_may_come_besides_keep_their_promises() {
    all_up_to(Rung::Full, WITH_LOGS, 4, true);
    let all: Vec<_> = WITH_LOGS.iter().chain(BESIDES).copied().collect();
    for (rung, longest) in [(Rung::Full, 5), (Rung::Opt, 4), (Rung::St, 4)] {
        all_up_to(rung, &all, longest, false);
    }
}

/// So many random scripts as `BULLET_SCRIPTS` says, a million unless it does.
#[test]
#[ignore = "an hour: cargo test --release -p baseline-bullet million -- --ignored --nocapture"]
fn a_million_random_scripts_keep_their_promises() {
    let of = |name: &str, usual| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
    };
    let (scripts, seed) = (of("BULLET_SCRIPTS", 1_000_000), of("BULLET_SEED", 1));
    let rungs: Vec<_> = Rung::ALL.into_iter().filter(|rung| rung.has_back()).collect();
    for &rung in &rungs {
        random_scripts(rung, scripts / rungs.len() as u64, seed);
    }
}
