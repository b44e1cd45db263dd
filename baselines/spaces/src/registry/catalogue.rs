//! What a keeper knows: segments, spaces, who uses them, and what each may do. It holds no memory.

use std::collections::BTreeMap;

use platform::mapping::{HUGE_PAGE_BYTES, PAGE_BYTES};
use platform::segments::{CHOSEN_END, RANGE_START};
use platform::sockets::Peer;

use super::access::{Access, Rights, may_govern};
use super::error::{Kind, NAME_BYTES_MAX, RegistryError};
use super::request::{ID_MAX, Listed, NewSegment, SegmentId, SpaceId};

type Result<T> = std::result::Result<T, RegistryError>;

/// Segments of one space.
pub const SEGMENTS_PER_SPACE_MAX: usize = 256;
/// Entries of one access list.
pub const ACCESS_ENTRIES_MAX: usize = 256;

/// A connection, by a number that is used once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Connection(pub(super) u64);

#[derive(Debug)]
struct Segment {
    made: NewSegment,
    owner: u32,
}

#[derive(Debug)]
struct Space {
    name: String,
    owner: u32,
    list: Vec<Listed>,
}

/// What is opened of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Memory,
    Lock,
}

/// What one connection uses, and how often it opened it.
#[derive(Debug, Default)]
struct Use {
    entered: Vec<SpaceId>,
    opened: BTreeMap<(SegmentId, Part), u32>,
}

#[derive(Debug, Default)]
pub(super) struct Catalogue {
    segments: BTreeMap<SegmentId, Segment>,
    spaces: BTreeMap<SpaceId, Space>,
    uses: BTreeMap<Connection, Use>,
    /// Ids are given out in order, so that none is used twice.
    last_segment: u32,
    last_space: u32,
}

impl Catalogue {
    /// Whether such a segment can be made, if there is memory for it.
    pub(super) fn check_new(&self, new: &NewSegment) -> Result<()> {
        let NewSegment { base, bytes, page_bytes, .. } = *new;
        self.check_name(Kind::Segment, &new.name)?;
        if page_bytes != PAGE_BYTES && page_bytes != HUGE_PAGE_BYTES {
            return Err(RegistryError::PageBytes { page_bytes });
        }
        if bytes == 0 || !bytes.is_multiple_of(page_bytes) {
            return Err(RegistryError::BytesUnaligned { bytes, page_bytes });
        }
        if !base.is_multiple_of(page_bytes) {
            return Err(RegistryError::BaseUnaligned { base, page_bytes });
        }
        if base < RANGE_START || base.checked_add(bytes).is_none_or(|end| end > CHOSEN_END) {
            return Err(RegistryError::BaseOutside { base, bytes });
        }
        check_access(&new.access)?;
        below(self.last_segment, "segments in the life of a keeper")
    }

    /// Adds a segment that was checked, and whose memory is there.
    pub(super) fn add_segment(&mut self, made: NewSegment, peer: Peer) -> SegmentId {
        self.last_segment += 1;
        let id = SegmentId(self.last_segment);
        self.segments.insert(id, Segment { made, owner: peer.uid });
        id
    }

    pub(super) fn find_segment(&self, name: &str) -> Result<SegmentId> {
        let named = self.segments.iter().map(|(&id, one)| (id, one.made.name.as_str()));
        find(Kind::Segment, name, named)
    }

    /// The segment as it was made and governed since, and its owner.
    pub(super) fn segment(&self, id: SegmentId) -> Result<(&NewSegment, u32)> {
        self.known(id).map(|one| (&one.made, one.owner))
    }

    /// A segment as a clone of `origin`, at the same base.
    pub(super) fn clone_of(
        &self,
        origin: SegmentId,
        name: String,
        peer: Peer,
    ) -> Result<NewSegment> {
        self.check_rights(origin, Rights::Read, peer)?;
        let new = NewSegment { name, ..self.known(origin)?.made.clone() };
        self.check_new(&new)?;
        Ok(new)
    }

    pub(super) fn set_access(&mut self, id: SegmentId, access: Access, peer: Peer) -> Result<()> {
        check_access(&access)?;
        self.governed(id, peer)?.made.access = access;
        Ok(())
    }

    pub(super) fn set_lockable(&mut self, id: SegmentId, lockable: bool, peer: Peer) -> Result<()> {
        self.governed(id, peer)?;
        self.check_unused(id)?;
        self.governed(id, peer)?.made.lockable = lockable;
        Ok(())
    }

    pub(super) fn check_governed(&self, id: SegmentId, peer: Peer) -> Result<()> {
        let one = self.known(id)?;
        govern(&one.made.name, one.owner, peer)
    }

