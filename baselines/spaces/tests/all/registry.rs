//! Names, lists and sizes: what a registry does, and what it refuses with the remedy.

use platform::segments::{CHOSEN_END, RANGE_START};
use spaces::registry::{
    ACCESS_ENTRIES_MAX, Access, NewSegment, Registry, RegistryError, Rights,
    SEGMENTS_PER_SPACE_MAX, SegmentId, Who, keeper,
};

use super::world::{PAGE, free_base, new_segment, refused, segment, space, world};

#[test]
fn segments_and_spaces_are_found_by_name_in_every_process() {
    let (keeper, registry) = world();
    let base = free_base();
    let id = registry.make_segment(new_segment("heap", base, 3)).unwrap();
    let one = space(&registry, "one", &[(id, Rights::ReadWrite)]);
    let other = keeper.connect().unwrap();
    assert_eq!(other.find_segment("heap"), Ok(id));
    assert_eq!(other.find_space("one"), Ok(one));
    let listed = other.list_space(one).unwrap();
    assert_eq!((listed.len(), listed[0].segment, listed[0].rights), (1, id, Rights::ReadWrite));
    let info = other.describe_segment(id).unwrap();
    assert_eq!((info.name.as_str(), info.base, info.bytes), ("heap", base, 3 * PAGE));
    assert_eq!((info.page_bytes, info.lockable, info.poisoned_by), (PAGE, false, None));
    // A clone of a space has the same segments, not copies of them.
    let two = other.clone_space(one, "two").unwrap();
    assert_eq!(registry.list_space(two).unwrap(), listed);
    // The list of an origin changes alone.
    registry.detach_segment(one, id).unwrap();
    assert_eq!(registry.list_space(two).unwrap(), listed);
    assert_eq!(registry.list_space(one), Ok(Vec::new()));
}

#[test]
fn names_that_cannot_be() {
    let (_keeper, registry) = world();
    let named = |name: &str| registry.make_segment(new_segment(name, free_base(), 1));
    assert_eq!(refused(named("")), "a segment without a name: use 1 to 255 bytes");
    let long = "x".repeat(256);
    assert_eq!(refused(named(&long)), "a segment with a name of 256 bytes: use 1 to 255");
    assert!(named(&long[1..]).is_ok());
    named("stack").unwrap();
    let taken = "the name `stack` is taken: find that segment, or use another name";
    assert_eq!(refused(named("stack")), taken);
    // Spaces have names of their own.
    registry.make_space("stack").unwrap();
    let taken = "the name `stack` is taken: find that space, or use another name";
    assert_eq!(refused(registry.make_space("stack")), taken);
    let nearest = "no segment is called `stakc`: did you mean `stack`?";
    assert_eq!(refused(registry.find_segment("stakc")), nearest);
    let (_keeper, empty) = world();
    let none = "no space is called `one`, and there is none: make one first";
    assert_eq!(refused(empty.find_space("one")), none);
    let asked = refused(registry.find_segment(&"x".repeat(70_000)));
    assert!(asked.starts_with("asking the keeper: a message of 70"), "{asked}");
}

#[test]
fn places_and_sizes_that_cannot_be() {
    let (_keeper, registry) = world();
    let base = free_base();
    let with = |change: &dyn Fn(&mut NewSegment)| {
        let mut new = new_segment("odd", base, 1);
        change(&mut new);
        refused(registry.make_segment(new))
    };
    let bytes = |bytes: usize| with(&|new| new.bytes = bytes);
    assert_eq!(bytes(0), "a segment of 0 bytes: use a multiple of 4096, not 0");
    assert_eq!(bytes(PAGE + 8), "a segment of 4104 bytes: use a multiple of 4096, not 0");
    let huge = with(&|new| new.page_bytes = 2 << 20);
    assert_eq!(huge, "a segment of 4096 bytes: use a multiple of 2097152, not 0");
    assert_eq!(with(&|new| new.page_bytes = 1), "pages of 1 bytes: use 4096 or 2097152");
    let unaligned = format!("the base {:#x} is no multiple of 4096", base + 16);
    assert_eq!(with(&|new| new.base = base + 16), unaligned);
    for outside in [0, RANGE_START - PAGE, CHOSEN_END, usize::MAX - PAGE + 1] {
        let told = with(&|new| new.base = outside);
        let leaves = format!("a segment of 4096 bytes at {outside:#x} leaves the reserved range");
        assert!(told.starts_with(&leaves) && told.contains("0x600000000000 to"), "{told}");
    }
    // It begins inside and ends behind.
    let told = with(&|new| (new.base, new.bytes) = (CHOSEN_END - PAGE, 2 * PAGE));
    assert!(told.contains("leaves the reserved range"), "{told}");
    let told = bytes(1 << 42);
    assert!(told.starts_with("a segment of 4398046511104 bytes, of which "), "{told}");
    assert!(told.ends_with(" are free: use fewer"), "{told}");
    let long = (0..=ACCESS_ENTRIES_MAX as u32)
        .fold(Access::owner(), |list, uid| list.and(Who::User(uid), Rights::Read));
    let told = with(&|new| new.access = long.clone());
    assert_eq!(told, "more than 256 entries in an access list");
    assert!(registry.find_segment("odd").is_err(), "nothing is left");
}

