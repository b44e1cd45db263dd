//! The cells that answer a description exactly: a suite of its sizes, mix and keys, at fills that meet the
//! memory budget.

use std::collections::BTreeSet;

use engine::{AllocatorChoice, MemoryBound};
use report::choose::{Wanted, choose};
use report::summaries::labels_of;
use workloads::bytes::format_bytes;
use workloads::requests::{Mix, Workload};

use super::super::Failure;
use super::super::measure::{self, Measured};
use crate::cli::OutputArguments;
use crate::environment::last_level_cache_bytes;
use crate::plan::Plan;
use crate::suites::Suite;
use crate::traces::Traces;
use record::{KeyValue, Row, Scale, System};
use worker::kernel::KernelFiles;
use worker::registry;

/// Fills without a budget.
const FILLS: [u32; 3] = [50, 80, 95];
/// Fills above the one whose object memory is just the budget: stores need some of it for an index.
const DENSER: [u32; 3] = [2, 8, 16];
/// The highest fill that can be asked for, and the lowest that is worth it.
const FILL_MAX: u32 = 98;
const FILL_MIN: u32 = 10;
/// Mean size below which stores are aged half as long: that many small objects take long.
const SMALL_BYTES: f64 = 128.0;

/// The name of the suite, and of its workload.
const NAME: &str = "described";

/// What is to be measured.
pub(super) struct Planned {
    pub(super) plan: Plan,
    scale: Scale,
    suite: Suite,
    traces: Traces,
}

/// Plans the cells for the stores named, or for those that the rows have under the requests nearest to the
/// description.
pub(super) fn plan(
    mut scale: Scale,
    wanted: &Wanted,
    (rows, only): (&[Row], &[String]),
) -> Result<Planned, Failure> {
    let names = match only {
        [] => {
            let choice = choose(rows, wanted, &[]).map_err(|error| {
                Failure::usage(format!("{error}, with the stores to measure: --store nibble"))
            })?;
            choice.nearest
        }
        named => named.to_vec(),
    };
    let stores: Vec<System> = names.iter().filter_map(|name| registry::store(name).ok()).collect();
    if stores.is_empty() {
        return Err(Failure::usage(
            "this program has none of the run's stores: name those to measure, as in --store nibble",
        ));
    }
    let cache_bytes = last_level_cache_bytes(&KernelFiles::here()).unwrap_or(0);
    let largest = scale.live_set_bytes_for(cache_bytes);
    let live_bytes = wanted.live_bytes.unwrap_or(largest).min(largest);
    let sized = Described { wanted, live_bytes };
    let fills = sized.fills();
    scale.store_bytes =
        fills.iter().map(|&fill| sized.object_memory_bytes(fill)).max().unwrap_or(0);
    let text = sized.suite(&stores, &fills);
    let suite = Suite::parse(&format!("{NAME}.toml"), &text)
        .map_err(|error| Failure::internal(error.to_string()))?;
    let asking = super::super::plan::as_they_are();
    let (mut plan, traces) =
        super::super::plan::plan_here(std::slice::from_ref(&suite), &scale, asking)?;
    plan.notices.extend(measure::disturbance(&scale, false)?);
    if let Some(asked) = wanted.live_bytes.filter(|&asked| asked > live_bytes) {
        plan.notices.push(format!(
            "{} are live in place of the {} described: the most that scale `{}` holds; larger scales \
             hold more (--scale)",
            format_bytes(live_bytes as usize),
            format_bytes(asked as usize),
            scale.name
        ));
    }
    Ok(Planned { plan, scale, suite, traces })
}

impl Planned {
    /// Whether the rows hold all cells already.
    pub(super) fn is_in(&self, rows: &[Row]) -> bool {
        let there: BTreeSet<_> = rows.iter().map(|row| labels_of(&row.cell)).collect();
        self.plan.cells.iter().all(|cell| there.contains(&labels_of(cell)))
    }

    /// Measures them into a new folder.
    pub(super) fn measure(self, output: &OutputArguments) -> Result<Measured, Failure> {
        let Self { plan, scale, suite, traces } = self;
        let suites = [suite];
        let record = measure::record("choose", Some(scale), &suites, &plan);
        measure::measure(&plan, record, (&suites, &traces), output)
    }
}

/// A description with the live set that is measured.
struct Described<'a> {
    wanted: &'a Wanted,
    live_bytes: u64,
}

