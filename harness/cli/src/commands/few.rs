//! An error is a few lines, whatever it concerns: of many items the first are told, and the rest
//! stand in a file.

use std::fs;
use std::path::Path;

/// Items that are told.
const TOLD: usize = 3;
/// Characters of an item that are told.
const CHARACTERS: usize = 160;

/// The items in a line; where they are too many or too long for that, the first of them, how many
/// there are, and the file in the system's folder for temporary files that has them all.
pub(super) fn few(items: &[String]) -> String {
    let name = format!("nibble-bench-{}.txt", std::process::id());
    few_and_rest(items, &std::env::temp_dir().join(name))
}

fn few_and_rest(items: &[String], rest: &Path) -> String {
    let told: Vec<String> = items.iter().take(TOLD).map(|item| shortened(item)).collect();
    let told = told.join("; ");
    if items.len() <= TOLD && items.iter().all(|item| item.chars().count() <= CHARACTERS) {
        return told;
    }
    let all = match fs::write(rest, items.join("\n") + "\n") {
        Ok(()) => format!("all are in {}", rest.display()),
        Err(error) => format!("{} could not be written: {error}", rest.display()),
    };
    format!("{told} ({} in all; {all})", items.len())
}

fn shortened(item: &str) -> String {
    match item.char_indices().nth(CHARACTERS) {
        None => item.to_owned(),
        Some((end, _)) => format!("{}…", &item[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(items: &[String]) -> (String, Option<String>) {
        let number = items.len() + items.first().map_or(0, String::len);
        let name = format!("nibble-few-{}-{number}.txt", std::process::id());
        let file = std::env::temp_dir().join(name);
        let told = few_and_rest(items, &file);
        let rest = fs::read_to_string(&file).ok();
        let _ = fs::remove_file(&file);
        (told, rest)
    }

    #[test]
    fn what_is_short_is_told_and_written_nowhere() {
        let items = ["one".to_owned(), "two".to_owned()];
        assert_eq!(told(&items), ("one; two".to_owned(), None));
    }

    #[test]
    fn of_many_the_first_are_told_and_all_are_written() {
        let items: Vec<String> = (0..1000).map(|number| format!("cell {number}")).collect();
        let (told, rest) = told(&items);
        assert!(told.starts_with("cell 0; cell 1; cell 2 (1000 in all; all are in "), "{told}");
        assert_eq!(rest.expect("a file").lines().count(), 1000);
    }

    #[test]
    fn what_is_long_is_cut_and_written_whole() {
        let long = "µ".repeat(5000);
        let (told, rest) = told(std::slice::from_ref(&long));
        assert!(told.len() < 600 && told.contains("µ…"), "{told}");
        assert_eq!(rest.expect("a file").trim(), long);
    }
}
