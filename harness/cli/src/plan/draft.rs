//! Cells and notices on their way to a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use crate::suites::Suite;
use record::{Cell, Scale, Work};
use worker::registry;
use workloads::bytes::format_bytes;

/// Most processes that measure a cell.
const REPETITIONS_MAX: u32 = 1000;

/// What the grids of suites come to.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) cells: Vec<Cell>,
    /// What was asked for and is measured otherwise, or not at all.
    pub(super) notices: BTreeSet<String>,
}

impl Draft {
    pub(super) fn tell(&mut self, suite: &Suite, notice: impl Display) {
        self.notices.insert(format!("{}: {notice}", suite.name));
    }

    /// Tells of sizes that are not measured, where there are any.
    pub(super) fn tell_sizes(&mut self, suite: &Suite, key: &str, left_out: &[u64], reason: &str) {
        let named: Vec<String> =
            left_out.iter().map(|&bytes| format_bytes(bytes as usize)).collect();
        if !named.is_empty() {
            self.tell(suite, format!("{key} = {}: not measured: {reason}", named.join(", ")));
        }
    }

    /// Repetitions of a grid that asks for `asked`: at most the scale's.
    pub(super) fn repetitions(
        &mut self,
        suite: &Suite,
        asked: Option<u32>,
        scale: &Scale,
    ) -> Result<u32, String> {
        let most = scale.repetitions;
        let Some(asked) = asked else { return Ok(most) };
        if !(1..=REPETITIONS_MAX).contains(&asked) {
            return Err(format!("repetitions = {asked}: must be 1 to {REPETITIONS_MAX}"));
        }
        let usual = Scale::by_name(&scale.name).map_or(most, |usual| usual.repetitions);
        if asked > most {
            let notice = format!(
                "repetitions = {asked}: scale `{}` has {most}; --repetitions {asked} measures more",
                scale.name
            );
            self.tell(suite, notice);
        } else if asked < most && most != usual {
            let notice =
                format!("--repetitions {most}: tables with repetitions = {asked} keep that number");
            self.tell(suite, notice);
        }
        Ok(asked.min(most))
    }
}

/// Refuses cells of one suite that have the same id and are not the same: one of them would be left out.
pub(super) fn check_ids(suite: &Suite, cells: &[Cell]) -> Result<(), String> {
    let mut known: BTreeMap<&str, &Cell> = BTreeMap::new();
    // What memory alone costs is measured under one of the tables' sizes.
    for cell in cells.iter().filter(|cell| !registry::is_roofline(&cell.system)) {
        let other = *known.entry(&cell.id).or_insert(cell);
        if other.work != cell.work {
            return Err(format!(
                "{}: two tables ask for `{}`, once with {} and once with {}: measure them by two suites",
                suite.name,
                cell.name(),
                sizes(&other.work),
                sizes(&cell.work),
            ));
        }
    }
    Ok(())
}

/// What an id does not say.
fn sizes(work: &Work) -> String {
    match work {
        Work::KeyValue(work) => format!(
            "{} of object memory and {} operations",
            format_bytes(work.object_memory_bytes as usize),
            work.operations_per_thread
        ),
        Work::Fragmentation(work) => format!("{} live", format_bytes(work.live_bytes as usize)),
        _ => "other sizes".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, Plan, plan};
    use crate::traces::Traces;

    const AMPLE: MachineLimits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };

    fn planned(table: &str, scale: &Scale) -> Result<Plan, String> {
        let suite = Suite::parse("mine.toml", &format!("question = \"?\"\n{table}"));
        let suite = suite.map_err(|error| error.to_string())?;
        plan(&[suite], scale, &Traces::default(), AMPLE)
    }

    #[test]
    fn what_is_measured_otherwise_than_asked_is_told() {
        let smoke = Scale::by_name("smoke").unwrap();
        let table = "[[fragmentation]]\nheaps = [\"glibc\"]\npatterns = [\"P1\"]\n";
        for (keys, told) in [
            (
                "live-bytes = [\"16MiB\", \"1GiB\"]",
                "mine: live-bytes = 1GiB: not measured: scale `smoke` measures 32MiB at most",
            ),
            (
                "repetitions = 9",
                "mine: repetitions = 9: scale `smoke` has 1; --repetitions 9 measures more",
            ),
            (
                "threads = [1, 2]\nfrees = [\"own\", \"other\"]",
                "mine: frees = other: not measured with 1 thread: it has no other to free",
            ),
        ] {
            let plan = planned(&format!("{table}{keys}"), &smoke).unwrap();
            assert_eq!(plan.notices, [told]);
        }
        let six = Scale { repetitions: 6, ..smoke };
        let plan = planned(&format!("{table}repetitions = 2"), &six).unwrap();
        assert_eq!(plan.cells.len(), 2);
        let told = "mine: --repetitions 6: tables with repetitions = 2 keep that number";
        assert_eq!(plan.notices, [told]);
    }

    #[test]
    fn what_cannot_be_had_is_refused_with_the_nearest() {
        let smoke = Scale::by_name("smoke").unwrap();
        let of = |system: &str| {
            format!("[[fragmentation]]\n{system}\npatterns = [\"P1\"]\nbasis = [\"bounded\"]\n")
        };
        let (heap, store) = (of("heaps = [\"glibc\"]"), of("stores = [\"nibble\"]"));
        let segments = of("stores = [\"nibble@segment-bytes=1000\"]");
        for (table, expected) in [
            (format!("{heap}repetitions = 0"), "mine: repetitions = 0: must be 1 to 1000"),
            (format!("{heap}threads = [0]"), "mine: threads = 0: must be 1 to 512"),
            (
                format!("{heap}live-bytes = [\"64KiB\"]"),
                "mine: live-bytes = 65536: must be 1048576 or more; the nearest is 1MiB",
            ),
            (
                format!("{store}live-bytes = [\"8MiB\"]"),
                "mine: live-bytes = 8388608: must be 16777216 or more where stores are measured with \
                 basis `bounded`; the nearest is 16MiB",
            ),
            (
                segments,
                "store `nibble@segment-bytes=1000`: setting `segment-bytes` = `1000`: accepted are \
                 multiples of ",
            ),
        ] {
            let message = planned(&table, &smoke).unwrap_err();
            assert!(message.starts_with(expected), "{table}: {message}");
        }
    }

    #[test]
    fn cells_of_one_name_and_two_sizes_are_refused() {
        let table = "[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\nthreads = [1]\n\
                     fill-percent = [50]\nroofline = false\n";
        let suite = format!("{table}object-memory = \"16MiB\"\n{table}object-memory = \"32MiB\"");
        let message = planned(&suite, &Scale::by_name("smoke").unwrap()).unwrap_err();
        let told = "once with 16MiB of object memory and 50000 operations and once with 32MiB";
        assert!(message.contains(told), "{message}");
    }
}
