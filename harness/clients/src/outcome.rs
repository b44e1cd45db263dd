//! What a run says, as a document: `cluster.json`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::coordinator::{Client, Measured};
use crate::events::EventOutcome;
use crate::job::Job;
use crate::latency::Latency;
use crate::ledger::Found;
use crate::offset::Offset;
use crate::protocol::End;
use crate::recovery::{Recovery, recoveries};
use crate::servers::{Servers, State};
use crate::target::Address;
use crate::timeline;

mod saturation;

/// The form of the document.
const FORMAT: u32 = 1;

/// What a run of coordinated clients says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Outcome {
    pub format: u32,
    /// The suite's name.
    pub suite: String,
    pub target: String,
    /// By which library the servers were asked.
    pub library: String,
    /// Kinds of requests, key distribution and value sizes, in words.
    pub workload: String,
    pub records: u64,
    pub connections: usize,
    pub rate_ops_per_s: f64,
    /// `poisson` or `constant`.
    pub arrivals: String,
    pub duration_ms: u64,
    pub interval_ms: u64,
    pub seed: u64,
    /// Replicas that had to have a write before it counted as acknowledged.
    pub wait_replicas: u32,
    /// Requests that were due, by the schedule of all clients.
    pub due: u64,
    pub reads: Percentiles,
    pub writes: Percentiles,
    /// Reads and writes.
    pub all: Percentiles,
    pub errors: u64,
    pub clients: Vec<ClientOutcome>,
    pub shards: Vec<ShardOutcome>,
    pub servers: Vec<ServerOutcome>,
    /// Where the memory of servers is from.
    pub memory_by: String,
    pub counters: Counters,
    pub events: Vec<Happened>,
    /// Whether all slots were served at the end.
    pub is_whole: bool,
    pub found: Found,
    /// What the store promises about acknowledged writes after what happened here.
    pub promise: String,
    /// What no store may do, or what this one promised not to; empty if all is right.
    pub wrong: Vec<String>,
}

/// Latency from when requests were due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Percentiles {
    pub answered: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub p999_ns: u64,
    pub max_ns: u64,
    /// The histogram in the standard V2 form, in base 64.
    pub histogram: String,
}

/// What one client did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ClientOutcome {
    pub name: String,
    pub host: String,
    /// Its clock minus the coordinator's, before the start.
    pub offset: Offset,
    /// By how much that had changed after the end.
    pub drift_ns: i64,
    pub reads: u64,
    pub writes: u64,
    pub end: End,
    /// Why its numbers may be its own fault; empty if they are not.
    pub saturated: Vec<String>,
}

/// One shard: its part of keys and requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ShardOutcome {
    /// From 1.
    pub number: usize,
    /// When the run began.
    pub master: Address,
    pub replicas: Vec<Address>,
    pub slots: Vec<(u16, u16)>,
    /// Records whose slots it has, by this program.
    pub records: u64,
    /// Keys before the start, by its master.
    pub keys: u64,
    pub answered: u64,
    pub errors: u64,
    /// Its share of all answers.
    pub share_percent: f64,
}

/// One server: what it said before the start and after the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ServerOutcome {
    pub shard: usize,
    pub address: Address,
    pub before: State,
    /// None if it could not be reached.
    pub after: Option<State>,
}

/// What clients count, beside what the masters count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Counters {
    pub reads: u64,
    pub writes: u64,
    pub gets_of_masters: u64,
    pub sets_of_masters: u64,
    pub redirections: u64,
    /// Why the two need not be equal; none if they must be.
    pub incomparable: Option<String>,
}

/// An event and what followed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Happened {
    pub event: EventOutcome,
    pub recovery: Recovery,
}

impl Counters {
    /// Whether clients and servers agree, where they must.
    #[must_use]
    pub fn agree(&self) -> bool {
        self.incomparable.is_some()
            || (self.reads, self.writes) == (self.gets_of_masters, self.sets_of_masters)
    }
}

