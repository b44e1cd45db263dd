//! Which stores take the keys of a cell, and whether there are enough of them.

use record::{KeyValue, System};
use worker::registry;
use workloads::{KEY_BYTES_MAX, SizeDistribution};

/// The shortest keys of patterns, which never use a key twice.
const PATTERN_KEY_BYTES_MIN: usize = 8;

/// Checks that a system takes byte strings of this length as keys.
///
/// # Errors
/// As for [`check`]; an allocator, which has no keys; a length that no key has.
pub(crate) fn check_length(system: &System, bytes: usize) -> Result<(), String> {
    if system.is_heap() {
        let label = system.label();
        return Err(format!("key-bytes = {bytes}: `{label}` is an allocator and has no keys"));
    }
    if !(PATTERN_KEY_BYTES_MIN..=KEY_BYTES_MAX).contains(&bytes) {
        let nearest = bytes.clamp(PATTERN_KEY_BYTES_MIN, KEY_BYTES_MAX);
        return Err(format!(
            "key-bytes = {bytes}: a pattern never uses a key twice, so its keys have \
             {PATTERN_KEY_BYTES_MIN} to {KEY_BYTES_MAX} bytes; the nearest is {nearest}"
        ));
    }
    check(system, &SizeDistribution::Constant(bytes))
}

/// Checks that a store takes byte strings of these lengths as keys.
///
/// # Errors
/// The store, the lengths, and which stores or lengths there are.
pub(super) fn check(system: &System, sizes: &SizeDistribution) -> Result<(), String> {
    let Some(traits) = registry::traits_of(system) else { return Ok(()) };
    let Some(most) = traits.keys.bytes_max() else {
        return Err(format!(
            "key-bytes = {sizes}: `{}` takes words as keys and no byte strings: drop it, or `key-bytes`; \
             stores of byte strings are: {}",
            system.label(),
            registry::bytes_store_names().join(", ")
        ));
    };
    if sizes.max() > most {
        return Err(format!(
            "key-bytes = {sizes}: `{}` takes keys of at most {most} bytes: use shorter ones, or drop it",
            system.label()
        ));
    }
    Ok(())
}

/// Checks that every record of a cell has a key of its own.
///
/// # Errors
/// How many keys there are, how many records, and which lengths suffice.
pub(crate) fn check_enough(work: &KeyValue) -> Result<(), String> {
    let Some((sizes, spelling)) = work.workload.key_bytes.as_ref().zip(work.workload.spelling())
    else {
        return Ok(());
    };
    let (named, records) = (work.records_named(), work.records);
    let Some(most) = spelling.records_max().filter(|&most| most < named) else { return Ok(()) };
    let enough = (1..8).find(|&bytes| 1 << (8 * bytes) >= named).unwrap_or(8);
    let asked = match named == records {
        true => format!("{records} records"),
        false => format!("{records} records and up to {} more", named - records),
    };
    let fewer = match named == records {
        true => ", or larger values or less `object-memory` for fewer records",
        false => "",
    };
    Err(format!(
        "key-bytes = {sizes}: there are {most} such keys (256ⁿ of n bytes), and the workload asks for \
         {asked}: use keys of {enough} bytes or more, a range up to that{fewer}"
    ))
}

#[cfg(test)]
mod tests {
    use super::super::{Draft, MachineLimits, fragmentation_cells, key_value};
    use crate::suites::Suite;
    use record::{Cell, Scale, Work};

    fn planned(grid: &str) -> Result<Vec<Cell>, String> {
        planned_of("get-percent = [50]\nvalue-bytes = [100]", grid)
    }

    fn planned_of(asked: &str, grid: &str) -> Result<Vec<Cell>, String> {
        let text = format!(
            "question = \"?\"\n[[key-value]]\nfill-percent = [50]\nthreads = [1]\nrepetitions = 1\n\
             {asked}\n{grid}"
        );
        let suite = Suite::parse("my.toml", &text).map_err(|error| error.to_string())?;
        let (scale, mut draft) = (Scale::by_name("quick").unwrap(), Draft::default());
        let limits = MachineLimits { memory_bytes: 64 << 30, cores: 2, cache_bytes: 32 << 20 };
        key_value::cells(&suite, &suite.key_value[0], (&scale, limits), &mut draft)?;
        Ok(draft.cells)
    }

    /// The memory that words alone need is no measure for byte strings, so it has no row beside them.
    #[test]
    fn keys_are_a_dimension_and_count_for_the_fill() {
        let cells = planned("stores = [\"hashmap\"]\nkey-bytes = [16, \"8..64\"]").unwrap();
        let [short, long] = &cells[..] else { panic!("{cells:?}") };
        assert!(short.id.contains("-value-100-key-16-fill-50-"), "{}", short.id);
        assert!(long.id.contains("-value-100-key-8-64-fill-50-"), "{}", long.id);
        let records = |cell: &Cell| match &cell.work {
            Work::KeyValue(work) => (work.records, work.object_memory_bytes / 2),
            other => panic!("{other:?}"),
        };
        let (short, half) = records(short);
        assert!((half - 120..=half).contains(&(short * 120)), "{short} records in {half} bytes");
        let (long, _) = records(long);
        assert!((short * 100 / 120..short * 90 / 100).contains(&long), "{long} of {short} records");
    }

