//! Which lines an operation has accessed: each costs its latency once.

/// Lines that are told apart at a time.
const SLOTS: usize = 128;
/// Slots that are looked at for a line.
const PROBES: usize = 8;

/// The lines of one thread's operation in progress.
///
/// An operation that touches many lines may find the slots of one taken; that line then counts at
/// every access, as one that has left the cache.
#[derive(Debug)]
pub struct Touched {
    operation: u32,
    /// A line, and the operation that touched it.
    slots: [(u64, u32); SLOTS],
}

impl Default for Touched {
    fn default() -> Self {
        Self { operation: 1, slots: [(0, 0); SLOTS] }
    }
}

impl Touched {
    /// Begins another operation, which has touched nothing.
    #[inline]
    pub fn begin(&mut self) {
        self.operation = self.operation.wrapping_add(1);
        if self.operation == 0 {
            *self = Self::default();
        }
    }

    /// Notes a line; whether it is new to the operation.
    #[inline]
    pub(super) fn note(&mut self, line: u64) -> bool {
        let first = (line.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 57) as usize;
        for probe in 0..PROBES {
            let slot = &mut self.slots[(first + probe) % SLOTS];
            if slot.1 != self.operation {
                *slot = (line, self.operation);
                return true;
            }
            if slot.0 == line {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_once_in_an_operation_and_again_in_the_next() {
        let mut touched = Touched::default();
        let news = |touched: &mut Touched| (0..40).filter(|&line| touched.note(line)).count();
        assert_eq!(news(&mut touched), 40);
        assert_eq!(news(&mut touched), 0);
        touched.begin();
        assert_eq!(news(&mut touched), 40);
        touched.operation = u32::MAX;
        touched.begin();
        assert_eq!(news(&mut touched), 40, "after the count of operations has gone around");
    }
}
