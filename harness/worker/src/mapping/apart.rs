//! Regions that are mapped by processes instead of threads: each has an address space of its own, with
//! page tables and a list of mappings that nobody else changes.
//!
//! A process is this program, started again. It allocates its region, stamps and examines it, says
//! `ready`, waits for a line, and answers what it measured. All processes read one clock.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use hdrhistogram::Histogram;
use platform::process::bind_to_parent;
use serde::{Deserialize, Serialize};

use super::{Ran, Region, Timed, rng_of};
use crate::windows::executor;
use crate::{Stop, pin};
use record::{Cell, Mappings, Outcome, Verification};

/// Tells a process what it maps.
const VARIABLE: &str = "NIBBLE_MAPPER";
const READY: &str = "ready";

#[derive(Debug, Serialize, Deserialize)]
struct Told {
    seed: u64,
    /// Which of the processes it is.
    number: usize,
    /// The cell's, of one thread.
    work: Mappings,
}

#[derive(Debug, Serialize, Deserialize)]
enum Said {
    Measured {
        started_ns: u64,
        ended_ns: u64,
        checked: Verification,
        map: Vec<(u64, u64)>,
        unmap: Vec<(u64, u64)>,
        both: Vec<(u64, u64)>,
    },
    Stopped {
        outcome: Outcome,
        reason: String,
    },
}

/// The processes; ended when dropped.
pub(super) struct Mappers {
    all: Vec<Mapper>,
}

