//! The command line of `nibble-bench model`: answers that are computed, and measured by nobody.

use clap::{Args, Subcommand, ValueEnum};

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Compute the write amplification of stores that merge data in stages.
    ///
    /// By the analytic primitives of H. Lim, "Resource-Efficient Data-Intensive System Designs for High
    /// Performance and Capacity" (CMU-CS-15-132, 2015), chapter 4. docs/src/write-amplification.md says what
    /// is assumed. Nothing is measured.
    WriteAmplification(Box<WriteAmplificationArguments>),
}

/// A modelled store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModelledStore {
    /// A levelled tree, as LevelDB 1.18 is by default.
    Leveldb,
    /// Levels that grow by one factor, merged into at every arrival.
    Cola,
    /// Levels of several tables, merged on their way to the next.
    Samt,
    /// A log, hash tables and a sorted store.
    Silt,
}

#[derive(Debug, Args)]
pub struct WriteAmplificationArguments {
    /// The store; all four where none is named.
    pub store: Option<ModelledStore>,
    /// Distinct keys.
    #[arg(long, value_name = "COUNT", default_value_t = 10_000_000)]
    pub keys: u64,
    /// Exponent of the zipfian distribution of inserts; 0 is uniform.
    #[arg(long, value_name = "EXPONENT", default_value_t = 0.0)]
    pub skew: f64,
    /// Bytes of an item, key included. Not of silt, which counts slots [default: 1000].
    #[arg(long, value_name = "BYTES")]
    pub item_bytes: Option<String>,
    /// Bytes at which the table in memory is written out; accepts KiB, MiB, GiB, TiB. Not of silt
    /// [default: 4MiB].
    #[arg(long, value_name = "BYTES")]
    pub write_buffer: Option<String>,
    /// leveldb: tables of level 0 that start its compaction [default: 4].
    #[arg(long, value_name = "COUNT")]
    pub level0_tables: Option<u32>,
    /// leveldb: bytes of level 1 [default: 10MiB].
    #[arg(long, value_name = "BYTES", conflicts_with_all = ["level_items", "optimal"])]
    pub first_level: Option<String>,
    /// Size of a level ÷ that of the level above; of cola and samt a whole number [default: leveldb 10,
    /// others 4].
    #[arg(long, value_name = "FACTOR", conflicts_with_all = ["level_items", "optimal"])]
    pub growth: Option<f64>,
    /// leveldb: items of each level from 1 on, but for the last, separated by commas.
    #[arg(long, value_name = "ITEMS", value_delimiter = ',', conflicts_with = "optimal")]
    pub level_items: Option<Vec<f64>>,
    /// leveldb: sizes of least write amplification, with this many levels, the last included.
    #[arg(long, value_name = "LEVELS")]
    pub optimal: Option<usize>,
    /// cola, samt: levels, the last included [default: the fewest that hold all keys].
    #[arg(long, value_name = "COUNT")]
    pub levels: Option<u32>,
    /// silt: stores among which the keys are divided [default: 4].
    #[arg(long, value_name = "COUNT")]
    pub instances: Option<u32>,
    /// silt: slots of a hash table [default: 131072].
    #[arg(long, value_name = "COUNT")]
    pub table_slots: Option<u64>,
    /// silt: share of the slots in use when a table is converted [default: 0.93].
    #[arg(long, value_name = "SHARE")]
    pub occupancy: Option<f64>,
    /// silt: hash tables at which they are merged [default: 62].
    #[arg(long, value_name = "COUNT")]
    pub hash_tables: Option<u32>,
    /// leveldb: also simulate the tree, key by key, with this seed.
    #[arg(long, value_name = "SEED")]
    pub simulate: Option<u64>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}
