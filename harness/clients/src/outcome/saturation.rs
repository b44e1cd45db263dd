//! Whether a client's numbers may be its own fault.

use crate::protocol::End;

/// A free connection that sends later than this makes latency look worse than it is.
const LATE_NS: u64 = 1_000_000;
/// Above this share of the time, in percent, requests queue.
const BUSY_PERCENT: f64 = 80.0;

/// Why a client is saturated, with the remedy; empty if it is not.
pub(super) fn reasons(end: &End, connections: usize) -> Vec<String> {
    let mut reasons = Vec::new();
    if end.late_p99_ns > LATE_NS {
        reasons.push(format!(
            "1 % of its requests were sent {:.1} ms late or more, though a connection was free: its \
             processor is busy; give it a machine of its own",
            end.late_p99_ns as f64 / 1e6
        ));
    }
    let of_connection = end.processor_percent / connections as f64;
    if of_connection > BUSY_PERCENT {
        reasons.push(format!(
            "its connections compute {of_connection:.0} % of the time: more clients would share that"
        ));
    }
    if end.busy_percent > BUSY_PERCENT {
        reasons.push(format!(
            "its connections wait for answers {:.0} % of the time, so requests queue in the client: \
             more clients or --connections tell whether the servers can do more",
            end.busy_percent
        ));
    }
    if end.unsent > 0 {
        reasons.push(format!(
            "{} requests were never sent: the schedule was over long before; lower the rate",
            end.unsent
        ));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_comes_with_its_number() {
        assert!(reasons(&End { late_p99_ns: 900_000, ..End::default() }, 2).is_empty());
        let all = End {
            late_p99_ns: 2_500_000,
            processor_percent: 190.0,
            busy_percent: 93.4,
            unsent: 7,
            ..End::default()
        };
        let all = reasons(&all, 2);
        assert_eq!(all.len(), 4, "{all:?}");
        for (reason, number) in all.iter().zip(["2.5 ms", "95 %", "93 %", "7 requests"]) {
            assert!(reason.contains(number), "{reason}");
        }
    }
}
