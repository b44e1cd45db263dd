//! The suite every store passes; it scans those that are ordered.

use std::convert::Infallible;

use baseline_btree::LockedTree;

engine::conformance_tests!(tree, LockedTree, |_| Ok::<_, Infallible>(LockedTree::open()));
