//! How stores and allocators look in drawings: one look for each, the same everywhere, and never two
//! alike in one figure, in colour or in grey.

mod registry;

use registry::{LADDER, OTHERS, REGISTRY};

/// Colour and marks of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// `#rrggbb`, of bars and of lines.
    pub colour: &'static str,
    /// gnuplot's fill pattern of bars: 0 is empty, 3 solid, the others are hatched.
    pub pattern: u8,
    /// gnuplot's point type. 2 and 6, which mark refusals and overload, belong to no series; 0, which is
    /// hardly seen, to lines without points.
    pub point: u8,
    /// gnuplot's dash type, 1 to 5.
    pub dash: u8,
}

/// Lightness, of 100, by which two fills of one hatch must differ to be told apart in grey.
const LIGHTNESS_APART: f64 = 20.0;
/// The same of two hatches that differ in their slope or density alone.
const LIGHTNESS_APART_RELATED: f64 = 10.0;

/// The store that puts each value on an allocator.
const HEAPSTORE: &str = "heapstore:";
/// gnuplot's dash type of dots.
const DOTTED: u8 = 3;

impl Look {
    /// Lightness of the colour (CIE L*), from 0 to 100: what is left of it in grey.
    #[must_use]
    pub fn lightness(&self) -> f64 {
        let part = |from: usize| {
            let value = u8::from_str_radix(&self.colour[from..from + 2], 16).unwrap_or(0);
            let share = f64::from(value) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        let luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
        if luminance > 0.008_856 { 116.0 * luminance.cbrt() - 16.0 } else { 903.3 * luminance }
    }

    /// Whether two bars cannot be told apart in grey, and so not in colour by everybody.
    #[must_use]
    pub fn alike_as_bars(&self, other: &Self) -> bool {
        let related = hatch(self.pattern) == hatch(other.pattern);
        let apart = (self.lightness() - other.lightness()).abs();
        match () {
            () if self.pattern == other.pattern && self.pattern == 0 => true,
            () if self.pattern == other.pattern => apart < LIGHTNESS_APART,
            () if related => apart < LIGHTNESS_APART_RELATED,
            () => false,
        }
    }

    /// Whether two lines with points cannot be told apart in grey.
    #[must_use]
    pub fn alike_as_lines(&self, other: &Self) -> bool {
        (self.point, self.dash) == (other.point, other.dash)
    }
}

/// Whether two lines without points cannot be told apart in grey.
pub(super) fn alike_as_plain_lines(one: &Look, other: &Look) -> bool {
    let apart = (one.lightness() - other.lightness()).abs();
    one.dash == other.dash && apart < LIGHTNESS_APART
}

/// Hatches that differ in slope or density alone are of one kind.
fn hatch(pattern: u8) -> u8 {
    match pattern {
        2 => 1,
        6 => 4,
        7 => 5,
        own => own,
    }
}

/// Where a series stands among others: below 0 for those of the registry and for rungs of a ladder, in their
/// order, and for any variant of our own stores, after the registered ones; else 0.
#[must_use]
pub fn rank(series: &str) -> f64 {
    let rung = || LADDER.iter().position(|rung| *rung == bare(series));
    let ours = || REGISTRY.iter().rposition(|(name, _)| is_ours(name)).filter(|_| is_ours(series));
    let place = row(series).or_else(|| rung().map(|rung| REGISTRY.len() + rung));
    let place = place.map(|place| place as f64).or_else(|| ours().map(|last| last as f64 + 0.5));
    place.map_or(0.0, |place| place - (REGISTRY.len() + LADDER.len()) as f64)
}

/// Whether the series is one of this project's own stores.
#[must_use]
pub fn is_ours(series: &str) -> bool {
    bare(series).split(['@', ' ']).next() == Some("nibble")
}

/// The look of each of a figure's series: by its row in the registry, or else the first look that is
/// unlike all others of the figure. `by_place` leaves the registry out: series are settings there.
#[must_use]
pub fn looks(series: &[&str], by_place: bool) -> Vec<Look> {
    let known = series.iter().map(|name| registered(name).filter(|_| !by_place));
    let mut looks: Vec<Option<Look>> = known.collect();
    // A variant without a row looks like its store, unless that is in the figure, too.
    for (place, name) in series.iter().enumerate() {
        let store = bare(name).split('@').next().unwrap_or_default();
        let free = |look: &Look| is_free(&looks, look);
        if looks[place].is_none() && !by_place {
            looks[place] = registered(store).filter(free);
        }
    }
    for place in 0..looks.len() {
        if looks[place].is_none() {
            let free = OTHERS.iter().find(|look| is_free(&looks, look));
            // More than bars can tell apart: lines can.
            let as_line =
                |look: &&Look| !looks.iter().flatten().any(|one| one.alike_as_lines(look));
            let free = free.or_else(|| OTHERS.iter().find(as_line));
            looks[place] = Some(*free.unwrap_or(&OTHERS[place % OTHERS.len()]));
        }
    }
    looks.into_iter().flatten().collect()
}

fn is_free(looks: &[Option<Look>], wanted: &Look) -> bool {
    let mut taken = looks.iter().flatten();
    !taken.any(|look| look.alike_as_bars(wanted) || look.alike_as_lines(wanted))
}

/// The look of a series with a row. A store that is known by its allocator has the allocator's, dotted
/// and with the other kind of points.
fn registered(series: &str) -> Option<Look> {
    let look = REGISTRY[row(series)?].1;
    let of_store = series.starts_with(HEAPSTORE);
    let inverted = Look { dash: DOTTED, point: inverted(look.point), ..look };
    Some(if of_store { inverted } else { look })
}

/// The open point of a filled one, and the reverse, where gnuplot has both: squares, triangles up and
/// down, diamonds, pentagons.
fn inverted(point: u8) -> u8 {
    match point {
        4 | 8 | 10 | 12 | 14 => point + 1,
        5 | 9 | 11 | 13 | 15 => point - 1,
        other => other,
    }
}

/// The registry's row of a series.
fn row(series: &str) -> Option<usize> {
    let bare = bare(series);
    let name = bare.strip_suffix(" all-in").or(bare.strip_suffix(" bounded")).unwrap_or(bare);
    let name = name.strip_prefix(HEAPSTORE).unwrap_or(name);
    REGISTRY.iter().position(|(known, _)| *known == name)
}

/// A series without its mark: `mica` of `mica [b]`.
fn bare(series: &str) -> &str {
    series.split_once(" [").map_or(series, |(name, _)| name)
}

/// The pairs of `series` that look alike where `alike` says so.
#[cfg(test)]
pub(super) fn alike_pairs<'a>(
    series: &[&'a str],
    looks: &[Look],
    alike: fn(&Look, &Look) -> bool,
) -> Vec<(&'a str, &'a str)> {
    let mut pairs = Vec::new();
    for (place, look) in looks.iter().enumerate() {
        let others = looks.iter().enumerate().skip(place + 1);
        let same = others.filter(|(_, other)| alike(look, other));
        pairs.extend(same.map(|(other, _)| (series[place], series[other])));
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_keeps_its_look_whatever_stands_beside_it() {
        let alone = looks(&["mica"], false)[0];
        for beside in [vec!["nibble", "mica [c]"], vec!["redis", "unheard-of", "mica"]] {
            let all = looks(&beside, false);
            let place = beside.iter().position(|name| name.starts_with("mica")).unwrap();
            assert_eq!(all[place], alone, "{beside:?}");
        }
        let both = looks(&["heapstore:jemalloc", "jemalloc"], false);
        assert_eq!((both[0].colour, both[0].pattern), (both[1].colour, both[1].pattern));
        assert!(!both[0].alike_as_lines(&both[1]) && both[0].point != both[1].point);
        assert_eq!(looks(&["nibble all-in"], false), looks(&["nibble"], false));
        assert_eq!(looks(&["nibble@heads=4"], false), looks(&["nibble"], false));
        let both = looks(&["nibble", "nibble@heads=4"], false);
        assert!(!both[0].alike_as_bars(&both[1]) && !both[0].alike_as_lines(&both[1]));
    }

    #[test]
    fn no_two_rows_are_the_same_line_and_points_that_mean_something_are_no_stores() {
        let names: Vec<&str> = REGISTRY.iter().map(|row| row.0).collect();
        let looks: Vec<Look> = REGISTRY.iter().map(|row| row.1).collect();
        assert_eq!(alike_pairs(&names, &looks, Look::alike_as_lines), []);
        for (name, look) in REGISTRY {
            assert!(![2, 6].contains(&look.point), "{name}");
            // A point that is hardly seen: of what is drawn as bars, or as a line without points.
            let is_never_a_point =
                ["live bytes", "memcached"].iter().any(|one| name.starts_with(one));
            assert!(look.point != 0 || is_never_a_point, "{name}");
            assert!((1..=5).contains(&look.dash) && look.pattern <= 7, "{name}");
        }
    }

    #[test]
    fn looks_of_series_without_a_row_are_unlike() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let looks = looks(&names, true);
        assert_eq!(alike_pairs(&names, &looks, Look::alike_as_lines), []);
        assert_eq!(alike_pairs(&names, &looks, Look::alike_as_bars), []);
    }

    #[test]
    fn planted_equal_styles_are_found() {
        let [mica, mimalloc] = [
            Look { colour: "#1f78b4", pattern: 5, point: 9, dash: 2 },
            Look { colour: "#b8402a", pattern: 5, point: 9, dash: 2 },
        ];
        let found = alike_pairs(&["mica", "mimalloc"], &[mica, mimalloc], Look::alike_as_bars);
        assert_eq!(found, [("mica", "mimalloc")], "blue and red of one lightness, one hatch");
        assert!(mica.alike_as_lines(&mimalloc));
    }

    #[test]
    fn ours_come_first() {
        let mut names =
            ["zebra", "nibble@heads=4", "mica", "nibble@update=append [b]", "redis", "nibble"];
        names.sort_by(|a, b| rank(a).total_cmp(&rank(b)).then(a.cmp(b)));
        let expected =
            ["nibble", "nibble@update=append [b]", "nibble@heads=4", "mica", "redis", "zebra"];
        assert_eq!(names, expected);
        let mut rungs = ["bullet@rung=full", "silt", "bullet@rung=st [b]", "bullet@rung=volatile"];
        rungs.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        assert_eq!(
            rungs,
            ["silt", "bullet@rung=volatile", "bullet@rung=st [b]", "bullet@rung=full"],
            "up the ladder"
        );
        assert!(is_ours("nibble all-in") && is_ours("nibble@preset=paper [a]"));
        assert!(!is_ours("nibbler") && !is_ours("mica@preset=nibble-paper"));
    }
}
