//! From `[[mapping]]` grids to cells.

use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use workloads::bytes::format_bytes;

use super::{Draft, MachineLimits, check_threads, finish};
use crate::suites::{MappingGrid, Suite, on_cores};
use record::{Mappings, Scale, Spaces, System, Work};

/// A system call costs about as much as so many pages: small regions are mapped less often than
/// their pages alone would allow.
const CALL_PAGES: u64 = 64;
/// A region is mapped so often at least.
const OPERATIONS_MIN: u64 = 4;

pub(super) fn cells(
    suite: &Suite,
    grid: &MappingGrid,
    (scale, limits): (&Scale, MachineLimits),
    draft: &mut Draft,
) -> Result<(), String> {
    let fail = |message: String| Err(format!("{}: {message}", suite.name));
    for &region in &grid.region_bytes {
        let region_bytes: u64 = region.into();
        if region_bytes == 0 || !region_bytes.is_multiple_of(PAGE_BYTES as u64) {
            return fail(format!(
                "region-bytes = {region_bytes}: must be a multiple of {PAGE_BYTES}"
            ));
        }
        for &page in &grid.page_bytes {
            let page_bytes: u64 = page.into();
            if ![PAGE_BYTES as u64, HUGE_PAGE_BYTES as u64].contains(&page_bytes) {
                return fail(format!(
                    "page-bytes = {page_bytes}: must be {PAGE_BYTES} or {HUGE_PAGE_BYTES}"
                ));
            }
            if !region_bytes.is_multiple_of(page_bytes) {
                draft.tell_sizes(suite, "region-bytes", &[region_bytes], &no_multiple(page_bytes));
                continue;
            }
            for threads in on_cores(&grid.threads, limits.cores) {
                check_threads(threads)?;
                for &spaces in &grid.spaces {
                    let pages = region_bytes / page_bytes;
                    let work = Mappings {
                        region_bytes,
                        page_bytes,
                        threads,
                        spaces,
                        operations_per_thread: operations(pages, threads, scale),
                    };
                    for repetition in 0..scale.repetitions {
                        let (system, id) = (System::Kernel, id(&work));
                        let work = Work::Mapping(work);
                        draft.cells.push(finish(suite, scale, system, repetition, id, work));
                    }
                }
            }
        }
    }
    Ok(())
}

/// Why a size is not measured on pages of so many bytes.
pub(super) fn no_multiple(page_bytes: u64) -> String {
    format!("no multiple of pages of {}", format_bytes(page_bytes as usize))
}

/// As many pages for every size of the regions and number of threads as a thread of key-value cells
/// has operations, system calls counted as some.
fn operations(pages: u64, threads: usize, scale: &Scale) -> u64 {
    (scale.operations_per_thread / 8 / (pages + CALL_PAGES) / threads as u64).max(OPERATIONS_MIN)
}

