//! The gnuplot scripts that a declaration can name: those that draw tables of one kind for any
//! figure, which take settings, and those that draw one figure only.

use record::unknown_name;

macro_rules! scripts {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../../../plots/", $name, ".gp")))),*]
    };
}

/// Scripts of figures that are drawn like no other.
const OWN: [(&str, &str); 11] = scripts![
    "allocator-bloat",
    "allocator-throughput",
    "engine-knobs",
    "fig10b",
    "grid",
    "index-layouts",
    "memory-over-time",
    "ramcloud-patterns",
    "store-bloat",
    "threads",
    "throughput-memory",
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

/// The settings of a shared script. `plots/lines.gp` and `plots/style.gp` say what they mean.
#[derive(Debug, Default)]
pub(super) struct Settings<'a> {
    pub(super) settings: bool,
    pub(super) own_axes: bool,
    pub(super) own_scale: bool,
    /// Whether points are marked although the axis names none of them.
    pub(super) marked: bool,
    pub(super) predicted: bool,
    pub(super) columns: Option<u32>,
    pub(super) reference: Option<&'a str>,
    pub(super) thin: Option<&'a str>,
}

impl Settings<'_> {
    /// Each setting that is made, and its value for gnuplot.
    fn made(&self) -> Result<Vec<(&'static str, String)>, String> {
        let mut made = Vec::new();
        for (name, value) in [
            ("settings", self.settings),
            ("own-axes", self.own_axes),
            ("own-scale", self.own_scale),
            ("marked", self.marked),
            ("predicted", self.predicted),
        ] {
            made.extend(value.then(|| (name, "1".to_owned())));
        }
        if let Some(columns) = self.columns {
            if columns == 0 {
                return Err("columns = 0: panels need at least 1".to_owned());
            }
            made.push(("columns", columns.to_string()));
        }
        for (name, text) in [("reference", self.reference), ("thin", self.thin)] {
            let Some(text) = text else { continue };
            // Within double quotes gnuplot runs what stands in backquotes.
            if text.chars().any(|letter| "\"\\`".contains(letter) || letter.is_control()) {
                return Err(format!(
                    "{name}: a legend takes no quotes, backslashes or line ends, and this has: {text}"
                ));
            }
            made.push((name, format!("\"{text}\"")));
        }
        Ok(made)
    }
}

/// The script of the figure `name`, which is drawn by `script`.
pub(super) fn text(name: &str, script: &str, settings: &Settings<'_>) -> Result<String, String> {
    let made = settings.made()?;
    let own = OWN.iter().find(|(known, _)| *known == script).map(|(_, text)| *text);
    let shared = SHARED.iter().find(|(known, _)| *known == script);
    let takes = match (own, shared) {
        (Some(_), _) => &[],
        (None, Some((_, takes))) => *takes,
        (None, None) => {
            let known = OWN.iter().map(|(name, _)| *name).chain(SHARED.map(|(name, _)| name));
            return Err(unknown_name("script", script, known));
        }
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
        text += &format!("{} = {value}\n", setting.replace('-', "_"));
    }
    Ok(text + &format!("load \"{script}.gp\"\n"))
}
