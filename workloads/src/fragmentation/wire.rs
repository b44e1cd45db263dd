//! The file format of patterns: strict when read, plain values afterwards.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::pattern::percent;
use super::{Pattern, PatternError, Volume};
use crate::SizeDistribution;

/// A fragmentation pattern.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[schemars(rename = "Pattern")]
struct WirePattern {
    /// A short name: letters, digits, `-` and `_`.
    name: String,
    /// The sizes as shown to readers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Sizes of the first filling, in bytes.
    first: SizeDistribution,
    /// Sizes of the second filling, in bytes; absent where the experiment ends after the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    second: Option<SizeDistribution>,
    /// Share of the live objects, by count, that is deleted between the fillings.
    delete_percent: f64,
    /// How much each filling allocates.
    volume: Volume,
    /// Fillings, each followed by deletes; absent where the pattern is fill, delete, fill.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycles: Option<u32>,
    /// Where the pattern comes from, and how certain that is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    source: String,
}

impl TryFrom<WirePattern> for Pattern {
    type Error = PatternError;

    fn try_from(wire: WirePattern) -> Result<Self, Self::Error> {
        let label = || Self::label_of(&wire.first, wire.second.as_ref());
        let pattern = Self {
            name: wire.name,
            label: wire.label.unwrap_or_else(label),
            first: wire.first,
            second: wire.second,
            delete_fraction: wire.delete_percent / 100.0,
            volume: wire.volume,
            cycles: wire.cycles,
            source: wire.source,
        };
        pattern.validate()?;
        Ok(pattern)
    }
}

impl<'de> Deserialize<'de> for Pattern {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        WirePattern::deserialize(deserializer)?.try_into().map_err(de::Error::custom)
    }
}

impl Serialize for Pattern {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { name, label, first, second, delete_fraction, volume, cycles, source } =
            self.clone();
        let delete_percent = percent(delete_fraction);
        let label = Some(label);
        WirePattern { name, label, first, second, delete_percent, volume, cycles, source }
            .serialize(serializer)
    }
}

impl JsonSchema for Pattern {
    fn schema_name() -> Cow<'static, str> {
        WirePattern::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        WirePattern::json_schema(generator)
    }
}

impl JsonSchema for Volume {
    fn schema_name() -> Cow<'static, str> {
        "Volume".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Up to the cap on live bytes, or a multiple of it.",
            "anyOf": [{ "const": "fill" }, { "type": "number" }],
        })
    }
}

impl Serialize for Volume {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Fill => serializer.serialize_str("fill"),
            Self::Multiple(multiple) => serializer.serialize_f64(multiple),
        }
    }
}

impl<'de> Deserialize<'de> for Volume {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct VolumeVisitor;

        impl Visitor<'_> for VolumeVisitor {
            type Value = Volume;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "\"fill\", or a multiple of the cap such as 5.0")
            }

            fn visit_f64<E: de::Error>(self, multiple: f64) -> Result<Volume, E> {
                Ok(Volume::Multiple(multiple))
            }

            fn visit_i64<E: de::Error>(self, multiple: i64) -> Result<Volume, E> {
                Ok(Volume::Multiple(multiple as f64))
            }

            fn visit_u64<E: de::Error>(self, multiple: u64) -> Result<Volume, E> {
                Ok(Volume::Multiple(multiple as f64))
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Volume, E> {
                match text {
                    "fill" => Ok(Volume::Fill),
                    _ => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }
            }
        }

        deserializer.deserialize_any(VolumeVisitor)
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IntoDeserializer;
    use serde::de::value::{Error as ValueError, MapDeserializer};

    use super::*;

    /// A value as deserialised from TOML or JSON.
    #[derive(Clone, Copy)]
    enum Given {
        Text(&'static str),
        Whole(i64),
        Fraction(f64),
    }

    impl<'de> Deserializer<'de> for Given {
        type Error = ValueError;

        fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
            match self {
                Self::Text(text) => visitor.visit_borrowed_str(text),
                Self::Whole(number) => visitor.visit_i64(number),
                Self::Fraction(number) => visitor.visit_f64(number),
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

    const PLAIN: [(&str, Given); 5] = [
        ("name", Given::Text("mine")),
        ("first", Given::Text("48")),
        ("second", Given::Whole(64)),
        ("delete-percent", Given::Whole(90)),
        ("volume", Given::Text("fill")),
    ];

    fn read(fields: &[(&'static str, Given)]) -> Result<Pattern, String> {
        let map = MapDeserializer::new(fields.iter().copied());
        Pattern::deserialize(map).map_err(|error: ValueError| error.to_string())
    }

    fn with(name: &'static str, given: Given) -> Vec<(&'static str, Given)> {
        let others = PLAIN.into_iter().filter(|&(field, _)| field != name);
        others.chain([(name, given)]).collect()
    }

    #[test]
    fn a_pattern_can_be_given_in_a_file() {
        let pattern = Pattern {
            name: "mine".into(),
            label: "48 → 64 B".into(),
            first: SizeDistribution::Constant(48),
            second: Some(SizeDistribution::Constant(64)),
            delete_fraction: 0.9,
            volume: Volume::Fill,
            cycles: None,
            source: String::new(),
        };
        assert_eq!(read(&PLAIN), Ok(pattern.clone()));
        for given in [Given::Fraction(5.0), Given::Whole(5)] {
            let multiple = Pattern { volume: Volume::Multiple(5.0), ..pattern.clone() };
            assert_eq!(read(&with("volume", given)), Ok(multiple));
        }
        let cyclic = Pattern { cycles: Some(10), ..pattern.clone() };
        assert_eq!(read(&with("cycles", Given::Whole(10))), Ok(cyclic));
        let without_second: Vec<_> =
            PLAIN.into_iter().filter(|&(field, _)| field != "second").collect();
        let single = Pattern { second: None, label: "48 B".into(), ..pattern };
        assert_eq!(read(&without_second), Ok(single));
    }

    #[test]
    fn refusals_name_value_and_remedy() {
        let refusal = |name, given| read(&with(name, given)).unwrap_err();
        assert_eq!(
            refusal("deletes", Given::Whole(90)),
            "unknown field `deletes`, expected one of `name`, `label`, `first`, `second`, \
             `delete-percent`, `volume`, `cycles`, `source`"
        );
        assert_eq!(
            refusal("volume", Given::Text("full")),
            "invalid value: string \"full\", expected \"fill\", or a multiple of the cap such as 5.0"
        );
        assert_eq!(
            refusal("delete-percent", Given::Whole(101)),
            "delete-percent = 101: must be from 0 to 100"
        );
        for (given, wanted) in [
            (Given::Whole(1), "cycles = 1: must be from 2 to 1000"),
            (Given::Whole(-2), "invalid value: integer `-2`, expected u32"),
            (Given::Text("ten"), "invalid type: string \"ten\", expected u32"),
        ] {
            let refusal = refusal("cycles", given);
            assert!(refusal.starts_with(wanted), "{refusal}");
        }
        assert_eq!(
            refusal("second", Given::Text("70-60")),
            "sizes \"70-60\": the smaller comes first; write \"60-70\""
        );
        assert_eq!(read(&PLAIN[..3]), Err("missing field `delete-percent`".into()));
    }

    #[test]
    fn percentages_survive_the_way_through_a_fraction() {
        for tenth in 0..=1000 {
            let given = f64::from(tenth) / 10.0;
            assert_eq!(percent(given / 100.0), given);
        }
    }
}
