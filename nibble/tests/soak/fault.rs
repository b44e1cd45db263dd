//! What a check has found, as apart from everything else that may go wrong.

use std::any::Any;
use std::panic::panic_any;

/// How the program ends when a check has found a fault. A panic ends it with 101.
pub(crate) const EXIT: u8 = 3;

/// The payload of the panic of a check.
pub(crate) struct Fault(pub(crate) String);

/// Ends what the calling thread does.
pub(crate) fn found(what: String) -> ! {
    panic_any(Fault(what))
}

/// Ends it unless `right`.
pub(crate) fn unless(right: bool, what: impl FnOnce() -> String) {
    if !right {
        found(what());
    }
}

/// What a check found, or the message of another panic.
pub(crate) fn told(panic: &(dyn Any + Send)) -> Result<&str, &str> {
    if let Some(Fault(what)) = panic.downcast_ref() {
        return Ok(what);
    }
    let text = panic.downcast_ref::<String>().map(String::as_str);
    Err(text.or_else(|| panic.downcast_ref().copied()).unwrap_or("a panic without a message"))
}
