//! Random scripts of all calls by four clients against a model of maps: every answer and every error
//! must be equal.

use std::collections::{BTreeMap, BTreeSet};

use platform::segments::Attached;
use spaces::journey::{Journey, JourneyError};
use spaces::registry::{
    Access, Keeper, Kind, Listed, NewSegment, Registry, RegistryError, Rights, SegmentId, SpaceId,
};
use spaces::traveller::SpaceHandle;
use workloads::{Rng, Seed};

use super::killed::await_end;
use super::script::{Do, Script};
use super::world::{PAGE, free_base, journey_on, new_segment, world};

const CALLS: u64 = 100_000;
const CLIENTS: usize = 4;
const NAMES: [&str; 8] = ["heap", "heaps", "stack", "code", "data", "log", "index", "table"];

type Answer<T> = Result<T, RegistryError>;

/// What is known of a segment: as it was made, and its first word.
#[derive(Clone)]
struct Segment {
    made: NewSegment,
    word: u64,
}

struct Space {
    name: String,
    list: Vec<Listed>,
}

/// A space that a journey has attached, with what was mapped into it.
struct Attachment {
    space: SpaceId,
    parts: Vec<Listed>,
}

/// One client: its connection, what it has mapped, and its journey.
struct Client {
    registry: Registry,
    mapped: BTreeMap<SegmentId, Attached>,
    journey: Journey<Script>,
    attached: BTreeMap<u64, Attachment>,
}

struct World {
    segments: BTreeMap<SegmentId, Segment>,
    spaces: BTreeMap<SpaceId, Space>,
    /// All ids that ever were, so that removed ones are asked for too.
    segment_ids: Vec<SegmentId>,
    space_ids: Vec<SpaceId>,
    handles: BTreeSet<(usize, u64)>,
    clients: Vec<Client>,
    base: usize,
    rng: Rng,
}

#[test]
fn every_answer_is_that_of_the_model() {
    let (keeper, _registry) = world();
    let mut world = World::new(&keeper, 28);
    for _ in 0..CALLS {
        world.call();
    }
    let made = (world.segment_ids.len(), world.space_ids.len(), world.handles.len());
    assert!(made.0 > 500 && made.1 > 300 && made.2 > 50, "scripts did too little: {made:?}");
    let processes: Vec<u32> = world
        .clients
        .iter()
        .flat_map(|client| client.journey.processes())
        .map(|(_, process)| process)
        .chain([keeper.process()])
        .collect();
    drop((world, keeper));
    await_end(&processes);
}

impl World {
    fn new(keeper: &Keeper, seed: u64) -> Self {
        let client = |number| {
            let registry = keeper.connect().unwrap();
            let journey = journey_on(&registry, number);
            Client { registry, mapped: BTreeMap::new(), journey, attached: BTreeMap::new() }
        };
        Self {
            segments: BTreeMap::new(),
            spaces: BTreeMap::new(),
            segment_ids: Vec::new(),
            space_ids: Vec::new(),
            handles: BTreeSet::new(),
            clients: (0..CLIENTS).map(client).collect(),
            base: free_base(),
            rng: Seed(seed).rng(),
        }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.rng.below(bound as u64) as usize
    }

    fn name(&mut self) -> String {
        NAMES[self.below(NAMES.len())].to_owned()
    }

    /// One that there is, or now and then one that was.
    fn segment(&mut self) -> SegmentId {
        let living: Vec<SegmentId> = self.segments.keys().copied().collect();
        let from = if self.below(8) == 0 { self.segment_ids.clone() } else { living };
        let at = self.below(from.len().max(1));
        from.get(at).copied().unwrap_or(SegmentId::from_number(u32::MAX))
    }

    fn space(&mut self) -> Option<SpaceId> {
        let living: Vec<SpaceId> = self.spaces.keys().copied().collect();
        let from = if self.below(8) == 0 { self.space_ids.clone() } else { living };
        let at = self.below(from.len().max(1));
        from.get(at).copied()
    }

    fn rights(&mut self) -> Rights {
        if self.below(2) == 0 { Rights::Read } else { Rights::ReadWrite }
    }

