//! The traces below `results/traces/`: found, captured where they are not there, checked, and precompiled for
//! replay. What is derived from a trace is kept beside it and made again when the trace changes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use workloads::requests::{Miss, Request};
use workloads::trace::file::verify;
use workloads::trace::{Header, Keys, Operation, Record, Totals, TraceReader};

use super::describe::{Sizes, describe, file_name};
use super::{IMPORTED, POSTMARK, PrecompiledReplay, TraceContent, TraceFile, Traces};
use crate::suites::Suite;
use record::{Scale, TraceAccount, archive::write_whole};
use worker::precompiled::{precompile, precompile_with_keys};

/// What becomes of the Postmark trace where it is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Captured,
    /// Nothing: what would run is only shown.
    LeftOut,
}

/// The folder of traces.
#[derive(Clone, Debug)]
pub struct Library {
    folder: PathBuf,
}

/// What was made of a trace, kept beside it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Derived {
    digest: u64,
    /// That of the words; 0 in files that do not say.
    #[serde(default)]
    layout: u32,
    replays: BTreeMap<Miss, PrecompiledReplay>,
    #[serde(default)]
    replays_with_keys: BTreeMap<Miss, PrecompiledReplay>,
}

impl Library {
    /// The traces of a folder of results.
    #[must_use]
    pub fn below(results: &Path) -> Self {
        Self { folder: results.join("traces") }
    }

    /// Where the trace called `name` is, or is to be.
    #[must_use]
    pub fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.trace"))
    }

    /// Every trace that `suites` name and that is there, checked from end to end and precompiled.
    ///
    /// # Errors
    /// A damaged trace, with the offset; what capturing or the file system says.
    pub fn prepare(
        &self,
        suites: &[Suite],
        scale: &Scale,
        missing: Missing,
    ) -> Result<Traces, String> {
        let named: BTreeSet<&str> = suites.iter().flat_map(Suite::traces).collect();
        if named.iter().any(|name| name.starts_with(IMPORTED)) && missing == Missing::Captured {
            super::import::import_all(&self.imported(scale), scale.store_bytes)?;
        }
        let mut files = Vec::new();
        for pattern in named {
            let misses = misses_of(suites, pattern);
            if pattern == POSTMARK {
                if let Some(path) = self.postmark(scale, missing)? {
                    let copies = scale.postmark_copies.max(1);
                    files.push(Self::open(POSTMARK, path, copies, &misses)?);
                }
                continue;
            }
            for (name, path) in self.found(pattern, scale)? {
                files.push(Self::open(&name, path, 1, &misses)?);
            }
        }
        Ok(files.into_iter().collect())
    }

    /// The Postmark trace of the scale.
    fn postmark(&self, scale: &Scale, missing: Missing) -> Result<Option<PathBuf>, String> {
        let parameters = super::postmark::parameters(scale);
        let path = self.path_of(&parameters.name());
        if !path.exists() {
            if missing == Missing::LeftOut {
                return Ok(None);
            }
            super::postmark::capture(&parameters, &path, super::postmark::Way::BestThereIs)?;
        }
        Ok(Some(path))
    }

    /// Where traces in public formats are imported to.
    fn imported(&self, scale: &Scale) -> PathBuf {
        self.folder.join(IMPORTED).join(&scale.name)
    }

    /// Names and files of the traces that `pattern` means.
    fn found(&self, pattern: &str, scale: &Scale) -> Result<Vec<(String, PathBuf)>, String> {
        let Some(front) = pattern.strip_suffix('*') else {
            let path = self.path_of(pattern);
            return Ok(if path.exists() { vec![(pattern.to_owned(), path)] } else { Vec::new() });
        };
        let inner = front.trim_end_matches(|letter| letter != '/');
        // What was imported was made to fit the scale.
        let folder = match inner {
            IMPORTED => self.imported(scale),
            _ => self.folder.join(inner),
        };
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let fail = |error: std::io::Error| format!("{}: {error}", folder.display());
        let mut all = Vec::new();
        for entry in fs::read_dir(&folder).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
            let name = format!("{inner}{}", stem.unwrap_or_default());
            if path.extension().is_some_and(|end| end == "trace") && name.starts_with(front) {
                all.push((name, path));
            }
        }
        all.sort();
        Ok(all)
    }

    /// Checks a trace and makes what is not derived from it yet.
    fn open(
        name: &str,
        path: PathBuf,
        copies: u64,
        misses: &BTreeSet<Miss>,
    ) -> Result<TraceFile, String> {
        let account = account_of(name, &path)?;
        let Sizes { content, events, threads, objects, live_bytes_max, live_objects_max } =
            Sizes::of(&account);
        let digest = u64::from_str_radix(&account.digest, 16).unwrap_or(0);
        let mut file = TraceFile {
            name: name.to_owned(),
            path: path.clone(),
            digest,
            content,
            events,
            threads,
            objects,
            live_bytes_max,
            live_objects_max,
            copies,
            replays: BTreeMap::new(),
            replays_with_keys: BTreeMap::new(),
        };
        if content == TraceContent::Operations {
            let derived = replays(&path, digest, misses)?;
            file.replays = derived.replays;
            file.replays_with_keys = derived.replays_with_keys;
        }
        Ok(file)
    }
}

