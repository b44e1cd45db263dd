//! A small store before the crash model, what it has promised, and scripts that it runs.
//!
//! Of each key the rig knows every state since the last that was acknowledged. Whatever image a crash
//! may leave, recovery from it must find one of them, and every block with one owner.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use engine::{KvSession, PutOutcome};
use platform::Pages;
use platform::persist::model::{Model, Site};
use platform::persist::{Latency, Medium, Region};

use crate::back::Back;
use crate::check;
use crate::faults::{Fault, Step};
use crate::glean;
use crate::heap::block_words;
use crate::layout::{BUCKET_WORDS, Layout, REDO_ENTRIES};
use crate::record::Opcode;
use crate::recovery;
use crate::rung::Rung;
use crate::session::BulletSession;
use crate::store::Shared;
use crate::warm;

const BLOCKS: u64 = 40;
const FRONT_WORDS: u64 = 2048;
/// Two records with a value of eight bytes, so that a third begins where the first did.
const LOG_WORDS: u64 = 2 * RECORD_WORDS;
const RECORD_WORDS: u64 = 6;

/// Who flushes and fences, besides the two sessions by their numbers.
const GLEANERS: u32 = 10;
const ADVANCER: u32 = 20;
const RECOVERY: u32 = 30;

/// One step of a script. Sessions and keys are small numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Do {
    Put(usize, u64),
    Remove(usize, u64),
    Get(usize, u64),
    /// One pass over a log.
    Glean(usize),
    /// The epoch ends.
    Advance,
    /// A crash that leaves as little, or as much, as it can; then recovery.
    Crash(bool),
    /// The step that follows is interrupted there: every log is gleaned and the epoch ends.
    GleanAt(Step),
    /// The step that follows is interrupted there by a put of session 1.
    PutAt(Step, u64),
    /// The step that follows is interrupted there by a remove of session 1, which is gleaned.
    RemoveAt(Step, u64),
}

/// The states a key may have: the one that was acknowledged last, and those that operations in progress
/// give it.
type States = BTreeMap<u64, Vec<Option<u64>>>;

/// What a run is to have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    pub(crate) rung: Rung,
    pub(crate) fault: Option<Fault>,
    pub(crate) left_out: Option<Site>,
    /// From which step on images are examined.
    pub(crate) from: usize,
    /// Whether every prefix of redo entries is tried, though nobody reads them.
    pub(crate) every_prefix: bool,
}

impl Plan {
    pub(crate) fn of(rung: Rung) -> Self {
        Self { rung, fault: None, left_out: None, from: 0, every_prefix: false }
    }
}

/// What a run examined.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) images: u64,
    pub(crate) sites: std::collections::BTreeSet<Site>,
}

pub(crate) fn layout(rung: Rung) -> Layout {
    let layout = Layout {
        words: 0,
        logs: 2,
        log_words: if rung.has_logs() { LOG_WORDS } else { 0 },
        buckets: 2,
        slots: 3,
        rung,
        object_bytes: 1 << 20,
    };
    Layout { words: layout.heap_at() + BLOCKS * 8, ..layout }
}

/// The image of an empty store.
pub(crate) fn formatted(rung: Rung) -> Vec<u64> {
    let layout = layout(rung);
    let region = Region::modelled(&vec![0; layout.words as usize]).unwrap();
    layout.format(&region);
    (0..layout.words).map(|at| region.load(at)).collect()
}

thread_local! {
    static SCRATCH: RefCell<Vec<(Rung, Back, Vec<u64>)>> = const { RefCell::new(Vec::new()) };
}

/// Calls `f` with a table for images of this rung, and the image of an empty store.
fn with_scratch<T>(rung: Rung, f: impl FnOnce(&Back, &[u64]) -> T) -> T {
    SCRATCH.with_borrow_mut(|all| {
        let at = all.iter().position(|(own, ..)| *own == rung).unwrap_or_else(|| {
            let layout = layout(rung);
            let region =
                Region::map(layout.words, Medium::Emulated, Latency::NONE, Pages::Small).unwrap();
            all.push((rung, Back::new(region, layout), formatted(rung)));
            all.len() - 1
        });
        f(&all[at].1, &all[at].2)
    })
}

