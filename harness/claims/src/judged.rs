//! Values and ratios held against their bounds.

use stats::Interval;

use crate::Verdict;
use crate::bounds::Bounds;
use crate::select::Row;

/// One value, or one ratio, with its verdict.
#[derive(Clone, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) of: Row<'a>,
    /// Below the line of a ratio.
    pub(crate) to: Option<Row<'a>>,
    pub(crate) estimate: Interval,
    pub(crate) bounds: Bounds,
    pub(crate) verdict: Verdict,
}

impl<'a> Judged<'a> {
    /// The metric itself.
    pub(crate) fn value(of: Row<'a>, bounds: Bounds) -> Self {
        Self::new(of, None, of.sample.estimate(), bounds)
    }

    /// `of` ÷ `to`.
    ///
    /// # Errors
    ///
    /// Why there is no ratio.
    pub(crate) fn ratio(of: Row<'a>, to: Row<'a>, bounds: Bounds) -> Result<Self, String> {
        match of.sample.ratio(&to.sample) {
            Some(estimate) => Ok(Self::new(of, Some(to), estimate, bounds)),
            None => Err("a value of 0 has no ratio to others".to_owned()),
        }
    }

    fn new(of: Row<'a>, to: Option<Row<'a>>, estimate: Interval, bounds: Bounds) -> Self {
        let verdict =
            if estimate.has_level() { bounds.judge(estimate) } else { Verdict::Undecided };
        Self { of, to, estimate, bounds, verdict }
    }

    /// The interval, if there are processes enough for one.
    pub(crate) fn decides(&self) -> Option<Interval> {
        Some(self.estimate).filter(Interval::has_level)
    }

    /// How far inside its bounds it is, by the end of the interval that is worse; negative outside.
    pub(crate) fn margin(&self) -> f64 {
        match (self.verdict, self.decides()) {
            (Verdict::Holds, Some(interval)) => {
                self.bounds.margin(interval.low).min(self.bounds.margin(interval.high))
            }
            _ => self.bounds.margin(self.estimate.estimate),
        }
    }
}

/// All that an ask has to say of rows.
#[derive(Debug, Default)]
pub(crate) struct Judging<'a> {
    pub(crate) judged: Vec<Judged<'a>>,
    /// Why something that was selected could not be judged, each time it happened.
    pub(crate) skipped: Vec<String>,
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