    pub(super) fn remove_segment(&mut self, id: SegmentId, peer: Peer) -> Result<()> {
        let name = self.governed(id, peer)?.made.name.clone();
        let lists = |space: &&Space| space.list.iter().any(|listed| listed.segment == id);
        if let Some(space) = self.spaces.values().find(lists) {
            return Err(RegistryError::SegmentListed { name, space: space.name.clone() });
        }
        self.check_unused(id)?;
        self.segments.remove(&id);
        Ok(())
    }

    /// Whether `peer` has these rights to a segment.
    pub(super) fn check_rights(&self, id: SegmentId, wanted: Rights, peer: Peer) -> Result<()> {
        let one = self.known(id)?;
        let granted = one.made.access.granted(one.owner, peer);
        if granted >= Some(wanted) {
            return Ok(());
        }
        let segment = one.made.name.clone();
        Err(RegistryError::Denied { segment, wanted, granted, uid: peer.uid })
    }

    pub(super) fn open(&mut self, id: SegmentId, part: Part, by: Connection) {
        *self.uses.entry(by).or_default().opened.entry((id, part)).or_default() += 1;
    }

    /// Undoes one opening, if there was one; returns whether the connection still has the part open.
    pub(super) fn close(&mut self, id: SegmentId, part: Part, by: Connection) -> Result<bool> {
        self.known(id)?;
        let opened = &mut self.uses.entry(by).or_default().opened;
        let Some(times) = opened.get_mut(&(id, part)) else { return Ok(false) };
        *times -= 1;
        let still = *times > 0;
        if !still {
            opened.remove(&(id, part));
        }
        Ok(still)
    }

    pub(super) fn make_space(&mut self, name: String, peer: Peer) -> Result<SpaceId> {
        self.add_space(name, Vec::new(), peer)
    }

    pub(super) fn find_space(&self, name: &str) -> Result<SpaceId> {
        let named = self.spaces.iter().map(|(&id, one)| (id, one.name.as_str()));
        find(Kind::Space, name, named)
    }

    pub(super) fn list(&self, id: SpaceId) -> Result<&[Listed]> {
        self.space(id).map(|space| space.list.as_slice())
    }

    pub(super) fn clone_space(&mut self, id: SpaceId, name: String, peer: Peer) -> Result<SpaceId> {
        let list = self.space(id)?.list.clone();
        for listed in &list {
            self.check_rights(listed.segment, listed.rights, peer)?;
        }
        self.add_space(name, list, peer)
    }

    pub(super) fn remove_space(&mut self, id: SpaceId, peer: Peer) -> Result<()> {
        let space = self.space(id)?;
        govern(&space.name, space.owner, peer)?;
        let processes = self.uses.values().filter(|used| used.entered.contains(&id)).count();
        if processes > 0 {
            return Err(RegistryError::SpaceInUse { name: space.name.clone(), processes });
        }
        self.spaces.remove(&id);
        Ok(())
    }

    /// Rule 1: what overlaps is refused, and the space stays as it was.
    pub(super) fn attach_segment(&mut self, id: SpaceId, new: Listed, peer: Peer) -> Result<()> {
        let space = self.space(id)?;
        govern(&space.name, space.owner, peer)?;
        let made = &self.known(new.segment)?.made;
        self.check_rights(new.segment, new.rights, peer)?;
        let (segment, name) = (made.name.clone(), space.name.clone());
        for listed in &space.list {
            if listed.segment == new.segment {
                return Err(RegistryError::AlreadyThere { segment, space: name });
            }
            let other = &self.known(listed.segment)?.made;
            if overlap((made.base, made.bytes), (other.base, other.bytes)) {
                let other = other.name.clone();
                return Err(RegistryError::Overlap { segment, other, space: name });
            }
        }
        if space.list.len() == SEGMENTS_PER_SPACE_MAX {
            let what = format!("segments in space `{name}`");
            return Err(RegistryError::TooMany { what, most: SEGMENTS_PER_SPACE_MAX });
        }
        self.space_mut(id)?.list.push(new);
        Ok(())
    }

    pub(super) fn detach_segment(
        &mut self,
        id: SpaceId,
        segment: SegmentId,
        peer: Peer,
    ) -> Result<()> {
        let space = self.space(id)?;
        govern(&space.name, space.owner, peer)?;
        let name = self.known(segment)?.made.name.clone();
        let Some(at) = space.list.iter().position(|listed| listed.segment == segment) else {
            return Err(RegistryError::NotThere { segment: name, space: space.name.clone() });
        };
        self.space_mut(id)?.list.remove(at);
        Ok(())
    }

    pub(super) fn enter(&mut self, id: SpaceId, by: Connection) -> Result<Vec<Listed>> {
        let list = self.space(id)?.list.clone();
        self.uses.entry(by).or_default().entered.push(id);
        Ok(list)
    }

