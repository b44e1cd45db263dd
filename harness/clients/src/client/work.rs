//! The schedule: each connection sends its requests when they are due, or as soon as the one before is
//! answered, and counts what comes of them.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use workloads::key_of;
use workloads::requests::{Request, RequestKind, RequestStream};
use workloads::value::{Condition, ValueWriter};

use super::{Shared, connect, now_ns, processor_ns, writer_of};
use crate::interval::{Interval, merge};
use crate::latency::Latency;
use crate::ledger::{Ledger, Versions};
use crate::protocol::End;
use crate::schedule::Schedule;
use crate::slots::SlotMap;
use crate::store::{Store, StoreError};

/// How long after the end of the schedule requests that queue are still sent.
const GRACE_NS: u64 = 5_000_000_000;

/// What came of a client's part of the schedule.
pub(super) struct Worked {
    pub(super) intervals: Vec<Interval>,
    /// By connection.
    pub(super) samples: Vec<Vec<u64>>,
    pub(super) end: End,
    pub(super) reads: Latency,
    pub(super) writes: Latency,
    pub(super) ledgers: Vec<Ledger>,
}

/// What came of one connection's.
struct Part {
    intervals: Vec<Interval>,
    samples: Vec<u64>,
    ledger: Ledger,
    reads: Latency,
    writes: Latency,
    late: Latency,
    busy_ns: u64,
    end: End,
}

/// Follows the schedule, whose start is when this machine's clock shows `start_ns`.
pub(super) fn work(shared: &Shared<'_>, start_ns: u64) -> Result<Worked, StoreError> {
    let processor_before_ns = processor_ns();
    let slots = shared.job.slot_map();
    let parts: Result<Vec<Part>, StoreError> = std::thread::scope(|scope| {
        let connection = |writer| {
            let slots = &slots;
            scope.spawn(move || {
                Ok(Connection::new(shared, slots, writer, connect(shared.job)?).follow(start_ns))
            })
        };
        let threads: Vec<_> = shared.writers().map(connection).collect();
        threads.into_iter().map(|thread| thread.join().expect("a connection's thread")).collect()
    });
    let elapsed_ns = now_ns().saturating_sub(start_ns).max(1);
    let processor_ns = processor_ns() - processor_before_ns;
    Ok(united(parts?, elapsed_ns, processor_ns))
}

fn united(parts: Vec<Part>, elapsed_ns: u64, processor_ns: u64) -> Worked {
    let percent = |part_ns: u64, all_ns: u64| part_ns as f64 * 100.0 / all_ns as f64;
    let connections = parts.len() as u64;
    let (mut end, mut late, mut busy_ns) = (End::default(), Latency::default(), 0);
    let (mut intervals, mut samples, mut ledgers) = (Vec::new(), Vec::new(), Vec::new());
    let (mut reads, mut writes) = (Latency::default(), Latency::default());
    for part in parts {
        reads.add(&part.reads);
        writes.add(&part.writes);
        late.add(&part.late);
        busy_ns += part.busy_ns;
        end.due += part.end.due;
        end.unsent += part.end.unsent;
        end.reads_gone_back += part.end.reads_gone_back;
        end.damaged += part.end.damaged;
        end.missing += part.end.missing;
        intervals.extend(part.intervals);
        samples.push(part.samples);
        ledgers.push(part.ledger);
    }
    end.late_p99_ns = late.quantile_ns(0.99);
    end.late_max_ns = late.max_ns();
    end.busy_percent = percent(busy_ns, elapsed_ns * connections);
    end.processor_percent = percent(processor_ns, elapsed_ns);
    Worked { intervals: merge(intervals), samples, end, reads, writes, ledgers }
}

/// A connection that follows its part of the schedule.
struct Connection<'a> {
    shared: &'a Shared<'a>,
    slots: &'a SlotMap,
    writer: u64,
    store: Box<dyn Store>,
    values: ValueWriter,
    value: Vec<u8>,
    /// Room for a key.
    room: Vec<u8>,
    interval: Interval,
    interval_ns: u64,
    part: Part,
}

impl<'a> Connection<'a> {
    fn new(shared: &'a Shared<'a>, slots: &'a SlotMap, writer: u64, store: Box<dyn Store>) -> Self {
        let job = shared.job;
        let none = || Versions(vec![0; job.records_of(writer) as usize]);
        Self {
            shared,
            slots,
            writer,
            store,
            values: writer_of(job, writer),
            value: Vec::new(),
            room: shared.keys.room(),
            interval: Interval::new(0, job.slots.len()),
            interval_ns: job.interval_ms * 1_000_000,
            part: Part {
                intervals: Vec::new(),
                samples: Vec::new(),
                ledger: Ledger { writer, acknowledged: none(), sent: none() },
                reads: Latency::default(),
                writes: Latency::default(),
                late: Latency::default(),
                busy_ns: 0,
                end: End::default(),
            },
        }
    }

