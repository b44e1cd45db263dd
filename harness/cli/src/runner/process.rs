//! Runs one cell as a worker process: speaks the protocol, observes memory, and turns whatever
//! happens into rows.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use platform::process::{MemoryRollup, ProcessMemory};

use super::exit::{Death, Kill, last_words};
use super::flight::Berth;
use super::floor::{Floor, FloorGuard};
use super::interrupt::Interrupt;
use super::meter::Meter;
use super::sampler::Sampler;
use crate::{doctor, environment};
use record::{
    Began, Cell, CellRecord, Conditions, CurvePoint, DriverPrice, Flag, LatencyReport, Memory,
    MemoryPoint, Observe, Outcome, Overheads, Row, Second, StepReport, System, TracePosition,
    Traffic, Turn, Work,
};
use worker::kernel::{KernelFiles, oom_kills, remove_abandoned_groups};
use worker::progress::ProgressPage;
use worker::protocol::{Event, Point};
use worker::registry;

/// Something that runs cells. The one real implementation is [`ProcessRunner`]; tests script
/// others.
pub trait CellRunner: Sync {
    /// Runs `cells`, which share a process ([`Cell::shares_process_with`]), in their order. Returns
    /// what came of each; of the first alone where the process did not answer all of them to its end.
    /// It starts with the floor and gives it up while it stands idle, with the part of its `berth` that it
    /// does not need any more.
    fn run<'floor>(
        &self,
        cells: &[&Cell],
        floor: (&'floor Floor, FloorGuard<'floor>),
        berth: &mut Berth<'_>,
    ) -> Vec<CellRecord>;
}

/// Runs cells as fresh processes of this program.
#[derive(Debug)]
pub struct ProcessRunner {
    /// The program whose `worker` command runs the cell.
    pub program: PathBuf,
    /// Raised by Ctrl-C.
    pub interrupt: Interrupt,
}

impl CellRunner for ProcessRunner {
    fn run<'floor>(
        &self,
        cells: &[&Cell],
        (floor, guard): (&'floor Floor, FloorGuard<'floor>),
        berth: &mut Berth<'_>,
    ) -> Vec<CellRecord> {
        let mut places = Places { floor, guard: Some(guard), berth };
        let outcome = Watch::start(self, cells, floor.first_core())
            .map_err(|error| format!("the worker could not be started: {error}"))
            .map(|(mut watch, progress)| {
                watch.run(&progress, &mut places);
                watch.into_records()
            });
        outcome.unwrap_or_else(|reason| {
            let row = blank_row(cells[0], "cell", Outcome::Failed, Some(reason));
            vec![CellRecord { rows: vec![row], ..CellRecord::default() }]
        })
    }
}

/// Removes every variable that configures an allocator, and sets and returns those that `system` asks for.
pub(crate) fn prepare_environment(
    command: &mut Command,
    system: &System,
) -> BTreeMap<String, String> {
    for name in crate::environment::allocator_variables() {
        command.env_remove(name);
    }
    let environment = registry::environment_of(system);
    command.envs(&environment);
    environment
}

/// What a cell holds of the machine.
struct Places<'floor, 'berth, 'flight> {
    floor: &'floor Floor,
    guard: Option<FloorGuard<'floor>>,
    berth: &'berth mut Berth<'flight>,
}

/// A worker and everything known of it.
struct Watch<'a> {
    runner: &'a ProcessRunner,
    /// The cells that the worker was given.
    cells: &'a [&'a Cell],
    /// The one whose turn it is.
    cell: &'a Cell,
    /// What came of those before it.
    finished: Vec<CellRecord>,
    child: Child,
    input: Option<ChildStdin>,
    environment: BTreeMap<String, String>,
    version: String,
    settings: BTreeMap<String, String>,
    conditions: Option<Conditions>,
    rows: Vec<Row>,
    curve: Vec<CurvePoint>,
    histograms: BTreeMap<String, String>,
    seconds: Vec<Second>,
    /// Where the replay in progress stood still.
    positions: Vec<TracePosition>,
    /// The step in progress, for the row of a worker that dies in it.
    step: String,
    step_position: usize,
    began: Option<(Began, Instant)>,
    /// The kernel's count of kills for lack of memory when the worker started.
    oom_kills: Option<u64>,
    meter: Meter,
    interrupted: bool,
}

