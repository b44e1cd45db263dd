//! A ratio as it stands in files: `{"ratio": …, "interval": {"from": …, "to": …}, "blocks": …}`.
//! Files name no level, so what was read from one has none.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use stats::{Interval, Method};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    ratio: f64,
    interval: Ends,
    blocks: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ends {
    from: f64,
    to: f64,
}

pub(crate) fn serialize<S: Serializer>(
    ratio: &Option<Interval>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let written = ratio.map(|ratio| Written {
        ratio: ratio.estimate,
        interval: Ends { from: ratio.low, to: ratio.high },
        blocks: ratio.count,
    });
    written.serialize(serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Interval>, D::Error> {
    let written = Option::<Written>::deserialize(deserializer)?;
    Ok(written.map(|written| Interval {
        estimate: written.ratio,
        low: written.interval.from,
        high: written.interval.to,
        level: None,
        count: written.blocks,
        method: Method::TrimmedMean,
    }))
}
