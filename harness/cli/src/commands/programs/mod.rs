//! Commands of any kind: `measure` and `allocators`, and what `compare` shares with them.
//!
//! | file | what |
//! |---|---|
//! | `options` | from the command line to settings, commands and lengths; files of results |
//! | `measure` | any number of commands, beside each other |
//! | `allocators` | one program under every allocator that can be preloaded |

mod allocators;
mod measure;
pub(super) mod options;

pub(super) use allocators::run as allocators;
pub(super) use measure::run as measure;
