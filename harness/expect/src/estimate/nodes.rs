//! Several nodes: each gives one value, the geometric mean of its processes, and a ratio is taken within each
//! node, so that what makes one node faster than the next decides nothing.

use std::collections::BTreeMap;

use stats::{WelchSide, node_means, welch_mean, welch_ratio};

use super::{Estimate, NO_RATIO, Sample};

/// The geometric mean over nodes.
pub(super) fn of(sample: &Sample<'_>) -> Estimate {
    let means: Vec<f64> = means(sample).into_values().collect();
    let mean = welch_mean(WelchSide::Processes(&means), sample.look.level());
    Estimate::of_processes(mean.expect("values were checked"))
}

/// The ratio over the nodes that measured both sides.
///
/// # Errors
///
/// No node did.
pub(super) fn ratio(of: &Sample<'_>, to: &Sample<'_>) -> Result<Estimate, String> {
    let level = of.look.level();
    let (own, others) = (means(of), means(to));
    let found = if of.exact.is_some() || to.exact.is_some() {
        // What cannot vary is the same on every node.
        let (own, others): (Vec<f64>, Vec<f64>) =
            (own.into_values().collect(), others.into_values().collect());
        let side = |exact: Option<f64>, means| match exact {
            Some(value) => WelchSide::Exact(value, 1),
            None => WelchSide::Processes(means),
        };
        welch_ratio(side(of.exact, &own), side(to.exact, &others), level)
    } else {
        let ratios: Vec<f64> =
            own.iter().filter_map(|(node, mean)| Some(mean / others.get(node)?)).collect();
        if ratios.is_empty() {
            return Err("no node measured both, and nodes differ".to_owned());
        }
        welch_mean(WelchSide::Processes(&ratios), level)
    };
    found.map(Estimate::of_processes).ok_or_else(|| NO_RATIO.to_owned())
}

fn means<'a>(sample: &Sample<'a>) -> BTreeMap<&'a str, f64> {
    node_means(sample.nodes.iter().copied().zip(sample.values.iter().copied()))
}
