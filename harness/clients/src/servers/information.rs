//! The reply to `INFO`: a field a line.

/// The reply to `INFO` or `CLUSTER INFO`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Information<'a>(&'a str);

impl<'a> Information<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self(text)
    }

    /// A field as text; empty where there is none.
    pub(crate) fn text(self, name: &str) -> &'a str {
        let field = |line: &'a str| line.strip_prefix(name)?.strip_prefix(':');
        self.0.lines().find_map(field).unwrap_or_default().trim()
    }

    /// A field as a number; 0 where there is none.
    pub(crate) fn number(self, name: &str) -> u64 {
        self.text(name).parse().unwrap_or(0)
    }

    /// A part of a field that has several, as `calls=12,usec=30`; 0 where there is none.
    pub(crate) fn part(self, name: &str, part: &str) -> u64 {
        let value = |text: &'a str| text.strip_prefix(part)?.strip_prefix('=')?.parse().ok();
        self.text(name).split(',').find_map(value).unwrap_or(0)
    }

    /// Keys of all databases.
    pub(crate) fn keys(self) -> u64 {
        let is_database = |line: &&str| line.starts_with("db") && line.contains(":keys=");
        let name = |line: &'a str| line.split(':').next();
        let databases = self.0.lines().filter(is_database).filter_map(name);
        databases.map(|name| self.part(name, "keys")).sum()
    }
}

/// A server of Valkey 9.1.2, shortened.
#[cfg(test)]
pub(crate) const RECORDED: &str = include_str!("info.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_by_their_whole_name() {
        let text = "used_memory_rss:7\r\nused_memory:12345\r\ncmdstat_get:calls=3,usec=4\r\n\
                    cmdstat_getset:calls=9,usec=1\r\ndb0:keys=12,expires=0\r\ndb3:keys=1,expires=1\r\n";
        let information = Information::new(text);
        assert_eq!((information.number("used_memory"), information.number("absent")), (12_345, 0));
        assert_eq!(information.part("cmdstat_get", "calls"), 3);
        assert_eq!(information.part("cmdstat_get", "failed_calls"), 0);
        assert_eq!(information.keys(), 13);
    }
}
