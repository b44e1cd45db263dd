//! The store: a map of rows, their heap and their bound.

use engine::{
    AllocatorChoice, Decide, EngineTraits, KvBytesEngine, KvEngine, MemoryBound, MemoryCensus,
    OpenError, PutError, PutOutcome, SessionError, Setting, Statistic,
};

use kit::key::{ByteSession, Bytes, Key, Length};

use crate::bound::Bound;
use crate::change::Change;
use crate::config::Config;
use crate::ledger::{Ledger, Totals};
use crate::map::{Asked, Map, Offer, Placed, footprint_bytes};
use crate::raw::Rows;
use crate::session::MapSession;
use engine::ThreadUse;

/// A store over one of the maps; see the crate's documentation.
#[derive(Debug)]
pub struct MapStore<M: Map> {
    /// `None` only while the store is being dropped.
    map: Option<M>,
    rows: Rows,
    bound: Bound,
    config: Config,
}

impl<M: Map> MapStore<M> {
    /// An empty store on `config.heap`, which it opens.
    ///
    /// # Errors
    /// The heap's error; [`OpenError::BadSetting`] for a heap without real memory, or shards or a
    /// capacity that the map does not support; [`OpenError::OutOfMemory`] if there is no memory for
    /// a table of `records_max`.
    pub fn open(config: Config) -> Result<Self, OpenError> {
        config.check_heap()?;
        config.heap.open()?;
        let rows = Rows::new(config.heap);
        let bound = Bound::new(config.object_memory_bytes);
        Ok(Self { map: Some(M::open(&config)?), rows, bound, config })
    }

    #[inline]
    pub(crate) fn map(&self) -> &M {
        self.map.as_ref().expect("a store has its map until it is dropped")
    }

    /// Puts a value under a guard, which may end and begin anew.
    #[inline]
    pub(crate) fn put(
        &self,
        key: Asked<'_, M>,
        value: &[u8],
        guard: &mut M::Guard<'_>,
    ) -> Result<PutOutcome, PutError> {
        let (value_bytes, limit_bytes) = (value.len(), self.value_bytes_limit(key));
        if value_bytes > limit_bytes {
            return Err(PutError::ValueTooLarge { value_bytes, limit_bytes });
        }
        let Some(row) = self.rows.row(value).or_else(|| {
            // Freeing rows that are no longer read may give the heap what it lacks.
            self.map().reclaim(guard);
            self.rows.row(value)
        }) else {
            return Ok(PutOutcome::Full);
        };
        let mut offer = Offer::new((&self.rows, &self.bound), M::Key::length(key), value, row);
        let mut placed = self.map().put(key, &mut offer, guard);
        if placed == Placed::Refused {
            self.bound.gather();
            placed = self.map().put(key, &mut offer, guard);
        }
        offer.settle(placed);
        Ok(match placed {
            Placed::Inserted => PutOutcome::Inserted,
            Placed::Updated { .. } => PutOutcome::Updated,
            Placed::Refused => PutOutcome::Full,
        })
    }

    /// Reads, decides and puts, in one step where the map's `put` is one. `None` if what is there stays.
    pub(crate) fn modify(
        &self,
        key: Asked<'_, M>,
        decide: &mut Decide<'_>,
        new: &mut Vec<u8>,
        guard: &mut M::Guard<'_>,
    ) -> Result<Option<PutOutcome>, PutError> {
        let limit_bytes = self.value_bytes_limit(key);
        let length = M::Key::length(key);
        let mut change = Change::new((&self.rows, &self.bound), length, limit_bytes, decide, new);
        let mut placed = self.map().put(key, &mut change, guard);
        if change.lacks_room(placed) {
            // Freeing rows that are no longer read may give the heap what it lacks.
            self.map().reclaim(guard);
            self.bound.gather();
            placed = self.map().put(key, &mut change, guard);
        }
        change.settle(placed)
    }

    #[inline]
    pub(crate) fn delete(&self, key: Asked<'_, M>, guard: &M::Guard<'_>) -> bool {
        let removed = self.map().remove(key, guard);
        let length = M::Key::length(key);
        removed.inspect(|&bytes| self.bound.refund(footprint_bytes(length, bytes))).is_some()
    }

