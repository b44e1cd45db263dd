//! Threads over the sockets of a machine: how far a line travels between them, and how far away memory
//! is. Threads fill one socket after the other.

use crate::machine::Machine;

/// A number of threads on a machine, one per core.
#[derive(Clone, Debug)]
pub struct Span<'a> {
    machine: &'a Machine,
    /// Threads of each socket that has any.
    on_socket: Vec<usize>,
    threads: usize,
}

impl<'a> Span<'a> {
    /// `threads` on `machine`; `None` for no threads, or more than it has cores.
    #[must_use]
    pub fn new(machine: &'a Machine, threads: usize) -> Option<Self> {
        if threads == 0 || threads > machine.cores() {
            return None;
        }
        let cores = machine.cores_on_socket();
        let full = std::iter::repeat_n(cores, threads / cores);
        let rest = Some(threads % cores).filter(|rest| *rest > 0);
        Some(Self { machine, on_socket: full.chain(rest).collect(), threads })
    }

    #[must_use]
    pub fn machine(&self) -> &'a Machine {
        self.machine
    }

    #[must_use]
    pub fn threads(&self) -> f64 {
        self.threads as f64
    }

    /// Sockets with threads.
    #[must_use]
    pub fn sockets(&self) -> f64 {
        self.on_socket.len() as f64
    }

    /// Mean number of threads on a thread's own socket, itself included.
    #[must_use]
    pub fn neighbours(&self) -> f64 {
        self.on_socket.iter().map(|own| (own * own) as f64).sum::<f64>() / self.threads()
    }

    /// Mean transfer time of a line from another thread, over all pairs, ns; 0 for one thread.
    #[must_use]
    pub fn line_ns(&self) -> f64 {
        let machine = self.machine;
        let costs = [&machine.line_within_ns, &machine.line_near_ns, &machine.line_far_ns];
        let pairs = self.threads() * (self.threads() - 1.0);
        if pairs == 0.0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for (here, own) in self.on_socket.iter().enumerate() {
            for (there, other) in self.on_socket.iter().enumerate() {
                let others = if here == there { other - 1 } else { *other };
                sum += (own * others) as f64 * costs[self.distance(here, there)].value;
            }
        }
        sum / pairs
    }

    /// Mean latency of memory spread over the sockets in use ÷ that of local memory.
    #[must_use]
    pub fn spread_ratio(&self) -> f64 {
        let homes = 0..self.on_socket.len();
        homes.map(|home| self.ratio_to(home)).sum::<f64>() / self.sockets()
    }

    /// Mean latency of the first socket's memory ÷ that of local memory.
    #[must_use]
    pub fn first_socket_ratio(&self) -> f64 {
        self.ratio_to(0)
    }

    /// Share of the threads that are not on the first socket.
    #[must_use]
    pub fn away_from_first(&self) -> f64 {
        1.0 - self.on_socket[0] as f64 / self.threads()
    }

    fn ratio_to(&self, home: usize) -> f64 {
        let machine = self.machine;
        let ratios = [1.0, machine.dram_near_ratio.value, machine.dram_far_ratio.value];
        let threads = self.on_socket.iter().enumerate();
        let sum: f64 = threads.map(|(at, own)| *own as f64 * ratios[self.distance(at, home)]).sum();
        sum / self.threads()
    }

    /// 0 within a socket, 1 to a near one, 2 to a far one.
    fn distance(&self, here: usize, there: usize) -> usize {
        let cluster = self.machine.near_sockets.value as usize + 1;
        match () {
            () if here == there => 0,
            () if here / cluster == there / cluster => 1,
            () => 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::tests::shipped;

    #[test]
    fn sockets_are_filled_one_after_the_other() {
        let machine = shipped("superdome-x");
        let span = |threads| Span::new(&machine, threads);
        assert!(span(0).is_none() && span(241).is_none());
        let sockets: Vec<f64> =
            [1, 15, 16, 240].map(|threads| span(threads).unwrap().sockets()).to_vec();
        assert_eq!(sockets, [1.0, 1.0, 2.0, 16.0]);
        assert_eq!(span(15).unwrap().neighbours(), 15.0);
        assert_eq!(span(16).unwrap().neighbours(), (225.0 + 1.0) / 16.0);
    }

    #[test]
    fn lines_and_memory_get_farther_with_every_socket() {
        let machine = shipped("superdome-x");
        let span = |threads| Span::new(&machine, threads).unwrap();
        assert_eq!((span(1).line_ns(), span(15).line_ns()), (0.0, 50.0));
        assert_eq!((span(15).spread_ratio(), span(15).first_socket_ratio()), (1.0, 1.0));
        // Half of the memory is near, half local.
        assert!((span(30).spread_ratio() - (1.0 + 1.64) / 2.0).abs() < 1e-12);
        let rising = [2, 30, 60, 240].map(|threads| span(threads).line_ns());
        assert!(rising.is_sorted(), "{rising:?}");
        let far = span(240);
        let mean = (14.0 * 50.0 + 15.0 * 180.0 + 210.0 * 330.0) / 239.0;
        assert!((far.line_ns() - mean).abs() < 1e-9);
        assert!((far.away_from_first() - 15.0 / 16.0).abs() < 1e-12);
    }
}
