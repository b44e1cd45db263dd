//! Environment variables as settings, for allocators that cannot report which ones they obeyed.

use engine::Setting;

/// One setting per variable; `unset` if the process does not have it.
pub(crate) fn settings(variables: &[&str]) -> Vec<Setting> {
    variables.iter().map(|variable| Setting::new(variable, value(variable))).collect()
}

/// A numeric variable; `None` if it is unset or not a number.
pub(crate) fn number<T: std::str::FromStr>(variable: &str) -> Option<T> {
    std::env::var(variable).ok()?.parse().ok()
}

fn value(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| "unset".to_owned())
}
