//! Values of several nodes, of which each may be faster or slower than the next: the node is a random
//! effect.
//!
//! Processes of one node share what makes it fast, so on several nodes the node is the unit of variation,
//! and not the process. Each node gives one value, the geometric mean of its processes; a ratio is taken
//! within each node, where what it does to both sides cancels.
//!
//! *Source*: the analysis of group means under a random effect, as in Snedecor and Cochran, *Statistical
//! Methods*; that servers of one type differ: Duplyakin et al., MERIT 2019. *Assumes* that nodes are drawn
//! from many, and differ by log-normal factors.

use std::collections::BTreeMap;

use crate::processes::mean_of_logs;
use crate::{Interval, of_processes, spread};

/// The geometric mean of each node's values.
#[must_use]
pub fn node_means<'a>(values: impl IntoIterator<Item = (&'a str, f64)>) -> BTreeMap<&'a str, f64> {
    let mut nodes: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for (node, value) in values {
        nodes.entry(node).or_default().push(value.ln());
    }
    let mean = |logs: Vec<f64>| (logs.iter().sum::<f64>() / logs.len() as f64).exp();
    nodes.into_iter().map(|(node, logs)| (node, mean(logs))).collect()
}

/// [`of_processes`], where each value has the node that measured it: on several nodes the median of all
/// values, with Student's interval of the nodes' means, which are the values that count. Of two nodes it is
/// the range.
#[must_use]
pub fn of_nodes(values: &[(&str, f64)]) -> Option<Interval> {
    let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
    let found = of_processes(&all)?;
    let means = node_means(values.iter().copied());
    match means.len() {
        0 | 1 => Some(found),
        2 => Some(Interval { count: 2, ..spread(&all)? }),
        _ => {
            let logs: Vec<f64> = means.values().map(|mean| mean.ln()).collect();
            let of_means = mean_of_logs(&logs).exp();
            Some(Interval {
                estimate: found.estimate,
                low: of_means.low.min(found.estimate),
                high: of_means.high.max(found.estimate),
                ..of_means
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use workloads::Seed;

    use super::*;
    use crate::noise::Noise;

    #[test]
    fn on_one_node_processes_count_and_on_several_the_nodes() {
        let values = [1.0, 1.1, 0.9, 1.05, 0.95, 1.2, 1.3];
        let on = |nodes: &[&'static str]| {
            let each = nodes.iter().cycle().copied().zip(values);
            of_nodes(&each.collect::<Vec<_>>()).unwrap()
        };
        assert_eq!(on(&["a"]), of_processes(&values).unwrap());
        assert!(!on(&["a", "b"]).has_level(), "two nodes tell as little as two processes");
        let found = on(&["a", "b", "c"]);
        assert!(found.has_level() && found.count == 3 && found.estimate == 1.05);
        assert_eq!((of_nodes(&[]), of_nodes(&[("a", 0.0)])), (None, None));
        let means = node_means([("a", 2.0), ("b", 3.0), ("a", 8.0)]);
        assert!((means["a"] - 4.0).abs() < 1e-12 && (means["b"] - 3.0).abs() < 1e-12);
    }

    /// Nodes that differ by 20 %, five processes on each that differ by 2 %: the interval over nodes holds
    /// the true median as often as it says. One over processes, as if each were on a node of its own, would
    /// miss it in about every other case.
    #[test]
    fn an_interval_over_nodes_covers_where_one_over_processes_does_not() {
        let mut rng = Seed(7).rng();
        let node = Noise { deviation: 0.2, outliers: 0.0 };
        let process = Noise { deviation: 0.02, outliers: 0.0 };
        let (experiments, mut covered, mut naive) = (400, 0, 0);
        for _ in 0..experiments {
            let mut values = Vec::new();
            for name in ["a", "b", "c", "d"] {
                let of_node = node.draw(&mut rng);
                values.extend((0..5).map(|_| (name, (of_node + process.draw(&mut rng)).exp())));
            }
            covered += usize::from(of_nodes(&values).unwrap().contains(1.0));
            let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
            let logs: Vec<f64> = all.iter().map(|value| value.ln()).collect();
            naive += usize::from(mean_of_logs(&logs).exp().contains(1.0));
        }
        assert!(covered * 100 >= experiments * 92, "{covered} of {experiments}");
        assert!(naive * 100 < experiments * 75, "{naive} of {experiments}: the test tests nothing");
    }
}
