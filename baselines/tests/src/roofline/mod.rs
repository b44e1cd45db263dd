//! What the pseudo-store promises.

mod disk;
mod place;
mod store;
