//! From `[[windows]]` grids to cells.

use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use record::{Scale, System, Windows, Work};
use workloads::bytes::format_bytes;

use super::mapping::no_multiple;
use super::{Draft, finish};
use crate::suites::{Suite, WindowsGrid};
use worker::registry;

/// Largest table, in object memories of a key-value cell.
const TABLE_STORES: u64 = 16;
/// Updates of a stream.
const STREAM_UPDATES: usize = 1 << 21;
/// Sets of a stream without updates.
const STREAM_SWITCHES: usize = 1 << 12;
/// Operations of a thread of key-value cells for each millisecond on the clock.
const OPERATIONS_PER_MS: u64 = 16_000;
/// The same, at least and at most.
const DURATION_MS: (u64, u64) = (50, 2_000);

pub(super) fn cells(
    suite: &Suite,
    grid: &WindowsGrid,
    scale: &Scale,
    draft: &mut Draft,
) -> Result<(), String> {
    let fail = |message: String| format!("{}: {message}", suite.name);
    let repetitions = draft.repetitions(suite, grid.repetitions, scale).map_err(fail)?;
    let (least, most) = DURATION_MS;
    let duration_ms = (scale.operations_per_thread / OPERATIONS_PER_MS).clamp(least, most);
    for way in &grid.ways {
        let system = registry::way(way).map_err(fail)?;
        for work in works(grid, duration_ms) {
            worker::check_windows(
                &system,
                &Windows { window_bytes: HUGE_PAGE_BYTES as u64, ..work },
            )
            .map_err(fail)?;
            if let Some(notice) = left_out(&system, &work, scale).map_err(fail)? {
                draft.tell(suite, notice);
                continue;
            }
            for repetition in 0..repetitions {
                let (system, id) = (system.clone(), id(&system, &work));
                let cell = finish(suite, scale, system, repetition, id, Work::Windows(work));
                // Looking at the memory of many processes would disturb them.
                draft.cells.push(record::Cell { sampling: false, ..cell });
            }
        }
    }
    Ok(())
}

/// Every combination of a grid.
fn works(grid: &WindowsGrid, duration_ms: u64) -> Vec<Windows> {
    let mut works = Vec::new();
    for &windows in &grid.windows {
        for &window in &grid.window_bytes {
            for &page in &grid.page_bytes {
                for &updates in &grid.updates {
                    let sets = match updates {
                        0 => STREAM_SWITCHES,
                        updates => (STREAM_UPDATES / updates).max(1),
                    };
                    let (window_bytes, page_bytes) = (window.into(), page.into());
                    works.push(Windows {
                        windows,
                        window_bytes,
                        page_bytes,
                        updates,
                        sets,
                        duration_ms,
                    });
                }
            }
        }
    }
    works
}

/// Why the cell is not measured, if it is not.
fn left_out(system: &System, work: &Windows, scale: &Scale) -> Result<Option<String>, String> {
    let window = work.window_bytes;
    if window == 0 || !window.is_multiple_of(PAGE_BYTES as u64) {
        return Err(format!("window-bytes = {window}: must be a multiple of {PAGE_BYTES}"));
    }
    let named = format_bytes(window as usize);
    let of = || format!("{} windows of {named}", work.windows);
    let most = scale.store_bytes * TABLE_STORES;
    if work.table_bytes() > most {
        let most = format_bytes(most as usize);
        return Ok(Some(format!(
            "{}: not measured: scale `{}` has tables of {most} at most",
            of(),
            scale.name
        )));
    }
    if !window.is_multiple_of(work.page_bytes) {
        return Ok(Some(format!("{}: not measured: {}", of(), no_multiple(work.page_bytes))));
    }
    Ok(worker::check_windows(system, work).err().map(|reason| format!("not measured: {reason}")))
}

