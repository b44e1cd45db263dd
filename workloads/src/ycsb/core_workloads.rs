//! YCSB's six core workloads, read from files with upstream's property values.
//!
//! One thing differs from the files: where these ask for `zipfian`, a preset has `zipfian:0.99`.
//! Numbers were published of it, so it stays. `ycsb-scrambled` in its place gives the keys that
//! YCSB draws.

use super::{Properties, interpret};
use crate::KeyDistribution;
use crate::distribution::YcsbScrambled;
use crate::requests::Workload;

/// The name and workload file of each.
pub const CORE_WORKLOADS: [(&str, &str); 6] = [
    ("ycsb-a", include_str!("../../ycsb/workloada")),
    ("ycsb-b", include_str!("../../ycsb/workloadb")),
    ("ycsb-c", include_str!("../../ycsb/workloadc")),
    ("ycsb-d", include_str!("../../ycsb/workloadd")),
    ("ycsb-e", include_str!("../../ycsb/workloade")),
    ("ycsb-f", include_str!("../../ycsb/workloadf")),
];

/// The core workload with this name: `ycsb-a` to `ycsb-f`.
pub fn core_workload(name: &str) -> Option<Workload> {
    let &(_, text) = CORE_WORKLOADS.iter().find(|&&(known, _)| known == name)?;
    let run = Properties::parse(text).and_then(|properties| interpret(&properties));
    let workload = run.unwrap_or_else(|error| panic!("{name}: {error}")).workload;
    let letter = name.trim_start_matches("ycsb-").to_uppercase();
    let source = format!("YCSB core workload {letter} (Cooper et al., SoCC 2010)");
    let keys = match workload.keys {
        KeyDistribution::YcsbScrambled => {
            KeyDistribution::Zipfian { theta: YcsbScrambled::THETA, scrambled: true }
        }
        keys => keys,
    };
    Some(Workload { name: name.to_owned(), source, keys, ..workload })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_upstreams() {
        let texts = CORE_WORKLOADS.map(|(name, _)| core_workload(name).unwrap().to_string());
        assert_eq!(
            texts,
            [
                "ycsb-a: get 50 %, update 50 %; keys zipfian:0.99; values 1000",
                "ycsb-b: get 95 %, update 5 %; keys zipfian:0.99; values 1000",
                "ycsb-c: get 100 %; keys zipfian:0.99; values 1000",
                "ycsb-d: get 95 %, insert 5 %; keys latest:0.99; values 1000",
                "ycsb-e: insert 5 %, scan 95 %; keys zipfian:0.99; values 1000",
                "ycsb-f: get 50 %, read-modify-write 50 %; keys zipfian:0.99; values 1000",
            ]
        );
        for (name, file) in CORE_WORKLOADS {
            let run = interpret(&Properties::parse(file).unwrap()).unwrap();
            let keys = if name == "ycsb-d" { "latest:0.99" } else { "ycsb-scrambled" };
            assert_eq!(run.workload.keys.to_string(), keys, "the file of {name}");
        }
        assert_eq!(core_workload("ycsb-e").unwrap().scan_entries, (1, 100));
    }
}
