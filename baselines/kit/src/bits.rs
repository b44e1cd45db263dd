//! The set bits of a word, one by one: which entries of a bucket match.

/// The numbers of the set bits, lowest first.
#[inline]
pub fn bits(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(bit)
    })
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn numbers_rise_and_none_is_left_out() {
        assert_eq!(bits(0).count(), 0);
        assert_eq!(bits(0x8000_0025).collect::<Vec<_>>(), [0, 2, 5, 31]);
        assert!(bits(u32::MAX).eq(0..32));
    }
}
