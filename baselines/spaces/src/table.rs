//! The windows of a table: one segment each.

use std::io;
use std::sync::atomic::AtomicU64;

use engine::{OpenError, WindowsError, WindowsShape};
use platform::Pages;
use platform::mapping::HUGE_PAGE_BYTES;
use platform::segments::{Attached, Segment, address_for};

/// All windows, resident.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) windows: Vec<Segment>,
}

impl Table {
    /// Allocates all windows.
    pub(crate) fn new(shape: &WindowsShape) -> Result<Self, OpenError> {
        let allocate = |_| Segment::resident(shape.window_bytes, pages_of(shape.page_bytes));
        let windows = (0..shape.windows).map(allocate).collect::<io::Result<_>>();
        let all_bytes = (shape.windows * shape.window_bytes) as u64;
        Ok(Self { windows: windows.map_err(|error| cannot("windows", all_bytes, error))? })
    }

    /// The same windows by other descriptors.
    pub(crate) fn again(&self) -> Result<Vec<Segment>, OpenError> {
        let again = self.windows.iter().map(Segment::again).collect::<io::Result<_>>();
        again.map_err(|error| cannot("descriptors of windows", 0, error))
    }

    /// Attaches every window, each at an address of its own.
    pub(crate) fn attach_all(&self) -> Result<Vec<Attached>, OpenError> {
        let attach = |window: &Segment| window.attach(address_for(window.bytes())?);
        let all = self.windows.iter().map(attach).collect::<io::Result<_>>();
        all.map_err(|error| cannot("mappings of windows", 0, error))
    }

    /// Shows one window by a mapping made for that.
    pub(crate) fn show(
        &self,
        window: usize,
        see: &mut dyn FnMut(&[AtomicU64]),
    ) -> Result<(), WindowsError> {
        let segment = &self.windows[window];
        let attached = address_for(segment.bytes()).and_then(|address| segment.attach(address));
        see(attached.map_err(WindowsError::system(format!("showing window {window}")))?.words());
        Ok(())
    }
}

/// The pages to request from the system.
pub(crate) fn pages_of(page_bytes: usize) -> Pages {
    if page_bytes == HUGE_PAGE_BYTES { Pages::Huge } else { Pages::Small }
}

/// The system's error while opening, as what can be done about it.
pub(crate) fn cannot(what: &str, wanted_bytes: u64, error: io::Error) -> OpenError {
    match error.kind() {
        io::ErrorKind::OutOfMemory if wanted_bytes > 0 => OpenError::OutOfMemory { wanted_bytes },
        io::ErrorKind::Unsupported => {
            OpenError::Missing { what: format!("what {what} need"), remedy: error.to_string() }
        }
        _ => OpenError::Unusable { what: what.to_owned(), reason: error.to_string() },
    }
}
