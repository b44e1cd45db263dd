//! Interprets properties as a run.

use std::str::FromStr;

use super::known::{USED, idle_property, near};
use super::{Properties, PropertiesError};
use crate::distribution::{SizeHistogram, ZipfianSizes};
use crate::keys::KEY_BYTES;
use crate::requests::{Groups, Mix, Request, Workload};
use crate::{KeyDistribution, SizeDistribution};

/// A run of YCSB: the properties that have an effect, and notices about those that have none.
#[derive(Clone, Debug, PartialEq)]
pub struct YcsbRun {
    /// The requests; the workload's name is `ycsb`.
    pub workload: Workload,
    pub records: u64,
    /// Number of requests of all threads together.
    pub operations: u64,
    /// Number of threads, if given.
    pub threads: Option<usize>,
    /// Requests per second of all threads together; `None` for as fast as possible.
    pub target_ops_per_s: Option<f64>,
    /// One sentence for each difference from YCSB that these properties expose.
    pub notices: Vec<String>,
}

/// YCSB's only skew.
const THETA: f64 = 0.99;

/// Interprets properties as YCSB's `CoreWorkload` does, with its defaults.
///
/// It reads no files: see [`histogram_file`].
pub fn interpret(properties: &Properties) -> Result<YcsbRun, PropertiesError> {
    let mut notices = idle_notices(properties)?;
    let reader = Reader(properties);
    reader.workload_class()?;
    let records = reader.records()?;
    reader.insert_range(records)?;
    let mix = reader.mix(&mut notices)?;
    let keys = reader.keys()?;
    if mix.insert > 0.0 {
        notices.push(insert_notice(keys));
    }
    let workload = Workload {
        name: "ycsb".to_owned(),
        mix,
        keys,
        value_bytes: reader.value_bytes(&mut notices)?,
        key_bytes: None,
        churn_value_bytes: None,
        together: Groups::TOGETHER_USUAL,
        lifetime_ms: None,
        scan_entries: reader.scan_entries()?,
        churn: false,
        modelled_key_bytes: KEY_BYTES,
        source: "a YCSB workload file".to_owned(),
    };
    workload.validate().map_err(PropertiesError::Workload)?;
    let threads = match properties.get("threadcount") {
        None => None,
        Some(_) => Some(reader.positive("threadcount", 1)?),
    };
    let target: f64 = reader.amount("target", 0.0)?;
    Ok(YcsbRun {
        workload,
        records,
        operations: reader.required("operationcount")?,
        threads,
        target_ops_per_s: (target > 0.0).then_some(target),
        notices,
    })
}

/// The file from which the properties take a histogram of field lengths, if any.
///
/// Read it with [`SizeHistogram::from_file`] and set `fieldlengthhistogram=` to the histogram as
/// text, `histogram:100=9,200=1`. Then [`interpret`] needs no file, and a record of the run is
/// complete.
pub fn histogram_file(properties: &Properties) -> Option<&str> {
    let asked = properties.get("fieldlengthdistribution") == Some("histogram");
    let file = properties.get("fieldlengthhistogram").unwrap_or("hist.txt");
    (asked && !file.starts_with(HISTOGRAM)).then_some(file)
}

const HISTOGRAM: &str = "histogram:";

/// Rejects unknown properties, and returns notices about those that have no effect here.
fn idle_notices(properties: &Properties) -> Result<Vec<String>, PropertiesError> {
    let mut notices = Vec::new();
    for (name, value) in properties.iter().filter(|(name, _)| !USED.contains(name)) {
        let Some(idle) = idle_property(name) else {
            return Err(PropertiesError::Unknown { name: name.to_owned(), near: near(name) });
        };
        if idle.satisfied != Some(value) {
            notices.push(format!("{name}={value} has no effect: {}", idle.why));
        }
    }
    Ok(notices)
}

