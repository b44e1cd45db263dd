//! Wraps a store: the answers are the same, but it is slower or larger by a known share.
//!
//! | file | contents |
//! |---|---|
//! | `hindrance` | how much to hinder, as settings |
//! | `session` | one thread's use: forwards and counts |
//! | `pace` | how long a session pauses, and when |
//! | `clock` | the source of time |
//! | `ballast` | memory held for no purpose |

mod ballast;
mod clock;
mod hindrance;
mod pace;
mod session;

use std::fmt;
use std::marker::PhantomData;
use std::path::PathBuf;

use engine::{
    Durability, EngineTraits, Keys, KvEngine, MemoryCensus, OpenError, Presence, Rmw, SessionError,
    Setting, Snapshots, Statistic, Storage, Writes,
};

use ballast::Ballast;
pub use clock::{Clock, Monotonic};
pub use hindrance::{Hindrance, Percent, SLOWED_PERCENT_MAX};
use pace::Pace;
pub use session::HinderedSession;

/// The name under which a hindered store is registered.
pub trait Naming {
    const NAME: &'static str;
}

/// The store `E`, hindered, under the name that `N` gives it.
///
/// Every request is forwarded to the store below. Its census leaves out the leaked memory, because
/// a leak is memory that a store does not account for.
pub struct Hindered<E, N, C = Monotonic> {
    inner: E,
    hindrance: Hindrance,
    /// The jitter that was drawn, in percent.
    drawn_percent: f64,
    ballast: Ballast,
    clock: C,
    naming: PhantomData<fn() -> N>,
}

impl<E: KvEngine, N: Naming> Hindered<E, N> {
    /// Hinders `inner`, which must be empty, and draws its jitter.
    ///
    /// # Errors
    /// [`OpenError::BadSetting`] if it would have to pause nearly all the time.
    pub fn open(inner: E, hindrance: Hindrance) -> Result<Self, OpenError> {
        Self::with_clock(inner, hindrance, Monotonic)
    }
}

impl<E: KvEngine, N: Naming, C: Clock> Hindered<E, N, C> {
    /// Like [`open`](Hindered::open), with another clock.
    ///
    /// # Errors
    /// As for [`open`](Hindered::open).
    pub fn with_clock(inner: E, hindrance: Hindrance, clock: C) -> Result<Self, OpenError> {
        let drawn_percent = hindrance.draw()?;
        let ballast = Ballast::new(hindrance.leak);
        Ok(Self { inner, hindrance, drawn_percent, ballast, clock, naming: PhantomData })
    }

    /// The total drop in throughput, set and drawn, in percent.
    #[must_use]
    pub fn slowed_percent(&self) -> f64 {
        self.hindrance.slow.value() + self.drawn_percent
    }

    /// Bytes that it holds for no purpose.
    #[must_use]
    pub fn leaked_bytes(&self) -> u64 {
        self.ballast.bytes()
    }

    fn hinder<'engine>(
        &'engine self,
        inner: E::Session<'engine>,
    ) -> HinderedSession<'engine, E, N, C> {
        self.ballast.keep_up(&self.inner);
        let pace = Pace::new(self.slowed_percent(), self.clock.now_ns());
        HinderedSession::new(self, inner, pace)
    }
}

impl<E: KvEngine, N: Naming, C: Clock> KvEngine for Hindered<E, N, C> {
    const TRAITS: EngineTraits = EngineTraits {
        name: N::NAME,
        description: "the store below, slower or larger by a known share on purpose",
        test_only: true,
        // Its sessions are those of words.
        keys: Keys::Word,
        ..E::TRAITS
    };

    fn lacking() -> Vec<OpenError> {
        E::lacking()
    }

    type Session<'engine>
        = HinderedSession<'engine, E, N, C>
    where
        Self: 'engine;

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(self.hinder(self.inner.session()?))
    }

    fn worker_session(
        &self,
        worker: usize,
        workers: usize,
    ) -> Result<Self::Session<'_>, SessionError> {
        Ok(self.hinder(self.inner.worker_session(worker, workers)?))
    }

    fn route(&self, key: u64, workers: usize) -> Option<usize> {
        self.inner.route(key, workers)
    }

    fn presence(&self) -> Presence {
        self.inner.presence()
    }

    fn storage(&self) -> Storage {
        self.inner.storage()
    }

    fn durability(&self) -> Durability {
        self.inner.durability()
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.inner.folders()
    }

    fn writes(&self) -> Writes {
        self.inner.writes()
    }

    fn rmw(&self) -> Rmw {
        self.inner.rmw()
    }

    fn snapshots(&self) -> Snapshots {
        self.inner.snapshots()
    }

    fn writes_in_one_step(&self) -> bool {
        self.inner.writes_in_one_step()
    }

    fn settle(&self) {
        self.inner.settle();
    }

    fn trim(&self) {
        self.inner.trim();
    }

    fn memory(&self) -> MemoryCensus {
        self.inner.memory()
    }

    fn statistics(&self) -> Vec<Statistic> {
        self.inner.statistics()
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = self.inner.settings();
        settings.extend([
            Setting::new("slow-percent", self.hindrance.slow),
            Setting::new("jitter-percent", self.hindrance.jitter),
            Setting::new("jitter-drawn-percent", format!("{:.4}", self.drawn_percent)),
            Setting::new("leak-percent", self.hindrance.leak),
        ]);
        settings
    }

    fn check(&self) -> Result<(), String> {
        self.inner.check()
    }
}

impl<E, N, C> fmt::Debug for Hindered<E, N, C> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Hindered")
            .field("hindrance", &self.hindrance)
            .field("drawn_percent", &self.drawn_percent)
            .finish_non_exhaustive()
    }
}
