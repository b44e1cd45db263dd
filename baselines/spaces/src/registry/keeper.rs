//! The process that keeps segments: it holds their memory, answers one request after another, and
//! notices when a process that uses them ends.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

use platform::Pages;
use platform::mapping::HUGE_PAGE_BYTES;
use platform::process::{allow_most_descriptors, available_bytes};
use platform::relay::Partners;
use platform::segments::Segment;
use platform::sockets::{Channel, Listener, Peer, wait_readable};

use super::access::Rights;
use super::catalogue::{Catalogue, Connection, Part};
use super::error::RegistryError;
use super::request::{NewSegment, Reply, Request, SegmentId, SegmentInfo};
use super::{Registry, decode, encode};
use crate::lock::{self, Lock, SLOTS};

/// Tells a process that it is a keeper.
const VARIABLE: &str = "NIBBLE_SPACE_KEEPER";

/// A running keeper. It is killed when this is dropped, and when the thread that started it ends; its
/// segments are gone when the last process that has attached one is.
#[derive(Debug)]
pub struct Keeper {
    process: Partners,
    name: String,
}

impl Keeper {
    /// Starts one. `program` starts a program that calls [`serve`].
    ///
    /// # Errors
    /// The system's error.
    pub fn start(program: impl FnOnce() -> io::Result<Command>) -> Result<Self, RegistryError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        // Relaxed: only the number matters.
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("nibble-spaces.{}.{number}", std::process::id());
        let start = || {
            // Made here, so that who knows the name can connect at once.
            let listener = Listener::bind(&name)?.into_descriptor();
            let mut command = program()?;
            command.env(VARIABLE, "1").stdin(Stdio::from(listener)).stdout(Stdio::null());
            let mut process = Partners::default();
            process.start(&mut command).map(|()| process)
        };
        let process = start().map_err(RegistryError::system("starting a keeper"))?;
        Ok(Self { process, name })
    }

    /// The name by which processes of this machine connect to it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its process.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process.ids()[0]
    }

    /// A connection for this process.
    ///
    /// # Errors
    /// If the keeper has ended.
    pub fn connect(&self) -> Result<Registry, RegistryError> {
        Registry::connect(&self.name)
    }
}

/// Why a process cannot be a keeper.
#[derive(Debug)]
pub enum KeeperError {
    /// Nobody started it for that.
    Alone,
    /// The system refused something.
    System(io::Error),
}

impl fmt::Display for KeeperError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Alone => write!(
                formatter,
                "a keeper is started by the program that uses its segments, not by hand \
                 ({VARIABLE} is not set)"
            ),
            Self::System(error) => write!(formatter, "the keeper of segments: {error}"),
        }
    }
}

impl std::error::Error for KeeperError {}

/// Whether this process was started to be a keeper.
#[must_use]
pub fn is_wanted() -> bool {
    std::env::var_os(VARIABLE).is_some()
}

/// Keeps segments until this process is killed. Its standard input is what others connect to.
///
/// # Errors
/// If the process was not started for that, or the system refuses something.
pub fn serve() -> Result<std::convert::Infallible, KeeperError> {
    if !is_wanted() {
        return Err(KeeperError::Alone);
    }
    let listener = io::stdin().as_fd().try_clone_to_owned().map_err(KeeperError::System)?;
    let listener = Listener::received(listener);
    allow_most_descriptors();
    let mut server = Server::default();
    loop {
        server.turn(&listener).map_err(KeeperError::System)?;
    }
}

/// The memory of one segment and of its lock. The lock is there from the beginning, so that a segment
/// can become lockable.
#[derive(Debug)]
struct Memory {
    segment: Segment,
    lock: Segment,
    /// The lock as the keeper sees it, and as each connection that opened it does.
    own: Lock,
    holders: BTreeMap<Connection, Lock>,
}

#[derive(Debug)]
struct Client {
    connection: Connection,
    channel: Channel,
    peer: Peer,
}

#[derive(Debug, Default)]
struct Server {
    catalogue: Catalogue,
    memory: BTreeMap<SegmentId, Memory>,
    clients: Vec<Client>,
    connections: u64,
}

/// An answer, perhaps with a descriptor.
type Answer = Result<(Reply, Option<OwnedFd>), RegistryError>;

