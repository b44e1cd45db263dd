//! An instance's manifest: which files it consists of. It is replaced as a whole, by renaming, so
//! an instance is always before a step or after it.
//!
//! ```text
//! silt 1
//! instances 4                 what the store keeps of its parameters
//! next 12                     number of the next file
//! active 11 532               the log being written; its records if it was closed, else −
//! frozen 9 1234               the log being converted
//! hash 5                      HashStores, the oldest first
//! sorted 3 100000             the SortedStore, and its items
//! checksum 1f…                XXH3-64 of the lines above
//! ```

use std::fmt::Write;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::Error;
use crate::files::Files;
use crate::image;
use crate::params::Params;

/// Files of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) next: u64,
    pub(crate) active: u64,
    /// Records of the active log, if the store was closed.
    pub(crate) closed: Option<u64>,
    pub(crate) frozen: Option<(u64, u64)>,
    pub(crate) hashes: Vec<u64>,
    pub(crate) sorted: Option<(u64, u64)>,
}

/// The name of an instance's manifest.
pub(crate) fn name(instance: usize) -> String {
    format!("{instance}-manifest")
}

/// The name while it is being written.
pub(crate) fn new_name(instance: usize) -> String {
    format!("{instance}-manifest.new")
}

/// The name of one of an instance's files: `log`, `hash`, `filter`, `sorted` or `index`.
pub(crate) fn file_name(instance: usize, kind: &str, number: u64) -> String {
    format!("{instance}-{kind}-{number}")
}

impl Manifest {
    /// The names of the files.
    pub(crate) fn files(&self, instance: usize) -> Vec<String> {
        let of = |kind, number| file_name(instance, kind, number);
        let logs = [Some(self.active), self.frozen.map(|(number, _)| number)];
        let logs = logs.into_iter().flatten().map(|number| of("log", number));
        let hashes = self.hashes.iter().flat_map(|&hash| [of("hash", hash), of("filter", hash)]);
        let sorted = self.sorted.map(|(number, _)| [of("sorted", number), of("index", number)]);
        logs.chain(hashes).chain(sorted.into_iter().flatten()).collect()
    }

    fn text(&self, params: &Params) -> String {
        let mut text = "silt 1\n".to_owned();
        let mut line = |words: std::fmt::Arguments<'_>| {
            text.write_fmt(words).and_then(|()| text.write_char('\n')).expect("memory");
        };
        for (name, value) in params.kept() {
            line(format_args!("{name} {value}"));
        }
        line(format_args!("next {}", self.next));
        match self.closed {
            Some(records) => line(format_args!("active {} {records}", self.active)),
            None => line(format_args!("active {} -", self.active)),
        }
        if let Some((number, records)) = self.frozen {
            line(format_args!("frozen {number} {records}"));
        }
        for number in &self.hashes {
            line(format_args!("hash {number}"));
        }
        if let Some((number, items)) = self.sorted {
            line(format_args!("sorted {number} {items}"));
        }
        let checksum = xxh3_64(text.as_bytes());
        writeln!(text, "checksum {checksum:016x}").expect("memory");
        text
    }

    /// Writes it beside the one that is in force. Returns bytes written.
    pub(crate) fn write(
        &self,
        files: &dyn Files,
        instance: usize,
        params: &Params,
    ) -> Result<u64, Error> {
        image::write(files, &new_name(instance), self.text(params).as_bytes())
    }

    /// Puts the one that was written in force. Names of the files that it names are on the disk
    /// before its own is: a file system may keep them in any order.
    pub(crate) fn switch(files: &dyn Files, instance: usize) -> Result<(), Error> {
        files.sync_names()?;
        files.rename(&new_name(instance), &name(instance))?;
        files.sync_names()
    }

    /// The manifest in force.
    ///
    /// # Errors
    /// [`Error::OtherParameters`] if the store was made with others.
    pub(crate) fn read(files: &dyn Files, instance: usize, params: &Params) -> Result<Self, Error> {
        let file = name(instance);
        let bytes = image::read(files, &file)?;
        let damaged = |what: String| Error::Corrupt { file: file.clone(), what };
        let text = String::from_utf8(bytes).map_err(|_| damaged("it is no text".to_owned()))?;
        let (lines, checksum) = text
            .trim_end_matches('\n')
            .rsplit_once("\nchecksum ")
            .ok_or_else(|| damaged("it has no checksum".to_owned()))?;
        let computed = format!("{:016x}", xxh3_64(format!("{lines}\n").as_bytes()));
        if computed != checksum {
            let what = format!("its checksum is {computed} and should be {checksum}");
            return Err(damaged(what));
        }
        Self::parse(lines, params, &damaged)
    }

    fn parse(
        lines: &str,
        params: &Params,
        damaged: &dyn Fn(String) -> Error,
    ) -> Result<Self, Error> {
        let mut manifest = Self::default();
        let kept = params.kept();
        for line in lines.lines().skip(1) {
            let mut words = line.split(' ');
            let word = words.next().unwrap_or_default();
            let number = |word: Option<&str>| {
                let number = word.and_then(|word| word.parse::<u64>().ok());
                number.ok_or_else(|| damaged(format!("`{line}` has no number")))
            };
            let value = number(words.next())?;
            match word {
                "next" => manifest.next = value,
                "active" => {
                    manifest.active = value;
                    let records = words.next().filter(|word| *word != "-");
                    manifest.closed = records.map(|word| number(Some(word))).transpose()?;
                }
                "frozen" => manifest.frozen = Some((value, number(words.next())?)),
                "hash" => manifest.hashes.push(value),
                "sorted" => manifest.sorted = Some((value, number(words.next())?)),
                _ => {
                    let Some(&(name, asked)) = kept.iter().find(|(name, _)| *name == word) else {
                        return Err(damaged(format!("it says `{line}`")));
                    };
                    if value != asked {
                        return Err(Error::OtherParameters { name, stored: value, asked });
                    }
                }
            }
        }
        Ok(manifest)
    }
}
