//! From suites and a scale to cells: pure, so a plan can be shown without running anything.

mod allocations;
mod cache;
mod capabilities;
mod chase;
mod copying;
mod draft;
mod estimate;
#[cfg(test)]
mod fixture_cells;
mod key_value;
mod keys;
mod mapping;
mod phases;
mod replay;
mod systems;
mod too_large;
mod touch;
mod windows;

use std::collections::BTreeSet;

use workloads::bytes::format_bytes;
use workloads::fragmentation::{self, Pattern, Volume};

use crate::memory::memory_class;
use crate::suites::{FragmentationGrid, Suite};
use crate::traces::Traces;
use record::{
    Basis, Cell, Fragmentation, Frees, Observe, Scale, System, Work, archive::Suites, unknown_name,
};
use worker::registry;

use draft::{Draft, check_ids};
pub use estimate::{estimate_s, in_words};
pub use key_value::{check_key_value, key_value_cell};
pub(crate) use key_value::{fewer_operations, get_workload, works};
pub(crate) use keys::{check_enough, check_length as check_key_length};
pub use systems::check_cell;

/// Cells in the order they run: repetition by repetition, and within one in an order shuffled by
/// the suite's seed, so that drift of the machine meets every system alike, the large ones apart
/// ([`in_order`]). Roofline cells come first in their repetition, so that every other row can say how near
/// it comes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    pub cells: Vec<Cell>,
    /// The suites that ask for each.
    pub suites: Suites,
    /// What was changed to fit this machine, in sentences for the report.
    pub notices: Vec<String>,
}

/// What a plan asks of the machine it is made for.
#[derive(Clone, Copy, Debug)]
pub struct MachineLimits {
    /// Memory that may be used at all.
    pub memory_bytes: u64,
    /// Cores, to which numbers of threads grow where a suite says so.
    pub cores: usize,
    /// The last-level cache, which fixed live sets exceed; 0 where the kernel does not tell.
    pub cache_bytes: u64,
}

impl MachineLimits {
    /// Memory that a cell may be expected to need.
    fn allowed_bytes(&self) -> u64 {
        self.memory_bytes / 100 * LARGEST_CELL_PERCENT
    }
}

/// Share of available memory that the largest cell may be expected to need, in percent.
const LARGEST_CELL_PERCENT: u64 = 80;
/// Least object memory of a fragmentation cell whose memory is a limit.
const BOUNDED_BYTES_MIN: u64 = 16 << 20;
/// Least live set that may be asked for.
const SIZED_BYTES_MIN: u64 = 1 << 20;
/// Smallest live set that is proposed where a scale does not fit.
const LIVE_BYTES_MIN: u64 = 8 << 20;

/// Plans `suites` at `scale`.
///
/// # Errors
/// Unknown names with near matches, impossible combinations, a scale that the machine cannot hold: with
/// what it can.
pub fn plan(
    suites: &[Suite],
    scale: &Scale,
    traces: &Traces,
    limits: MachineLimits,
) -> Result<Plan, String> {
    let allowed = limits.allowed_bytes();
    let mut notices = missing_traces(suites, traces);
    let (Draft { mut cells, notices: told }, suites_of) = cells_of(suites, scale, traces, limits)?;
    notices.extend(told);
    notices.extend(too_large::leave_out(&mut cells, scale, allowed));
    notices.extend(systems::check(&cells)?);
    let Some(largest) = cells.iter().max_by_key(|cell| cell.expected_bytes()) else {
        return Ok(Plan { cells, suites: suites_of, notices });
    };
    if largest.expected_bytes() <= allowed {
        return Ok(Plan { cells, suites: suites_of, notices });
    }
    let holds = |scale: &Scale| {
        cells_of(suites, scale, traces, limits).is_ok_and(|(Draft { mut cells, .. }, _)| {
            too_large::leave_out(&mut cells, scale, allowed);
            cells.iter().all(|cell| cell.expected_bytes() <= allowed)
        })
    };
    Err(format!(
        "not enough memory for scale `{}`: cell `{}` may need {} MiB, and of the {} MiB available a \
         cell may need {LARGEST_CELL_PERCENT} %. {}",
        scale.name,
        largest.id,
        largest.expected_bytes() >> 20,
        limits.memory_bytes >> 20,
        what_fits(scale, holds),
    ))
}

