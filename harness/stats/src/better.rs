//! Which direction of a metric is an improvement.

use serde::{Deserialize, Serialize};

/// Which direction is an improvement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Better {
    /// More is better: throughput.
    Higher,
    /// Less is better: latency, memory, time.
    Lower,
}

impl Better {
    /// Whether `ratio`, new ÷ old, is a change for the worse.
    #[must_use]
    pub fn is_worse(self, ratio: f64) -> bool {
        match self {
            Self::Higher => ratio < 1.0,
            Self::Lower => ratio > 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_change_is_never_worse() {
        assert!(Better::Higher.is_worse(0.9) && Better::Lower.is_worse(1.1));
        assert!(!Better::Higher.is_worse(1.1) && !Better::Lower.is_worse(0.9));
        assert!(!Better::Higher.is_worse(1.0) && !Better::Lower.is_worse(1.0));
    }
}