fn id(work: &Mappings) -> String {
    let [region, page] =
        [work.region_bytes, work.page_bytes].map(|bytes| format_bytes(bytes as usize));
    let apart = match work.spaces {
        Spaces::One => "",
        Spaces::Each => "-spaces-each",
    };
    let (threads, system) = (work.threads, System::Kernel.label());
    format!("mapping/region-{region}-pages-{page}-threads-{threads}{apart}/{system}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, Plan, plan};
    use crate::traces::Traces;

    fn planned(grid: &str, scale: &str, memory_gib: u64) -> Result<Plan, String> {
        let text = format!("question = \"?\"\n[[mapping]]\n{grid}");
        let suite = Suite::parse("mine.toml", &text).map_err(|error| error.to_string())?;
        let scale = Scale { repetitions: 1, ..Scale::by_name(scale).unwrap() };
        let limits = MachineLimits { memory_bytes: memory_gib << 30, cores: 2, cache_bytes: 0 };
        plan(&[suite], &scale, &Traces::default(), limits)
    }

    fn ids(plan: &Plan) -> Vec<&str> {
        let mut ids: Vec<&str> = plan.cells.iter().map(|cell| cell.id.as_str()).collect();
        ids.sort_unstable();
        ids
    }

    #[test]
    fn ids_say_region_page_and_threads_and_parts_of_pages_are_told() {
        let grid = "region-bytes = [\"64KiB\", \"2MiB\"]\npage-bytes = [4096, 2097152]\n\
                    threads = [1, 2]";
        let plan = planned(grid, "quick", 64).unwrap();
        assert_eq!(
            ids(&plan),
            [
                "mapping/region-2MiB-pages-2MiB-threads-1/mmap/0",
                "mapping/region-2MiB-pages-2MiB-threads-2/mmap/0",
                "mapping/region-2MiB-pages-4KiB-threads-1/mmap/0",
                "mapping/region-2MiB-pages-4KiB-threads-2/mmap/0",
                "mapping/region-64KiB-pages-4KiB-threads-1/mmap/0",
                "mapping/region-64KiB-pages-4KiB-threads-2/mmap/0",
            ]
        );
        let told = "mine: region-bytes = 64KiB: not measured: no multiple of pages of 2MiB";
        assert_eq!(plan.notices, [told]);
        assert!(plan.cells.iter().all(|cell| cell.system == System::Kernel && cell.is_exclusive()));
    }

    #[test]
    fn spaces_of_their_own_are_in_the_id_and_threads_grow_to_the_cores() {
        let grid = "region-bytes = [\"64KiB\"]\npage-bytes = [4096]\n\
                    threads = [1, \"to-cores\"]\nspaces = [\"one\", \"each\"]";
        let plan = planned(grid, "quick", 64).unwrap();
        assert_eq!(
            ids(&plan),
            [
                "mapping/region-64KiB-pages-4KiB-threads-1-spaces-each/mmap/0",
                "mapping/region-64KiB-pages-4KiB-threads-1/mmap/0",
                "mapping/region-64KiB-pages-4KiB-threads-2-spaces-each/mmap/0",
                "mapping/region-64KiB-pages-4KiB-threads-2/mmap/0",
            ]
        );
        let unknown = "region-bytes = [\"64KiB\"]\npage-bytes = [4096]\nspaces = [\"two\"]";
        let error = planned(unknown, "quick", 64).unwrap_err();
        assert!(error.contains("`one`") && error.contains("`each`"), "{error}");
    }

    #[test]
    fn operations_follow_from_pages_and_not_from_threads() {
        let scale = Scale::by_name("quick").unwrap();
        assert_eq!(operations(16, 1, &scale), 6250);
        assert_eq!(operations(16, 2, &scale), 3125);
        assert_eq!(operations(32_768, 1, &scale), 15);
        assert_eq!(operations(8 << 20, 1, &scale), OPERATIONS_MIN);
    }

    #[test]
    fn regions_that_take_more_memory_than_scale_or_machine_has_are_left_out_with_a_notice() {
        let grid = "region-bytes = [\"1GiB\", \"8GiB\", \"32GiB\"]\npage-bytes = [4096, 2097152]\n\
                    threads = [1, 2]";
        let quick = planned(grid, "quick", 64).unwrap();
        assert_eq!(quick.cells.len(), 2, "{:?}", ids(&quick));
        assert!(
            quick
                .cells
                .iter()
                .all(|cell| cell.id.contains("1GiB") && cell.id.contains("threads-1"))
        );
        assert_eq!(
            quick.notices,
            [
                "regions of 1GiB by 2 threads, 8GiB by 1 thread, 8GiB by 2 threads, 32GiB by 1 thread, \
              32GiB by 2 threads are not mapped: the scale maps 1024 MiB at most"
            ]
        );
        let paper = planned(grid, "paper", 64).unwrap();
        assert!(ids(&paper).contains(&"mapping/region-32GiB-pages-4KiB-threads-1/mmap/0"));
        assert_eq!(
            paper.notices,
            ["regions of 32GiB by 2 threads are not mapped: the scale maps 32768 MiB at most"]
        );
        let small = planned(grid, "paper", 8).unwrap();
        assert!(!ids(&small).iter().any(|id| id.contains("32GiB") || id.contains("8GiB")));
        let told = |part: &str| small.notices.iter().any(|notice| notice.contains(part));
        assert!(told("a mapping of 8GiB by 1 thread is left out: a cell of it may need 8256 MiB"));
    }

    #[test]
    fn what_cannot_be_mapped_is_refused_with_the_remedy() {
        for (grid, expected) in [
            (
                "region-bytes = [\"1KiB\"]\npage-bytes = [4096]",
                "mine: region-bytes = 1024: must be a multiple of 4096",
            ),
            (
                "region-bytes = [\"2MiB\"]\npage-bytes = [8192]",
                "mine: page-bytes = 8192: must be 4096 or 2097152",
            ),
            (
                "region-bytes = [\"2MiB\"]\npage-bytes = [4096]\nthreads = [0]",
                "threads = 0: must be 1 to",
            ),
        ] {
            let error = planned(grid, "smoke", 64).unwrap_err();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
