//! What the sharded map promises.

mod conformance;
