//! Lines of random pages, each touched after something that may cost the processor its translations:
//! another thread, another process, a flush.

use platform::clock::monotonic_ns;
use record::{Between, Cell, Flag, Outcome, StepReport, System, Touch, Verification};
use spaces::touch::{PAGES_MAX, touch};

use super::Stop;
use super::link::Link;
use super::usage::Usage;
use super::windows::executor;
use crate::kernel::KernelFiles;
use crate::protocol::Event;

const STEP: &str = "run";
/// Touches before the clock, which bring code and data into the caches.
const WARM_TOUCHES: u64 = 1000;
/// Most pages of a cell.
pub const PAGES_TOUCHED_MAX: u64 = PAGES_MAX as u64;

/// Runs the cell.
pub(super) fn run(
    cell: &Cell,
    work: &Touch,
    engine_bytes: u64,
    link: &mut Link,
) -> Result<(), Stop> {
    if cell.system != System::Kernel {
        let label = cell.system.label();
        return Err(Stop::failed(format!("`{label}` touches no pages: the processor does")));
    }
    let core = platform::cpu::allowed_cores()[0];
    let between = match work.between {
        Between::Nothing => spaces::touch::Between::Nothing,
        Between::Syscall => spaces::touch::Between::Syscall,
        Between::Thread => spaces::touch::Between::Thread,
        Between::Process => spaces::touch::Between::Process,
        Between::Flush => spaces::touch::Between::Flush,
    };
    let touches =
        |count| touch(between, work.pages as usize, count, (core, executor)).map_err(Stop::failed);
    touches(WARM_TOUCHES)?;
    link.say_and_wait(&Event::Ready { engine_bytes });
    link.say(&Event::Opened {
        version: KernelFiles::here().text("proc/sys/kernel/osrelease").unwrap_or_default(),
        settings: Default::default(),
        conditions: None,
        folders: Vec::new(),
    });
    link.say_and_wait(&Event::Before { step: STEP.to_owned(), grows_bytes: work.memory_bytes() });
    let (before, started_ns) = (Usage::now(), monotonic_ns());
    let touched = touches(work.operations)?;
    let used = Usage::now().since(&before);
    let mut report = StepReport::measured(STEP, touched.touches, touched.elapsed_ns);
    used.note_in(&mut report);
    let checked =
        Verification { checked: touched.touches, wrong: touched.wrong, ..Default::default() };
    if let Some(complaint) = checked.complaint() {
        report.outcome = Outcome::WrongValues;
        report.expected = false;
        report.reason = Some(complaint);
    }
    report.verification = Some(checked);
    report.flags.push(Flag::Populated);
    let middle = touched.line_ns[touched.line_ns.len() / 2];
    let numbers = [
        ("line_ns", touched.trimmed_mean_ns()),
        ("line_p50_ns", middle),
        ("setup_s", (monotonic_ns() - started_ns - touched.elapsed_ns) as f64 / 1e9),
    ];
    report.statistics = numbers.map(|(name, number)| (name.to_owned(), number)).into();
    link.say(&Event::Step(Box::new(report)));
    link.say_and_wait(&Event::Ending);
    Ok(())
}
