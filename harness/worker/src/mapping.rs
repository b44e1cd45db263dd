//! Maps regions onto memory that is already allocated, and unmaps them: the cost of page tables.
//!
//! All memory is allocated and stamped before the clock starts. While it runs, each thread maps its own
//! region with page tables filled, reads the stamp of one page, and unmaps the region; map and unmap are
//! timed, the read between them is not. Off the clock each region is mapped once more. Before it is
//! touched it must be complete in the page tables, on pages of the requested size, and it must show every
//! stamp. Where the cell asks for a space each, processes do that in place of threads ([`apart`]).

pub(crate) mod apart;

use std::io;
use std::sync::atomic::Ordering;

use hdrhistogram::{CreationError, Histogram};
use platform::clock::monotonic_ns;
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use platform::{Pages, SharedMemory, View};
use workloads::{Rng, Seed};

use super::crew::Crew;
use super::histogram::{empty, encode, percentiles};
use super::link::Link;
use super::usage::Usage;
use super::{Stop, pin};
use crate::kernel::KernelFiles;
use crate::protocol::Event;
use apart::Mappers;
use record::{Cell, Mappings, Spaces, System};
use record::{Flag, Outcome, Verification};
use record::{LatencyReport, StepReport};

const STEP: &str = "run";
/// Words between two stamps: every page of this size has one, whatever pages the region is mapped with.
const STAMPED_WORDS: usize = PAGE_BYTES / size_of::<u64>();

/// Runs the cell.
pub(super) fn run(
    cell: &Cell,
    work: &Mappings,
    engine_bytes: u64,
    link: &mut Link,
) -> Result<(), Stop> {
    if cell.system != System::Kernel {
        return Err(Stop::failed(format!(
            "`{}` maps no regions: the kernel does",
            cell.system.label()
        )));
    }
    let (regions, mappers) = match work.spaces {
        Spaces::One => (Region::all(work)?, None),
        Spaces::Each => (Vec::new(), Some(Mappers::start(cell, work)?)),
    };
    for region in &regions {
        region.stamp()?;
        region.examine(work)?;
    }
    let timed = Timed::new().map_err(Stop::failed)?;
    link.say_and_wait(&Event::Ready { engine_bytes });
    link.say(&opened());
    link.say_and_wait(&Event::Before { step: STEP.to_owned(), grows_bytes: 0 });
    let before = Usage::now();
    let ran = match mappers {
        None => with_crew(cell, work, &regions, &timed)?,
        Some(mappers) => mappers.run()?,
    };
    let used = Usage::now().since(&before);
    let mut report = report_of(work, &ran, &regions)?;
    used.note_in(&mut report);
    link.say(&Event::Step(Box::new(report)));
    link.say(&Event::Latency(Box::new(Timed::merged(ran).report())));
    link.say_and_wait(&Event::Ending);
    Ok(())
}

fn opened() -> Event {
    let files = KernelFiles::here();
    let setting =
        platform::huge::shared_memory_setting().map(|word| ("shmem-enabled".to_owned(), word));
    Event::Opened {
        version: files.text("proc/sys/kernel/osrelease").unwrap_or_default(),
        settings: setting.into_iter().collect(),
        conditions: None,
        folders: Vec::new(),
    }
}

/// Makes every thread map its region that often, all at once.
fn with_crew(
    cell: &Cell,
    work: &Mappings,
    regions: &[Region],
    timed: &Timed,
) -> Result<Vec<Ran>, Stop> {
    let cores = platform::cpu::allowed_cores();
    std::thread::scope(|scope| {
        let mut crew = Crew::new();
        for (thread, region) in regions.iter().enumerate() {
            let (post, cores, mut timed) = (crew.post(), &cores, Some(timed.clone()));
            let mut rng = rng_of(cell.seed, thread);
            scope.spawn(move || {
                pin(thread, cores);
                post.serve(|()| {
                    let timed = timed.take().expect("one command");
                    region.map_repeatedly(work.operations_per_thread, timed, &mut rng)
                });
            });
        }
        let ran = crew.all(|| ())?.into_iter().collect::<io::Result<Vec<Ran>>>();
        ran.map_err(|error| {
            Stop::failed(format!("mapping a region of {} bytes: {error}", work.region_bytes))
        })
    })
}

/// The pages that a thread looks at.
fn rng_of(seed: u64, thread: usize) -> Rng {
    Seed(seed).stream("mappings").stream(&thread.to_string()).rng()
}

/// The memory that one thread maps.
#[derive(Debug)]
struct Region {
    memory: SharedMemory,
    /// Distinguishes its stamps from those of other regions.
    number: u64,
}

