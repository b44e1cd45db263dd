//! From expectations to targets: what the sides of a question are, and what has to be measured of them.

use std::collections::BTreeMap;

use expect::{Bounds, Expectation, Method, On, Question, Relation, Selection};

use super::file::{CellSizes, Plan};
use record::{
    dimensions::{DIMENSIONS, Given},
    unknown_name,
};

/// One line of the table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    /// It has one question.
    pub(crate) expectation: Expectation,
    pub(crate) kind: Kind,
}

/// What a target measures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `b` against each of `a`, in ABBA blocks.
    Compare { a: Vec<Side>, b: Side },
    /// Two counters of the store.
    Counters { side: Side, counters: [String; 2] },
    /// Configured memory ÷ live bytes under a fragmentation pattern.
    Overhead { side: Side },
    /// A side beside the calibrations that scale the `yardsticks`.
    Yardstick { side: Side, yardsticks: Vec<Side> },
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Side {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) sizes: CellSizes,
}

/// What begins the name of a system that was measured elsewhere.
const YARDSTICK: &str = "yardstick:";
/// What ends the name of a metric that is an overhead in key + value base.
const KEY_VALUE_BASE: &str = "-key-value";
/// Percentiles in rows.
const PERCENTILES: [&str; 5] = ["p50", "p90", "p99", "p99.9", "max"];
/// Labels that describe a cell, beside the settings that suites list by name.
const LABELS: [&str; 6] = ["batch", "loop", "pattern", "system", "threads", "workload"];

/// All labels that describe a cell.
fn labels() -> impl Iterator<Item = &'static str> + Clone {
    let listed = DIMENSIONS.iter().filter(|dimension| dimension.given != Given::Otherwise);
    listed.map(|dimension| dimension.label).chain(LABELS)
}

pub(crate) fn missing(label: &str) -> String {
    format!("`{label}` is missing: add it to `where`")
}

impl Side {
    pub(crate) fn label(&self, name: &str) -> Option<&str> {
        self.labels.get(name).map(String::as_str)
    }

    /// The label as a number; `missing` where the side has none.
    ///
    /// # Errors
    /// The label, where it is needed and missing or no number.
    pub(crate) fn number<T: std::str::FromStr>(
        &self,
        name: &str,
        missing: Option<T>,
    ) -> Result<T, String> {
        match self.label(name) {
            Some(text) => text.parse().map_err(|_| format!("`{name}` = {text} is no number here")),
            None => missing.ok_or_else(|| self::missing(name)),
        }
    }

    /// # Errors
    /// A workload that is no share of GETs.
    pub(crate) fn get_percent(&self) -> Result<u32, String> {
        let name = self.label("workload").ok_or_else(|| missing("workload"))?;
        let percent = name.strip_prefix("get-").and_then(|percent| percent.parse().ok());
        percent.ok_or_else(|| format!("workload `{name}`: targets know get-0 to get-100"))
    }

    /// The yardstick that it is instead of a system to measure.
    pub(crate) fn yardstick(&self) -> Option<&str> {
        self.label("system")?.strip_prefix(YARDSTICK)
    }
}

impl Target {
    /// # Errors
    /// What of the expectation cannot be planned.
    pub(crate) fn new(
        plan: &Plan,
        expectation: Expectation,
        sizes: &CellSizes,
    ) -> Result<Self, String> {
        let [question] = &expectation.questions[..] else {
            return Err("a target has one question; make each a target of its own".to_owned());
        };
        if question.on != On::Any || !matches!(question.method, Method::Rounds { .. }) {
            return Err("targets are asked on \"any\" machine, with `interval = \"rounds\"`".into());
        }
        let kind = match &question.relation {
            Relation::Ratio { of, to, .. } => {
                let b = only(sides(question, of, sizes)?)?;
                compare(plan, question, sides(question, to, sizes)?, b)
            }
            Relation::Select { of, worst, .. } => {
                number(question, only(sides(question, of, sizes)?)?, *worst)
            }
            Relation::Monotone { .. } | Relation::Crossover { .. } => {
                Err("targets are of `select` or `ratio`".to_owned())
            }
        }?;
        Ok(Self { expectation, kind })
    }

    pub(crate) fn name(&self) -> &str {
        &self.expectation.id
    }

    /// Whether cells of both may be measured by one process: targets of one expectation that asks for it.
    pub(crate) fn shares_loads_with(&self, other: &Self) -> bool {
        let entry = |target: &Self| target.name().split('/').next().map(str::to_owned);
        let shares =
            |target: &Self| matches!(&target.kind, Kind::Compare { b, .. } if b.sizes.shared_loads);
        shares(self) && shares(other) && entry(self) == entry(other)
    }

    pub(crate) fn question(&self) -> &Question {
        &self.expectation.questions[0]
    }

    pub(crate) fn bounds(&self) -> Bounds {
        match &self.question().relation {
            Relation::Select { bounds, .. } | Relation::Ratio { bounds, .. } => *bounds,
            Relation::Monotone { .. } | Relation::Crossover { .. } => {
                unreachable!("no target is made of them")
            }
        }
    }
}

