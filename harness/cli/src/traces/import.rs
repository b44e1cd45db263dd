//! Traces in public formats, made ours: converted whole, and made to fit where a scale's stores are
//! smaller than what the trace keeps live.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use workloads::requests::{Miss, Numbering, ReplayTotals};
use workloads::trace::formats::{self, Format};
use workloads::trace::transform::{KeyScaling, Transform};
use workloads::trace::{Header, Keys, Operation, Totals};

use super::recorder::Recorder;

/// The folder of traces in public formats.
const FOLDER_VARIABLE: &str = "NIBBLE_TRACE_FILES";
/// Bytes looked at to guess a format.
const LOOK_BYTES: usize = 64 << 10;

/// What came of a conversion.
pub(crate) struct Converted {
    pub(crate) totals: Totals,
    /// Lines or commands that are no operation on a key, by reason.
    pub(crate) left_out: Vec<(String, u64)>,
    /// Times that ran backwards and count as the one before.
    pub(crate) backward_times: u64,
    /// What was kept of keys.
    pub(crate) keys: Keys,
    /// Keys whose text has another length in the file than the client's key had.
    pub(crate) other_lengths: u64,
}

/// Imports every trace of the folder that the environment names, where it is not imported yet. Values
/// are scaled down by a power of two where more than `live_bytes` would be live.
///
/// # Errors
/// A file that is damaged, with the offset. Files of no known format are named and left out.
pub(super) fn import_all(into: &Path, live_bytes: u64) -> Result<(), String> {
    let Some(folder) = std::env::var_os(FOLDER_VARIABLE).map(PathBuf::from) else { return Ok(()) };
    let fail = |error: std::io::Error| format!("{FOLDER_VARIABLE}={}: {error}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(&folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    for file in files {
        let stem = file.file_name().unwrap_or_default().to_string_lossy().replace('.', "-");
        let output = into.join(format!("{stem}.trace"));
        if output.exists() {
            continue;
        }
        let Some(format) = guessed(&file)? else {
            eprintln!("note: {}: no known format of traces, left out", file.display());
            continue;
        };
        let most = live_bytes_max(&file, format)?;
        let mut transform = Transform::default();
        while most as f64 * transform.size_factor > live_bytes as f64 {
            transform.size_factor /= 2.0;
        }
        eprintln!(
            "importing {} as {format}, sizes × {}: {}",
            file.display(),
            transform.size_factor,
            output.display()
        );
        convert(&file, format, (transform, keys_of(format, &transform)), &output)?;
    }
    Ok(())
}

/// What is kept of keys where nobody says it: their texts, if the format has any. Copies of keys have no text.
pub(crate) fn keys_of(format: Format, transform: &Transform) -> Keys {
    let is_copied = matches!(transform.keys, KeyScaling::Replicate { copies: 2.. });
    if format.has_texts() && !is_copied { Keys::Texts } else { Keys::Numbers }
}

/// Converts `input` to the trace `output`.
///
/// # Errors
/// Where the input is damaged, with the offset; the output is then not there.
pub(crate) fn convert(
    input: &Path,
    format: Format,
    (transform, keys): (Transform, Keys),
    output: &Path,
) -> Result<Converted, String> {
    let name = input.display().to_string();
    let file_name = input.file_name().unwrap_or_default().to_string_lossy();
    let mut header = Header::new::<Operation>(format!("{file_name}, a trace in format {format}"));
    header.parameters = parameters(&transform);
    header.keys = keys;
    let reader = formats::open(format, open(input)?, &name).map_err(|error| error.to_string())?;
    let mut operations = transform.read(reader).map_err(|error| error.to_string())?;
    let mut recorder = Recorder::<Operation>::create(output, &header)?;
    let mut other_lengths = 0;
    while let Some(operation) = operations.next() {
        let operation = operation.map_err(|error| error.to_string())?;
        match operations.source().text().filter(|_| keys == Keys::Texts) {
            Some(text) => {
                let is_other = text.len() as u64 != u64::from(operation.key_bytes);
                other_lengths += u64::from(is_other);
                recorder.push_named(operation, text)?;
            }
            None => recorder.push(operation)?,
        }
    }
    let reader = operations.source();
    let left_out: Vec<(String, u64)> =
        reader.skipped().iter().map(|(why, count)| (why.to_owned(), count)).collect();
    let backward_times = reader.backward_times();
    for (why, count) in &left_out {
        recorder.note(&format!("left out: {why}"), &count.to_string())?;
    }
    recorder.note("times that ran backwards", &backward_times.to_string())?;
    if keys == Keys::Texts {
        recorder.note("operations with keys of other lengths", &other_lengths.to_string())?;
    }
    let totals = recorder.finish()?;
    Ok(Converted { totals, left_out, backward_times, keys, other_lengths })
}

/// The format of `input`, by its first bytes and its name.
///
/// # Errors
/// What the file system says.
pub(crate) fn guessed(input: &Path) -> Result<Option<Format>, String> {
    let mut file = BufReader::with_capacity(
        LOOK_BYTES,
        File::open(input).map_err(|error| format!("{}: {error}", input.display()))?,
    );
    let first = file.fill_buf().map_err(|error| format!("{}: {error}", input.display()))?;
    Ok(Format::guess(&input.file_name().unwrap_or_default().to_string_lossy(), first))
}

/// Most value bytes that a look-aside cache of any size would hold.
fn live_bytes_max(input: &Path, format: Format) -> Result<u64, String> {
    let name = input.display().to_string();
    let reader = formats::open(format, open(input)?, &name).map_err(|error| error.to_string())?;
    let mut numbering = Numbering::new(Miss::Set, 0);
    for operation in Transform::default().read(reader).map_err(|error| error.to_string())? {
        let operation = operation.map_err(|error| error.to_string())?;
        numbering.requests(&operation).map_err(|error| error.to_string())?;
    }
    let ReplayTotals { live_bytes_max, .. } = numbering.totals();
    Ok(live_bytes_max)
}

fn open(path: &Path) -> Result<BufReader<File>, String> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(BufReader::with_capacity(1 << 20, file))
}

fn parameters(transform: &Transform) -> std::collections::BTreeMap<String, String> {
    let plain = Transform::default();
    let mut all = std::collections::BTreeMap::new();
    let mut note = |name: &str, value: String, is_plain: bool| {
        if !is_plain {
            all.insert(name.to_owned(), value);
        }
    };
    let Transform { size_factor, size_max, size_min, keys, time_factor, skip, take } = transform;
    note("size-factor", size_factor.to_string(), *size_factor == plain.size_factor);
    note("size-max", size_max.unwrap_or(0).to_string(), size_max.is_none());
    note("size-min", size_min.to_string(), *size_min == plain.size_min);
    note("keys", format!("{keys:?}"), *keys == plain.keys);
    note("speed", time_factor.to_string(), *time_factor == plain.time_factor);
    note("skip", skip.to_string(), *skip == plain.skip);
    note("take", take.unwrap_or(0).to_string(), take.is_none());
    all
}
