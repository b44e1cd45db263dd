//! What a question about write amplification consists of, with the published defaults.

use serde::Serialize;

use super::error::{ParameterError, within};

const MIB: u64 = 1 << 20;

/// The keys and how unequally inserts choose among them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Workload {
    /// Distinct keys.
    pub keys: u64,
    /// Exponent of the zipfian distribution; 0 is uniform.
    pub skew: f64,
}

impl Workload {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        let most = (1_u64 << 40) as f64;
        within("keys", self.keys as f64, 2.0..=most, "from 2 to 2^40: give more or fewer keys")?;
        within("skew", self.skew, 0.0..=4.0, "from 0 (uniform) to 4; 0.99 is the usual skew")
    }
}

/// A system under a workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parameters {
    pub workload: Workload,
    pub system: System,
}

/// The modelled systems. RocksDB has no equations of its own: its choice of tables is in the simulator.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum System {
    #[serde(rename = "leveldb")]
    LevelDb(LevelDb),
    /// Levels of r − 1 times the one above, merged into at every arrival.
    Cola(Cascade),
    /// Levels of r tables, merged only on their way to the next.
    Samt(Cascade),
    Silt(Silt),
}

impl System {
    /// As it is written in answers.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::LevelDb(_) => "leveldb",
            Self::Cola(_) => "cola",
            Self::Samt(_) => "samt",
            Self::Silt(_) => "silt",
        }
    }
}

/// A levelled tree (§4.3), as LevelDB 1.18 is by default.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelDb {
    pub item_bytes: u64,
    /// Log bytes at which the table in memory is written out.
    pub write_buffer_bytes: u64,
    /// Tables of level 0 that start its compaction.
    pub level0_tables: u32,
    pub sizes: Sizes,
}

/// Sizes of the levels from 1 on. The last holds all keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "rule", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Sizes {
    Geometric {
        /// Bytes of level 1.
        first_bytes: u64,
        /// Size of a level ÷ that of the level above.
        growth: f64,
    },
    Given {
        /// Items of each level but the last.
        items: Vec<f64>,
    },
    /// The sizes of least write amplification.
    Optimal {
        /// Levels, the last and not level 0 included.
        levels: usize,
    },
}

impl Default for LevelDb {
    fn default() -> Self {
        Self {
            item_bytes: 1000,
            write_buffer_bytes: 4 * MIB,
            level0_tables: 4,
            sizes: Sizes::Geometric { first_bytes: 10 * MIB, growth: 10.0 },
        }
    }
}

impl LevelDb {
    /// Items that fill the write buffer.
    pub(super) fn buffer_items(&self) -> f64 {
        self.write_buffer_bytes as f64 / self.item_bytes as f64
    }

    /// Inserts that fill level 0.
    pub(super) fn level0_requests(&self) -> f64 {
        self.buffer_items() * f64::from(self.level0_tables)
    }

    pub(super) fn check(&self) -> Result<(), ParameterError> {
        within("item_bytes", self.item_bytes as f64, 1.0..=1e9, "from 1 to 10^9")?;
        let buffer = self.write_buffer_bytes as f64;
        let least = self.item_bytes as f64;
        let must = "at least item_bytes: give a write buffer that holds an item";
        within("write_buffer_bytes", buffer, least..=f64::MAX, must)?;
        within("level0_tables", f64::from(self.level0_tables), 1.0..=1000.0, "from 1 to 1000")
    }

