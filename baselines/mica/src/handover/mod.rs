//! Hand-over in software: any session accepts any request and hands it to the core that owns the
//! key's partition.
//!
//! Store mode with exclusive owners ([`Mica<Erew>`](Mica)). The owners are threads of the store,
//! and sessions reach them through mailboxes. `HANDOVER.md` says which parts of the thesis it
//! models.
//!
//! | file | contents |
//! |---|---|
//! | `letter` | the layout of letters and answers; how a letter is carried out |
//! | `mailbox` | one letter at a time between a session and an owner; sleeping and waking |
//! | `owner` | the threads: sweeps, sleep, orders |
//! | `patience` | how long to spin before sleeping |
//! | `session` | the contract's session: splits, posts, waits, collects |

mod letter;
mod mailbox;
mod owner;
mod patience;
mod session;
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use engine::{
    EngineTraits, Hashing, KvEngine, MemoryBound, MemoryCensus, OpenError, Presence, SessionError,
    Setting, Sharing, Statistic,
};

pub use session::HandoverSession;

use crate::mode::Erew;
use crate::store::{self, Mica};
use letter::LETTER_OPERATIONS;
use mailbox::lock;
use owner::{Order, Owner, StandingStill};
use patience::SPINS_MAX;

/// Settings of a [`MicaHandover`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    pub store: store::Config,
    /// Number of threads that own partitions, from 1 to the number of partitions. Partitions are
    /// dealt out to them in turn.
    pub owners: usize,
}

impl Config {
    /// One owner for each core that the process may run on, but no more than partitions.
    #[must_use]
    pub fn new(store: store::Config) -> Self {
        let cores = platform::cpu::allowed_cores().len();
        Self { store, owners: cores.min(store.partitions).max(1) }
    }
}

/// MICA in store mode with exclusive owners, which are its own threads.
#[derive(Debug)]
pub struct MicaHandover {
    mica: Arc<Mica<Erew>>,
    value_bytes_max: usize,
    owners: Vec<Arc<Owner>>,
    threads: Vec<JoinHandle<()>>,
    /// Held while the owners are stopped.
    standstill: Mutex<()>,
}

impl MicaHandover {
    /// An empty store, with its owners started.
    ///
    /// # Errors
    /// As for [`Mica::open`]; [`OpenError::BadSetting`] if there are no owners, or more than
    /// partitions; [`OpenError::Unusable`] if the system cannot start a thread.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        let Config { store, owners } = config;
        let mica = Arc::new(Mica::open(store)?);
        if owners == 0 || owners > store.partitions {
            return Err(OpenError::BadSetting {
                setting: "owners".to_owned(),
                value: owners.to_string(),
                accepted: format!("1 to {}, a partition each at least", store.partitions),
            });
        }
        let mut handover = Self {
            value_bytes_max: mica.value_bytes_max(),
            mica,
            owners: (0..owners).map(|_| Arc::default()).collect(),
            threads: Vec::with_capacity(owners),
            standstill: Mutex::new(()),
        };
        // If this fails, the owners already started leave when the store is dropped.
        for number in 0..owners {
            let thread = handover.start(number).map_err(|error| OpenError::Unusable {
                what: format!("the thread of owner {number}"),
                reason: format!("it does not start ({error}): ask for fewer owners"),
            })?;
            handover.threads.push(thread);
        }
        Ok(handover)
    }

    fn start(&self, number: usize) -> std::io::Result<JoinHandle<()>> {
        let (mica, owners) = (Arc::clone(&self.mica), self.owners.len());
        let owner = Arc::clone(&self.owners[number]);
        thread::Builder::new().name(format!("mica-owner-{number}")).spawn(move || {
            owner.run(|| {
                let session = mica.worker_session(number, owners);
                session.expect("nobody else claims partitions of this store")
            });
        })
    }

    /// Runs `work` while the owners are stopped. Letters posted meanwhile wait.
    fn while_owners_stand<R>(&self, work: impl FnOnce() -> R) -> R {
        let _one_at_a_time = lock(&self.standstill);
        let _standing = StandingStill::begin(&self.owners);
        work()
    }
}

impl Drop for MicaHandover {
    fn drop(&mut self) {
        self.owners.iter().for_each(|owner| owner.order(Order::Leave));
        for thread in self.threads.drain(..) {
            // An owner's panic has been reported to its sessions.
            let _ = thread.join();
        }
    }
}

impl KvEngine for MicaHandover {
    const TRAITS: EngineTraits = EngineTraits {
        name: "mica-handover",
        description: "partitions with one owner thread each, requests handed over by mailboxes",
        sharing: Sharing::Shared,
        memory_bound: MemoryBound::Soft,
        background_threads: true,
        hashing: Hashing::ClientAndServer,
        ..<Mica<Erew>>::TRAITS
    };

    type Session<'engine> = HandoverSession<'engine>;

    fn session(&self) -> Result<HandoverSession<'_>, SessionError> {
        Ok(HandoverSession::new(self))
    }

    fn presence(&self) -> Presence {
        Presence { threads: self.threads.len(), ..self.mica.presence() }
    }

    fn settle(&self) {
        self.mica.settle();
    }

    fn trim(&self) {
        self.while_owners_stand(|| self.mica.trim());
    }

    /// The census of the store, taken at one moment; the mailboxes of open sessions count as
    /// tables.
    fn memory(&self) -> MemoryCensus {
        let mut census = self.while_owners_stand(|| self.mica.memory());
        let owners_bytes = (self.owners.len() * size_of::<Owner>()) as u64;
        let mailbox_bytes: u64 = self.owners.iter().map(|owner| owner.mailbox_bytes()).sum();
        census.table_bytes += owners_bytes + mailbox_bytes;
        census.capacity_bytes =
            census.capacity_bytes.map(|bytes| bytes + owners_bytes + mailbox_bytes);
        census
    }

    /// The statistics of the store, taken at one moment, and the sums of the owners' counters.
    /// `client_parks` counts letters whose session slept before the answer.
    fn statistics(&self) -> Vec<Statistic> {
        let mut statistics = self.while_owners_stand(|| self.mica.statistics());
        for (number, (name, _)) in Owner::default().counts().into_iter().enumerate() {
            let sum: u64 = self.owners.iter().map(|owner| owner.counts()[number].1).sum();
            statistics.push(Statistic::new(name, sum as f64));
        }
        statistics
    }

    fn settings(&self) -> Vec<Setting> {
        let mut settings = self.mica.settings();
        settings.push(Setting::new("owners", self.owners.len()));
        settings.push(Setting::new("letter-operations", LETTER_OPERATIONS));
        settings.push(Setting::new("spins-max", SPINS_MAX));
        settings
    }

    /// Walks every heap and every chain while the owners are stopped; sessions may be active.
    fn check(&self) -> Result<(), String> {
        self.while_owners_stand(|| self.mica.check())
    }
}

const _: () = assert!(<Mica<Erew>>::TRAITS.value_bytes_max <= u32::MAX as usize);
