//! What is asked of a store around its steps, whatever its type is.

use std::collections::BTreeMap;
use std::path::PathBuf;

use engine::{KvEngine, Setting, Statistic};
use record::Census;

/// A store without its type. The names differ from those of [`KvEngine`], which every store has too.
pub(super) trait Watched: Sync {
    /// The store's name.
    fn named(&self) -> &'static str;

    /// What it was opened with.
    fn opened_with(&self) -> BTreeMap<String, String>;

    /// Its own statistics.
    fn counters(&self) -> BTreeMap<String, f64>;

    /// Its own account of its memory, if that is complete.
    fn census(&self) -> Option<Census>;

    /// Where its files are.
    fn file_folders(&self) -> Vec<PathBuf>;

    /// Waits for the work that it does in the background.
    fn come_to_rest(&self);
}

impl<E: KvEngine> Watched for E {
    fn named(&self) -> &'static str {
        E::TRAITS.name
    }

    fn opened_with(&self) -> BTreeMap<String, String> {
        settings_by_name(self.settings())
    }

    fn counters(&self) -> BTreeMap<String, f64> {
        statistics_by_name(self.statistics())
    }

    fn census(&self) -> Option<Census> {
        let census = self.memory();
        census.complete.then_some(Census {
            live_objects: census.live_objects,
            live_value_bytes: census.live_value_bytes,
            live_object_bytes: census.live_object_bytes,
            dead_object_bytes: census.dead_object_bytes,
            free_object_bytes: census.free_object_bytes,
            object_memory_bytes: census.object_memory_bytes,
            index_bytes: census.index_bytes,
            table_bytes: census.table_bytes,
        })
    }

    fn file_folders(&self) -> Vec<PathBuf> {
        self.folders()
    }

    fn come_to_rest(&self) {
        self.settle();
    }
}

pub(super) fn settings_by_name(settings: Vec<Setting>) -> BTreeMap<String, String> {
    settings.into_iter().map(|setting| (setting.name, setting.value)).collect()
}

fn statistics_by_name(statistics: Vec<Statistic>) -> BTreeMap<String, f64> {
    let named = statistics.into_iter();
    named.map(|statistic| (statistic.name.to_owned(), statistic.value)).collect()
}
