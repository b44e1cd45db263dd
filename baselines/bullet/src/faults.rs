//! The faults of the published text, one by one, for tests that show what each does.
//!
//! A store has one only in this crate's own tests: elsewhere the question whether it has one is a
//! constant, and no setting leads here. `README.md` says what each fault is, and what is done instead.

pub(crate) use planted::Faults;

/// A step at which a test may let something else happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// A record is durable, and its log's tail not yet.
    RecordDurable,
    /// The tail is durable, and the pair does not name the record yet.
    TailDurable,
    /// The pair names the record.
    Named,
    /// A gleaner has read which record is a key's newest, and has not applied it.
    NewestRead,
    /// A get has missed in front and has read the back.
    BackRead,
}

/// A fault as the text has it, or leaves it open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// B1: gleaners read up to the durable tail, and skip what no pair names yet.
    TailBeforeName,
    /// B2: a gleaner that finds the key taken skips the record for good.
    SkipIfTaken,
    /// B3: older records are left as they are when the newest is applied.
    OldLeftUnapplied,
    /// B4: a reference is followed whether or not its record has been reclaimed.
    DanglingReference,
    /// B5: a writer waits for log space while it holds the bucket.
    WaitsWithBucket,
    /// B6: a missing pair is inserted as it was read, without looking again.
    StaleMiss,
}

#[cfg(not(test))]
mod planted {
    use super::{Fault, Step};

    /// None.
    #[derive(Debug)]
    pub(crate) struct Faults;

    impl Faults {
        pub(crate) const fn none() -> Self {
            Self
        }

        #[inline]
        #[expect(clippy::unused_self, reason = "tests have some")]
        pub(crate) const fn has(&self, _: Fault) -> bool {
            false
        }

        #[inline]
        #[expect(clippy::unused_self, reason = "tests do something")]
        pub(crate) const fn at(&self, _: Step) {}
    }
}

#[cfg(test)]
mod planted {
    use std::fmt;
    use std::sync::{Mutex, PoisonError};

    use super::{Fault, Step};

    type Hook = Box<dyn FnMut() + Send>;

    /// The fault that a store has, and what happens at a step, once.
    #[derive(Default)]
    pub(crate) struct Faults {
        pub(crate) fault: Option<Fault>,
        hook: Mutex<Option<(Step, Hook)>>,
    }

    impl fmt::Debug for Faults {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            self.fault.fmt(formatter)
        }
    }

    impl Faults {
        pub(crate) fn none() -> Self {
            Self::default()
        }

        pub(crate) fn has(&self, fault: Fault) -> bool {
            self.fault == Some(fault)
        }

        pub(crate) fn at(&self, step: Step) {
            let mut hook = self.hook.lock().unwrap_or_else(PoisonError::into_inner);
            if hook.as_ref().is_some_and(|(wanted, _)| *wanted == step) {
                let taken = hook.take();
                drop(hook);
                if let Some((_, mut run)) = taken {
                    run();
                }
            }
        }

        /// Runs `hook` at the next `step`.
        pub(crate) fn hook(&self, step: Step, hook: Hook) {
            *self.hook.lock().unwrap_or_else(PoisonError::into_inner) = Some((step, hook));
        }
    }
}