/// What the pairs of an image and its newest records say, after recovery.
pub(crate) fn survivors(rung: Rung, image: &[u64]) -> Result<BTreeMap<u64, u64>, String> {
    with_scratch(rung, |back, _| {
        let (region, layout) = (&back.region, &back.layout);
        region.fill(image);
        let mut newest = Vec::new();
        if rung != Rung::HikvHt {
            let found = recovery::layout(region).map_err(|error| error.to_string())?;
            assert_eq!(&found, layout);
            let recovered = recovery::recover(region, layout);
            newest = recovered.map_err(|error| error.to_string())?.newest;
        }
        let mut found = BTreeMap::new();
        let mut words = 0;
        back.for_each(|block, pair_words, key, bytes, _| {
            words += block_words(pair_words);
            if bytes.is_some() {
                found.insert(key, region.load(block + crate::back::PAIR_WORDS));
            }
        })?;
        if rung != Rung::HikvHt {
            let mut touched = platform::persist::Touched::default();
            let mut cells = crate::cells::Direct { region, touched: &mut touched };
            back.heap.for_each_free(&mut cells, |_, free| words += free);
            let taken = region.load(layout.bump_at()).wrapping_sub(layout.heap_at());
            if words != taken {
                return Err(format!("{words} words of blocks, and {taken} were taken"));
            }
        }
        for (reference, header) in newest {
            let (log, place) = reference.parts().expect("a record");
            let ring = crate::record::Ring::of(layout, log);
            let at = ring.at(place + crate::record::HEADER_WORDS);
            match header.opcode {
                Opcode::Put => found.insert(header.key, region.load(at)),
                Opcode::Remove => found.remove(&header.key),
            };
        }
        Ok(found)
    })
}

/// Whether recovery from an image finds what may be there.
fn judge(rung: Rung, image: &[u64], states: &States) -> Result<BTreeMap<u64, u64>, String> {
    let found = survivors(rung, image)?;
    for (key, allowed) in states {
        let state = found.get(key).copied();
        if !allowed.contains(&state) {
            return Err(format!("key {key} is {state:?} after a crash, and may be {allowed:?}"));
        }
    }
    match found.keys().find(|key| !states.contains_key(key)) {
        Some(key) => Err(format!("key {key} was invented")),
        None => Ok(found),
    }
}

/// What the watcher shares with the script.
#[derive(Debug, Default)]
struct Promises {
    states: States,
    images: u64,
    violation: Option<String>,
}

fn examine(plan: Plan, model: &Model, promises: &mut Promises) {
    if promises.violation.is_some() {
        return;
    }
    let layout = layout(plan.rung);
    // Entries count only under a number: where it is certain that there is none, they are not read.
    let is_entry = |at: u64, slot| {
        let number = layout.redo_at(slot);
        (number + 1..number + 8 + 2 * REDO_ENTRIES).contains(&at)
            && !model.is_open(number)
            && model.durable(number) == 0
    };
    let unread = |at: u64| {
        // Nor is ever what this rung's allocator does not flush.
        let heap =
            at == layout.bump_at() || (layout.arenas_at()..layout.buckets_at()).contains(&at);
        (plan.rung == Rung::HikvHt && heap)
            || !plan.every_prefix && (0..layout.slots).any(|slot| is_entry(at, slot))
    };
    let Promises { states, images, violation } = promises;
    *images += model.for_each_of(unread, |image| {
        if violation.is_none()
            && let Err(what) = judge(plan.rung, image, states)
        {
            *violation = Some(what);
        }
    });
}

/// The store, as long as it lives.
struct Rig {
    plan: Plan,
    shared: Arc<Shared>,
    promises: Arc<Mutex<Promises>>,
}

impl Rig {
    fn watch(&self, on: bool) {
        let mut model = self.shared.back().region.model().expect("a model");
        if !on {
            model.watch(None);
            return;
        }
        let (plan, promises) = (self.plan, Arc::clone(&self.promises));
        model.watch(Some(Box::new(move |model| {
            examine(plan, model, &mut promises.lock().unwrap());
        })));
    }

    fn examine(&self) {
        let model = self.shared.back().region.model().expect("a model");
        examine(self.plan, &model, &mut self.promises.lock().unwrap());
    }
}

/// The store on an image, recovered if it is not new.
fn start(plan: Plan, image: &[u64], is_new: bool, seen: &mut Seen) -> Result<Shared, String> {
    let layout = layout(plan.rung);
    let region = Region::modelled(image).unwrap();
    region.model().unwrap().leave_out(plan.left_out);
    region.model().unwrap().act_as(RECOVERY);
    let mut shared = if is_new {
        Shared::on(&layout, Some(region), FRONT_WORDS, Pages::Small).unwrap()
    } else {
        let recovered = recovery::recover(&region, &layout).map_err(|error| error.to_string())?;
        seen.sites.extend(region.model().unwrap().sites());
        let shared = warm::warm(&layout, region, &recovered, FRONT_WORDS, Pages::Small);
        shared.map_err(|error| error.to_string())?
    };
    let back = shared.back();
    for bucket in 0..layout.buckets {
        let lock = back.lock_at(layout.buckets_at() + bucket * BUCKET_WORDS);
        if !back.locks.try_exclusive(lock) {
            return Err(format!("bucket {bucket} is locked by who is gone"));
        }
        back.locks.release(lock);
    }
    shared.faults.fault = plan.fault;
    Ok(shared)
}

