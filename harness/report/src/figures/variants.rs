//! Allocators with the settings that their authors name (`fast`, `small`), and stores on them. They stand
//! in panels of their own, so that allocators and stores keep their names and looks.

use record::System;

/// Where a system stands that would be in the panel `panel` with its allocator as it comes: the title of
/// its panel, and the name of its series.
pub(super) fn apart(panel: &str, system: &System) -> (String, String) {
    let (variant, series) = match system {
        System::Heap { name, variant } if variant != "default" => (variant.clone(), name.clone()),
        other => match other.on_a_variant() {
            Some((variant, plain)) => (format!("heaps: {variant}"), plain.label()),
            None => return (panel.to_owned(), other.label()),
        },
    };
    match panel {
        "" => (variant, series),
        _ => (format!("{panel}, {variant}"), series),
    }
}

/// Whether the allocator, or that below the store, is as it comes.
pub(super) fn is_plain(system: &System) -> bool {
    match system {
        System::Heap { variant, .. } => variant == "default",
        other => other.on_a_variant().is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::fixture::{heap, store};

    #[test]
    fn variants_have_panels_of_their_own_and_keep_their_names() {
        for (panel, system, wanted) in [
            ("", heap("jemalloc", "default"), ("", "jemalloc")),
            ("", heap("jemalloc", "fast"), ("fast", "jemalloc")),
            ("P1", heap("jemalloc", "small"), ("P1, small", "jemalloc")),
            ("P1", store("nibble"), ("P1", "nibble")),
            ("P1", store("heapstore:jemalloc"), ("P1", "heapstore:jemalloc")),
            ("P1", store("masstree:jemalloc-fast"), ("P1, heaps: fast", "masstree:jemalloc")),
        ] {
            let (title, series) = apart(panel, &system);
            assert_eq!((&*title, &*series), wanted);
            assert_eq!(is_plain(&system), wanted.0 == panel);
        }
    }
}
