//! Made-up noise of measurements. Tests show with it that intervals cover as often as they say.

use workloads::Rng;

/// How runs differ that measure the same.
#[derive(Clone, Copy, Debug)]
pub struct Noise {
    /// Deviation of a logarithm.
    pub deviation: f64,
    /// Share of values that something disturbed, by up to 30 %, either way.
    pub outliers: f64,
}

impl Noise {
    /// The logarithm of the factor by which one run is off.
    #[must_use]
    pub fn draw(self, rng: &mut Rng) -> f64 {
        let disturbed = if rng.chance(self.outliers) { 0.6 * (rng.unit_f64() - 0.5) } else { 0.0 };
        self.deviation * normal(rng) + disturbed
    }
}

/// A standard normal variable (Box and Muller).
#[must_use]
pub fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * (1.0 - rng.unit_f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit_f64()).cos()
}
