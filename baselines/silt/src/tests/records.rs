//! Records and where they lie; filters; keys.

use crate::cuckoo::Tag;
use crate::filter::Filter;
use crate::key::{Buckets, KEY_BYTES, of_word};
use crate::record::{self, Entry, HEADER_BYTES, Layout};

#[test]
fn records_are_read_as_they_were_written_and_every_bit_counts() {
    let key = of_word(7);
    for (entry, ordinal) in
        [(Entry::Value(b"some value"), 3), (Entry::Value(b""), 0), (Entry::Deleted, 9)]
    {
        let mut bytes = vec![0xEE; HEADER_BYTES + 12];
        record::write(&mut bytes, ordinal, &key, entry);
        assert_eq!(record::read(&bytes, ordinal), Ok(Some((&key, entry))));
        assert!(record::read(&bytes, ordinal + 1).is_err(), "of another place");
        for bit in 0..bytes.len() * 8 {
            let mut changed = bytes.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(record::read(&changed, ordinal).is_err(), "bit {bit} of {entry:?}");
        }
    }
    let mut nothing = vec![0; HEADER_BYTES + 12];
    assert_eq!(record::read(&nothing, 5), Ok(None));
    for bit in 0..nothing.len() * 8 {
        nothing[bit / 8] ^= 1 << (bit % 8);
        assert!(record::read(&nothing, 5).is_err(), "bit {bit} of nothing");
        nothing[bit / 8] ^= 1 << (bit % 8);
    }
}

/// Records do not overlap, short ones keep to a page, and spans hold what they are asked for.
#[test]
fn records_lie_where_spans_say() {
    for value_bytes in [0, 1, 36, 37, 100, 1000, 4068, 5000, 100_000] {
        let layout = Layout::new(value_bytes);
        let record_bytes = layout.record_bytes as u64;
        assert!(layout.record_bytes >= HEADER_BYTES + value_bytes);
        assert_eq!(layout.end(0), 0);
        for ordinal in 0..300 {
            let (start, end) = (layout.offset(ordinal), layout.end(ordinal + 1));
            assert_eq!(end - start, record_bytes);
            assert!(ordinal == 0 || start >= layout.end(ordinal));
            assert!(record_bytes > 64 || start / 4096 == (end - 1) / 4096, "one page");
            for count in [1, 2, 7] {
                let span = layout.span(ordinal, count);
                assert!(span.at.is_multiple_of(4096) && span.bytes.is_multiple_of(4096));
                assert!(span.bytes > 0);
                assert!(span.at <= start && start - span.at < 4096);
                assert!(layout.end(ordinal + count) <= span.at + span.bytes as u64);
                assert_eq!(span.skip as u64, start - span.at);
            }
        }
    }
    assert_eq!((Layout::new(36).per_block(), Layout::new(37).per_block()), (64, 1));
}

#[test]
fn filters_are_the_tags_they_were_made_of() {
    for bits in [4, 7, 10, 15] {
        let tag_of = |slot: u64| match of_word(slot)[0] {
            0..20 => Tag::FREE,
            _ => Tag::of(Buckets::of(&of_word(slot), bits).other),
        };
        let tags: Vec<Tag> = (0..4 << bits).map(tag_of).collect();
        let filter = Filter::of_tags(bits, &tags);
        assert!((0..tags.len()).all(|slot| filter.tag(slot) == tags[slot]));
        let taken = tags.iter().filter(|tag| tag.is_taken()).count() as u64;
        assert_eq!(filter.entries(), taken);
        assert_eq!(filter.bytes(), (tags.len() as u64 * u64::from(bits + 1)).div_ceil(64) * 8);
        let image = filter.image();
        assert_eq!(Filter::from_image(&image), Ok(filter));
        for bit in (0..image.len() * 8).step_by(101) {
            let mut changed = image.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(Filter::from_image(&changed).is_err(), "bit {bit}");
        }
    }
}

/// No two words have the same key, and bits of every part are even.
#[test]
fn keys_of_words_are_distinct_and_uniform() {
    let mut first = Vec::new();
    let mut ones = [0_u32; KEY_BYTES * 8];
    for word in 0..20_000 {
        let key = of_word(word);
        first.push(key);
        for (bit, ones) in ones.iter_mut().enumerate() {
            *ones += u32::from(key[bit / 8] >> (bit % 8) & 1);
        }
    }
    first.sort_unstable();
    first.dedup();
    assert_eq!(first.len(), 20_000);
    // Five standard deviations of 20 000 coins are 354.
    assert!(ones.iter().all(|&ones| (9646..=10_354).contains(&ones)), "{ones:?}");
}