impl Percentiles {
    fn of(latency: &Latency) -> Self {
        Self {
            answered: latency.count(),
            p50_ns: latency.quantile_ns(0.5),
            p99_ns: latency.quantile_ns(0.99),
            p999_ns: latency.quantile_ns(0.999),
            max_ns: latency.max_ns(),
            histogram: latency.clone().into(),
        }
    }
}

impl Measured {
    /// The document of a run.
    #[must_use]
    pub fn outcome(&self, suite: &str, job: &Job, servers: &Servers) -> Outcome {
        let (mut reads, mut writes) = (Latency::default(), Latency::default());
        for client in &self.clients {
            reads.add(&client.reads);
            writes.add(&client.writes);
        }
        let mut all = reads.clone();
        all.add(&writes);
        let recoveries =
            recoveries(&self.events, &self.intervals, (job.interval_ms, job.duration_ms));
        let happened = self.events.iter().cloned().zip(recoveries);
        let counters = self.counters(&reads, &writes);
        let mut outcome = Outcome {
            format: FORMAT,
            suite: suite.to_owned(),
            target: job.target.to_string(),
            library: self.clients.first().map(|client| client.library.clone()).unwrap_or_default(),
            workload: job.workload.to_string(),
            records: job.records,
            connections: job.connections,
            rate_ops_per_s: job.rate_ops_per_s,
            arrivals: job.arrivals.word().to_owned(),
            duration_ms: job.duration_ms,
            interval_ms: job.interval_ms,
            seed: job.seed,
            wait_replicas: job.wait_replicas,
            due: self.clients.iter().map(|client| client.end.due).sum(),
            reads: Percentiles::of(&reads),
            writes: Percentiles::of(&writes),
            all: Percentiles::of(&all),
            errors: self.intervals.iter().map(crate::Interval::errors).sum(),
            clients: self.clients.iter().map(|client| client_outcome(client, job)).collect(),
            shards: self.shards(job, servers),
            servers: self.servers(),
            memory_by: "INFO of each server (used_memory, used_memory_rss)".to_owned(),
            counters,
            events: happened.map(|(event, recovery)| Happened { event, recovery }).collect(),
            is_whole: self.is_whole,
            found: self.found.clone(),
            promise: String::new(),
            wrong: Vec::new(),
        };
        outcome.promise = outcome.promise();
        outcome.wrong = outcome.wrong();
        outcome
    }

    /// The run over time.
    #[must_use]
    pub fn timeline(&self, job: &Job) -> String {
        timeline::table(&self.intervals, job.interval_ms)
    }

    fn shards(&self, job: &Job, servers: &Servers) -> Vec<ShardOutcome> {
        let records = job.keys_of_shards();
        let sum = |of: &dyn Fn(&crate::Interval) -> u64| self.intervals.iter().map(of).sum::<u64>();
        let answered = sum(&crate::Interval::answered).max(1);
        let of = |(at, shard): (usize, &crate::Shard)| {
            let of_shard = sum(&|interval| interval.shards[at].answered);
            let address = &shard.master.address;
            let before = self.states.iter().find(|state| state.address == *address);
            ShardOutcome {
                number: at + 1,
                master: address.clone(),
                replicas: shard.replicas.iter().map(|node| node.address.clone()).collect(),
                slots: shard.slots.clone(),
                records: records[at],
                keys: before.map_or(0, |state| state.before.keys),
                answered: of_shard,
                errors: sum(&|interval| interval.shards[at].errors),
                share_percent: of_shard as f64 * 100.0 / answered as f64,
            }
        };
        servers.shards.iter().enumerate().map(of).collect()
    }

    fn servers(&self) -> Vec<ServerOutcome> {
        let of = |states: &crate::coordinator::ServerStates| ServerOutcome {
            shard: states.shard + 1,
            address: states.address.clone(),
            before: states.before.clone(),
            after: states.after.clone(),
        };
        self.states.iter().map(of).collect()
    }

