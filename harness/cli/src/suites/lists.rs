//! Lists of values in the tables of a suite. Each value is asked for, so an empty list and a value that is
//! there twice are mistakes, whatever the key.

use std::collections::BTreeSet;

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use workloads::bytes::parse_bytes;

use super::key_value::text_of;

/// The tables that make cells.
const GRIDS: [&str; 9] = [
    "allocations",
    "chase",
    "copy",
    "fragmentation",
    "key-value",
    "mapping",
    "replay",
    "touch",
    "windows",
];

/// Checks the lists of every grid.
///
/// # Errors
/// Where in the file, and what is wrong.
pub(super) fn check_lists(suite: &DeTable<'_>) -> Result<(), (usize, String)> {
    for grid in GRIDS {
        let Some(DeValue::Array(tables)) = suite.get(grid).map(Spanned::get_ref) else { continue };
        for table in tables.iter() {
            if let DeValue::Table(table) = table.get_ref() {
                check_table(table, "")?;
            }
        }
    }
    Ok(())
}

/// Checks the lists of a table and, as they are of stores, of those in it.
fn check_table(table: &DeTable<'_>, store: &str) -> Result<(), (usize, String)> {
    for (key, value) in table.iter() {
        let key = key.get_ref();
        let fail = |message: String| Err((value.span().start, format!("{store}{key}: {message}")));
        match value.get_ref() {
            DeValue::Table(settings) => check_table(settings, &format!("{key}."))?,
            DeValue::Array(list) if list.is_empty() => {
                return fail("the list is empty: name a value, or leave the key out".to_owned());
            }
            DeValue::Array(list) => {
                let mut known = BTreeSet::new();
                let texts = list.iter().filter_map(|item| text_of(item.get_ref()).ok());
                for text in texts {
                    // Sizes may be written in several ways.
                    let plain = parse_bytes(&text).map_or(text.clone(), |bytes| bytes.to_string());
                    if !known.insert(plain) {
                        return fail(format!("{text} is there twice: drop one"));
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::Suite;

    #[test]
    fn an_empty_list_and_a_repeated_value_say_where_and_what() {
        let head = "question = \"?\"\n[[key-value]]\nstores = [\"nibble\"]\nget-percent = [50]\n\
                    fill-percent = [50]\n";
        for (line, expected) in [
            ("threads = []", "my.toml: line 6: threads: the list is empty: name a value, or leave"),
            ("threads = [1, 2, 1]", "my.toml: line 6: threads: 1 is there twice: drop one"),
            ("threads = [1]\nworkloads = []", "my.toml: line 7: workloads: the list is empty"),
            (
                "threads = [1]\nnibble.segment-bytes = [\"1MiB\", 1048576]",
                "my.toml: line 7: nibble.segment-bytes: 1048576 is there twice",
            ),
        ] {
            let message = Suite::parse("my.toml", &format!("{head}{line}\n")).unwrap_err();
            assert!(message.to_string().starts_with(expected), "{message}");
        }
        let table = "question = \"?\"\n[[mapping]]\nregion-bytes = []\npage-bytes = [4096]\n";
        let message = Suite::parse("my.toml", table).unwrap_err().to_string();
        assert!(
            message.starts_with("my.toml: line 3: region-bytes: the list is empty"),
            "{message}"
        );
    }
}
