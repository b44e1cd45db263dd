//! Synchronisation edges by name, so that a model can be run with one end of one of them weakened:
//! a model that does not notice is no evidence (`scripts/loom`).
//!
//! In every other build [`from`] and [`to`] are the ordering they are given.

#[cfg(not(loom))]
use super::Ordering;

macro_rules! edges {
    ($($edge:ident = $name:literal,)+) => {
        /// An edge; `DESIGN.md` section 4 says what each guarantees.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Edge {
            $(#[doc = $name] $edge,)+
        }

        #[cfg(loom)]
        impl Edge {
            const ALL: &[(&str, Self)] = &[$(($name, Self::$edge)),+];
        }
    };
}

edges! {
    Publish = "PUBLISH",
    BucketIn = "BUCKET-IN",
    BucketInPlace = "BUCKET-IN-PLACE",
    BucketOut = "BUCKET-OUT",
    Shape = "SHAPE",
    Pin = "PIN",
    Unpin = "UNPIN",
    Stamp = "STAMP",
    LastDeath = "LAST-DEATH",
    Close = "CLOSE",
}

/// The ordering of an access that `edge` leads from.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn from(_edge: Edge, ordering: Ordering) -> Ordering {
    ordering
}

/// The ordering of an access that `edge` leads to.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn to(_edge: Edge, ordering: Ordering) -> Ordering {
    ordering
}

/// Whether the wait that `edge` consists of is over.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn is_over(_edge: Edge, over: bool) -> bool {
    over
}

#[cfg(loom)]
pub(crate) use weakened::{from, is_over, to};

#[cfg(loom)]
mod weakened {
    use std::sync::OnceLock;

    use super::Edge;
    use crate::sync::Ordering;

    /// `EDGE/from` or `EDGE/to`: which end of which edge orders nothing in this process.
    const VARIABLE: &str = "NIBBLE_WEAKEN";

    #[derive(Clone, Copy, PartialEq, Eq)]
    enum End {
        From(Edge),
        To(Edge),
    }

    fn chosen() -> Option<End> {
        static CHOSEN: OnceLock<Option<End>> = OnceLock::new();
        *CHOSEN.get_or_init(|| {
            let name = std::env::var(VARIABLE).ok()?;
            let end = name.split_once('/').and_then(|(edge, end)| {
                let &(_, edge) = Edge::ALL.iter().find(|&&(name, _)| name == edge)?;
                match end {
                    "from" => Some(End::From(edge)),
                    "to" => Some(End::To(edge)),
                    _ => None,
                }
            });
            assert!(end.is_some(), "{VARIABLE} = {name}: must be EDGE/from or EDGE/to");
            end
        })
    }

    /// Without its releasing half, if so chosen.
    pub(crate) fn from(edge: Edge, ordering: Ordering) -> Ordering {
        match ordering {
            _ if chosen() != Some(End::From(edge)) => ordering,
            Ordering::AcqRel | Ordering::SeqCst | Ordering::Acquire => Ordering::Acquire,
            _ => Ordering::Relaxed,
        }
    }

    /// Without its acquiring half, if so chosen.
    pub(crate) fn to(edge: Edge, ordering: Ordering) -> Ordering {
        match ordering {
            _ if chosen() != Some(End::To(edge)) => ordering,
            Ordering::AcqRel | Ordering::SeqCst | Ordering::Release => Ordering::Release,
            _ => Ordering::Relaxed,
        }
    }

    /// Over at once, if so chosen.
    pub(crate) fn is_over(edge: Edge, over: bool) -> bool {
        over || chosen() == Some(End::To(edge))
    }
}
