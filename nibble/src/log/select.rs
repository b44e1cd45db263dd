//! Which head a thread appends to: the head of the core it runs on.

use crate::constants::HEADS_MAX;

/// Core id to head number. Core ids of a restricted process may be sparse, so allowed cores are
/// dealt to the heads in turn.
#[derive(Debug)]
pub(crate) struct HeadOfCore(Box<[u16]>);

const _: () = assert!(HEADS_MAX <= u16::MAX as usize);

impl HeadOfCore {
    pub(crate) fn new(heads: usize) -> Self {
        Self::over(&platform::cpu::allowed_cores(), heads)
    }

    fn over(cores: &[usize], heads: usize) -> Self {
        let length = cores.iter().max().map_or(1, |&last| last + 1).next_power_of_two();
        let mut table: Box<[u16]> = (0..length).map(|core| (core % heads) as u16).collect();
        for (turn, &core) in cores.iter().enumerate() {
            table[core] = (turn % heads) as u16;
        }
        Self(table)
    }

    #[inline]
    pub(crate) fn of(&self, core: usize) -> usize {
        usize::from(self.0[core & (self.0.len() - 1)])
    }

    /// The head of the core the calling thread runs on now.
    #[inline]
    pub(crate) fn here(&self) -> usize {
        self.of(platform::cpu::current_core())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_cores_share_the_heads_evenly() {
        let table = HeadOfCore::over(&[3, 9, 17, 40], 2);
        assert_eq!([3, 9, 17, 40].map(|core| table.of(core)), [0, 1, 0, 1]);
        assert!((0..1000).all(|core| table.of(core) < 2), "any core id is safe");
    }
}