    /// One call by one client.
    fn call(&mut self) {
        let client = self.below(CLIENTS);
        match self.below(1000) {
            0..2 => self.attach(client),
            2..4 => self.detach(client),
            4..8 => self.travel(client),
            8..12 => self.map_into(client),
            12..14 => self.unmap_from(client),
            14..160 => self.make_segment(client),
            160..220 => self.clone_segment(client),
            220..380 => self.remove_segment(client),
            380..440 => self.find(client),
            440..500 => self.describe(client),
            500..530 => self.set_lockable(client),
            530..560 => self.set_access(client),
            560..580 => self.map(client),
            580..720 => self.unmap(client),
            720..770 => self.make_space(client),
            770..790 => self.clone_space(client),
            790..840 => self.remove_space(client),
            840..870 => self.attach_segment(client),
            _ => self.detach_segment(client),
        }
    }

    // What the model says.

    fn known(&self, id: SegmentId) -> Answer<&Segment> {
        self.segments.get(&id).ok_or(RegistryError::UnknownSegment(id))
    }

    fn known_space(&self, id: SpaceId) -> Answer<&Space> {
        self.spaces.get(&id).ok_or(RegistryError::UnknownSpace(id))
    }

    fn free_name(&self, kind: Kind, name: &str) -> Answer<()> {
        let taken = match kind {
            Kind::Segment => self.segments.values().any(|one| one.made.name == name),
            Kind::Space => self.spaces.values().any(|one| one.name == name),
        };
        let name = name.to_owned();
        if taken { Err(RegistryError::NameTaken { kind, name }) } else { Ok(()) }
    }

    /// Connections that have a segment open: clients that mapped it, and attached spaces with it.
    fn users(&self, id: SegmentId) -> usize {
        let users = |client: &Client| {
            let spaces = client.attached.values();
            let has = |one: &&Attachment| one.parts.iter().any(|part| part.segment == id);
            usize::from(client.mapped.contains_key(&id)) + spaces.filter(has).count()
        };
        self.clients.iter().map(users).sum()
    }

    fn unused(&self, id: SegmentId) -> Answer<()> {
        let (name, processes) = (self.known(id)?.made.name.clone(), self.users(id));
        if processes > 0 { Err(RegistryError::SegmentInUse { name, processes }) } else { Ok(()) }
    }

    fn overlapping(&self, list: &[Listed], id: SegmentId, space: &str) -> Answer<()> {
        let made = &self.known(id)?.made;
        let (segment, space) = (made.name.clone(), space.to_owned());
        for listed in list {
            let other = &self.known(listed.segment)?.made;
            if listed.segment == id {
                return Err(RegistryError::AlreadyThere { segment, space });
            }
            if (made.base..made.base + made.bytes).contains(&other.base)
                || (other.base..other.base + other.bytes).contains(&made.base)
            {
                return Err(RegistryError::Overlap { segment, other: other.name.clone(), space });
            }
        }
        Ok(())
    }

    fn new_segment_id(&mut self, made: NewSegment, word: u64, id: SegmentId) {
        assert!(self.segment_ids.last().is_none_or(|&last| last < id), "{id} had been another");
        self.segment_ids.push(id);
        self.segments.insert(id, Segment { made, word });
    }

    fn new_space_id(&mut self, name: String, list: Vec<Listed>, id: SpaceId) {
        assert!(self.space_ids.last().is_none_or(|&last| last < id), "{id} had been another");
        self.space_ids.push(id);
        self.spaces.insert(id, Space { name, list });
    }

    // The calls.

    fn make_segment(&mut self, client: usize) {
        let mut new = new_segment(&self.name(), self.base, 1);
        new.base += self.below(6) * PAGE;
        new.bytes = (1 + self.below(3)) * PAGE;
        new.lockable = self.below(2) == 0;
        let wrong = self.below(20);
        let (base, bytes, page_bytes) = (new.base + 8, PAGE + 1, PAGE);
        let expected = self.free_name(Kind::Segment, &new.name).and(match wrong {
            0 => Err(RegistryError::BaseUnaligned { base, page_bytes }),
            1 => Err(RegistryError::BytesUnaligned { bytes, page_bytes }),
            2 => Err(RegistryError::BaseOutside { base: PAGE, bytes: new.bytes }),
            _ => Ok(()),
        });
        match wrong {
            0 => new.base = base,
            1 => new.bytes = bytes,
            2 => new.base = PAGE,
            _ => {}
        }
        let made = self.clients[client].registry.make_segment(new.clone());
        assert_eq!(made.clone().map(|_| ()), expected);
        if let Ok(id) = made {
            self.new_segment_id(new, 0, id);
        }
    }

