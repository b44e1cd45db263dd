//! What an event did to the load: how long a shard answered nothing, errors, latency, and when the rate
//! was back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::events::EventOutcome;
use crate::interval::Interval;
use crate::latency::Latency;

/// A rate is back when so much of the former one is answered,
const RATE_SHARE: f64 = 0.9;
/// in so many intervals on end.
const INTERVALS: usize = 3;

/// What followed an event, up to the next one or the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recovery {
    pub errors: u64,
    /// The longest time in which the shard, or some shard, answered nothing. Those that lie within one
    /// interval are not seen.
    pub outage_ms: f64,
    /// From the event to the first answer after that; none if none came.
    pub answered_again_after_ms: Option<f64>,
    /// From the event to the first of three intervals in which nine tenths of the former rate were
    /// answered; none if there was no such interval.
    pub rate_back_after_ms: Option<f64>,
    pub p99_before_ns: u64,
    /// The largest of an interval.
    pub p99_worst_ns: u64,
}

/// What followed each event. The intervals have no holes.
pub(crate) fn recoveries(
    events: &[EventOutcome],
    intervals: &[Interval],
    (interval_ms, duration_ms): (u64, u64),
) -> Vec<Recovery> {
    let next = |at: usize| events.get(at + 1).map_or(f64::INFINITY, |event| event.began_ms);
    let of = |(at, event): (usize, &EventOutcome)| {
        let window = Window {
            intervals,
            interval_ms: interval_ms as f64,
            from_ms: event.began_ms,
            to_ms: next(at).min(duration_ms as f64),
        };
        window.recovery(event.shard)
    };
    events.iter().enumerate().map(of).collect()
}

/// The time after an event that counts as its.
struct Window<'a> {
    intervals: &'a [Interval],
    interval_ms: f64,
    from_ms: f64,
    to_ms: f64,
}

