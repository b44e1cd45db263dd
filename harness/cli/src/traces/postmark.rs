//! The Postmark trace: recorded from the real program on a file system of ours, or made by its published
//! algorithm where that cannot be.

use std::collections::BTreeMap;
use std::path::Path;

use workloads::postmark::{Generator, Parameters};
use workloads::trace::{Header, Operation, Totals};

use super::recorder::Recorder;
use record::Scale;

/// How the trace is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the real program where that can run here, else by the generator.
    BestThereIs,
    /// By the generator.
    Generated,
}

/// The parameters of a scale: its number of files, everything else in the paper's proportions.
pub(crate) fn parameters(scale: &Scale) -> Parameters {
    Parameters::of_files(scale.postmark_files.max(1))
}

/// Makes the trace at `path`, and says on standard error how.
///
/// # Errors
/// Parameters that cannot be, a program or a mount that fails, a disk that is full.
pub(crate) fn capture(parameters: &Parameters, path: &Path, way: Way) -> Result<Totals, String> {
    parameters.validate().map_err(|error| error.to_string())?;
    let why_not = match way {
        Way::Generated => Some("asked for".to_owned()),
        Way::BestThereIs => capture::postmark::availability().err().map(|why| why.to_string()),
    };
    match why_not {
        None => recorded(parameters, path),
        Some(why) => {
            eprintln!(
                "note: {}: made by PostMark's published algorithm as a generator, not by the program: \
                 {why}",
                path.display()
            );
            generated(parameters, path, &why)
        }
    }
}

fn header(source: &str, parameters: &Parameters) -> Header {
    let Parameters { files, transactions, subdirectories, size_bytes, .. } = parameters;
    let named = [
        ("files", files.to_string()),
        ("transactions", transactions.to_string()),
        ("subdirectories", subdirectories.to_string()),
        ("size-bytes", format!("{}-{}", size_bytes.0, size_bytes.1)),
    ];
    let parameters_by_name: BTreeMap<String, String> =
        named.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Header {
        seed: Some(parameters.seed.into()),
        parameters: parameters_by_name,
        ..Header::new::<Operation>(source)
    }
}

fn recorded(parameters: &Parameters, path: &Path) -> Result<Totals, String> {
    eprintln!("capturing {}: PostMark on a file system of ours", path.display());
    let header =
        header("postmark on a FUSE file system that stores files as TableFS does", parameters);
    let mut recorder = Recorder::create(path, &header)?;
    let mut sink = |operation| recorder.push(operation).map_err(std::io::Error::other);
    let recorded = capture::postmark::record(parameters, &mut sink, &|_| ())
        .map_err(|error| error.to_string())?;
    recorder.note("program", &recorded.version)?;
    recorder.note("report", &recorded.report)?;
    recorder.finish()
}

fn generated(parameters: &Parameters, path: &Path, why: &str) -> Result<Totals, String> {
    let mut header = header("postmark's published algorithm as a generator", parameters);
    header.parameters.insert("why not the program".to_owned(), why.to_owned());
    let mut recorder = Recorder::create(path, &header)?;
    for operation in Generator::new(parameters).map_err(|error| error.to_string())? {
        recorder.push(operation)?;
    }
    recorder.finish()
}