fn insert_notice(keys: KeyDistribution) -> String {
    let asked = match keys {
        KeyDistribution::Latest { .. } => "requested only by the thread that inserted them",
        _ => "not requested; YCSB lets the range of its requests grow",
    };
    format!("inserted records are {asked}")
}

struct Reader<'a>(&'a Properties);

impl Reader<'_> {
    fn text(&self, name: &'static str, default: &'static str) -> &str {
        self.0.get(name).unwrap_or(default)
    }

    fn refuse(&self, name: &'static str, remedy: &str) -> PropertiesError {
        let value = self.0.get(name).unwrap_or_default().to_owned();
        PropertiesError::Value { name, value, remedy: remedy.to_owned() }
    }

    /// The value as a number that `fits` accepts, or the default.
    fn number<T: FromStr + Copy>(
        &self,
        name: &'static str,
        default: T,
        fits: impl Fn(T) -> bool,
        remedy: &str,
    ) -> Result<T, PropertiesError> {
        match self.0.get(name) {
            None => Ok(default),
            Some(text) => match text.parse() {
                Ok(number) if fits(number) => Ok(number),
                _ => Err(self.refuse(name, remedy)),
            },
        }
    }

    fn positive(&self, name: &'static str, default: usize) -> Result<usize, PropertiesError> {
        self.number(name, default, |number| number > 0, "write a whole number above 0")
    }

    fn amount(&self, name: &'static str, default: f64) -> Result<f64, PropertiesError> {
        let fits = |number: f64| number >= 0.0 && number.is_finite();
        self.number(name, default, fits, "write a number of 0 or more")
    }

    fn required(&self, name: &'static str) -> Result<u64, PropertiesError> {
        if self.0.get(name).is_none() {
            return Err(PropertiesError::Missing { name });
        }
        self.number(name, 0, |number| number > 0, "write a whole number above 0")
    }

    fn records(&self) -> Result<u64, PropertiesError> {
        let records = self.required("recordcount")?;
        let remedy = format!("there can be up to {} records", Request::RECORD_MAX);
        self.number("recordcount", records, |count| count <= Request::RECORD_MAX, &remedy)
    }

    fn workload_class(&self) -> Result<(), PropertiesError> {
        match self.text("workload", "CoreWorkload").rsplit('.').next() {
            Some("CoreWorkload") => Ok(()),
            _ => {
                Err(self.refuse("workload", "only site.ycsb.workloads.CoreWorkload is known here"))
            }
        }
    }

    /// Only the whole range of records can be loaded.
    fn insert_range(&self, records: u64) -> Result<(), PropertiesError> {
        let remedy = "one client loads all records; leave it out";
        self.number("insertstart", 0u64, |start| start == 0, remedy)?;
        self.number("insertcount", records, |count| count == records, remedy).map(drop)
    }

    /// Proportions are weights.
    fn mix(&self, notices: &mut Vec<String>) -> Result<Mix, PropertiesError> {
        let get = self.amount("readproportion", 0.95)?;
        let update = self.amount("updateproportion", 0.05)?;
        let insert = self.amount("insertproportion", 0.0)?;
        let scan = self.amount("scanproportion", 0.0)?;
        let read_modify_write = self.amount("readmodifywriteproportion", 0.0)?;
        let sum = get + update + insert + scan + read_modify_write;
        if sum <= 0.0 || !sum.is_finite() {
            return Err(PropertiesError::NoOperations);
        }
        let exact = (sum - 1.0).abs() < 1e-9;
        if !exact {
            notices.push(format!(
                "the proportions add up to {sum}; all are divided by that, as YCSB does"
            ));
        }
        let percent = |share: f64| 100.0 * if exact { share } else { share / sum };
        Ok(Mix {
            get: percent(get),
            update: percent(update),
            insert: percent(insert),
            read_modify_write: percent(read_modify_write),
            scan: percent(scan),
            ..Mix::default()
        })
    }

    fn keys(&self) -> Result<KeyDistribution, PropertiesError> {
        let name = "requestdistribution";
        let keys = match self.text(name, "uniform") {
            "uniform" => KeyDistribution::Uniform,
            "zipfian" => KeyDistribution::YcsbScrambled,
            "latest" => KeyDistribution::Latest { theta: THETA },
            "sequential" => KeyDistribution::Sequential,
            "hotspot" => {
                let between = |number: f64| number > 0.0 && number < 1.0;
                let remedy = "write a number between 0 and 1, both excluded";
                let set = self.number("hotspotdatafraction", 0.2, between, remedy)?;
                let share = |number: f64| (0.0..=1.0).contains(&number);
                let remedy = "write a number from 0 to 1";
                let operations = self.number("hotspotopnfraction", 0.8, share, remedy)?;
                KeyDistribution::Hotspot { set, operations }
            }
            "exponential" => {
                return Err(self.refuse(
                    name,
                    "not supported; use latest or zipfian, which prefer few records too",
                ));
            }
            _ => {
                return Err(
                    self.refuse(name, "write uniform, zipfian, latest, hotspot or sequential")
                );
            }
        };
        Ok(keys)
    }

    fn scan_entries(&self) -> Result<(usize, usize), PropertiesError> {
        let name = "scanlengthdistribution";
        if self.text(name, "uniform") != "uniform" {
            return Err(self.refuse(name, "only uniform is supported"));
        }
        Ok((self.positive("minscanlength", 1)?, self.positive("maxscanlength", 1000)?))
    }

    /// The total size of a record's fields.
    fn value_bytes(&self, notices: &mut Vec<String>) -> Result<SizeDistribution, PropertiesError> {
        let fields = self.positive("fieldcount", 10)?;
        let length = self.positive("fieldlength", 100)?;
        // The workload rejects larger sizes anyway, with a message that gives the size.
        let of_record = |field: usize| field.saturating_mul(fields);
        let name = "fieldlengthdistribution";
        let distribution = self.text(name, "constant");
        let shortest = || {
            let fits = |shortest| shortest <= length;
            let remedy = format!("write a whole number up to fieldlength={length}");
            self.number("minfieldlength", 1, fits, &remedy)
        };
        let sizes = match distribution {
            "constant" => SizeDistribution::Constant(of_record(length)),
            "uniform" => {
                SizeDistribution::Uniform { from: of_record(shortest()?), to: of_record(length) }
            }
            "zipfian" => {
                let sizes = ZipfianSizes::new(of_record(shortest()?), of_record(length), THETA);
                SizeDistribution::Zipfian(
                    sizes.map_err(|error| self.refuse(name, &error.to_string()))?,
                )
            }
            "histogram" => {
                let bins = self.histogram()?;
                let bins = bins.bins().map(|(bytes, weight)| (of_record(bytes), weight));
                let scaled = SizeHistogram::new(bins);
                SizeDistribution::Histogram(
                    scaled.map_err(|error| self.refuse(name, &error.to_string()))?,
                )
            }
            _ => return Err(self.refuse(name, "write constant, uniform, zipfian or histogram")),
        };
        if fields > 1 {
            let drawn = match distribution {
                "constant" => "",
                _ => ", whose length is drawn once and not per field",
            };
            notices.push(format!(
                "the {fields} fields of a record are one value{drawn}; every read and write is of \
                 the whole value"
            ));
        }
        Ok(sizes)
    }

    fn histogram(&self) -> Result<SizeHistogram, PropertiesError> {
        let name = "fieldlengthhistogram";
        let Some(list) = self.text(name, "hist.txt").strip_prefix(HISTOGRAM) else {
            return Err(self.refuse(
                name,
                "a file is not read here; write its sizes and weights, as in \
                 histogram:100=9,200=1",
            ));
        };
        list.parse::<SizeHistogram>().map_err(|error| self.refuse(name, &error.to_string()))
    }
}

#[cfg(test)]
mod tests;
