//! Runs scripts against a table of sizes, as a caller would.

use super::*;
use crate::chi_square::Fit;
use crate::fragmentation::all;

const CAP: u64 = 4 << 20;

#[derive(Debug, Default, PartialEq)]
struct Done {
    allocations: Vec<usize>,
    victims: Vec<usize>,
    live_objects_before: usize,
    live_objects_peak: usize,
    live_bytes_after: u64,
}

/// Runs all phases against `room` bytes of memory; checks the counters after every action.
fn run(script: &mut PhaseScript, cap_bytes: u64, room: u64) -> Vec<(Phase, Done)> {
    let mut live: Vec<usize> = Vec::new();
    let mut phases = Vec::new();
    while let Some(Step { phase, .. }) = script.step() {
        let mut done = Done { live_objects_before: live.len(), ..Done::default() };
        loop {
            match script.next_action() {
                Action::Allocate { bytes } if script.live_bytes() > room => {
                    assert!(bytes > 0);
                    script.refused();
                }
                Action::Allocate { bytes } => {
                    live.push(bytes);
                    done.allocations.push(bytes);
                }
                Action::Delete { victim } => {
                    script.deleted(live.swap_remove(victim));
                    done.victims.push(victim);
                }
                Action::EndOfPhase => break,
            }
            done.live_objects_peak = done.live_objects_peak.max(live.len());
            assert!(script.live_bytes() <= cap_bytes);
            assert_eq!(script.live_objects(), live.len() as u64);
        }
        assert_eq!(script.live_bytes(), live.iter().sum::<usize>() as u64);
        done.live_bytes_after = script.live_bytes();
        phases.push((phase, done));
    }
    assert_eq!(script.next_action(), Action::EndOfPhase, "the end stays the end");
    phases
}

fn script(pattern: &Pattern, limit: Limit) -> PhaseScript {
    PhaseScript::new(pattern, limit, Seed(42)).unwrap()
}

fn run_at_cap(pattern: &Pattern) -> Vec<(Phase, Done)> {
    run(&mut script(pattern, Limit::LiveBytes(CAP)), CAP, u64::MAX)
}

fn sum(sizes: &[usize]) -> u64 {
    sizes.iter().sum::<usize>() as u64
}

#[test]
fn phases_come_in_order() {
    for pattern in all() {
        let phases: Vec<Phase> = run_at_cap(&pattern).into_iter().map(|(phase, _)| phase).collect();
        match pattern.second {
            Some(_) => assert_eq!(phases, [Phase::Fill, Phase::Delete, Phase::Refill]),
            None => assert_eq!(phases, [Phase::Fill]),
        }
    }
}

#[test]
fn fillings_reach_the_cap_and_allocate_the_volume() {
    for pattern in all() {
        let bytes_max = pattern.object_bytes_max() as u64;
        for (phase, done) in run_at_cap(&pattern) {
            if phase == Phase::Delete {
                continue;
            }
            assert!(done.live_bytes_after > CAP - 2 * bytes_max, "{} {phase:?}", pattern.name);
            let allocated = sum(&done.allocations);
            match pattern.volume {
                Volume::Fill => assert!(done.victims.is_empty()),
                Volume::Multiple(_) => {
                    assert!(!done.victims.is_empty());
                    assert!((5 * CAP..5 * CAP + bytes_max).contains(&allocated), "{allocated}");
                }
            }
        }
    }
}

#[test]
fn sizes_are_those_of_the_phase() {
    for pattern in all() {
        for (phase, done) in run_at_cap(&pattern) {
            let filled = phase == Phase::Fill;
            let sizes = if filled { Some(&pattern.first) } else { pattern.second.as_ref() };
            let sizes = sizes.unwrap();
            let range = sizes.min()..=sizes.max();
            assert!(done.allocations.iter().all(|bytes| range.contains(bytes)));
        }
    }
}

#[test]
fn exactly_the_fraction_is_deleted() {
    for pattern in all() {
        for (phase, done) in run_at_cap(&pattern) {
            if phase == Phase::Delete {
                let objects = done.live_objects_before as f64;
                let expected = (objects * pattern.delete_fraction).round() as usize;
                assert_eq!(done.victims.len(), expected, "{}", pattern.name);
                assert!(done.allocations.is_empty());
            }
        }
    }
}

#[test]
fn victims_are_uniform() {
    let pattern = Pattern::by_name("W3").unwrap();
    for (phase, _) in run_at_cap(&pattern) {
        // Each victim's relative position in the table at the time of its deletion, in 100 bins.
        let mut script = script(&pattern, Limit::LiveBytes(CAP));
        let mut live = Vec::new();
        let mut bins = [0; 100];
        while let Some(Step { phase: current, .. }) = script.step() {
            loop {
                match script.next_action() {
                    Action::Allocate { bytes } => live.push(bytes),
                    Action::Delete { victim } => {
                        if current == phase && live.len() > 1000 {
                            bins[victim * 100 / live.len()] += 1;
                        }
                        script.deleted(live.swap_remove(victim));
                    }
                    Action::EndOfPhase => break,
                }
            }
        }
        let fit = Fit::uniform(&bins);
        assert!(fit.is_good(), "{phase:?}: {fit:?}");
    }
}

#[test]
fn survivors_are_uniform_over_the_order_of_allocation() {
    // Each object remembers its rank; half of the objects survive the delete phase.
    let pattern = Pattern { delete_fraction: 0.5, ..Pattern::by_name("P1").unwrap() };
    let mut script = script(&pattern, Limit::LiveBytes(CAP));
    let mut live: Vec<usize> = Vec::new();
    while script.step().map(|step| step.phase) != Some(Phase::Refill) {
        match script.next_action() {
            Action::Allocate { .. } => live.push(live.len()),
            Action::Delete { victim } => {
                live.swap_remove(victim);
                script.deleted(60);
            }
            Action::EndOfPhase => {}
        }
    }
    let mut bins = [0; 64];
    let objects = CAP as usize / 60;
    live.iter().for_each(|rank| bins[rank * 64 / objects] += 1);
    let fit = Fit::uniform(&bins);
    assert!(fit.is_good(), "{fit:?}");
}

