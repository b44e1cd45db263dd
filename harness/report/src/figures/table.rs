//! A table of numbers: what gnuplot reads and what the report shows.

use record::repetition::Source;

use std::fmt::Write as _;

/// How the numbers of a column are written for people. Files keep full precision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With so many digits after the point.
    Fixed(usize),
    /// Three significant digits and a decimal prefix: `1.23 M`.
    Prefixed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Name in the file's header line.
    pub name: &'static str,
    /// Heading for people, with the unit; empty for columns that only drawings need.
    pub heading: &'static str,
    /// How numbers are written for people.
    pub format: Format,
}

impl Column {
    /// A column of text or of numbers with `digits` after the point.
    #[must_use]
    pub const fn new(name: &'static str, heading: &'static str, digits: usize) -> Self {
        Self { name, heading, format: Format::Fixed(digits) }
    }

    /// A column of large numbers.
    #[must_use]
    pub const fn prefixed(name: &'static str, heading: &'static str) -> Self {
        Self { name, heading, format: Format::Prefixed }
    }

    /// `value` as people read it.
    #[must_use]
    pub fn show(&self, value: &Value) -> String {
        match (value, self.format) {
            (Value::Text(text), _) => text.clone(),
            (Value::Number(number), _) if !number.is_finite() => "–".to_owned(),
            (Value::Number(number), Format::Fixed(digits)) => format!("{number:.digits$}"),
            (Value::Number(number), Format::Prefixed) => prefixed(*number),
        }
    }
}

/// A value; a missing one is a number that is none.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Words.
    Text(String),
    /// A number or NaN.
    Number(f64),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}

impl From<Option<f64>> for Value {
    fn from(number: Option<f64>) -> Self {
        Self::Number(number.unwrap_or(f64::NAN))
    }
}

/// Columns and rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    pub columns: Vec<Column>,
    /// Rows, each as long as there are columns.
    pub rows: Vec<Vec<Value>>,
    /// What each row comes from, each source once; nothing where only drawings read the table.
    pub sources: Vec<Vec<Source>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(columns: &[Column]) -> Self {
        Self { columns: columns.to_vec(), ..Self::default() }
    }

    /// Adds a row that people read, and what it comes from.
    pub fn push(&mut self, row: Vec<Value>, mut sources: Vec<Source>) {
        sources.sort();
        sources.dedup();
        self.rows.push(row);
        self.sources.push(sources);
    }

    /// The place of the column called `name`.
    #[must_use]
    pub fn place(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// A number; NaN where there is none.
    #[must_use]
    pub fn number(&self, row: usize, name: &str) -> f64 {
        match self.place(name).and_then(|place| self.rows.get(row)?.get(place)) {
            Some(Value::Number(number)) => *number,
            _ => f64::NAN,
        }
    }

    /// A text; empty where there is none.
    #[must_use]
    pub fn text(&self, row: usize, name: &str) -> &str {
        match self.place(name).and_then(|place| self.rows.get(row)?.get(place)) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// The table as tab-separated text with a header line; missing numbers are `NaN`.
    #[must_use]
    pub fn to_tsv(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name).collect();
        let mut tsv = names.join("\t") + "\n";
        for row in &self.rows {
            for (place, value) in row.iter().enumerate() {
                if place > 0 {
                    tsv.push('\t');
                }
                match value {
                    Value::Text(text) => tsv.extend(text.chars().map(plain)),
                    Value::Number(number) if number.is_finite() => {
                        let _ = write!(tsv, "{number}");
                    }
                    Value::Number(_) => tsv.push_str("NaN"),
                }
            }
            tsv.push('\n');
        }
        tsv
    }
}

/// Letters that would end a field or a text in a data file become harmless ones.
fn plain(letter: char) -> char {
    match letter {
        '"' => '\'',
        letter if letter.is_control() => ' ',
        letter => letter,
    }
}

/// Three significant digits and a decimal prefix.
#[must_use]
pub fn prefixed(number: f64) -> String {
    let (scaled, prefix) = match number.abs() {
        size if size >= 1e9 => (number / 1e9, " G"),
        size if size >= 1e6 => (number / 1e6, " M"),
        size if size >= 1e3 => (number / 1e3, " k"),
        _ => (number, ""),
    };
    let digits = match scaled.abs() {
        size if size >= 100.0 => 0,
        size if size >= 10.0 => 1,
        _ => 2,
    };
    format!("{scaled:.digits$}{prefix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_a_header_and_nan_where_a_number_is_missing() {
        let mut table = Table::new(&[Column::new("a", "A", 2), Column::prefixed("b", "B")]);
        table.rows.push(vec!["two\t\"words\"".into(), None.into()]);
        table.rows.push(vec![1.5.into(), 2_340_000.0.into()]);
        assert_eq!(table.to_tsv(), "a\tb\ntwo 'words'\tNaN\n1.5\t2340000\n");
        assert_eq!(table.columns[1].show(&table.rows[1][1]), "2.34 M");
        assert_eq!(table.columns[1].show(&table.rows[0][1]), "–");
        assert!(table.number(0, "b").is_nan() && table.number(9, "a").is_nan());
    }

    #[test]
    fn prefixes_keep_three_digits() {
        assert_eq!(
            [0.5, 12.34, 1234.0, 56_789.0].map(prefixed),
            ["0.50", "12.3", "1.23 k", "56.8 k"]
        );
    }
}
