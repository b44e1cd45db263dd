//! System calls without side effects on the program: none is a cancellation point, no file stays open,
//! `errno` is preserved, nothing is allocated.

use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr::null_mut;

/// Runs `work` and restores `errno`.
pub(crate) fn keep_errno<R>(work: impl FnOnce() -> R) -> R {
    let before = errno();
    let result = work();
    // SAFETY: returns the address of this thread's `errno`.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place = before };
    result
}

fn errno() -> c_int {
    // SAFETY: returns the address of this thread's `errno`.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place }
}

/// The result of a call that returns -1 and sets `errno`.
fn checked(result: c_long) -> Result<c_long, c_int> {
    if result == -1 { Err(errno()) } else { Ok(result) }
}

/// An open file. `libc::open` and similar functions are cancellation points; `syscall` is not.
pub(crate) struct File(c_int);

impl File {
    fn open_with(path: &CStr, flags: c_int) -> Result<Self, c_int> {
        let flags = flags | libc::O_RDWR | libc::O_CLOEXEC;
        // SAFETY: a NUL-terminated path, which the kernel only reads.
        let opened =
            unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o600) };
        checked(opened).map(|number| Self(number as c_int))
    }

    /// Creates a file that must not exist.
    pub(crate) fn create(path: &CStr) -> Result<Self, c_int> {
        Self::open_with(path, libc::O_CREAT | libc::O_EXCL)
    }

    /// Opens an existing file.
    pub(crate) fn open(path: &CStr) -> Result<Self, c_int> {
        Self::open_with(path, 0)
    }

    /// Reserves disk space for `bytes` from `offset` on: a store to a mapped page without space would
    /// kill the program.
    pub(crate) fn reserve(&self, offset: u64, bytes: u64) -> Result<(), c_int> {
        // Exceeding the process's file size limit would raise SIGXFSZ.
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a valid out-parameter.
        let asked = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) };
        if asked == 0 && offset + bytes > limit.rlim_cur {
            return Err(libc::EFBIG);
        }
        loop {
            // SAFETY: plain numbers.
            let reserved =
                unsafe { libc::syscall(libc::SYS_fallocate, self.0, 0 as c_int, offset, bytes) };
            match checked(reserved) {
                Ok(_) => return Ok(()),
                Err(libc::EINTR) => {}
                Err(libc::EOPNOTSUPP) => return self.write_zeros(offset, bytes),
                Err(error) => return Err(error),
            }
        }
    }

    /// For file systems that cannot reserve space.
    fn write_zeros(&self, mut offset: u64, bytes: u64) -> Result<(), c_int> {
        static ZEROS: [u8; 64 << 10] = [0; 64 << 10];
        let end = offset + bytes;
        while offset < end {
            let count = (end - offset).min(ZEROS.len() as u64);
            // SAFETY: `count` bytes of `ZEROS`, which the kernel only reads.
            let written =
                unsafe { libc::syscall(libc::SYS_pwrite64, self.0, ZEROS.as_ptr(), count, offset) };
            match checked(written) {
                Ok(count) => offset += count as u64,
                Err(libc::EINTR) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Maps the file's bytes; the kernel keeps them even if the process is killed.
    pub(crate) fn map(&self, offset: u64, bytes: u64) -> Result<*mut c_void, c_int> {
        map(bytes, libc::MAP_SHARED, self.0, offset)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: opened here and closed once.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

fn map(bytes: u64, flags: c_int, file: c_int, offset: u64) -> Result<*mut c_void, c_int> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address of the kernel's choice replaces no other.
    let mapped =
        unsafe { libc::mmap(null_mut(), bytes as usize, protection, flags, file, offset as i64) };
    if mapped == libc::MAP_FAILED { Err(errno()) } else { Ok(mapped) }
}

/// Zeroed memory that is wiped in every forked process.
pub(crate) fn memory_wiped_on_fork(bytes: u64) -> Result<*mut c_void, c_int> {
    let memory = map(bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1, 0)?;
    // SAFETY: the mapping above.
    let advised = unsafe { libc::madvise(memory, bytes as usize, libc::MADV_WIPEONFORK) };
    match checked(advised.into()) {
        Ok(_) => Ok(memory),
        Err(error) => {
            unmap(memory, bytes);
            Err(error)
        }
    }
}

/// Unmaps memory that nothing else refers to.
pub(crate) fn unmap(memory: *mut c_void, bytes: u64) {
    // SAFETY: the caller mapped it, and shared it with no one.
    unsafe { libc::munmap(memory, bytes as usize) };
}

/// Yields to other threads.
pub(crate) fn yield_now() {
    // SAFETY: takes no argument.
    unsafe { libc::sched_yield() };
}

/// Ids of the process and its parent.
pub(crate) fn process_ids() -> (u64, u64) {
    // SAFETY: takes no argument.
    let own = unsafe { libc::getpid() };
    // SAFETY: takes no argument.
    let parent = unsafe { libc::getppid() };
    (u64::from(own.unsigned_abs()), u64::from(parent.unsigned_abs()))
}

/// Stores the path of the program's file into `buffer`; returns its length.
pub(crate) fn program(buffer: *mut u8, bytes: usize) -> usize {
    let link = c"/proc/self/exe".as_ptr();
    // SAFETY: the caller's buffer has that many bytes.
    let length = unsafe { libc::readlink(link, buffer.cast(), bytes) };
    usize::try_from(length).unwrap_or(0)
}

/// Stores the kernel's name of the thread, NUL-terminated, into `buffer`, which has room for 16 bytes.
/// When a program starts, it is the last part of the executed path, truncated to 15 bytes.
pub(crate) fn name(buffer: *mut u8) {
    // SAFETY: the caller's buffer has the 16 bytes that the kernel writes.
    unsafe { libc::prctl(libc::PR_GET_NAME, buffer) };
}

/// The value of an environment variable. `Err` before the C library is initialised.
pub(crate) fn variable(name: &CStr) -> Result<Option<&'static [u8]>, ()> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library's variable; only read.
    if unsafe { environ }.is_null() {
        return Err(());
    }
    // SAFETY: a NUL-terminated name.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return Ok(None);
    }
    // SAFETY: a NUL-terminated string of the environment. It is copied before the program's code runs.
    Ok(Some(unsafe { CStr::from_ptr(value) }.to_bytes()))
}

/// A line for standard error. Text beyond its capacity is dropped.
pub(crate) struct Message {
    bytes: [u8; 512],
    length: usize,
}

impl Message {
    pub(crate) fn new() -> Self {
        Self { bytes: [0; 512], length: 0 }.text(b"nibble-preload: ")
    }

    pub(crate) fn text(mut self, text: &[u8]) -> Self {
        // The last byte is the newline.
        let room = self.bytes.len() - 1 - self.length;
        for &byte in text.iter().take(room) {
            self.bytes[self.length] = byte;
            self.length += 1;
        }
        self
    }

    pub(crate) fn number(self, error: c_int) -> Self {
        let decimal = Decimal::of(error.unsigned_abs().into());
        self.text(&decimal.digits[decimal.from..])
    }

    pub(crate) fn say(mut self) {
        self.bytes[self.length] = b'\n';
        let line = &self.bytes[..=self.length];
        keep_errno(|| {
            // SAFETY: the bytes of `line`, which the kernel only reads.
            unsafe { libc::syscall(libc::SYS_write, 2 as c_int, line.as_ptr(), line.len()) };
        });
    }
}

/// A number as text.
pub(crate) struct Decimal {
    digits: [u8; 20],
    from: usize,
}

impl Decimal {
    pub(crate) fn of(mut number: u64) -> Self {
        let mut digits = [b'0'; 20];
        let mut from = digits.len();
        loop {
            from -= 1;
            digits[from] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return Self { digits, from };
            }
        }
    }

    pub(crate) fn digits(self) -> impl Iterator<Item = u8> {
        self.digits.into_iter().skip(self.from)
    }
}
