//! Checking and printing settings.

use engine::OpenError;

/// With which the name of a private folder begins.
pub(crate) const PREFIX: &str = "baseline-embedded-";

/// # Errors
/// [`OpenError::BadSetting`] if `value` is below `least`.
pub(crate) fn at_least(setting: &str, value: usize, least: usize) -> Result<(), OpenError> {
    if value >= least {
        return Ok(());
    }
    Err(OpenError::BadSetting {
        setting: setting.to_owned(),
        value: value.to_string(),
        accepted: format!("{least} and above"),
    })
}

/// A bound as text for settings.
pub(crate) fn bound_text(bytes: Option<u64>) -> String {
    bytes.map_or("none".to_owned(), |bytes| bytes.to_string())
}