fn id(system: &System, work: &Windows) -> String {
    let [window, page] =
        [work.window_bytes, work.page_bytes].map(|bytes| format_bytes(bytes as usize));
    let (windows, updates) = (work.windows, work.updates);
    format!("windows/{windows}-of-{window}-pages-{page}-updates-{updates}/{}", system.label())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, Plan, plan};
    use crate::traces::Traces;

    fn planned(grid: &str) -> Result<Plan, String> {
        let text = format!("question = \"?\"\n[[windows]]\n{grid}");
        let suite = Suite::parse("mine.toml", &text).map_err(|error| error.to_string())?;
        let scale = Scale { repetitions: 1, ..Scale::by_name("quick").unwrap() };
        let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };
        plan(&[suite], &scale, &Traces::default(), limits)
    }

    #[test]
    fn ids_say_windows_pages_and_updates_and_what_does_not_fit_is_told() {
        let grid = "ways = [\"space\", \"mp@wait=block\"]\nwindows = [1, 64]\n\
                    window-bytes = [\"64KiB\", \"1GiB\"]\npage-bytes = [4096, 2097152]\n\
                    updates = [16]\n";
        let plan = planned(grid).unwrap();
        let mut ids: Vec<&str> = plan.cells.iter().map(|cell| cell.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!(
            ids,
            [
                "windows/1-of-1GiB-pages-2MiB-updates-16/mp@wait=block/0",
                "windows/1-of-1GiB-pages-2MiB-updates-16/space/0",
                "windows/1-of-1GiB-pages-4KiB-updates-16/mp@wait=block/0",
                "windows/1-of-1GiB-pages-4KiB-updates-16/space/0",
                "windows/1-of-64KiB-pages-4KiB-updates-16/mp@wait=block/0",
                "windows/1-of-64KiB-pages-4KiB-updates-16/space/0",
                "windows/64-of-64KiB-pages-4KiB-updates-16/mp@wait=block/0",
                "windows/64-of-64KiB-pages-4KiB-updates-16/space/0",
            ]
        );
        assert_eq!(
            plan.notices,
            [
                "mine: 1 windows of 64KiB: not measured: no multiple of pages of 2MiB",
                "mine: 64 windows of 1GiB: not measured: scale `quick` has tables of 4GiB at most",
                "mine: 64 windows of 64KiB: not measured: no multiple of pages of 2MiB",
            ]
        );
        assert!(plan.cells.iter().all(|cell| cell.is_exclusive() && !cell.sampling));
    }

    #[test]
    fn a_way_that_moves_page_tables_leaves_out_windows_that_it_cannot_move() {
        let grid = "ways = [\"move\", \"flat\"]\nwindows = [2]\nwindow-bytes = [\"1MiB\"]\n\
                    updates = [16]\n";
        let plan = planned(grid).unwrap();
        assert_eq!(plan.cells.len(), 1);
        let told = "mine: not measured: way `move`: setting `window-bytes` = `1048576`: accepted are \
                    multiples of 2097152";
        assert_eq!(plan.notices, [told]);
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_remedy() {
        let table = |ways: &str, windows: u32, bytes: &str, updates: u32| {
            let grid = format!(
                "ways = [\"{ways}\"]\nwindows = [{windows}]\nwindow-bytes = [\"{bytes}\"]\n\
                 updates = [{updates}]\n"
            );
            planned(&grid).unwrap_err()
        };
        for (error, wanted) in [
            (table("spaces", 1, "2MiB", 1), "mine: unknown way `spaces`"),
            (table("mp@wait", 1, "2MiB", 1), "write `mp@wait=VALUE`"),
            (table("mp@wait=nap", 1, "2MiB", 1), "way `mp`: setting `wait` = `nap`: accepted are"),
            (table("mp@transport=openmpi", 1, "2MiB", 1), "openmpi-bin"),
            (table("flat", 0, "2MiB", 1), "setting `windows` = `0`: accepted are 1 to 256"),
            (table("flat", 257, "2MiB", 1), "setting `windows` = `257`: accepted are 1 to 256"),
            (table("flat", 1, "2MiB", 4097), "setting `updates` = `4097`: accepted are 0 to 4096"),
            (table("syscall", 1, "2MiB", 1), "0, because `syscall` holds no window"),
            (table("flat", 1, "1KiB", 1), "window-bytes = 1024: must be a multiple of 4096"),
            (table("flat", 1, "0", 1), "window-bytes = 0: must be a multiple of 4096"),
        ] {
            assert!(error.contains(wanted), "{error}");
        }
    }
}
