//! The suite every store passes; it scans those that are ordered.

use std::convert::Infallible;

use baseline_btree::{LockedBytes, LockedTree};

engine::conformance_tests!(tree, LockedTree, |_| Ok::<_, Infallible>(LockedTree::open()));
engine::bytes_conformance_tests!(bytes, LockedBytes, |_| {
    Ok::<_, Infallible>(LockedBytes::open())
});
