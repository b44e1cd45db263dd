//! Requests that were executed, generated again off the clock: what they leave to be found, and how many
//! bytes they moved.

use engine::{FullMeaning, KvEngine};
use workloads::requests::Request;

use super::expected::Expected;
use super::kit::seed_of;
use super::lane::Done;
use super::{OnStore, ageing, phases, steering};
use crate::Stop;
use crate::quiet::{Ended, Means, asked_by, stand_still};
use crate::watched::Watched;
use record::{Asked, Driver};

impl OnStore<'_> {
    /// What is expected after the requests of this turn, which are generated again; dealt ones are still
    /// there. Before the first turn the store was aged.
    pub(super) fn after<E: KvEngine>(
        &self,
        engine: &E,
        mut expected: Expected,
        ran: &[Done],
    ) -> Expected {
        let (work, seed) = (self.work, seed_of(self.cell));
        let is_first = self.crew.iter().all(|kit| kit.executed == 0);
        for (thread, done) in ran.iter().enumerate() {
            let requests = self.executed(thread, done);
            let first = self.crew[thread].executed;
            expected.timed[thread].note(first, requests, &done.refused, work.groups());
            if is_first {
                let made_by = |maker| ageing::requests(work, maker, seed).into_iter().flatten();
                let lane = (thread, work.threads);
                let requests = steering::share_of(engine, &work.workload, lane, made_by);
                expected.aged[thread].note(0, requests, &[], work.groups());
            }
        }
        expected.refilled = self.shared.sets_on_miss && E::TRAITS.full == FullMeaning::Evict;
        expected
    }

    /// The requests of this turn that a thread executed, generated again; dealt ones are still there.
    fn executed(&self, thread: usize, done: &Done) -> impl Iterator<Item = Request> {
        let (work, seed) = (self.work, seed_of(self.cell));
        let requests: Box<dyn Iterator<Item = Request>> = match &self.dealt {
            Some(dealt) => Box::new(dealt.of(thread).iter().copied()),
            None if work.replay.is_some() => Box::new(self.crew[thread].words.iter().copied()),
            None => {
                let streams = phases::streams(work, thread, seed).into_iter();
                Box::new(streams.flat_map(|(mut stream, length)| {
                    std::iter::repeat_with(move || stream.next_request()).take(length)
                }))
            }
        };
        requests.take(done.operations as usize)
    }

    /// What the requests of this turn moved, of a store with files. A bare loop's are not made again.
    pub(super) fn asked(&self, engine: &dyn Watched, ran: &[Done]) -> Option<Asked> {
        if engine.file_folders().is_empty() || self.work.driver == Driver::Bare {
            return None;
        }
        let means = Means {
            key_bytes: self.work.mean_key_bytes(),
            record_bytes: self.live_key_value_bytes() as f64 / self.live_objects.max(1) as f64,
            groups: self.work.groups(),
        };
        let requests =
            ran.iter().enumerate().flat_map(|(thread, done)| self.executed(thread, done));
        Some(asked_by(requests, means))
    }

    /// Lets a store with files finish what a step left it to do, for the parent to look at.
    pub(super) fn come_to_rest(
        &mut self,
        engine: &dyn Watched,
        (step, done): (&str, &[Done]),
        harness_read_bytes: u64,
    ) -> Result<(), Stop> {
        let loaded_bytes =
            done.iter().map(|one| one.inserted_bytes + self.key_bytes_of(one.inserted)).sum();
        let loaded = Asked { written_bytes: loaded_bytes, read_bytes: 0 };
        let ended = Ended {
            step,
            live_bytes: self.live_key_value_bytes(),
            asked: (step == "load").then_some(loaded),
            harness_read_bytes,
        };
        stand_still(engine, ended, self.link)
    }

    fn live_key_value_bytes(&self) -> u64 {
        self.live_bytes + self.key_bytes_of(self.live_objects)
    }

    /// How many bytes so many keys have, by their mean.
    fn key_bytes_of(&self, keys: u64) -> u64 {
        (keys as f64 * self.work.mean_key_bytes()).round() as u64
    }
}