/// Runs a script; what it examined, or the first promise that was not kept.
pub(crate) fn run(plan: Plan, script: &[Do]) -> Result<Seen, String> {
    let done = catch_unwind(AssertUnwindSafe(|| run_inside(plan, script)));
    done.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        Err(text
            .or(panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
            .unwrap_or_default())
    })
}

fn run_inside(plan: Plan, script: &[Do]) -> Result<Seen, String> {
    let mut seen = Seen::default();
    let promises = Arc::new(Mutex::new(Promises::default()));
    let mut image = with_scratch(plan.rung, |_, image| image.to_vec());
    let mut next = 0;
    let mut value = 0;
    let mut is_new = true;
    loop {
        let rig = Rig {
            plan,
            shared: Arc::new(start(plan, &image, is_new, &mut seen)?),
            promises: Arc::clone(&promises),
        };
        let crashed = rig.live(script, &mut next, &mut value);
        let model = rig.shared.back().region.model().expect("a model");
        seen.sites.extend(model.sites());
        let mut promises = promises.lock().unwrap();
        if let Some(violation) = promises.violation.take() {
            return Err(violation);
        }
        let Some(keeps_much) = crashed? else {
            seen.images = promises.images;
            return Ok(seen);
        };
        image = model.sample(|bound| if keeps_much { bound.min(2) - 1 } else { 0 });
        // Locks persist when they like: here at the worst moment.
        let back = rig.shared.back();
        for bucket in 0..back.layout.buckets {
            let at = back.layout.buckets_at() + bucket * BUCKET_WORDS;
            back.locks.try_exclusive(back.lock_at(at));
            image[at as usize] = back.region.load(at);
        }
        let found = judge(plan.rung, &image, &promises.states)?;
        for (key, states) in &mut promises.states {
            *states = vec![found.get(key).copied()];
        }
        is_new = false;
    }
}

impl Rig {
    /// Runs the script up to its end or a crash.
    fn live(
        &self,
        script: &[Do],
        next: &mut usize,
        value: &mut u64,
    ) -> Result<Option<bool>, String> {
        let shared = &*self.shared;
        let mut sessions: [_; 2] =
            std::array::from_fn(|_| BulletSession::open(shared).expect("two sessions"));
        while let Some(&step) = script.get(*next) {
            self.watch(*next >= self.plan.from);
            *next += 1;
            let actor = match step {
                Do::Put(session, _) | Do::Remove(session, _) | Do::Get(session, _) => {
                    session as u32
                }
                Do::Glean(log) => GLEANERS + log as u32,
                _ => ADVANCER,
            };
            shared.back().region.model().expect("a model").act_as(actor);
            match step {
                Do::Put(session, key) => {
                    *value += 1;
                    self.put(&mut sessions[session], key, *value)?;
                }
                Do::Remove(session, key) => self.remove(&mut sessions[session], key)?,
                Do::Get(session, key) => self.get(&mut sessions[session], key)?,
                Do::Glean(log) => {
                    glean::pass(shared, &mut shared.helper(), &shared.logs[log]);
                }
                Do::Advance => _ = glean::advance(shared, false),
                Do::Crash(keeps_much) => return Ok(Some(keeps_much)),
                Do::GleanAt(at) => self.interrupt(at, glean_all),
                Do::PutAt(at, key) => {
                    *value += 1;
                    let (promises, value) = (Arc::clone(&self.promises), *value);
                    self.interrupt(at, move |shared| {
                        if shared.front().try_lock(key).is_none() {
                            return; // As in `interrupt`.
                        }
                        begin(&promises, key, Some(value));
                        let mut own = BulletSession::stranger(shared, 1);
                        assert_ne!(own.put(key, &value.to_le_bytes()), Ok(PutOutcome::Full));
                        acknowledge(&promises, key, Some(value));
                        // Others may glean its log meanwhile.
                        glean::pass(shared, &mut crate::tx::Transactor::new(1), &shared.logs[1]);
                        glean::advance(shared, false);
                    });
                }
                Do::RemoveAt(at, key) => {
                    let promises = Arc::clone(&self.promises);
                    self.interrupt(at, move |shared| {
                        if shared.front().try_lock(key).is_none() {
                            return; // As above.
                        }
                        let mut own = BulletSession::stranger(shared, 1);
                        begin(&promises, key, None);
                        own.delete(key);
                        acknowledge(&promises, key, None);
                        glean_all(shared);
                    });
                }
            }
            if *next > self.plan.from {
                self.examine();
            }
            let ends = *next == script.len();
            if ends {
                for key in 0..4 {
                    self.get(&mut sessions[0], key)?;
                }
                drop(sessions);
                self.watch(false);
                return self.quiesce().map(|()| None);
            }
        }
        Ok(None)
    }

