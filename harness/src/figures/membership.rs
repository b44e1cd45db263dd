//! Which suite a closed-loop cell belongs to. Cells do not say so, because suites share them; what
//! a suite asks for does.

use crate::cell::{Cell, ClosedLoop, Work};
use crate::registry;
use crate::spec::{ClosedLoopGrid, Suite, built_in};

/// Built-in suites.
pub(super) struct Membership {
    suites: Vec<Suite>,
}

impl Membership {
    pub(super) fn of(names: &[&str]) -> Self {
        Self { suites: names.iter().filter_map(|name| built_in(name)).collect() }
    }

    /// Whether one of the suites asks for the cell.
    pub(super) fn includes(&self, cell: &Cell) -> bool {
        let Work::ClosedLoop(work) = &cell.work else { return false };
        let grids = self.suites.iter().flat_map(|suite| &suite.closed_loop);
        let label = cell.system.label();
        grids.into_iter().any(|grid| asks_for(grid, work) && has(grid, &label))
    }
}

fn asks_for(grid: &ClosedLoopGrid, work: &ClosedLoop) -> bool {
    grid.distributions.contains(&work.distribution)
        && grid.get_percent.contains(&work.get_percent)
        && grid.value_bytes.contains(&work.value_bytes)
        && grid.fill_percent.contains(&work.fill_percent)
        && grid.threads.contains(&work.threads)
        && grid.batch.contains(&work.batch)
}

fn has(grid: &ClosedLoopGrid, label: &str) -> bool {
    grid.stores.iter().any(|store| registry::store(store).is_ok_and(|one| one.label() == label))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{MachineLimits, plan};
    use crate::spec::Scale;

    #[test]
    fn a_suite_asks_for_its_own_cells_only() {
        let cells = |name: &str| {
            let limits = MachineLimits { memory_bytes: 64 << 30 };
            let scale = Scale::by_name("smoke").unwrap();
            plan(&[built_in(name).unwrap()], &scale, limits).unwrap().cells
        };
        let names = ["store-throughput", "index-layouts", "engine-knobs"];
        for name in names {
            let (own, others): (Vec<&str>, Vec<&str>) =
                names.into_iter().partition(|other| *other == name);
            assert!(cells(name).iter().all(|cell| Membership::of(&own).includes(cell)), "{name}");
            assert!(!cells(name).iter().any(|cell| Membership::of(&others).includes(cell)));
        }
    }
}
