//! What stands at a path: a folder, JSON or text.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::ImportFault;

/// Results before their tool is known.
#[derive(Debug)]
pub(super) enum Document {
    Folder,
    /// An object of JSON.
    Json(Value),
    /// Anything else.
    Text(String),
}

impl Document {
    pub(super) fn load(path: &Path) -> Result<Self, ImportFault> {
        if path.is_dir() {
            return Ok(Self::Folder);
        }
        let bytes = fs::read(path).map_err(ImportFault::Read)?;
        // None of the tools writes an array, and lines of YCSB begin like one.
        if bytes.trim_ascii_start().starts_with(b"{") {
            Ok(Self::Json(json(&bytes)?))
        } else {
            Ok(Self::Text(String::from_utf8_lossy(&bytes).into_owned()))
        }
    }
}

pub(super) fn json(bytes: &[u8]) -> Result<Value, ImportFault> {
    serde_json::from_slice(bytes).map_err(|error| {
        let before: usize = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .take(error.line() - 1)
            .map(<[u8]>::len)
            .sum();
        let offset_bytes =
            if error.is_eof() { bytes.len() } else { before + error.column().saturating_sub(1) };
        // The parser's message ends in the position, which the error names already.
        let met = error.to_string();
        let met = met.split(" at line ").next().unwrap_or_default().to_owned();
        ImportFault::Json { line: error.line(), column: error.column(), offset_bytes, met }
    })
}

/// What a file or folder is called, without its extension.
pub(super) fn stem(path: &Path) -> String {
    let of = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    // `.` and `..` have no name of their own.
    of(path).or_else(|| of(&path.canonicalize().ok()?)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_its_place() {
        let place = |text: &str| match json(text.as_bytes()) {
            Err(ImportFault::Json { line, column, offset_bytes, .. }) => {
                (line, column, offset_bytes)
            }
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(place("{\n  \"a\": nan\n}"), (2, 9, 10));
        assert_eq!(place("{\n  \"a\": 1,,\n}"), (2, 10, 11));
        assert_eq!(place("{\n  \"a\": [1"), (2, 9, 11));
        assert_eq!(place("{} {"), (1, 4, 3));
    }

    #[test]
    fn folders_have_stems_too() {
        assert_eq!(stem(Path::new("a/b.json")), "b");
        assert_eq!(stem(Path::new("target/criterion/")), "criterion");
        assert_ne!(stem(Path::new(".")), "");
    }
}