impl<'a> Watch<'a> {
    fn start(
        runner: &'a ProcessRunner,
        cells: &'a [&'a Cell],
        first_core: usize,
    ) -> std::io::Result<(Self, ProgressPage)> {
        let cell = cells[0];
        let progress = ProgressPage::create()?;
        let descriptor = progress.descriptor().expect("a page just created has a descriptor");
        let mut command = Command::new(&runner.program);
        command
            .args(["worker", "--progress-descriptor", &descriptor.to_string()])
            .args(["--first-core", &first_core.to_string()])
            // A group of its own: all that it starts ends with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
            .args(worker::files_folder().iter().flat_map(|folder| [Path::new("--files"), folder]));
        let environment = prepare_environment(&mut command, &cell.system);
        let oom_kills = oom_kills(&KernelFiles::here());
        let mut child = command.spawn()?;
        let mut input = child.stdin.take().expect("standard input is piped");
        let line = match cells {
            [cell] => serde_json::to_string(cell),
            several => serde_json::to_string(several),
        };
        let line = line.expect("a cell is plain data");
        // A worker that dies before it reads is reported by its exit, not by this pipe.
        let _ = writeln!(input, "{line}");
        let watch = Self {
            runner,
            cells,
            cell,
            finished: Vec::new(),
            child,
            input: Some(input),
            environment,
            version: String::new(),
            settings: BTreeMap::new(),
            conditions: None,
            rows: Vec::new(),
            curve: Vec::new(),
            histograms: BTreeMap::new(),
            seconds: Vec::new(),
            positions: Vec::new(),
            step: "cell".to_owned(),
            step_position: 0,
            began: None,
            oom_kills,
            meter: Meter::default(),
            interrupted: false,
        };
        Ok((watch, progress))
    }

    fn run(&mut self, progress: &ProgressPage, places: &mut Places<'_, '_, '_>) {
        let output = self.child.stdout.take().expect("standard output is piped");
        let errors = self.child.stderr.take().expect("standard error is piped");
        let sampler = Sampler::new(
            self.child.id(),
            progress,
            self.cell.memory_limit_bytes,
            self.cell.sampling,
        );
        let (kill, done, complaint) = std::thread::scope(|scope| {
            let (sender, lines) = mpsc::channel();
            scope.spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if sender.send(line).is_err() {
                        return;
                    }
                }
            });
            let complaint = scope.spawn(move || last_words(errors));
            let watcher = scope.spawn(|| sampler.run());
            let (kill, done) = self.listen(&lines, &sampler, places);
            sampler.finish();
            watcher.thread().unpark();
            if kill.is_some() || !done {
                platform::process::kill_group(self.child.id());
            }
            let _ = watcher.join();
            (kill, done, complaint.join().unwrap_or_default())
        });
        drop(self.input.take());
        let kill = kill.or(sampler.exceeded_bytes().map(|resident_bytes| Kill::Memory {
            resident_bytes,
            limit_bytes: self.cell.memory_limit_bytes,
        }));
        let status = self.end();
        if self.limits_cache() {
            remove_abandoned_groups(&KernelFiles::here());
        }
        self.curve = sampler.into_curve();
        if self.interrupted {
            return;
        }
        let memory_ran_out = grown(self.oom_kills, oom_kills(&KernelFiles::here()));
        let death = Death { kill, done, status, memory_ran_out, complaint };
        if let Some((outcome, reason)) = death.outcome() {
            self.finished.clear();
            let mut row = self.row(&self.step.clone(), outcome, Some(reason));
            row.positions = std::mem::take(&mut self.positions);
            self.rows.push(row);
        }
    }

    /// Waits for the worker's end, and ends what it left behind.
    fn end(&mut self) -> std::io::Result<ExitStatus> {
        platform::process::wait_for_end(self.child.id())?;
        platform::process::kill_group(self.child.id());
        self.child.wait()
    }

    /// Answers the worker until it is done or must be killed. Returns why it must be, and
    /// whether it said that it was done.
    fn listen(
        &mut self,
        lines: &mpsc::Receiver<String>,
        sampler: &Sampler<'_>,
        places: &mut Places<'_, '_, '_>,
    ) -> (Option<Kill>, bool) {
        let timeout = Duration::from_millis(self.cell.timeout_ms);
        let mut deadline = Instant::now() + timeout;
        let mut done = false;
        loop {
            match lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => {
                    let waited = Instant::now();
                    self.meter.heard(&line);
                    match serde_json::from_str(&line) {
                        Ok(Event::Done) => done = true,
                        Ok(Event::NextCell) => {
                            self.turn_to_next();
                            deadline = Instant::now() + timeout;
                        }
                        Ok(event) => self.answer(event, sampler, places),
                        Err(error) => {
                            let reason = format!("the worker said `{line}`: {error}");
                            let row = self.row(&self.step.clone(), Outcome::Failed, Some(reason));
                            self.rows.push(row);
                        }
                    }
                    deadline += waited.elapsed();
                }
                Err(RecvTimeoutError::Disconnected) => return (None, done),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if self.runner.interrupt.is_set() {
                self.interrupted = true;
                return (Some(Kill::Interrupt), done);
            }
            if Instant::now() > deadline {
                return (Some(Kill::Timeout { timeout }), done);
            }
        }
    }

    fn answer(&mut self, event: Event, sampler: &Sampler<'_>, places: &mut Places<'_, '_, '_>) {
        match event {
            Event::Ready { engine_bytes } => {
                sampler.take_baseline(engine_bytes);
                self.reply();
            }
            Event::Opened { version, settings, conditions, folders } => {
                self.meter.opened(folders);
                self.version = version;
                self.settings = settings;
                self.conditions = conditions.map(|conditions| *conditions);
            }
            Event::Before { step, grows_bytes } => {
                places.guard.get_or_insert_with(|| places.floor.take());
                places.berth.grow(grows_bytes);
                self.step = step;
                self.step_position = sampler.position();
                self.began = Some((circumstances(), Instant::now()));
                self.meter.begin(self.child.id());
                self.reply();
            }
            Event::Step(report) => self.keep_step(&report, sampler),
            Event::Latency(report) => self.keep_latency(*report),
            Event::Observe {
                step,
                point,
                live_bytes,
                live_objects,
                idle_ms,
                self_allocated_bytes,
            } => {
                if idle_ms > 0 {
                    places.guard = None;
                    if self.is_at_its_end() {
                        places.berth.shrink_to(self.look(sampler).resident_bytes());
                    }
                    self.stand_idle(Duration::from_millis(idle_ms));
                    places.guard = Some(places.floor.take_again());
                }
                let oracle = (live_bytes, live_objects);
                let seen = self.observe(sampler, oracle, self_allocated_bytes);
                self.keep_observation(&step, point, seen, sampler);
                self.reply();
            }
            Event::Quiet { step, live_bytes, asked, harness_read_bytes } => {
                let traffic = self.meter.traffic(self.child.id(), harness_read_bytes);
                let traffic = traffic.map(|seen| Traffic { live_bytes, asked, ..seen });
                if let Some(row) = self.rows.iter_mut().rfind(|row| row.step == step) {
                    row.traffic = traffic;
                }
                self.reply();
            }
            Event::Position { events, elapsed_ns, live_bytes, live_objects } => {
                let memory = self.look(sampler);
                self.positions.push(TracePosition {
                    events,
                    elapsed_ns,
                    resident_bytes: above_baseline(memory, sampler),
                    live_bytes,
                    live_objects,
                });
                self.reply();
            }
            Event::Failed { outcome, reason } => {
                let row = self.row(&self.step.clone(), outcome, Some(reason));
                self.rows.push(row);
            }
            Event::Ending => {
                sampler.finish();
                self.reply();
            }
            Event::NextCell | Event::Done => {}
        }
    }

    /// Puts what came of the cell aside; the next one begins with its load.
    fn turn_to_next(&mut self) {
        let Some(&next) = self.cells.get(self.finished.len() + 1) else { return };
        self.cell = next;
        let before_run = self.rows.iter().take_while(|row| row.step != "run");
        let rows = before_run.map(|row| Row { cell: next.clone(), ..row.clone() }).collect();
        self.finished.push(CellRecord {
            rows: std::mem::replace(&mut self.rows, rows),
            histograms: std::mem::take(&mut self.histograms),
            seconds: std::mem::take(&mut self.seconds),
            ..CellRecord::default()
        });
    }

    fn reply(&mut self) {
        if let Some(input) = &mut self.input {
            const GO: &[u8] = b"go\n";
            // A worker that died meanwhile is reported by its exit.
            let _ = input.write_all(GO);
            self.meter.told(GO.len());
        }
    }

    /// Whether a cell that stands idle has nothing more to create: it does so once, after its last phase.
    fn is_at_its_end(&self) -> bool {
        matches!(&self.cell.work, Work::Fragmentation(work) if work.observe == Observe::End)
    }

    /// Whether the worker makes a control group of its own.
    fn limits_cache(&self) -> bool {
        matches!(&self.cell.work, Work::KeyValue(work) if work.cache_percent.is_some())
    }

    fn stand_idle(&self, idle: Duration) {
        let end = Instant::now() + idle;
        while Instant::now() < end && !self.runner.interrupt.is_set() {
            std::thread::sleep((end - Instant::now()).min(Duration::from_millis(50)));
        }
    }

    fn keep_step(&mut self, report: &StepReport, sampler: &Sampler<'_>) {
        let mut row = self.row(&report.step, report.outcome, report.reason.clone());
        row.expected = report.expected;
        row.operations = report.operations;
        row.elapsed_ns = report.elapsed_ns;
        if report.elapsed_ns > 0 {
            row.throughput_ops_per_s = report.operations as f64 * 1e9 / report.elapsed_ns as f64;
        }
        row.operations_per_cpu_s = report.cpu.operations_per_s(report.operations);
        row.cpu = report.cpu;
        row.counters.clone_from(&report.counters);
        row.counters_missing.clone_from(&report.counters_missing);
        row.flags.clone_from(&report.flags);
        if let Work::KeyValue(work) = &self.cell.work
            && report.step == "run"
            && environment::last_level_cache_bytes(&KernelFiles::here())
                .is_some_and(|cache_bytes| work.live_value_bytes() <= cache_bytes)
        {
            row.flags.push(Flag::Cached);
        }
        if let Some((began, since)) = self.began.take() {
            row.began = Some(began);
            let cores = platform::cpu::allowed_cores().len();
            let wall_ns = since.elapsed().as_nanos() as f64 * cores as f64;
            if report.cpu.steal_ns as f64 > wall_ns * Flag::STOLEN_SHARE_MAX {
                row.flags.push(Flag::Stolen);
            }
        }
        if let Some(ns_per_operation) = report.driver_ns {
            let share = ns_per_operation / row.ns_per_operation().unwrap_or(f64::INFINITY);
            row.driver = Some(DriverPrice { ns_per_operation, share });
            if share > Flag::DRIVER_SHARE_MAX {
                row.flags.push(Flag::DriverBound);
            }
        }
        row.refusal = report.refusal;
        row.positions = std::mem::take(&mut self.positions);
        row.verification = report.verification;
        row.statistics.clone_from(&report.statistics);
        row.census = report.census;
        let mut memory = Memory { baseline_bytes: sampler.baseline_bytes(), ..Memory::default() };
        memory.sampled_max_bytes = sampler.max_since(self.step_position);
        memory.overheads =
            report.capacity.filter(|capacity| capacity.live_value_bytes > 0).map(|capacity| {
                let live = capacity.live_value_bytes as f64;
                let object_memory = capacity.object_memory_bytes as f64;
                Overheads {
                    object_memory_bytes: capacity.object_memory_bytes,
                    capacity_bytes: capacity.capacity_bytes,
                    log_only: object_memory / live,
                    all_in: capacity.capacity_bytes as f64 / live,
                    utilisation: capacity.live_object_bytes as f64 / object_memory,
                }
            });
        row.memory = Some(memory);
        self.rows.push(row);
    }

    /// Completes the row of the step that was timed.
    fn keep_latency(&mut self, report: LatencyReport) {
        let Some(row) = self.rows.iter_mut().rfind(|row| row.step == "run") else { return };
        if let Some(open_loop) = &report.open_loop {
            row.flags.extend(open_loop.flags(&report.latency_ns));
        }
        row.latency_ns = report.latency_ns;
        row.latency_by_kind_ns = report.latency_by_kind_ns;
        row.open_loop = report.open_loop;
        if let Some(traffic) = &mut row.traffic {
            traffic.asked = report.asked;
        }
        let followed = match &row.cell.work {
            Work::KeyValue(work) => record::followed(work, &report.seconds),
            _ => BTreeMap::new(),
        };
        row.statistics.extend(followed);
        self.histograms = report.histograms;
        self.seconds = report.seconds;
    }

    fn keep_observation(
        &mut self,
        step: &str,
        point: Point,
        seen: MemoryPoint,
        sampler: &Sampler<'_>,
    ) {
        let row = self.rows.iter_mut().rev().find(|row| row.step == step);
        let Some(memory) = row.and_then(|row| row.memory.as_mut()) else { return };
        match point {
            Point::AtOnce => {
                memory.at_once = Some(seen);
                let sampled = sampler.max_since(self.step_position);
                memory.sampled_max_bytes = memory.sampled_max_bytes.max(sampled);
            }
            Point::AfterIdle => memory.after_idle = Some(seen),
            Point::AfterTrim => memory.after_trim = Some(seen),
        }
    }

    fn observe(
        &self,
        sampler: &Sampler<'_>,
        (live_bytes, live_objects): (u64, u64),
        self_allocated_bytes: Option<u64>,
    ) -> MemoryPoint {
        let memory = self.look(sampler);
        let rollup = MemoryRollup::of_tree(self.child.id()).unwrap_or_default();
        let resident_bytes = above_baseline(memory, sampler);
        let over = |base: u64| (base > 0).then(|| resident_bytes as f64 / base as f64);
        MemoryPoint {
            resident_bytes,
            live_bytes,
            live_objects,
            overhead: over(live_bytes),
            overhead_key_value: match self.cell.system {
                System::Store { .. } => over(live_bytes + self.cell.key_bytes_of(live_objects)),
                System::Heap { .. } | System::Kernel | System::Way { .. } => None,
            },
            anonymous_huge_bytes: rollup.anonymous_huge_bytes,
            private_dirty_bytes: rollup.private_dirty_bytes,
            swap_bytes: memory.swap_bytes,
            self_allocated_bytes,
        }
    }

    /// The worker's memory now, which becomes a point of the curve.
    fn look(&self, sampler: &Sampler<'_>) -> ProcessMemory {
        let memory = ProcessMemory::of_tree(self.child.id()).unwrap_or_default();
        if self.cell.sampling {
            sampler.keep(memory);
        }
        memory
    }

    fn row(&self, step: &str, outcome: Outcome, reason: Option<String>) -> Row {
        let mut row = blank_row(self.cell, step, outcome, reason);
        row.version.clone_from(&self.version);
        row.settings.clone_from(&self.settings);
        row.conditions.clone_from(&self.conditions);
        row.environment.clone_from(&self.environment);
        row
    }

    /// What came of every cell. Where the process did not answer all of them to its end, nothing is
    /// known of the values that the others left: what came of the cell at hand if that is the first, or
    /// else nothing.
    fn into_records(mut self) -> Vec<CellRecord> {
        let last = CellRecord {
            rows: self.rows,
            curve: self.curve,
            histograms: self.histograms,
            seconds: self.seconds,
            interrupted: self.interrupted,
        };
        if self.cells.len() == 1 || last.interrupted {
            return vec![last];
        }
        let sound = last.rows.iter().all(record::is_sound);
        if self.finished.len() + 1 < self.cells.len() || !sound {
            return Vec::new();
        }
        for finished in &mut self.finished {
            finished.curve.clone_from(&last.curve);
        }
        self.finished.push(last);
        let of = self.cells.len();
        for (place, record) in (1..).zip(&mut self.finished) {
            record.rows.iter_mut().for_each(|row| row.turn = Some(Turn { place, of }));
        }
        self.finished
    }
}

/// Whether a count that the kernel keeps has grown.
fn grown(before: Option<u64>, after: Option<u64>) -> Option<bool> {
    Some(after? > before?)
}

fn above_baseline(memory: ProcessMemory, sampler: &Sampler<'_>) -> u64 {
    memory.resident_bytes().saturating_sub(sampler.baseline_bytes())
}

fn blank_row(cell: &Cell, step: &str, outcome: Outcome, reason: Option<String>) -> Row {
    let expected = matches!(outcome, Outcome::Measured | Outcome::Unavailable);
    let report = StepReport { outcome, expected, reason, ..StepReport::measured(step, 0, 0) };
    let role = worker::registry::role(&cell.system);
    Row { role, node: environment::node_name(), ..Row::of_step(cell, report) }
}

/// Now.
fn circumstances() -> Began {
    let files = KernelFiles::here();
    let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Began {
        unix_ms: unix.as_millis() as u64,
        load_average: doctor::load_average(),
        frequency_mhz: doctor::frequency_mhz(&files),
    }
}
