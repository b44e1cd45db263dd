//! Primitive costs of machines, read from a file in which every number names its source.

use std::error::Error;
use std::fmt;

use serde::Deserialize;

/// Machines for which predictions can be made.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Primitives {
    /// In the order of the file.
    #[serde(rename = "machine", default)]
    pub machines: Vec<Machine>,
}

/// A number and where it comes from.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// The number, in the unit that its key ends with.
    pub value: f64,
    /// A publication, or `assumed` with the reason.
    pub source: String,
}

/// Primitive costs of a machine.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Machine {
    /// Its name in the file.
    pub name: String,
    /// Description in words.
    pub title: String,
    pub sockets: Given,
    pub cores_per_socket: Given,
    /// Number of near sockets; all others are far.
    pub near_sockets: Given,
    /// A cache line from another core of the same socket, ns.
    pub line_within_ns: Given,
    /// A cache line from a core of a near socket, ns.
    pub line_near_ns: Given,
    /// A cache line from a core of a far socket, ns.
    pub line_far_ns: Given,
    /// A contended read-modify-write of a line, without the line's transfer, ns.
    pub contended_rmw_ns: Given,
    /// A line from local memory, ns.
    pub dram_ns: Given,
    /// Latency of a near socket's memory ÷ that of local memory.
    pub dram_near_ratio: Given,
    /// Latency of a far socket's memory ÷ that of local memory.
    pub dram_far_ratio: Given,
    /// Bandwidth of a socket's memory, bytes/s.
    pub dram_bytes_per_s: Given,
    /// Bandwidth of a socket's links to all others, bytes/s in one direction.
    pub link_bytes_per_s: Given,
}

/// Why a file of primitives is rejected.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PrimitivesError {
    /// The text is not TOML, or a key is unknown or missing.
    Syntax(String),
    /// The file has no machine.
    NoMachine,
    /// Two machines have this name.
    Twice(String),
    /// A number that no machine can have.
    Impossible {
        machine: String,
        key: &'static str,
        value: f64,
        /// Allowed values.
        allowed: String,
    },
    /// A number without a source.
    Unsourced { machine: String, key: &'static str },
}

impl fmt::Display for PrimitivesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(reason) => f.write_str(reason),
            Self::NoMachine => {
                f.write_str("no machine: give at least one [[machine]] with its primitive costs")
            }
            Self::Twice(name) => write!(f, "machine {name} is there twice: rename one of them"),
            Self::Impossible { machine, key, value, allowed } => {
                write!(f, "machine {machine}: {key} = {value}: must be {allowed}")
            }
            Self::Unsourced { machine, key } => write!(
                f,
                "machine {machine}: {key} has no source: name the publication, or say `assumed` \
                 and why"
            ),
        }
    }
}

impl Error for PrimitivesError {}

impl Primitives {
    /// Parses the machines of a TOML text.
    ///
    /// The first problem, with machine and key.
    /// What is wrong in it, by machine and key.
    pub fn parse(text: &str) -> Result<Self, PrimitivesError> {
        let read: Self =
            toml::from_str(text).map_err(|error| PrimitivesError::Syntax(error.to_string()))?;
        if read.machines.is_empty() {
            return Err(PrimitivesError::NoMachine);
        }
        for (place, machine) in read.machines.iter().enumerate() {
            if read.machines[..place].iter().any(|other| other.name == machine.name) {
                return Err(PrimitivesError::Twice(machine.name.clone()));
            }
            machine.validate()?;
        }
        Ok(read)
    }

    /// The machine called `name`.
    #[must_use]
    pub fn machine(&self, name: &str) -> Option<&Machine> {
        self.machines.iter().find(|machine| machine.name == name)
    }
}

impl Machine {
    /// Cores of all sockets.
    #[must_use]
    pub fn cores(&self) -> usize {
        self.socket_count() * self.cores_on_socket()
    }

    #[must_use]
    pub fn socket_count(&self) -> usize {
        self.sockets.value as usize
    }

    #[must_use]
    pub fn cores_on_socket(&self) -> usize {
        self.cores_per_socket.value as usize
    }

