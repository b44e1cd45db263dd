//! Runs by side and round, and what is judged of them.

use compare::Blocks;
use stats::{Better, median};

use crate::Run;

/// What a run is measured by.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// As in tables, files and `--tolerance`.
    pub name: &'static str,
    pub unit: &'static str,
    /// The smallest change that matters, as a share; `None` where it is judged only if one is given.
    pub tolerance: Option<f64>,
    /// Not a number where a run does not tell.
    pub of: fn(&Run) -> f64,
}

const S_PER_NS: f64 = 1e-9;

/// All that is measured; lower is better in each.
pub const MEASURES: [Measure; 8] = [
    Measure {
        name: "elapsed",
        unit: "s",
        tolerance: Some(0.03),
        of: |run| run.elapsed_ns as f64 * S_PER_NS,
    },
    Measure {
        name: "cpu",
        unit: "s",
        tolerance: Some(0.03),
        of: |run| (run.user_ns + run.system_ns) as f64 * S_PER_NS,
    },
    Measure { name: "peak-memory", unit: "bytes", tolerance: Some(0.03), of: peak_bytes },
    Measure { name: "mean-memory", unit: "bytes", tolerance: None, of: mean_bytes },
    Measure { name: "user", unit: "s", tolerance: None, of: |run| run.user_ns as f64 * S_PER_NS },
    Measure {
        name: "system",
        unit: "s",
        tolerance: None,
        of: |run| run.system_ns as f64 * S_PER_NS,
    },
    Measure {
        name: "minor-faults",
        unit: "faults",
        tolerance: None,
        of: |run| run.minor_faults as f64,
    },
    Measure {
        name: "major-faults",
        unit: "faults",
        tolerance: None,
        of: |run| run.major_faults as f64,
    },
];

/// Of less processor time than this the share that starting a process takes varies more than any program.
const CPU_S_MIN: f64 = 0.005;
/// The peak of smaller programs comes from samples, which repeat less well than the kernel's count.
const PEAK_BYTES_MIN: f64 = (12 << 20) as f64;

impl Measure {
    /// One of [`MEASURES`] by its name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        MEASURES.iter().find(|measure| measure.name == name)
    }

    /// Below this median a value is not judged unless that is asked for.
    fn least(&self) -> f64 {
        match self.name {
            "cpu" => CPU_S_MIN,
            "peak-memory" => PEAK_BYTES_MIN,
            _ => 0.0,
        }
    }
}

fn peak_bytes(run: &Run) -> f64 {
    if run.peak_bytes > 0 { run.peak_bytes as f64 } else { f64::NAN }
}

/// The mean over time of what was sampled, each sample until the next.
fn mean_bytes(run: &Run) -> f64 {
    let [.., last] = run.curve[..] else { return f64::NAN };
    let start = run.curve[0].elapsed_ns;
    if last.elapsed_ns == start {
        return last.bytes as f64;
    }
    let areas = run
        .curve
        .windows(2)
        .map(|pair| pair[0].bytes as f64 * (pair[1].elapsed_ns - pair[0].elapsed_ns) as f64);
    areas.sum::<f64>() / (last.elapsed_ns - start) as f64
}

/// One run in its place.
#[derive(Clone, Debug, PartialEq)]
struct Placed {
    cell: usize,
    side: usize,
    round: u32,
    run: Run,
}

/// All runs of a bench, in their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured(Vec<Placed>);

impl Measured {
    pub(crate) fn push(&mut self, cell: usize, side: usize, round: u32, run: Run) {
        self.0.push(Placed { cell, side, round, run });
    }

    /// The runs of a side of a cell.
    pub fn runs(&self, cell: usize, side: usize) -> impl Iterator<Item = &Run> {
        let of = move |placed: &&Placed| placed.cell == cell && placed.side == side;
        self.0.iter().filter(of).map(|placed| &placed.run)
    }

    /// The values of a side.
    #[must_use]
    pub fn values(&self, cell: usize, side: usize, measure: &Measure) -> Vec<f64> {
        self.runs(cell, side).map(measure.of).collect()
    }

    /// Blocks of one cell and measure over these rounds, of the sides A, B and, where there is one, A
    /// again. `None` where a measure is not judged, or a side too small for it, unless a tolerance is
    /// `asked`.
    #[must_use]
    pub fn blocks(
        &self,
        (cell, name): (usize, &str),
        (a, b, again): (usize, usize, Option<usize>),
        measure: &Measure,
        asked: Option<f64>,
        rounds: &std::ops::Range<u32>,
    ) -> Option<Blocks> {
        let tolerance = asked.or(measure.tolerance)?;
        let too_small = |side: &usize| {
            let values: Vec<f64> = self.values(cell, *side, measure);
            let known: Vec<f64> = values.into_iter().filter(|it| it.is_finite()).collect();
            median(&known).is_none_or(|median| median < measure.least())
        };
        if asked.is_none() && [a, b].iter().any(too_small) {
            return None;
        }
        let mut blocks = Blocks::empty(name, measure.name, measure.unit, Better::Lower, tolerance);
        for round in rounds.clone() {
            let pair = |side| self.pair(cell, side, round, measure);
            blocks.push(pair(a), pair(b), again.map(pair));
        }
        Some(blocks)
    }

    /// Both values of a side in a round; not a number where a run is missing.
    fn pair(&self, cell: usize, side: usize, round: u32, measure: &Measure) -> [f64; 2] {
        let of =
            |placed: &&Placed| placed.round == round && placed.cell == cell && placed.side == side;
        let mut values = self.0.iter().filter(of).map(|placed| (measure.of)(&placed.run));
        std::array::from_fn(|_| values.next().unwrap_or(f64::NAN))
    }
}
