//! Memory that is limited for stores on a disk: whether it suffices, and whether it can be held.

use std::sync::OnceLock;

use record::{KeyValue, System};
use worker::kernel::{KernelFiles, MemoryGroup};

/// Below, the worker and its threads take a good part of it.
const BYTES_MIN: u64 = 16 << 20;

/// Checks that the limit of a cell, if it has one, is one that a store can work with and that this process
/// can set. Whether the store is on a disk is checked with its settings.
///
/// # Errors
/// The limit, in percent and in bytes, and what would do; why it cannot be set.
pub(super) fn check(system: &System, work: &KeyValue) -> Result<(), String> {
    static CAN_LIMIT: OnceLock<Result<(), String>> = OnceLock::new();
    let Some((percent, bytes)) = work.cache_percent.zip(work.cache_bytes()) else { return Ok(()) };
    let label = system.label();
    if bytes < BYTES_MIN {
        let needed = BYTES_MIN.div_ceil((bytes / u64::from(percent.max(1))).max(1));
        return Err(format!(
            "cache-percent = {percent} gives `{label}` {bytes} bytes of memory: at least {BYTES_MIN} are \
             needed: ask for {needed} or more, or for more data (fill-percent, object-memory)"
        ));
    }
    let can_limit = CAN_LIMIT.get_or_init(|| {
        MemoryGroup::check(&KernelFiles::here()).map_err(|error| error.to_string())
    });
    can_limit.clone().map_err(|error| {
        format!("cache-percent = {percent}: memory cannot be limited here: {error}")
    })
}

#[cfg(test)]
mod tests {
    use workloads::requests::Workload;

    use super::*;

    #[test]
    fn a_limit_that_no_store_can_work_with_is_refused_with_one_that_does() {
        let workload = Workload::by_name("ycsb-c").unwrap();
        let mut work = KeyValue::plain(workload, 64 << 20);
        work.size_records();
        let system = worker::registry::store("lsm").unwrap();
        assert_eq!(check(&system, &work), Ok(()), "without a limit");
        work.cache_percent = Some(10);
        let live_bytes = work.cache_bytes().unwrap() * 10;
        let error = check(&system, &work).unwrap_err();
        let bytes = live_bytes / 10;
        let start = format!(
            "cache-percent = 10 gives `lsm` {bytes} bytes of memory: at least 16777216 are"
        );
        assert!(error.starts_with(&start), "{error}");
        let needed: u32 = error
            .split_once("ask for ")
            .and_then(|(_, rest)| rest.split_once(' '))
            .and_then(|(number, _)| number.parse().ok())
            .expect("what would do");
        work.cache_percent = Some(needed - 1);
        assert!(work.cache_bytes().unwrap() < BYTES_MIN);
        work.cache_percent = Some(needed);
        assert!(work.cache_bytes().unwrap() >= BYTES_MIN);
    }
}
