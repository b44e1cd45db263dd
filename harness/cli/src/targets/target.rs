//! From the file's entries to targets: keys checked against the kind, combinations expanded.

use super::bar::Bar;
use super::file::{Entry, File, FileError, KindName, Operation, Overhead, Part};
use record::unknown_name;

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// The entry's name, and what was varied: `second-thread/get-100`.
    pub(crate) name: String,
    pub(crate) question: String,
    pub(crate) source: String,
    pub(crate) bar: Bar,
    pub(crate) kind: Kind,
}

/// What is measured for it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `b` ÷ each of `a`.
    Compare { a: Vec<Part>, b: Part, quantity: Quantity },
    /// A counter over another.
    Statistic { side: Part, numerator: String, denominator: String },
    /// Configured memory ÷ live bytes.
    Overhead { side: Part, overhead: Overhead },
    /// Throughput ÷ the lines of the table but `except`.
    Yardstick { side: Part, except: Vec<String> },
}

/// What a comparison compares.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Quantity {
    Throughput,
    Latency { operation: Operation, percentile: String },
}

/// Percentiles that rows have.
const PERCENTILES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];

impl File {
    /// Every target, combinations expanded.
    ///
    /// # Errors
    /// The entry and what is wrong with it.
    pub(crate) fn targets(&self, file: &str) -> Result<Vec<Target>, FileError> {
        let mut targets: Vec<Target> = Vec::new();
        for entry in &self.targets {
            let fail = |message: String| FileError {
                file: file.to_owned(),
                message: format!("target `{}`: {message}", entry.name),
            };
            for (suffix, varied) in combinations(entry) {
                let kind = kind(self, entry, &varied).map_err(fail)?;
                let name = match suffix.as_str() {
                    "" => entry.name.clone(),
                    _ => format!("{}/{suffix}", entry.name),
                };
                if targets.iter().any(|other| other.name == name) {
                    return Err(fail(format!("`{name}` is there twice")));
                }
                targets.push(Target {
                    name,
                    question: entry.question.clone(),
                    source: entry.source.clone(),
                    bar: entry.bar,
                    kind,
                });
            }
        }
        Ok(targets)
    }
}

/// Those of `targets` that one of `patterns` names: an entry, else a part of the name, or the
/// whole of it with `*` for anything. All of no patterns.
///
/// # Errors
/// A pattern that names none.
pub(crate) fn select(targets: Vec<Target>, patterns: &[String]) -> Result<Vec<Target>, String> {
    let names: Vec<String> = targets.iter().map(|target| target.name.clone()).collect();
    for pattern in patterns {
        if !names.iter().any(|name| is_named(pattern, name)) {
            return Err(unknown_name("target", pattern, names.iter().map(String::as_str)));
        }
    }
    let is_entry = |pattern: &str, name: &str| {
        name == pattern || name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'))
    };
    let chooses = |pattern: &String, name: &String| {
        if names.iter().any(|name| is_entry(pattern, name)) {
            is_entry(pattern, name)
        } else {
            is_named(pattern, name)
        }
    };
    let wanted = |target: &Target| patterns.iter().any(|pattern| chooses(pattern, &target.name));
    Ok(targets.into_iter().filter(|target| patterns.is_empty() || wanted(target)).collect())
}

fn is_named(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return name.contains(pattern) };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return left.ends_with(part);
        }
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    true
}

/// The part of each combination, with what to add to the name.
fn combinations(entry: &Entry) -> Vec<(String, Part)> {
    let vary = &entry.vary;
    let mut all = vec![(Vec::new(), Part::default())];
    all = each(all, vary.pattern.as_deref(), |part, pattern| {
        part.pattern = Some(pattern.clone());
        pattern.clone()
    });
    all = each(all, vary.value_bytes.as_deref(), |part, bytes| {
        part.value_bytes = Some(*bytes);
        format!("{bytes}-B")
    });
    all = each(all, vary.get_percent.as_deref(), |part, percent| {
        part.get_percent = Some(*percent);
        format!("get-{percent}")
    });
    all = each(all, vary.batch.as_deref(), |part, batch| {
        part.batch = Some(*batch);
        format!("batch-{batch}")
    });
    all.into_iter().map(|(words, part)| (words.join("-"), part)).collect()
}

fn each<T>(
    all: Vec<(Vec<String>, Part)>,
    values: Option<&[T]>,
    set: impl Fn(&mut Part, &T) -> String,
) -> Vec<(Vec<String>, Part)> {
    let Some(values) = values else { return all };
    let mut more = Vec::new();
    for (words, part) in all {
        for value in values {
            let (mut words, mut part) = (words.clone(), part.clone());
            words.push(set(&mut part, value));
            more.push((words, part));
        }
    }
    more
}