    fn follow(mut self, start_ns: u64) -> Part {
        let job = self.shared.job;
        let place = (self.writer, job.writers());
        let schedule =
            Schedule::new((job.arrivals, job.rate_ops_per_s, job.duration_ms), place, job.seed());
        let mut requests = RequestStream::new(
            &job.workload,
            job.records,
            self.writer as usize,
            job.writers() as usize,
            job.seed(),
        );
        let last_ns = job.duration_ms * 1_000_000 + GRACE_NS;
        let mut free_ns = 0;
        for due_ns in schedule {
            self.part.end.due += 1;
            let mut sent_ns = now_ns().saturating_sub(start_ns);
            if sent_ns > last_ns {
                self.part.end.unsent += 1;
                continue;
            }
            // Before the start, the clock shows less than `start_ns`.
            let until_ns = (start_ns + due_ns).saturating_sub(now_ns());
            if until_ns > 0 {
                std::thread::sleep(Duration::from_nanos(until_ns));
                sent_ns = now_ns().saturating_sub(start_ns);
            }
            self.part.late.record(sent_ns.saturating_sub(due_ns.max(free_ns)));
            let request = requests.next_request();
            free_ns = self.send(request, due_ns, start_ns);
            self.part.busy_ns += free_ns - sent_ns.min(free_ns);
        }
        self.part.intervals.push(self.interval);
        self.part
    }

    /// Sends a request and counts what comes of it; when that was.
    fn send(&mut self, request: Request, due_ns: u64, start_ns: u64) -> u64 {
        let reads = request.is(RequestKind::Get);
        let record = match reads {
            true => request.record(),
            false => self.shared.job.own_record(request.record(), self.writer),
        };
        let mut room = std::mem::take(&mut self.room);
        let key = self.shared.keys.key(record, &mut room);
        let answer =
            if reads { self.read(record, key) } else { self.write(record, key, request.size()) };
        let ended_ns = now_ns().saturating_sub(start_ns);
        self.turn_to(ended_ns);
        let shard = self.slots.shard_of(key);
        self.room = room;
        match answer {
            Ok(()) => {
                self.interval.add_answer(shard, (due_ns, ended_ns), reads);
                let took_ns = ended_ns.saturating_sub(due_ns).max(1);
                let latency = if reads { &mut self.part.reads } else { &mut self.part.writes };
                latency.record(took_ns);
                if self.shared.job.keep_samples {
                    self.part.samples.push(took_ns);
                }
            }
            Err(error) => self.interval.add_error(shard, &error.kind),
        }
        ended_ns
    }

    /// Begins the interval of a time, if another one is under way.
    fn turn_to(&mut self, ns: u64) {
        let index = ns / self.interval_ns;
        if index != self.interval.index {
            let next = Interval::new(index, self.interval.shards.len());
            self.part.intervals.push(std::mem::replace(&mut self.interval, next));
        }
    }

    fn read(&mut self, record: u64, key: &[u8]) -> Result<(), StoreError> {
        let seen = &self.shared.seen[record as usize];
        // Relaxed: it pairs with nothing. A version is a number that only grows, and the server, not this
        // memory, orders reads and writes.
        let before = u64::from(seen.load(Ordering::Relaxed));
        if !self.store.get(key, &mut self.value)? {
            self.part.end.missing += 1;
            return Ok(());
        }
        match self.shared.checker.check(key_of(record), &self.value) {
            Condition::Good { writer, sequence }
                if u64::from(writer) == self.shared.job.writer_of(record) =>
            {
                self.part.end.reads_gone_back += u64::from(sequence < before);
                raise(seen, sequence as u32);
            }
            _ => self.part.end.damaged += 1,
        }
        Ok(())
    }

    fn write(&mut self, record: u64, key: &[u8], bytes: usize) -> Result<(), StoreError> {
        let at = (record / self.shared.job.writers()) as usize;
        let ledger = &mut self.part.ledger;
        let version = ledger.sent.0[at] + 1;
        ledger.sent.0[at] = version;
        self.values.number_next(version.into());
        let value = self.values.value(key_of(record), bytes);
        self.store.set(key, value, self.shared.job.wait_replicas)?;
        ledger.acknowledged.0[at] = version;
        raise(&self.shared.seen[record as usize], version);
        Ok(())
    }
}

fn raise(seen: &AtomicU32, version: u32) {
    // Relaxed: as where it is read.
    seen.fetch_max(version, Ordering::Relaxed);
}
