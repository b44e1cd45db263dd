//! How series look on the page: as they do on paper, by the registry of styles.

use serde::Serialize;

use crate::figures::styles;

/// Colour, point and dash of a series, in gnuplot's numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(in crate::page) struct Look(&'static str, u8, u8);

/// The look of each of a figure's series.
pub(in crate::page) fn looks<'a>(series: &[&'a str]) -> Vec<(&'a str, Look)> {
    let found = styles::looks(series, false).into_iter();
    let shown = found.map(|look| Look(look.colour, look.point, look.dash));
    series.iter().copied().zip(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stores_keep_their_look_and_others_take_a_free_one() {
        let alone = looks(&["mica"])[0].1.clone();
        let all = looks(&["unheard-of", "mica [b]", "another"]);
        assert_eq!(all[1].1, alone);
        assert!(all[0].1 != all[1].1 && all[1].1 != all[2].1 && all[0].1 != all[2].1, "{all:?}");
    }
}
