//! The partial-key cuckoo table (§2.2.1): a LogStore's filter and index in one.
//!
//! A key has two buckets of four slots. A slot has 6 bytes: 15 bits of tag, one that says whether
//! it is taken, and the place of the record in the log. The tag is the *other* bucket, so an entry
//! moves there without its key being read. A table has at most 2¹⁵ buckets therefore.

use crate::key::Buckets;

/// Slots of a bucket.
pub(crate) const BUCKET_SLOTS: usize = 4;
/// The largest table's bits: tags have no more.
pub(crate) const BUCKET_BITS_MAX: u32 = 15;
const TAKEN: u16 = 1 << 15;

/// The table is full: no free slot was found within the displacements allowed. It is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full;

/// What a slot says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag(u16);

impl Tag {
    pub(crate) const FREE: Self = Self(0);

    pub(crate) fn of(tag: u16) -> Self {
        Self(TAKEN | tag)
    }

    pub(crate) fn is_taken(self) -> bool {
        self.0 & TAKEN != 0
    }

    /// The other bucket.
    pub(crate) fn bucket(self) -> u16 {
        self.0 & !TAKEN
    }
}

/// The slots of a bucket, by number in the table.
pub(crate) fn slots_of(bucket: u16) -> std::ops::Range<usize> {
    let first = usize::from(bucket) * BUCKET_SLOTS;
    first..first + BUCKET_SLOTS
}

/// Tags and places of a LogStore's records.
#[derive(Debug)]
pub(crate) struct Table {
    bits: u32,
    displacements: usize,
    tags: Vec<Tag>,
    places: Vec<u32>,
    entries: usize,
    /// Chooses victims.
    random: u64,
}

impl Table {
    /// `1 << bits` buckets; an insert moves at most `displacements` entries.
    pub(crate) fn new(bits: u32, displacements: usize, seed: u64) -> Self {
        assert!((1..=BUCKET_BITS_MAX).contains(&bits), "a table of 2^{bits} buckets");
        let slots = BUCKET_SLOTS << bits;
        let (tags, places) = (vec![Tag::FREE; slots], vec![0; slots]);
        Self { bits, displacements, tags, places, entries: 0, random: seed | 1 }
    }

    pub(crate) fn bits(&self) -> u32 {
        self.bits
    }

    pub(crate) fn entries(&self) -> usize {
        self.entries
    }

    /// Tags by slot.
    pub(crate) fn tags(&self) -> &[Tag] {
        &self.tags
    }

    /// The place in a slot.
    pub(crate) fn place(&self, slot: usize) -> u32 {
        self.places[slot]
    }

    /// Lets a slot point to another place.
    pub(crate) fn set_place(&mut self, slot: usize, place: u32) {
        self.places[slot] = place;
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.tags.len() * size_of::<Tag>() + self.places.len() * size_of::<u32>()) as u64
    }

    /// Slots that may be a key's: its own if it is there, and with probability `8 ÷ 2^bits` others.
    pub(crate) fn candidates(&self, buckets: Buckets) -> impl Iterator<Item = usize> {
        buckets.with_tags().flat_map(move |(bucket, tag)| {
            slots_of(bucket).filter(move |&slot| self.tags[slot] == Tag::of(tag))
        })
    }

    /// Adds an entry. Entries with the same buckets do not know of each other.
    ///
    /// # Errors
    /// [`Full`]; the table is as before.
    pub(crate) fn insert(&mut self, buckets: Buckets, place: u32) -> Result<(), Full> {
        for (bucket, tag) in buckets.with_tags() {
            if let Some(slot) = self.free_slot(bucket) {
                (self.tags[slot], self.places[slot]) = (Tag::of(tag), place);
                self.entries += 1;
                return Ok(());
            }
        }
        self.displace(buckets, place)
    }

    fn free_slot(&self, bucket: u16) -> Option<usize> {
        slots_of(bucket).find(|&slot| !self.tags[slot].is_taken())
    }

    /// A random walk: the entry takes a victim's slot, and the victim goes to its other bucket.
    fn displace(&mut self, buckets: Buckets, place: u32) -> Result<(), Full> {
        let random = self.random;
        let (mut bucket, mut tag) = match self.next() & 1 {
            0 => (buckets.one, buckets.other),
            _ => (buckets.other, buckets.one),
        };
        let mut place = place;
        let mut path = Vec::with_capacity(self.displacements);
        for _ in 0..self.displacements {
            let slot = slots_of(bucket).start + (self.next() % BUCKET_SLOTS as u64) as usize;
            path.push(slot);
            let victim = std::mem::replace(&mut self.tags[slot], Tag::of(tag));
            place = std::mem::replace(&mut self.places[slot], place);
            // There, its tag is the bucket that it comes from.
            (bucket, tag) = (victim.bucket(), bucket);
            if let Some(slot) = self.free_slot(bucket) {
                (self.tags[slot], self.places[slot]) = (Tag::of(tag), place);
                self.entries += 1;
                return Ok(());
            }
        }
        self.undo(&path, bucket, place);
        // Whether the walk fails depends on the inserts before it alone, so a log that is read
        // again fills its table in the same way.
        self.random = random;
        Err(Full)
    }

    /// Puts every victim back, the one in hand first, which was on its way to `bucket`. What lay in
    /// its slot meanwhile was on its way there.
    fn undo(&mut self, path: &[usize], mut bucket: u16, mut place: u32) {
        for &slot in path.iter().rev() {
            self.tags[slot] = Tag::of(bucket);
            place = std::mem::replace(&mut self.places[slot], place);
            bucket = (slot / BUCKET_SLOTS) as u16;
        }
    }

    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random >> 11
    }
}