/// Checks that the entry has the keys of its kind and no others.
fn kind(file: &File, entry: &Entry, varied: &Part) -> Result<Kind, String> {
    use KindName::{LatencyRatio, Overhead, Statistic, ThroughputRatio, Yardstick};
    let workload = entry.workload.with(varied);
    let compares = matches!(entry.kind, ThroughputRatio | LatencyRatio);
    for (key, given, wanted) in [
        ("a", entry.a.is_some(), compares),
        ("b", entry.b.is_some(), compares),
        ("operation", entry.operation.is_some(), entry.kind == LatencyRatio),
        ("percentile", entry.percentile.is_some(), entry.kind == LatencyRatio),
        ("numerator", entry.numerator.is_some(), entry.kind == Statistic),
        ("denominator", entry.denominator.is_some(), entry.kind == Statistic),
        ("overhead", entry.overhead.is_some(), entry.kind == Overhead),
        ("workload.pattern", workload.pattern.is_some(), entry.kind == Overhead),
    ] {
        let kind = entry.kind.name();
        match (given, wanted) {
            (true, false) => return Err(format!("kind `{kind}` takes no `{key}`")),
            (false, true) => return Err(format!("kind `{kind}` needs `{key}`")),
            _ => {}
        }
    }
    for (key, given) in [("except", entry.except.is_some()), ("only", entry.only.is_some())] {
        if given && entry.kind != Yardstick {
            return Err(format!("kind `{}` takes no `{key}`", entry.kind.name()));
        }
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    match entry.kind {
        ThroughputRatio | LatencyRatio => {
            let a: Vec<Part> =
                entry.a.iter().flatten().map(|side| workload.with(side).with(varied)).collect();
            if a.is_empty() {
                return Err("`a` names no side to compare with".to_owned());
            }
            let b = entry.b.as_ref().map(|side| workload.with(side).with(varied));
            let b = b.unwrap_or_default();
            let quantity = match entry.operation {
                None => Quantity::Throughput,
                Some(operation) => {
                    let percentile = text(&entry.percentile);
                    if !PERCENTILES.contains(&percentile.as_str()) {
                        return Err(unknown_name("percentile", &percentile, PERCENTILES));
                    }
                    if a.iter().chain([&b]).any(|side| side.batch.is_some_and(|batch| batch > 1)) {
                        return Err("latencies are those of single operations: drop `batch`".into());
                    }
                    Quantity::Latency { operation, percentile }
                }
            };
            Ok(Kind::Compare { a, b, quantity })
        }
        Statistic => {
            if !workload.warm_up_rewrites.is_some_and(|rewrites| rewrites > 0.0) {
                return Err("counters mean something in a steady state only: set \
                            `workload.warm-up-rewrites`, for example to 4"
                    .to_owned());
            }
            let (numerator, denominator) = (text(&entry.numerator), text(&entry.denominator));
            Ok(Kind::Statistic { side: workload, numerator, denominator })
        }
        Overhead => {
            let overhead = entry.overhead.expect("checked above");
            Ok(Kind::Overhead { side: workload, overhead })
        }
        Yardstick => {
            let mut except = entry.except.clone().unwrap_or_default();
            let only = entry.only.as_deref();
            let names = || file.yardsticks.iter().map(|yardstick| yardstick.name.as_str());
            let mut named = except.iter().chain(only.into_iter().flatten());
            if let Some(unknown) = named.find(|name| !names().any(|known| known == *name)) {
                return Err(unknown_name("yardstick", unknown, names()));
            }
            if let Some(only) = only {
                let others = names().filter(|name| !only.iter().any(|wanted| wanted == name));
                except.extend(others.map(str::to_owned));
            }
            if file.calibration.is_none() {
                return Err("yardsticks need a [calibration] of the machine they are from".into());
            }
            let lines = file.lines_for(&workload, &except);
            if lines.is_empty() {
                return Err(format!(
                    "no yardstick has a value for {} B values and {} % GET",
                    workload.value_bytes.unwrap_or_default(),
                    workload.get_percent.unwrap_or_default()
                ));
            }
            Ok(Kind::Yardstick { side: workload, except })
        }
    }
}

impl KindName {
    fn name(self) -> &'static str {
        match self {
            Self::ThroughputRatio => "throughput-ratio",
            Self::LatencyRatio => "latency-ratio",
            Self::Statistic => "statistic",
            Self::Overhead => "overhead",
            Self::Yardstick => "yardstick",
        }
    }
}

