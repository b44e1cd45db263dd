//! What a run says to people.

use std::fmt::Write;
use std::path::Path;

use clients::{ClientOutcome, Counters, Found, Happened, Outcome, Percentiles, ServerOutcome};

/// The run as text, a few lines for each question.
pub(super) fn text(outcome: &Outcome, folder: &Path) -> String {
    let mut text = String::new();
    let mut line = |words: String| writeln!(text, "{words}").expect("a text grows");
    let Outcome { target, library, workload, records, due, all, errors, .. } = outcome;
    line(format!("target: {target}, by {library}"));
    line(format!("workload: {workload}; {records} records"));
    line(format!(
        "answered: {} of {due} requests that were due, {errors} failed; {:.0} a second",
        all.answered,
        all.answered as f64 * 1e3 / outcome.duration_ms as f64
    ));
    for (name, percentiles) in [("reads", &outcome.reads), ("writes", &outcome.writes)] {
        line(format!("  {name}: {}", latency(percentiles)));
    }
    line("shards:".to_owned());
    for shard in &outcome.shards {
        let ranges: Vec<String> =
            shard.slots.iter().map(|(from, to)| format!("{from}-{to}")).collect();
        line(format!(
            "  {} {}, slots {}: {} keys, {} records; {:.1} % of the answers, {} errors",
            shard.number,
            shard.master,
            ranges.join(" "),
            shard.keys,
            shard.records,
            shard.share_percent,
            shard.errors
        ));
    }
    line("clients:".to_owned());
    outcome.clients.iter().for_each(|one| line(client(one)));
    line(counters(&outcome.counters));
    line(format!("memory, by {}:", outcome.memory_by));
    outcome.servers.iter().for_each(|one| line(server(one)));
    for happened in &outcome.events {
        line(event(happened));
    }
    if !outcome.is_whole {
        line("the cluster does not serve all slots, half a minute after the end".to_owned());
    }
    line(found(&outcome.found));
    line(format!("promise: {}", outcome.promise));
    outcome.wrong.iter().for_each(|wrong| line(format!("WRONG: {wrong}")));
    line(folder.display().to_string());
    text
}

fn latency(percentiles: &Percentiles) -> String {
    let Percentiles { answered, p50_ns, p99_ns, p999_ns, max_ns, .. } = percentiles;
    let ms = |ns: &u64| format!("{:.3}", *ns as f64 / 1e6);
    format!(
        "{answered}; latency in ms: median {}, p99 {}, p99.9 {}, largest {}",
        ms(p50_ns),
        ms(p99_ns),
        ms(p999_ns),
        ms(max_ns)
    )
}

fn client(client: &ClientOutcome) -> String {
    let us = |ns: f64| format!("{:.1}", ns / 1e3);
    let mut text = format!(
        "  {} at {}: clock {:+.1} ± {} µs, drift {:+.1} µs; {} reads, {} writes; sent late by p99 {} µs; \
         {:.0} % of a core",
        client.name,
        client.host,
        client.offset.offset_ns as f64 / 1e3,
        us(client.offset.error_ns as f64),
        client.drift_ns as f64 / 1e3,
        client.reads,
        client.writes,
        us(client.end.late_p99_ns as f64),
        client.end.processor_percent
    );
    for reason in &client.saturated {
        write!(text, "\n    SATURATED: {reason}").expect("a text grows");
    }
    text
}

fn counters(counters: &Counters) -> String {
    let Counters { reads, writes, gets_of_masters, sets_of_masters, redirections, .. } = counters;
    let verdict = match &counters.incomparable {
        Some(why) => format!("not comparable: {why}"),
        None if counters.agree() => "equal".to_owned(),
        None => "NOT equal".to_owned(),
    };
    format!(
        "counters: clients {reads} reads and {writes} writes, masters {gets_of_masters} GETs and \
         {sets_of_masters} SETs: {verdict}; {redirections} redirections"
    )
}

fn server(server: &ServerOutcome) -> String {
    let mib = |bytes: u64| format!("{:.1} MiB", bytes as f64 / 1_048_576.0);
    let after = match &server.after {
        None => "gone".to_owned(),
        Some(after) => format!(
            "{} used, {} resident, {} keys, {}",
            mib(after.used_memory_bytes),
            mib(after.resident_bytes),
            after.keys,
            after.role
        ),
    };
    format!("  {} (shard {}, {}): {after}", server.address, server.shard, server.before.version)
}

fn event(happened: &Happened) -> String {
    let Happened { event, recovery } = happened;
    let after = |ms: Option<f64>| ms.map_or("never".to_owned(), |ms| format!("after {ms:.0} ms"));
    if let Some(failure) = &event.failure {
        return format!("event {} at {:.0} ms FAILED: {failure}", event.event, event.began_ms);
    }
    format!(
        "event {} at {:.0} ms, {:.0} ms long: {}\n  longest outage of a shard {:.0} ms, which ended {}; rate back {}; \
         {} errors; p99 {:.2} ms before, {:.2} ms at worst",
        event.event,
        event.began_ms,
        event.took_ms,
        event.done,
        recovery.outage_ms,
        after(recovery.answered_again_after_ms),
        after(recovery.rate_back_after_ms),
        recovery.errors,
        recovery.p99_before_ns as f64 / 1e6,
        recovery.p99_worst_ns as f64 / 1e6
    )
}

fn found(found: &Found) -> String {
    format!(
        "values: {} records read by other clients than wrote them; acknowledged writes lost: {} of {} \
         records, {} of them gone; {} writes without acknowledgement arrived; wrong: {}; unread: {}",
        found.records,
        found.acknowledged_writes_lost,
        found.records_with_loss,
        found.missing,
        found.unacknowledged_writes_found,
        found.wrong(),
        found.unread
    )
}