impl Server {
    /// Waits for somebody, and does what can be done without waiting.
    fn turn(&mut self, listener: &Listener) -> io::Result<()> {
        let all = self.clients.iter().map(|client| client.channel.as_fd());
        let ready =
            wait_readable(&std::iter::once(listener.as_fd()).chain(all).collect::<Vec<_>>())?;
        let (comes, ready) = ready.split_first().expect("the listener is among them");
        let waiting = self.clients.iter().zip(ready).filter(|(_, ready)| **ready);
        // Who has ended comes first, so that who asks after an end finds it done.
        let (ended, asking): (Vec<_>, Vec<_>) = waiting
            .map(|(client, _)| (client.channel.is_closed(), client.connection))
            .partition(|&(is_closed, _)| is_closed);
        for (is_closed, connection) in ended.into_iter().chain(asking) {
            // What it asked before it ended is done; nothing else of it comes.
            let mut goes_on = self.serve(connection);
            while goes_on && is_closed {
                goes_on = self.serve(connection);
            }
            if !goes_on {
                self.forget(connection);
            }
            if cfg!(debug_assertions) {
                self.catalogue.check();
            }
        }
        if *comes {
            self.welcome(listener);
        }
        Ok(())
    }

    fn welcome(&mut self, listener: &Listener) {
        // Who is gone again, or comes when no descriptor is left, is not served.
        let Ok(channel) = listener.accept() else { return };
        let Ok(peer) = channel.peer() else { return };
        self.connections += 1;
        let connection = Connection(self.connections);
        self.clients.push(Client { connection, channel, peer });
    }

    /// Answers one request; returns whether the connection goes on.
    fn serve(&mut self, connection: Connection) -> bool {
        let at = self.clients.iter().position(|client| client.connection == connection);
        let client = &self.clients[at.expect("a connection")];
        let Ok(Some((message, _))) = client.channel.receive() else { return false };
        let Some(request) = decode(&message) else { return false };
        let peer = client.peer;
        let (reply, descriptor) = match self.answer(request, connection, peer) {
            Ok(answer) => answer,
            Err(refused) => (Reply::Refused(refused), None),
        };
        let client = &self.clients[at.expect("a connection")];
        client.channel.send(&encode(&reply), descriptor.as_ref().map(AsFd::as_fd)).is_ok()
    }

    fn answer(&mut self, request: Request, by: Connection, peer: Peer) -> Answer {
        let catalogue = &mut self.catalogue;
        let reply = match request {
            Request::MakeSegment(new) => {
                catalogue.check_new(&new)?;
                let segment = allocate(&new)?;
                Reply::Segment(self.keep(segment, new, peer)?)
            }
            Request::CloneSegment(origin, name) => {
                let new = catalogue.clone_of(origin, name, peer)?;
                check_free(new.bytes)?;
                let copy = self.memory[&origin].segment.copied();
                Reply::Segment(self.keep(copy.map_err(copying)?, new, peer)?)
            }
            Request::FindSegment(name) => Reply::Segment(catalogue.find_segment(&name)?),
            Request::Describe(id) => Reply::Described(self.describe(id)?),
            Request::SetAccess(id, access) => done(catalogue.set_access(id, access, peer))?,
            Request::SetLockable(id, lockable) => done(catalogue.set_lockable(id, lockable, peer))?,
            Request::Repair(id) => {
                catalogue.check_governed(id, peer)?;
                self.memory[&id].own.repair();
                Reply::Done
            }
            Request::RemoveSegment(id) => {
                catalogue.remove_segment(id, peer)?;
                self.memory.remove(&id);
                Reply::Done
            }
            Request::OpenSegment(id, rights) => return self.open(id, rights, (by, peer)),
            Request::OpenLock(id) => return self.open_lock(id, by, peer),
            Request::Close(id) => {
                catalogue.close(id, Part::Memory, by)?;
                Reply::Done
            }
            Request::CloseLock(id) => {
                if !catalogue.close(id, Part::Lock, by)? {
                    self.release(id, by, peer.pid);
                }
                Reply::Done
            }
            Request::MakeSpace(name) => Reply::Space(catalogue.make_space(name, peer)?),
            Request::FindSpace(name) => Reply::Space(catalogue.find_space(&name)?),
            Request::List(id) => Reply::List(catalogue.list(id)?.to_vec()),
            Request::CloneSpace(id, name) => Reply::Space(catalogue.clone_space(id, name, peer)?),
            Request::RemoveSpace(id) => done(catalogue.remove_space(id, peer))?,
            Request::AttachSegment(id, new) => done(catalogue.attach_segment(id, new, peer))?,
            Request::DetachSegment(id, segment) => {
                done(catalogue.detach_segment(id, segment, peer))?
            }
            Request::Enter(id) => Reply::List(catalogue.enter(id, by)?),
        };
        Ok((reply, None))
    }