/// Every combination of the values that `where` and `side` allow, in the order of the file.
fn sides(question: &Question, side: &Selection, sizes: &CellSizes) -> Result<Vec<Side>, String> {
    let mut all = vec![BTreeMap::new()];
    for (label, values) in question.rows.labels.iter().chain(&side.labels) {
        if !labels().any(|known| known == label) {
            return Err(unknown_name("label of a target", label, labels()));
        }
        let with = |labels: &BTreeMap<String, String>| -> Vec<BTreeMap<String, String>> {
            let each = values.iter().map(|value| {
                let mut labels = labels.clone();
                labels.insert(label.clone(), value.clone());
                labels
            });
            each.collect()
        };
        all = all.iter().flat_map(with).collect();
    }
    Ok(all.into_iter().map(|labels| Side { labels, sizes: sizes.clone() }).collect())
}

fn only(mut sides: Vec<Side>) -> Result<Side, String> {
    if sides.len() > 1 {
        return Err("`of` has several sides; `vary` makes a target of each".to_owned());
    }
    Ok(sides.remove(0))
}

fn compare(plan: &Plan, question: &Question, a: Vec<Side>, b: Side) -> Result<Kind, String> {
    let metric = question.metric.name.as_str();
    if a.iter().any(|side| side.yardstick().is_some()) {
        if metric != "throughput" {
            return Err("yardsticks have `throughput`, and no other metric".to_owned());
        }
        return yardstick(plan, a, b);
    }
    if let Some((_, percentile)) = latency(metric) {
        if !PERCENTILES.contains(&percentile) {
            return Err(unknown_name("percentile", percentile, PERCENTILES));
        }
        if a.iter().chain([&b]).any(|side| side.label("batch").is_some_and(|batch| batch != "1")) {
            return Err("latencies are those of single operations: drop `batch`".into());
        }
    } else if metric != "throughput" {
        return Err(format!(
            "targets compare `throughput`, `get-PERCENTILE-ns` or `update-PERCENTILE-ns`, not \
             `{metric}`"
        ));
    }
    Ok(Kind::Compare { a, b })
}

/// The kind of operation and the percentile of a metric that is a latency.
pub(crate) fn latency(metric: &str) -> Option<(&str, &str)> {
    let (kind, percentile) = metric.strip_suffix("-ns")?.split_once('-')?;
    matches!(kind, "get" | "update").then_some((kind, percentile))
}

fn yardstick(plan: &Plan, yardsticks: Vec<Side>, side: Side) -> Result<Kind, String> {
    if plan.calibration.is_none() {
        return Err("yardsticks need a [plan.calibration] of the machine they are from".into());
    }
    let (value_bytes, get_percent) = (side.number("value-bytes", None)?, side.get_percent()?);
    for one in &yardsticks {
        let known = plan.yardsticks.iter().map(|yardstick| yardstick.name.as_str());
        let Some(name) = one.yardstick() else {
            return Err("yardsticks and systems to measure are targets of their own".to_owned());
        };
        if !known.clone().any(|known| known == name) {
            return Err(unknown_name("yardstick", name, known));
        }
        if plan.mops(name, value_bytes, get_percent).is_none() {
            return Err(format!(
                "yardstick `{name}` has no value for {value_bytes} B values and {get_percent} % GET"
            ));
        }
    }
    Ok(Kind::Yardstick { side, yardsticks })
}

/// The measurement behind a number of one side.
fn number(question: &Question, side: Side, worst: bool) -> Result<Kind, String> {
    if let Some(counters) = &question.metric.quotient {
        if side.label("ageing").is_none_or(|ageing| ageing == "none") {
            return Err("counters mean something in a steady state only: set `ageing`, for \
                        example to \"rewrites:4\""
                .to_owned());
        }
        return Ok(Kind::Counters { side, counters: counters.clone() });
    }
    if !question.metric.name.ends_with(KEY_VALUE_BASE) || side.label("pattern").is_none() || !worst
    {
        return Err("a `select` is of two counters (\"ABOVE / BELOW\"), or the `worst` \
                    `overhead-all-in-key-value` or `overhead-log-only-key-value` of a `pattern`"
            .to_owned());
    }
    Ok(Kind::Overhead { side })
}

/// Those of `targets` that one of `patterns` names: an entry, else a part of the name, or the
/// whole of it with `*` for anything. All of no patterns.
///
/// # Errors
/// A pattern that names none.
pub(crate) fn select(targets: Vec<Target>, patterns: &[String]) -> Result<Vec<Target>, String> {
    let names: Vec<String> = targets.iter().map(|target| target.name().to_owned()).collect();
    for pattern in patterns {
        if !names.iter().any(|name| is_named(pattern, name)) {
            return Err(unknown_name("target", pattern, names.iter().map(String::as_str)));
        }
    }
    let is_entry = |pattern: &str, name: &str| {
        name == pattern || name.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('/'))
    };
    let chooses = |pattern: &str, name: &str| {
        if names.iter().any(|name| is_entry(pattern, name)) {
            is_entry(pattern, name)
        } else {
            is_named(pattern, name)
        }
    };
    let wanted = |target: &Target| patterns.iter().any(|one| chooses(one, target.name()));
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

