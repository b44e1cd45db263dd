//! What seed 42 asks for, written down. A difference here means that recorded runs can no longer be
//! compared with new ones: change the code back, or declare a new epoch of results.

use workloads::closed_loop::{Mix, OpWord, fill_operations};
use workloads::fragmentation::{Action, Limit, Pattern, PhaseScript, all};
use workloads::value::ValueWriter;
use workloads::{KeySampler, Seed, key_of};

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
    while script.phase().is_some() {
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
    let found: Vec<String> = all()
        .iter()
        .map(|pattern| {
            let digest = digest(actions(pattern, usize::MAX).iter().map(action_word));
            let first: Vec<String> = actions(pattern, 8).iter().map(action_text).collect();
            format!("{} {digest:016x} {}", pattern.name, first.join(" "))
        })
        .collect();
    assert_eq!(found.join("\n"), PATTERNS.trim());
}

/// Name, digest of all actions, the first 8 of each phase.
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
";

#[test]
fn operations() {
    let found: Vec<String> = ["uniform", "zipfian:0.99", "zipfian-unscrambled:0.99"]
        .into_iter()
        .map(|distribution| {
            let thread = SEED.stream("operations").nth(0);
            let keys = distribution.parse().unwrap();
            let mut sampler = KeySampler::new(keys, 1_000_000, thread.stream("keys").rng());
            let mut words = [OpWord::default(); 64];
            let mix = Mix::new(50.0).unwrap();
            fill_operations(&mut words, mix, &mut sampler, &mut thread.stream("kinds").rng());
            let digest = digest(words.map(|word| word.record() << 1 | word.kind() as u64));
            let first: Vec<String> = words[..4].iter().map(|word| format!("{word:?}")).collect();
            format!("{distribution} {digest:016x} {}", first.join(", "))
        })
        .collect();
    assert_eq!(found.join("\n"), OPERATIONS.trim());
}

/// Distribution, digest of 64 operations of thread 0, the first 4.
const OPERATIONS: &str = "
uniform 79c08dc1e9cb3e9f Put 736611, Get 225444, Put 175724, Get 119493
zipfian:0.99 0fe3b714a2a08231 Put 122305, Get 919337, Put 601886, Get 856315
zipfian-unscrambled:0.99 64df14e27884ec75 Put 25841, Get 14, Put 6, Get 2
";

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
