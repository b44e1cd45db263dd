//! The gnuplot scripts that a declaration can name: those that draw tables of one kind for any
//! figure, which take settings, and those that draw one figure only.

use record::unknown_name;

use crate::figures::sheet::{BAR_SCRIPTS, Lines};

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../../plots/", $name, ".gp")))),*]
    };
}

/// Scripts of figures that are drawn like no other.
const OWN: [(&str, &str); 6] = scripts![
    "allocator-throughput",
    "engine-knobs",
    "fig10b",
    "grid",
    "index-layouts",
    "memory-over-time",
];

/// Scripts that figures share, and the settings that each takes.
const SHARED: [(&str, &[&str]); 3] = [
    ("bar-panels", &["settings"]),
    ("heat", &[]),
    (
        "lines",
        &[
            "settings",
            "own-axes",
            "own-scale",
            "marked",
            "predicted",
            "columns",
            "reference",
            "thin",
        ],
    ),
];

/// The settings of a shared script. `plots/lines.gp` says what they mean.
#[derive(Clone, Debug, Default)]
pub(in crate::figures) struct Settings {
    /// Series are settings, so no store's look is theirs.
    pub(in crate::figures) settings: bool,
    pub(in crate::figures) own_axes: bool,
    pub(in crate::figures) own_scale: bool,
    /// Whether points are marked although the axis names none of them.
    pub(in crate::figures) marked: bool,
    pub(in crate::figures) predicted: bool,
    pub(in crate::figures) columns: Option<u32>,
    pub(in crate::figures) reference: Option<String>,
    pub(in crate::figures) thin: Option<String>,
}

impl Settings {
    /// Each setting that is made, and its value for gnuplot; none where it is not for gnuplot.
    fn made(&self) -> Result<Vec<(&'static str, Option<String>)>, String> {
        let mut made = Vec::new();
        made.extend(self.settings.then_some(("settings", None)));
        for (name, value) in [
            ("own-axes", self.own_axes),
            ("own-scale", self.own_scale),
            ("marked", self.marked),
            ("predicted", self.predicted),
        ] {
            made.extend(value.then(|| (name, Some("1".to_owned()))));
        }
        if let Some(columns) = self.columns {
            if columns == 0 {
                return Err("columns = 0: panels need at least 1".to_owned());
            }
            made.push(("columns", Some(columns.to_string())));
        }
        for (name, text) in [("reference", &self.reference), ("thin", &self.thin)] {
            let Some(text) = text else { continue };
            // Within double quotes gnuplot runs what stands in backquotes.
            if text.chars().any(|letter| "\"\\`".contains(letter) || letter.is_control()) {
                return Err(format!(
                    "{name}: a legend takes no quotes, backslashes or line ends, and this has: {text}"
                ));
            }
            made.push((name, Some(format!("\"{text}\""))));
        }
        Ok(made)
    }

    /// What they say of lines.
    pub(in crate::figures) fn lines(&self) -> Lines<'_> {
        Lines {
            own_axes: self.own_axes,
            marked: self.marked,
            predicted: self.predicted,
            columns: self.columns.unwrap_or(4) as usize,
            reference: self.reference.as_deref().unwrap_or("bound"),
            thin: self.thin.as_deref().unwrap_or("beside"),
        }
    }
}

/// What a declaration says of the script of the figure `name`, which is drawn by `script`; what is
/// computed of its table comes before that.
pub(super) fn text(name: &str, script: &str, settings: &Settings) -> Result<String, String> {
    let made = settings.made()?;
    let own = OWN.iter().find(|(known, _)| *known == script).map(|(_, text)| *text);
    let shared = SHARED.iter().find(|(known, _)| *known == script);
    let is_bars = BAR_SCRIPTS.iter().any(|(known, _)| *known == script);
    let takes = match (own, shared) {
        (None, Some((_, takes))) => *takes,
        (None, None) if !is_bars => {
            let known = OWN.iter().map(|(name, _)| *name).chain(SHARED.map(|(name, _)| name));
            let known = known.chain(BAR_SCRIPTS.iter().map(|(name, _)| *name));
            return Err(unknown_name("script", script, known));
        }
        _ => &[],
    };
    if let Some((setting, _)) = made.iter().find(|(setting, _)| !takes.contains(setting)) {
        let takes = if takes.is_empty() { "no settings".to_owned() } else { takes.join(", ") };
        return Err(format!("the script {script} takes {takes}, and not {setting}"));
    }
    if let Some(text) = own {
        return Ok(text.to_owned());
    }
    let mut text = format!("# The figure {name}, which {script}.gp draws.\n\nname = \"{name}\"\n");
    for (setting, value) in made {
        if let Some(value) = value {
            text += &format!("{} = {value}\n", setting.replace('-', "_"));
        }
    }
    Ok(text + &format!("load \"{script}.gp\"\n"))
}