/// Rule 1.
#[test]
fn overlaps_are_refused_and_change_nothing() {
    let (_keeper, registry) = world();
    let base = free_base();
    let make = |name, base, pages| registry.make_segment(new_segment(name, base, pages)).unwrap();
    let low = make("low", base, 4);
    // The same place is no conflict as long as no space has both.
    let within = make("within", base + PAGE, 1);
    let next = make("next", base + 4 * PAGE, 4);
    let one = space(&registry, "one", &[(low, Rights::ReadWrite), (next, Rights::Read)]);
    let before = registry.list_space(one).unwrap();
    let told = refused(registry.attach_segment(one, within, Rights::ReadWrite));
    let overlaps = "segment `within` overlaps segment `low` of space `one`: detach that one, or \
                    use another base";
    assert_eq!(told, overlaps);
    let told = refused(registry.attach_segment(one, low, Rights::Read));
    assert_eq!(told, "segment `low` is in space `one` already: detach it first");
    assert_eq!(registry.list_space(one).unwrap(), before);
    registry.detach_segment(one, low).unwrap();
    registry.attach_segment(one, within, Rights::ReadWrite).unwrap();
    let told = refused(registry.attach_segment(one, low, Rights::ReadWrite));
    assert!(told.starts_with("segment `low` overlaps segment `within`"), "{told}");
}

#[test]
fn what_is_in_use_stays() {
    let (_keeper, registry) = world();
    let id = segment(&registry, "heap");
    let one = space(&registry, "one", &[(id, Rights::Read)]);
    let listed = "segment `heap` is in space `one`: detach it first";
    assert_eq!(refused(registry.remove_segment(id)), listed);
    registry.detach_segment(one, id).unwrap();
    let told = refused(registry.detach_segment(one, id));
    assert_eq!(told, "segment `heap` is not in space `one`");
    let mapped = registry.map(id, Rights::ReadWrite).unwrap();
    let in_use = "segment `heap` is open in 1 processes: detach it first";
    assert_eq!(refused(registry.remove_segment(id)), in_use);
    assert_eq!(refused(registry.set_lockable(id, true)), in_use);
    drop(mapped);
    registry.unmapped(id).unwrap();
    registry.set_lockable(id, true).unwrap();
    assert!(registry.describe_segment(id).unwrap().lockable);
    registry.remove_segment(id).unwrap();
    registry.remove_space(one).unwrap();
    let gone = |id: SegmentId| format!("there is no {id}: it never was, or is removed");
    assert_eq!(refused(registry.remove_segment(id)), gone(id));
    assert_eq!(refused(registry.map(id, Rights::Read).map(|_| ())), gone(id));
    assert_eq!(refused(registry.set_access(id, Access::owner())), gone(id));
    assert!(refused(registry.list_space(one)).starts_with("there is no space"));
}

/// Rule 12.
#[test]
fn ids_are_never_reused() {
    let (_keeper, registry) = world();
    let mut segments = Vec::new();
    let mut spaces = Vec::new();
    for _ in 0..5 {
        let (id, one) = (segment(&registry, "again"), registry.make_space("again").unwrap());
        registry.remove_segment(id).unwrap();
        registry.remove_space(one).unwrap();
        assert!(!segments.contains(&id) && !spaces.contains(&one));
        segments.push(id);
        spaces.push(one);
    }
}

#[test]
fn a_space_has_so_many_segments_at_most() {
    let (_keeper, registry) = world();
    let base = free_base();
    let full = registry.make_space("full").unwrap();
    let attach = |number: usize| {
        let new = new_segment(&number.to_string(), base + number * PAGE, 1);
        registry.attach_segment(full, registry.make_segment(new).unwrap(), Rights::Read)
    };
    for number in 0..SEGMENTS_PER_SPACE_MAX {
        attach(number).unwrap();
    }
    let told = refused(attach(SEGMENTS_PER_SPACE_MAX));
    assert_eq!(told, "more than 256 segments in space `full`");
}

#[test]
fn a_keeper_that_is_not_there() {
    let gone = "the keeper of the registry has ended, and its segments with it";
    assert_eq!(refused(Registry::connect("nibble-spaces.nobody")), gone);
    let (keeper, registry) = world();
    let name = keeper.name().to_owned();
    assert!(registry.lives());
    drop(keeper);
    assert!(!registry.lives());
    assert_eq!(registry.make_space("late"), Err(RegistryError::Gone));
    assert_eq!(refused(Registry::connect(&name)), gone);
    // Started by hand, it says so.
    let told = keeper::serve().unwrap_err().to_string();
    assert!(told.ends_with("not by hand (NIBBLE_SPACE_KEEPER is not set)"), "{told}");
}
