//! The coordinator: has clients load, begin at one moment, and verify each other's values, while events
//! happen to the servers.

use std::fmt;
use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use crate::client::now_ns;
use crate::events::{Event, EventOutcome};
use crate::interval::{Interval, merge};
use crate::job::Job;
use crate::latency::Latency;
use crate::ledger::{Found, Ledger};
use crate::offset::{Exchange, Offset, offset};
use crate::protocol::{End, FromClient, ProtocolError, ToClient, VERSION, hear, say};
use crate::servers::{Servers, ServersError, State};
use crate::target::Address;

/// Round trips that measure an offset.
const EXCHANGES: usize = 32;
/// From the word to the start, in which clients open their connections.
const LEAD_NS: u64 = 1_000_000_000;
/// How long a cluster may take to serve all slots again before values are verified.
const HEALING: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(100);

/// A client that was started, and how it is talked to.
pub struct ClientLink {
    /// What people call it: a host, a task, or a number.
    pub name: String,
    pub input: Box<dyn BufRead + Send>,
    pub output: Box<dyn Write + Send>,
}

impl fmt::Debug for ClientLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientLink").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Why a run came to nothing.
#[derive(Debug)]
pub enum CoordinatorError {
    /// Some clients are not there: how many are, and what happened to the others.
    Clients {
        there: usize,
        wanted: usize,
        why: Vec<String>,
    },
    /// A client was lost on the way.
    Lost {
        client: String,
        why: String,
    },
    Servers(ServersError),
}

impl fmt::Display for CoordinatorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Clients { there, wanted, why } => write!(
                f,
                "{there} of {wanted} clients are there, and a schedule needs all: {}; mend that, or \
                 measure with --clients {}",
                why.join("; "),
                (*there).max(1)
            ),
            Self::Lost { client, why } => write!(
                f,
                "{client} was lost: {why}; what the others measured is no schedule, so nothing was \
                 written: run again"
            ),
            Self::Servers(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CoordinatorError {}

impl From<ServersError> for CoordinatorError {
    fn from(error: ServersError) -> Self {
        Self::Servers(error)
    }
}

/// What was measured.
#[derive(Debug)]
pub struct Measured {
    pub(crate) clients: Vec<Client>,
    pub(crate) intervals: Vec<Interval>,
    /// The latencies of each client's connections in turn, if they were to be kept.
    pub samples: Vec<Vec<u64>>,
    pub(crate) events: Vec<EventOutcome>,
    pub(crate) found: Found,
    pub(crate) states: Vec<ServerStates>,
    pub(crate) is_whole: bool,
}

/// What one client measured.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) name: String,
    pub(crate) host: String,
    pub(crate) library: String,
    pub(crate) before: Offset,
    pub(crate) after: Offset,
    pub(crate) end: End,
    pub(crate) reads: Latency,
    pub(crate) writes: Latency,
}

/// What a server said before the start and after the end.
#[derive(Debug)]
pub(crate) struct ServerStates {
    pub(crate) shard: usize,
    pub(crate) address: Address,
    pub(crate) before: State,
    /// None if it could not be reached.
    pub(crate) after: Option<State>,
}

