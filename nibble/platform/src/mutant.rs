//! Ways to break address spaces, each with the test that must notice. The switch stands at the bottom,
//! because some of the places are in this crate and some in `baselines/spaces`.

macro_rules! mutants {
    ($($(#[$place:meta])* $mutant:ident = $name:literal, $breaks:literal, $killer:literal;)+) => {
        /// What is broken. The comments say where `mutated` belongs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutant {
            $($(#[$place])* $mutant,)+
        }

        #[cfg(feature = "instrumented")]
        impl Mutant {
            const ALL: &'static [Self] = &[$(Self::$mutant),+];

            /// Name, what it breaks, and the test that kills it.
            const TABLE: &'static [(&'static str, &'static str, &'static str)] =
                &[$(($name, $breaks, $killer)),+];
        }
    };
}

mutants! {
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

/// Whether address spaces are to be broken so: no.
#[cfg(not(feature = "instrumented"))]
#[inline(always)]
#[must_use]
pub const fn mutated(_mutant: Mutant) -> bool {
    false
}

#[cfg(feature = "instrumented")]
pub use chosen::{VARIABLE, mutants, mutated};

#[cfg(feature = "instrumented")]
mod chosen {
    use std::sync::OnceLock;

    use super::Mutant;

    /// The environment variable that names the mutant of this process.
    pub const VARIABLE: &str = "NIBBLE_MUTANT";

    /// Every mutant: its name, what it breaks, and the test that kills it, `program::path::test`.
    #[must_use]
    pub fn mutants() -> &'static [(&'static str, &'static str, &'static str)] {
        Mutant::TABLE
    }

    /// Whether address spaces are to be broken so: what the environment said at the first call.
    #[must_use]
    pub fn mutated(mutant: Mutant) -> bool {
        static CHOSEN: OnceLock<Option<Mutant>> = OnceLock::new();
        let chosen = CHOSEN.get_or_init(|| std::env::var(VARIABLE).ok().map(|name| find(&name)));
        *chosen == Some(mutant)
    }

    fn find(name: &str) -> Mutant {
        let place = mutants().iter().position(|&(known, ..)| known == name);
        let known = || mutants().iter().map(|&(name, ..)| name).collect::<Vec<_>>().join(", ");
        let place =
            place.unwrap_or_else(|| panic!("{VARIABLE} = {name}: must be one of {}", known()));
        Mutant::ALL[place]
    }
}
