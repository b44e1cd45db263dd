//! What is asked of the operating system, so that the program notices nothing of it: no call is a
//! cancellation point, no file stays open, `errno` stays as it was, nothing is allocated.

use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::ptr::null_mut;

/// Does `work` and puts `errno` back.
pub(crate) fn keep_errno<R>(work: impl FnOnce() -> R) -> R {
    let before = errno();
    let result = work();
    // SAFETY: the address of this thread's `errno`, as the C library gives it.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place = before };
    result
}

fn errno() -> c_int {
    // SAFETY: the address of this thread's `errno`, as the C library gives it.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    unsafe { *place }
}

/// The result of a call that says -1 and sets `errno`.
fn checked(result: c_long) -> Result<c_long, c_int> {
    if result == -1 { Err(errno()) } else { Ok(result) }
}

/// An open file. `libc::open` and its like would end a thread that was cancelled; `syscall` does not.
pub(crate) struct File(c_int);

impl File {
    fn open_with(path: &CStr, flags: c_int) -> Result<Self, c_int> {
        let flags = flags | libc::O_RDWR | libc::O_CLOEXEC;
        // SAFETY: a path with its end; the kernel only reads it.
        let opened =
            unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags, 0o600) };
        checked(opened).map(|number| Self(number as c_int))
    }

    /// A file that is not there yet.
    pub(crate) fn create(path: &CStr) -> Result<Self, c_int> {
        Self::open_with(path, libc::O_CREAT | libc::O_EXCL)
    }

    /// A file that is there.
    pub(crate) fn open(path: &CStr) -> Result<Self, c_int> {
        Self::open_with(path, 0)
    }

    /// Makes sure that `bytes` from `offset` on can be written without asking the disk for room:
    /// a store to a mapped page that finds none would end the program.
    pub(crate) fn reserve(&self, offset: u64, bytes: u64) -> Result<(), c_int> {
        // A file that outgrows what the process may write would raise SIGXFSZ.
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: a place for the answer.
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

    /// For file systems that cannot reserve.
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

    /// The file's bytes, as memory that the kernel keeps when the process is killed.
    pub(crate) fn map(&self, offset: u64, bytes: u64) -> Result<*mut c_void, c_int> {
        map(bytes, libc::MAP_SHARED, self.0, offset)
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: opened here, closed once.
        unsafe { libc::syscall(libc::SYS_close, self.0) };
    }
}

fn map(bytes: u64, flags: c_int, file: c_int, offset: u64) -> Result<*mut c_void, c_int> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping where the kernel likes it replaces none.
    let mapped =
        unsafe { libc::mmap(null_mut(), bytes as usize, protection, flags, file, offset as i64) };
    if mapped == libc::MAP_FAILED { Err(errno()) } else { Ok(mapped) }
}

/// Zeroed memory that is zeroed again in every copy of the process.
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

/// Gives memory back that nobody else knows of.
pub(crate) fn unmap(memory: *mut c_void, bytes: u64) {
    // SAFETY: the caller mapped it and told nobody.
    unsafe { libc::munmap(memory, bytes as usize) };
}

/// Lets other threads go on.
pub(crate) fn yield_now() {
    // SAFETY: takes no argument.
    unsafe { libc::sched_yield() };
}

/// Process and parent.
pub(crate) fn process_ids() -> (u64, u64) {
    // SAFETY: takes no argument.
    let own = unsafe { libc::getpid() };
    // SAFETY: takes no argument.
    let parent = unsafe { libc::getppid() };
    (u64::from(own.unsigned_abs()), u64::from(parent.unsigned_abs()))
}

/// Where the program's file is: puts its path into `buffer`, says how many bytes.
pub(crate) fn program(buffer: *mut u8, bytes: usize) -> usize {
    let link = c"/proc/self/exe".as_ptr();
    // SAFETY: the caller's buffer of that many bytes.
    let length = unsafe { libc::readlink(link, buffer.cast(), bytes) };
    usize::try_from(length).unwrap_or(0)
}

/// What the kernel calls the thread: as a program begins, the last part of the path it was begun
/// by, of 15 bytes at most. Puts it and a zero into `buffer`, which has room for 16.
pub(crate) fn name(buffer: *mut u8) {
    // SAFETY: the caller's buffer of as many bytes as the kernel writes.
    unsafe { libc::prctl(libc::PR_GET_NAME, buffer) };
}

/// The value of a variable of the environment. `Err` before the C library has begun.
pub(crate) fn variable(name: &CStr) -> Result<Option<&'static [u8]>, ()> {
    unsafe extern "C" {
        static environ: *const *const c_char;
    }
    // SAFETY: the C library's; a word that is read.
    if unsafe { environ }.is_null() {
        return Err(());
    }
    // SAFETY: a name with its end.
    let value = unsafe { libc::getenv(name.as_ptr()) };
    if value.is_null() {
        return Ok(None);
    }
    // SAFETY: the environment's text with its end. It is copied before the program's code runs.
    Ok(Some(unsafe { CStr::from_ptr(value) }.to_bytes()))
}

/// A line for standard error. What does not fit is left out.
pub(crate) struct Message {
    bytes: [u8; 512],
    length: usize,
}

impl Message {
    pub(crate) fn new() -> Self {
        Self { bytes: [0; 512], length: 0 }.text(b"nibble-preload: ")
    }

    pub(crate) fn text(mut self, text: &[u8]) -> Self {
        // The last byte is the line's end.
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