    fn clone_segment(&mut self, client: usize) {
        let (origin, name) = (self.segment(), self.name());
        let expected = self
            .known(origin)
            .cloned()
            .and_then(|known| self.free_name(Kind::Segment, &name).map(|()| known));
        let cloned = self.clients[client].registry.clone_segment(origin, &name);
        assert_eq!(cloned.clone().map(|_| ()), expected.clone().map(|_| ()));
        if let (Ok(id), Ok(Segment { made, word })) = (cloned, expected) {
            self.new_segment_id(NewSegment { name, ..made }, word, id);
        }
    }

    fn remove_segment(&mut self, client: usize) {
        let id = self.segment();
        let listed = |space: &&Space| space.list.iter().any(|listed| listed.segment == id);
        let expected = self.known(id).and_then(|known| match self.spaces.values().find(listed) {
            Some(space) => Err(RegistryError::SegmentListed {
                name: known.made.name.clone(),
                space: space.name.clone(),
            }),
            None => self.unused(id),
        });
        assert_eq!(self.clients[client].registry.remove_segment(id), expected);
        if expected.is_ok() {
            self.segments.remove(&id);
        }
    }

    fn find(&mut self, client: usize) {
        let name = self.name();
        let registry = &self.clients[client].registry;
        let found = self.segments.iter().find(|(_, one)| one.made.name == name);
        match (registry.find_segment(&name), found) {
            (Ok(id), Some((known, _))) => assert_eq!(id, *known),
            (Err(error), None) => self.suggests(Kind::Segment, &name, &error),
            (answer, _) => panic!("`{name}`: {answer:?}"),
        }
        let found = self.spaces.iter().find(|(_, one)| one.name == name);
        match (registry.find_space(&name), found) {
            (Ok(id), Some((known, space))) => {
                assert_eq!(id, *known);
                assert_eq!(registry.list_space(id).as_ref(), Ok(&space.list));
            }
            (Err(error), None) => self.suggests(Kind::Space, &name, &error),
            (answer, _) => panic!("`{name}`: {answer:?}"),
        }
    }

    /// Suggested is a name that there is, if there is one.
    fn suggests(&self, of: Kind, wanted: &str, error: &RegistryError) {
        let RegistryError::UnknownName { kind, name, nearest } = error else { panic!("{error}") };
        assert_eq!((*kind, name.as_str()), (of, wanted));
        let names: Vec<&String> = match of {
            Kind::Segment => self.segments.values().map(|one| &one.made.name).collect(),
            Kind::Space => self.spaces.values().map(|one| &one.name).collect(),
        };
        assert_eq!(nearest.is_none(), names.is_empty());
        assert!(nearest.iter().all(|nearest| names.contains(&nearest)), "{nearest:?}");
    }

    fn describe(&mut self, client: usize) {
        let id = self.segment();
        let described = self.clients[client].registry.describe_segment(id).map(|info| {
            assert_eq!(info.poisoned_by, None);
            (info.name, info.base, info.bytes, info.lockable)
        });
        let expected = self.known(id).map(|known| {
            let made = &known.made;
            (made.name.clone(), made.base, made.bytes, made.lockable)
        });
        assert_eq!(described, expected);
    }

    fn set_lockable(&mut self, client: usize) {
        let (id, lockable) = (self.segment(), self.below(2) == 0);
        let expected = self.unused(id);
        assert_eq!(self.clients[client].registry.set_lockable(id, lockable), expected);
        if expected.is_ok() {
            self.segments.get_mut(&id).expect("just known").made.lockable = lockable;
        }
    }

    fn set_access(&mut self, client: usize) {
        let id = self.segment();
        let expected = self.known(id).map(|_| ());
        // Whatever the list says, the owner may do everything.
        assert_eq!(self.clients[client].registry.set_access(id, Access::owner()), expected);
        assert_eq!(self.clients[client].registry.repair(id), expected);
    }

