//! Turns a scenario and a placement of threads into stations and delays.

use crate::network::Station;
use crate::scenario::{Among, Place, Places, ReadAfterWrite, Scenario, Visit};
use crate::span::Span;

/// The demand of a scenario on a machine with a given number of threads.
#[derive(Clone, Debug)]
pub(crate) struct Demand {
    /// Stations at which threads queue.
    pub(crate) stations: Vec<Station>,
    /// Time per operation that contention does not lengthen, besides the thread's own, ns.
    pub(crate) delay_ns: f64,
}

impl Demand {
    pub(crate) fn of(scenario: &Scenario, span: &Span<'_>) -> Self {
        let mut stations: Vec<Station> =
            scenario.visits.iter().flat_map(|visit| stations_of(visit, span)).collect();
        let traffic = &scenario.traffic;
        let (dram, link) =
            (span.machine().dram_bytes_per_s.value, span.machine().link_bytes_per_s.value);
        let bandwidth = |bytes: f64, bytes_per_s: f64, copies: f64, group: f64| Station {
            demand_ns: bytes / bytes_per_s * 1e9,
            copies,
            group,
        };
        let (all, sockets) = (span.threads(), span.sockets());
        let meets = if traffic.spread.bytes > 0.0 { all } else { span.neighbours() };
        let away = traffic.spread.bytes * (sockets - 1.0) / sockets;
        stations.extend([
            bandwidth(traffic.local.bytes + traffic.spread.bytes, dram, sockets, meets),
            bandwidth(away, link, sockets, all),
            bandwidth(traffic.first_socket.bytes, dram, 1.0, all),
            bandwidth(traffic.first_socket.bytes * span.away_from_first(), link, 1.0, all),
        ]);
        stations.retain(|station| station.demand_ns > 0.0);
        let farther =
            |place: Place, ratio: f64| place.misses * span.machine().dram_ns.value * (ratio - 1.0);
        let delay_ns = farther(traffic.spread, span.spread_ratio())
            + farther(traffic.first_socket, span.first_socket_ratio())
            + traffic.read_after_write.map_or(0.0, |hot| reread_ns(&hot, span));
        Self { stations, delay_ns }
    }

    /// Time that an operation spends at its stations without queueing, ns.
    pub(crate) fn visits_ns(&self) -> f64 {
        self.stations.iter().map(|station| station.demand_ns).sum()
    }
}

fn stations_of(visit: &Visit, span: &Span<'_>) -> Vec<Station> {
    let all = span.threads();
    let (group, groups) = match visit.among {
        Among::All => (all, 1.0),
        Among::Socket | Among::Dealt => (span.neighbours(), span.sockets()),
    };
    let line_ns = match visit.among {
        Among::All => span.line_ns(),
        Among::Socket | Among::Dealt => span.machine().line_within_ns.value,
    };
    let at = |share: f64, copies: f64, group: f64| {
        // Any thread of the group may have been the last visitor.
        let moved = (group - 1.0) / group;
        let pass_ns = span.machine().contended_rmw_ns.value + visit.lines * line_ns;
        let demand_ns = visit.per_operation * share * (visit.hold_ns + moved * pass_ns);
        Station { demand_ns, copies, group }
    };
    match (visit.places, visit.among) {
        (Places::Equal(places), Among::Dealt) => {
            let group = (group / places).max(1.0);
            vec![at(1.0, all / group, group)]
        }
        (Places::Equal(places), _) => vec![at(1.0, places * groups, group)],
        (Places::PerThread(places), _) => vec![at(1.0, places * all, group)],
        (Places::Zipf(zipf), _) => {
            let single = zipf.count().min(Scenario::QUEUED_RANKS);
            let warm = zipf.count().min(Scenario::HOT_RANKS);
            let mut stations: Vec<Station> =
                (1..=single).map(|rank| at(zipf.share(rank), 1.0, group)).collect();
            if warm > single {
                let share = zipf.share_of_first(warm) - zipf.share_of_first(single);
                stations.push(at(share, (warm - single) as f64, group));
            }
            stations
        }
    }
}

/// Between two visits of a thread to an object, every other thread visits it once. The latest of
/// their writes and this thread's own read determines where the line is.
fn reread_ns(hot: &ReadAfterWrite, span: &Span<'_>) -> f64 {
    let written = (span.threads() - 1.0) * hot.writes;
    let dirty = written / (written + 1.0);
    let share = hot.keys.share_of_first(Scenario::HOT_RANKS);
    hot.reads * share * dirty * hot.lines * span.line_ns()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::shipped;
    use crate::zipf::Zipf;

    fn visit(places: Places, among: Among) -> Visit {
        Visit { what: "lock", per_operation: 1.0, hold_ns: 30.0, lines: 2.0, places, among }
    }

    #[test]
    fn alone_a_visit_costs_what_it_holds() {
        let machine = shipped("superdome-x");
        let span = Span::new(&machine, 1).unwrap();
        for among in [Among::All, Among::Socket, Among::Dealt] {
            let [one] = stations_of(&visit(Places::Equal(1.0), among), &span)[..] else { panic!() };
            assert_eq!((one.demand_ns, one.group), (30.0, 1.0));
        }
    }

    #[test]
    fn lines_follow_the_owner_over_the_sockets() {
        let machine = shipped("superdome-x");
        let span = Span::new(&machine, 240).unwrap();
        let demand = |among| stations_of(&visit(Places::Equal(1.0), among), &span)[0].demand_ns;
        let within = 30.0 + 14.0 / 15.0 * (20.0 + 2.0 * 50.0);
        assert!((demand(Among::Socket) - within).abs() < 1e-9);
        let across = 30.0 + 239.0 / 240.0 * (20.0 + 2.0 * span.line_ns());
        assert!((demand(Among::All) - across).abs() < 1e-9 && across > 4.0 * within);
        // As many places as cores: each thread has one to itself.
        let own = stations_of(&visit(Places::Equal(15.0), Among::Dealt), &span)[0];
        assert_eq!((own.demand_ns, own.copies, own.group), (30.0, 240.0, 1.0));
    }

    #[test]
    fn skewed_places_keep_their_shares() {
        let machine = shipped("superdome-x");
        let span = Span::new(&machine, 1).unwrap();
        let zipf = Zipf::new(1 << 20, 0.99);
        let stations = stations_of(&visit(Places::Zipf(zipf), Among::All), &span);
        let sum: f64 = stations.iter().map(|station| station.demand_ns / 30.0).sum();
        assert!((sum - zipf.share_of_first(Scenario::HOT_RANKS)).abs() < 1e-9);
        assert_eq!(stations.len() as u64, Scenario::QUEUED_RANKS + 1);
    }
}
