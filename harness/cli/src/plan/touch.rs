//! From `[[touch]]` grids to cells.

use record::{Scale, System, Touch, Work};
use worker::PAGES_TOUCHED_MAX;

use super::{Draft, finish};
use crate::suites::{Suite, TouchGrid};

/// Operations of a thread of key-value cells for each touch.
const OPERATIONS_PER_TOUCH: u64 = 40;
/// Touches, at least: as many as have their times kept.
const TOUCHES_MIN: u64 = 8192;

pub(super) fn cells(
    suite: &Suite,
    grid: &TouchGrid,
    scale: &Scale,
    draft: &mut Draft,
) -> Result<(), String> {
    for &pages in &grid.pages {
        if pages == 0 || pages > PAGES_TOUCHED_MAX {
            return Err(format!(
                "{}: pages = {pages}: must be 1 to {PAGES_TOUCHED_MAX}",
                suite.name
            ));
        }
        for &between in &grid.between {
            let operations = (scale.operations_per_thread / OPERATIONS_PER_TOUCH).max(TOUCHES_MIN);
            let work = Touch { pages, between, operations };
            for repetition in 0..scale.repetitions {
                let (system, id) = (System::Kernel, id(&work));
                draft.cells.push(finish(suite, scale, system, repetition, id, Work::Touch(work)));
            }
        }
    }
    Ok(())
}

fn id(work: &Touch) -> String {
    let (pages, between) = (work.pages, work.between.word());
    format!("touch/pages-{pages}-between-{between}/{}", System::Kernel.label())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, Plan, plan};
    use crate::traces::Traces;

    fn planned(grid: &str) -> Result<Plan, String> {
        let text = format!("question = \"?\"\n[[touch]]\n{grid}");
        let suite = Suite::parse("mine.toml", &text).map_err(|error| error.to_string())?;
        let scale = Scale { repetitions: 1, ..Scale::by_name("quick").unwrap() };
        let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };
        plan(&[suite], &scale, &Traces::default(), limits)
    }

    #[test]
    fn ids_say_pages_and_what_is_between() {
        let plan = planned("pages = [1, 8192]\nbetween = [\"nothing\", \"process\"]").unwrap();
        let mut ids: Vec<&str> = plan.cells.iter().map(|cell| cell.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(
            ids,
            [
                "touch/pages-1-between-nothing/mmap/0",
                "touch/pages-1-between-process/mmap/0",
                "touch/pages-8192-between-nothing/mmap/0",
                "touch/pages-8192-between-process/mmap/0",
            ]
        );
        assert!(plan.cells.iter().all(|cell| cell.is_exclusive()));
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_remedy() {
        for pages in [0, PAGES_TOUCHED_MAX + 1] {
            let error = planned(&format!("pages = [{pages}]\nbetween = [\"flush\"]")).unwrap_err();
            assert_eq!(error, format!("mine: pages = {pages}: must be 1 to 1048576"));
        }
        let error = planned("pages = [1]\nbetween = [\"nap\"]").unwrap_err();
        assert!(error.contains("`syscall`") && error.contains("`flush`"), "{error}");
    }
}
