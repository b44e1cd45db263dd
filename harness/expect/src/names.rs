//! Names of labels that a question may use.

use record::dimensions::label_names;

/// Whether rows may have this label.
pub(crate) fn is_label(name: &str) -> bool {
    label_names().any(|label| label == name) || name.strip_prefix("set.").is_some_and(is_kebab_case)
}

/// Whether a label names the system of a row or one of its settings.
pub(crate) fn is_of_system(label: &str) -> bool {
    label == "system" || label == "engine" || label.starts_with("set.")
}

/// Lower-case words and numbers, joined by `-`.
pub(crate) fn is_kebab_case(name: &str) -> bool {
    name.split('-').all(|word| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    })
}