    #[inline]
    fn value_bytes_limit(&self, key: Asked<'_, M>) -> usize {
        let key_bytes = M::Key::length(key).bytes();
        let bound_bytes = self.bound.bound_bytes().saturating_sub(key_bytes);
        Self::TRAITS.value_bytes_max.min(usize::try_from(bound_bytes).unwrap_or(usize::MAX))
    }

    /// Frees rows that are no longer read, as far as the calling thread can.
    fn reclaim(&self) {
        let _use = ThreadUse::of(self.config.heap);
        let thread = self.map().thread();
        self.map().reclaim(&mut self.map().guard(&thread));
    }
}

impl<M: Map> Drop for MapStore<M> {
    fn drop(&mut self) {
        // This thread frees the rows, and it may never have used the heap.
        let _use = ThreadUse::of(self.config.heap);
        drop(self.map.take());
    }
}

impl<M: Map> KvEngine for MapStore<M> {
    const TRAITS: EngineTraits = EngineTraits {
        name: M::NAME,
        description: M::DESCRIPTION,
        memory_bound: MemoryBound::Soft,
        allocator: AllocatorChoice::Chosen,
        value_bytes_max: u32::MAX as usize,
        keys: M::KEYS,
        scans: M::SCANS,
        rmw: M::RMW,
        hashing: M::HASHING,
        batches: M::GUARDS,
        may_be_missing: M::MAY_BE_MISSING,
        ..EngineTraits::BASE
    };

    type Session<'engine> = <M::Key as Key>::Session<MapSession<'engine, M>>;

    fn lacking() -> Vec<OpenError> {
        M::lacking().into_iter().collect()
    }

