//! The built-in workloads.

use super::workload::SCAN_ENTRIES;
use super::{Groups, Mix, Workload, twitter};
use crate::keys::KEY_BYTES;
use crate::ycsb;
use crate::{KeyDistribution, SizeDistribution};

const GETS: [&str; 4] = ["get-100", "get-95", "get-50", "get-0"];

pub(super) fn names() -> Vec<String> {
    let plain =
        GETS.into_iter().chain(["insert-only", "churn", "churn-resize", "groups", "expiring"]);
    let ycsb = ycsb::CORE_WORKLOADS.iter().map(|&(name, _)| name);
    plain.chain(ycsb).map(str::to_owned).chain(twitter::names()).collect()
}

pub(super) fn by_name(name: &str) -> Option<Workload> {
    match name {
        "insert-only" => Some(insert_only()),
        "churn" => Some(churn()),
        "churn-resize" => Some(churn_resize()),
        "groups" => Some(groups()),
        "expiring" => Some(expiring()),
        _ => gets(name).or_else(|| ycsb::core_workload(name)).or_else(|| twitter::by_name(name)),
    }
}

/// GETs and UPDATEs of 1 KiB values, uniform over the records.
fn plain(name: &str, mix: Mix) -> Workload {
    Workload {
        name: name.to_owned(),
        mix,
        keys: KeyDistribution::Uniform,
        value_bytes: SizeDistribution::Constant(1 << 10),
        key_bytes: None,
        churn_value_bytes: None,
        together: Groups::TOGETHER_USUAL,
        lifetime_ms: None,
        scan_entries: SCAN_ENTRIES,
        churn: false,
        modelled_key_bytes: KEY_BYTES,
        source: "made for this suite".to_owned(),
    }
}

fn gets(name: &str) -> Option<Workload> {
    let percent: f64 = name.strip_prefix("get-")?.parse().ok()?;
    let mix = Mix::gets(percent).ok()?;
    // One name per workload: "get-095" is not a name.
    (format!("get-{percent}") == name).then(|| plain(name, mix))
}

fn insert_only() -> Workload {
    plain("insert-only", Mix { insert: 100.0, ..Mix::default() })
}

fn churn() -> Workload {
    let mix = Mix { insert: 50.0, delete: 50.0, ..Mix::default() };
    Workload { churn: true, ..plain("churn", mix) }
}

/// Sizes grow by 30 %, as in W2 and W3 of the RAMCloud paper. The hole of one object never fits the
/// next, and the two sizes lie in different size classes of every common allocator.
fn churn_resize() -> Workload {
    Workload {
        name: "churn-resize".to_owned(),
        value_bytes: SizeDistribution::Constant(500),
        churn_value_bytes: Some(SizeDistribution::Constant(650)),
        source: "made for this suite; growth by 30 % as in the RAMCloud paper (FAST 2014), W2"
            .to_owned(),
        ..churn()
    }
}

/// Half of the requests write a group in one step, half read one at one moment: each reader meets
/// groups that others are about to write. Values are as long as in LSM papers.
fn groups() -> Workload {
    let mix = Mix { write_together: 50.0, snapshot_read: 50.0, ..Mix::default() };
    Workload { value_bytes: SizeDistribution::Constant(256), ..plain("groups", mix) }
}

/// A cache whose objects end after a second, the shortest lifetime of stores that count in seconds. Values
/// are as long as half of all in Twitter's caches are at most (OSDI 2020).
fn expiring() -> Workload {
    let mix = Mix { get: 90.0, write_expiring: 10.0, ..Mix::default() };
    Workload {
        keys: KeyDistribution::Zipfian { theta: 0.99, scrambled: true },
        value_bytes: SizeDistribution::Constant(230),
        lifetime_ms: Some(1000),
        source: "made for this suite; values as in Twitter's caches (OSDI 2020)".to_owned(),
        ..plain("expiring", mix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_are_valid_and_found_by_name() {
        let names = names();
        for name in &names {
            let workload = by_name(name).unwrap();
            assert_eq!(workload.validate(), Ok(()), "{name}");
            assert_eq!(&workload.name, name);
            assert!(!workload.source.is_empty());
        }
        assert_eq!(names.len(), 4 + 5 + 6 + 53);
        let mut distinct = names.clone();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len());
    }

    #[test]
    fn every_share_of_gets_has_one_name() {
        assert_eq!(by_name("get-99.5").unwrap().mix, Mix::gets(99.5).unwrap());
        for name in ["get-", "get-101", "get-095", "get-95.0", "get-NaN", "gets-95", "ycsb-g"] {
            assert_eq!(by_name(name), None, "{name}");
        }
    }

    #[test]
    fn a_workload_introduces_itself() {
        let text = |name| by_name(name).unwrap().to_string();
        assert_eq!(text("get-95"), "get-95: get 95 %, update 5 %; keys uniform; values 1KiB");
        assert_eq!(
            text("churn-resize"),
            "churn-resize: insert 50 %, delete 50 %; keys uniform; values 500, inserted 650"
        );
        assert_eq!(
            text("groups"),
            "groups: write-together 50 %, snapshot-read 50 %; keys uniform; values 256; groups of 4"
        );
        assert_eq!(
            text("expiring"),
            "expiring: get 90 %, write-expiring 10 %; keys zipfian:0.99; values 230; lifetimes of 1000 ms"
        );
    }
}
