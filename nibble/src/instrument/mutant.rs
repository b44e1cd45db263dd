//! Ways to break the engine, each with the test that must notice.

platform::mutants! {
    pub(crate),
    /// `Slot::enter`: a relaxed store in place of the exchange.
    EpochFenceMissing = "epoch-fence-missing",
        "an operation announces itself without a barrier",
        "nibble::fence::an_operation_that_the_scan_missed_sees_the_unlinking";
    /// `EpochTable::scan`: the other threads pass no fence.
    ScanBarrierMissing = "scan-barrier-missing",
        "who frees memory does not make the others pass a fence first",
        "nibble::fence::an_operation_announced_by_a_store_is_seen_or_sees_the_unlinking";
    /// `Table::read`: a miss answers at once.
    VersionRecheckMissing = "version-recheck-missing",
        "a GET believes a miss without looking at the version and shape again",
        "all::races::a_key_is_found_while_its_bucket_splits";
    /// `Table::read`: what was copied is believed without the second look at the version.
    InPlaceRecheckMissing = "in-place-recheck-missing",
        "a reader of Nibble-2 looks at the version only before it copies",
        "all::races::values_overwritten_in_place_are_never_torn";
    /// `Clock::has_passed`: `<=` in place of `<`.
    FreeAtEqual = "free-at-equal",
        "memory is freed while an operation of the very epoch may run",
        "nibble::epoch::clock::tests::an_epoch_after_a_stamp_is_later_and_one_before_is_not";
    /// `Index::publish`: the old object is subtracted twice, when enough is counted.
    LiveDoubleDecrement = "live-double-decrement",
        "an update subtracts the old object from the live bytes twice",
        "all::accounting::an_update_makes_the_old_object_dead_once";
    /// `Mover::publish`: a refused copy replaces whatever the key leads to, if to anything.
    RelocationWithoutCompare = "relocation-without-compare",
        "compaction publishes its copy over a newer value",
        "all::races::compaction_brings_nothing_old_back";
    /// `WideTable::grow`: the first entry of the upper half is dropped; `TaggedTable::split_next`:
    /// all that go to the new bucket.
    GrowthLosesKey = "growth-loses-key",
        "a split drops an entry",
        "all::growth::every_key_survives_text";
    /// `Session::get`: on a miss the pin is forgotten.
    PinnedOnMiss = "pinned-on-miss",
        "a GET that finds nothing stays in its epoch",
        "all::accounting::an_idle_session_holds_nothing_back";
    /// `Index::overwrite`: the value is written after the bucket is unlocked.
    InPlaceWithoutLock = "in-place-without-lock",
        "a value is overwritten without the lock of its bucket",
        "all::races::values_overwritten_in_place_are_never_torn";
    /// `Pool::take`: clients may take the reserve.
    ReserveToClients = "reserve-to-clients",
        "PUTs use up the blocks set aside for compaction",
        "all::accounting::the_reserve_is_not_for_clients";
    /// `Worker::choose`: the grace period of a closed segment counts as passed.
    PutUnpinnedBeforePublish = "put-unpinned-before-publish",
        "a segment is compacted although a PUT has yet to publish an object there",
        "nibble::hazards::a_segment_waits_for_those_who_still_write_to_it";
    /// `Mover::publish`: a refused copy is published if the key leads nowhere.
    DeadCopyRepublished = "dead-copy-republished",
        "a key deleted while compaction copies it comes back",
        "all::races::compaction_brings_nothing_old_back";
    /// `Index::overwrite`: the room is not compared with the new length.
    InPlaceOversize = "in-place-oversize",
        "a value is overwritten by one longer than its room",
        "all::accounting::a_longer_value_leaves_its_neighbour_alone";
    /// `Session::drop`: the slot is kept.
    SlotNotReturned = "slot-not-returned",
        "a session that ends keeps its slot of the epoch table",
        "all::edge_cases::sessions_run_out_with_a_typed_error_and_come_back";
    /// `Candidate::benefit`: the age stays what it was when the segment closed.
    StaleAge = "stale-age",
        "the benefit of a segment does not grow with its present age",
        "nibble::compaction::select::tests::age_is_real";
    /// `Session::execute_group`: a group is carried out from its end.
    BatchReordersKey = "batch-reorders-key",
        "a batch executes two operations on one key out of order",
        "all::batches::operations_on_one_key_keep_their_order";
    /// `Patience`: neither the deadline nor a vain search ends the wait.
    FullBlocks = "full-blocks",
        "a PUT on a full store waits for ever",
        "all::full::full_answers_reads_go_on_and_deletes_make_room";
    /// `TaggedTable::relieve`: the entry that makes room is not put into its other bucket.
    DisplacementLosesKey = "displacement-loses-key",
        "an entry that makes room for another is not put into its other bucket",
        "all::growth::every_key_survives_tagged";
    /// `WideTable::lock`, `TaggedTable::lock_both`: the shape is not looked at again.
    HomeCheckMissing = "home-check-missing",
        "a bucket that was split before it was locked is taken for the home of a key",
        "all::races::keys_are_inserted_while_buckets_split";
    /// `TaggedTable::read`: a miss in the first bucket answers.
    SecondHomeNotSearched = "second-home-not-searched",
        "a GET looks into the first bucket of a key only",
        "all::growth::every_key_survives_tagged";
    /// `Retired::is_free`: whatever is in the queue.
    FreedAtOnce = "freed-at-once",
        "what compaction has emptied is freed while operations that may read it go on",
        "nibble::hazards::a_pinned_reader_blocks_reclamation_and_nothing_else_does";
    /// `Mover::relocate`: Nibble-2 copies without the lock, as Nibble does.
    InPlaceMovedUnlocked = "in-place-moved-unlocked",
        "a value that is overwritten while compaction copies it is lost",
        "all::races::updates_in_place_survive_compaction";
    /// `Mover::publish`: any refused copy is taken back, whatever follows it.
    PublishedCopyTakenBack = "published-copy-taken-back",
        "compaction takes room back that has published copies in it",
        "all::races::compaction_brings_nothing_old_back";
    /// `Watch::drop`: the store is not closed.
    PanicUnwatched = "panic-unwatched",
        "PUTs wait for a worker that has panicked",
        "nibble::hazards::a_panic_in_compaction_closes_the_store_and_says_so";
    /// `Overwriting::allow_after`: whoever is inside an operation is not waited for.
    OverwritingAtOnce = "overwriting-at-once",
        "a full store overwrites a value that a GET may be copying without a second look",
        "nibble::hazards::overwriting::the_first_overwriting_waits_for_readers";
    /// `Session::begin_to_overwrite`: it never helps.
    FullRefusesUpdates = "full-refuses-updates",
        "a full store refuses updates that fit where the old value is",
        "all::full_updates::every_key_of_a_full_store_can_be_updated";
    /// `Patience::check_progress`: any session inside an operation makes the store full at once.
    StallUnnamed = "stall-unnamed",
        "a PUT that waits for a session that is inside an operation answers that the store is full",
        "nibble::hazards::waiting::the_session_in_the_way_is_named";
    /// `Patience::wait`: only the store's threads compact.
    WaitingIdly = "waiting-idly",
        "a PUT that waits leaves all compaction to threads that may not come to run",
        "nibble::hazards::waiting::a_waiting_put_needs_no_thread";
    /// `Worker::reclaim`: only the first node rings.
    BellOfFirstNode = "bell-of-first-node",
        "a PUT that waits for room is not told of what other nodes than the first have freed",
        "nibble::hazards::waiting::room_on_any_node_wakes_a_waiting_put";
    /// `Node::can_move`: whatever the size of the object.
    ReserveStaysSmall = "reserve-stays-small",
        "the reserve is too small to move the objects of the store",
        "all::accounting::the_reserve_moves_the_largest_object";
    /// `Limbo::retire`: one less than the stamp.
    RetiredEpochEarly = "retired-epoch-early",
        "what compaction has emptied counts as unlinked one epoch early",
        "nibble::hazards::retirement::a_retirement_waits_for_readers_of_its_own_epoch";
    /// `TaggedTable::relieve`: the homes are not looked at again once the other bucket is locked.
    ReliefRecheckMissing = "relief-recheck-missing",
        "an entry moves to a bucket that was split just before",
        "all::races::entries_move_to_buckets_that_are_splitting";
    /// `Mover::relocate`: room for the value as it was when the victim was walked.
    InPlaceRoomForValue = "in-place-room-for-value",
        "a value that grows in place before it is moved finds too little room",
        "nibble::hazards::relocation::a_value_that_grows_before_it_is_moved_has_room";
    /// `Index::overwrite`: the live bytes stay as they were.
    InPlaceResizeUncounted = "in-place-resize-uncounted",
        "a value overwritten by a shorter one counts with its old length",
        "all::accounting::an_update_makes_the_old_object_dead_once";
    /// `Index::remove`: the object stays live for its segment.
    DeletedBytesLive = "deleted-bytes-live",
        "a deleted object still counts as live",
        "all::edge_cases::any_number_is_a_key_and_values_may_be_empty";
    /// `Memory::overwrite_value`: the header keeps the old slack.
    SlackLost = "slack-lost",
        "a value overwritten by a shorter one keeps its old length",
        "all::accounting::a_longer_value_leaves_its_neighbour_alone";
    /// `Memory::copy_object`: the header is copied as it is.
    RelocatedWithSlack = "relocated-with-slack",
        "an object that left its slack behind says that it still has it",
        "all::races::updates_in_place_survive_inline_compaction";
    /// `Node::hand_over`: nobody is told of the segment.
    RolledSegmentLost = "rolled-segment-lost",
        "a segment that a head has closed is watched by no worker",
        "all::small_store::text";
    /// `Candidate::score`: a segment without dead objects is a candidate.
    AllLiveCompacted = "all-live-compacted",
        "compaction moves what is all alive while a PUT waits",
        "nibble::compaction::select::tests::what_holds_only_live_data_is_left_alone";
    /// `Pace::of`: waiting PUTs make no difference.
    WaitingUnheard = "waiting-unheard",
        "a waiting PUT does not make workers look for anything dead",
        "nibble::compaction::pace::tests::the_demand_of_threads_falls_with_what_is_free";
    /// `Coding::tag`: a tag may be 0, which means that there is no entry.
    TagZero = "tag-zero",
        "keys with a certain hash cannot be found",
        "nibble::index::tagged::coding::tests::\
         entries_survive_the_trip_whatever_the_size_of_memory";
    /// `TaggedTable::find` and `hold`: the first entry with the tag is the only one looked at.
    OneTagLookedAt = "one-tag-looked-at",
        "of keys with one tag in one bucket all but the first are lost",
        "nibble::index::tagged::search::tests::keys_with_one_tag_in_one_bucket_are_told_apart";
    /// `SegmentInfo::pick`: whatever the number of leases.
    LeaseUnheeded = "lease-unheeded",
        "a segment is compacted while an object is written into a hole of it",
        "nibble::hazards::holes::a_segment_waits_for_who_writes_into_its_hole";
    /// `SegmentInfo::lease`: whatever the life.
    LifeUnheeded = "life-unheeded",
        "an object is written where there was a hole when the segment was another one",
        "nibble::hazards::holes::a_hole_is_gone_once_its_segment_was_compacted";
    /// `Holes::age`: the grace period of a hole counts as passed.
    HoleAtOnce = "hole-at-once",
        "an object is written over a dead one that somebody may be reading",
        "nibble::hazards::holes::a_hole_waits_for_readers";
    /// `holes::is_roomy`: never.
    RoomyStays = "roomy-stays",
        "a room stays as long as the longest value that it ever held",
        "nibble::hazards::holes::a_value_that_shrinks_leaves_its_room_to_a_long_one";
    /// `Memory::write_into_room`: the object says that it fills its room.
    HoleFilled = "hole-filled",
        "an object in a hole that is too large for it has the length of the hole",
        "all::holes::an_object_in_a_hole_has_its_own_length";
    /// `ByteName::is_of`: equal hashes suffice.
    HashTakenForKey = "hash-taken-for-key",
        "of two byte strings with one hash, one is taken for the other",
        "nibble::name::tests::keys_of_one_hash_are_told_apart";
    /// `ByteName::is_of`: the length is not compared.
    PrefixTakenForKey = "prefix-taken-for-key",
        "of two byte strings with one hash, one that begins with the other is taken for it",
        "nibble::name::tests::keys_of_one_hash_are_told_apart";
    /// `EpochTable::claim`: the scan does not learn of the slot.
    SlotNotScanned = "slot-not-scanned",
        "the operations of a session hold nothing back",
        "nibble::epoch::table::tests::the_minimum_is_the_oldest_pin_and_nobody_is_no_limit";
}

#[cfg(all(test, feature = "instrumented"))]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_killers_are_tests() {
        for (number, (name, _, killer)) in mutants().iter().enumerate() {
            assert_eq!(platform::mutants::position(mutants(), name), number);
            assert!(killer.contains("::"), "{killer} names a binary and a test");
        }
    }
}
