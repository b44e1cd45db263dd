//! Runs cells: each in a fresh process, watched from outside.

mod calibrate;
mod exit;
mod flight;
mod floor;
mod interrupt;
mod meter;
mod process;
mod reserve;
mod rooflines;
mod sampler;
mod schedule;

pub use calibrate::calibrate_apart;
pub use flight::{Berth, Flight, IN_FLIGHT_MAX};
pub use floor::{Floor, FloorGuard};
pub use interrupt::Interrupt;
pub(crate) use process::prepare_environment;
pub use process::{CellRunner, ProcessRunner};
pub use reserve::{Reserve, reserve};
pub use rooflines::Rooflines;
pub use schedule::{Progress, processes, run_all};
