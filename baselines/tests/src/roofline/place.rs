//! Words of the index.

use baseline_roofline::place::{OBJECT_WORDS_MAX, Place, VALUE_BYTES_MAX};

#[test]
fn places_are_read_back_to_both_ends() {
    for at in [0, 1, 77, OBJECT_WORDS_MAX - 1] {
        for value_bytes in [0, 1, 8, VALUE_BYTES_MAX] {
            let place = Place { at, value_bytes };
            assert_eq!(Place::of(place.word()), Some(place));
        }
    }
    assert_eq!(Place::of(Place::ABSENT), None);
}