    /// The clients are of one process, which has one segment at an address.
    fn map(&mut self, client: usize) {
        let (id, rights) = (self.segment(), self.rights());
        let mapped: Vec<Listed> = self
            .clients
            .iter()
            .flat_map(|client| client.mapped.keys())
            .map(|&segment| Listed { segment, rights })
            .collect();
        let expected = self.known(id).cloned();
        let answer = self.clients[client].registry.map(id, rights);
        let taken = self.overlapping(&mapped, id, "");
        match (expected, answer) {
            (Ok(known), Ok(attached)) if taken.is_ok() => {
                let word = attached.words()[0].load(std::sync::atomic::Ordering::Relaxed);
                assert_eq!(word, known.word, "the first word of {id}");
                self.clients[client].mapped.insert(id, attached);
            }
            (Ok(known), Err(error)) if taken.is_err() => {
                let what = format!("mapping segment `{}`: File exists", known.made.name);
                assert!(error.to_string().starts_with(&what), "{error}");
            }
            (Err(expected), Err(error)) => assert_eq!(error, expected),
            (_, answer) => panic!("mapping {id}: {answer:?}, {taken:?}"),
        }
    }

    fn unmap(&mut self, client: usize) {
        let id = self.segment();
        let expected = self.known(id).map(|_| ());
        drop(self.clients[client].mapped.remove(&id));
        assert_eq!(self.clients[client].registry.unmapped(id), expected);
    }

    fn make_space(&mut self, client: usize) {
        let name = self.name();
        let made = self.clients[client].registry.make_space(&name);
        assert_eq!(made.clone().map(|_| ()), self.free_name(Kind::Space, &name));
        if let Ok(id) = made {
            self.new_space_id(name, Vec::new(), id);
        }
    }

    fn clone_space(&mut self, client: usize) {
        let (Some(origin), name) = (self.space(), self.name()) else { return };
        let expected = self.known_space(origin).map(|space| space.list.clone());
        let expected = expected.and_then(|list| self.free_name(Kind::Space, &name).map(|()| list));
        let cloned = self.clients[client].registry.clone_space(origin, &name);
        assert_eq!(cloned.clone().map(|_| ()), expected.clone().map(|_| ()));
        if let (Ok(id), Ok(list)) = (cloned, expected) {
            self.new_space_id(name, list, id);
        }
    }

    fn remove_space(&mut self, client: usize) {
        let Some(id) = self.space() else { return };
        let attached = self.clients.iter().flat_map(|client| client.attached.values());
        let processes = attached.filter(|one| one.space == id).count();
        let expected = self.known_space(id).and_then(|space| {
            let name = space.name.clone();
            if processes > 0 { Err(RegistryError::SpaceInUse { name, processes }) } else { Ok(()) }
        });
        assert_eq!(self.clients[client].registry.remove_space(id), expected);
        if expected.is_ok() {
            self.spaces.remove(&id);
        }
    }

    fn attach_segment(&mut self, client: usize) {
        let (Some(id), segment, rights) = (self.space(), self.segment(), self.rights()) else {
            return;
        };
        let expected = self.known_space(id).and_then(|space| {
            self.known(segment)?;
            self.overlapping(&space.list, segment, &space.name)
        });
        let answer = self.clients[client].registry.attach_segment(id, segment, rights);
        assert_eq!(answer, expected);
        if expected.is_ok() {
            let space = self.spaces.get_mut(&id).expect("just known");
            space.list.push(Listed { segment, rights });
        }
    }

    fn detach_segment(&mut self, client: usize) {
        let (Some(id), segment) = (self.space(), self.segment()) else { return };
        let expected = self.known_space(id).and_then(|space| {
            let name = self.known(segment)?.made.name.clone();
            let at = space.list.iter().position(|listed| listed.segment == segment);
            at.ok_or(RegistryError::NotThere { segment: name, space: space.name.clone() })
        });
        let answer = self.clients[client].registry.detach_segment(id, segment);
        assert_eq!(answer, expected.clone().map(|_| ()));
        if let Ok(at) = expected {
            self.spaces.get_mut(&id).expect("just known").list.remove(at);
        }
    }

    // Journeys.

    fn attach(&mut self, client: usize) {
        let Some(space) = self.space() else { return };
        let expected = self.known_space(space).map(|space| space.list.clone());
        match (self.clients[client].journey.attach(space), expected) {
            (Ok(handle), Ok(parts)) => {
                assert!(self.handles.insert((client, handle.number())), "{handle} is used again");
                let attachment = Attachment { space, parts };
                self.clients[client].attached.insert(handle.number(), attachment);
            }
            (Err(error), Err(expected)) => assert_eq!(error, JourneyError::Registry(expected)),
            (answer, _) => panic!("attaching {space}: {answer:?}"),
        }
    }

