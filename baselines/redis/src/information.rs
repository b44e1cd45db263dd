//! What servers report about themselves, and what the kernel reports about them.

/// File names of libraries that replace `malloc`.
const ALLOCATORS: [&str; 4] = ["libjemalloc", "libtcmalloc", "libmimalloc", "libtbbmalloc"];

/// The reply to `INFO`: one line per field.
#[derive(Clone, Debug)]
pub(crate) struct Information(String);

impl Information {
    pub(crate) fn new(text: &[u8]) -> Self {
        Self(String::from_utf8_lossy(text).into_owned())
    }

    /// A field as text.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    }

    /// A field as a number; 0 if there is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.text(name).and_then(|text| text.trim().parse().ok()).unwrap_or(0.0)
    }

    /// Number of keys in all databases.
    pub(crate) fn keys(&self) -> f64 {
        self.in_databases("keys=")
    }

    /// The number of those that have a lifetime.
    pub(crate) fn expiring_keys(&self) -> f64 {
        self.in_databases("expires=")
    }

    /// The sum of the numbers with this name over all databases, each of which is a line
    /// `db0:keys=12,expires=0`.
    fn in_databases(&self, name: &str) -> f64 {
        let databases = self.0.lines().filter(|line| line.contains(":keys="));
        let numbers = databases.flat_map(|line| line.trim().split([':', ',']));
        numbers.filter_map(|number| number.strip_prefix(name)?.parse::<f64>().ok()).sum()
    }
}

/// Allocators among the files of `/proc/PID/maps`.
pub(crate) fn mapped_allocators(maps: &str) -> Vec<&str> {
    let files = maps.lines().filter_map(|line| line.find('/').map(|at| &line[at..]));
    let mut found: Vec<&str> = files
        .filter(|file| {
            let name = file.rsplit('/').next().unwrap_or_default();
            ALLOCATORS.iter().any(|allocator| name.starts_with(allocator))
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_their_whole_name() {
        let text = b"# Memory\r\nused_memory_rss:7\r\nused_memory:12345\r\nmem_allocator:libc\r\n\
                     # Keyspace\r\ndb0:keys=12,expires=0\r\ndb3:keys=1,expires=1\r\n";
        let information = Information::new(text);
        assert_eq!(information.number("used_memory"), 12345.0);
        assert_eq!(information.text("mem_allocator"), Some("libc"));
        assert_eq!(information.number("absent"), 0.0);
        assert_eq!((information.keys(), information.expiring_keys()), (13.0, 1.0));
        assert_eq!(Information::new(b"").keys(), 0.0);
    }

    #[test]
    fn allocators_are_found_among_the_maps() {
        let maps = "7f-8f r-xp 0 00:1 2 /usr/lib/libjemalloc.so.2\n\
                    8f-9f r--p 0 00:1 2 /usr/lib/libjemalloc.so.2\n\
                    9f-af r--p 0 00:1 3 /home/libmimalloc/libc.so.6\n\
                    af-bf rw-p 0 00:0 0 [heap]\n";
        assert_eq!(mapped_allocators(maps), ["/usr/lib/libjemalloc.so.2"]);
        assert!(mapped_allocators("").is_empty());
    }
}
