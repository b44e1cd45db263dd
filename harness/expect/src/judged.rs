//! Values and ratios held against their bounds.

use stats::Interval;

use crate::bounds::Bounds;
use crate::estimate::Estimate;
use crate::select::Row;
use crate::share::is_far_beyond;
use crate::{Look, Verdict};

/// One value, or one ratio, with its verdict.
#[derive(Clone, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) of: Row<'a>,
    /// The denominator of a ratio.
    pub(crate) to: Option<Row<'a>>,
    pub(crate) estimate: Estimate,
    pub(crate) bounds: Bounds,
    pub(crate) verdict: Verdict,
}

impl<'a> Judged<'a> {
    /// The metric itself.
    pub(crate) fn value(of: &Row<'a>, bounds: Bounds) -> Self {
        let judge = |look| {
            let of = of.seen_by(look);
            let estimate = of.sample.estimate();
            Ok(Self::new(of, None, estimate, bounds))
        };
        first_decided(of.sample.looks(), of.sample.count(), judge).expect("a value needs no other")
    }

    /// `of` ÷ `to`.
    ///
    /// # Errors
    ///
    /// Why there is no ratio.
    pub(crate) fn ratio(of: &Row<'a>, to: &Row<'a>, bounds: Bounds) -> Result<Self, String> {
        let judge = |look| {
            let (of, to) = (of.seen_by(look), to.seen_by(look));
            let estimate = of.sample.ratio(&to.sample)?;
            Ok(Self::new(of, Some(to), estimate, bounds))
        };
        first_decided(of.sample.looks(), of.sample.count().max(to.sample.count()), judge)
    }

    fn new(of: Row<'a>, to: Option<Row<'a>>, estimate: Estimate, bounds: Bounds) -> Self {
        let verdict = match estimate.decides() {
            Some(interval) => bounds.judge(&interval),
            None => Verdict::Undecided,
        };
        Self { of, to, estimate, bounds, verdict }
    }

    /// The interval, if there are enough processes for one.
    pub(crate) fn decides(&self) -> Option<Interval> {
        self.estimate.decides()
    }

    /// The conditions in which both sides differ: `pages (2 MiB pages ÷ 4 KiB pages)`.
    pub(crate) fn unlike(&self) -> Vec<String> {
        let Some(to) = &self.to else { return Vec::new() };
        let (of, to) = (&self.of.row.conditions, &to.row.conditions);
        let both = of.iter().filter_map(|(name, of)| Some((name, of, to.get(name)?)));
        both.filter(|(_, of, to)| of != to)
            .map(|(name, of, to)| format!("{name} ({of} ÷ {to})"))
            .collect()
    }

    /// Whether it fails, and by far.
    pub(crate) fn is_far_beyond(&self) -> bool {
        let fails = self.verdict == Verdict::Fails;
        fails && self.decides().is_some_and(|interval| is_far_beyond(&self.bounds, &interval))
    }

    /// How far inside its bounds it is, by the end of the interval that is worse; negative outside.
    pub(crate) fn margin(&self) -> f64 {
        match (self.verdict, self.decides()) {
            (Verdict::Holds, Some(interval)) => {
                self.bounds.inside(interval.low).min(self.bounds.inside(interval.high))
            }
            _ => self.bounds.inside(self.estimate.interval.estimate),
        }
    }
}

/// What the first of `looks` that decides makes of `count` processes, or else the last that sees more than
/// the one before.
fn first_decided<'a>(
    looks: &[Look],
    count: usize,
    judge: impl Fn(Look) -> Result<Judged<'a>, String>,
) -> Result<Judged<'a>, String> {
    let mut judged = judge(looks[0])?;
    for pair in looks.windows(2) {
        if judged.verdict != Verdict::Undecided || count <= pair[0].processes {
            break;
        }
        judged = judge(pair[1])?;
    }
    Ok(judged)
}

/// Everything that a question judged.
#[derive(Debug, Default)]
pub(crate) struct Judging<'a> {
    pub(crate) judged: Vec<Judged<'a>>,
    /// Why selected rows could not be judged, one reason each.
    pub(crate) skipped: Vec<String>,
    /// Whether only the first, the worst, counts.
    pub(crate) worst: bool,
}

impl<'a> Judging<'a> {
    /// Adds what was judged, or why it was not.
    pub(crate) fn add(&mut self, judged: Result<Judged<'a>, String>) {
        match judged {
            Ok(judged) => self.judged.push(judged),
            Err(why) => self.skipped.push(why),
        }
    }
}
