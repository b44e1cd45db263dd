//! What the server says of itself: the reply to `stats`, a line for each name.

use std::collections::BTreeMap;

use crate::connection::Connection;
use crate::protocol::LINE_END;

/// Names and values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statistics(BTreeMap<String, String>);

impl Statistics {
    /// Asks for them.
    ///
    /// # Errors
    /// What went wrong with the connection, or what the server answers instead.
    pub(crate) fn ask(connection: &mut Connection) -> Result<Self, String> {
        connection.queue().extend_from_slice(b"stats");
        connection.queue().extend_from_slice(LINE_END);
        connection.flush()?;
        let mut found = Self::default();
        loop {
            let line = String::from_utf8_lossy(connection.line()?).into_owned();
            if line == "END" {
                return Ok(found);
            }
            found.add(&line).ok_or_else(|| format!("it answers stats with {line}"))?;
        }
    }

    fn add(&mut self, line: &str) -> Option<()> {
        let (name, value) = line.strip_prefix("STAT ")?.split_once(' ')?;
        self.0.insert(name.to_owned(), value.to_owned());
        Some(())
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// A value as a number; 0 if there is none.
    pub(crate) fn number(&self, name: &str) -> f64 {
        self.text(name).and_then(|text| text.parse().ok()).unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_names() {
        let mut statistics = Statistics::default();
        for line in ["STAT version 1.6.18", "STAT curr_items 12", "STAT rusage_user 0.25"] {
            assert_eq!(statistics.add(line), Some(()));
        }
        assert_eq!(statistics.text("version"), Some("1.6.18"));
        assert_eq!(statistics.number("curr_items") + statistics.number("rusage_user"), 12.25);
        assert_eq!((statistics.text("absent"), statistics.number("absent")), (None, 0.0));
        assert_eq!(statistics.add("ERROR"), None);
    }
}
