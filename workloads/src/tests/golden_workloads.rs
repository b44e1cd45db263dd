//! Expected requests for seed 42. A difference here means that recorded runs can no longer be compared
//! with new ones: revert the change, or declare a new epoch of results.

use workloads::fragmentation::{Action, Limit, Pattern, PhaseScript, all};
use workloads::requests::{Request, RequestStream, Workload};
use workloads::value::ValueWriter;
use workloads::{Seed, key_of};

const SEED: Seed = Seed(42);

/// FNV-1a over 64-bit words.
fn digest(words: impl IntoIterator<Item = u64>) -> u64 {
    words.into_iter().flat_map(u64::to_le_bytes).fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

/// The first `count` actions of each phase, at a cap of a hundred of the largest objects.
fn actions(pattern: &Pattern, count: usize) -> Vec<Action> {
    let cap = 100 * pattern.object_bytes_max() as u64;
    let mut script = PhaseScript::new(pattern, Limit::LiveBytes(cap), SEED).unwrap();
    let mut live = Vec::new();
    let mut actions = Vec::new();
    while script.step().is_some() {
        let mut of_phase = Vec::new();
        while of_phase.last() != Some(&Action::EndOfPhase) {
            let action = script.next_action();
            match action {
                Action::Allocate { bytes } => live.push(bytes),
                Action::Delete { victim } => script.deleted(live.swap_remove(victim)),
                Action::EndOfPhase => {}
            }
            of_phase.push(action);
        }
        actions.extend(of_phase.into_iter().take(count));
    }
    actions
}

fn action_word(action: &Action) -> u64 {
    match *action {
        Action::Allocate { bytes } => 1 << 62 | bytes as u64,
        Action::Delete { victim } => 2 << 62 | victim as u64,
        Action::EndOfPhase => 0,
    }
}

/// `+100 -7 .` for an allocation of 100 bytes, victim 7, and the end of a phase.
fn action_text(action: &Action) -> String {
    match *action {
        Action::Allocate { bytes } => format!("+{bytes}"),
        Action::Delete { victim } => format!("-{victim}"),
        Action::EndOfPhase => ".".to_owned(),
    }
}

#[test]
fn fragmentation_patterns() {
    let cyclic = Pattern {
        name: "W7-twice".to_owned(),
        delete_fraction: 1.0,
        cycles: Some(2),
        ..Pattern::by_name("W7").unwrap()
    };
    let found: Vec<String> = all()
        .iter()
        .chain([&cyclic])
        .map(|pattern| {
            let digest = digest(actions(pattern, usize::MAX).iter().map(action_word));
            let first: Vec<String> = actions(pattern, 8).iter().map(action_text).collect();
            format!("{} {digest:016x} {}", pattern.name, first.join(" "))
        })
        .collect();
    assert_eq!(found.join("\n"), PATTERNS.trim());
}

/// Name, digest of all actions, and the first 8 of each phase.
const PATTERNS: &str = "
P1 61a3575b3b284d56 +60 +60 +60 +60 +60 +60 +60 +60 -29 -54 -11 -50 -7 -72 -88 -66 +70 +70 +70 +70 +70 +70 +70 +70
P2 01dcd698017244ef +1000 +1000 +1000 +1000 +1000 +1000 +1000 +1000 -25 -47 -9 -43 -6 -63 -77 -58 +1024 +1024 +1024 +1024 +1024 +1024 +1024 +1024
P3 6f6a833b5b4dc454 +1000 +1000 +1000 +1000 +1000 +1000 +1000 +1000 -26 -48 -9 -44 -6 -63 -77 -58 +1030 +1030 +1030 +1030 +1030 +1030 +1030 +1030
P4 54296f967e462147 +1024 +1024 +1024 +1024 +1024 +1024 +1024 +1024 -253 -470 -96 -442 -69 -646 -797 -608 +10240 +10240 +10240 +10240 +10240 +10240 +10240 +10240
P5 601997e03f5c8067 +10240 +10240 +10240 +10240 +10240 +10240 +10240 +10240 -253 -470 -96 -442 -69 -646 -797 -608 +102400 +102400 +102400 +102400 +102400 +102400 +102400 +102400
P6 e883bfce728ab6bc +512000 +512000 +512000 +512000 +512000 +512000 +512000 +512000 -30 -56 -11 -51 -8 -74 -91 -69 +614400 +614400 +614400 +614400 +614400 +614400 +614400 +614400
W1 e5754ed979d01f75 +100 +100 +100 +100 +100 +100 +100 +100
W2 7d1956ea3e358ba1 +100 +100 +100 +100 +100 +100 +100 +100 . -36 -89 +130 -65 +130 -44 +130 -34
W3 e442ebf488e9d5b3 +100 +100 +100 +100 +100 +100 +100 +100 -32 -60 -12 -56 -8 -81 -99 -75 +130 +130 +130 +130 +130 +130 +130 +130
W4 1df1cf52beee700f +115 +128 +138 +149 +134 +148 +129 +101 . -139 +214 -68 -52 +225 -18 -112 +245
W5 a639b15b20b979b2 +115 +128 +138 +149 +134 +148 +129 +101 -50 -94 -19 -87 -13 -127 -156 -118 +214 +235 +225 +217 +213 +245 +204 +228
W6 94012587916a1a26 +130 +156 +176 +197 +169 +196 +157 +102 -337 -627 -128 -590 -93 -861 -1063 -811 +1284 +1692 +1510 +1342 +1264 +1893 +1091 +1566
W7 08e973c82d02d422 +1301 +1559 +1757 +1963 +1684 +1955 +1573 +1027 -42 -78 -15 -72 -11 -105 -129 -97 +1784 +2192 +2010 +1842 +1764 +2393 +1591 +2066
W8 15d20071a02b6567 +80 +106 +126 +147 +119 +146 +107 +52 -3790 -7051 -1449 -6646 -1048 -9720 -12002 -9162 +7840 +11917 +10097 +8419 +7642 +13927 +5915 +10660
W7-twice 24c3251bba4e7506 +1517 +1663 +1233 +1778 +1651 +1004 +1325 +1235 -23 -91 -66 -15 -126 -124 -135 -90 +1735 +2298 +1790 +1942 +1895 +1700 +2385 +1504 -79 -47 -109 -113 -66 -42 -31 -68
";

/// One of every family; together they contain all kinds of requests and all key distributions.
const REQUESTED: [&str; 14] = [
    "get-50",
    "insert-only",
    "churn",
    "churn-resize",
    "ycsb-a",
    "ycsb-b",
    "ycsb-c",
    "ycsb-d",
    "ycsb-e",
    "ycsb-f",
    "twitter-cluster1",
    "twitter-cluster12",
    "twitter-cluster14",
    "twitter-cluster23",
];

fn request_word(request: &Request) -> u64 {
    (request.kind() as u64) << 61 | (request.size() as u64) << 37 | request.record()
}

/// A name, the digest of the first 64 requests, and 4 of them as text.
fn request_line(workload: &Workload) -> String {
    let mut stream = RequestStream::new(workload, 100_000, 1, 4, SEED);
    let mut words = [Request::default(); 64];
    stream.fill(&mut words);
    let digest = digest(words.iter().map(request_word));
    let first: Vec<String> = words[..4].iter().map(|word| format!("{word:?}")).collect();
    format!("{} {digest:016x} {}", workload.name, first.join(", "))
}

#[test]
fn requests() {
    let found: Vec<String> =
        REQUESTED.map(|name| request_line(&Workload::by_name(name).unwrap())).into();
    assert_eq!(found.join("\n"), REQUESTS.trim());
}

/// Workload, digest of 64 requests of thread 1 of 4 over 100 000 records, the first 4.
const REQUESTS: &str = "
get-50 3841495ee8d5c212 Get 18863, Get 89716, Get 15572, Get 76705
insert-only 757b899a64952c85 Insert 100001 (1024), Insert 100005 (1024), Insert 100009 (1024), Insert 100013 (1024)
churn dae65e62785d6564 Delete 50721, Insert 100001 (1024), Delete 28061, Insert 100005 (1024)
churn-resize 844aa691a0205063 Delete 50721, Delete 28061, Insert 100001 (650), Delete 53733
ycsb-a 1d765ef34901b224 Get 24012, Get 6180, Get 80256, Get 48154
ycsb-b 2d46077a3bce14e3 Get 24012, Get 6180, Get 80256, Get 48154
ycsb-c 9ee019965e165fef Get 24012, Get 6180, Get 80256, Get 48154
ycsb-d d17fb67ed4d89559 Get 99995, Get 69952, Get 99996, Get 93573
ycsb-e 9b22df627daaabf4 Scan 24012 (22), Scan 6180 (16), Scan 80256 (83), Scan 48154 (72)
ycsb-f 2e7e99b959d3b204 Get 24012, Get 6180, Get 80256, Get 48154
twitter-cluster1 b17e60c008094ed2 Get 69456, Get 170, Get 69456, Get 170
twitter-cluster12 8c9b7bb2d1f424e9 Get 88459, Get 62630, Update 47904 (1066), Update 64004 (1066)
twitter-cluster14 95f08c810e736591 Get 96089, Get 50097, Get 39157, Get 50097
twitter-cluster23 818e8ed7dfca885f Get 19985, Get 20489, Update 86493 (251), Get 48665
";

#[test]
fn requests_of_every_distribution() {
    let base = Workload::by_name("get-50").unwrap();
    let keys = KEYS.map(|text| Workload {
        name: text.replace([':', '.'], "_"),
        keys: text.parse().unwrap(),
        ..base.clone()
    });
    let sizes = SIZES.map(|text| Workload {
        name: text.replace([':', '.', '=', ','], "_"),
        value_bytes: text.parse().unwrap(),
        ..base.clone()
    });
    let found: Vec<String> = keys.iter().chain(&sizes).map(request_line).collect();
    assert_eq!(found.join("\n"), DISTRIBUTIONS.trim());
}

const KEYS: [&str; 8] = [
    "uniform",
    "zipfian:0.99",
    "zipfian:1",
    "zipfian-unscrambled:1.5",
    "ycsb-scrambled",
    "latest:0.99",
    "hotspot:0.2:0.8",
    "sequential",
];
const SIZES: [&str; 4] =
    ["100-1000", "zipfian:100-1000:0.99", "zipfian:100-1000:1.5", "histogram:100=9,1000=1"];

/// The same for `get-50` with other key distributions, then with other sizes.
const DISTRIBUTIONS: &str = "
uniform 3841495ee8d5c212 Get 18863, Get 89716, Get 15572, Get 76705
zipfian_0_99 f686b1ebf7b7114f Get 24012, Get 6180, Get 80256, Get 48154
zipfian_1 b6f13564cd5736c0 Get 16683, Get 69456, Get 50784, Get 22472
zipfian-unscrambled_1_5 3a2e352e2d426612 Get 15, Get 0, Get 22, Get 0
ycsb-scrambled 0b6d7a81808ff531 Get 31931, Get 84447, Get 7425, Get 83818
latest_0_99 8f1b20d86d823181 Get 99995, Get 69952, Get 99996, Get 93573
hotspot_0_2_0_8 18acadf35d9d3d16 Get 17943, Get 15341, Get 63607, Get 3390
sequential 4a1523e577f24845 Get 25000, Get 25001, Get 25002, Get 25003
100-1000 09631dbb1e54410f Get 18863, Get 89716, Get 15572, Get 76705
zipfian_100-1000_0_99 3a8e741e57e2095f Get 18863, Get 89716, Get 15572, Get 76705
zipfian_100-1000_1_5 4256b8ee4e7175f0 Get 18863, Get 89716, Get 15572, Get 76705
histogram_100_9_1000_1 248d53ea2426e32d Get 18863, Get 89716, Get 15572, Get 76705
";

#[test]
fn loaded_sizes() {
    let workload = Workload {
        value_bytes: "100-1000".parse().unwrap(),
        ..Workload::by_name("churn").unwrap()
    };
    let sizes = [0, 1, 2, 1_000_000].map(|record| workload.loaded_value_bytes(SEED, record));
    assert_eq!(sizes, [542, 831, 480, 891]);
}

#[test]
fn values() {
    let mut writer = ValueWriter::new(7, 1000);
    let hex = |value: &[u8]| value.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let found: Vec<String> =
        [4, 23, 32, 32].map(|bytes| hex(writer.value(key_of(1), bytes))).into();
    assert_eq!(found.join("\n"), VALUES.trim());
    let long = writer.value(key_of(1), 1000);
    assert_eq!(digest(long.iter().map(|&byte| byte.into())), 0x5922_B9D8_D5B3_0FA3);
}

/// The first four values of writer 7, for the key of record 1: 4, 23, 32 and 32 bytes.
const VALUES: &str = "
1bde1899
6025764dad4010491f13d3988a3b75528424b56075d88d
c15c0289ec2d0a910200000000000700b200559a69759bcf49fb6d5b87318882
c15c0289ec2d0a9103000000000007005f6e71c15d577d2f68b513e66fd7c27b
";

#[test]
fn seeds_and_draws() {
    assert_eq!(SEED.stream("operations"), Seed(0x01E1_68AF_739A_75C1));
    assert_eq!(SEED.nth(3), Seed(0x80CF_9032_C250_DDA4));
    assert_eq!(SEED.rng().next_u64(), 0x1578_0B2E_0C2E_C716);
}
