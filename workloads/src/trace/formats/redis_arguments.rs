//! The quoted arguments of a line of MONITOR output.

use super::error::Fault;
use super::field::shown;

/// The unescaped arguments of one command, in memory reused from line to line.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    bytes: Vec<u8>,
    /// Where each argument ends in `bytes`.
    ends: Vec<usize>,
}

impl Arguments {
    /// Parses `"set" "key" "a\x00b"`.
    pub(super) fn read(&mut self, mut text: &[u8]) -> Result<(), Fault> {
        self.bytes.clear();
        self.ends.clear();
        loop {
            let Some(quoted) = text.strip_prefix(b"\"") else {
                return Err(wrong("does not begin with a quotation mark", text));
            };
            let rest = self.unescape(quoted)?;
            self.ends.push(self.bytes.len());
            if rest.is_empty() {
                return Ok(());
            }
            text = rest.strip_prefix(b" ").ok_or_else(|| wrong("follows without a space", rest))?;
        }
    }

    /// Reads up to the closing quote and returns what follows it.
    fn unescape<'t>(&mut self, mut text: &'t [u8]) -> Result<&'t [u8], Fault> {
        let open = text;
        loop {
            let stop = text.iter().position(|byte| matches!(byte, b'"' | b'\\'));
            let stop = stop.ok_or_else(|| wrong("has no closing quotation mark", open))?;
            self.bytes.extend_from_slice(&text[..stop]);
            let rest = &text[stop + 1..];
            if text[stop] == b'"' {
                return Ok(rest);
            }
            let (byte, length) = escaped(rest).ok_or_else(|| {
                wrong("is not an escape of MONITOR", text.get(stop..).unwrap_or(text))
            })?;
            self.bytes.push(byte);
            text = &rest[length..];
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// # Panics
    ///
    /// If there are fewer arguments.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.bytes[start..self.ends[number]]
    }

    /// The name of the command, which exists after every successful read.
    pub(super) fn lowercase_name(&mut self) -> &[u8] {
        let end = self.ends[0];
        self.bytes[..end].make_ascii_lowercase();
        &self.bytes[..end]
    }
}

/// The byte encoded by what follows a backslash, and the length of that encoding.
fn escaped(text: &[u8]) -> Option<(u8, usize)> {
    Some(match *text {
        [b'x', high, low, ..] => {
            let digit = |byte: u8| char::from(byte).to_digit(16);
            ((digit(high)? << 4 | digit(low)?) as u8, 3)
        }
        [b'n', ..] => (b'\n', 1),
        [b'r', ..] => (b'\r', 1),
        [b't', ..] => (b'\t', 1),
        [b'a', ..] => (0x07, 1),
        [b'b', ..] => (0x08, 1),
        [mark @ (b'"' | b'\\'), ..] => (mark, 1),
        _ => return None,
    })
}

fn wrong(what: &str, text: &[u8]) -> Fault {
    Fault::new(
        format!("argument {} {what}", shown(text)),
        "record the trace again with redis-cli MONITOR",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        let mut arguments = Arguments::default();
        arguments.read(text).map_err(|fault| fault.what)?;
        Ok((0..arguments.len()).map(|number| arguments.get(number).to_vec()).collect())
    }

    #[test]
    fn every_escape_is_undone() {
        let all = br#""SET" "" "a\"b\\c\n\r\t\a\b\x00\xfF" "]  \"" "last""#;
        let expected: [&[u8]; 5] =
            [b"SET", b"", b"a\"b\\c\n\r\t\x07\x08\x00\xFF", b"]  \"", b"last"];
        assert_eq!(read(all).unwrap(), expected);
    }

    #[test]
    fn broken_arguments_are_refused() {
        for (text, what) in [
            (&b""[..], "quotation"),
            (b"get", "quotation"),
            (b"\"get", "closing"),
            (b"\"get\\\"", "closing"),
            (b"\"get\"\"k\"", "space"),
            (b"\"get\" ", "quotation"),
            (b"\"\\x0\"", "escape"),
            (b"\"\\xg0\"", "escape"),
            (b"\"\\q\"", "escape"),
        ] {
            let refusal = read(text).unwrap_err();
            assert!(refusal.contains(what), "{refusal}");
        }
    }
}
