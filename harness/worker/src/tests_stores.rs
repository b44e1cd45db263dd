//! What the tests of all stores share: which stores this machine has, and how one is opened by its name.

use engine::{AllocatorChoice, EngineTraits, Setup};

use crate::registry::{self, StoreVisitor, open_heap, store_traits, with_store};
use record::System;

/// Every store in the process that keeps values, as cells name it. What this machine lacks is said and
/// left out.
pub(crate) fn in_process() -> Vec<String> {
    let in_process = store_traits()
        .iter()
        .filter(|traits| traits.keeps_values && !traits.test_only && !traits.processes);
    let there = in_process.filter(|traits| {
        let lacking = registry::lacking(traits.name);
        if let Some(missing) = lacking.first() {
            println!("{} is left out: {missing}", traits.name);
        }
        lacking.is_empty()
    });
    there.map(|traits| short_form(traits)).collect()
}

/// A store that takes a heap is on the C library's.
pub(crate) fn short_form(traits: &EngineTraits) -> String {
    match traits.allocator {
        AllocatorChoice::Chosen => format!("{}:glibc", traits.name),
        AllocatorChoice::Own | AllocatorChoice::Global => traits.name.to_owned(),
    }
}

pub(crate) fn traits_of(store: &str) -> &'static EngineTraits {
    let system = registry::store(store).expect("a store");
    registry::traits_of(&system).expect("it is a store")
}

/// Opens `store` for `visitor`: heap and settings are those of its name, all else is that of `setup`.
pub(crate) fn visit<V: StoreVisitor>(
    store: &str,
    setup: Setup,
    visitor: V,
) -> Result<V::Output, String> {
    let System::Store { name, heap, options } = registry::store(store)? else {
        return Err(format!("`{store}` is no store"));
    };
    let heap = heap.map(|heap| open_heap(&heap)).transpose().map_err(|error| error.to_string())?;
    let setup = Setup { options, heap, ..setup };
    with_store(&name, &setup, visitor).map_err(|error| error.to_string())
}
