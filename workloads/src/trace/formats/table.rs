//! Comma-separated columns, named by a header line, in any order.

use super::batch::Batch;
use super::error::Fault;
use super::field::shown;
use crate::near::near;

/// Finds `N` columns by name.
#[derive(Debug)]
pub(super) struct Table<const N: usize> {
    wanted: [&'static str; N],
    /// A column that not every file has.
    optional: Option<&'static str>,
    header: Option<Header<N>>,
}

#[derive(Debug)]
struct Header<const N: usize> {
    line: Vec<u8>,
    /// The position of each wanted column.
    places: [usize; N],
    optional: Option<usize>,
    columns: usize,
}

/// The wanted columns of a row, and the optional one where the file has it.
pub(super) type Columns<'l, const N: usize> = ([&'l [u8]; N], Option<&'l [u8]>);

impl<const N: usize> Table<N> {
    pub(super) fn new(wanted: [&'static str; N]) -> Self {
        Self { wanted, optional: None, header: None }
    }

    /// Also finds the column `optional` in files that have it.
    pub(super) fn or(mut self, optional: &'static str) -> Self {
        self.optional = Some(optional);
        self
    }

    /// The wanted columns of a row; `None` for a header or a blank line.
    ///
    /// When the files of a trace are concatenated, each has a header. A repeated identical header
    /// is counted as skipped.
    pub(super) fn row<'l>(
        &mut self,
        line: &'l [u8],
        batch: &mut Batch,
    ) -> Result<Option<Columns<'l, N>>, Fault> {
        let Some(header) = &self.header else {
            self.header = Some(Header::read(line, &self.wanted, self.optional)?);
            return Ok(None);
        };
        if line.is_empty() {
            batch.skipped.count("blank line");
            return Ok(None);
        }
        if line == header.line {
            batch.skipped.count("repeated header");
            return Ok(None);
        }
        let mut row = [&line[..0]; N];
        let (mut optional, mut columns) = (None, 0);
        for (at, field) in line.split(|&byte| byte == b',').enumerate() {
            for (place, wanted) in header.places.iter().zip(&mut row) {
                if *place == at {
                    *wanted = field.trim_ascii();
                }
            }
            if header.optional == Some(at) {
                optional = Some(field.trim_ascii());
            }
            columns += 1;
        }
        if columns != header.columns {
            return Err(Fault::new(
                format!("{columns} columns where the header has {}", header.columns),
                "check that the line is complete and that no field contains a comma",
            ));
        }
        Ok(Some((row, optional)))
    }

    /// Checks that the header was seen.
    pub(super) fn finish(&self) -> Result<(), Fault> {
        match self.header {
            Some(_) => Ok(()),
            None => Err(Fault::new(
                "the trace is empty",
                format!("begin it with a header line that names {}", self.wanted.join(", ")),
            )),
        }
    }
}

impl<const N: usize> Header<N> {
    fn read(line: &[u8], wanted: &[&str; N], optional: Option<&str>) -> Result<Self, Fault> {
        const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";
        let text = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let names: Vec<&[u8]> = text.split(|&byte| byte == b',').map(<[u8]>::trim_ascii).collect();
        let mut places = [0; N];
        for (place, column) in places.iter_mut().zip(wanted) {
            let is_it = |name: &[u8]| name.eq_ignore_ascii_case(column.as_bytes());
            *place = names.iter().position(|&name| is_it(name)).ok_or_else(|| {
                let texts: Vec<&str> =
                    names.iter().filter_map(|name| str::from_utf8(name).ok()).collect();
                let hint = near(column, texts)
                    .map_or_else(String::new, |near| format!(" (is it \"{near}\"?)"));
                Fault::new(
                    format!("no column \"{column}\"{hint} in the header {}", shown(text)),
                    format!("name the columns {}, in any order", wanted.join(", ")),
                )
            })?;
            if names.iter().filter(|&&name| is_it(name)).count() > 1 {
                return Err(Fault::new(
                    format!("two columns \"{column}\" in the header {}", shown(text)),
                    "rename the wrong one",
                ));
            }
        }
        let optional = optional.and_then(|column| {
            names.iter().position(|name| name.eq_ignore_ascii_case(column.as_bytes()))
        });
        Ok(Self { line: line.to_vec(), places, optional, columns: names.len() })
    }
}
