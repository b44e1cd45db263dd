//! Synchronisation edges by name, so that a model can be run with one end of one edge weakened: a
//! model that does not notice is no evidence (`scripts/loom`).
//!
//! In every other build [`from`] and [`to`] return the ordering they are given.

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
    Lease = "LEASE",
    Life = "LIFE",
}

/// The ordering of an access at which `edge` begins.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn from(_edge: Edge, ordering: Ordering) -> Ordering {
    ordering
}

/// The ordering of an access at which `edge` ends.
#[cfg(not(loom))]
#[inline(always)]
pub(crate) const fn to(_edge: Edge, ordering: Ordering) -> Ordering {
    ordering
}

/// Whether the wait that makes up `edge` is over.
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

    /// `EDGE/from` or `EDGE/to`: the end of an edge that is weakened in this process.
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

    /// The ordering without its releasing half, if this end is weakened.
    pub(crate) fn from(edge: Edge, ordering: Ordering) -> Ordering {
        match ordering {
            _ if chosen() != Some(End::From(edge)) => ordering,
            Ordering::AcqRel | Ordering::SeqCst | Ordering::Acquire => Ordering::Acquire,
            _ => Ordering::Relaxed,
        }
    }

    /// The ordering without its acquiring half, if this end is weakened.
    pub(crate) fn to(edge: Edge, ordering: Ordering) -> Ordering {
        match ordering {
            _ if chosen() != Some(End::To(edge)) => ordering,
            Ordering::AcqRel | Ordering::SeqCst | Ordering::Release => Ordering::Release,
            _ => Ordering::Relaxed,
        }
    }

    /// Over at once, if this edge is weakened.
    pub(crate) fn is_over(edge: Edge, over: bool) -> bool {
        over || chosen() == Some(End::To(edge))
    }
}
