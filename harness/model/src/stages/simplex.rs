//! The least value of a function of a few variables, without derivatives: the downhill simplex of Nelder
//! and Mead (Computer Journal 7(4), 1965), with coefficients for the number of variables (Gao and Han,
//! Computational Optimization and Applications 51, 2012).

/// Evaluations of one search.
const MOST: u32 = 6000;

/// A point and its value.
pub(super) type Vertex = (Vec<f64>, f64);

/// Walks downhill from `start` with first steps of `width`, until all values of the simplex agree to
/// `tolerance` of their size. Returns the best point; infinite values are places it may not go.
pub(super) fn least(
    start: &[f64],
    width: f64,
    tolerance: f64,
    function: &mut impl FnMut(&[f64]) -> f64,
) -> Vertex {
    let n = start.len();
    let size = n.max(2) as f64;
    let (expand, contract, shrink) = (1.0 + 2.0 / size, 0.75 - 0.5 / size, 1.0 - 1.0 / size);
    let mut left = MOST;
    let mut value = |point: &[f64]| {
        left = left.saturating_sub(1);
        (function(point), left)
    };
    let mut simplex: Vec<Vertex> = vec![(start.to_vec(), value(start).0)];
    for variable in 0..n {
        let mut point = start.to_vec();
        point[variable] += width;
        let at = value(&point).0;
        simplex.push((point, at));
    }
    loop {
        simplex.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst) = (simplex[0].1, simplex[n].1);
        if n == 0 || worst - best <= tolerance * best.abs() {
            return simplex.swap_remove(0);
        }
        let centre: Vec<f64> =
            (0..n).map(|i| simplex[..n].iter().map(|v| v.0[i]).sum::<f64>() / n as f64).collect();
        // On the line from the worst point through the centre of the others.
        let along = |by: f64| -> Vec<f64> {
            centre.iter().zip(&simplex[n].0).map(|(c, w)| c + by * (c - w)).collect()
        };
        let mirrored = along(1.0);
        let (at, remaining) = value(&mirrored);
        if remaining == 0 {
            return simplex.swap_remove(0);
        }
        let replacement = if at < best {
            let further = along(expand);
            let beyond = value(&further).0;
            Some(if beyond < at { (further, beyond) } else { (mirrored, at) })
        } else if at < simplex[n - 1].1 {
            Some((mirrored, at))
        } else {
            let (nearer, limit) = if at < worst { (contract, at) } else { (-contract, worst) };
            let point = along(nearer);
            let inside = value(&point).0;
            (inside < limit).then_some((point, inside))
        };
        if let Some(vertex) = replacement {
            simplex[n] = vertex;
            continue;
        }
        let best = simplex[0].0.clone();
        for vertex in &mut simplex[1..] {
            for (x, b) in vertex.0.iter_mut().zip(&best) {
                *x = b + shrink * (*x - b);
            }
            vertex.1 = value(&vertex.0).0;
        }
    }
}