impl Window<'_> {
    fn recovery(&self, shard: Option<usize>) -> Recovery {
        let shards = self.intervals.first().map_or(0, |interval| interval.shards.len());
        let hit = match shard {
            Some(number) => number - 1..number,
            None => 0..shards,
        };
        let gaps = hit.map(|shard| self.longest_gap(shard));
        let (outage_ms, ended_ms) =
            gaps.max_by(|one, other| one.0.total_cmp(&other.0)).unwrap_or_default();
        let mut before = Latency::of_interval();
        self.before().iter().for_each(|interval| before.add(&interval.latency));
        Recovery {
            errors: self.during().iter().map(Interval::errors).sum(),
            outage_ms,
            answered_again_after_ms: ended_ms.map(|ended_ms| ended_ms - self.from_ms),
            rate_back_after_ms: self.rate_back_ms().map(|ms| ms - self.from_ms),
            p99_before_ns: before.quantile_ns(0.99),
            p99_worst_ns: self
                .during()
                .iter()
                .map(|interval| interval.latency.quantile_ns(0.99))
                .max()
                .unwrap_or(0),
        }
    }

    fn index(&self, ms: f64) -> usize {
        ((ms / self.interval_ms) as usize).min(self.intervals.len())
    }

    /// Whole intervals before the event.
    fn before(&self) -> &[Interval] {
        &self.intervals[..self.index(self.from_ms)]
    }

    /// Intervals from that of the event to that of the next one, which is the next one's, unless both are
    /// in the same.
    fn during(&self) -> &[Interval] {
        let from = self.index(self.from_ms);
        let to = self.index(self.to_ms).max(from + 1).min(self.intervals.len());
        &self.intervals[from.min(to)..to]
    }

    /// The longest time without an answer of a shard that ended after the event, and when it ended.
    fn longest_gap(&self, shard: usize) -> (f64, Option<f64>) {
        let (mut longest, mut last_ms) = ((0.0, None), 0.0);
        for interval in self.intervals {
            let Some(part) = interval.shards.get(shard).filter(|part| part.answered > 0) else {
                continue;
            };
            let first_ms = part.first_ns as f64 / 1e6;
            let ends_within = first_ms >= self.from_ms && last_ms < self.to_ms;
            if ends_within && first_ms - last_ms > longest.0 {
                longest = (first_ms - last_ms, Some(first_ms));
            }
            last_ms = part.last_ns as f64 / 1e6;
        }
        if self.to_ms - last_ms > longest.0 {
            longest = (self.to_ms - last_ms, None);
        }
        longest
    }

    /// The beginning of the first interval from which on the former rate is answered again.
    fn rate_back_ms(&self) -> Option<f64> {
        let before = self.before();
        let answered: u64 = before.iter().map(Interval::answered).sum();
        let wanted = answered as f64 / before.len().max(1) as f64 * RATE_SHARE;
        let is_back = |some: &[Interval]| some.iter().all(|one| one.answered() as f64 >= wanted);
        // That of the event itself is as much of the time before.
        let during = self.during().get(1..)?;
        let at = during.windows(INTERVALS).position(is_back)?;
        Some((self.index(self.from_ms) + 1 + at) as f64 * self.interval_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(began_ms: f64, shard: Option<usize>) -> EventOutcome {
        EventOutcome {
            event: "5s:kill=1".to_owned(),
            began_ms,
            took_ms: 1.0,
            shard,
            done: "killed it".to_owned(),
            failure: None,
            may_lose: true,
        }
    }

    /// Two shards that answer every 10 ms, in intervals of 100 ms for 2 s; the first answers nothing from
    /// 520 ms to 1240 ms, and each tenth request after that is ten times as late.
    fn killed() -> Vec<Interval> {
        let mut all: Vec<Interval> = (0..20).map(|index| Interval::new(index, 2)).collect();
        for ms in (0..2000_u64).step_by(10) {
            let interval = &mut all[(ms / 100) as usize];
            let ended_ns = ms * 1_000_000;
            interval.add_answer(1, (ended_ns.saturating_sub(1_000_000), ended_ns), true);
            if (520..1240).contains(&ms) {
                interval.add_error(0, "connection");
            } else {
                let took_ms = if ms > 1240 && ms % 100 == 0 { 10 } else { 1 };
                interval.add_answer(
                    0,
                    (ended_ns.saturating_sub(took_ms * 1_000_000), ended_ns),
                    true,
                );
            }
        }
        all
    }

    #[test]
    fn an_outage_is_from_the_last_answer_to_the_next() {
        let found = recoveries(&[event(515.0, Some(1))], &killed(), (100, 2000))[0];
        assert_eq!(found.errors, 72);
        assert!((found.outage_ms - 730.0).abs() < 1e-6, "{found:?}");
        assert_eq!(found.answered_again_after_ms, Some(725.0));
        assert_eq!(found.rate_back_after_ms, Some(785.0), "from 1300 ms on all are answered");
        assert!(found.p99_before_ns < 1_100_000 && found.p99_worst_ns > 9_900_000, "{found:?}");
    }

    #[test]
    fn a_shard_that_never_answers_again_is_out_until_the_end() {
        let mut cut = killed();
        cut.truncate(10);
        let found = recoveries(&[event(515.0, Some(1))], &cut, (100, 1000))[0];
        assert_eq!((found.outage_ms, found.answered_again_after_ms), (490.0, None));
        assert_eq!(found.rate_back_after_ms, None);
    }

    #[test]
    fn an_event_without_a_shard_is_judged_by_the_worst_and_ends_at_the_next() {
        let events = [event(215.0, None), event(515.0, None)];
        let found = recoveries(&events, &killed(), (100, 2000));
        assert_eq!(found[0].errors, 0, "the interval of the next event is the next one's");
        let together = [event(515.0, None), event(520.0, None)];
        let found_together = recoveries(&together, &killed(), (100, 2000));
        assert_eq!(found_together[0].errors, 8, "an interval is of both events in it");
        assert!(found[1].outage_ms > 700.0 && found[1].errors == 72, "{found:?}");
    }
}