/// What follows a miss, in all replays that `suites` ask for of the traces that `pattern` means.
fn misses_of(suites: &[Suite], pattern: &str) -> BTreeSet<Miss> {
    let grids = suites.iter().flat_map(|suite| &suite.replay);
    let naming = grids.filter(|grid| grid.traces.iter().any(|name| name == pattern));
    naming.flat_map(|grid| &grid.miss).copied().collect()
}

/// The trace's account, made where there is none of this very trace.
///
/// # Errors
/// A damaged trace, with the offset.
pub(crate) fn account_of(name: &str, path: &Path) -> Result<TraceAccount, String> {
    let (header, totals) = check(path)?;
    let beside = path.with_extension("account.json");
    if let Ok(account) = TraceAccount::read(&beside)
        && account.digest == format!("{:016x}", totals.digest)
    {
        return Ok(TraceAccount { name: file_name(name), ..account });
    }
    let account = describe(name, path, &header, &totals)?;
    write_whole(&beside, account.to_json().as_bytes())
        .map_err(|error| format!("{}: {error}", beside.display()))?;
    Ok(account)
}

/// The requests for every kind of miss that is asked for, with the trace's own keys too if it kept them.
fn replays(path: &Path, digest: u64, misses: &BTreeSet<Miss>) -> Result<Derived, String> {
    let beside = path.with_extension("staged.json");
    let known = fs::read_to_string(&beside).ok();
    let known: Option<Derived> = known.and_then(|text| serde_json::from_str(&text).ok());
    let is_same = |derived: &Derived| derived.digest == digest && derived.layout == Request::LAYOUT;
    let mut derived = known.filter(is_same).unwrap_or_default();
    (derived.digest, derived.layout) = (digest, Request::LAYOUT);
    let has_texts = reader_of(path)?.header().keys == Keys::Texts;
    let mut is_changed = false;
    for &miss in misses {
        if derived.replays.get(&miss).is_none_or(|replay| !is_there(replay)) {
            let file = path.with_extension(format!("{miss}.requests"));
            let (precompiled, totals) = precompile(Records::<Operation>::of(path)?, miss, &file)?;
            let replay = PrecompiledReplay { precompiled, keys: None, totals };
            derived.replays.insert(miss, replay);
            is_changed = true;
        }
        let with_keys = derived.replays_with_keys.get(&miss);
        if has_texts && with_keys.is_none_or(|replay| !is_there(replay)) {
            let file = path.with_extension(format!("{miss}.with-keys.requests"));
            let keys = path.with_extension("keys");
            let (precompiled, keys, totals) =
                precompile_with_keys(&mut reader_of(path)?, miss, (&file, &keys))?;
            let replay = PrecompiledReplay { precompiled, keys: Some(keys), totals };
            derived.replays_with_keys.insert(miss, replay);
            is_changed = true;
        }
    }
    if is_changed {
        let text = serde_json::to_string_pretty(&derived).expect("plain data");
        write_whole(&beside, text.as_bytes())
            .map_err(|error| format!("{}: {error}", beside.display()))?;
    }
    Ok(derived)
}

/// A trace of operations, from its beginning.
fn reader_of(path: &Path) -> Result<TraceReader<Operation, File>, String> {
    TraceReader::new(open(path)?, &path.display().to_string()).map_err(|error| error.to_string())
}

fn is_there(replay: &PrecompiledReplay) -> bool {
    let bytes = fs::metadata(&replay.precompiled.file).map(|file| file.len());
    let times = fs::metadata(worker::precompiled::times_of(Path::new(&replay.precompiled.file)));
    let keys = replay.keys.as_ref().is_none_or(|keys| Path::new(&keys.file).exists());
    keys && bytes.is_ok_and(|bytes| bytes == replay.totals.requests * 8)
        && times.is_ok_and(|file| file.len() == replay.totals.requests * 8)
}

/// Reads a trace from end to end.
///
/// # Errors
/// Where anything of it is damaged or missing, with the offset.
pub(crate) fn check(path: &Path) -> Result<(Header, Totals), String> {
    verify(open(path)?, &path.display().to_string()).map_err(|error| error.to_string())
}

/// The records of a trace, one by one.
pub(crate) struct Records<R: Record> {
    reader: TraceReader<R, File>,
    block: std::vec::IntoIter<R>,
    ended: bool,
}

impl<R: Record> Records<R> {
    /// Of the trace at `path`.
    ///
    /// # Errors
    /// Where it is no such trace.
    pub(crate) fn of(path: &Path) -> Result<Self, String> {
        let reader = TraceReader::new(open(path)?, &path.display().to_string());
        let reader = reader.map_err(|error| error.to_string())?;
        Ok(Self { reader, block: Vec::new().into_iter(), ended: false })
    }
}

impl<R: Record> Iterator for Records<R> {
    type Item = Result<R, String>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(record) = self.block.next() {
                return Some(Ok(record));
            }
            if self.ended {
                return None;
            }
            let mut block = Vec::new();
            match self.reader.next_block(&mut block) {
                Ok(more) => self.ended = !more,
                Err(error) => {
                    self.ended = true;
                    return Some(Err(error.to_string()));
                }
            }
            self.block = block.into_iter();
        }
    }
}

fn open(path: &Path) -> Result<File, String> {
    File::open(path).map_err(|error| format!("{}: {error}", path.display()))
}
