//! A client: connects, loads its records, follows its part of the schedule, and checks what others wrote.

use std::fmt;
use std::io::{BufRead, Write};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use workloads::value::{ValueChecker, ValueWriter};

use crate::job::Job;
use crate::keys::Keys;
use crate::ledger::{Found, Ledger};
use crate::protocol::{FromClient, ProtocolError, ToClient, VERSION, hear, say};
use crate::store::{self, Store, StoreError, library};

mod load;
mod work;

/// How long a record is asked for at the end, while a cluster recovers.
const PATIENCE: Duration = Duration::from_secs(20);
/// Between such tries.
const PAUSE: Duration = Duration::from_millis(100);
/// Latencies in one line.
const SAMPLES: usize = 4096;

/// Why a client ended early.
#[derive(Debug)]
pub enum ClientError {
    Protocol(ProtocolError),
    /// It was told to the coordinator, too.
    Store(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(error) => write!(f, "the coordinator: {error}"),
            Self::Store(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for ClientError {}

impl From<ProtocolError> for ClientError {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

/// The time by which clients and coordinator agree on a start.
#[must_use]
pub(crate) fn now_ns() -> u64 {
    nanoseconds(ClockId::Monotonic)
}

/// Processor time of this process.
fn processor_ns() -> u64 {
    nanoseconds(ClockId::ProcessCPUTime)
}

fn nanoseconds(clock: ClockId) -> u64 {
    let time = clock_gettime(clock);
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// What all connections of a client share.
struct Shared<'a> {
    job: &'a Job,
    keys: Keys,
    client: usize,
    checker: ValueChecker,
    /// By record: the newest version that any connection of this client has seen or had acknowledged.
    seen: Vec<AtomicU32>,
}

impl Shared<'_> {
    /// The numbers of this client's connections among those of all clients.
    fn writers(&self) -> impl Iterator<Item = u64> + use<> {
        let first = (self.client * self.job.connections) as u64;
        first..first + self.job.connections as u64
    }
}

/// Serves the coordinator until it says that this was all, or is gone.
///
/// # Errors
/// [`ClientError`]
pub fn run(input: &mut impl BufRead, output: &mut impl Write) -> Result<(), ClientError> {
    let ToClient::Begin { version, client, job } = hear(input)? else {
        return failed(output, "the coordinator began with something else than the job");
    };
    if version != VERSION {
        let why = format!(
            "this client speaks version {VERSION} of the protocol and the coordinator {version}: copy \
             the same build to all hosts"
        );
        return failed(output, &why);
    }
    if let Err(error) = store::open(&job) {
        return failed(output, &format!("{} cannot be reached: {error}", job.target));
    }
    let shared = Shared {
        job: &job,
        keys: job.keys(),
        client,
        checker: ValueChecker::new(job.workload.value_bytes_max()),
        seen: (0..job.records).map(|_| AtomicU32::new(0)).collect(),
    };
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = host.trim().to_owned();
    let library = library(job.target.kind);
    say(output, &FromClient::Ready { version: VERSION, host, library })?;
    loop {
        match hear(input)? {
            ToClient::Time => say(output, &FromClient::Time { ns: now_ns() })?,
            ToClient::Load => match load::load(&shared) {
                Ok(records) => say(output, &FromClient::Loaded { records })?,
                Err(error) => return failed(output, &format!("loading: {error}")),
            },
            ToClient::Start { at_ns } => match work::work(&shared, at_ns) {
                Ok(worked) => tell(output, worked)?,
                Err(error) => return failed(output, &format!("connecting: {error}")),
            },
            ToClient::Verify { ledgers } => {
                say(output, &FromClient::Verified(verify(&shared, &ledgers)))?;
            }
            ToClient::End => return Ok(()),
            ToClient::Begin { .. } => return failed(output, "the coordinator began twice"),
        }
    }
}

fn failed(output: &mut impl Write, why: &str) -> Result<(), ClientError> {
    say(output, &FromClient::Failed { why: why.to_owned() })?;
    Err(ClientError::Store(why.to_owned()))
}

fn tell(output: &mut impl Write, worked: work::Worked) -> Result<(), ProtocolError> {
    for interval in worked.intervals {
        say(output, &FromClient::Interval(interval))?;
    }
    for samples in worked.samples {
        for part in samples.chunks(SAMPLES) {
            say(output, &FromClient::Samples { ns: part.to_vec() })?;
        }
    }
    let work::Worked { end, reads, writes, ledgers, .. } = worked;
    say(output, &FromClient::Done { end: Box::new(end), reads, writes, ledgers })
}

/// Reads the records of other writers and judges them, with a thread for each ledger.
fn verify(shared: &Shared<'_>, ledgers: &[Ledger]) -> Found {
    let mut all = Found::default();
    std::thread::scope(|scope| {
        let judged: Vec<_> =
            ledgers.iter().map(|ledger| scope.spawn(|| verify_one(shared, ledger))).collect();
        for one in judged {
            all.add(&one.join().expect("a thread that verifies"));
        }
    });
    all
}

fn verify_one(shared: &Shared<'_>, ledger: &Ledger) -> Found {
    let (mut found, mut value, mut room) = (Found::default(), Vec::new(), shared.keys.room());
    let mut store: Option<Box<dyn Store>> = None;
    let began_ns = now_ns();
    let writers = shared.job.writers() as usize;
    let records = (ledger.writer..shared.job.records).step_by(writers);
    let versions = ledger.acknowledged.0.iter().zip(&ledger.sent.0);
    for (record, (&acknowledged, &sent)) in records.zip(versions) {
        let key = shared.keys.key(record, &mut room);
        let is_there = loop {
            let answer = match &mut store {
                Some(store) => store.get(key, &mut value),
                None => match store::open(shared.job) {
                    Ok(opened) => store.insert(opened).get(key, &mut value),
                    Err(error) => Err(error),
                },
            };
            match answer {
                Ok(is_there) => break Some(is_there),
                Err(_) if now_ns() - began_ns < PATIENCE.as_nanos() as u64 => {
                    store = None;
                    std::thread::sleep(PAUSE);
                }
                Err(_) => break None,
            }
        };
        let Some(is_there) = is_there else {
            found.unread += 1;
            continue;
        };
        let judged = is_there.then(|| shared.checker.check(workloads::key_of(record), &value));
        found.judge(judged, ledger.writer as u16, (acknowledged, sent));
    }
    found
}

/// Makes the values of one writer; a value's sequence is the record's version.
fn writer_of(job: &Job, writer: u64) -> ValueWriter {
    ValueWriter::new(writer as u16, job.workload.value_bytes_max())
}

/// Connects each connection of this client, in its own thread.
fn connect(job: &Job) -> Result<Box<dyn Store>, StoreError> {
    store::open(job)
}
