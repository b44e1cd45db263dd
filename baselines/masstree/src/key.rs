//! A key, divided into slices of eight bytes, one per layer.

/// What follows a key's slice within its layer, ordered as keys are.
///
/// Keys that end within a slice come before those that continue. A node has at most one continuing
/// entry per slice, with the rest as its suffix or as a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rank(u8);

impl Rank {
    /// The key continues after its slice; the rest is its suffix.
    pub(crate) const SUFFIX: Self = Self(9);
    /// Keys continue after the slice; the rests are in a layer.
    pub(crate) const LAYER: Self = Self(10);
    /// Ranks are stored in nibbles.
    pub(crate) const BITS: u32 = 4;

    /// The rank of a key that ends in this layer after `bytes` bytes, at most eight.
    pub(crate) fn ends_after(bytes: usize) -> Self {
        debug_assert!(bytes <= 8, "a slice has eight bytes");
        Self(bytes as u8)
    }

    pub(crate) fn from_bits(bits: u64) -> Self {
        Self(bits as u8 & 0xf)
    }

    pub(crate) fn bits(self) -> u64 {
        u64::from(self.0)
    }

    /// Its position among the ranks of one slice.
    #[inline]
    pub(crate) fn order(self) -> u8 {
        self.0.min(Self::SUFFIX.0)
    }

    /// How many bytes of the slice belong to the key.
    pub(crate) fn slice_bytes(self) -> usize {
        usize::from(self.0.min(8))
    }
}

const _: () = assert!(Rank::LAYER.0 < 1 << Rank::BITS);

/// The rest of a key, from some layer on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key<'k> {
    rest: &'k [u8],
}

impl<'k> Key<'k> {
    #[inline]
    pub(crate) fn new(bytes: &'k [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Its next eight bytes, padded with zeros, so that slices compare as bytes do.
    #[inline]
    pub(crate) fn slice(self) -> u64 {
        if let Some(whole) = self.rest.first_chunk() {
            return u64::from_be_bytes(*whole);
        }
        let mut padded = [0; 8];
        padded[..self.rest.len()].copy_from_slice(self.rest);
        u64::from_be_bytes(padded)
    }

    #[inline]
    pub(crate) fn rank(self) -> Rank {
        if self.rest.len() > 8 { Rank::SUFFIX } else { Rank::ends_after(self.rest.len()) }
    }

    /// What follows its slice; empty for a key that ends there.
    #[inline]
    pub(crate) fn suffix(self) -> &'k [u8] {
        self.rest.get(8..).unwrap_or_default()
    }

    /// The rest of the key, from the next layer on.
    pub(crate) fn shifted(self) -> Self {
        debug_assert!(self.rest.len() > 8, "a key in a layer has bytes there");
        Self { rest: self.suffix() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_and_ranks_order_keys_as_bytes_do() {
        let keys: [&[u8]; 9] = [
            b"",
            b"\0",
            b"\0\0\0\0\0\0\0\0",
            b"\0\0\0\0\0\0\0\0\0",
            b"a",
            b"a\0",
            b"aaaaaaaa",
            b"aaaaaaaab",
            b"b",
        ];
        let placed = keys.map(|key| (Key::new(key).slice(), Key::new(key).rank().order()));
        assert!(placed.is_sorted(), "{placed:?}");
        assert!(placed.windows(2).all(|pair| pair[0] != pair[1]));
        assert_eq!(Key::new(b"12345678rest").suffix(), b"rest");
        assert_eq!(Key::new(b"12345678rest").shifted().rank(), Rank::ends_after(4));
    }
}