/// The largest scale below `scale` that `holds`, or else the largest live sets.
fn what_fits(scale: &Scale, holds: impl Fn(&Scale) -> bool) -> String {
    let below = Scale::NAMES.iter().take_while(|name| **name != scale.name);
    let named = below.filter_map(|name| Scale::by_name(name)).filter(&holds).last();
    let mut smaller = scale.clone();
    while smaller.live_bytes > LIVE_BYTES_MIN && !holds(&smaller) {
        smaller.live_bytes = smaller.live_bytes / 4 * 3;
    }
    let options = [
        named.map(|named| format!("--scale {}", named.name)),
        holds(&smaller).then(|| format!("--live-bytes {}MiB", smaller.live_bytes >> 20)),
    ];
    let options: Vec<String> = options.into_iter().flatten().collect();
    match options.is_empty() {
        true => "Nothing smaller fits either: free memory".to_owned(),
        false => format!("What fits: {}", options.join(", or ")),
    }
}

/// A notice for every trace that suites name and that is not there.
fn missing_traces(suites: &[Suite], traces: &Traces) -> Vec<String> {
    let named = suites.iter().flat_map(Suite::traces);
    let missing: BTreeSet<&str> =
        named.filter(|name| traces.matching(name).next().is_none()).collect();
    missing.into_iter().map(crate::traces::remedy).collect()
}

fn cells_of(
    suites: &[Suite],
    scale: &Scale,
    traces: &Traces,
    limits: MachineLimits,
) -> Result<(Draft, Suites), String> {
    let cores = limits.cores;
    let mut draft = Draft::default();
    let mut asked_by = Suites::new();
    for suite in suites {
        let before = draft.cells.len();
        for grid in &suite.fragmentation {
            fragmentation_cells(suite, grid, scale, &mut draft)?;
        }
        for grid in &suite.key_value {
            key_value::cells(suite, grid, (scale, limits), &mut draft)?;
        }
        for grid in &suite.copy {
            copying::cells(suite, grid, scale, &mut draft)?;
        }
        for grid in &suite.mapping {
            mapping::cells(suite, grid, (scale, limits), &mut draft)?;
        }
        for grid in &suite.chase {
            chase::cells(suite, grid, scale, &mut draft)?;
        }
        for grid in &suite.windows {
            windows::cells(suite, grid, scale, &mut draft)?;
        }
        for grid in &suite.touch {
            touch::cells(suite, grid, scale, &mut draft)?;
        }
        for grid in &suite.allocations {
            allocations::cells(suite, grid, scale, traces, &mut draft)?;
        }
        for grid in &suite.replay {
            replay::cells(suite, grid, (scale, cores), traces, &mut draft)?;
        }
        check_ids(suite, &draft.cells[before..])?;
        for cell in &draft.cells[before..] {
            let names = asked_by.entry(cell.id.clone()).or_default();
            if !names.contains(&suite.name) {
                names.push(suite.name.clone());
            }
        }
    }
    // Suites may share cells; a cell that two of them want runs once.
    let mut seen = BTreeSet::new();
    draft.cells.retain(|cell| seen.insert(cell.id.clone()));
    in_order(&mut draft.cells, suites.first().map_or(0, |suite| suite.seed));
    Ok((draft, asked_by))
}

/// Puts cells in the order of a [`Plan`]. Cells of one memory class follow one another, the small ones first
/// in every other repetition and last in the rest, so that much memory seldom changes hands.
pub fn in_order(cells: &mut [Cell], seed: u64) {
    cells.sort_by_key(|cell| {
        let class = match cell.repetition.is_multiple_of(2) {
            true => memory_class(cell),
            false => u32::MAX - memory_class(cell),
        };
        let is_roofline = registry::is_roofline(&cell.system);
        (cell.repetition, !is_roofline, class, shuffled(seed, cell))
    });
}

