//! Commands of any kind: `measure` and `allocators`, and what `compare` shares with them.
//!
//! | file | what |
//! |---|---|
//! | `options` | from the command line to settings, commands and lengths; files of results |
//! | `measure` | any number of commands, beside each other |
//! | `traffic` | what one command reads and writes |
//! | `allocators` | one program under every allocator that can be preloaded |

mod allocators;
mod measure;
pub(super) mod options;
mod traffic;

pub(super) use allocators::run as allocators;
pub(super) use measure::run as measure;
pub(super) use traffic::run as traffic;
