//! A closed queueing network: threads alternate between work of their own and shared stations, each of
//! which serves one thread at a time.
//!
//! Solved by exact mean value analysis (Reiser and Lavenberg, *Mean-Value Analysis of Closed Multichain
//! Queuing Networks*, J. ACM 27(2), 1980): an arriving customer finds the average state of a network with
//! one customer less. The recursion starts with no customers and adds one in each step:
//!
//! ```text
//! R_i = D_i (1 + m_i Q_i / K_i)     time at the K_i copies of station i
//! C   = Z + sum of R_i              time for a round
//! X   = n / C                       throughput
//! Q_i = X R_i                       customers at station i
//! ```
//!
//! `m` is 1 if every customer may meet every other; the analysis is then exact. If customers use only
//! some of the copies, as threads use the heads of their own socket, the others are never met: with
//! groups of g among n customers, `m = (g - 1) n / ((n - 1) g)`. This is exact again if every customer is
//! alone (`m = 0`), and an approximation in between.

/// A shared resource, or several equivalent copies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Station {
    /// Service time of one operation, summed over all copies, ns.
    pub demand_ns: f64,
    /// Copies, of which the operation chooses at random; at least 1.
    pub copies: f64,
    /// Customers that may meet at a copy; limited by their total number.
    pub group: f64,
}

impl Station {
    /// Operations per ns at which the busiest copy is saturated.
    #[must_use]
    pub fn bound_per_ns(&self) -> f64 {
        self.copies / self.demand_ns
    }
}

/// Operations per ns of all `customers` together, which each think for `think_ns` between two rounds
/// through `stations`.
///
/// # Panics
/// Without customers, or with negative times.
#[must_use]
pub fn throughput_per_ns(customers: usize, think_ns: f64, stations: &[Station]) -> f64 {
    assert!(customers > 0, "a network without customers has no throughput");
    assert!(think_ns >= 0.0 && stations.iter().all(|one| one.demand_ns >= 0.0), "negative times");
    let all = customers as f64;
    let met: Vec<f64> = stations
        .iter()
        .map(|one| match customers {
            1 => 0.0,
            _ => (one.group - 1.0).max(0.0) * all / ((all - 1.0) * one.group),
        })
        .collect();
    let mut queues = vec![0.0; stations.len()];
    let mut throughput = 0.0;
    for present in 1..=customers {
        let times: Vec<f64> = stations
            .iter()
            .zip(queues.iter().zip(&met))
            .map(|(one, (queue, met))| one.demand_ns * (1.0 + met * queue / one.copies))
            .collect();
        throughput = present as f64 / (think_ns + times.iter().sum::<f64>());
        queues = times.iter().map(|time| throughput * time).collect();
    }
    throughput
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(demand_ns: f64, customers: usize) -> Station {
        Station { demand_ns, copies: 1.0, group: customers as f64 }
    }

    #[test]
    fn without_stations_throughput_is_linear() {
        let one = throughput_per_ns(1, 250.0, &[]);
        for customers in [2, 15, 240] {
            let all = throughput_per_ns(customers, 250.0, &[]);
            assert!((all / one - customers as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn one_station_saturates_at_the_inverse_of_its_demand() {
        let all = throughput_per_ns(240, 100.0, &[shared(20.0, 240)]);
        assert!((all * 20.0 - 1.0).abs() < 1e-6, "{all}");
    }

    /// Z = 4, D = 1 and 2. One customer: R = 1, 2; C = 7; X = 1/7; Q = 1/7, 2/7. Two: R = 8/7, 18/7; C =
    /// 54/7; X = 7/27; Q = 8/27, 2/3. Three: R = 35/27, 10/3; C = 233/27; X = 81/233.
    #[test]
    fn two_stations_agree_with_the_analysis_by_hand() {
        for (customers, expected) in [(1, 1.0 / 7.0), (2, 7.0 / 27.0), (3, 81.0 / 233.0)] {
            let stations = [shared(1.0, customers), shared(2.0, customers)];
            let found = throughput_per_ns(customers, 4.0, &stations);
            assert!((found - expected).abs() < 1e-12, "{customers}: {found}");
        }
    }

    #[test]
    fn bounds_are_never_exceeded() {
        for customers in [1, 2, 7, 30, 240] {
            for think in [0.0, 50.0, 5_000.0] {
                for (group, copies) in [(1.0, 240.0), (15.0, 16.0), (240.0, 1.0), (240.0, 64.0)] {
                    // Each group has copies of its own.
                    let group = f64::min(group, customers as f64);
                    let copies = f64::max(copies, customers as f64 / group);
                    let own = Station { demand_ns: 80.0, copies, group };
                    let stations = [own, shared(3.0, customers)];
                    let found = throughput_per_ns(customers, think, &stations);
                    let asymptote = customers as f64 / (think + 83.0);
                    let most = stations.iter().map(Station::bound_per_ns).fold(asymptote, f64::min);
                    assert!(found <= most * (1.0 + 1e-9), "{customers} {think} {own:?}");
                }
            }
        }
    }

    #[test]
    fn alone_at_a_copy_nobody_waits() {
        let own = Station { demand_ns: 100.0, copies: 240.0, group: 1.0 };
        let all = throughput_per_ns(240, 0.0, &[own]);
        assert!((all - 2.4).abs() < 1e-9, "{all}");
        // If all choose at random, some copy is contended.
        assert!(throughput_per_ns(240, 0.0, &[Station { group: 240.0, ..own }]) < 1.5);
    }
}
