//! Core ids and pinning.

use std::io;

/// Cores this process may run on.
#[must_use]
pub fn allowed_cores() -> Vec<usize> {
    let mut set = empty_set();
    // SAFETY: `set` is a valid cpu_set_t of the size stated.
    let result = unsafe { libc::sched_getaffinity(0, size_of_val(&set), &raw mut set) };
    if result != 0 {
        return vec![0];
    }
    (0..libc::CPU_SETSIZE as usize)
        // SAFETY: `core < CPU_SETSIZE`.
        .filter(|&core| unsafe { libc::CPU_ISSET(core, &set) })
        .collect()
}

/// The core the calling thread runs on now; it may have moved when this returns.
///
/// Through the C library, which reads the restartable-sequence area where the kernel keeps one
/// (under a nanosecond) and asks the vDSO otherwise.
#[must_use]
pub fn current_core() -> usize {
    // SAFETY: no preconditions.
    let core = unsafe { libc::sched_getcpu() };
    usize::try_from(core).unwrap_or(0)
}

/// Binds the calling thread to `core`.
///
/// # Errors
/// When the core does not exist or is not allowed.
pub fn pin_to(core: usize) -> io::Result<()> {
    if core >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    let mut set = empty_set();
    // SAFETY: `core < CPU_SETSIZE`, checked above.
    unsafe { libc::CPU_SET(core, &mut set) };
    // SAFETY: `set` is a valid cpu_set_t of the size stated; 0 is the calling thread.
    match unsafe { libc::sched_setaffinity(0, size_of_val(&set), &raw const set) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn empty_set() -> libc::cpu_set_t {
    // SAFETY: cpu_set_t is an array of integers, for which all zeros is a value.
    unsafe { std::mem::zeroed() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_stays() {
        std::thread::spawn(|| {
            let core = *allowed_cores().last().unwrap();
            pin_to(core).unwrap();
            assert_eq!(current_core(), core);
            assert_eq!(allowed_cores(), [core]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_core_that_does_not_exist_is_an_error() {
        assert!(pin_to(1 << 20).is_err());
    }
}