/// A place in the order that looks random and depends on nothing but seed, repetition and id.
fn shuffled(seed: u64, cell: &Cell) -> u64 {
    let mut state = seed ^ u64::from(cell.repetition).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for byte in cell.id.bytes() {
        state = (state ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        state ^= state >> 29;
    }
    state
}

fn fragmentation_cells(
    suite: &Suite,
    grid: &FragmentationGrid,
    scale: &Scale,
    draft: &mut Draft,
) -> Result<(), String> {
    let fail = |message: String| format!("{}: {message}", suite.name);
    let mut systems: Vec<(System, Basis)> = registry::heaps(&grid.heaps, &grid.variants)?
        .into_iter()
        .map(|system| (system, Basis::Ample))
        .collect();
    for store in &grid.stores {
        for &basis in &grid.basis {
            systems.push((registry::store(store)?, basis));
        }
    }
    if systems.is_empty() {
        return Err(format!(
            "{}: a [[fragmentation]] table names neither heaps nor stores",
            suite.name
        ));
    }
    for (system, _) in &systems {
        check_steering(&suite.name, system, &grid.threads)?;
        if let Some(bytes) = grid.key_bytes {
            keys::check_length(system, bytes).map_err(fail)?;
        }
    }
    let repetitions = draft.repetitions(suite, grid.repetitions, scale).map_err(fail)?;
    check_live_bytes(grid, scale).map_err(fail)?;
    let sizes = sizes(suite, grid, scale, draft);
    if grid.frees.contains(&Frees::Other) && grid.threads.contains(&1) {
        draft.tell(suite, "frees = other: not measured with 1 thread: it has no other to free");
    }
    for name in &grid.patterns {
        let pattern = pattern(suite, name)?;
        for (system, basis) in &systems {
            check_basis(&suite.name, &pattern, *basis)?;
            for &threads in &grid.threads {
                check_threads(threads).map_err(fail)?;
                for &frees in &grid.frees {
                    // Another thread can free only where there is one.
                    if frees == Frees::Other && threads < 2 {
                        continue;
                    }
                    for (&observe, &size) in cross(&grid.observe, &sizes) {
                        let live_bytes =
                            size.unwrap_or_else(|| live_bytes(&pattern, scale, *basis));
                        let work = Fragmentation {
                            pattern: pattern.clone(),
                            live_bytes,
                            sized: sizes.len() > 1,
                            key_bytes: grid.key_bytes,
                            basis: *basis,
                            threads,
                            frees,
                            observe,
                            idle_ms: scale.idle_ms,
                        };
                        for repetition in 0..repetitions {
                            let (system, work) = (system.clone(), work.clone());
                            draft
                                .cells
                                .push(fragmentation_cell(suite, scale, system, repetition, work));
                        }
                    }
                }
            }
        }
    }
    Ok(())
}

fn cross<'a, A, B>(one: &'a [A], other: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
    one.iter().flat_map(move |a| other.iter().map(move |b| (a, b)))
}

/// The live sets that a grid asks for, as far as the scale allows; `None` is the scale's own. A grid that
/// asks for one size only has no cells where that is too large.
fn sizes(
    suite: &Suite,
    grid: &FragmentationGrid,
    scale: &Scale,
    draft: &mut Draft,
) -> Vec<Option<u64>> {
    let asked = grid.live_bytes.iter().map(|bytes| bytes.0);
    let (allowed, beyond): (Vec<u64>, Vec<u64>) =
        asked.partition(|&bytes| bytes <= scale.large_live_bytes);
    let reason = match scale.large_live_bytes {
        0 => "--live-bytes takes their place".to_owned(),
        most => {
            format!("scale `{}` measures {} at most", scale.name, format_bytes(most as usize))
        }
    };
    draft.tell_sizes(suite, "live-bytes", &beyond, &reason);
    match allowed.is_empty() && grid.live_bytes.len() != 1 {
        true => vec![None],
        false => allowed.into_iter().map(Some).collect(),
    }
}

/// Live sets that are asked for must hold some objects, and a bounded store some blocks.
fn check_live_bytes(grid: &FragmentationGrid, scale: &Scale) -> Result<(), String> {
    let bounded = !grid.stores.is_empty() && grid.basis.contains(&Basis::Bounded);
    let least = if bounded { BOUNDED_BYTES_MIN } else { SIZED_BYTES_MIN };
    // Where the user gives the size, the scale's for suites is none.
    let given = (scale.large_live_bytes == 0).then_some(scale.live_bytes);
    let asked = grid.live_bytes.iter().map(|bytes| bytes.0).chain(given);
    match asked.min().filter(|&bytes| bytes < least) {
        Some(bytes) => Err(format!(
            "live-bytes = {bytes}: must be {least} or more{}; the nearest is {}",
            if bounded { " where stores are measured with basis `bounded`" } else { "" },
            format_bytes(least as usize)
        )),
        None => Ok(()),
    }
}

/// Threads that own keys cannot hand objects to one another.
fn check_steering(suite: &str, system: &System, threads: &[usize]) -> Result<(), String> {
    let partitioned =
        registry::traits_of(system).is_some_and(|traits| traits.sharing.is_partitioned());
    match threads.iter().find(|&&threads| threads > 1) {
        Some(threads) if partitioned => Err(format!(
            "{suite}: keys of `{}` belong to workers, and fragmentation cells hand objects on: \
             threads = {threads} must be 1",
            system.label()
        )),
        _ => Ok(()),
    }
}