/// Runs a job on clients that were started. `tell` is told what happens.
///
/// # Errors
/// [`CoordinatorError`]
pub fn measure(
    (job, servers): (&Job, &Servers),
    links: &mut [ClientLink],
    events: &[Event],
    tell: &dyn Fn(&str),
) -> Result<Measured, CoordinatorError> {
    let ready = begin(job, links)?;
    tell(&format!("{} clients are there: loading {} records", links.len(), job.records));
    each(links, &ToClient::Load, |said| matches!(said, FromClient::Loaded { .. }).then_some(()))?;
    let before = states(servers)?;
    let keys = job.keys_of_shards();
    let offsets = offsets(links)?;
    let start_ns = now_ns() + LEAD_NS;
    for (link, offset) in links.iter_mut().zip(&offsets) {
        let at_ns = offset.there(start_ns);
        say(&mut link.output, &ToClient::Start { at_ns }).map_err(|error| lost(link, &error))?;
    }
    tell(&format!(
        "{} s at {} requests/s from {} connections",
        job.duration_ms as f64 / 1e3,
        job.rate_ops_per_s,
        job.writers()
    ));
    let (answers, events) = std::thread::scope(|scope| {
        let happened = scope.spawn(|| happen(events, servers, &keys, start_ns));
        let answers = links.iter_mut().map(answers).collect::<Result<Vec<Answers>, _>>();
        (answers, happened.join().expect("the thread of events"))
    });
    let answers = answers?;
    let is_whole = wait_until_whole(servers);
    let states = before
        .into_iter()
        .map(|(shard, address, before)| ServerStates {
            after: servers.state(&address).ok(),
            shard,
            address,
            before,
        })
        .collect();
    let offsets_after = self::offsets(links)?;
    tell("verifying what each client wrote by another one");
    let found = verify(links, answers.iter().map(|answers| answers.ledgers.clone()).collect())?;
    for link in links.iter_mut() {
        // A client that is gone by now has said all.
        let _ = say(&mut link.output, &ToClient::End);
    }
    let mut measured = Measured {
        clients: Vec::new(),
        intervals: Vec::new(),
        samples: Vec::new(),
        events,
        found,
        states,
        is_whole,
    };
    let offsets = offsets.into_iter().zip(offsets_after);
    for (((link, (host, library)), answers), (before, after)) in
        links.iter().zip(ready).zip(answers).zip(offsets)
    {
        let Answers { intervals, samples, end, reads, writes, .. } = answers;
        let name = link.name.clone();
        measured.clients.push(Client { name, host, library, before, after, end, reads, writes });
        measured.intervals.extend(intervals);
        measured.samples.push(samples);
    }
    measured.intervals = merge(measured.intervals);
    Ok(measured)
}

/// The host of each client and the library that it uses.
fn begin(job: &Job, links: &mut [ClientLink]) -> Result<Vec<(String, String)>, CoordinatorError> {
    let (mut ready, mut why) = (Vec::new(), Vec::new());
    for (client, link) in links.iter_mut().enumerate() {
        let begin = ToClient::Begin { version: VERSION, client, job: Box::new(job.clone()) };
        // Who does not hear it says so below.
        let _ = say(&mut link.output, &begin);
    }
    for link in links.iter_mut() {
        match hear(&mut link.input) {
            Ok(FromClient::Ready { host, library, .. }) => ready.push((host, library)),
            Ok(FromClient::Failed { why: said }) => why.push(format!("{}: {said}", link.name)),
            Ok(_) => why.push(format!("{} said something else than that it is ready", link.name)),
            Err(error) => why.push(format!("{}: {error}", link.name)),
        }
    }
    match why.is_empty() {
        true => Ok(ready),
        false => Err(CoordinatorError::Clients { there: ready.len(), wanted: links.len(), why }),
    }
}

fn lost(link: &ClientLink, error: &ProtocolError) -> CoordinatorError {
    CoordinatorError::Lost { client: link.name.clone(), why: error.to_string() }
}

/// The next that a client says.
fn heard(link: &mut ClientLink) -> Result<FromClient, CoordinatorError> {
    match hear(&mut link.input) {
        Ok(FromClient::Failed { why }) => {
            Err(CoordinatorError::Lost { client: link.name.clone(), why })
        }
        Ok(said) => Ok(said),
        Err(error) => Err(lost(link, &error)),
    }
}

fn unexpected(link: &ClientLink) -> CoordinatorError {
    let why = "it said something else than it was asked".to_owned();
    CoordinatorError::Lost { client: link.name.clone(), why }
}

/// Asks all clients the same, and waits for the answers of all.
fn each<T>(
    links: &mut [ClientLink],
    asked: &ToClient,
    answer: impl Fn(FromClient) -> Option<T>,
) -> Result<Vec<T>, CoordinatorError> {
    for link in links.iter_mut() {
        say(&mut link.output, asked).map_err(|error| lost(link, &error))?;
    }
    let answers = links.iter_mut().map(|link| {
        let said = heard(link)?;
        answer(said).ok_or_else(|| unexpected(link))
    });
    answers.collect()
}

