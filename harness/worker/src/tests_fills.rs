//! Every bounded store is filled again and again while the machine is busy: none may refuse below its bound.
//! Small by default; `scripts/fills` asks for more by environment variables:
//!
//! | variable | what | default |
//! |---|---|---|
//! | `NIBBLE_FILLS` | fills of each store to each fill | 3 |
//! | `NIBBLE_FILLS_STORES` | names of stores, with commas between | all in the process that refuse |

use std::collections::BTreeMap;
use std::env;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use engine::{AllocatorChoice, FullMeaning, KvEngine, KvSession, MemoryBound, PutOutcome, Setup};
use platform::cpu::allowed_cores;
use workloads::key_of;

use crate::key_value::steering::records_of;
use crate::registry::{StoreVisitor, store_traits};
use crate::tests_stores::{short_form, traits_of, visit};

const OBJECT_MEMORY_BYTES: u64 = 8 << 20;
/// Of a store that makes a transaction of each write.
const OBJECT_MEMORY_BYTES_OF_SLOW: u64 = OBJECT_MEMORY_BYTES / 32;
const VALUE_BYTES: usize = 64;
const OBJECT_BYTES: u64 = VALUE_BYTES as u64 + size_of::<u64>() as u64;
const FILLS_PERCENT: [u64; 2] = [50, 80];
const THREADS: usize = 2;
/// Busy threads for each core.
const BUSY_PER_CORE: usize = 4;
/// Stores on a heap are filled so often before they are left: they are not dropped.
const FILLS_OF_HEAPS: u64 = 20;
/// What refuses at this fill while nothing else runs, too: headers of small values do not fit.
const CANNOT_HOLD: [(&str, u64); 3] = [("bullet", 80), ("hybridlog", 80), ("ramcloud", 80)];

/// Fills a store so often; between two fills all objects are deleted.
#[derive(Clone, Copy)]
struct Fills {
    records: u64,
    times: u64,
}

impl Fills {
    /// Runs `act` on the records of each thread.
    fn by_all<E: KvEngine>(
        self,
        engine: &E,
        act: impl Fn(&mut E::Session<'_>, u64) -> Result<(), String> + Sync,
    ) -> Result<(), String> {
        let one = |number| {
            let session = engine.worker_session(number, THREADS);
            let mut session = session.map_err(|error| error.to_string())?;
            records_of(engine, self.records, (number, THREADS))
                .try_for_each(|record| act(&mut session, record))
        };
        thread::scope(|scope| {
            let all = [0, 1].map(|number| scope.spawn(move || one(number)));
            all.into_iter().try_for_each(|thread| thread.join().expect("it answers with errors"))
        })
    }
}

impl StoreVisitor for Fills {
    type Output = Result<(), String>;

    fn visit<E: KvEngine>(self, engine: &E) -> Self::Output {
        let value = [7; VALUE_BYTES];
        for time in 0..self.times {
            if time > 0 {
                self.by_all(engine, |session, record| {
                    match session.delete(key_of(record)).was_present() {
                        true => Ok(()),
                        false => Err(format!("record {record} was lost")),
                    }
                })?;
            }
            self.by_all(engine, |session, record| match session.put(key_of(record), &value) {
                Ok(PutOutcome::Inserted) => Ok(()),
                other => Err(format!("record {record} of {}: {other:?}", self.records)),
            })?;
        }
        Ok(())
    }
}

fn stores() -> Vec<String> {
    if let Ok(named) = env::var("NIBBLE_FILLS_STORES") {
        return named.split(',').map(str::to_owned).collect();
    }
    let refusing = store_traits().iter().filter(|traits| {
        traits.full == FullMeaning::Refuse
            && traits.memory_bound != MemoryBound::None
            && traits.keeps_values
            && !(traits.test_only || traits.processes || traits.may_be_missing)
    });
    let mut named: Vec<String> = refusing.map(|traits| short_form(traits)).collect();
    named.extend(["nibble@preset=paper", "nibble@update=append"].map(str::to_owned));
    named
}

fn fills() -> u64 {
    let asked = env::var("NIBBLE_FILLS").ok();
    asked.map_or(3, |text| text.parse().expect("a whole number of fills"))
}

/// Fills `store` so often, opened anew as often as its memory comes back.
fn fill(store: &str, fill_percent: u64, times: u64) -> Result<(), String> {
    let on_heap = traits_of(store).allocator == AllocatorChoice::Chosen;
    let object_memory_bytes = match traits_of(store).commits_each_write {
        true => OBJECT_MEMORY_BYTES_OF_SLOW,
        false => OBJECT_MEMORY_BYTES,
    };
    let records = object_memory_bytes * fill_percent / 100 / OBJECT_BYTES;
    let setup = Setup {
        object_memory_bytes: Some(object_memory_bytes),
        live_bytes: records * OBJECT_BYTES,
        records_max: records,
        value_bytes_max: VALUE_BYTES,
        sessions: THREADS + 1,
        cache_bytes: None,
        resident: false,
        tells_updates: true,
        options: BTreeMap::new(),
        folder: None,
        heap: None,
    };
    let mut left = times;
    while left > 0 {
        let times = left.min(if on_heap { FILLS_OF_HEAPS } else { 1 });
        visit(store, setup.clone(), Fills { records, times })??;
        left -= times;
    }
    Ok(())
}

/// Keeps threads busy as long as it lives.
struct Busy<'scope>(&'scope AtomicBool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        // Relaxed: nothing depends on when the threads see it.
        self.0.store(false, Ordering::Relaxed);
    }
}

#[test]
fn no_store_refuses_below_its_bound_on_a_busy_machine() {
    let (busy, times) = (AtomicBool::new(true), fills());
    let mut refused = Vec::new();
    thread::scope(|scope| {
        let stop = Busy(&busy);
        for _ in 0..BUSY_PER_CORE * allowed_cores().len() {
            // Relaxed: as above.
            scope.spawn(|| {
                while busy.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        for store in stores() {
            for fill_percent in FILLS_PERCENT {
                if CANNOT_HOLD.contains(&(store.as_str(), fill_percent)) {
                    println!("{store} at {fill_percent} %: not asked, refuses when idle, too");
                    continue;
                }
                let began = Instant::now();
                match fill(&store, fill_percent, times) {
                    Ok(()) => {
                        let took = Duration::from_secs(began.elapsed().as_secs());
                        println!(
                            "{store} at {fill_percent} %: {times} fills, no refusal, {took:?}"
                        );
                    }
                    Err(error) => refused.push(format!("{store} at {fill_percent} %: {error}")),
                }
            }
        }
        drop(stop);
    });
    assert!(refused.is_empty(), "{refused:#?}");
}

/// The fills find a store that refuses: asked for more than the bound, or than it can hold.
#[test]
fn a_refusal_is_found() {
    for (store, fill_percent) in [&[("nibble", 130)][..], &CANNOT_HOLD].concat() {
        let error = fill(store, fill_percent, 1).unwrap_err();
        assert!(error.contains("Full"), "{store}: {error}");
    }
}
