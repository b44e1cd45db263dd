//! The loops of `c/plain.c`.

use std::ffi::c_int;
use std::io;
use std::ops::Range;

use platform::segments::Attached;

use crate::walk::Sets;

unsafe extern "C" {
    fn plain_updates(
        windows: *const *mut u64,
        words: u64,
        order: *const u32,
        values: *const u64,
        updates: u64,
        from: u64,
        to: u64,
    );
    fn plain_ping_pong(rounds: u64, core: c_int) -> c_int;
}

/// Applies the sets of a range to windows that are all mapped.
///
/// # Panics
/// If the range or a window of the order is none.
pub(crate) fn updates(windows: &[Attached], sets: &Sets, range: Range<usize>) {
    let words = windows[0].words().len();
    let starts: Vec<*mut u64> = windows.iter().map(|one| one.words()[0].as_ptr()).collect();
    assert!(windows.iter().all(|one| one.words().len() == words), "windows of one length");
    assert!(sets.values.len() >= range.end * sets.updates, "values of all sets");
    assert!(sets.order[range.clone()].iter().all(|&window| (window as usize) < windows.len()));
    let (order, values) = (sets.order.as_ptr(), sets.values.as_ptr());
    let (from, to) = (range.start as u64, range.end as u64);
    // SAFETY: sets of the range and their windows exist (asserted above). The loop writes words below
    // `words` of windows that stay mapped; they are accessed as atomics elsewhere, and nobody else
    // does so while it runs, because the way is borrowed exclusively.
    unsafe {
        plain_updates(starts.as_ptr(), words as u64, order, values, sets.updates as u64, from, to);
    }
}

/// Hands over to a second thread and back, so many times, on `core`.
pub(crate) fn ping_pong(rounds: u64, core: usize) -> io::Result<()> {
    // SAFETY: it uses memory of its own, and its thread has ended when it returns.
    match unsafe { plain_ping_pong(rounds, core as c_int) } {
        0 => Ok(()),
        error => Err(io::Error::from_raw_os_error(error)),
    }
}