impl File {
    /// The yardsticks for that workload, by name, with their Mops/s.
    pub(crate) fn lines_for(&self, side: &Part, except: &[String]) -> Vec<(&str, f64)> {
        let asked = (side.value_bytes, side.get_percent);
        self.yardsticks
            .iter()
            .filter(|yardstick| !except.contains(&yardstick.name))
            .flat_map(|yardstick| {
                let values = yardstick.mops.iter();
                let here = values.filter(move |value| {
                    (Some(value.value_bytes), Some(value.get_percent)) == asked
                });
                here.map(|value| (yardstick.name.as_str(), value.is))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{HEAD, file_with};
    use super::*;

    fn targets(text: &str) -> Result<Vec<Target>, String> {
        let file = File::parse("t.toml", &format!("{HEAD}{text}")).map_err(|e| e.to_string())?;
        file.targets("t.toml").map_err(|error| error.to_string())
    }

    fn refused(text: &str, expected: &str) {
        let error = targets(text).unwrap_err();
        assert!(error.contains(expected), "`{expected}` is not in: {error}");
    }

    #[test]
    fn combinations_become_targets_of_their_own() {
        let all = file_with(
            "kind = \"throughput-ratio\"\na = [{ system = \"null\" }]\nb = { system = \"nibble\" }\n\
             workload = { threads = 2 }\n\
             vary = { get-percent = [100, 0], value-bytes = [64, 1024] }\n",
        );
        let names: Vec<&str> = all.iter().map(|target| target.name.as_str()).collect();
        assert_eq!(names, ["t/64-B-get-100", "t/64-B-get-0", "t/1024-B-get-100", "t/1024-B-get-0"]);
        let Kind::Compare { a, b, .. } = &all[2].kind else { panic!("{:?}", all[2]) };
        assert_eq!(
            (a[0].value_bytes, a[0].get_percent, a[0].threads),
            (Some(1024), Some(100), Some(2))
        );
        assert_eq!(b.system.as_deref(), Some("nibble"));
    }

    #[test]
    fn a_typo_names_file_line_and_the_allowed_keys() {
        let error = targets("[[target]]\nname = \"t\"\nquestions = \"?\"\n").unwrap_err();
        assert!(error.starts_with("t.toml: line "), "{error}");
        for word in ["`questions`", "`question`", "`workload`", "`bar`"] {
            assert!(error.contains(word), "{word} in {error}");
        }
    }

    #[test]
    fn keys_are_those_of_the_kind() {
        let entry = |more: &str| {
            format!("[[target]]\nname = \"t\"\nquestion = \"?\"\nbar = \">= 1\"\n{more}")
        };
        refused(&entry("kind = \"ratio\"\n"), "throughput-ratio");
        refused(
            &entry("kind = \"throughput-ratio\"\n"),
            "target `t`: kind `throughput-ratio` needs `a`",
        );
        refused(&entry("kind = \"throughput-ratio\"\na = []\nb = {}\n"), "names no side");
        refused(
            &entry(
                "kind = \"statistic\"\nnumerator = \"x\"\ndenominator = \"y\"\noverhead = \"all-in\"\n",
            ),
            "kind `statistic` takes no `overhead`",
        );
        refused(
            &entry("kind = \"statistic\"\nnumerator = \"x\"\ndenominator = \"y\"\n"),
            "workload.warm-up-rewrites",
        );
        refused(&entry("kind = \"overhead\"\noverhead = \"all-in\"\n"), "needs `workload.pattern`");
        refused(
            &entry(
                "kind = \"latency-ratio\"\na = [{}]\nb = {}\noperation = \"put\"\npercentile = \"p98\"\n",
            ),
            "unknown percentile `p98`",
        );
        refused(&entry("kind = \"yardstick\"\nexcept = [\"MICA\"]\n"), "unknown yardstick `MICA`");
        refused(
            &entry("kind = \"yardstick\"\nworkload = { value-bytes = 64, get-percent = 51 }\n"),
            "no yardstick has a value for 64 B values and 51 % GET",
        );
        refused(&entry("kind = \"yardstick\"\nonly = [\"MICA\"]\n"), "unknown yardstick `MICA`");
        refused(&entry("kind = \"yardstick\"\nbar = \"1\"\n"), "duplicate key");
        let twice = "kind = \"yardstick\"\nworkload = { value-bytes = 64, get-percent = 50 }\n";
        refused(&(entry(twice) + &entry(twice)), "`t` is there twice");
        refused(&entry("kind = \"yardstick\"\nworkload = { values = 64 }\n"), "`value-bytes`");
    }

    #[test]
    fn targets_are_chosen_by_a_part_or_a_pattern() {
        for (pattern, name, chosen) in [
            ("thread", "second-thread/get-100", true),
            ("second*", "second-thread/get-100", true),
            ("*get-0", "second-thread/get-100", false),
            ("*/get-*", "second-thread/get-100", true),
            ("get*", "second-thread/get-100", false),
            ("second*read*100", "second-thread/get-100", true),
        ] {
            assert_eq!(is_named(pattern, name), chosen, "{pattern}");
        }
        let all =
            file_with("kind = \"yardstick\"\nworkload = { value-bytes = 64, get-percent = 50 }\n");
        assert_eq!(select(all.clone(), &[]).unwrap().len(), 1);
        let longer = Target { name: "batch/t".to_owned(), ..all[0].clone() };
        let both = vec![all[0].clone(), longer];
        let entry = select(both.clone(), &["t".to_owned()]).unwrap();
        assert_eq!(entry, all, "an entry's name is that entry, not a part of others");
        assert_eq!(select(both, &["*t".to_owned()]).unwrap().len(), 2);
        let error = select(all, &["u".to_owned()]).unwrap_err();
        assert!(error.contains("unknown target `u`: there are t"), "{error}");
    }
}