    /// All numbers, by key.
    #[must_use]
    pub fn given(&self) -> [(&'static str, &Given); 12] {
        [
            ("sockets", &self.sockets),
            ("cores-per-socket", &self.cores_per_socket),
            ("near-sockets", &self.near_sockets),
            ("line-within-ns", &self.line_within_ns),
            ("line-near-ns", &self.line_near_ns),
            ("line-far-ns", &self.line_far_ns),
            ("contended-rmw-ns", &self.contended_rmw_ns),
            ("dram-ns", &self.dram_ns),
            ("dram-near-ratio", &self.dram_near_ratio),
            ("dram-far-ratio", &self.dram_far_ratio),
            ("dram-bytes-per-s", &self.dram_bytes_per_s),
            ("link-bytes-per-s", &self.link_bytes_per_s),
        ]
    }

    fn validate(&self) -> Result<(), PrimitivesError> {
        for (key, given) in self.given() {
            if given.source.trim().is_empty() {
                return Err(PrimitivesError::Unsourced { machine: self.name.clone(), key });
            }
            let value = given.value;
            let (fits, allowed) = match key {
                "sockets" => (is_count(value, 1024.0), "a whole number from 1 to 1024".to_owned()),
                "cores-per-socket" => {
                    (is_count(value, 4096.0), "a whole number from 1 to 4096".to_owned())
                }
                "near-sockets" => {
                    let others = self.sockets.value - 1.0;
                    (value == 0.0 || is_count(value, others), format!("from 0 to {others}"))
                }
                "line-near-ns" => at_least(value, self.line_within_ns.value, "line-within-ns"),
                "line-far-ns" => at_least(value, self.line_near_ns.value, "line-near-ns"),
                "dram-near-ratio" => at_least(value, 1.0, "the local latency itself"),
                "dram-far-ratio" => at_least(value, self.dram_near_ratio.value, "dram-near-ratio"),
                "contended-rmw-ns" => {
                    (value.is_finite() && value >= 0.0, "0 or a positive number".to_owned())
                }
                _ => (value.is_finite() && value > 0.0, "a positive number".to_owned()),
            };
            if !fits {
                let machine = self.name.clone();
                return Err(PrimitivesError::Impossible { machine, key, value, allowed });
            }
        }
        Ok(())
    }
}

fn is_count(value: f64, most: f64) -> bool {
    value.fract() == 0.0 && (1.0..=most).contains(&value)
}

fn at_least(value: f64, least: f64, what: &str) -> (bool, String) {
    (value.is_finite() && value >= least, format!("at least {least} ({what})"))
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const SHIPPED: &str = include_str!("../../suites/model.toml");

    pub(crate) fn shipped(name: &str) -> Machine {
        Primitives::parse(SHIPPED).unwrap().machine(name).unwrap().clone()
    }

    #[test]
    fn shipped_machines_are_sound() {
        assert_eq!(shipped("superdome-x").cores(), 240);
        assert_eq!(shipped("two-sockets").socket_count(), 2);
        assert_eq!(shipped("two-xeon-e5620").cores(), 16);
        assert!(Primitives::parse(SHIPPED).unwrap().machine("none").is_none());
    }

    #[test]
    fn a_wrong_key_is_refused_by_name() {
        let wrong = SHIPPED.replacen("line-near-ns", "line-next-ns", 1);
        let told = Primitives::parse(&wrong).unwrap_err().to_string();
        assert!(told.contains("line-next-ns") && told.contains("line-near-ns"), "{told}");
        let deeper = SHIPPED.replacen("source =", "sauce =", 1);
        assert!(Primitives::parse(&deeper).unwrap_err().to_string().contains("sauce"));
    }

    #[test]
    fn impossible_values_are_refused_by_key_and_value() {
        for (from, to, key) in [
            ("sockets = { value = 16", "sockets = { value = 1.5", "sockets = 1.5"),
            ("near-sockets = { value = 1", "near-sockets = { value = 16", "near-sockets = 16"),
            ("line-far-ns = { value = 330", "line-far-ns = { value = 30", "line-far-ns = 30"),
            ("dram-near-ratio = { value = 1.64", "dram-near-ratio = { value = 0.9", "= 0.9"),
            ("value = 32e9", "value = 0", "link-bytes-per-s = 0"),
            ("value = 20,", "value = nan,", "contended-rmw-ns = NaN"),
        ] {
            let text = SHIPPED.replacen(from, to, 1);
            assert_ne!(text, SHIPPED, "{from}");
            let told = Primitives::parse(&text).unwrap_err().to_string();
            assert!(told.contains(key) && told.contains("superdome-x"), "{told}");
        }
    }

    #[test]
    fn machines_have_one_name_each_and_numbers_a_source() {
        assert_eq!(Primitives::parse(""), Err(PrimitivesError::NoMachine));
        let twice = SHIPPED.replace("\"two-sockets\"", "\"superdome-x\"");
        assert_eq!(Primitives::parse(&twice), Err(PrimitivesError::Twice("superdome-x".into())));
        let silent = SHIPPED.replacen("Nibble (PVLDB 2017) section 5", " ", 1);
        let told = Primitives::parse(&silent).unwrap_err().to_string();
        assert!(told.contains("sockets has no source"), "{told}");
    }
}