    fn keep(
        &mut self,
        segment: Segment,
        new: NewSegment,
        peer: Peer,
    ) -> Result<SegmentId, RegistryError> {
        let lock = lock::memory().map_err(allocating)?;
        // The last slot is the keeper's, which never enters.
        let own = Lock::new(&lock, SLOTS - 1).map_err(allocating)?;
        let id = self.catalogue.add_segment(new, peer);
        self.memory.insert(id, Memory { segment, lock, own, holders: BTreeMap::new() });
        Ok(id)
    }

    fn describe(&self, id: SegmentId) -> Result<SegmentInfo, RegistryError> {
        let (made, owner) = self.catalogue.segment(id)?;
        Ok(SegmentInfo {
            name: made.name.clone(),
            owner,
            base: made.base,
            bytes: made.bytes,
            page_bytes: made.page_bytes,
            lockable: made.lockable,
            poisoned_by: self.memory[&id].own.poisoned_by(),
        })
    }

    /// Who may read gets a descriptor that the kernel maps for reading only.
    fn open(&mut self, id: SegmentId, rights: Rights, (by, peer): (Connection, Peer)) -> Answer {
        self.catalogue.check_rights(id, rights, peer)?;
        let segment = &self.memory[&id].segment;
        let descriptor = match rights {
            Rights::Read => segment.read_only_descriptor(),
            Rights::ReadWrite => segment.descriptor(),
        };
        let descriptor = descriptor.map_err(RegistryError::system("a descriptor of a segment"))?;
        self.catalogue.open(id, Part::Memory, by);
        Ok((Reply::Done, Some(descriptor)))
    }

    fn open_lock(&mut self, id: SegmentId, by: Connection, peer: Peer) -> Answer {
        self.catalogue.check_rights(id, Rights::Read, peer)?;
        let (made, _) = self.catalogue.segment(id)?;
        let name = made.name.clone();
        if !made.lockable {
            return Err(RegistryError::NotLockable { name });
        }
        let memory = self.memory.get_mut(&id).expect("each segment has memory");
        let taken = |slot: &usize| memory.holders.values().any(|lock| lock.slot() == *slot);
        let slot = match memory.holders.get(&by) {
            Some(lock) => lock.slot(),
            None => (0..SLOTS - 1).find(|slot| !taken(slot)).ok_or(RegistryError::TooMany {
                what: format!("processes that lock segment `{name}`"),
                most: SLOTS - 1,
            })?,
        };
        let failed = RegistryError::system("a descriptor of a lock");
        let descriptor = memory.lock.descriptor().map_err(failed)?;
        let lock = Lock::new(&memory.lock, slot).map_err(allocating)?;
        memory.holders.insert(by, lock);
        self.catalogue.open(id, Part::Lock, by);
        Ok((Reply::Slot(slot), Some(descriptor)))
    }

    /// The connection is over, and its process is dead or has left.
    fn forget(&mut self, connection: Connection) {
        let at = self.clients.iter().position(|client| client.connection == connection);
        let client = self.clients.swap_remove(at.expect("a connection"));
        let ids: Vec<SegmentId> = self.memory.keys().copied().collect();
        for id in ids {
            self.release(id, connection, client.peer.pid);
        }
        self.catalogue.end(connection);
    }

    fn release(&mut self, id: SegmentId, by: Connection, pid: u32) {
        let memory = self.memory.get_mut(&id).expect("each segment has memory");
        if let Some(lock) = memory.holders.remove(&by) {
            lock.bury(pid);
        }
    }
}

fn done(done: Result<(), RegistryError>) -> Result<Reply, RegistryError> {
    done.map(|()| Reply::Done)
}

fn check_free(bytes: usize) -> Result<(), RegistryError> {
    let available = available_bytes().map_err(RegistryError::system("what memory is free"))?;
    if bytes as u64 <= available {
        return Ok(());
    }
    Err(RegistryError::TooLarge { bytes, available })
}

fn allocate(new: &NewSegment) -> Result<Segment, RegistryError> {
    check_free(new.bytes)?;
    let pages = pages_of(new.page_bytes);
    Segment::resident(new.bytes, pages).map_err(allocating)
}

fn allocating(error: io::Error) -> RegistryError {
    RegistryError::system("memory of a segment")(error)
}

fn copying(error: io::Error) -> RegistryError {
    RegistryError::system("copying a segment")(error)
}

/// The pages to request from the system.
pub(crate) fn pages_of(page_bytes: usize) -> Pages {
    if page_bytes == HUGE_PAGE_BYTES { Pages::Huge } else { Pages::Small }
}
