//! The supported formats, by name.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

use super::batch::Parser;
use super::cloud_physics::CloudPhysics;
use super::meta_kv::{MetaKv202206, MetaKv202401};
use super::msr::Msr;
use super::oracle_general::{OracleGeneral, RECORD_BYTES};
use super::redis::RedisMonitor;
use super::source::Unit;
use super::twitter::Twitter;
use crate::near::near;

/// A comma-separated line. Its longest fields are memcached keys, which have at most 250 bytes.
const ROW_BYTES_MAX: usize = 64 << 10;
/// A line of Redis contains the stored values, with up to four characters per byte.
const COMMAND_BYTES_MAX: usize = 80 << 20;

/// A public trace format; see the [module](super).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Twitter's cache traces: text.
    Twitter,
    /// Meta's key-value traces of June 2022: text, without times.
    MetaKv202206,
    /// Meta's key-value traces of January 2024: text.
    MetaKv202401,
    /// libCacheSim's oracleGeneral: binary.
    OracleGeneral,
    /// CloudPhysics' block traces in libCacheSim's text form.
    CloudPhysics,
    /// MSR Cambridge's block traces: text.
    Msr,
    /// Output of Redis' MONITOR.
    RedisMonitor,
}

impl Format {
    /// All formats, in the order of the documentation.
    pub const ALL: [Self; 7] = [
        Self::Twitter,
        Self::MetaKv202206,
        Self::MetaKv202401,
        Self::OracleGeneral,
        Self::CloudPhysics,
        Self::Msr,
        Self::RedisMonitor,
    ];

    /// The name on command lines and in files; [`str::parse`] reads it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Twitter => "twitter",
            Self::MetaKv202206 => "meta-kv-202206",
            Self::MetaKv202401 => "meta-kv-202401",
            Self::OracleGeneral => "oracle-general",
            Self::CloudPhysics => "cloudphysics",
            Self::Msr => "msr",
            Self::RedisMonitor => "redis-monitor",
        }
    }

    /// Whether keys are texts, which a trace may keep beside their hashes.
    #[must_use]
    pub const fn has_texts(self) -> bool {
        match self {
            Self::Twitter | Self::MetaKv202206 | Self::MetaKv202401 | Self::RedisMonitor => true,
            Self::OracleGeneral | Self::CloudPhysics | Self::Msr => false,
        }
    }

    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(Self::name)
    }

    pub(super) fn parser(self) -> Box<dyn Parser> {
        match self {
            Self::Twitter => Box::new(Twitter),
            Self::MetaKv202206 => Box::new(MetaKv202206::new()),
            Self::MetaKv202401 => Box::new(MetaKv202401::new()),
            Self::OracleGeneral => Box::new(OracleGeneral),
            Self::CloudPhysics => Box::new(CloudPhysics::new()),
            Self::Msr => Box::new(Msr::default()),
            Self::RedisMonitor => Box::new(RedisMonitor::default()),
        }
    }

    pub(super) const fn unit(self) -> Unit {
        match self {
            Self::OracleGeneral => Unit::Record { bytes: RECORD_BYTES },
            Self::RedisMonitor => Unit::Line { bytes_max: COMMAND_BYTES_MAX },
            Self::Twitter
            | Self::MetaKv202206
            | Self::MetaKv202401
            | Self::CloudPhysics
            | Self::Msr => Unit::Line { bytes_max: ROW_BYTES_MAX },
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that is not the name of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat {
    text: String,
}

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { text } = self;
        let names: Vec<&str> = Format::names().collect();
        write!(f, "trace format \"{text}\": write one of {}", names.join(", "))?;
        match near(text, names) {
            Some(near) => write!(f, "; did you mean \"{near}\"?"),
            None => Ok(()),
        }
    }
}

impl Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known = Self::ALL.into_iter().find(|format| format.name() == text);
        known.ok_or_else(|| UnknownFormat { text: text.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_near_ones_suggested() {
        for format in Format::ALL {
            assert_eq!(format.name().parse(), Ok(format));
            assert_eq!(format.to_string(), format.name());
        }
        let refusal = |text: &str| text.parse::<Format>().unwrap_err().to_string();
        assert_eq!(
            refusal("oracleGeneral"),
            "trace format \"oracleGeneral\": write one of twitter, meta-kv-202206, \
             meta-kv-202401, oracle-general, cloudphysics, msr, redis-monitor; did you mean \
             \"oracle-general\"?"
        );
        assert!(refusal("pcap").ends_with("redis-monitor"));
    }
}
