//! Judges throughput against systems measured elsewhere, scaled by what the two machines' memory
//! is capable of.

use stats::median;

use super::file::File;
use super::judge::{Detail, Line, blank, estimate, sound_cells, verdict_of, worst_of};
use super::target::{Kind, Target};
use record::Calibration;
use record::Row;

/// Two machines differ in more than the calibration sees: ratios this near to the bar decide
/// nothing.
const MARGIN: f64 = 0.15;

/// Judges a yardstick by its rows and the calibrations of its rounds.
pub(crate) fn judge_yardstick(
    file: &File,
    target: &Target,
    rows: &[Row],
    calibrations: &[Calibration],
) -> Line {
    let (Kind::Yardstick { side, except }, Some(made)) = (&target.kind, file.calibration) else {
        return blank(target, "not a yardstick");
    };
    let value_bytes = side.value_bytes.unwrap_or_default();
    // Mops/s and the factor of the round, a repetition each.
    let measured: Vec<(f64, f64)> = sound_cells(rows)
        .into_iter()
        .filter_map(|cell| {
            let run = cell.iter().find(|row| row.step == "run")?;
            let calibration = calibrations.get(run.cell.repetition as usize)?;
            let factor = calibration.factor(made.random_line_ns, made.copy_gb_per_s, value_bytes);
            Some((run.throughput_ops_per_s / 1e6, factor))
        })
        .collect();
    if measured.len() < 3 {
        let note = format!("{} repetitions were measured; at least 3 are needed", measured.len());
        return blank(target, &note);
    }
    let middle = |of: fn(&(f64, f64)) -> f64| {
        median(&measured.iter().map(of).collect::<Vec<_>>()).unwrap_or(f64::NAN)
    };
    let (mops, factor) = (middle(|one| one.0), middle(|one| one.1));
    let details: Vec<Detail> = file
        .lines_for(side, except)
        .into_iter()
        .map(|(name, yardstick)| {
            let values: Vec<f64> =
                measured.iter().map(|(mops, factor)| mops / (yardstick * factor)).collect();
            let measured = estimate(&values, file.seed);
            Detail {
                what: format!("against {name}"),
                verdict: Some(verdict_of(target, measured.as_ref(), Some(MARGIN))),
                measured,
                values,
                note: format!("{mops:.2} ÷ ({yardstick:.1} × {factor:.2}) Mops/s"),
            }
        })
        .collect();
    worst_of(target, details)
}
