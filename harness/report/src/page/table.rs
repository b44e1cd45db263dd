//! Tables of the page: fields that are never empty, and numbers that sort.

use askama::Template;
use askama::filters::HtmlSafe;

use super::glossary::meaning;
use super::{links::Links, short};

/// Shown in place of nothing: no field of a table is empty.
pub(super) const NOTHING: &str = "–";

#[derive(Clone, Debug)]
pub(super) enum Field {
    /// Words.
    Text(String),
    /// A number as people read it, and the number itself, which sorts; NaN where there is none.
    Number(String, f64),
    /// Words, some of which lead somewhere.
    Linked(Links),
}

impl Field {
    /// The exact value of a number whose text is rounded.
    fn exact(&self) -> Option<f64> {
        match self {
            Self::Number(text, value) => short(*value).filter(|exact| text.parse() != Ok(*exact)),
            _ => None,
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

#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    /// Places of the cells it is of, by which the page is filtered; spaces between them.
    pub(super) cells: String,
    /// As many as headings.
    pub(super) fields: Vec<Field>,
}

impl From<Vec<Field>> for Line {
    fn from(fields: Vec<Field>) -> Self {
        Self { cells: String::new(), fields }
    }
}

#[derive(Clone, Debug)]
struct Heading {
    text: String,
    /// Where the glossary has it.
    meaning: Option<&'static str>,
    is_number: bool,
}

/// A table with a heading for each column.
#[derive(Clone, Debug, Template)]
#[template(path = "table.html")]
pub(super) struct Table {
    sorts: bool,
    headings: Vec<Heading>,
    pub(super) lines: Vec<Line>,
}

impl HtmlSafe for Table {}

impl Table {
    /// A table of words that stands as it is.
    pub(super) fn plain(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Self {
        let fields = |row: Vec<String>| row.into_iter().map(Field::Text).collect::<Vec<_>>();
        let lines = rows.into_iter().map(|row| fields(row).into()).collect();
        Self { sorts: false, ..Self::sortable(headings, lines) }
    }

    /// A table that `sort.js` sorts by any column. Columns whose heading begins with `#` hold
    /// numbers.
    pub(super) fn sortable(headings: &[&str], lines: Vec<Line>) -> Self {
        let heading = |heading: &&str| {
            let text = heading.trim_start_matches('#').to_owned();
            Heading { meaning: meaning(&text), text, is_number: heading.starts_with('#') }
        };
        Self { sorts: true, headings: headings.iter().map(heading).collect(), lines }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        let evil = "<script>alert('\"&\"')</script>";
        let safe = "&#60;script&#62;alert(&#39;&#34;&#38;&#34;&#39;)&#60;/script&#62;";
        let html = Table::plain(&["a", "#b"], [vec![evil.to_owned(), "1".to_owned()]]).to_string();
        assert!(html.contains(safe) && !html.contains("<script"), "{html}");
        let html = Table::plain(&[evil], []).to_string();
        assert!(html.contains(safe) && !html.contains("<script"), "{html}");
    }

    #[test]
    fn numbers_carry_what_their_text_leaves_out_and_no_field_is_empty() {
        let numbers = [("1.23 M", 1_234_567.0), ("5", 5.0), ("–", f64::NAN), ("", f64::NAN)];
        let mut fields: Vec<Field> =
            numbers.map(|(text, value)| Field::Number(text.to_owned(), value)).into();
        fields.extend(["".into(), Field::Linked(Links::default())]);
        let table = Table::sortable(&["#a", "#b", "#c", "#d", "e", "f"], vec![fields.into()]);
        let html = table.to_string();
        let row = "<tr><td class=\"number\" data-value=\"1234567\">1.23 M</td>\
                   <td class=\"number\">5</td><td class=\"number\">–</td>\
                   <td class=\"number\">–</td><td>–</td><td>–</td></tr>";
        assert!(html.contains(row), "{html}");
        assert!(html.contains("<th scope=\"col\" class=\"number\">a</th>"), "{html}");
    }
}
