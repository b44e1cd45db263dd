//! A row that is made when its map shows what it takes the place of: a read-modify-write.

use engine::{Decide, Decision, PutError, PutOutcome};

use kit::key::Length;

use crate::bound::Bound;
use crate::map::{Offering, Placed, pay, settle};
use crate::raw::{Row, RowRef, Rows};

/// Why a map was given no row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Withheld {
    /// There is no room for it, or the map never asked.
    NoRoom,
    /// What is there stays.
    Kept,
    /// The value is longer than the store takes.
    TooLong,
}

/// A row on its way into a map, decided on anew each time that the map asks for one.
pub(crate) struct Change<'a, 'd, L> {
    rows: &'a Rows,
    bound: &'a Bound,
    key: L,
    limit_bytes: usize,
    decide: &'a mut Decide<'d>,
    new: &'a mut Vec<u8>,
    paid_bytes: u64,
    /// Lengths of the last values for a key that is absent, and for one that is there. A map may put one that
    /// was decided on before another.
    inserted_bytes: usize,
    updated_bytes: usize,
    withheld: Withheld,
}

impl<'a, 'd, L: Length> Change<'a, 'd, L> {
    /// A change under a key of this length by `decide`, which writes values of at most `limit_bytes` into `new`.
    pub(crate) fn new(
        (rows, bound): (&'a Rows, &'a Bound),
        key: L,
        limit_bytes: usize,
        decide: &'a mut Decide<'d>,
        new: &'a mut Vec<u8>,
    ) -> Self {
        Self {
            rows,
            bound,
            key,
            limit_bytes,
            decide,
            new,
            paid_bytes: 0,
            inserted_bytes: 0,
            updated_bytes: 0,
            withheld: Withheld::NoRoom,
        }
    }

    /// Whether the map refused it for want of room.
    pub(crate) fn lacks_room(&self, placed: Placed) -> bool {
        placed == Placed::Refused && self.withheld == Withheld::NoRoom
    }

    /// Ends the change as [`Offer::settle`](crate::map::Offer::settle) ends an offer, and says what came of
    /// it: `None` if what was there stays.
    pub(crate) fn settle(self, placed: Placed) -> Result<Option<PutOutcome>, PutError> {
        let value_bytes = self.new.len();
        let put_bytes = match placed {
            Placed::Inserted => self.inserted_bytes,
            Placed::Updated { .. } => self.updated_bytes,
            Placed::Refused => 0,
        };
        settle(self.bound, self.paid_bytes, (self.key, put_bytes), placed);
        match (placed, self.withheld) {
            (Placed::Inserted, _) => Ok(Some(PutOutcome::Inserted)),
            (Placed::Updated { .. }, _) => Ok(Some(PutOutcome::Updated)),
            (Placed::Refused, Withheld::NoRoom) => Ok(Some(PutOutcome::Full)),
            (Placed::Refused, Withheld::Kept) => Ok(None),
            (Placed::Refused, Withheld::TooLong) => {
                Err(PutError::ValueTooLarge { value_bytes, limit_bytes: self.limit_bytes })
            }
        }
    }
}

impl<L: Length> Offering for Change<'_, '_, L> {
    /// What it pays for depends on the old value, which is not known yet.
    fn admits(&mut self, _: Option<RowRef<'_>>) -> bool {
        false
    }

    fn row_for(&mut self, old: Option<RowRef<'_>>) -> Option<Row> {
        self.new.clear();
        let decision = (self.decide)(old.map(RowRef::value), self.new);
        match old {
            Some(_) => self.updated_bytes = self.new.len(),
            None => self.inserted_bytes = self.new.len(),
        }
        self.withheld = match decision {
            Decision::Keep => Withheld::Kept,
            Decision::Put if self.new.len() > self.limit_bytes => Withheld::TooLong,
            Decision::Put => Withheld::NoRoom,
        };
        let may_pay = self.withheld == Withheld::NoRoom;
        let sizes = (self.key, self.new.len());
        if may_pay && pay(self.bound, &mut self.paid_bytes, sizes, old) {
            self.rows.row(self.new)
        } else {
            None
        }
    }

    fn take_back(&mut self, row: Row) {
        drop(row);
    }

    fn copy_instead(&mut self, stays: RowRef<'_>) -> Row {
        let copy = self.rows.row(stays.value());
        copy.expect("a heap with room for a row that was dropped has room for its copy")
    }
}
