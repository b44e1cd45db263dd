//! What blocks of commands say: by the judge of all comparisons, in two looks.

use std::collections::BTreeSet;
use std::ops::Range;

use compare::{Blocks, Judged, first_look, judge, second_look, suspects};
use stats::Interval;

use crate::{Asked, Bench, Failure, Length, MEASURES, Told};

/// Share of comparisons of equal commands in which anything at all may be called changed.
pub const ERROR_RATE: f64 = 0.02;

/// How a comparison is made.
#[derive(Clone, Debug)]
pub struct Looks<'a> {
    /// A name for each cell.
    pub names: &'a [String],
    pub asked: &'a Asked,
    pub length: Length,
    /// Whether what is worse or unknown is measured once more for as long, before anything is said.
    pub twice: bool,
    pub seed: u64,
}

/// Measures cells whose sides are A, B and A again, and judges them; with how many rounds there were in
/// the first look.
///
/// # Errors
/// As of [`Bench::measure`].
pub fn looks(
    bench: &mut Bench<'_>,
    looks: &Looks<'_>,
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<(Vec<Judged>, u32), Failure> {
    let all: BTreeSet<usize> = (0..looks.names.len()).collect();
    let rounds = bench.measure(&all, looks.length, tell)?;
    let count = rounds.end - rounds.start;
    let first = blocks(bench, looks, &all, &rounds);
    if !looks.twice {
        return Ok((judge(&first, ERROR_RATE, looks.seed), count));
    }
    let judged = first_look(&first, ERROR_RATE, looks.seed);
    let suspicious = suspects(&judged);
    let again: BTreeSet<usize> =
        all.into_iter().filter(|cell| suspicious.contains(&looks.names[*cell])).collect();
    if again.is_empty() {
        return Ok((judged, count));
    }
    let rounds = bench.measure(&again, looks.length, tell)?;
    let fresh = blocks(bench, looks, &again, &rounds);
    Ok((second_look(&first, &fresh, ERROR_RATE, looks.seed), count))
}

fn blocks(
    bench: &Bench<'_>,
    looks: &Looks<'_>,
    cells: &BTreeSet<usize>,
    rounds: &Range<u32>,
) -> Vec<Blocks> {
    let judged = MEASURES.iter().filter(|measure| !looks.asked.is_off(measure));
    let of = |cell: usize| {
        let name = looks.names[cell].as_str();
        judged.clone().filter_map(move |measure| {
            let asked = looks.asked.of(measure);
            bench.measured().blocks((cell, name), (0, 1, Some(2)), measure, asked, rounds)
        })
    };
    cells.iter().flat_map(|cell| of(*cell)).collect()
}

/// Judges every side of the only cell against its first, of which the last is the control. A cell of the
/// result has the name of its side.
#[must_use]
pub fn allocators(
    bench: &Bench<'_>,
    names: &[String],
    asked: &Asked,
    rounds: &Range<u32>,
    seed: u64,
) -> Vec<Judged> {
    let again = names.len();
    let blocks: Vec<Blocks> = names
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(side, _)| bench.failed(0, *side).is_none())
        .flat_map(|(side, name)| {
            let judged = MEASURES.iter().filter(|measure| !asked.is_off(measure));
            judged.filter_map(move |measure| {
                let sides = (0, side, Some(again));
                bench.measured().blocks((0, name), sides, measure, asked.of(measure), rounds)
            })
        })
        .collect();
    judge(&blocks, ERROR_RATE, seed)
}

/// How many times as long each other side of the only cell takes as the fastest, over the same blocks,
/// with 95 % intervals; the place of the fastest first.
#[must_use]
pub fn fastest(
    bench: &Bench<'_>,
    rounds: &Range<u32>,
    seed: u64,
) -> Option<(usize, Vec<(usize, Interval)>)> {
    let elapsed = &MEASURES[0];
    let measured = bench.measured();
    let sides = bench.cells().first()?.len();
    let middle = |side: usize| stats::median(&measured.values(0, side, elapsed));
    let fastest = (0..sides)
        .filter_map(|side| Some((side, middle(side)?)))
        .min_by(|(_, one), (_, other)| one.total_cmp(other))?
        .0;
    let others = (0..sides).filter(|side| *side != fastest);
    let ratios = others.filter_map(|side| {
        let blocks = measured.blocks((0, ""), (fastest, side, None), elapsed, None, rounds)?;
        let judged = judge(&[blocks], 0.05, seed).pop()?;
        Some((side, judged.ratio?))
    });
    Some((fastest, ratios.collect()))
}