    /// Lets session 1 do something at a step, unless it would wait there for who is interrupted.
    fn interrupt(&self, at: Step, does: impl Fn(&Shared) + Send + 'static) {
        let weak = Arc::downgrade(&self.shared);
        self.shared.faults.hook(
            at,
            Box::new(move || {
                let Some(shared) = weak.upgrade() else { return };
                let back = shared.back();
                let is_free = |bucket| {
                    let lock = back.lock_at(back.layout.buckets_at() + bucket * BUCKET_WORDS);
                    let free = back.locks.try_exclusive(lock);
                    if free {
                        back.locks.release(lock);
                    }
                    free
                };
                let has_room = shared.logs[1].room() >= RECORD_WORDS;
                if has_room && back.heap.is_idle() && (0..back.layout.buckets).all(is_free) {
                    let act_as = |actor| back.region.model().expect("a model").act_as(actor);
                    let before = act_as(1);
                    does(&shared);
                    act_as(before);
                }
            }),
        );
    }

    fn put(&self, session: &mut BulletSession<'_>, key: u64, value: u64) -> Result<(), String> {
        begin(&self.promises, key, Some(value));
        let outcome = session.put(key, &value.to_le_bytes()).expect("a short value");
        if outcome == PutOutcome::Full {
            return Err("a put was refused".to_owned());
        }
        self.is_named(key)?;
        acknowledge(&self.promises, key, Some(value));
        Ok(())
    }

    /// Where puts let the persistent pair name their record, it does after any crash.
    fn is_named(&self, key: u64) -> Result<(), String> {
        let (rung, shared) = (self.plan.rung, &self.shared);
        if !rung.links_the_back() || shared.faults.fault.is_some() {
            return Ok(());
        }
        let Some(newest) = shared.front().entry_of(key) else { return Ok(()) };
        let (log, place) = newest.parts().expect("a record");
        let header = shared.logs[log as usize].ring.header(&shared.back().region, place);
        if header.is_none_or(|header| header.applied) {
            return Ok(()); // Gleaned as soon as it was named.
        }
        let newest = Some(newest.word());
        let mut wrong = None;
        shared.back().region.model().expect("a model").for_each_of(
            |_| true,
            |image| {
                let named = with_scratch(rung, |back, _| {
                    back.region.fill(image);
                    let mut named = None;
                    let each = back.for_each(|_, _, own, _, entry| {
                        if own == key {
                            named = Some(entry);
                        }
                    });
                    each.map(|()| named)
                });
                if named != Ok(newest) {
                    wrong =
                        Some(format!("key {key} names {named:?}, and its newest is {newest:?}"));
                }
            },
        );
        wrong.map_or(Ok(()), Err)
    }

    fn remove(&self, session: &mut BulletSession<'_>, key: u64) -> Result<(), String> {
        begin(&self.promises, key, None);
        session.delete(key);
        acknowledge(&self.promises, key, None);
        Ok(())
    }

    fn get(&self, session: &mut BulletSession<'_>, key: u64) -> Result<(), String> {
        let newest = || {
            let promises = self.promises.lock().unwrap();
            promises.states.get(&key).and_then(|states| *states.first()?)
        };
        let before = newest();
        let mut buffer = [0; 8];
        let found = session.get(key, &mut buffer).expect("a buffer of eight bytes");
        let found = found.map(|_| u64::from_le_bytes(buffer));
        // What interrupts a get may come before it or after it.
        let newest = newest();
        if found == newest || found == before {
            return Ok(());
        }
        Err(format!("get of key {key} found {found:?}, and the last put was {newest:?}"))
    }

    /// Drains the logs and compares the tables.
    fn quiesce(&self) -> Result<(), String> {
        let shared = &*self.shared;
        for _ in 0..20 {
            glean_all(shared);
        }
        if !shared.is_drained() {
            return Err("the logs are not drained".to_owned());
        }
        check::check(shared)
    }
}

fn glean_all(shared: &Shared) {
    // A transactor of its own: the script's gleaner may be at work with the helper's.
    glean::all(shared, &mut crate::tx::Transactor::new(1), 0);
    glean::advance(shared, false);
}

fn begin(promises: &Mutex<Promises>, key: u64, state: Option<u64>) {
    let mut promises = promises.lock().unwrap();
    promises.states.entry(key).or_insert_with(|| vec![None]).push(state);
}

/// An operation ends; what interrupted it has ended, and came before it.
fn acknowledge(promises: &Mutex<Promises>, key: u64, state: Option<u64>) {
    let mut promises = promises.lock().unwrap();
    if let Some(states) = promises.states.get_mut(&key) {
        if let Some(at) = states.iter().rposition(|&own| own == state) {
            states.remove(at);
        }
        states[0] = state;
    }
}
