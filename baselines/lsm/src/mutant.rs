//! Ways to break the store, each with the test that must notice.

platform::mutants! {
    pub(crate),
    /// `Clock::is_inserted`: `>=` in place of `>` (fault D1).
    WaitsBelow = "waits-below",
        "a snapshot does not wait for the write that has its very time",
        "baseline_lsm::tests::clock::a_snapshot_waits_for_the_write_of_its_own_time";
    /// `Clock::chosen`: the time is read anew after the wait (fault D2).
    ReadsLate = "reads-late",
        "a snapshot takes a time that it has not waited for",
        "baseline_lsm::tests::clock::a_snapshot_keeps_the_time_that_it_waited_for";
    /// `Pending::is_below_read_modify_write`: never (fault D3).
    PutUnguarded = "put-unguarded",
        "a put disappears below a read-modify-write that has not read it",
        "baseline_lsm::tests::memtable::a_put_does_not_go_below_a_read_modify_write";
    /// `Clock::enlist`: whatever is forbidden.
    ForbiddenUnread = "forbidden-unread",
        "a write takes a timestamp that a snapshot has already",
        "baseline_lsm::tests::clock::a_write_takes_no_time_that_a_snapshot_has";
    /// `Pending::link_newest`: whatever is newest.
    ConflictUnseen = "conflict-unseen",
        "a read-modify-write overwrites what came after its read",
        "baseline_lsm::tests::memtable::a_read_modify_write_notices_what_came_between";
    /// `Exclusion::exclude`: nobody is waited for.
    SharersIgnored = "sharers-ignored",
        "components are swapped while writes go on",
        "baseline_lsm::tests::clock::who_excludes_waits_for_those_who_share";
    /// `Snapshots::live`: none.
    SnapshotsUnread = "snapshots-unread",
        "merges drop versions that snapshots need",
        "baseline_lsm::tests::snapshots::a_snapshot_reads_the_same_after_merges";
    /// `Merge::add`: every tombstone.
    TombstoneDropped = "tombstone-dropped",
        "a tombstone is dropped though deeper levels have the key",
        "baseline_lsm::tests::merges::what_is_deleted_stays_deleted";
    /// `Frames::next`: whatever the checksum.
    ChecksumUnread = "checksum-unread",
        "recovery believes a damaged record",
        "baseline_lsm::tests::recovery::what_follows_a_damaged_record_does_not_count";
    /// `recover`: the clock begins at 0.
    ClockRestarted = "clock-restarted",
        "after recovery, writes are older than what was recovered",
        "baseline_lsm::tests::recovery::writes_after_recovery_are_newer";
    /// `Component::advance`: no call.
    AcknowledgedUnsynced = "acknowledged-unsynced",
        "a write is acknowledged before it is on the disk",
        "baseline_lsm::tests::crashes::acknowledged_writes_survive";
    /// `Component::complete_before`: nothing is done.
    LogsOutOfOrder = "logs-out-of-order",
        "a log reaches the disk before the one of the component before",
        "baseline_lsm::tests::crashes::queued_writes_survive_as_a_prefix";
    /// `Builder::finish`: no call.
    TableUnsynced = "table-unsynced",
        "the manifest names a table that is not on the disk",
        "baseline_lsm::tests::crashes::acknowledged_writes_survive";
    /// `Manifest::append`: no call.
    EditUnsynced = "edit-unsynced",
        "a log is removed before the table that replaces it counts",
        "baseline_lsm::tests::crashes::acknowledged_writes_survive";
    /// `Manifest::begin`: no call.
    CurrentUnsynced = "current-unsynced",
        "`CURRENT` gets its name before it has its bytes",
        "baseline_lsm::tests::crashes::acknowledged_writes_survive";
    /// `Parts::merge_memory`: the log goes first.
    LogRemovedEarly = "log-removed-early",
        "a log is removed before its component is in a table",
        "baseline_lsm::tests::crashes::acknowledged_writes_survive";
    /// `Parts::acknowledge`: with `written` nothing is done.
    WrittenUnwritten = "written-unwritten",
        "a write returns before the system has its record",
        "baseline_lsm::tests::kills::a_killed_process_loses_what_its_log_may_lose_and_nothing_else";
    /// `Replay::add`: the place in the log for the time.
    PlaceForTime = "place-for-time",
        "recovery takes the last record of a key for the newest",
        "baseline_lsm::tests::recovery::of_records_out_of_order_the_newest_counts";
    /// `Replay::add`: each record counts at once.
    BatchInPart = "batch-in-part",
        "recovery applies the half of a batch that it finds",
        "baseline_lsm::tests::recovery::a_batch_is_recovered_whole_or_not_at_all";
}
