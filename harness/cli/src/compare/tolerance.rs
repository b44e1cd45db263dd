//! The smallest change that matters, by metric.

use record::{metrics::Metric, unknown_name};

/// A share for each metric: 0.05 is 5 %; `None` where it is not judged.
#[derive(Clone, Debug)]
pub struct Tolerances(Vec<(&'static Metric, Option<f64>)>);

impl Default for Tolerances {
    fn default() -> Self {
        Self(Metric::all_judged().map(|metric| (metric, metric.tolerance)).collect())
    }
}

impl Tolerances {
    /// The default ones with those of `texts`, as `throughput=5%` or `p99=off`.
    ///
    /// # Errors
    /// The text and what is accepted.
    pub fn parse(texts: &[String]) -> Result<Self, String> {
        let mut tolerances = Self::default();
        for text in texts {
            let (name, value) = text.split_once('=').ok_or_else(|| {
                format!("tolerance `{text}`: must be METRIC=PERCENT, as throughput=5%")
            })?;
            let known = Metric::all_judged().map(Metric::short_name);
            let judged = tolerances.0.iter_mut().find(|(metric, _)| metric.short_name() == name);
            let (_, share) = judged.ok_or_else(|| unknown_name("metric", name, known))?;
            if value == "off" {
                *share = None;
                continue;
            }
            let percent = value.strip_suffix('%').unwrap_or(value).trim().parse::<f64>();
            let percent = percent.ok().filter(|percent| (0.1..=100.0).contains(percent));
            let percent = percent.ok_or_else(|| {
                format!("tolerance {name} = {value}: must be 0.1% to 100%, or off")
            })?;
            *share = Some(percent / 100.0);
        }
        if tolerances.iter().next().is_none() {
            return Err("every metric is off: there is nothing to judge".to_owned());
        }
        Ok(tolerances)
    }

    /// Metrics that are judged, with their tolerance.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Metric, f64)> {
        self.0.iter().filter_map(|(metric, share)| Some((*metric, (*share)?)))
    }

    /// Of a metric by its name; those that only other tools measure have that of throughput.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<f64> {
        let of = |name: &str| self.0.iter().find(|(metric, _)| metric.short_name() == name);
        let throughput = || of("throughput").and_then(|(_, share)| *share).unwrap_or(0.05);
        of(name).map_or_else(|| Some(throughput()), |(_, share)| *share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(texts: &[&str]) -> Result<Tolerances, String> {
        Tolerances::parse(&texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_is_named_replaces_the_default_and_off_leaves_out() {
        let tolerances = parse(&["throughput=2.5%", "p99=off"]).unwrap();
        assert_eq!(tolerances.of("throughput"), Some(0.025));
        assert_eq!(tolerances.of("p99"), None);
        assert_eq!(tolerances.of("memory"), Some(0.03));
        assert_eq!(tolerances.of("elapsed"), Some(0.025));
        assert_eq!(tolerances.iter().count(), 2);
    }

    #[test]
    fn what_is_wrong_is_named_with_what_is_accepted() {
        for (text, expected) in [
            ("throughput", "must be METRIC=PERCENT"),
            ("thruput=5%", "did you mean throughput"),
            ("p99=0%", "must be 0.1% to 100%, or off"),
            ("p99=x", "p99 = x"),
        ] {
            let error = parse(&[text]).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
        let all = ["throughput=off", "p99=off", "memory=off"];
        assert!(parse(&all).unwrap_err().contains("nothing to judge"));
    }
}