/// How far each client's clock is from ours.
fn offsets(links: &mut [ClientLink]) -> Result<Vec<Offset>, CoordinatorError> {
    let of = |link: &mut ClientLink| {
        let mut exchanges = [Exchange { asked_ns: 0, answered_ns: 0, received_ns: 0 }; EXCHANGES];
        for exchange in &mut exchanges {
            exchange.asked_ns = now_ns();
            say(&mut link.output, &ToClient::Time).map_err(|error| lost(link, &error))?;
            let FromClient::Time { ns } = heard(link)? else { return Err(unexpected(link)) };
            exchange.answered_ns = ns;
            exchange.received_ns = now_ns();
        }
        Ok(offset(&exchanges).expect("there are exchanges"))
    };
    links.iter_mut().map(of).collect()
}

/// What a client said of its part of the schedule.
struct Answers {
    intervals: Vec<Interval>,
    samples: Vec<u64>,
    end: End,
    reads: Latency,
    writes: Latency,
    ledgers: Vec<Ledger>,
}

fn answers(link: &mut ClientLink) -> Result<Answers, CoordinatorError> {
    let (mut intervals, mut samples) = (Vec::new(), Vec::new());
    loop {
        match heard(link)? {
            FromClient::Interval(interval) => intervals.push(interval),
            FromClient::Samples { ns } => samples.extend(ns),
            FromClient::Done { end, reads, writes, ledgers } => {
                let end = *end;
                return Ok(Answers { intervals, samples, end, reads, writes, ledgers });
            }
            _ => return Err(unexpected(link)),
        }
    }
}

/// Has each client verify what the next one wrote; one that is alone verifies its own.
fn verify(
    links: &mut [ClientLink],
    mut ledgers: Vec<Vec<Ledger>>,
) -> Result<Found, CoordinatorError> {
    ledgers.rotate_left(1);
    for (link, ledgers) in links.iter_mut().zip(ledgers) {
        let asked = ToClient::Verify { ledgers };
        say(&mut link.output, &asked).map_err(|error| lost(link, &error))?;
    }
    let mut all = Found::default();
    for link in links.iter_mut() {
        let FromClient::Verified(found) = heard(link)? else { return Err(unexpected(link)) };
        all.add(&found);
    }
    Ok(all)
}

/// Does each event when its time has come, whether or not the one before is over; in the order in which
/// they began.
fn happen(events: &[Event], servers: &Servers, keys: &[u64], start_ns: u64) -> Vec<EventOutcome> {
    let one = |event: &Event| {
        let due_ns = start_ns + event.at.as_nanos() as u64;
        std::thread::sleep(Duration::from_nanos(due_ns.saturating_sub(now_ns())));
        let since = || Duration::from_nanos(now_ns().saturating_sub(start_ns));
        event.happen(servers, keys, since)
    };
    let mut happened: Vec<EventOutcome> = std::thread::scope(|scope| {
        let all: Vec<_> = events.iter().map(|event| scope.spawn(move || one(event))).collect();
        all.into_iter().map(|event| event.join().expect("an event's thread")).collect()
    });
    happened.sort_by(|one, other| one.began_ms.total_cmp(&other.began_ms));
    happened
}

fn states(servers: &Servers) -> Result<Vec<(usize, Address, State)>, ServersError> {
    let state = |(shard, node): (usize, &crate::servers::Node)| {
        Ok((shard, node.address.clone(), servers.state(&node.address)?))
    };
    servers.nodes().map(state).collect()
}

fn wait_until_whole(servers: &Servers) -> bool {
    let began = Instant::now();
    while !servers.is_whole() {
        if began.elapsed() > HEALING {
            return false;
        }
        std::thread::sleep(PAUSE);
    }
    true
}