    fn session(&self) -> Result<Self::Session<'_>, SessionError> {
        Ok(M::Key::session(MapSession::new(self, self.config.heap)))
    }

    /// Frees rows that are no longer read, as far as the calling thread can. Rows that other
    /// threads retired wait for those threads' next operations.
    fn settle(&self) {
        self.reclaim();
    }

    /// Shrinks the tables of maps that support it, and purges the heap, as far as the calling
    /// thread can.
    fn trim(&self) {
        let _use = ThreadUse::of(self.config.heap);
        self.reclaim();
        self.map().shrink();
        self.config.heap.purge();
    }

    /// Asks the heap about every row, so that puts need not. Meant for the ends of phases, not for
    /// the middle of a measurement.
    ///
    /// Object memory is what the heap lets rows use, plus the requested size of rows retired but
    /// not yet freed. What live rows do not fill of it is dead. The map holds the keys, and its own
    /// memory is unknown, so the numbers are not complete. There is no capacity.
    fn memory(&self) -> MemoryCensus {
        let _use = ThreadUse::of(self.config.heap);
        let mut census = MemoryCensus {
            table_bytes: (size_of::<Self>() + size_of::<Ledger>() + self.bound.table_bytes())
                as u64,
            ..MemoryCensus::default()
        };
        let thread = self.map().thread();
        self.map().for_each(&self.map().guard(&thread), |_, row| {
            census.live_objects += 1;
            census.live_value_bytes += row.value_bytes() as u64;
            census.live_object_bytes += row.bytes() as u64;
            // If an allocator reports less than was requested, nothing is dead.
            let usable_bytes = row.usable_bytes().unwrap_or(0).max(row.bytes());
            census.object_memory_bytes += usable_bytes as u64;
        });
        let Totals { allocated_bytes, freed_bytes, .. } = self.rows.ledger().totals();
        let deferred_bytes =
            (allocated_bytes - freed_bytes).saturating_sub(census.live_object_bytes);
        census.object_memory_bytes += deferred_bytes;
        census.dead_object_bytes = census.object_memory_bytes - census.live_object_bytes;
        census
    }

    /// Entries are counted by the map. Deferred rows are retired but not yet freed; the count is
    /// exact while no thread writes.
    fn statistics(&self) -> Vec<Statistic> {
        // To count entries may take a guard.
        let _use = ThreadUse::of(self.config.heap);
        let Totals { rows_allocated, rows_freed, .. } = self.rows.ledger().totals();
        let entries = self.map().entries() as u64;
        let counted = [
            ("entries", entries),
            ("rows_allocated", rows_allocated),
            ("rows_freed", rows_freed),
            ("rows_deferred", (rows_allocated - rows_freed).saturating_sub(entries)),
        ];
        let heap = self.config.heap.statistics();
        let told = [
            ("capacity_entries", self.map().capacity_entries().map(|entries| entries as u64)),
            ("shards", self.map().shards().map(|shards| shards as u64)),
            ("heap_allocated_bytes", heap.allocated_bytes),
            ("heap_mapped_bytes", heap.mapped_bytes),
        ];
        let told = told.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let all = counted.into_iter().chain(told);
        all.map(|(name, value)| Statistic::new(name, value as f64)).collect()
    }

    fn settings(&self) -> Vec<Setting> {
        let Config { heap, object_memory_bytes, records_max, presize, .. } = self.config;
        let or_none = |number: Option<u64>| number.map_or("none".to_owned(), |it| it.to_string());
        let mut settings = vec![
            Setting::new("heap", heap.traits().name),
            Setting::new("heap.version", heap.version()),
            Setting::new("object_memory_bytes", or_none(object_memory_bytes)),
            Setting::new("shards", or_none(self.map().shards().map(|shards| shards as u64))),
            Setting::new("records_max", records_max),
            Setting::new("presize", presize),
        ];
        for setting in heap.settings() {
            settings.push(Setting::new(&format!("heap.{}", setting.name), setting.value));
        }
        settings
    }

    /// Valid while no thread writes.
    fn check(&self) -> Result<(), String> {
        let _use = ThreadUse::of(self.config.heap);
        let map = self.map();
        let thread = map.thread();
        let guard = map.guard(&thread);
        let (mut keys, mut row_bytes, mut live_bytes) = (Vec::new(), 0, 0);
        map.for_each(&guard, |key, row| {
            keys.push((M::Key::owned(key), row.value_bytes()));
            row_bytes += row.bytes() as u64;
            live_bytes += footprint_bytes(M::Key::length(key), row.value_bytes());
        });
        if M::SCANS.are_possible() && !keys.is_sorted_by(|(one, _), (next, _)| one < next) {
            return Err("keys are out of order".to_owned());
        }
        for (key, value_bytes) in &keys {
            let found = map.get(key.asked(), &guard, <[u8]>::len);
            if found != Some(*value_bytes) {
                return Err(format!("key {key:x?} has {value_bytes} bytes, a get {found:?}"));
            }
        }
        let (walked, entries) = (keys.len(), map.entries());
        if walked != entries {
            return Err(format!("{walked} entries in a map that counts {entries}"));
        }
        let Totals { rows_allocated, allocated_bytes, rows_freed, freed_bytes } =
            self.rows.ledger().totals();
        let (rows, bytes) = (rows_allocated - rows_freed, allocated_bytes - freed_bytes);
        if rows < walked as u64 || bytes < row_bytes {
            return Err(format!(
                "{walked} rows of {row_bytes} bytes are live, {rows} of {bytes} allocated"
            ));
        }
        let unfilled_bytes = self.bound.unfilled_bytes();
        if unfilled_bytes + live_bytes != self.bound.bound_bytes() {
            let bound_bytes = self.bound.bound_bytes();
            return Err(format!(
                "{unfilled_bytes} bytes unfilled and {live_bytes} live, of {bound_bytes}"
            ));
        }
        Ok(())
    }
}

impl<M: Map<Key = Bytes>> KvBytesEngine for MapStore<M> {
    type BytesSession<'engine> = ByteSession<MapSession<'engine, M>>;

    fn bytes_session(&self) -> Result<Self::BytesSession<'_>, SessionError> {
        Ok(ByteSession(MapSession::new(self, self.config.heap)))
    }
}