impl Described<'_> {
    fn workload(&self) -> Workload {
        let base = Workload::by_name("get-50").expect("it is built in");
        Workload {
            name: NAME.to_owned(),
            mix: Mix::gets(self.wanted.get_percent).expect("a share that was checked"),
            keys: self.wanted.skew,
            value_bytes: self.wanted.value_bytes.clone(),
            ..base
        }
    }

    /// The object memory that the live set fills so far.
    fn object_memory_bytes(&self, fill_percent: u32) -> u64 {
        let workload = self.workload();
        let records = (self.live_bytes as f64 / workload.mean_value_bytes()) as u64;
        let mut work = KeyValue { fill_percent, records, ..KeyValue::plain(workload, 0) };
        work.size_memory();
        work.object_memory_bytes
    }

    /// Fills that may meet the budget, the lowest first.
    fn fills(&self) -> Vec<u32> {
        let Some(ratio) = self.wanted.memory_ratio() else { return FILLS.to_vec() };
        let budget = ratio * self.live_bytes as f64;
        let least = (self.object_memory_bytes(100) as f64 / budget * 100.0).ceil() as u32;
        let fills = DENSER.map(|more| (least + more).clamp(FILL_MIN, FILL_MAX));
        BTreeSet::from(fills).into_iter().collect()
    }

    /// The suite: stores that can be filled at each fill, the others once.
    fn suite(&self, stores: &[System], fills: &[u32]) -> String {
        let Wanted { value_bytes, get_percent, skew, .. } = self.wanted;
        let updates = 100.0 - get_percent;
        let mut text = format!(
            "question = \"Which store suits {}?\"\ntimeout-s = 180\n\n[[workload]]\nname = \"{NAME}\"\n\
             mix = {{ get = {get_percent:?}, update = {updates:?} }}\nkeys = \"{skew}\"\n\
             value-bytes = \"{value_bytes}\"\n",
            self.wanted.words()
        );
        let (filled, free): (Vec<&System>, Vec<&System>) =
            stores.iter().partition(|system| is_filled(system));
        let grids = fills.iter().map(|&fill| (&filled, fill));
        for (stores, fill) in grids.chain(fills.first().map(|&fill| (&free, fill))) {
            if !stores.is_empty() {
                text += &self.grid(stores, fill);
            }
        }
        text
    }

    fn grid(&self, stores: &[&System], fill_percent: u32) -> String {
        let names: Vec<String> = stores.iter().map(|store| store.label()).collect();
        let times = if self.wanted.value_bytes.mean() < SMALL_BYTES { "0.5" } else { "1" };
        format!(
            "\n[[key-value]]\nstores = {names:?}\nworkloads = [\"{NAME}\"]\nfill-percent = \
             [{fill_percent}]\nobject-memory = \"{}\"\nthreads = [{}]\nageing = [\"churn:{times}\"]\n\
             roofline = false\n",
            self.object_memory_bytes(fill_percent),
            self.wanted.threads
        )
    }
}

/// Whether the store's memory follows from the fill; others take what their objects need.
fn is_filled(system: &System) -> bool {
    registry::traits_of(system).is_none_or(|traits| {
        traits.memory_bound != MemoryBound::None && traits.allocator != AllocatorChoice::Chosen
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(given: &[(&str, &str)]) -> Wanted {
        let mut wanted = Wanted { threads: 2, ..Wanted::default() };
        for (name, text) in given {
            wanted.set(name, text).unwrap();
        }
        wanted
    }

    #[test]
    fn fills_meet_the_budget_or_are_as_high_as_can_be() {
        let fills = |live: &str, memory: &str| {
            let given = [("value-bytes", "1188"), ("live", live), ("memory", memory)];
            Described { wanted: &wanted(&given), live_bytes: 1 << 30 }.fills()
        };
        // 1200 bytes an object: 80.8 % of 1.25 times the live bytes.
        assert_eq!(fills("8GiB", "10GiB"), [83, 89, 97]);
        assert_eq!(fills("8GiB", "8GiB"), [98]);
        assert_eq!(fills("1GiB", "1TiB"), [FILL_MIN, 17]);
        assert_eq!(Described { wanted: &wanted(&[]), live_bytes: 1 << 30 }.fills(), FILLS);
    }

    #[test]
    fn the_suite_asks_for_what_is_described() {
        let given =
            [("value-bytes", "100..2000"), ("get", "99.9"), ("skew", "zipfian"), ("threads", "3")];
        let wanted = wanted(&given);
        let sized = Described { wanted: &wanted, live_bytes: 64 << 20 };
        let stores = ["nibble@update=in-place", "heapstore:jemalloc"];
        let stores = stores.map(|name| registry::store(name).unwrap());
        let text = sized.suite(&stores, &[50, 80]);
        let suite =
            Suite::parse("described.toml", &text).unwrap_or_else(|it| panic!("{it}\n{text}"));
        let scale = Scale::by_name("smoke").unwrap();
        let scale = Scale { store_bytes: 1 << 30, repetitions: 1, ..scale };
        let asking = super::super::super::plan::as_they_are();
        let (plan, _) = super::super::super::plan::plan_here(&[suite], &scale, asking).unwrap();
        assert_eq!(plan.cells.len(), 3, "two fills of the one, one of the other: {text}");
        for cell in &plan.cells {
            let record::Work::KeyValue(work) = &cell.work else { panic!("{cell:?}") };
            assert_eq!(work.workload.value_bytes, wanted.value_bytes);
            assert_eq!((work.get_percent(), work.threads), (99.9, 3));
            assert_eq!(work.distribution(), "zipfian:0.99");
            let live = work.live_value_bytes() as f64 / f64::from(64 << 20);
            assert!((0.99..1.01).contains(&live), "{live} times the live set");
        }
    }
}