/// A store that fills until it refuses has no cap to allocate a multiple of.
fn check_basis(suite: &str, pattern: &Pattern, basis: Basis) -> Result<(), String> {
    match (basis, pattern.volume) {
        (Basis::Bounded, Volume::Multiple(multiple)) => Err(format!(
            "{suite}: pattern `{}` allocates {multiple} times a cap, and basis `bounded` fills until \
             the store refuses: use basis `ample`, or a pattern with volume = \"fill\"",
            pattern.name
        )),
        _ => Ok(()),
    }
}

/// The live set of a pattern: small objects get a smaller one. A bounded store is given that
/// much object memory, and at least 64 of its largest objects.
fn live_bytes(pattern: &Pattern, scale: &Scale, basis: Basis) -> u64 {
    let smallest =
        pattern.first.mean().min(pattern.second.as_ref().map_or(f64::MAX, |size| size.mean()));
    let live_bytes = scale.live_bytes_for(smallest);
    match basis {
        Basis::Ample => live_bytes,
        Basis::Bounded => live_bytes.max(BOUNDED_BYTES_MIN),
    }
}

fn fragmentation_cell(
    suite: &Suite,
    scale: &Scale,
    system: System,
    repetition: u32,
    work: Fragmentation,
) -> Cell {
    let mut id = format!("fragmentation/{}/{}", work.pattern.name, system.label());
    if !system.is_heap() {
        id.push_str(match work.basis {
            Basis::Ample => "/ample",
            Basis::Bounded => "/bounded",
        });
    }
    if work.threads > 1 {
        let frees = if work.frees == Frees::Own { "own" } else { "other" };
        id.push_str(&format!("/{}-threads-{frees}-frees", work.threads));
    }
    if work.observe == Observe::Each {
        id.push_str("/observed-each");
    }
    if let Some(bytes) = work.key_bytes {
        id.push_str(&format!("/key-{bytes}"));
    }
    if work.sized {
        id.push_str(&format!("/live-{}", format_bytes(work.live_bytes as usize)));
    }
    finish(suite, scale, system, repetition, id, Work::Fragmentation(work))
}

fn check_threads(threads: usize) -> Result<(), String> {
    let most = worker::progress::THREADS_MAX;
    if (1..=most).contains(&threads) {
        Ok(())
    } else {
        let nearest = threads.clamp(1, most);
        Err(format!("threads = {threads}: must be 1 to {most}; the nearest is {nearest}"))
    }
}

fn finish(
    suite: &Suite,
    scale: &Scale,
    system: System,
    repetition: u32,
    id: String,
    work: Work,
) -> Cell {
    // Larger scales do more work in a cell; the limit grows with the live set.
    let growth = (scale.live_bytes >> 28).max(1);
    let mut cell = Cell {
        id: format!("{id}/{repetition}"),
        system,
        work,
        seed: suite.seed + u64::from(repetition),
        repetition,
        sampling: true,
        timeout_ms: suite.timeout_s * 1000 * growth,
        memory_limit_bytes: 0,
        counters: false,
    };
    cell.memory_limit_bytes = cell.expected_bytes() * 3 + (512 << 20);
    cell
}

