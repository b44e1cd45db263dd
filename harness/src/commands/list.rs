//! `list`: what there is to choose from.

use workloads::requests::Workload;

use crate::registry;
use crate::spec::{self, Scale};

/// Prints one list, or all.
pub(super) fn run(what: Option<&str>) {
    let lists: [(&str, fn()); 7] = [
        ("heaps", heaps),
        ("stores", stores),
        ("suites", suites),
        ("figures", figures),
        ("patterns", patterns),
        ("workloads", workloads),
        ("scales", scales),
    ];
    for (name, print) in lists {
        if what.is_none_or(|wanted| wanted == name) {
            if what.is_none() {
                println!("{}", name.to_uppercase());
            }
            print();
            if what.is_none() {
                println!();
            }
        }
    }
}

fn heaps() {
    for traits in registry::heap_traits() {
        let variants: Vec<&str> = traits.variants.iter().map(|variant| variant.name).collect();
        println!("{:<12} {} [{}]", traits.name, traits.description, variants.join(", "));
    }
}

fn stores() {
    for traits in registry::store_traits().iter().filter(|traits| !traits.test_only) {
        println!(
            "{:<12} {} [{:?}; memory bound {:?}; full: {:?}; allocator: {:?}]",
            traits.name,
            traits.description,
            traits.sharing,
            traits.memory_bound,
            traits.full,
            traits.allocator
        );
    }
}

fn suites() {
    for name in spec::names() {
        let suite = spec::built_in(name).expect("a listed suite exists");
        println!("{name:<20} {}", suite.question);
    }
}

fn figures() {
    for figure in crate::figures::all() {
        println!("{:<20} {} ({})", figure.name, figure.title, figure.source);
    }
}

fn patterns() {
    for pattern in workloads::fragmentation::all() {
        println!("{pattern} ({})", pattern.source);
    }
}

fn workloads() {
    for name in Workload::names() {
        let workload = Workload::by_name(&name).expect("a listed workload exists");
        println!(
            "{name:<20} {}; keys {}; values {} ({})",
            workload.mix, workload.keys, workload.value_bytes, workload.source
        );
    }
}

fn scales() {
    for name in Scale::NAMES {
        let scale = Scale::by_name(name).expect("a listed scale exists");
        println!(
            "{name:<10} live sets ≤ {} MiB, stores of {} MiB, {} repetition(s), {} s idle",
            scale.live_bytes >> 20,
            scale.store_bytes >> 20,
            scale.repetitions,
            scale.idle_ms as f64 / 1000.0
        );
    }
}
