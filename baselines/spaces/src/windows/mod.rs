//! The ways to reach a window.

mod baton;
mod flat;
mod hand_over;
mod map;
mod message;
mod move_;
mod mp;
mod plain_c;
mod remote;
mod space;
mod syscall;

use engine::{OpenError, Windows};

pub(crate) use baton::By;
pub(crate) use flat::flat;
pub(crate) use hand_over::hand_over;
pub(crate) use map::{Mapped, map};
pub(crate) use message::{Wait, receive, reply};
pub(crate) use move_::move_;
pub(crate) use mp::{Mp, mp};
pub(crate) use plain_c::plain_c;
pub(crate) use remote::remote;
pub(crate) use space::space;
pub(crate) use syscall::syscall;

/// A way that is open.
pub(crate) type Opened = Result<Box<dyn Windows>, OpenError>;
