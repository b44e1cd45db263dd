//! What a trace is made of: read from end to end once, and summed up.

use std::path::Path;

use workloads::trace::statistics::{AllocationAccumulator, Statistics, StatisticsOptions};
use workloads::trace::{Allocation, Content, Header, Operation, Totals};

use super::TraceContent;
use super::library::Records;
use record::{TraceAccount, TraceContents};

/// The account of the trace at `path`, called `name`.
///
/// # Errors
/// A damaged trace, with the offset.
pub(super) fn describe(
    name: &str,
    path: &Path,
    header: &Header,
    totals: &Totals,
) -> Result<TraceAccount, String> {
    let options = StatisticsOptions::default();
    let contents = match header.content {
        Content::Operations => {
            let mut statistics = Statistics::new(options);
            for operation in Records::<Operation>::of(path)? {
                statistics.add(&operation?);
            }
            TraceContents::Requests(Box::new(statistics.finish()))
        }
        Content::Allocations => {
            let mut statistics = AllocationAccumulator::new(options);
            for allocation in Records::<Allocation>::of(path)? {
                statistics.add(&allocation?);
            }
            TraceContents::Allocations(Box::new(statistics.finish()))
        }
    };
    let numbers = header
        .parameters
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.parse().ok()?)));
    Ok(TraceAccount {
        name: file_name(name),
        source: header.source.clone(),
        digest: format!("{:016x}", totals.digest),
        parameters: numbers.collect(),
        contents,
    })
}

/// The name of a trace as that of a file.
pub(super) fn file_name(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
    let name: String = name.chars().map(|letter| if fits(letter) { letter } else { '-' }).collect();
    name.trim_start_matches('.').to_owned()
}

/// What plans need to know of a trace.
pub(super) struct Sizes {
    pub(super) content: TraceContent,
    pub(super) events: u64,
    pub(super) threads: u32,
    pub(super) objects: u64,
    pub(super) live_bytes_max: u64,
    pub(super) live_objects_max: u64,
}

impl Sizes {
    pub(super) fn of(account: &TraceAccount) -> Self {
        match &account.contents {
            TraceContents::Requests(statistics) => Self {
                content: TraceContent::Operations,
                events: statistics.operations,
                threads: 1,
                objects: statistics.objects,
                live_bytes_max: statistics.live.bytes_max,
                live_objects_max: statistics.live.objects_max,
            },
            TraceContents::Allocations(statistics) => Self {
                content: TraceContent::Allocations,
                events: statistics.events.allocations
                    + statistics.events.reallocations
                    + statistics.events.frees
                    + statistics.events.unknown,
                threads: statistics.threads as u32,
                objects: statistics.events.allocations,
                live_bytes_max: statistics.live.bytes_max,
                live_objects_max: statistics.live.objects_max,
            },
        }
    }
}
