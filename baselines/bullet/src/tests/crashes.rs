//! Crashes while recovering, and stores that go on after crashes.

use std::sync::{Arc, Mutex};

use platform::persist::Region;

use super::rig::{Do, Plan, formatted, layout, run, survivors};
use crate::recovery;
use crate::rung::Rung;
use crate::session::BulletSession;
use crate::store::Shared;
use engine::KvSession;

/// Recovery that is interrupted at every point, and begun again, finds the same.
#[test]
fn recovery_may_be_interrupted_anywhere() {
    let layout = layout(Rung::Full);
    let region = Region::modelled(&formatted(Rung::Full)).unwrap();
    let shared = Shared::on(&layout, Some(region), 2048, platform::Pages::Small).unwrap();
    let images = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&images);
    let mut sessions = [0, 1].map(|_| BulletSession::open(&shared).unwrap());
    sessions[0].put(1, &[1; 8]).unwrap();
    sessions[1].put(1, &[2; 8]).unwrap();
    sessions[0].put(2, &[3; 8]).unwrap();
    shared.back().region.model().unwrap().watch(Some(Box::new(move |model| {
        model.for_each_of(|_| true, |image| kept.lock().unwrap().push(image.to_vec()));
    })));
    crate::glean::all(&shared, &mut shared.helper(), 0);
    let images = std::mem::take(&mut *images.lock().unwrap());
    assert!(images.len() > 20, "{} images", images.len());
    let mut within = 0_u64;
    for image in images {
        let expected = survivors(Rung::Full, &image).unwrap();
        assert_eq!(expected.len(), 2);
        let region = Region::modelled(&image).unwrap();
        let counted = Arc::new(Mutex::new(0));
        let (count, again) = (Arc::clone(&counted), expected.clone());
        region.model().unwrap().watch(Some(Box::new(move |model| {
            *count.lock().unwrap() += model.for_each(|image| {
                assert_eq!(survivors(Rung::Full, image).as_ref(), Ok(&again));
            });
        })));
        recovery::recover(&region, &layout).unwrap();
        region.model().unwrap().for_each(|image| {
            assert_eq!(survivors(Rung::Full, image).as_ref(), Ok(&expected));
        });
        within += *counted.lock().unwrap();
    }
    assert!(within > 100, "{within} images within recovery");
}

/// Keys are deleted and put again and again, with a crash after each step.
#[test]
fn a_removed_key_does_not_come_back() {
    let storm = [Do::Put(0, 1), Do::Remove(1, 1), Do::Put(1, 1), Do::Remove(0, 1)];
    for rung in [Rung::St, Rung::Opt, Rung::Full] {
        for work in [Do::Glean(0), Do::Glean(1), Do::Advance, Do::Get(1, 1)] {
            for crash in [true, false] {
                let script: Vec<_> = (0..16)
                    .flat_map(|turn| {
                        let step = storm[turn % storm.len()];
                        if turn % 3 == 2 { vec![step, work, Do::Crash(crash)] } else { vec![step] }
                    })
                    .collect();
                run(Plan::of(rung), &script).unwrap_or_else(|what| panic!("{rung}: {what}"));
            }
        }
    }
}
