//! From `[[chase]]` grids to cells.

use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use record::{Chase, Scale, System, Work};
use workloads::bytes::format_bytes;

use super::mapping::no_multiple;
use super::{Draft, finish};
use crate::suites::{ChaseGrid, Suite};

/// Numbers of chains for which the walk is compiled.
const CHAINS: [usize; 5] = [1, 2, 4, 8, 16];
/// Operations of a thread of key-value cells for each load.
const OPERATIONS_PER_LOAD: u64 = 2;

pub(super) fn cells(
    suite: &Suite,
    grid: &ChaseGrid,
    scale: &Scale,
    draft: &mut Draft,
) -> Result<(), String> {
    let fail = |message: String| Err(format!("{}: {message}", suite.name));
    let mut beyond = Vec::new();
    for &memory in &grid.memory_bytes {
        let memory_bytes: u64 = memory.into();
        if memory_bytes > scale.store_bytes {
            beyond.push(memory_bytes);
        }
        for &page in &grid.page_bytes {
            let page_bytes: u64 = page.into();
            if ![PAGE_BYTES as u64, HUGE_PAGE_BYTES as u64].contains(&page_bytes) {
                return fail(format!(
                    "page-bytes = {page_bytes}: must be {PAGE_BYTES} or {HUGE_PAGE_BYTES}"
                ));
            }
            if memory_bytes == 0 || !memory_bytes.is_multiple_of(PAGE_BYTES as u64) {
                return fail(format!(
                    "memory-bytes = {memory_bytes}: must be a multiple of {PAGE_BYTES}"
                ));
            }
            if memory_bytes > scale.store_bytes {
                continue;
            }
            if !memory_bytes.is_multiple_of(page_bytes) {
                draft.tell_sizes(suite, "memory-bytes", &[memory_bytes], &no_multiple(page_bytes));
                continue;
            }
            for &chains in &grid.chains {
                if !CHAINS.contains(&chains) {
                    return fail(format!("chains = {chains}: must be 1, 2, 4, 8 or 16"));
                }
                let operations = scale.operations_per_thread / OPERATIONS_PER_LOAD;
                let work = Chase { memory_bytes, page_bytes, chains, operations };
                for repetition in 0..scale.repetitions {
                    let (system, work) = (System::Kernel, Work::Chase(work));
                    let id = id(memory_bytes, page_bytes, chains);
                    draft.cells.push(finish(suite, scale, system, repetition, id, work));
                }
            }
        }
    }
    let most = format!(
        "scale `{}` walks {} at most",
        scale.name,
        format_bytes(scale.store_bytes as usize)
    );
    draft.tell_sizes(suite, "memory-bytes", &beyond, &most);
    Ok(())
}

fn id(memory_bytes: u64, page_bytes: u64, chains: usize) -> String {
    let [memory, page] = [memory_bytes, page_bytes].map(|bytes| format_bytes(bytes as usize));
    format!("chase/memory-{memory}-pages-{page}-chains-{chains}/{}", System::Kernel.label())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, Plan, plan};
    use crate::traces::Traces;

    fn planned(grid: &str) -> Result<Plan, String> {
        let text = format!("question = \"?\"\n[[chase]]\n{grid}");
        let suite = Suite::parse("mine.toml", &text).map_err(|error| error.to_string())?;
        let scale = Scale { repetitions: 1, ..Scale::by_name("quick").unwrap() };
        let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };
        plan(&[suite], &scale, &Traces::default(), limits)
    }

    #[test]
    fn ids_say_memory_pages_and_chains_and_what_does_not_fit_is_told() {
        let grid = "memory-bytes = [\"64KiB\", \"2MiB\", \"1TiB\"]\n\
                    page-bytes = [4096, 2097152]\nchains = [1, 4]";
        let plan = planned(grid).unwrap();
        let mut ids: Vec<&str> = plan.cells.iter().map(|cell| cell.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(
            ids,
            [
                "chase/memory-2MiB-pages-2MiB-chains-1/mmap/0",
                "chase/memory-2MiB-pages-2MiB-chains-4/mmap/0",
                "chase/memory-2MiB-pages-4KiB-chains-1/mmap/0",
                "chase/memory-2MiB-pages-4KiB-chains-4/mmap/0",
                "chase/memory-64KiB-pages-4KiB-chains-1/mmap/0",
                "chase/memory-64KiB-pages-4KiB-chains-4/mmap/0",
            ]
        );
        assert_eq!(
            plan.notices,
            [
                "mine: memory-bytes = 1TiB: not measured: scale `quick` walks 256MiB at most",
                "mine: memory-bytes = 64KiB: not measured: no multiple of pages of 2MiB",
            ]
        );
    }

    #[test]
    fn what_cannot_be_walked_is_refused_with_the_remedy() {
        for (grid, expected) in [
            (
                "memory-bytes = [\"1KiB\"]\npage-bytes = [4096]",
                "mine: memory-bytes = 1024: must be a multiple of 4096",
            ),
            (
                "memory-bytes = [\"2MiB\"]\npage-bytes = [8192]",
                "mine: page-bytes = 8192: must be 4096 or 2097152",
            ),
            (
                "memory-bytes = [\"2MiB\"]\npage-bytes = [4096]\nchains = [3]",
                "mine: chains = 3: must be 1, 2, 4, 8 or 16",
            ),
        ] {
            let error = planned(grid).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
