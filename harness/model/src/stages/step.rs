//! One way of data from one place to the next, as every system here is described.

use serde::Serialize;

/// The writes of one step, relative to what was inserted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    pub from: String,
    pub to: String,
    /// Items written by this step for each inserted item.
    pub write_amplification: f64,
    /// Inserts over which the step's writes are counted; none for a log, which writes each at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval_requests: Option<f64>,
    /// Items that the place written to is given room for; none where it has no such limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_items: Option<f64>,
}

impl Step {
    pub(super) fn new(from: impl Into<String>, to: impl Into<String>, amplification: f64) -> Self {
        Self {
            from: from.into(),
            to: to.into(),
            write_amplification: amplification,
            interval_requests: None,
            target_items: None,
        }
    }

    /// Appending every insert to a log.
    pub(super) fn log() -> Self {
        Self::new("inserts", "log", 1.0)
    }

    pub(super) fn over(mut self, interval_requests: f64) -> Self {
        self.interval_requests = Some(interval_requests);
        self
    }

    pub(super) fn into_room_for(mut self, items: f64) -> Self {
        self.target_items = Some(items);
        self
    }
}

/// The writes of all steps together.
pub(super) fn total(steps: &[Step]) -> f64 {
    steps.iter().map(|step| step.write_amplification).sum()
}
