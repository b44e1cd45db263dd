//! Keys that some layout takes for each other: cut at a NUL, at a length, or after a shared prefix.

use crate::conformance::value::Random;

/// Lengths at which layouts end: nothing, a word, two words, one byte of length, a page.
pub(super) const LENGTHS: [usize; 8] = [0, 1, 7, 8, 9, 16, 255, 4096];

/// Keys of at most `limit_bytes`, each of which differs from another in one way only.
pub(super) fn peculiar_keys(limit_bytes: usize) -> Vec<Vec<u8>> {
    let mut keys: Vec<Vec<u8>> = Vec::new();
    for bytes in LENGTHS {
        // Zeros: only the length tells them apart, of which one byte is the same 256 further on.
        keys.extend([bytes, bytes + 1, bytes + 256].map(|bytes| vec![0; bytes]));
        keys.push(vec![b'a'; bytes]);
        keys.push(vec![0xff; bytes]);
        // A long prefix in common, and a difference in the last byte, in the first, or behind the end.
        for last in [0, b'b', 0xff] {
            let mut key = vec![b'a'; bytes];
            key.push(last);
            keys.push(key);
        }
        let mut key = vec![b'a'; bytes];
        if let Some(first) = key.first_mut() {
            *first = b'b';
        }
        keys.push(key);
    }
    keys.extend(
        [
            &b"\0"[..],
            b"\0a",
            b"a\0",
            b"a\0b",
            b"a\0c",
            b"a\0\0",
            b"ab\0cdefgh",
            b"ab\0cdefgi",
            b"12345678",
            b"12345678\0",
            b"123456781",
            b"1234567812345678",
            b"12345678\0\0\0\0\0\0\0\0",
            b"12345679",
            b" ",
            b" a",
            b"a ",
            b"\r\n",
            b"a\r\nset b",
            b"\x7f\x80\xff",
        ]
        .map(<[u8]>::to_vec),
    );
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| key.len() <= limit_bytes);
    keys
}

/// A random key of at most `limit_bytes`: one of `peculiar`, or a short one of few letters.
pub(super) fn random_key(random: &mut Random, peculiar: &[Vec<u8>], limit_bytes: usize) -> Vec<u8> {
    if random.percent(50) {
        return peculiar[random.below(peculiar.len() as u64) as usize].clone();
    }
    let bytes = random.length(&(0..=limit_bytes.min(40)));
    (0..bytes).map(|_| b"\0ab\xff"[random.below(4) as usize]).collect()
}
