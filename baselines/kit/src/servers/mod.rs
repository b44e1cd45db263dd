//! Servers: programs that a store starts as processes of its own and asks over UNIX sockets.
//!
//! A server belongs to the process that started it and dies with it, in whatever way that ends.
//! Sockets and logs lie in a private folder that goes with the store.
//!
//! | file | contents |
//! |---|---|
//! | `installed` | finds programs and files on this machine |
//! | `keeper` | the thread that starts servers and takes them along when it ends |
//! | `process` | one server: whether it answers, what it holds, how it ended |
//! | `place` | the folder of sockets and logs, and commands as they are typed |

pub mod installed;
mod keeper;
mod place;
mod process;

pub use keeper::Keeper;
pub use place::{file_name, log_into, printed, private_folder};
pub use process::ServerProcess;