#[test]
fn the_first_refusal_ends_a_filling() {
    let pattern = Pattern::by_name("P4").unwrap();
    let room = 1 << 20;
    let mut script = script(&pattern, Limit::UntilRefused);
    let phases = run(&mut script, u64::MAX, room);
    let [(_, fill), (_, delete), (_, refill)] = &phases[..] else { panic!("{phases:?}") };
    assert_eq!(fill.allocations.len(), 1024);
    assert_eq!(delete.victims.len(), 922);
    assert_eq!(refill.live_bytes_after, 102 * 1024 + sum(&refill.allocations));
    assert!(refill.live_bytes_after <= room && refill.live_bytes_after + 10240 > room);
    assert_eq!(script.allocated_bytes(), sum(&fill.allocations) + sum(&refill.allocations));
}

#[test]
fn a_refusal_below_the_cap_ends_a_filling_too() {
    for name in ["P1", "W3"] {
        let mut script = script(&Pattern::by_name(name).unwrap(), Limit::LiveBytes(CAP));
        let phases = run(&mut script, CAP, CAP / 2);
        assert!(phases.iter().all(|(_, done)| done.live_bytes_after <= CAP / 2));
        assert_eq!(phases.len(), 3);
    }
}

#[test]
fn a_refill_asks_for_the_same_sizes_however_far_the_fill_came() {
    let pattern = Pattern::by_name("W6").map(|w6| Pattern { volume: Volume::Fill, ..w6 }).unwrap();
    let sizes = |room| {
        let mut phases = run(&mut script(&pattern, Limit::UntilRefused), u64::MAX, room);
        phases.pop().unwrap().1.allocations
    };
    let (large, small) = (sizes(1 << 20), sizes(1 << 19));
    assert!(small.len() < large.len());
    assert_eq!(small, large[..small.len()]);
}

#[test]
fn cycles_fill_and_delete_again_with_draws_of_their_own() {
    let second = Some(SizeDistribution::Uniform { from: 300, to: 400 });
    let pattern =
        Pattern { cycles: Some(4), delete_fraction: 1.0, ..Pattern::by_name("W4").unwrap() };
    let pattern = Pattern { volume: Volume::Fill, second, ..pattern };
    let phases = run_at_cap(&pattern);
    let names: Vec<Phase> = phases.iter().map(|(phase, _)| *phase).collect();
    assert_eq!(names, [Phase::Fill, Phase::Delete].repeat(4));
    let (mut sizes, mut victims) = (Vec::new(), Vec::new());
    for (index, (_, done)) in phases.into_iter().enumerate() {
        if index % 2 == 1 {
            assert_eq!(done.live_bytes_after, 0);
            assert!(!done.victims.is_sorted(), "in another order than they came");
            victims.push(done.victims);
            continue;
        }
        let (from, to) = if index % 4 == 0 { (100, 150) } else { (300, 400) };
        assert!(done.allocations.iter().all(|bytes| (from..=to).contains(bytes)), "{index}");
        assert!(done.live_bytes_after > CAP - 400);
        sizes.push(done.allocations);
    }
    assert!(sizes[0] != sizes[2] && sizes[1] != sizes[3]);
    assert!(victims[0][..100] != victims[2][..100]);
}

#[test]
fn the_same_seed_asks_for_the_same_and_another_for_something_else() {
    let pattern = Pattern::by_name("W8").unwrap();
    let run_with = |seed| {
        run(&mut PhaseScript::new(&pattern, Limit::LiveBytes(CAP), seed).unwrap(), CAP, u64::MAX)
    };
    assert_eq!(run_with(Seed(1)), run_with(Seed(1)));
    assert_ne!(run_with(Seed(1)), run_with(Seed(2)));
}

#[test]
fn the_table_never_outgrows_its_bound() {
    for pattern in all() {
        let bound = objects_max(&pattern, CAP);
        for (phase, done) in run_at_cap(&pattern) {
            let peak = done.live_objects_peak;
            assert!(peak <= bound, "{} {phase:?}: {peak} > {bound}", pattern.name);
        }
    }
    assert_eq!(objects_max(&Pattern::by_name("P1").unwrap(), 6000), 100);
}

#[test]
fn refusals_to_start_name_value_and_remedy() {
    let message = |name: &str, limit| {
        let pattern = Pattern::by_name(name).unwrap();
        PhaseScript::new(&pattern, limit, Seed(42)).unwrap_err().to_string()
    };
    assert_eq!(
        message("P6", Limit::LiveBytes(1000)),
        "cap of 1000 B for one thread: the largest object has 614400 B; raise the cap or use \
         fewer threads"
    );
    assert_eq!(
        message("W3", Limit::UntilRefused),
        "pattern W3 allocates a multiple of the cap, and filling until refused has none; give a \
         cap in live bytes, or a pattern with volume = \"fill\""
    );
    let pattern = Pattern { delete_fraction: 2.0, ..Pattern::by_name("P1").unwrap() };
    let error = PhaseScript::new(&pattern, Limit::UntilRefused, Seed(42)).unwrap_err();
    assert_eq!(error.to_string(), "delete-percent = 200: must be from 0 to 100");
}

#[test]
#[should_panic(expected = "not an allocation")]
fn a_refusal_of_nothing_is_a_bug() {
    script(&Pattern::by_name("P1").unwrap(), Limit::UntilRefused).refused();
}
