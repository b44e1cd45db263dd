//! What it costs to map memory that is there already, and to unmap it; and whether threads do so at once.

use workloads::bytes::format_bytes;

use super::{cells, of_suite, spot, threads};
use crate::figures::data::Data;
use crate::figures::panels::{Axes, Drawing};
use crate::figures::samples::{Label, Measure, Spot};
use record::{Row, Spaces, Work};

/// `mapping-cost`: time to map and to unmap over the region's size, whole and for a page.
pub(in crate::figures) fn mapping_cost(suite: &str, rows: &[Row]) -> Data {
    const REGION: Measure = Measure { rank: 0, title: "a region, µs", log: true };
    const PAGE: Measure = Measure { rank: 1, title: "for each page, ns", log: true };
    let axes = Axes { log_x: true, ..Axes::over("size of the region") };
    of_suite(&cells(suite, rows), (Drawing::Lines, axes), |one| {
        let Work::Mapping(work) = one.cell.work else { return Vec::new() };
        let [page, region] =
            [work.page_bytes, work.region_bytes].map(|bytes| format_bytes(bytes as usize));
        let series = format!("pages of {page}, {}", threads(work.threads));
        // Small pages first, and of these one thread.
        let series = Label::new((work.page_bytes + work.threads as u64) as f64, series);
        let x = Label::new(work.region_bytes as f64, region);
        let kinds = ["map", "unmap"].into_iter().zip(0_u8..);
        let spots = kinds.flat_map(|(kind, place)| {
            let panel = Label::new(place.into(), kind);
            [(REGION, format!("{kind}-p50-ns")), (PAGE, format!("{kind}-p50-ns-per-page"))].map(
                |(measure, metric)| Spot {
                    panel: panel.clone(),
                    ..spot(measure, metric, series.clone(), x.clone())
                },
            )
        });
        spots.collect()
    })
}

/// `parallel-mapping`: regions mapped in a second over the number of threads; panels by their size.
pub(in crate::figures) fn parallel_mapping(suite: &str, rows: &[Row]) -> Data {
    const MAPPED: Measure = Measure { rank: 0, title: "regions mapped/s", log: true };
    let axes = Axes { log_x: true, ..Axes::over("threads") };
    of_suite(&cells(suite, rows), (Drawing::Lines, axes), |one| {
        let Work::Mapping(work) = one.cell.work else { return Vec::new() };
        let series = match work.spaces {
            Spaces::One => Label::new(0.0, "one address space"),
            Spaces::Each => Label::new(1.0, "a space each"),
        };
        let x = Label::new(work.threads as f64, work.threads.to_string());
        let size = format!("regions of {}", format_bytes(work.region_bytes as usize));
        let panel = Label::new(work.region_bytes as f64, size);
        vec![Spot { panel, ..spot(MAPPED, "throughput", series, x) }]
    })
}
