//! Every flush and every fence is needed: left out, one by one, each shows.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use platform::persist::Region;
use platform::persist::model::Site;

use super::rig::{Do, Plan, layout, run, survivors};
use super::scripts::every;
use crate::rung::Rung;

const STEPS: &[Do] =
    &[Do::Put(0, 1), Do::Put(1, 1), Do::Remove(1, 1), Do::Glean(0), Do::Glean(1), Do::Advance];

/// Scripts that lead to a fault which needs more than three steps.
const LONGER: &[&[Do]] = &[
    // A record that recovery marks, and its newer one reclaimed.
    &[Do::Put(0, 1), Do::Put(1, 1), Do::Crash(true), Do::Glean(1), Do::Advance, Do::Get(0, 1)],
    // The same, marked by a gleaner; and by one that applies nothing.
    &[Do::Put(0, 1), Do::Put(1, 1), Do::Glean(1), Do::Advance, Do::Get(0, 1)],
    &[Do::Put(0, 1), Do::Put(1, 1), Do::Glean(0), Do::Glean(1), Do::Advance, Do::Get(0, 1)],
    // Locks that a crash leaves locked, twice.
    &[Do::Put(0, 1), Do::Crash(false), Do::Put(0, 1), Do::Crash(false), Do::Get(0, 1)],
    // Space that is used again.
    &[
        Do::Put(0, 1),
        Do::Put(0, 2),
        Do::Glean(0),
        Do::Advance,
        Do::Put(0, 3),
        Do::Put(0, 1),
        Do::Get(0, 1),
    ],
    // Blocks that are used again.
    &[Do::Put(0, 1), Do::Glean(0), Do::Put(0, 1), Do::Glean(0), Do::Put(0, 2), Do::Glean(0)],
    &[Do::Put(0, 1), Do::Remove(0, 1), Do::Put(0, 2), Do::Put(0, 1), Do::Put(0, 3)],
];

/// What a script of this rung shows of a left-out flush or fence.
fn shows(rung: Rung, site: Site) -> bool {
    let plan = Plan { left_out: Some(site), ..Plan::of(rung) };
    let mut found = false;
    let mut look = |plan: Plan, script: &[Do]| {
        let fits = rung.has_logs()
            || script.iter().all(|step| !matches!(step, Do::Glean(_) | Do::Advance));
        found = found || (fits && run(plan, script).is_err());
    };
    for script in LONGER {
        look(plan, script);
    }
    for length in 1..=3 {
        every(STEPS, length, |script| look(Plan { from: length - 1, ..plan }, script));
    }
    found
}

#[test]
fn each_flush_and_fence_that_is_left_out_is_found() {
    let rungs = [Rung::Full, Rung::Opt, Rung::St, Rung::Phash, Rung::HikvHt];
    let mut sites: BTreeSet<Site> = BTreeSet::new();
    for rung in rungs {
        let of_logs = |script: &&&[Do]| {
            rung.has_logs()
                || script.iter().all(|step| matches!(step, Do::Put(..) | Do::Remove(..)))
        };
        for script in LONGER.iter().filter(of_logs) {
            sites.extend(run(Plan::of(rung), script).unwrap().sites);
        }
    }
    assert!(sites.len() >= 15, "{sites:?}");
    let survive: Vec<_> =
        sites.iter().filter(|&&site| !rungs.into_iter().any(|rung| shows(rung, site))).collect();
    assert!(survive.is_empty(), "left out and not noticed: {survive:?}");
}

/// While a store is made, its memory is no store or an empty one.
#[test]
fn a_crash_while_formatting_leaves_no_store_or_an_empty_one() {
    let format = |left_out| {
        let layout = layout(Rung::Full);
        let region = Region::modelled(&vec![0; layout.words as usize]).unwrap();
        let wrong = Arc::new(Mutex::new(None));
        let found = Arc::clone(&wrong);
        let look = move |image: &[u64]| match survivors(Rung::Full, image) {
            Ok(pairs) if pairs.is_empty() => {}
            Err(error) if error.starts_with("the file holds no store") => {}
            other => *found.lock().unwrap() = Some(format!("{other:?}")),
        };
        let look = Arc::new(look);
        let mut model = region.model().unwrap();
        model.leave_out(left_out);
        let watch = Arc::clone(&look);
        model.watch(Some(Box::new(move |model| _ = model.for_each(|image| (*watch)(image)))));
        drop(model);
        layout.format(&region);
        let model = region.model().unwrap();
        model.for_each(|image| (*look)(image));
        let sites = model.sites().clone();
        drop(model);
        // An acknowledged store is a store.
        let certain: Vec<_> =
            (0..layout.words).map(|at| region.model().unwrap().durable(at)).collect();
        let certain = survivors(Rung::Full, &certain);
        let wrong = wrong.lock().unwrap().take();
        (sites, wrong.or(certain.err()))
    };
    let (sites, wrong) = format(None);
    assert_eq!(wrong, None);
    for site in sites {
        assert!(format(Some(site)).1.is_some(), "left out and not noticed: {site:?}");
    }
}
