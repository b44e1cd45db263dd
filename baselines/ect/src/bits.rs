//! Bits in words, the most significant first, so that codes compare as numbers.

/// Bits in a word.
const WORD_BITS: u64 = u64::BITS as u64;

/// A growing string of bits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    words: Vec<u64>,
    length: u64,
}

impl Bits {
    /// `None` if there are not as many words as the length needs.
    pub(crate) fn of_words(words: Vec<u64>, length: u64) -> Option<Self> {
        (words.len() as u64 == length.div_ceil(WORD_BITS)).then_some(Self { words, length })
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Length in bits.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// Gives back what the vector has grown ahead.
    pub(crate) fn shrink(&mut self) {
        self.words.shrink_to_fit();
    }

    /// Appends the `count` low bits of `value`, at most 64; those above must be 0.
    pub(crate) fn push(&mut self, value: u64, count: u32) {
        debug_assert!(count == u64::BITS || value >> count == 0, "{value:#x} in {count} bits");
        if count == 0 {
            return;
        }
        let used = (self.length % WORD_BITS) as u32;
        let high = value << (u64::BITS - count);
        match self.words.last_mut().filter(|_| used > 0) {
            Some(last) => {
                *last |= high >> used;
                if used + count > u64::BITS {
                    self.words.push(high << (u64::BITS - used));
                }
            }
            None => self.words.push(high),
        }
        self.length += u64::from(count);
    }
}

/// A place in a string of bits, from which codes are read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    words: &'a [u64],
    at: u64,
    end: u64,
}

impl<'a> Reader<'a> {
    /// From bit `at` to bit `end`.
    pub(crate) fn new(bits: &'a Bits, at: u64, end: u64) -> Self {
        Self { words: &bits.words, at, end: end.min(bits.length) }
    }

    /// The next 64 bits, with zeros behind the last word.
    #[inline]
    pub(crate) fn window(&self) -> u64 {
        let (word, used) = ((self.at / WORD_BITS) as usize, (self.at % WORD_BITS) as u32);
        let first = self.words.get(word).map_or(0, |word| word << used);
        if used == 0 {
            return first;
        }
        first | self.words.get(word + 1).map_or(0, |word| word >> (u64::BITS - used))
    }

    /// Moves on; `None` if the string ends before.
    #[inline]
    pub(crate) fn advance(&mut self, count: u32) -> Option<()> {
        self.at += u64::from(count);
        (self.at <= self.end).then_some(())
    }

    /// Bits that are left.
    #[cfg(test)]
    pub(crate) fn left(&self) -> u64 {
        self.end - self.at
    }
}
