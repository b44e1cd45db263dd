//! Ages a store between the load and the timed run: rewrites, churn, litter.

use engine::{DeleteOutcome, KvEngine, KvSession, PutOutcome};
use workloads::distribution::Permutation;
use workloads::requests::{Mix, Request, RequestKind, RequestStream, Workload};
use workloads::{Rng, Seed, SizeDistribution, key_of};

use super::kit::Kit;
use super::lane::Done;
use super::steering::owner;
use record::{Ageing, KeyValue};

/// Records deleted before the first of them is stored again.
const CHURN_ROUND: usize = 64;

/// The requests by which `thread` ages a loaded store; none if the store is measured as loaded.
pub(super) fn requests(
    work: &KeyValue,
    thread: usize,
    seed: Seed,
) -> Option<Box<dyn Iterator<Item = Request>>> {
    let seed = seed.stream("ageing");
    match work.ageing {
        Ageing::None | Ageing::Litter(_) => None,
        Ageing::Rewrites(times) => {
            // Updates with the workload's own keys and sizes; nothing is deleted.
            let updates = Workload {
                mix: Mix::gets(0.0).expect("a share"),
                churn: false,
                ..work.workload.clone()
            };
            let mut stream = RequestStream::new(&updates, work.records, thread, work.threads, seed);
            let writes = work.writes_per_thread(times) as usize;
            Some(Box::new(std::iter::repeat_with(move || stream.next_request()).take(writes)))
        }
        Ageing::Churn(times) => {
            let (first, step) = (thread as u64, work.threads as u64);
            let own = (work.records + step - 1 - first) / step;
            let rng = seed.nth(first).rng();
            let sizes = work.workload.value_bytes.clone();
            let rounds = Rounds { first, step, own, rng, sizes, round: Vec::new(), at: 0 };
            // A round deletes as many records as it stores.
            let requests = if own > 0 { 2 * work.writes_per_thread(times) as usize } else { 0 };
            let whole_rounds = requests.next_multiple_of(2 * CHURN_ROUND.min(own.max(1) as usize));
            Some(Box::new(rounds.take(whole_rounds)))
        }
    }
}

/// Deletes random records of one thread and stores them again, one round at a time.
struct Rounds {
    first: u64,
    step: u64,
    own: u64,
    rng: Rng,
    sizes: SizeDistribution,
    round: Vec<u64>,
    at: usize,
}

impl Rounds {
    fn start_round(&mut self) {
        self.round.clear();
        self.at = 0;
        // With few records a round is shorter, so that it deletes no record twice.
        let length = CHURN_ROUND.min(self.own as usize);
        while self.round.len() < length {
            let record = self.first + self.rng.below(self.own) * self.step;
            if !self.round.contains(&record) {
                self.round.push(record);
            }
        }
    }
}

impl Iterator for Rounds {
    type Item = Request;

    fn next(&mut self) -> Option<Request> {
        if self.at == 2 * self.round.len() {
            self.start_round();
        }
        let at = self.at;
        self.at += 1;
        Some(match self.round.get(at) {
            Some(&record) => Request::new(RequestKind::Delete, 0, record),
            None => {
                let record = self.round[at - self.round.len()];
                Request::new(RequestKind::Insert, self.sizes.sample(&mut self.rng), record)
            }
        })
    }
}

/// Executes ageing requests. Their values carry the thread's ageing stamp.
pub(super) fn age<E: KvEngine>(
    session: &mut E::Session<'_>,
    kit: &mut Kit,
    requests: impl Iterator<Item = Request>,
    done: &mut Done,
) -> Result<(), String> {
    for (index, request) in requests.enumerate() {
        let key = key_of(request.record());
        done.operations += 1;
        if request.kind() == RequestKind::Delete {
            if session.delete(key) == DeleteOutcome::Absent && E::TRAITS.keeps_values {
                done.verification.lost += 1;
            }
            continue;
        }
        kit.ager.number_next(index as u64);
        match session.put(key, kit.ager.value(key, request.size())) {
            Ok(PutOutcome::Full) => {
                done.refuse(index as u64);
                return Ok(());
            }
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    Ok(())
}

/// Fills the store with the objects that will be loaded and with litter, then deletes all but the litter
/// in random order.
pub(super) fn litter<E: KvEngine>(
    engine: &E,
    session: &mut E::Session<'_>,
    kit: &mut Kit,
    (work, seed): (&KeyValue, Seed),
    done: &mut Done,
) -> Result<(), String> {
    // If keys belong to workers, each walks all objects and skips those of others.
    let (thread, threads) = match E::TRAITS.sharing.is_partitioned() {
        true => (0, 1),
        false => (kit.thread as u64, work.threads as u64),
    };
    let is_own = |key| owner(engine, key, work.threads).is_none_or(|owner| owner == kit.thread);
    let share = |all: u64| (all + threads - 1 - thread) / threads;
    let stays = share(work.litter_records());
    let objects = share(work.records) + stays;
    let seed = seed.stream("litter");
    let object = |at: u64| thread + at * threads;
    for at in 0..objects {
        let key = key_of(KeyValue::LITTER_FIRST + object(at));
        if !is_own(key) {
            continue;
        }
        let bytes = work.workload.loaded_value_bytes(seed, object(at));
        done.operations += 1;
        match session.put(key, kit.loader.value(key, bytes)) {
            Ok(PutOutcome::Full) => {
                done.refuse(at);
                return Ok(());
            }
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
    let order = Permutation::new(objects.max(1));
    for at in 0..objects - stays {
        let key = key_of(KeyValue::LITTER_FIRST + object(order.apply(at)));
        if !is_own(key) {
            continue;
        }
        done.operations += 1;
        if session.delete(key) == DeleteOutcome::Absent && E::TRAITS.keeps_values {
            done.verification.lost += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn churn_stores_every_record_again_that_it_deletes() {
        let sizes = SizeDistribution::Constant(100);
        let rng = Seed(1).rng();
        for own in [1, 10, 1000] {
            let mut rounds = Rounds {
                first: 1,
                step: 2,
                own,
                rng: rng.clone(),
                sizes: sizes.clone(),
                round: Vec::new(),
                at: 0,
            };
            let mut dead = std::collections::BTreeSet::new();
            let length = 2 * CHURN_ROUND.min(own as usize) * 10;
            for request in rounds.by_ref().take(length) {
                let record = request.record();
                assert!(record % 2 == 1 && record / 2 < own, "of the thread's own: {record}");
                if request.kind() == RequestKind::Delete {
                    assert!(dead.insert(record), "{record} is deleted twice");
                } else {
                    assert!(dead.remove(&record), "{record} was live");
                }
            }
            assert!(dead.is_empty(), "{own}: {dead:?}");
        }
    }
}
