//! Pieces of HTML, with everything from outside escaped.

use std::fmt::Write as _;

/// What stands where there is nothing: no field of a table is empty.
pub(super) const NOTHING: &str = "–";

/// `text` with every letter that means something in HTML replaced.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// An element with escaped text in it.
pub(super) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>\n", escape(text))
}

/// A list with escaped entries; nothing of no entries.
pub(super) fn list(entries: &[String]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let entries: String = entries.iter().map(|entry| element("li", entry)).collect();
    format!("<ul>\n{entries}</ul>\n")
}

/// A link to a file of the run's folder, by its path there.
pub(super) fn file_link(path: &str, text: &str) -> String {
    let mut target = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                target.push(char::from(byte));
            }
            byte => {
                let _ = write!(target, "%{byte:02X}");
            }
        }
    }
    format!("<a href=\"{target}\">{}</a>", escape(text))
}

/// A field of a table.
#[derive(Clone, Debug)]
pub(super) enum Field {
    /// Words.
    Text(String),
    /// A number as people read it, and the number itself, which sorts; NaN where there is none.
    Number(String, f64),
    /// HTML.
    Markup(String),
}

impl Field {
    fn html(&self) -> String {
        match self {
            Self::Text(text) if !text.is_empty() => format!("<td>{}</td>", escape(text)),
            Self::Markup(html) if !html.is_empty() => format!("<td>{html}</td>"),
            Self::Text(_) | Self::Markup(_) => format!("<td>{NOTHING}</td>"),
            // The number itself is written where the text says less.
            Self::Number(text, value) => {
                let exact = if !value.is_finite() || text.parse() == Ok(*value) {
                    String::new()
                } else {
                    format!(" data-value=\"{value}\"")
                };
                let text = if text.is_empty() { NOTHING } else { text };
                format!("<td class=\"number\"{exact}>{}</td>", escape(text))
            }
        }
    }
}

impl From<&str> for Field {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A line of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// What links lead to; none where empty.
    pub(super) anchor: String,
    /// As many as headings.
    pub(super) fields: Vec<Field>,
}

impl From<Vec<Field>> for Line {
    fn from(fields: Vec<Field>) -> Self {
        Self { anchor: String::new(), fields }
    }
}

/// A table of escaped texts.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let lines = rows.iter().map(|row| row.iter().cloned().map(Field::Text).collect::<Vec<_>>());
    let lines: Vec<Line> = lines.map(Line::from).collect();
    drawn("", headings, &lines)
}

/// A table that `sort.js` sorts by any column. Columns whose heading begins with `#` hold numbers.
pub(super) fn sortable(headings: &[&str], lines: &[Line]) -> String {
    drawn(" class=\"sortable\"", headings, lines)
}

fn drawn(class: &str, headings: &[&str], lines: &[Line]) -> String {
    // Whoever has no mouse scrolls a wide table too.
    let mut html = format!("<div class=\"wide\" tabindex=\"0\"><table{class}>\n<thead><tr>");
    for heading in headings {
        let (class, text) = match heading.strip_prefix('#') {
            Some(text) => (" class=\"number\"", text),
            None => ("", *heading),
        };
        let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(text));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for line in lines {
        match line.anchor.as_str() {
            "" => html.push_str("<tr>"),
            anchor => {
                let _ = write!(html, "<tr id=\"{}\">", escape(anchor));
            }
        }
        html.extend(line.fields.iter().map(Field::html));
        html.push_str("</tr>\n");
    }
    html + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        let evil = "<script>alert('\"&\"')</script>";
        let safe = "&lt;script&gt;alert(&#39;&quot;&amp;&quot;&#39;)&lt;/script&gt;";
        assert_eq!(escape(evil), safe);
        assert_eq!(element("p", evil), format!("<p>{safe}</p>\n"));
        let html = table(&["a", "#b"], &[vec![evil.to_owned(), "1".to_owned()]]);
        assert!(html.contains(safe) && !html.contains("<script"), "{html}");
        let link = file_link("curves/a@b=1 \"x\".csv", evil);
        assert_eq!(link, format!("<a href=\"curves/a%40b%3D1%20%22x%22.csv\">{safe}</a>"));
    }

    #[test]
    fn numbers_carry_what_their_text_leaves_out_and_no_field_is_empty() {
        let numbers = [("1.23 M", 1_234_567.0), ("5", 5.0), ("–", f64::NAN), ("", f64::NAN)];
        let mut fields: Vec<Field> =
            numbers.map(|(text, value)| Field::Number(text.to_owned(), value)).into();
        fields.extend(["".into(), Field::Markup(String::new())]);
        let html = sortable(&["#a", "#b", "#c", "#d", "e", "f"], &[fields.into()]);
        let row = "<tr><td class=\"number\" data-value=\"1234567\">1.23 M</td>\
                   <td class=\"number\">5</td><td class=\"number\">–</td>\
                   <td class=\"number\">–</td><td>–</td><td>–</td></tr>";
        assert!(html.contains(row), "{html}");
        assert!(html.contains("<th scope=\"col\" class=\"number\">a</th>"), "{html}");
    }
}
