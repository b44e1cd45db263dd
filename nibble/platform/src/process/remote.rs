//! Words of another process's memory, read and written without entering its address space.

use std::io;

/// Ranges that one system call takes (`IOV_MAX`).
const RANGES_MAX: usize = 1024;

/// Reads the word at each of `addresses` in process `pid`.
///
/// # Errors
/// The system's error: `PermissionDenied` if the process may not be inspected.
///
/// # Panics
/// If there are not as many addresses as words.
pub fn read_words(pid: u32, addresses: &[usize], words: &mut [u64]) -> io::Result<()> {
    assert_eq!(addresses.len(), words.len(), "an address for each word");
    for (addresses, words) in addresses.chunks(RANGES_MAX).zip(words.chunks_mut(RANGES_MAX)) {
        let (remote, bytes) = (ranges(addresses), size_of_val(words));
        let local = libc::iovec { iov_base: words.as_mut_ptr().cast(), iov_len: bytes };
        let (pid, count) = (pid.cast_signed(), remote.len() as libc::c_ulong);
        // SAFETY: `local` is all of `words`, borrowed exclusively. The kernel checks the other process's
        // addresses.
        let done =
            unsafe { libc::process_vm_readv(pid, &raw const local, 1, remote.as_ptr(), count, 0) };
        whole(done, bytes)?;
    }
    Ok(())
}

/// Writes each of `words` to its address in process `pid`.
///
/// # Errors
/// The system's error: `PermissionDenied` if the process may not be inspected.
///
/// # Panics
/// If there are not as many addresses as words.
pub fn write_words(pid: u32, addresses: &[usize], words: &[u64]) -> io::Result<()> {
    assert_eq!(addresses.len(), words.len(), "an address for each word");
    for (addresses, words) in addresses.chunks(RANGES_MAX).zip(words.chunks(RANGES_MAX)) {
        let (remote, bytes) = (ranges(addresses), size_of_val(words));
        let local = libc::iovec { iov_base: words.as_ptr().cast_mut().cast(), iov_len: bytes };
        let (pid, count) = (pid.cast_signed(), remote.len() as libc::c_ulong);
        // SAFETY: the kernel only reads from `local`, which is all of `words`, and checks the other
        // process's addresses.
        let done =
            unsafe { libc::process_vm_writev(pid, &raw const local, 1, remote.as_ptr(), count, 0) };
        whole(done, bytes)?;
    }
    Ok(())
}

fn ranges(addresses: &[usize]) -> Vec<libc::iovec> {
    let range = |&address: &usize| libc::iovec {
        iov_base: std::ptr::without_provenance_mut(address),
        iov_len: size_of::<u64>(),
    };
    addresses.iter().map(range).collect()
}

/// The kernel stops at the first address that it cannot use.
fn whole(done: isize, bytes: usize) -> io::Result<()> {
    match usize::try_from(done) {
        Err(_) => Err(io::Error::last_os_error()),
        Ok(done) if done < bytes => Err(io::Error::from_raw_os_error(libc::EFAULT)),
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_and_written_in_any_number() {
        let (pid, memory) = (std::process::id(), vec![std::cell::Cell::new(0_u64); 2500]);
        let addresses: Vec<usize> =
            memory.iter().map(|word| word.as_ptr().expose_provenance()).collect();
        let words: Vec<u64> = (0..2500).collect();
        write_words(pid, &addresses, &words).unwrap();
        assert!(memory.iter().map(std::cell::Cell::get).eq(0..2500));
        let mut read = vec![0; 2500];
        read_words(pid, &addresses, &mut read).unwrap();
        assert_eq!(read, words);
    }

    #[test]
    fn an_address_that_is_not_mapped_and_a_process_that_is_gone_are_errors() {
        let (word, mut read) = (7_u64, [0; 2]);
        let pid = std::process::id();
        let addresses = [(&raw const word).expose_provenance(), 8];
        let error = read_words(pid, &addresses, &mut read).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::EFAULT));
        let error = read_words(u32::MAX >> 1, &addresses, &mut read).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ESRCH));
    }
}
