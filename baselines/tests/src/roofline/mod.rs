//! What the pseudo-store promises.

mod place;
mod store;