    #[test]
    fn patterns_have_keys_of_one_length() {
        let planned = |grid: &str| {
            let text = format!("question = \"?\"\n[[fragmentation]]\npatterns = [\"P2\"]\n{grid}");
            let suite = Suite::parse("my.toml", &text).map_err(|error| error.to_string())?;
            let (scale, mut draft) = (Scale::by_name("quick").unwrap(), Draft::default());
            fragmentation_cells(&suite, &suite.fragmentation[0], &scale, &mut draft)?;
            Ok::<_, String>(draft.cells)
        };
        let cells =
            planned("stores = [\"nibble\"]\nkey-bytes = 16\nbasis = [\"bounded\"]").unwrap();
        assert!(cells[0].id.contains("fragmentation/P2/nibble/bounded/key-16"), "{}", cells[0].id);
        assert_eq!(cells[0].work.family().labels().last(), Some(&("key-bytes", "16".to_owned())));
        assert_eq!(cells[0].key_bytes_of(10), 160);
        for (grid, expected) in [
            ("stores = [\"hybridlog\"]\nkey-bytes = 16", "key-bytes = 16: `hybridlog` takes words"),
            ("heaps = [\"glibc\"]\nkey-bytes = 16", "`glibc` is an allocator and has no keys"),
            (
                "stores = [\"nibble\"]\nkey-bytes = 4",
                "key-bytes = 4: a pattern never uses a key twice, so its keys have 8 to 4096 bytes; the \
                 nearest is 8",
            ),
        ] {
            let message = planned(grid).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn short_keys_are_taken_as_long_as_each_record_has_its_own() {
        let records = |grid: &str| {
            let cells = planned(&format!("stores = [\"hashmap\"]\n{grid}"))?;
            let Work::KeyValue(work) = &cells[0].work else { panic!("{cells:?}") };
            Ok::<_, String>((work.records, work.mean_key_bytes(), work.object_memory_bytes))
        };
        // The usual memory has room for 1.2 million records.
        for short in ["\"1..64\"", "4", "\"0..3\"", "\"0..64\""] {
            let grid = format!("key-bytes = [{short}]");
            let (count, mean, memory) = records(&grid).unwrap();
            let live = count as f64 * (104.0 + mean) / (memory as f64 / 2.0);
            let to_a_record = 1.0 + 1.0 / count as f64;
            assert!((0.999..=to_a_record).contains(&live), "{grid}: {live}");
        }
        let error = records("key-bytes = [2]").unwrap_err();
        assert!(
            error.contains(
                "key-bytes = 2: there are 65536 such keys (256ⁿ of n bytes), and the workload"
            ) && error
                .contains("use keys of 3 bytes or more, a range up to that, or larger values"),
            "{error}"
        );
        let error = records("key-bytes = [\"0..2\"]").unwrap_err();
        assert!(error.contains("key-bytes = 0-2: there are 65793 such keys"), "{error}");
        let error = records("key-bytes = [0]").unwrap_err();
        assert!(error.contains("key-bytes = 0: there are 1 such keys"), "{error}");
        let small = "key-bytes = [2]\nobject-memory = \"8MiB\"";
        assert_eq!(records(small).unwrap().1, 2.0);
    }

    #[test]
    fn records_that_a_workload_inserts_need_keys_too() {
        let grid = |bytes: &str| {
            format!(
                "stores = [\"hashmap\"]\nworkloads = [\"churn\"]\nobject-memory = \"8MiB\"\n\
                 key-bytes = [{bytes}]"
            )
        };
        let error = planned_of("", &grid("2")).unwrap_err();
        assert!(
            error.contains("records and up to ") && error.contains(" more: use keys of"),
            "{error}"
        );
        assert!(planned_of("", &grid("\"2..8\"")).is_ok());
        let litter =
            "stores = [\"heapstore:glibc\"]\nageing = [\"litter:10\"]\nobject-memory = \"8MiB\"\n";
        let error = planned(&format!("{litter}key-bytes = [5]")).unwrap_err();
        assert!(error.contains("use keys of 6 bytes or more"), "{error}");
        assert!(planned(&format!("{litter}key-bytes = [6]")).is_ok());
    }

    #[test]
    fn stores_of_words_and_keys_too_long_are_refused_with_what_to_do() {
        for (grid, expected) in [
            (
                "stores = [\"hybridlog\"]\nkey-bytes = [16]",
                "key-bytes = 16: `hybridlog` takes words",
            ),
            (
                "stores = [\"lsm-partitioned@partitions=2\"]\nkey-bytes = [16]",
                "takes words as keys and no byte strings: drop it, or `key-bytes`; stores of byte",
            ),
            (
                "stores = [\"memcached\"]\nkey-bytes = [\"8..512\"]",
                "key-bytes = 8-512: `memcached` takes keys of at most 185 bytes: use shorter ones",
            ),
            (
                "stores = [\"hashmap\"]\nkey-bytes = [5000]",
                "key-bytes of 5000: keys have at most 4096 bytes",
            ),
            ("stores = [\"hashmap\"]\nkey-bytes = [\"big\"]", "key-bytes: size \"big\": write"),
        ] {
            let error = planned(grid).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}