    /// A handle that is attached, or one that was.
    fn handle(&mut self, client: usize) -> SpaceHandle {
        let attached: Vec<u64> = self.clients[client].attached.keys().copied().collect();
        let all: Vec<u64> = self
            .handles
            .iter()
            .filter(|(of, _)| *of == client)
            .map(|&(_, handle)| handle)
            .collect();
        let from = if attached.is_empty() || self.below(5) == 0 { all } else { attached };
        let at = self.below(from.len().max(1));
        SpaceHandle::from_number(from.get(at).copied().unwrap_or(1))
    }

    fn detach(&mut self, client: usize) {
        let handle = self.handle(client);
        let known = self.clients[client].attached.remove(&handle.number());
        let expected = known.map(|_| ()).ok_or(JourneyError::UnknownHandle(handle));
        assert_eq!(self.clients[client].journey.detach(handle), expected);
    }

    /// Goes to a space, and adds one to the first word of each segment that it may write there.
    fn travel(&mut self, client: usize) {
        let handle = self.handle(client);
        let parts =
            self.clients[client].attached.get(&handle.number()).map(|one| one.parts.clone());
        let mut steps = vec![Do::To(handle), Do::Space];
        let all = parts.clone().unwrap_or_default();
        let few = &all[..all.len().min(15)];
        for part in few {
            steps.push(Do::Address(part.segment));
            steps.push(match part.rights {
                Rights::Read => Do::Load(part.segment, 0),
                Rights::ReadWrite => Do::Count(part.segment, 0),
            });
        }
        let Client { journey, .. } = &mut self.clients[client];
        journey.begin_again(Script::new(&steps)).unwrap();
        let answer = journey.run(u64::MAX);
        if parts.is_none() {
            assert_eq!(answer, Err(JourneyError::UnknownHandle(handle)));
            // It is in the primary space, and ends there.
            assert_eq!(journey.run(u64::MAX).map(|trip| trip.at), Ok(None));
            return;
        }
        assert_eq!(answer.map(|trip| (trip.switches, trip.at)), Ok((1, None)));
        let script = *journey.traveller_mut();
        assert_eq!(script.saw(1), handle.number());
        for (number, part) in few.iter().enumerate() {
            let known = self.segments.get_mut(&part.segment).expect("open, so not removed");
            assert_eq!(script.saw(2 + 2 * number), known.made.base as u64);
            match part.rights {
                Rights::Read => assert_eq!(script.saw(3 + 2 * number), known.word),
                Rights::ReadWrite => known.word += 1,
            }
        }
    }

    fn map_into(&mut self, client: usize) {
        let (handle, segment, rights) = (self.handle(client), self.segment(), self.rights());
        let attached = self.clients[client].attached.get(&handle.number());
        let expected = match attached {
            None => Err(JourneyError::UnknownHandle(handle)),
            Some(one) => self
                .known(segment)
                .and_then(|_| self.overlapping(&one.parts, segment, &handle.to_string()))
                .map_err(JourneyError::Registry),
        };
        let answer = self.clients[client].journey.map(handle, segment, rights);
        assert_eq!(answer, expected);
        if let (Ok(()), Some(one)) =
            (expected, self.clients[client].attached.get_mut(&handle.number()))
        {
            one.parts.push(Listed { segment, rights });
        }
    }

    fn unmap_from(&mut self, client: usize) {
        let (handle, segment) = (self.handle(client), self.segment());
        let attached = self.clients[client].attached.get(&handle.number());
        let expected = match attached {
            None => Err(JourneyError::UnknownHandle(handle)),
            Some(one) => self
                .known(segment)
                .and_then(|known| {
                    let at = one.parts.iter().position(|part| part.segment == segment);
                    let (name, space) = (known.made.name.clone(), handle.to_string());
                    at.ok_or(RegistryError::NotThere { segment: name, space })
                })
                .map_err(JourneyError::Registry),
        };
        let answer = self.clients[client].journey.unmap(handle, segment);
        assert_eq!(answer, expected.clone().map(|_| ()));
        if let (Ok(at), Some(one)) =
            (expected, self.clients[client].attached.get_mut(&handle.number()))
        {
            one.parts.remove(at);
        }
    }
}
