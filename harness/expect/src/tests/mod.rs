//! Expectations of made-up files over made-up rows.

mod asked;
mod crossover;
mod file;
mod intervals;
pub(crate) mod made_up;
mod monotone;
mod nodes;
mod permuted;
mod planned;
mod presets;
mod ratio;
mod rendered;
mod rounds;
mod selected;
mod worded;
