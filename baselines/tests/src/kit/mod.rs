//! What several baselines rely on.

mod alone;
mod credit;
mod fit;
mod folder;
mod hash;
mod library;
mod servers;
mod testing;
mod tmpfs;
