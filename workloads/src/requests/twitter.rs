//! Workloads modelled on Twitter's published cache clusters.
//!
//! J. Yang, Y. Yue, K. V. Rashmi: *A large scale analysis of hundreds of in-memory cache clusters
//! at Twitter*, OSDI 2020; numbers from the table of <https://github.com/twitter/cache-trace> (CC
//! BY 4.0). The table is translated as follows. Each point is an approximation:
//!
//! * Reads (`get`, `gets`) are GETs; writes to a key that may exist (`set`, `replace`, `cas`,
//!   `append`, `prepend`, `incr`, `decr`) are UPDATEs; `add` is an INSERT.
//! * The table is rounded. A deficit or excess to 1 goes to the most frequent kind.
//! * With `delete`, an equal share of the writes stores new keys, and both become churn: live bytes
//!   stay constant. A real cache expires and evicts instead; times to live are not modelled.
//! * Every value has the table's mean size plus the bytes by which Twitter's keys are longer than
//!   ours.
//! * Keys are Zipfian with the table's alpha, and uniform where alpha is 0. Where the table gives
//!   none, alpha is taken to be 1, the lower end of what the paper reports for most clusters.

use super::workload::SCAN_ENTRIES;
use super::{Groups, Mix, Workload};
use crate::keys::KEY_BYTES;
use crate::{KeyDistribution, SizeDistribution};

const TABLE: &str = include_str!("../../data/twitter-2020mar.tsv");
const PREFIX: &str = "twitter-cluster";
const ASSUMED_ALPHA: f64 = 1.0;

/// `twitter-cluster1` to `twitter-cluster54`; the table has no cluster 5.
pub(super) fn names() -> impl Iterator<Item = String> {
    rows().map(|row| format!("{PREFIX}{}", row.cluster))
}

pub(super) fn by_name(name: &str) -> Option<Workload> {
    let cluster = name.strip_prefix(PREFIX)?;
    rows().find(|row| row.cluster == cluster).map(|row| row.workload())
}

/// A row of the table.
struct Row {
    cluster: &'static str,
    key_bytes: usize,
    value_bytes: usize,
    operations: &'static str,
    alpha: Option<f64>,
}

fn rows() -> impl Iterator<Item = Row> {
    TABLE.lines().filter(|line| !line.starts_with('#')).map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [cluster, key_bytes, value_bytes, operations, alpha] = columns[..] else {
            panic!("{line}: not five columns");
        };
        let bytes = |text: &str| text.parse().unwrap_or_else(|_| panic!("{line}: bytes {text}"));
        let (key_bytes, value_bytes) = (bytes(key_bytes), bytes(value_bytes));
        Row { cluster, key_bytes, value_bytes, operations, alpha: alpha.parse().ok() }
    })
}

impl Row {
    fn workload(&self) -> Workload {
        let mix = self.mix();
        let (keys, assumption) = match self.alpha {
            Some(0.0) => (KeyDistribution::Uniform, ""),
            Some(theta) => (KeyDistribution::Zipfian { theta, scrambled: true }, ""),
            None => (
                KeyDistribution::Zipfian { theta: ASSUMED_ALPHA, scrambled: true },
                "; its table gives no Zipf alpha, 1 is assumed",
            ),
        };
        Workload {
            name: format!("{PREFIX}{}", self.cluster),
            mix,
            keys,
            value_bytes: SizeDistribution::Constant(self.value_bytes + self.key_bytes - KEY_BYTES),
            key_bytes: None,
            churn_value_bytes: None,
            together: Groups::TOGETHER_USUAL,
            lifetime_ms: None,
            scan_entries: SCAN_ENTRIES,
            churn: mix.delete > 0.0,
            modelled_key_bytes: self.key_bytes,
            source: format!(
                "Twitter cluster {} (Yang et al., OSDI 2020; github.com/twitter/cache-trace, March \
                 2020, CC BY 4.0), mean sizes{assumption}",
                self.cluster
            ),
        }
    }

    fn mix(&self) -> Mix {
        // In hundredths, as in the table, so that sums stay exact.
        let (mut get, mut update, mut insert, mut delete) = (0, 0, 0, 0);
        for operation in self.operations.split_whitespace() {
            let (name, share) = operation.split_once(':').expect("operation:share");
            let percent = (share.parse::<f64>().expect("a share") * 100.0).round() as i32;
            match name {
                "get" | "gets" => get += percent,
                "add" => insert += percent,
                "delete" => delete += percent,
                "set" | "replace" | "cas" | "append" | "prepend" | "incr" | "decr" => {
                    update += percent;
                }
                _ => panic!("cluster {}: operation {name}", self.cluster),
            }
        }
        let rest = 100 - (get + update + insert + delete);
        let shares = [&mut get, &mut update, &mut insert, &mut delete];
        *shares.into_iter().max().expect("four shares") += rest;
        let stored_anew = delete.min(update);
        Mix {
            get: f64::from(get),
            update: f64::from(update - stored_anew),
            insert: f64::from(insert + stored_anew),
            delete: f64::from(delete),
            ..Mix::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cluster: u32) -> String {
        by_name(&format!("{PREFIX}{cluster}")).unwrap().to_string()
    }

    #[test]
    fn the_table_is_translated_as_documented() {
        // The plain case: 44 − 8 bytes of the key are added to values of 1030.
        assert_eq!(
            text(12),
            "twitter-cluster12: get 20 %, update 80 %; keys zipfian:0.3048; values 1066"
        );
        // Shares that add up to too little, and to too much.
        assert_eq!(text(1), "twitter-cluster1: get 100 %; keys zipfian:2.6774; values 339");
        assert_eq!(
            text(53),
            "twitter-cluster53: get 88 %, update 12 %; keys zipfian:1.2061; values 9241"
        );
        // Several operations of one kind, and an alpha of 0.
        assert_eq!(
            text(11),
            "twitter-cluster11: get 97 %, update 1 %, insert 2 %; keys zipfian:1.4891; values 186"
        );
        assert_eq!(text(10), "twitter-cluster10: get 50 %, insert 50 %; keys uniform; values 2347");
        // Deletes become churn.
        assert_eq!(
            text(14),
            "twitter-cluster14: get 65 %, insert 13 %, delete 22 %; keys zipfian:1.2959; values 502"
        );
        assert!(by_name("twitter-cluster14").unwrap().churn);
        assert_eq!(
            text(23),
            "twitter-cluster23: get 36 %, update 60 %, insert 2 %, delete 2 %; keys zipfian:0.274; \
             values 251"
        );
        for missing in ["twitter-cluster5", "twitter-cluster55", "twitter-cluster"] {
            assert_eq!(by_name(missing), None);
        }
    }

    #[test]
    fn assumptions_are_named() {
        let assumed: Vec<String> =
            names().filter(|name| by_name(name).unwrap().source.contains("assumed")).collect();
        assert_eq!(assumed, ["twitter-cluster43", "twitter-cluster46"]);
    }
}
