//! Workloads read from files, and which ones are rejected.

use serde::de::value::{Error as ValueError, MapDeserializer, SeqDeserializer};
use serde::de::{IntoDeserializer, Visitor};

use super::*;

/// A value as deserialised from TOML or JSON.
#[derive(Clone, Copy)]
enum Given {
    Text(&'static str),
    Whole(i64),
    Flag(bool),
    Numbers(&'static [i64]),
    Shares(&'static [(&'static str, f64)]),
}

impl<'de> Deserializer<'de> for Given {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Self::Text(text) => visitor.visit_borrowed_str(text),
            Self::Whole(number) => visitor.visit_i64(number),
            Self::Flag(flag) => visitor.visit_bool(flag),
            Self::Numbers(numbers) => {
                visitor.visit_seq(SeqDeserializer::new(numbers.iter().copied()))
            }
            Self::Shares(shares) => visitor.visit_map(MapDeserializer::new(shares.iter().copied())),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        visitor.visit_some(self)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl<'de> IntoDeserializer<'de, ValueError> for Given {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

fn read(fields: &[(&'static str, Given)]) -> Result<Workload, String> {
    let map = MapDeserializer::new(fields.iter().copied());
    <Workload as Deserialize>::deserialize(map).map_err(|error: ValueError| error.to_string())
}

const SHORT: [(&str, Given); 4] = [
    ("name", Given::Text("mine")),
    ("mix", Given::Shares(&[("get", 90.0), ("delete", 10.0)])),
    ("keys", Given::Text("zipfian:1.2")),
    ("value-bytes", Given::Whole(100)),
];

#[test]
fn a_workload_can_be_given_in_a_file() {
    let mix = Mix { get: 90.0, delete: 10.0, ..Mix::default() };
    let short = Workload {
        name: "mine".to_owned(),
        mix,
        keys: KeyDistribution::Zipfian { theta: 1.2, scrambled: true },
        value_bytes: SizeDistribution::Constant(100),
        key_bytes: None,
        churn_value_bytes: None,
        together: 4,
        lifetime_ms: None,
        scan_entries: (1, 100),
        churn: false,
        modelled_key_bytes: 8,
        source: String::new(),
    };
    assert_eq!(read(&SHORT), Ok(short.clone()));
    let rest = [
        ("churn", Given::Flag(true)),
        ("key-bytes", Given::Text("8..64")),
        ("churn-value-bytes", Given::Text("histogram:100=9,1KiB=1")),
        ("together", Given::Whole(8)),
        ("scan-entries", Given::Numbers(&[3, 9])),
        ("source", Given::Text("a guess")),
    ];
    let long = Workload {
        churn: true,
        key_bytes: Some(SizeDistribution::Uniform { from: 8, to: 64 }),
        churn_value_bytes: Some("histogram:100=9,1KiB=1".parse().unwrap()),
        together: 8,
        scan_entries: (3, 9),
        source: "a guess".to_owned(),
        ..short.clone()
    };
    assert_eq!(read(&[&SHORT[..], &rest[..]].concat()), Ok(long));
    let modelled = [&SHORT[..], &[("modelled-key-bytes", Given::Whole(20))][..]].concat();
    assert_eq!(read(&modelled), Ok(Workload { modelled_key_bytes: 20, ..short }));
}

#[test]
fn a_file_is_refused_as_a_whole() {
    let refusal = |name, given| read(&[&SHORT[..], &[(name, given)][..]].concat()).unwrap_err();
    assert_eq!(
        refusal("chrn", Given::Flag(true)),
        "unknown field `chrn`, expected one of `name`, `mix`, `keys`, `value-bytes`, \
         `key-bytes`, `churn-value-bytes`, `together`, `lifetime-ms`, `scan-entries`, `churn`, \
         `modelled-key-bytes`, `source`"
    );
    assert_eq!(
        refusal("scan-entries", Given::Numbers(&[9, 3])),
        "scan-entries = [9, 3]: the smaller number comes first, from 1 to 16777215, as in [1, 100]"
    );
    assert_eq!(read(&SHORT[..3]), Err("missing field `value-bytes`".to_owned()));
}

#[test]
fn refusals_name_value_and_remedy() {
    let workload = || Workload::by_name("churn").unwrap();
    let message = |workload: Workload| workload.validate().unwrap_err().to_string();
    assert_eq!(
        message(Workload { name: "a b".to_owned(), ..workload() }),
        "name = \"a b\": use letters, digits, '-' and '_', at least one"
    );
    assert_eq!(
        message(Workload { value_bytes: SizeDistribution::Constant(1 << 24), ..workload() }),
        "values of 16777216 B: a request holds at most 16777215 B; use smaller values"
    );
    assert_eq!(
        message(Workload { modelled_key_bytes: 7, ..workload() }),
        "modelled-key-bytes = 7: keys here have 8; use 8 or more"
    );
    let long = Some("8..5000".parse().unwrap());
    assert_eq!(
        message(Workload { key_bytes: long, ..workload() }),
        "key-bytes of 5000: keys have at most 4096 bytes; use such lengths, or leave key-bytes out for \
         words"
    );
    let short = Some("0..7".parse().unwrap());
    assert_eq!(Workload { key_bytes: short, ..workload() }.validate(), Ok(()));
    let key_bytes = Some(SizeDistribution::Constant(16));
    assert_eq!(
        message(Workload { key_bytes, modelled_key_bytes: 20, ..workload() }),
        "key-bytes with modelled-key-bytes = 20: values would make up for bytes that keys have; drop \
         one of the two"
    );
    assert_eq!(
        message(Workload {
            churn: false,
            churn_value_bytes: Some(SizeDistribution::Constant(100)),
            ..workload()
        }),
        "churn-value-bytes = \"100\" without churn: add churn = true, or leave it out"
    );
    assert_eq!(
        message(Workload { mix: Mix::gets(95.0).unwrap(), ..workload() }),
        "churn in a mix of get 95 %, update 5 %: give insert and delete a share, or leave churn out"
    );
    assert_eq!(
        message(Workload { value_bytes: SizeDistribution::Constant(0), ..workload() }),
        "churn of values of 0 B: live bytes never reach the cap; use 1 or more"
    );
    assert_eq!(
        message(Workload { keys: KeyDistribution::Latest { theta: -1.0 }, ..workload() }),
        "theta \"-1\": must be a number above 0; for 0 write \"uniform\""
    );
    let reversed = SizeDistribution::Uniform { from: 2, to: 1 };
    assert_eq!(
        message(Workload { value_bytes: reversed, ..workload() }),
        "sizes \"2-1\": the smaller comes first; write \"1-2\""
    );
    for scan_entries in [(0, 5), (1, 1 << 24)] {
        assert!(Workload { scan_entries, ..workload() }.validate().is_err());
    }
}

#[test]
fn groups_are_of_words_of_stamped_values_and_written_by_nothing_else() {
    let groups = || Workload::by_name("groups").unwrap();
    let message = |workload: Workload| workload.validate().unwrap_err().to_string();
    for (together, nearest) in [(0, 2), (1, 2), (33, 32)] {
        assert_eq!(
            message(Workload { together, ..groups() }),
            format!("together = {together}: a group has 2 to 32 records; the nearest is {nearest}")
        );
    }
    assert_eq!(
        message(Workload { key_bytes: Some(SizeDistribution::Constant(16)), ..groups() }),
        "key-bytes = 16 with groups or snapshots: stores write and read them by words; leave key-bytes \
         out"
    );
    assert_eq!(
        message(Workload { value_bytes: SizeDistribution::Constant(23), ..groups() }),
        "write-together with values of 23 B: values below 24 B carry no stamp, so nobody could see a \
         group in parts; use 24 B or more"
    );
    let written = Mix { write_together: 50.0, get: 40.0, ..Mix::default() };
    let read = Mix { snapshot_read: 40.0, snapshot_scan: 50.0, ..Mix::default() };
    let refused = [
        Mix { update: 10.0, ..written },
        Mix { read_modify_write: 10.0, ..written },
        Mix { insert: 10.0, ..written },
        Mix { delete: 10.0, ..read },
        Mix { insert: 10.0, ..read },
    ];
    for mix in refused {
        let text = message(Workload { mix, ..groups() });
        assert!(text.starts_with(&format!("a mix of {mix}: groups keep their records")), "{text}");
    }
    for mix in [Mix { scan: 10.0, ..written }, Mix { update: 10.0, ..read }] {
        assert_eq!(Workload { mix, ..groups() }.validate(), Ok(()), "{mix}");
    }
}

#[test]
fn lifetimes_are_those_of_values_that_have_one_and_are_written_by_nothing_else() {
    let expiring = || Workload::by_name("expiring").unwrap();
    assert!(expiring().expires() && !expiring().only_gets_and_updates());
    let message = |workload: Workload| workload.validate().unwrap_err().to_string();
    assert_eq!(
        message(Workload { lifetime_ms: None, ..expiring() }),
        "write-expiring without lifetime-ms: say how long its values live, as in lifetime-ms = 1000"
    );
    assert_eq!(
        message(Workload { mix: Mix::gets(50.0).unwrap(), ..expiring() }),
        "lifetime-ms = 1000 without write-expiring: no value has a lifetime; give the mix a share of \
         write-expiring, or leave it out"
    );
    for (lifetime_ms, nearest) in [(0_u64, 1_u64), (2_592_000_001, 2_592_000_000)] {
        assert_eq!(
            message(Workload { lifetime_ms: Some(lifetime_ms), ..expiring() }),
            format!(
                "lifetime-ms = {lifetime_ms}: must be 1 to 2592000000, which is 30 days; the nearest is \
                 {nearest}"
            )
        );
    }
    let written = Mix { write_expiring: 90.0, ..Mix::default() };
    for mix in [
        Mix { update: 10.0, ..written },
        Mix { insert: 10.0, ..written },
        Mix { delete: 10.0, ..written },
        Mix { read_modify_write: 10.0, ..written },
        Mix { scan: 10.0, ..written },
        Mix { snapshot_scan: 10.0, ..written },
    ] {
        assert_eq!(
            message(Workload { mix, ..expiring() }),
            format!(
                "a mix of {mix}: it could not be told which value has ended; beside write-expiring use get \
                 alone"
            )
        );
    }
}

#[test]
fn a_workload_tells_what_it_needs() {
    let needs = |name: &str| {
        let workload = Workload::by_name(name).unwrap();
        (workload.inserts(), workload.deletes(), workload.scans())
    };
    assert_eq!(needs("ycsb-a"), (false, false, false));
    assert_eq!(needs("ycsb-d"), (true, false, false));
    assert_eq!(needs("ycsb-e"), (true, false, true));
    assert_eq!(needs("churn"), (true, true, false));
    assert_eq!(needs("groups"), (false, false, false));
    let groups = Workload::by_name("groups").unwrap();
    assert!(groups.writes_together() && groups.reads_at_one_moment());
    assert!(!groups.only_gets_and_updates());
    let mix = Mix { snapshot_scan: 100.0, ..Mix::default() };
    let scans = Workload { mix, ..groups };
    assert!(scans.scans() && scans.reads_at_one_moment() && !scans.writes_together());
    let resize = Workload::by_name("churn-resize").unwrap();
    assert_eq!((resize.mean_value_bytes(), resize.value_bytes_max()), (500.0, 650));
}
