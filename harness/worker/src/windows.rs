//! Sets of updates in a table of windows, reached by one way. Every word is verified: exclusive or is its
//! own inverse, so the same sets once more, through a mapping of all windows, must restore the table.

use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::process::Command;

use engine::{Applied, Limits, OpenError, WindowsError, WindowsSetup, WindowsShape};
use platform::process::page_table_bytes;
use record::{
    Cell, Flag, LatencyReport, Outcome, StepReport, System, Verification, Windows, unknown_name,
};
use spaces::journey::host;
use spaces::registry::keeper;
use spaces::touch::Toucher;
use spaces::traveller::Code;
use workloads::Seed;
use workloads::updates::{Order, Sets, check_window, fill_window};

use super::histogram::{empty, encode, percentiles};
use super::link::Link;
use super::mapping::apart;
use super::usage::Usage;
use super::{Stop, opened, pin};
use crate::kernel::KernelFiles;
use crate::protocol::Event;

const STEP: &str = "run";
/// Before the clock starts, so many sets of each window are applied, as far as this time allows.
const WARM_SETS: u64 = 64;
const WARM_NS: u64 = 50_000_000;
/// More sets than any run has time for.
const SETS_MAX: u64 = u64::MAX >> 1;

/// Runs this process as that of one address space: of a way's window, of a region that is mapped, or of
/// a traveller that touches pages, and as the keeper of its segments.
///
/// # Errors
/// If nobody started it for one of these, or the system refuses something.
pub fn run_executor() -> Result<Infallible, Box<dyn Error>> {
    if apart::is_wanted() {
        apart::serve();
    }
    if keeper::is_wanted() {
        return Ok(keeper::serve()?);
    }
    if host::is_wanted() {
        return Ok(host::run(&[Code::of::<Toucher>()])?);
    }
    Ok(spaces::executor::run()?)
}

/// Checks the way and the sizes of a cell; nothing is opened.
///
/// # Errors
/// What cannot be, with the remedy.
pub fn check(system: &System, work: &Windows) -> Result<(), String> {
    let System::Way { name, options } = system else {
        return Err(format!("`{}` reaches no windows: name a way, as `flat`", system.label()));
    };
    spaces::check(name, options, &shape(work)).map_err(|error| {
        let because = match &error {
            OpenError::UnknownSetting { setting, known } if !known.is_empty() => {
                unknown_name("setting", setting, known.iter().copied())
            }
            error => error.to_string(),
        };
        format!("way `{name}`: {because}")
    })
}

/// Runs the cell.
pub(super) fn run(
    cell: &Cell,
    work: &Windows,
    engine_bytes: u64,
    link: &mut Link,
) -> Result<(), Stop> {
    let System::Way { name, options } = &cell.system else {
        return Err(Stop::failed(check(&cell.system, work).unwrap_err()));
    };
    let cores = platform::cpu::allowed_cores();
    pin(0, &cores);
    let order = if work.updates == 0 { Order::InTurn } else { Order::Drawn };
    let sets = Sets::new(Seed(cell.seed), work.windows, work.updates, work.sets, order);
    let setup = WindowsSetup {
        shape: shape(work),
        order: sets.order(),
        values: sets.values(),
        cores: &cores,
        executor,
    };
    let mut way = spaces::open(name, options, &setup)?;
    for window in 0..work.windows {
        way.show(window, &mut |words| fill_window(words, window)).map_err(Stop::failed)?;
    }
    let warm = Limits { sets: WARM_SETS * work.windows as u64, within_ns: WARM_NS };
    let warm = way.apply(warm).map_err(stopped)?;
    link.say_and_wait(&Event::Ready { engine_bytes });
    let version = KernelFiles::here().text("proc/sys/kernel/osrelease").unwrap_or_default();
    link.say(&opened(version, way.settings(), None));
    link.say_and_wait(&Event::Before { step: STEP.to_owned(), grows_bytes: 0 });
    let before = Usage::now();
    let limits = Limits { sets: SETS_MAX, within_ns: work.duration_ms * 1_000_000 };
    let applied = way.apply(limits).map_err(stopped)?;
    let used = Usage::now().since(&before);
    let mut report = StepReport::measured(STEP, operations(work, &applied), applied.elapsed_ns);
    used.note_in(&mut report);
    // What asking the kernel about processes costs is not the way's.
    report.cpu.minor_faults = applied.minor_faults;
    let pids: Vec<u32> = way.processes().into_iter().chain([std::process::id()]).collect();
    let tables: u64 = pids.iter().map(|&pid| page_table_bytes(pid)).sum();
    note_statistics(&mut report, &applied, tables);
    let mut checked = counted(&sets, &warm, &applied);
    for window in 0..work.windows {
        let see = &mut |words: &[_]| {
            let found = check_window(words, window, &sets, warm.sets + applied.sets);
            checked.checked += found.words;
            checked.wrong += found.wrong;
        };
        way.show(window, see).map_err(Stop::failed)?;
    }
    report.verified(checked);
    report.flags.push(Flag::Populated);
    link.say(&Event::Step(Box::new(report)));
    link.say(&Event::Latency(Box::new(durations(&applied)?)));
    link.say_and_wait(&Event::Ending);
    Ok(())
}

