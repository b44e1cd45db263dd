//! The ways by name: what each is, what it needs, and how it is opened.

use std::collections::BTreeMap;

use engine::{OpenError, Options, UPDATES_PER_SET_MAX, WINDOWS_MAX};
use engine::{Windows, WindowsSetup, WindowsShape};
use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};

use crate::windows;
use crate::windows::By;
use crate::windows::{Mp, Wait};

/// Constant properties of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its name in suites and figures.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Whether each window has a process of its own.
    pub processes: bool,
    /// Whether it moves page tables of 2 MiB.
    pub moves: bool,
    /// Whether it switches only, and holds no window.
    pub bare: bool,
}

const PLAIN: Way = Way { name: "", about: "", processes: false, moves: false, bare: false };

/// All ways.
pub static WAYS: [Way; 11] = [
    Way { name: "flat", about: "all windows are mapped at once", ..PLAIN },
    Way {
        name: "map",
        about: "mmap over the window before; pages are found at first touch",
        ..PLAIN
    },
    Way { name: "map-unmap", about: "munmap, then mmap; pages are found at first touch", ..PLAIN },
    Way {
        name: "map-populate",
        about: "mmap over the window before, which fills the page tables",
        ..PLAIN
    },
    Way {
        name: "move",
        about: "mremap moves the page tables of a window in, and those of the other out",
        moves: true,
        ..PLAIN
    },
    Way {
        name: "remote",
        about: "process_vm_readv and writev into a process that holds the window",
        processes: true,
        ..PLAIN
    },
    Way {
        name: "hand-over",
        about: "a thread for each window, on one core; control is handed from thread to thread",
        ..PLAIN
    },
    Way {
        name: "space",
        about: "a process for each window, on one core; control is handed from process to process",
        processes: true,
        ..PLAIN
    },
    Way {
        name: "mp",
        about: "a process for each window, on its core; each set is a message to its process",
        processes: true,
        ..PLAIN
    },
    Way {
        name: "plain-c",
        about: "a loop in C: over mapped windows, or from thread to thread where there are no updates",
        ..PLAIN
    },
    Way { name: "syscall", about: "a system call that does nothing", bare: true, ..PLAIN },
];

/// The way called `name`.
#[must_use]
pub fn way(name: &str) -> Option<&'static Way> {
    WAYS.iter().find(|way| way.name == name)
}

/// The names of all ways.
pub fn names() -> impl Iterator<Item = &'static str> {
    WAYS.iter().map(|way| way.name)
}

/// The settings of all ways, as read.
#[derive(Debug, Default)]
struct Settings {
    by: By,
    wait: Wait,
    cores: usize,
    transport: Transport,
}

/// What carries the messages of `mp`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Transport {
    #[default]
    SharedMemory,
    OpenMpi,
}

impl Transport {
    const WORDS: [&str; 2] = ["shared-memory", "openmpi"];
}

impl std::str::FromStr for Transport {
    type Err = ();

    fn from_str(word: &str) -> Result<Self, ()> {
        match word {
            "shared-memory" => Ok(Self::SharedMemory),
            "openmpi" => Ok(Self::OpenMpi),
            _ => Err(()),
        }
    }
}

/// Checks name, settings and sizes without opening anything.
///
/// # Errors
/// What cannot be, with the remedy.
pub fn check(
    name: &str,
    options: &BTreeMap<String, String>,
    shape: &WindowsShape,
) -> Result<(), OpenError> {
    let way = way(name).ok_or_else(|| unknown(name))?;
    let settings = settings_of(way, options)?;
    if settings.transport == Transport::OpenMpi {
        return Err(OpenError::Missing {
            what: "OpenMPI for `mp@transport=openmpi`".to_owned(),
            remedy: "this program has no binding to it (Debian: openmpi-bin, libopenmpi-dev); use \
                     `mp`, whose messages go through shared memory"
                .to_owned(),
        });
    }
    check_shape(way, shape)
}

fn check_shape(way: &Way, shape: &WindowsShape) -> Result<(), OpenError> {
    let refuse = |setting: &str, value: usize, accepted: String| {
        Err(OpenError::BadSetting {
            setting: setting.to_owned(),
            value: value.to_string(),
            accepted,
        })
    };
    let WindowsShape { windows, window_bytes, page_bytes, updates_per_set } = *shape;
    if windows == 0 || windows > WINDOWS_MAX {
        return refuse("windows", windows, format!("1 to {WINDOWS_MAX}"));
    }
    if updates_per_set > UPDATES_PER_SET_MAX {
        return refuse("updates", updates_per_set, format!("0 to {UPDATES_PER_SET_MAX}"));
    }
    if way.bare && updates_per_set > 0 {
        let accepted = format!("0, because `{}` holds no window", way.name);
        return refuse("updates", updates_per_set, accepted);
    }
    if page_bytes != PAGE_BYTES && page_bytes != HUGE_PAGE_BYTES {
        return refuse("page-bytes", page_bytes, format!("{PAGE_BYTES} and {HUGE_PAGE_BYTES}"));
    }
    let granule = if way.moves { HUGE_PAGE_BYTES } else { page_bytes };
    if window_bytes == 0 || !window_bytes.is_multiple_of(granule) {
        return refuse("window-bytes", window_bytes, format!("multiples of {granule}"));
    }
    Ok(())
}

fn settings_of(way: &Way, options: &BTreeMap<String, String>) -> Result<Settings, OpenError> {
    let (mut read, mut options) = (Settings::default(), Options::new(options));
    match way.name {
        "hand-over" => options.one_of("by", &mut read.by, By::WORDS)?,
        "mp" => {
            options.one_of("wait", &mut read.wait, Wait::WORDS)?;
            options.whole("cores", &mut read.cores, 0..=1024)?;
            options.one_of("transport", &mut read.transport, Transport::WORDS)?;
        }
        _ => {}
    }
    options.finish()?;
    Ok(read)
}

fn unknown(name: &str) -> OpenError {
    let known: Vec<&str> = names().collect();
    OpenError::BadSetting {
        setting: "way".to_owned(),
        value: name.to_owned(),
        accepted: known.join(", "),
    }
}

/// Opens the way `name`: windows are allocated, zeroed, and as far in page tables as the way keeps them.
///
/// # Errors
/// What cannot be, with the remedy.
///
/// # Panics
/// If the sets are not of the shape that the setup names.
pub fn open(
    name: &str,
    options: &BTreeMap<String, String>,
    setup: &WindowsSetup<'_>,
) -> Result<Box<dyn Windows>, OpenError> {
    check(name, options, &setup.shape)?;
    assert!(!setup.order.is_empty() && !setup.cores.is_empty(), "sets and cores");
    assert_eq!(
        setup.values.len(),
        setup.order.len() * setup.shape.updates_per_set,
        "values of sets"
    );
    let settings = settings_of(way(name).expect("just checked"), options)?;
    match name {
        "flat" => windows::flat(setup),
        "map" => windows::map(setup, windows::Mapped::Over),
        "map-unmap" => windows::map(setup, windows::Mapped::AfterUnmap),
        "map-populate" => windows::map(setup, windows::Mapped::Populated),
        "move" => windows::move_(setup),
        "remote" => windows::remote(setup),
        "hand-over" => windows::hand_over(setup, settings.by),
        "space" => windows::space(setup),
        "mp" => windows::mp(setup, Mp { wait: settings.wait, cores: settings.cores }),
        "plain-c" => windows::plain_c(setup),
        _ => windows::syscall(setup),
    }
}