fn pattern(suite: &Suite, name: &str) -> Result<Pattern, String> {
    if let Some(own) = suite.patterns.iter().find(|pattern| pattern.name == name) {
        own.validate().map_err(|error| format!("{}: pattern `{name}`: {error}", suite.name))?;
        return Ok(own.clone());
    }
    Pattern::by_name(name).ok_or_else(|| {
        let built_in = fragmentation::all();
        let known = suite.patterns.iter().chain(&built_in).map(|pattern| pattern.name.as_str());
        unknown_name("pattern", name, known)
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::suites::built_in;

    pub(crate) const AMPLE: MachineLimits =
        MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 0 };

    pub(crate) fn sample_cells() -> Vec<Cell> {
        let suites = [built_in("self-test").unwrap()];
        plan(&suites, &Scale::by_name("smoke").unwrap(), &Traces::default(), AMPLE).unwrap().cells
    }

    fn all_suites() -> Vec<Suite> {
        crate::suites::names().map(|name| built_in(name).unwrap()).collect()
    }

    #[test]
    fn ids_are_unique_and_a_plan_is_the_same_every_time() {
        let scale = Scale::by_name("quick").unwrap();
        let first = plan(&all_suites(), &scale, &Traces::default(), AMPLE).unwrap();
        let ids: BTreeSet<&str> = first.cells.iter().map(|cell| cell.id.as_str()).collect();
        assert_eq!(ids.len(), first.cells.len());
        assert_eq!(first, plan(&all_suites(), &scale, &Traces::default(), AMPLE).unwrap());
        assert!(first.cells.is_sorted_by_key(|cell| cell.repetition), "repetitions interleave");
    }

    #[test]
    fn much_memory_seldom_changes_hands() {
        let scale = Scale::by_name("quick").unwrap();
        let all = plan(&all_suites(), &scale, &Traces::default(), AMPLE).unwrap().cells;
        let stores = all.iter().filter(|cell| !registry::is_roofline(&cell.system));
        let mut turns: Vec<(u32, u32)> =
            stores.map(|cell| (cell.repetition, memory_class(cell))).collect();
        turns.dedup();
        let upwards = [(0, 0), (0, 1), (0, 2), (0, 3)];
        let downwards = [(1, 3), (1, 2), (1, 1), (1, 0)];
        assert_eq!(turns, [upwards, downwards].concat());
    }

    #[test]
    fn a_scale_that_the_machine_cannot_hold_is_refused_with_what_it_can() {
        let refused = |name: &str, mib: u64, suites: &[Suite]| {
            let limits = MachineLimits { memory_bytes: mib << 20, cores: 2, cache_bytes: 0 };
            let scale = Scale::by_name(name).unwrap();
            plan(suites, &scale, &Traces::default(), limits).unwrap_err()
        };
        let allocators = [built_in("allocator-bloat").unwrap()];
        let error = refused("paper", 20 << 10, &allocators);
        assert!(error.starts_with("not enough memory for scale `paper`: cell `"), "{error}");
        assert!(error.contains("What fits: --scale standard, or --live-bytes "), "{error}");
        let error = refused("smoke", 32, &allocators);
        assert!(error.ends_with("Nothing smaller fits either: free memory"), "{error}");
        let error = refused("smoke", 32, &all_suites());
        assert!(error.ends_with("free memory"), "{error}");
    }

    #[test]
    fn small_fills_of_a_fixed_live_set_are_left_out_where_memory_ends() {
        let limits = MachineLimits { memory_bytes: 8 << 30, cores: 2, cache_bytes: 0 };
        let scale = Scale::by_name("quick").unwrap();
        let suites = [built_in("utilisation").unwrap()];
        let plan = plan(&suites, &scale, &Traces::default(), limits).unwrap();
        let fills = |fill: &str| plan.cells.iter().any(|cell| cell.id.contains(fill));
        assert!(fills("fill-50-") && !fills("fill-10-"));
        assert!(
            plan.notices.iter().any(|it| it.contains("10 % fill of a live set of")),
            "{plan:?}"
        );
    }

    #[test]
    fn impossible_combinations_are_not_planned() {
        let scale = Scale::by_name("smoke").unwrap();
        let plan =
            plan(&[built_in("allocator-threads").unwrap()], &scale, &Traces::default(), AMPLE)
                .unwrap();
        assert!(plan.cells.iter().any(|cell| cell.id.contains("2-threads-other-frees")));
        assert!(plan.cells.iter().all(|cell| !cell.id.contains("1-threads")));
    }

    #[test]
    fn a_multiple_of_no_cap_is_refused() {
        let mut suite = built_in("store-bloat").unwrap();
        suite.fragmentation[0].patterns = vec!["W2".to_owned()];
        let error = plan(&[suite], &Scale::by_name("smoke").unwrap(), &Traces::default(), AMPLE)
            .unwrap_err();
        assert!(error.contains("`W2` allocates 5 times a cap"), "{error}");
    }

    #[test]
    fn unknown_names_get_near_matches() {
        let mut suite = built_in("allocator-bloat").unwrap();
        suite.fragmentation[0].patterns = vec!["P7".to_owned()];
        let scale = Scale::by_name("smoke").unwrap();
        let error = plan(&[suite.clone()], &scale, &Traces::default(), AMPLE).unwrap_err();
        assert!(error.contains("unknown pattern `P7`"), "{error}");
        suite.fragmentation[0].heaps = vec!["jemaloc".to_owned()];
        let error = plan(&[suite], &scale, &Traces::default(), AMPLE).unwrap_err();
        assert!(error.contains("did you mean jemalloc"), "{error}");
    }
}
