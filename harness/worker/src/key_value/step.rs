//! A step of a cell: what all threads do between two barriers, and its report.
//!
//! The store is behind [`Watched`] and what the threads do behind [`Body`]: code that runs once a step is
//! compiled once, not for every store.

use std::sync::Barrier;

use platform::clock::monotonic_ns;
use platform::process::read_meanwhile;

use super::OnStore;
use super::kit::Kit;
use super::lane::{Done, Shared};
use super::phases::Leaving;
use super::sampled::{Sample, Sampler};
use super::shapes;
use crate::protocol::{Event, Point};
use crate::usage::Usage;
use crate::watched::Watched;
use crate::{Stop, pin};
use record::Outcome;

/// What each thread does in a step.
pub(super) type Body<'a> = dyn Fn(&mut Kit, &mut Done) -> Result<(), String> + Sync + 'a;

impl OnStore<'_> {
    /// Runs `body` on every thread between two barriers, and reports the step.
    pub(super) fn step(
        &mut self,
        name: &str,
        engine: &dyn Watched,
        body: &Body<'_>,
    ) -> Result<Vec<Done>, Stop> {
        // A replay begins with an empty store: memory it grows into is warmed as for other growing steps.
        let grows = name == "rehearse" && !self.populated;
        let grows_bytes = if grows { self.work.live_value_bytes() * 3 / 2 } else { 0 };
        self.link.say_and_wait(&Event::Before { step: name.to_owned(), grows_bytes });
        let (before, reads_before) = read_meanwhile(Usage::now);
        let sampled = self.work.sampled.as_deref().filter(|_| name == "run");
        let sampler = sampled.map(|name| Sampler::of(name, engine)).transpose();
        let sampler = sampler.map_err(Stop::failed)?;
        let (done, samples) = together(&mut self.crew, self.shared, body, sampler.as_ref())?;
        let (after, reads_after) = read_meanwhile(Usage::now);
        let used = after.since(&before);
        let mut report = self.report(name, &done);
        used.note_in(&mut report);
        report.statistics = engine.counters();
        if let Some(imbalance) = self.imbalance.filter(|_| name == "run") {
            report.statistics.insert("steered_imbalance".to_owned(), imbalance);
        }
        super::report::note_loops(&done, &mut report);
        let chosen = shapes::chosen(self.crew.iter().map(|kit| &kit.shapes));
        report.statistics.extend(chosen.map(|(name, threads)| (name.to_owned(), threads as f64)));
        report.census = engine.census();
        if name == "run" {
            self.samples = samples;
        }
        let goes_on = report.outcome == Outcome::Measured;
        self.count_live(&done);
        self.link.say(&Event::Step(Box::new(report)));
        if name != "verify" {
            self.link.say_and_wait(&Event::Observe {
                step: name.to_owned(),
                point: Point::AtOnce,
                live_bytes: self.live_bytes,
                live_objects: self.live_objects,
                idle_ms: 0,
                self_allocated_bytes: None,
            });
            if goes_on {
                self.come_to_rest(engine, (name, &done), reads_before + reads_after)?;
            }
        }
        // The step's row reports a refusal; the remaining steps would be meaningless.
        if goes_on { Ok(done) } else { Err(Stop::Said) }
    }
}

/// Runs `body` on a thread for each kit, which start together, and the sampler beside them.
fn together(
    crew: &mut [Kit],
    shared: &Shared,
    body: &Body<'_>,
    sampler: Option<&Sampler<'_>>,
) -> Result<(Vec<Done>, Vec<Sample>), Stop> {
    let barrier = Barrier::new(crew.len() + usize::from(sampler.is_some()));
    let cores = platform::cpu::allowed_cores();
    let (barrier, cores) = (&barrier, &cores);
    std::thread::scope(|scope| {
        let sampling = sampler.map(|sampler| (sampler, scope.spawn(move || sampler.run(barrier))));
        let threads = crew.iter_mut().map(|kit| {
            scope.spawn(move || {
                pin(kit.thread, cores);
                let _leaving = Leaving(shared);
                let mut done = Done::default();
                barrier.wait();
                done.started_ns = monotonic_ns();
                done.broken = body(kit, &mut done).err();
                if done.broken.is_some() {
                    // Nobody is to go on without it, or to wait for it.
                    shared.raise_stop();
                }
                done.ended_ns = monotonic_ns();
                done
            })
        });
        let threads: Vec<_> = threads.collect();
        // All threads are joined before the first panic is reported; otherwise the scope would panic
        // for the rest.
        let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        let samples = sampling.map(|(sampler, thread)| {
            sampler.end(thread.thread());
            thread.join()
        });
        let done = joined.into_iter().map(|done| done.map_err(Stop::panicked));
        let done = done.collect::<Result<Vec<Done>, Stop>>()?;
        let samples = samples.transpose().map_err(Stop::panicked)?;
        Ok((done, samples.unwrap_or_default()))
    })
}
