//! Ways to break address spaces, each with the test that must notice. Some of the places are in this crate
//! and some in `baselines/spaces`.

crate::mutants! {
    pub,
    /// `Turn::set`: a relaxed store.
    ReleaseDropped = "release-dropped",
        "a turn is given without what was written before",
        "loom::relay::models::what_was_written_before_giving_is_seen_after_taking";
    /// `Turn::give`: the partner is woken first.
    WokenBeforeSet = "woken-before-set",
        "a partner is woken before its word is set, and sleeps again",
        "loom::relay::models::nobody_sleeps_for_ever";
    /// `Held::enter` of `baselines/spaces`: the first lock stays.
    LockForgotten = "lock-forgotten",
        "an entry that fails keeps a lock",
        "spaces::locks::an_entry_that_fails_holds_none";
    /// `Handles::issue` of `baselines/spaces`: always the first generation.
    HandleReused = "handle-reused",
        "a handle leads to the space that took its place",
        "spaces::journeys::handles_are_never_reused";
    /// `Mapping::shared_at`: `MAP_FIXED`.
    PlaceOverwritten = "place-overwritten",
        "a segment is mapped over what lies at its address",
        "platform::segments::tests::an_address_that_is_taken_is_an_error_and_changes_nothing";
    /// `Segment::attach`: no call.
    TablesUnfilled = "tables-unfilled",
        "page tables are filled while the clock runs",
        "spaces::conformance::no_page_is_found_while_the_clock_runs_where_tables_are_filled";
    /// `Control::visit` of `baselines/spaces`: the turn goes to the window after it.
    WrongWindow = "wrong-window",
        "a window that is drawn again is taken for its neighbour",
        "spaces::conformance::space";
    /// `Place::take_back`: 2 MiB further.
    ParkedBeside = "parked-beside",
        "page tables are parked beside their place",
        "platform::segments::place::tests::moving_loses_no_page_and_leaves_none_behind";
    /// `Segment::read_only_descriptor`: a copy of the descriptor.
    ReaderNotReopened = "reader-not-reopened",
        "who may read gets a descriptor by which it can write",
        "platform::segments::tests::a_reader_cannot_map_for_writing";
    /// `Registry::clone_segment` of `baselines/spaces`: no lock.
    CloneUnlocked = "clone-unlocked",
        "a segment is copied while a writer changes it",
        "spaces::segments::a_clone_under_writers_is_whole";
}