/// Why a run stopped; what the system does not permit here is unavailable.
fn stopped(error: WindowsError) -> Stop {
    match &error {
        WindowsError::System { error: system, .. }
            if system.kind() == io::ErrorKind::PermissionDenied =>
        {
            Stop::Because { outcome: Outcome::Unavailable, reason: error.to_string() }
        }
        _ => Stop::failed(error),
    }
}

/// Starts this program as the process of one address space.
pub(crate) fn executor() -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("executor");
    Ok(command)
}

fn shape(work: &Windows) -> WindowsShape {
    WindowsShape {
        windows: work.windows,
        window_bytes: work.window_bytes as usize,
        page_bytes: work.page_bytes as usize,
        updates_per_set: work.updates,
    }
}

/// An operation is an update or, without updates, a switch.
fn operations(work: &Windows, applied: &Applied) -> u64 {
    match work.updates {
        0 => applied.switches,
        updates => applied.sets * updates as u64,
    }
}

fn note_statistics(report: &mut StepReport, applied: &Applied, page_table_bytes: u64) {
    let elapsed_ns = applied.elapsed_ns.max(1) as f64;
    let numbers = [
        ("sets", applied.sets as f64),
        ("switches", applied.switches as f64),
        ("switches_per_s", applied.switches as f64 / elapsed_ns * 1e9),
        ("ns_per_set", elapsed_ns / applied.sets.max(1) as f64),
        ("page_table_bytes", page_table_bytes as f64),
    ];
    report.statistics = numbers.map(|(name, number)| (name.to_owned(), number)).into();
}

/// Updates that each window received, against the oracle's count.
fn counted(sets: &Sets, warm: &Applied, applied: &Applied) -> Verification {
    let before = sets.updates_by_window(warm.sets);
    let after = sets.updates_by_window(warm.sets + applied.sets);
    let wanted = after.iter().zip(&before).map(|(after, before)| after - before);
    let wrong = applied.updates_by_window.iter().zip(wanted).filter(|(one, two)| **one != *two);
    let (checked, wrong) = (applied.updates_by_window.len() as u64, wrong.count() as u64);
    Verification { checked, wrong, ..Verification::default() }
}

/// Durations of sets, each with the switch before it.
fn durations(applied: &Applied) -> Result<LatencyReport, Stop> {
    let mut histogram = empty().map_err(Stop::failed)?;
    for &set_ns in &applied.set_ns {
        histogram.saturating_record(set_ns);
    }
    if histogram.is_empty() {
        return Ok(LatencyReport::default());
    }
    Ok(LatencyReport {
        latency_ns: percentiles(&histogram),
        latency_by_kind_ns: [("set".to_owned(), percentiles(&histogram))].into(),
        histograms: [("set".to_owned(), encode(&histogram))].into(),
        ..LatencyReport::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORK: Windows = Windows {
        windows: 3,
        window_bytes: 2 << 20,
        page_bytes: 4096,
        updates: 4,
        sets: 10,
        duration_ms: 1,
    };

    fn way(name: &str) -> System {
        System::Way { name: name.to_owned(), options: Default::default() }
    }

    #[test]
    fn a_window_that_received_its_neighbours_updates_is_counted_as_wrong() {
        let sets = Sets::new(Seed(1), 3, 4, 10, Order::Drawn);
        let warm = Applied { sets: 2, ..Applied::default() };
        let difference = |from, to| {
            let [from, to] = [from, to].map(|done| sets.updates_by_window(done));
            to.iter().zip(&from).map(|(to, from)| to - from).collect::<Vec<u64>>()
        };
        let right = Applied { sets: 7, updates_by_window: difference(2, 9), ..Applied::default() };
        assert_eq!(counted(&sets, &warm, &right).complaint(), None);
        let mut wrong = right.clone();
        wrong.updates_by_window[0] += 4;
        wrong.updates_by_window[1] -= 4;
        assert_eq!(counted(&sets, &warm, &wrong).wrong, 2);
    }

    #[test]
    fn operations_are_updates_or_else_switches() {
        let applied = Applied { sets: 10, switches: 9, ..Applied::default() };
        assert_eq!(operations(&WORK, &applied), 40);
        assert_eq!(operations(&Windows { updates: 0, ..WORK }, &applied), 9);
    }

    #[test]
    fn other_systems_and_unknown_settings_are_refused() {
        assert_eq!(check(&way("flat"), &WORK), Ok(()));
        let told = check(&System::Kernel, &WORK).unwrap_err();
        assert_eq!(told, "`mmap` reaches no windows: name a way, as `flat`");
        let options = [("wit".to_owned(), "spin".to_owned())].into();
        let told = check(&System::Way { name: "mp".to_owned(), options }, &WORK).unwrap_err();
        assert!(told.starts_with("way `mp`: unknown setting `wit`"), "{told}");
        assert!(told.contains("wait"), "{told}");
    }
}
