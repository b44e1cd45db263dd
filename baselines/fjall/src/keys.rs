//! Byte strings as fjall takes them, which has no empty key.
//!
//! A string of nothing but zeros, the empty one among them, gets one more. All others stay as they are. So
//! no two strings become the same, and the order stays: a string of zeros lies before all that begin with
//! it, and so does a longer one before those of them that have another byte.

use std::borrow::Cow;

use kit::key::BYTES_MAX;

/// The longest key: one more byte is for a zero.
pub const KEY_BYTES_MAX: usize = BYTES_MAX - 1;

/// A key as fjall has it.
#[inline]
pub(crate) fn stored(key: &[u8]) -> Cow<'_, [u8]> {
    if is_zero(key) { Cow::Owned(vec![0; key.len() + 1]) } else { Cow::Borrowed(key) }
}

/// The key that is stored so.
#[inline]
pub(crate) fn shown(stored: &[u8]) -> &[u8] {
    if is_zero(stored) { stored.get(1..).unwrap_or_default() } else { stored }
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All strings of up to four bytes, each 0, 1 or 255.
    #[test]
    fn strings_stay_apart_and_in_order_and_none_is_empty() {
        let mut strings: Vec<Vec<u8>> = vec![Vec::new()];
        let mut last = strings.clone();
        for _ in 0..4 {
            last = last
                .iter()
                .flat_map(|string| [0, 1, 255].map(|byte| [&string[..], &[byte]].concat()))
                .collect();
            strings.extend(last.clone());
        }
        strings.sort_unstable();
        assert_eq!(strings.len(), 1 + 3 + 9 + 27 + 81);
        let all: Vec<_> = strings.iter().map(|string| stored(string).into_owned()).collect();
        assert!(all.is_sorted_by(|one, next| one < next), "{all:?}");
        assert!(all.iter().all(|stored| !stored.is_empty()));
        assert!(strings.iter().zip(&all).all(|(string, stored)| shown(stored) == string));
    }
}