    /// A connection has ended: it uses nothing any more.
    pub(super) fn end(&mut self, connection: Connection) {
        self.uses.remove(&connection);
    }

    fn add_space(&mut self, name: String, list: Vec<Listed>, peer: Peer) -> Result<SpaceId> {
        self.check_name(Kind::Space, &name)?;
        below(self.last_space, "spaces in the life of a keeper")?;
        self.last_space += 1;
        let id = SpaceId(self.last_space);
        self.spaces.insert(id, Space { name, owner: peer.uid, list });
        Ok(id)
    }

    fn check_name(&self, kind: Kind, name: &str) -> Result<()> {
        let taken = match kind {
            Kind::Segment => self.segments.values().any(|one| one.made.name == name),
            Kind::Space => self.spaces.values().any(|one| one.name == name),
        };
        match name.len() {
            0 => Err(RegistryError::NameEmpty { kind }),
            bytes if bytes > NAME_BYTES_MAX => Err(RegistryError::NameTooLong { kind, bytes }),
            _ if taken => Err(RegistryError::NameTaken { kind, name: name.to_owned() }),
            _ => Ok(()),
        }
    }

    fn check_unused(&self, id: SegmentId) -> Result<()> {
        let opens = |used: &&Use| used.opened.keys().any(|&(opened, _)| opened == id);
        let processes = self.uses.values().filter(opens).count();
        if processes == 0 {
            return Ok(());
        }
        Err(RegistryError::SegmentInUse { name: self.known(id)?.made.name.clone(), processes })
    }

    fn known(&self, id: SegmentId) -> Result<&Segment> {
        self.segments.get(&id).ok_or(RegistryError::UnknownSegment(id))
    }

    fn governed(&mut self, id: SegmentId, peer: Peer) -> Result<&mut Segment> {
        let one = self.segments.get_mut(&id).ok_or(RegistryError::UnknownSegment(id))?;
        govern(&one.made.name, one.owner, peer)?;
        Ok(one)
    }

    fn space(&self, id: SpaceId) -> Result<&Space> {
        self.spaces.get(&id).ok_or(RegistryError::UnknownSpace(id))
    }

    fn space_mut(&mut self, id: SpaceId) -> Result<&mut Space> {
        self.spaces.get_mut(&id).ok_or(RegistryError::UnknownSpace(id))
    }

    /// Asserts what holds between calls.
    pub(super) fn check(&self) {
        for (id, space) in &self.spaces {
            let parts = space.list.iter().map(|listed| {
                let made = &self.segments[&listed.segment].made;
                (made.base, made.base + made.bytes)
            });
            let mut parts: Vec<_> = parts.collect();
            parts.sort_unstable();
            assert!(parts.windows(2).all(|two| two[0].1 <= two[1].0), "{id} has overlaps");
        }
        let mut opened = self.uses.values().flat_map(|used| used.opened.keys());
        assert!(opened.all(|(id, _)| self.segments.contains_key(id)), "removed and open");
        let mut entered = self.uses.values().flat_map(|used| &used.entered);
        assert!(entered.all(|id| self.spaces.contains_key(id)), "removed and entered");
    }
}

/// Whether two ranges, each a start and a length, have a byte in common.
pub(crate) fn overlap(one: (usize, usize), two: (usize, usize)) -> bool {
    one.0 < two.0 + two.1 && two.0 < one.0 + one.1
}

fn govern(name: &str, owner: u32, peer: Peer) -> Result<()> {
    if may_govern(owner, peer) {
        return Ok(());
    }
    Err(RegistryError::NotOwner { name: name.to_owned(), owner, uid: peer.uid })
}

fn below(last: u32, what: &str) -> Result<()> {
    if last < ID_MAX {
        return Ok(());
    }
    Err(RegistryError::TooMany { what: what.to_owned(), most: ID_MAX as usize })
}

fn check_access(access: &Access) -> Result<()> {
    if access.entries() <= ACCESS_ENTRIES_MAX {
        return Ok(());
    }
    let what = "entries in an access list".to_owned();
    Err(RegistryError::TooMany { what, most: ACCESS_ENTRIES_MAX })
}

fn find<'name, Id>(
    kind: Kind,
    name: &str,
    named: impl Iterator<Item = (Id, &'name str)>,
) -> Result<Id> {
    let mut nearest: Option<(usize, &str)> = None;
    for (id, known) in named {
        if known == name {
            return Ok(id);
        }
        let distance = strsim::damerau_levenshtein(known, name);
        if nearest.is_none_or(|(least, _)| distance < least) {
            nearest = Some((distance, known));
        }
    }
    let nearest = nearest.map(|(_, known)| known.to_owned());
    Err(RegistryError::UnknownName { kind, name: name.to_owned(), nearest })
}
