//! From options to the parameters of a modelled store. What a store does not have is refused.

use model::stages::{Cascade, LevelDb, Parameters, Silt, Sizes, System, Workload};
use workloads::bytes::parse_bytes;

use crate::cli::{ModelledStore, WriteAmplificationArguments};
use crate::commands::Failure;

/// As it is written on the command line.
pub(super) fn name(store: ModelledStore) -> &'static str {
    match store {
        ModelledStore::Leveldb => "leveldb",
        ModelledStore::Cola => "cola",
        ModelledStore::Samt => "samt",
        ModelledStore::Silt => "silt",
    }
}

/// The parameters of one store, its defaults where nothing was said.
pub(super) fn of(
    store: ModelledStore,
    given: &WriteAmplificationArguments,
) -> Result<Parameters, Failure> {
    // Of several stores each takes what it has.
    if given.store.is_some() {
        refuse_others(store, given)?;
    }
    let workload = Workload { keys: given.keys, skew: given.skew };
    let system = match store {
        ModelledStore::Leveldb => System::LevelDb(leveldb(given)?),
        ModelledStore::Cola => System::Cola(cascade(given)?),
        ModelledStore::Samt => System::Samt(cascade(given)?),
        ModelledStore::Silt => System::Silt(silt(given)),
    };
    Ok(Parameters { workload, system })
}

fn bytes(option: &str, text: Option<&String>, default: u64) -> Result<u64, Failure> {
    text.map_or(Ok(default), |text| {
        let bytes = parse_bytes(text).map(|bytes| bytes as u64);
        bytes.map_err(|error| Failure::usage(format!("{option} = {text}: {error}")))
    })
}

fn leveldb(given: &WriteAmplificationArguments) -> Result<LevelDb, Failure> {
    let usual = LevelDb::default();
    let sizes = match (&given.level_items, given.optimal, &usual.sizes) {
        (Some(items), _, _) => Sizes::Given { items: items.clone() },
        (None, Some(levels), _) => Sizes::Optimal { levels },
        (None, None, Sizes::Geometric { first_bytes, growth }) => Sizes::Geometric {
            first_bytes: bytes("--first-level", given.first_level.as_ref(), *first_bytes)?,
            growth: given.growth.unwrap_or(*growth),
        },
        (None, None, other) => other.clone(),
    };
    Ok(LevelDb {
        item_bytes: bytes("--item-bytes", given.item_bytes.as_ref(), usual.item_bytes)?,
        write_buffer_bytes: bytes(
            "--write-buffer",
            given.write_buffer.as_ref(),
            usual.write_buffer_bytes,
        )?,
        level0_tables: given.level0_tables.unwrap_or(usual.level0_tables),
        sizes,
    })
}

fn cascade(given: &WriteAmplificationArguments) -> Result<Cascade, Failure> {
    let usual = Cascade::default();
    let growth = match given.growth {
        Some(growth) if growth.fract() == 0.0 && (0.0..1e9).contains(&growth) => growth as u32,
        Some(growth) => {
            let message =
                format!("--growth = {growth}: of cola and samt it must be a whole number");
            return Err(Failure::usage(message));
        }
        None => usual.growth,
    };
    Ok(Cascade {
        item_bytes: bytes("--item-bytes", given.item_bytes.as_ref(), usual.item_bytes)?,
        write_buffer_bytes: bytes(
            "--write-buffer",
            given.write_buffer.as_ref(),
            usual.write_buffer_bytes,
        )?,
        growth,
        levels: given.levels.or(usual.levels),
    })
}

fn silt(given: &WriteAmplificationArguments) -> Silt {
    let usual = Silt::default();
    Silt {
        instances: given.instances.unwrap_or(usual.instances),
        table_slots: given.table_slots.unwrap_or(usual.table_slots),
        occupancy: given.occupancy.unwrap_or(usual.occupancy),
        hash_tables: given.hash_tables.unwrap_or(usual.hash_tables),
    }
}

/// Refuses the first option that belongs to other stores only.
fn refuse_others(store: ModelledStore, given: &WriteAmplificationArguments) -> Result<(), Failure> {
    use ModelledStore::{Cola, Leveldb, Samt, Silt};
    let items = given.level_items.as_ref();
    let items = items.map(|items| items.iter().map(f64::to_string).collect::<Vec<_>>().join(","));
    let options: [(&str, Option<String>, &[ModelledStore]); 12] = [
        ("--item-bytes", given.item_bytes.clone(), &[Leveldb, Cola, Samt]),
        ("--write-buffer", given.write_buffer.clone(), &[Leveldb, Cola, Samt]),
        ("--growth", text(given.growth), &[Leveldb, Cola, Samt]),
        ("--level0-tables", text(given.level0_tables), &[Leveldb]),
        ("--first-level", given.first_level.clone(), &[Leveldb]),
        ("--level-items", items, &[Leveldb]),
        ("--optimal", text(given.optimal), &[Leveldb]),
        ("--levels", text(given.levels), &[Cola, Samt]),
        ("--instances", text(given.instances), &[Silt]),
        ("--table-slots", text(given.table_slots), &[Silt]),
        ("--occupancy", text(given.occupancy), &[Silt]),
        ("--hash-tables", text(given.hash_tables), &[Silt]),
    ];
    let foreign = options.into_iter().find_map(|(option, value, stores)| {
        let value = value.filter(|_| !stores.contains(&store))?;
        Some((option, value, stores))
    });
    let Some((option, value, stores)) = foreign else { return Ok(()) };
    let stores: Vec<&str> = stores.iter().map(|&store| name(store)).collect();
    Err(Failure::usage(format!(
        "{option} = {value}: {} has no such parameter; {} have it",
        name(store),
        stores.join(", ")
    )))
}

fn text<T: ToString>(value: Option<T>) -> Option<String> {
    value.map(|value| value.to_string())
}