impl Region {
    /// The regions of all threads, allocated.
    fn all(work: &Mappings) -> Result<Vec<Self>, Stop> {
        let bytes = work.region_bytes as usize;
        let memory = SharedMemory::resident(work.threads, bytes, kind_of_pages(work));
        let memory = memory.map_err(|error| match error.kind() {
            io::ErrorKind::Unsupported => unavailable(error),
            _ => Stop::failed(format!("{} regions of {bytes} bytes: {error}", work.threads)),
        })?;
        Ok((0..).zip(memory).map(|(number, memory)| Self { memory, number }).collect())
    }

    /// Maps the region for work that is not timed.
    fn view(&self) -> Result<View, Stop> {
        let view = self.memory.map_completely();
        view.map_err(|error| Stop::failed(format!("mapping a region: {error}")))
    }

    /// The stamp of page `page`.
    fn stamp_of(&self, page: usize) -> u64 {
        // Different words times an odd constant differ, and no product is 0.
        ((self.number << 48 | page as u64) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    /// Writes a stamp into every page.
    fn stamp(&self) -> Result<(), Stop> {
        for (page, words) in self.view()?.words().chunks(STAMPED_WORDS).enumerate() {
            // Relaxed: threads start afterwards.
            words[0].store(self.stamp_of(page), Ordering::Relaxed);
        }
        Ok(())
    }

    /// Whether page `page` of `view` shows its stamp.
    fn shows(&self, view: &View, page: usize) -> bool {
        // Relaxed: written before this thread started.
        view.words()[page * STAMPED_WORDS].load(Ordering::Relaxed) == self.stamp_of(page)
    }

    /// Maps the region and checks the page tables, then every page.
    fn examine(&self, work: &Mappings) -> Result<Verification, Stop> {
        let view = self.view()?;
        let mapped_bytes = view.mapped_bytes().map_err(Stop::failed)?;
        let huge_bytes = view.huge_bytes().map_err(Stop::failed)?;
        check_tables(work, mapped_bytes, huge_bytes)?;
        let pages = work.region_bytes as usize / PAGE_BYTES;
        let wrong = (0..pages).filter(|&page| !self.shows(&view, page)).count() as u64;
        Ok(Verification { checked: pages as u64, wrong, ..Verification::default() })
    }

    fn map_repeatedly(&self, operations: u64, mut timed: Timed, rng: &mut Rng) -> io::Result<Ran> {
        let mut checked = Verification { checked: operations, ..Verification::default() };
        let started_ns = monotonic_ns();
        let mut ended_ns = started_ns;
        for _ in 0..operations {
            let mapping_ns = monotonic_ns();
            let view = self.memory.map()?;
            let mapped_ns = monotonic_ns();
            let pages = view.words().len() / STAMPED_WORDS;
            let page = rng.below(pages as u64) as usize;
            checked.wrong += u64::from(!self.shows(&view, page));
            let unmapping_ns = monotonic_ns();
            drop(view);
            ended_ns = monotonic_ns();
            timed.record(mapped_ns - mapping_ns, ended_ns - unmapping_ns);
        }
        Ok(Ran { started_ns, ended_ns, checked, timed })
    }
}

/// Checks the page tables of an untouched region against the cell.
fn check_tables(work: &Mappings, mapped_bytes: u64, huge_bytes: u64) -> Result<(), Stop> {
    let bytes = work.region_bytes;
    if mapped_bytes < bytes {
        return Err(Stop::failed(format!(
            "of a region of {bytes} bytes page tables lead to {mapped_bytes}: MAP_POPULATE left the \
             others to be mapped at their first touch"
        )));
    }
    let wanted = if kind_of_pages(work) == Pages::Huge { bytes } else { 0 };
    if huge_bytes != wanted {
        return Err(unavailable(format!(
            "of a region of {bytes} bytes on pages of {} {huge_bytes} lie on pages of 2 MiB",
            work.page_bytes
        )));
    }
    Ok(())
}

fn unavailable(reason: impl std::fmt::Display) -> Stop {
    Stop::Because { outcome: Outcome::Unavailable, reason: reason.to_string() }
}

/// One thread's results.
#[derive(Debug)]
struct Ran {
    started_ns: u64,
    ended_ns: u64,
    checked: Verification,
    timed: Timed,
}

fn report_of(work: &Mappings, ran: &[Ran], regions: &[Region]) -> Result<StepReport, Stop> {
    let started_ns = ran.iter().map(|one| one.started_ns).min().unwrap_or(0);
    let ended_ns = ran.iter().map(|one| one.ended_ns).max().unwrap_or(0);
    let operations = work.operations_per_thread * ran.len() as u64;
    let mut report = StepReport::measured(STEP, operations, ended_ns - started_ns);
    let mut checked = Verification::default();
    for one in ran {
        checked += one.checked;
    }
    for region in regions {
        checked += region.examine(work)?;
    }
    report.verified(checked);
    report.flags.push(Flag::Populated);
    Ok(report)
}

/// Times of operations, and of their two parts.
#[derive(Clone, Debug)]
struct Timed {
    both: Histogram<u64>,
    map: Histogram<u64>,
    unmap: Histogram<u64>,
}

impl Timed {
    fn new() -> Result<Self, CreationError> {
        Ok(Self { both: empty()?, map: empty()?, unmap: empty()? })
    }

    fn record(&mut self, map_ns: u64, unmap_ns: u64) {
        self.both.saturating_record(map_ns + unmap_ns);
        self.map.saturating_record(map_ns);
        self.unmap.saturating_record(unmap_ns);
    }

    /// The times of all threads.
    fn merged(ran: Vec<Ran>) -> Self {
        let all = ran.into_iter().map(|one| one.timed).reduce(|mut sum, one| {
            for (into, from) in
                [(&mut sum.both, one.both), (&mut sum.map, one.map), (&mut sum.unmap, one.unmap)]
            {
                into.add(from).expect("histograms of equal bounds");
            }
            sum
        });
        all.expect("at least one thread")
    }

    fn report(&self) -> LatencyReport {
        let kinds = || [("map", &self.map), ("unmap", &self.unmap)].into_iter();
        let named =
            |(kind, histogram): (&str, &Histogram<u64>)| (kind.to_owned(), percentiles(histogram));
        let encoded =
            |(kind, histogram): (&str, &Histogram<u64>)| (kind.to_owned(), encode(histogram));
        LatencyReport {
            latency_ns: percentiles(&self.both),
            latency_by_kind_ns: kinds().map(named).collect(),
            histograms: kinds().map(encoded).collect(),
            ..LatencyReport::default()
        }
    }
}

/// The pages to request from the system.
fn kind_of_pages(work: &Mappings) -> Pages {
    if work.page_bytes == HUGE_PAGE_BYTES as u64 { Pages::Huge } else { Pages::Small }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Mappings = Mappings {
        region_bytes: 64 << 10,
        page_bytes: 4096,
        threads: 2,
        spaces: Spaces::One,
        operations_per_thread: 8,
    };

    fn reason(result: Result<(), Stop>) -> (Outcome, String) {
        match result {
            Err(Stop::Because { outcome, reason }) => (outcome, reason),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn operations_find_the_stamps_of_their_own_region() {
        let regions = Region::all(&SMALL).unwrap();
        regions.iter().for_each(|region| region.stamp().unwrap());
        let mut ran = Vec::new();
        for region in &regions {
            let mut rng = Seed(1).rng();
            ran.push(region.map_repeatedly(8, Timed::new().unwrap(), &mut rng).unwrap());
        }
        let report = report_of(&SMALL, &ran, &regions).unwrap();
        assert_eq!((report.outcome, report.operations), (Outcome::Measured, 16));
        let checked = report.verification.unwrap();
        assert_eq!((checked.checked, checked.wrong), (2 * 8 + 2 * 16, 0));
        let latency = Timed::merged(ran).report();
        assert_eq!(latency.latency_ns["samples"], 16);
        assert_eq!(latency.latency_by_kind_ns["map"]["samples"], 16);
        assert_eq!(latency.histograms.keys().collect::<Vec<_>>(), ["map", "unmap"]);
    }

    /// Mapping other memory than the region's, or none, voids the row.
    #[test]
    fn memory_that_is_not_the_regions_is_noticed_within_the_clock_and_after_it() {
        let mut regions = Region::all(&SMALL).unwrap();
        regions.iter().for_each(|region| region.stamp().unwrap());
        let strangers = Region::all(&SMALL).unwrap();
        for (stranger, region) in strangers.into_iter().zip(&mut regions) {
            region.memory = stranger.memory;
        }
        let ran = regions[0].map_repeatedly(8, Timed::new().unwrap(), &mut Seed(1).rng()).unwrap();
        assert_eq!(ran.checked.wrong, 8);
        let report = report_of(&SMALL, &[ran], &regions).unwrap();
        assert_eq!((report.outcome, report.expected), (Outcome::WrongValues, false));
        assert_eq!(report.reason.unwrap(), "of 40 values checked: 40 wrong");
    }

    #[test]
    fn page_tables_that_are_not_as_asked_end_the_cell() {
        let bytes = SMALL.region_bytes;
        check_tables(&SMALL, bytes, 0).unwrap();
        let (outcome, told) = reason(check_tables(&SMALL, bytes - 4096, 0));
        assert_eq!(outcome, Outcome::Failed);
        assert!(told.starts_with("of a region of 65536 bytes page tables lead to 61440"), "{told}");
        let huge = Mappings { region_bytes: 4 << 20, page_bytes: 2 << 20, ..SMALL };
        check_tables(&huge, 4 << 20, 4 << 20).unwrap();
        for (work, huge_bytes) in
            [(huge, 2 << 20), (Mappings { page_bytes: 4096, ..huge }, 2 << 20)]
        {
            let (outcome, told) = reason(check_tables(&work, 4 << 20, huge_bytes));
            assert_eq!(outcome, Outcome::Unavailable);
            assert!(told.contains("2097152 lie on pages of 2 MiB"), "{told}");
        }
    }
}