    fn counters(&self, reads: &Latency, writes: &Latency) -> Counters {
        let mut counters = Counters {
            reads: reads.count(),
            writes: writes.count(),
            gets_of_masters: 0,
            sets_of_masters: 0,
            redirections: 0,
            incomparable: None,
        };
        let errors: u64 = self.intervals.iter().map(crate::Interval::errors).sum();
        if errors > 0 {
            let why =
                format!("{errors} requests failed, and servers may have executed some of them");
            counters.incomparable = Some(why);
        }
        for states in &self.states {
            let (before, address) = (&states.before, &states.address);
            let after = states.after.as_ref().filter(|after| after.run_id == before.run_id);
            let Some(after) = after else {
                let why = format!("{address} ended, and its counters with it");
                counters.incomparable = Some(why);
                continue;
            };
            if after.role != before.role {
                let why = format!("{address} was {} and is {} now", before.role, after.role);
                counters.incomparable = Some(why);
            }
            counters.redirections += after.redirections.saturating_sub(before.redirections);
            // Replicas execute the SETs of their masters.
            if before.role == "master" {
                counters.gets_of_masters += after.gets - before.gets;
                counters.sets_of_masters += after.sets - before.sets;
            }
        }
        counters
    }
}

fn client_outcome(client: &Client, job: &Job) -> ClientOutcome {
    ClientOutcome {
        name: client.name.clone(),
        host: client.host.clone(),
        offset: client.before,
        drift_ns: client.after.offset_ns - client.before.offset_ns,
        reads: client.reads.count(),
        writes: client.writes.count(),
        end: client.end.clone(),
        saturated: saturation::reasons(&client.end, job.connections),
    }
}

impl Outcome {
    /// Whether something happened after which acknowledged writes may be gone.
    fn may_have_lost(&self) -> bool {
        self.events.iter().any(|happened| happened.event.may_lose)
    }

    fn promise(&self) -> String {
        match (self.may_have_lost(), self.wait_replicas) {
            (false, _) => "nothing failed: every acknowledged write is there".to_owned(),
            (true, 0) => {
                "none: a master acknowledges before its replicas have the write, so a failover \
                          may lose what was acknowledged last"
                    .to_owned()
            }
            (true, replicas) => format!(
                "WAIT: at least {replicas} of the replicas had each acknowledged write; if one of those \
                 took over, it is there"
            ),
        }
    }

    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut say = |count: u64, what: &str| {
            if count > 0 {
                wrong.push(format!("{count} {what}"));
            }
        };
        let sum =
            |of: &dyn Fn(&End) -> u64| self.clients.iter().map(|one| of(&one.end)).sum::<u64>();
        say(self.found.damaged, "records hold bytes that nobody wrote");
        say(self.found.never_sent, "records have a version that nobody sent");
        say(sum(&|end| end.damaged), "reads returned bytes that nobody wrote");
        if !self.may_have_lost() || self.wait_replicas > 0 {
            say(self.found.acknowledged_writes_lost, "acknowledged writes are gone");
            say(self.found.unread, "records could not be read at the end");
            say(sum(&|end| end.reads_gone_back), "reads returned an older version than one before");
            say(sum(&|end| end.missing), "reads found nothing where a record was loaded");
        }
        if !self.counters.agree() {
            let Counters { reads, writes, gets_of_masters, sets_of_masters, .. } = self.counters;
            wrong.push(format!(
                "clients count {reads} reads and {writes} writes, the masters {gets_of_masters} and \
                 {sets_of_masters}: did others use the servers meanwhile?"
            ));
        }
        let uneven = self.shards.iter().filter(|shard| shard.keys != shard.records);
        for shard in uneven.filter(|_| self.events.is_empty()) {
            wrong.push(format!(
                "{} has {} keys before the start, and {} records belong to its slots",
                shard.master, shard.keys, shard.records
            ));
        }
        wrong
    }
}

#[cfg(test)]
mod tests;