#[cfg(test)]
mod tests {
    use super::super::tests::{against, entry, file, parse, throughput};
    use super::*;

    fn refused(question: &str, expected: &str) {
        let error = parse(&entry("", question)).unwrap_err();
        assert!(error.contains(expected), "`{expected}` is not in: {error}");
    }

    #[test]
    fn combinations_become_targets_of_their_own() {
        let file = file(
            "vary = { workload = [\"get-100\", \"get-0\"], value-bytes = [64, 1024] }",
            &throughput("threads = 2", "system = \"nibble\"", "system = \"null\""),
        );
        let names: Vec<&str> = file.targets.iter().map(Target::name).collect();
        assert_eq!(names, ["t/64-B-get-100", "t/64-B-get-0", "t/1024-B-get-100", "t/1024-B-get-0"]);
        let Kind::Compare { a, b } = &file.targets[2].kind else { panic!("{file:?}") };
        assert_eq!(a[0].label("value-bytes"), Some("1024"));
        assert_eq!((a[0].get_percent(), a[0].number("threads", None)), (Ok(100), Ok(2)));
        assert_eq!(b.label("system"), Some("nibble"));
    }

    #[test]
    fn a_typo_names_file_line_and_the_allowed_keys() {
        let error = parse("[[expectation]]\nid = \"t\"\nsais = \"?\"\n").unwrap_err();
        assert!(error.starts_with("t.toml: ") && error.contains("line "), "{error}");
        for word in ["`sais`", "`says`", "`vary`", "`cells`"] {
            assert!(error.contains(word), "{word} in {error}");
        }
    }

    #[test]
    fn what_cannot_be_planned_is_refused() {
        let nibble = "system = \"nibble\"";
        refused(
            &throughput("trace = \"x\"", nibble, nibble),
            "target `t`: unknown label of a target `trace`",
        );
        refused(
            &throughput("", "system = [\"nibble\", \"mica\"]", nibble),
            "`of` has several sides",
        );
        refused(
            &throughput("", nibble, nibble).replace("throughput", "cpu-ns"),
            "targets compare `throughput`",
        );
        let tail = throughput("", nibble, nibble).replace("throughput", "update-p98-ns");
        refused(&tail, "unknown percentile `p98`");
        let tail = throughput("batch = 8", nibble, nibble).replace("throughput", "get-p99-ns");
        refused(&tail, "latencies are those of single operations");
        let copied = "metric = \"copied_bytes / appended_bytes\"\n\
                      select = { of = { system = \"nibble\" }, at-most = 3 }";
        refused(copied, "set `ageing`");
        refused(
            "metric = \"throughput\"\nselect = { of = { system = \"nibble\" }, at-most = 3 }",
            "a `select` is of two counters",
        );
        refused(
            "metric = \"throughput\"\nmonotone = { of = {}, along = \"threads\", from = 1, to = 2, \
             moves = \"rises\" }",
            "targets are of `select` or `ratio`",
        );
        let twice = throughput("", nibble, nibble);
        refused(
            &format!("{twice}\n[[expectation.ask]]\non = \"any\"\nexpects = \"x\"\n{twice}"),
            "a target has one question",
        );
        let welch = entry("", &twice).replace("interval = \"rounds\"", "");
        assert!(parse(&welch).unwrap_err().contains("with `interval = \"rounds\"`"));
    }

    #[test]
    fn yardsticks_are_known_and_have_a_value() {
        refused(&against("\"yardstick:fats\""), "unknown yardstick `fats`: did you mean fast");
        refused(
            &against("\"yardstick:fast\"").replace("get-50", "get-51"),
            "yardstick `fast` has no value for 64 B values and 51 % GET",
        );
        refused(
            &against("[\"yardstick:fast\", \"mica\"]"),
            "yardsticks and systems to measure are targets of their own",
        );
        let file = file("", &against("[\"yardstick:fast\", \"yardstick:slow\"]"));
        let Kind::Yardstick { yardsticks, .. } = &file.targets[0].kind else { panic!("{file:?}") };
        let names: Vec<Option<&str>> = yardsticks.iter().map(Side::yardstick).collect();
        assert_eq!(names, [Some("fast"), Some("slow")]);
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
        let all = file("", &against("\"yardstick:fast\"")).targets;
        assert_eq!(select(all.clone(), &[]).unwrap().len(), 1);
        let mut longer = all[0].clone();
        longer.expectation.id = "batch/t".to_owned();
        let both = vec![all[0].clone(), longer];
        let entry = select(both.clone(), &["t".to_owned()]).unwrap();
        assert_eq!(entry, all, "an entry's name is that entry, not a part of others");
        assert_eq!(select(both, &["*t".to_owned()]).unwrap().len(), 2);
        let error = select(all, &["u".to_owned()]).unwrap_err();
        assert!(error.contains("unknown target `u`: there are t"), "{error}");
    }
}
