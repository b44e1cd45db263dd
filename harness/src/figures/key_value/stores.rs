//! Stores side by side: YCSB's core workloads, and the first touch of memory.

use super::{cells, of_suite, spot, system};
use crate::figures::data::Data;
use crate::figures::membership::requests;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::samples::{Label, Measure, Quantity, Role, Spot, THROUGHPUT};
use crate::record::Row;

/// `ycsb-core`: throughput, and how near it comes to memory alone.
pub(in crate::figures) fn ycsb_core(rows: &[Row]) -> Data {
    const EFFICIENCY: Measure = Measure { rank: 1, title: "roofline's time ÷ own, %", log: false };
    let all = cells("ycsb-core", rows);
    of_suite(&all, (Drawing::Bars, Axes::default()), |one| {
        let (Some(work), (series, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let group = Label::named(work.workload.name.as_str());
        let of = |measure, quantity| Spot {
            below: work.workload.mix.to_string(),
            ..spot(measure, quantity, series.clone(), group.clone())
        };
        vec![of(THROUGHPUT, Quantity::Mops), of(EFFICIENCY, Quantity::EfficiencyPercent)]
    })
}

/// `first-touch`: inserts into memory that is resident before the clock, and into memory that is
/// not.
pub(in crate::figures) fn first_touch(rows: &[Row]) -> Data {
    const SYSTEM: Measure = Measure { rank: 1, title: "system time ÷ CPU time, %", log: false };
    let all = cells("first-touch", rows);
    of_suite(&all, (Drawing::Bars, Axes::default()), |one| {
        let (Some(work), (series, Role::Main)) = (requests(one), system(one)) else {
            return Vec::new();
        };
        let group = if work.resident {
            Label::new(0.0, "resident before the clock")
        } else {
            Label::new(1.0, "first touched within the clock")
        };
        [(THROUGHPUT, Quantity::Mops), (SYSTEM, Quantity::SystemPercent)]
            .map(|(measure, quantity)| spot(measure, quantity, series.clone(), group.clone()))
            .to_vec()
    })
}