    /// Items of each level from 1 on, the last with all `keys`.
    pub(super) fn level_items(&self, keys: f64) -> Result<Vec<f64>, ParameterError> {
        self.check()?;
        let mut items = match &self.sizes {
            Sizes::Given { items } => items.clone(),
            Sizes::Geometric { first_bytes, growth } => {
                let first = *first_bytes as f64 / self.item_bytes as f64;
                let must = "at least item_bytes: give a level that holds an item";
                within(
                    "first_bytes",
                    *first_bytes as f64,
                    self.item_bytes as f64..=f64::MAX,
                    must,
                )?;
                within("growth", *growth, 1.5..=1e6, "from 1.5 to 10^6; LevelDB's growth is 10")?;
                let sizes = std::iter::successors(Some(first), |size| Some(size * growth));
                sizes.take_while(|&size| size < keys).collect()
            }
            Sizes::Optimal { levels } => {
                within("levels", *levels as f64, 1.0..=12.0, "from 1 to 12")?;
                let first = self.level0_requests().min(keys / 2.0);
                let growth = (keys / first).powf(1.0 / *levels as f64);
                (1..*levels).map(|level| first * growth.powi(level as i32)).collect()
            }
        };
        items.push(keys);
        let mut above_items: f64 = 1.0;
        for (above, &size) in items.iter().enumerate() {
            // Also refuses what is no number.
            if !matches!(
                size.partial_cmp(&above_items),
                Some(std::cmp::Ordering::Greater | std::cmp::Ordering::Equal)
            ) {
                return Err(ParameterError::Shrinks { level: above + 1, items: size, above_items });
            }
            above_items = size;
        }
        Ok(items)
    }
}

/// A cascade of levels that grow by one factor (§4.4).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Cascade {
    pub item_bytes: u64,
    /// Bytes of a log file, which is what a table in memory holds.
    pub write_buffer_bytes: u64,
    /// Growth factor r.
    pub growth: u32,
    /// Levels, the last included; by default the fewest that hold all keys.
    pub levels: Option<u32>,
}

impl Default for Cascade {
    fn default() -> Self {
        Self { item_bytes: 1000, write_buffer_bytes: 4 * MIB, growth: 4, levels: None }
    }
}

impl Cascade {
    pub(super) fn check(&self) -> Result<(), ParameterError> {
        within("item_bytes", self.item_bytes as f64, 1.0..=1e9, "from 1 to 10^9")?;
        let must = "at least item_bytes: give a write buffer that holds an item";
        let buffer = self.write_buffer_bytes as f64;
        within("write_buffer_bytes", buffer, self.item_bytes as f64..=f64::MAX, must)?;
        within("growth", f64::from(self.growth), 2.0..=1000.0, "from 2 to 1000")?;
        let levels = f64::from(self.levels.unwrap_or(1));
        within("levels", levels, 1.0..=64.0, "from 1 to 64, or left out")
    }
}

/// A log, hash tables and a sorted store per instance (§4.5), as the thesis's flash store is set up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Silt {
    /// Independent stores among which the keys are divided equally.
    pub instances: u32,
    /// Slots of a hash table.
    pub table_slots: u64,
    /// Share of the slots in use when a table is converted.
    pub occupancy: f64,
    /// Hash tables at which they are merged into the sorted store: the most there are, not the mean.
    pub hash_tables: u32,
}

impl Default for Silt {
    fn default() -> Self {
        Self { instances: 4, table_slots: 1 << 17, occupancy: 0.93, hash_tables: 62 }
    }
}

impl Silt {
    pub(super) fn check(&self, workload: &Workload) -> Result<(), ParameterError> {
        workload.check()?;
        let most = workload.keys as f64 / 2.0;
        let must = "at least 1, and at most half of the keys";
        within("instances", f64::from(self.instances), 1.0..=most, must)?;
        within("occupancy", self.occupancy, 0.01..=1.0, "from 0.01 to 1; 0.93 is the usual share")?;
        within("hash_tables", f64::from(self.hash_tables), 1.0..=1e6, "from 1 to 10^6")?;
        let own_keys = (workload.keys / u64::from(self.instances)) as f64;
        let most = (own_keys - 1.0) / self.occupancy;
        let must = "at least 2, and small enough that a table fills before it holds every key of an \
                    instance: give smaller tables, fewer instances or more keys";
        within("table_slots", self.table_slots as f64, 2.0..=most, must)
    }
}
