//! At most seven series a panel. The rule: ours first, then in the order of the registry of styles.
//! What is left over goes to further panels, with the first of ours in each to compare with; where a
//! figure would have too many panels then, it stands in the table only.

use super::styles;

/// Series in a panel.
pub(super) const SERIES_MOST: usize = 7;
/// Panels in a figure, before what is left over goes to the table.
pub(super) const PANELS_MOST: usize = 6;

/// Which series each of the panels has that one panel becomes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// The series of each panel.
    pub(super) panels: Vec<Vec<String>>,
    /// What is in the table only.
    pub(super) left: Vec<String>,
}

/// How many panels `count` series need.
pub(super) fn needed(series: &[String]) -> usize {
    let kept = kept(series);
    if series.len() <= SERIES_MOST {
        return 1;
    }
    (series.len() - kept).div_ceil(SERIES_MOST - kept)
}

/// Deals `series`, which are in order, to at most `room` panels.
pub(super) fn parts(series: &[String], room: usize) -> Parts {
    if series.len() <= SERIES_MOST {
        return Parts { panels: vec![series.to_vec()], left: Vec::new() };
    }
    let (kept, others) = series.split_at(kept(series));
    let panels = needed(series).min(room.max(1));
    let drawn = others.len().min(panels * (SERIES_MOST - kept.len()));
    let (drawn, left) = others.split_at(drawn);
    let dealt = drawn.chunks(drawn.len().div_ceil(panels));
    let panels = dealt.map(|dealt| [kept, dealt].concat());
    Parts { panels: panels.collect(), left: left.to_vec() }
}

/// How many of the first series stand in every panel.
fn kept(series: &[String]) -> usize {
    usize::from(series.first().is_some_and(|first| styles::is_ours(first)))
}

/// What the panel's part is called.
pub(super) fn part_title(panel: &str, part: usize, parts: usize) -> String {
    match (panel, parts) {
        (_, 1) => panel.to_owned(),
        ("", _) => format!("{} of {parts}", part + 1),
        _ => format!("{panel} ({} of {parts})", part + 1),
    }
}

/// What is in the table only, as a sentence; `None` where all is drawn.
pub(super) fn told(left: &[String]) -> Option<String> {
    (!left.is_empty()).then(|| {
        format!(
            "A panel has at most {SERIES_MOST} series, ours first; in the table only: {}.",
            left.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(count: usize, ours: bool) -> Vec<String> {
        let first = if ours { "nibble" } else { "zero" };
        (0..count)
            .map(|place| if place == 0 { first.to_owned() } else { place.to_string() })
            .collect()
    }

    #[test]
    fn seven_stay_together() {
        let all = named(7, true);
        assert_eq!(parts(&all, 3), Parts { panels: vec![all.clone()], left: Vec::new() });
        assert_eq!(needed(&all), 1);
    }

    #[test]
    fn ours_stand_in_every_panel_and_each_other_series_in_one() {
        let all = named(15, true);
        let found = parts(&all, 6);
        assert_eq!((found.panels.len(), needed(&all)), (3, 3));
        assert!(found.left.is_empty());
        for panel in &found.panels {
            assert!(panel.len() <= SERIES_MOST && panel[0] == "nibble");
        }
        let mut dealt: Vec<&String> = found.panels.iter().flat_map(|panel| &panel[1..]).collect();
        dealt.sort();
        dealt.dedup();
        assert_eq!(dealt.len(), 14);
        let others = parts(&named(8, false), 6);
        assert_eq!(others.panels.iter().map(Vec::len).collect::<Vec<_>>(), [4, 4]);
    }

    #[test]
    fn what_finds_no_room_is_told() {
        let found = parts(&named(9, true), 1);
        assert_eq!((found.panels.len(), found.panels[0].len()), (1, 7));
        assert_eq!(found.left, ["7", "8"]);
        assert!(told(&found.left).unwrap().ends_with("in the table only: 7, 8."));
        assert!(told(&[]).is_none());
    }

    #[test]
    fn parts_are_numbered() {
        assert_eq!(part_title("P1", 0, 1), "P1");
        assert_eq!([part_title("P1", 1, 2), part_title("", 0, 2)], ["P1 (2 of 2)", "1 of 2"]);
    }
}
