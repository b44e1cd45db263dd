//! What is said to be compared: the labels that differ, and no others.

use super::made_up::{answer, compared, near};

const TO_MICA: &str =
    "ratio = { of = { system = \"nibble\" }, to = { engine = \"mica\" }, at-least = 1 }";

#[test]
fn labels_that_all_pairs_share_are_not_named() {
    let labels = "threads=2 keys=zipfian:0.99 value-bytes=64 fill-percent=90 resident=true";
    let one = [near("nibble", labels, 2.0), near("mica@preset=nibble-paper", labels, 1.0)];
    assert_eq!(compared(&answer(TO_MICA, &one)), ["nibble ÷ mica@preset=nibble-paper"]);
    let other = "threads=1 keys=uniform value-bytes=1KiB fill-percent=50 resident=false";
    let mut two = one.to_vec();
    two.extend([near("nibble", other, 2.0), near("mica@preset=nibble-paper", other, 1.0)]);
    assert_eq!(
        compared(&answer(TO_MICA, &two)),
        [
            "nibble ÷ mica@preset=nibble-paper, fill 50 %, uniform, not resident, 1 thread, values \
             of 1KiB",
            "nibble ÷ mica@preset=nibble-paper, fill 90 %, zipfian:0.99, resident, 2 threads, \
             values of 64 B"
        ]
    );
}

#[test]
fn sides_that_differ_in_works_have_them_beside_their_names() {
    let word = "ratio = { of = { system = \"nibble\", fill-percent = 90 }, \
                to = { engine = \"mica\", fill-percent = 50 }, at-least = 1 }";
    let rows = [near("nibble", "fill-percent=90", 2.0), near("mica", "fill-percent=50", 1.0)];
    assert_eq!(compared(&answer(word, &rows)), ["nibble (fill 90 %) ÷ mica (fill 50 %)"]);
}

#[test]
fn a_row_without_a_system_has_a_name_nevertheless() {
    let mut row = near("nibble", "", 2.0);
    row.labels.remove("system");
    assert_eq!(compared(&answer("select = { of = {}, at-least = 1 }", &[row.clone()])), ["nibble"]);
    row.labels.remove("engine");
    assert_eq!(compared(&answer("select = { of = {}, at-least = 1 }", &[row])), ["a row"]);
}