struct Mapper {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Drop for Mapper {
    fn drop(&mut self) {
        // One that has ended needs neither.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Mappers {
    /// Starts a process for each thread of the cell; each has its region when this returns.
    pub(super) fn start(cell: &Cell, work: &Mappings) -> Result<Self, Stop> {
        let start = |number| {
            let told = Told { seed: cell.seed, number, work: Mappings { threads: 1, ..*work } };
            start(&told).map_err(|error| Stop::failed(format!("starting a process: {error}")))
        };
        let mut all = (0..work.threads).map(start).collect::<Result<Vec<_>, Stop>>()?;
        for mapper in &mut all {
            let line = mapper.line()?;
            if line != READY {
                return Err(said(&line).err().unwrap_or_else(|| unknown(&line)));
            }
        }
        Ok(Self { all })
    }

    /// Makes all map their regions at once.
    pub(super) fn run(mut self) -> Result<Vec<Ran>, Stop> {
        for mapper in &mut self.all {
            mapper.input.write_all(b"go\n").map_err(|_| died())?;
        }
        self.all.iter_mut().map(|mapper| said(&mapper.line()?)).collect()
    }
}

impl Mapper {
    fn line(&mut self) -> Result<String, Stop> {
        let mut line = String::new();
        match self.output.read_line(&mut line) {
            Ok(bytes) if bytes > 0 => Ok(line.trim_end().to_owned()),
            _ => Err(died()),
        }
    }
}

fn start(told: &Told) -> io::Result<Mapper> {
    let mut command = executor()?;
    command.env(VARIABLE, serde_json::to_string(told)?);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    bind_to_parent(&mut command);
    let mut child = command.spawn()?;
    let input = child.stdin.take().expect("a pipe");
    let output = BufReader::new(child.stdout.take().expect("a pipe"));
    Ok(Mapper { child, input, output })
}

fn died() -> Stop {
    Stop::failed("a process that maps a region died")
}

fn unknown(line: &str) -> Stop {
    Stop::failed(format!("a process that maps a region says `{line}`"))
}

fn said(line: &str) -> Result<Ran, Stop> {
    match serde_json::from_str(line).map_err(|_| unknown(line))? {
        Said::Stopped { outcome, reason } => Err(Stop::Because { outcome, reason }),
        Said::Measured { started_ns, ended_ns, checked, map, unmap, both } => {
            let mut timed = Timed::new().map_err(Stop::failed)?;
            for (histogram, counts) in
                [(&mut timed.map, map), (&mut timed.unmap, unmap), (&mut timed.both, both)]
            {
                counts.iter().for_each(|&(ns, times)| histogram.saturating_record_n(ns, times));
            }
            Ok(Ran { started_ns, ended_ns, checked, timed })
        }
    }
}

/// Whether this process was started to map a region.
pub(crate) fn is_wanted() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Maps a region for the worker that started this process, and ends it.
pub(crate) fn serve() -> ! {
    let told = std::env::var(VARIABLE).unwrap_or_default();
    let answer =
        serde_json::from_str(&told).map_err(|_| unknown(&told)).and_then(|told| map(&told));
    let answer = answer.unwrap_or_else(|stop| match stop {
        Stop::Because { outcome, reason } => Said::Stopped { outcome, reason },
        Stop::Said => Said::Stopped { outcome: Outcome::Failed, reason: "stopped".to_owned() },
    });
    println!("{}", serde_json::to_string(&answer).expect("numbers and texts"));
    std::process::exit(0)
}

fn map(told: &Told) -> Result<Said, Stop> {
    let Told { seed, number, work } = told;
    pin(*number, &platform::cpu::allowed_cores());
    let mut regions = Region::all(work)?;
    // Stamps of different processes differ, as those of threads do.
    regions.iter_mut().for_each(|region| region.number = *number as u64);
    let region = regions.first().expect("a region for the one thread");
    region.stamp()?;
    region.examine(work)?;
    let timed = Timed::new().map_err(Stop::failed)?;
    println!("{READY}");
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line).map_err(Stop::failed)?;
    let mut rng = rng_of(*seed, *number);
    let ran = region.map_repeatedly(work.operations_per_thread, timed, &mut rng);
    let Ran { started_ns, ended_ns, mut checked, timed } = ran.map_err(|error| {
        Stop::failed(format!("mapping a region of {} bytes: {error}", work.region_bytes))
    })?;
    checked += region.examine(work)?;
    let [map, unmap, both] = [&timed.map, &timed.unmap, &timed.both].map(counts);
    Ok(Said::Measured { started_ns, ended_ns, checked, map, unmap, both })
}

/// The values of a histogram, and how often each was recorded.
fn counts(histogram: &Histogram<u64>) -> Vec<(u64, u64)> {
    histogram.iter_recorded().map(|one| (one.value_iterated_to(), one.count_at_value())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Spaces;

    const WORK: Mappings = Mappings {
        region_bytes: 64 << 10,
        page_bytes: 4096,
        threads: 1,
        spaces: Spaces::Each,
        operations_per_thread: 8,
    };

    /// What a process does, in this one, up to its answer.
    #[test]
    fn what_is_measured_is_read_back() {
        let regions = Region::all(&WORK).unwrap();
        regions[0].stamp().unwrap();
        let timed = Timed::new().unwrap();
        let ran = regions[0].map_repeatedly(8, timed, &mut rng_of(1, 0)).unwrap();
        let Ran { started_ns, ended_ns, checked, timed } = ran;
        let [map, unmap, both] = [&timed.map, &timed.unmap, &timed.both].map(counts);
        let answer = Said::Measured { started_ns, ended_ns, checked, map, unmap, both };
        let back = said(&serde_json::to_string(&answer).unwrap()).unwrap();
        assert_eq!((back.started_ns, back.ended_ns, back.checked), (started_ns, ended_ns, checked));
        assert_eq!(back.timed.map, timed.map);
        assert_eq!(back.timed.unmap.len(), 8);
    }

    #[test]
    fn why_a_process_stopped_is_told() {
        let stopped =
            Said::Stopped { outcome: Outcome::Unavailable, reason: "no pages".to_owned() };
        let line = serde_json::to_string(&stopped).unwrap();
        let Err(Stop::Because { outcome, reason }) = said(&line) else { panic!("stopped") };
        assert_eq!((outcome, reason.as_str()), (Outcome::Unavailable, "no pages"));
        assert!(said("mapped").is_err());
    }
}
