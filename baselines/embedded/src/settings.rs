//! Checking and printing settings.

use engine::OpenError;

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

/// Which writes look up whether their key is there, as text for settings.
pub(crate) fn lookups_text(ask_presence: bool) -> &'static str {
    if ask_presence { "before each put and delete" } else { "none" }
}
