//! Names and values in the syntax of Java's property files.

use super::PropertiesError;

/// Names and values, in the order in which the names first appeared. Later values replace earlier
/// ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    entries: Vec<(String, String)>,
}

impl Properties {
    /// Parses a property file: `name=value`, `name:value` or `name value` on each line. Lines that
    /// begin with `#` or `!` are comments; a backslash at the end of a line continues it; `\n`,
    /// `\t`, `\uXXXX` and so on are escapes, as in Java.
    pub fn parse(text: &str) -> Result<Self, PropertiesError> {
        let mut properties = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let line = trim_start(line);
            if line.is_empty() || line.starts_with(['#', '!']) {
                continue;
            }
            let mut logical = line.to_owned();
            while ends_in_continuation(&logical) {
                logical.pop();
                let Some(next) = lines.next() else { break };
                logical.push_str(trim_start(next));
            }
            let (name, value) = split(&logical);
            properties.insert(unescape(name)?, unescape(value)?);
        }
        Ok(properties)
    }

    /// Sets one property from `name=value`, as YCSB's option `-p` does. Escapes are not
    /// interpreted.
    pub fn set(&mut self, setting: &str) -> Result<(), PropertiesError> {
        match setting.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                self.insert(name.trim().to_owned(), value.trim().to_owned());
                Ok(())
            }
            _ => Err(PropertiesError::Setting { text: setting.to_owned() }),
        }
    }

    /// Adds all properties of `later`, as a second option `-P` does.
    pub fn extend(&mut self, later: Self) {
        for (name, value) in later.entries {
            self.insert(name, value);
        }
    }

    /// The value of a property, if set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find_map(|(known, value)| (known == name).then_some(value))
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    fn insert(&mut self, name: String, value: String) {
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some((_, slot)) => *slot = value,
            None => self.entries.push((name, value)),
        }
    }
}

/// Java's blanks.
const BLANKS: [char; 3] = [' ', '\t', '\x0C'];

fn trim_start(line: &str) -> &str {
    line.trim_start_matches(BLANKS)
}

/// Whether the last backslash is unescaped.
fn ends_in_continuation(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// Splits into name and value, still escaped: the name ends before the first `=`, `:` or blank.
fn split(line: &str) -> (&str, &str) {
    let mut escaped = false;
    let end = line.find(|letter: char| {
        let ends = !escaped && (letter == '=' || letter == ':' || BLANKS.contains(&letter));
        escaped = letter == '\\' && !escaped;
        ends
    });
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    let rest = trim_start(rest);
    let value = rest.strip_prefix(['=', ':']).map_or(rest, trim_start);
    // Java keeps trailing blanks, which nobody sees; no value here needs any.
    (name, value.trim_end())
}

fn unescape(text: &str) -> Result<String, PropertiesError> {
    let refuse = || PropertiesError::Escape { text: text.to_owned() };
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter != '\\' {
            plain.push(letter);
            continue;
        }
        match letters.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\x0C'),
            Some('u') => {
                let digits: String = letters.by_ref().take(4).collect();
                let hexadecimal =
                    digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let code = u32::from_str_radix(&digits, 16).ok().filter(|_| hexadecimal);
                plain.push(code.and_then(char::from_u32).ok_or_else(refuse)?);
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        Properties::parse(text).unwrap().entries
    }

    #[test]
    fn reads_what_java_reads() {
        let text = "# comment = no\n  ! neither\n\na=1\nb : 2\nc 3\n  d\t=\t4 5 \r\ne\nf = x=y:z\n\
                    g = one, \\\n    two\nh\\:i\\=j\\ k = \\u0041\\tB\\\\\nl = end\\";
        let expected = [
            ("a", "1"),
            ("b", "2"),
            ("c", "3"),
            ("d", "4 5"),
            ("e", ""),
            ("f", "x=y:z"),
            ("g", "one, two"),
            ("h:i=j k", "A\tB\\"),
            ("l", "end"),
        ];
        assert_eq!(pairs(text), expected.map(|(name, value)| (name.into(), value.into())));
    }

    #[test]
    fn a_comment_does_not_go_on() {
        assert_eq!(pairs("# comment \\\na=1"), [("a".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn later_settings_win_and_keep_their_place() {
        let mut properties = Properties::parse("a=1\nb=2\na=3").unwrap();
        properties.extend(Properties::parse("b=4\nc=5").unwrap());
        properties.set(" c = 6 ").unwrap();
        assert!(properties.iter().eq([("a", "3"), ("b", "4"), ("c", "6")]));
        assert_eq!(properties.get("d"), None);
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        for escape in ["\\u12", "\\uD800", "\\u+123"] {
            let error = Properties::parse(&format!("a={escape}")).unwrap_err().to_string();
            assert!(error.starts_with(&format!("property text \"{escape}\": write")), "{error}");
        }
        for text in ["recordcount", "=5", ""] {
            assert_eq!(
                Properties::default().set(text).unwrap_err().to_string(),
                format!("property setting \"{text}\": write name=value, as in recordcount=1000")
            );
        }
    }
}
