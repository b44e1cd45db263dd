//! The figure of a run: answers, errors and latency over time, with the events marked.

use std::path::Path;

use clients::Outcome;
use report::figures::{draw_table, gnuplot_available};

const NAME: &str = "cluster";
const SCRIPT: &str = include_str!("../../../../../plots/cluster.gp");

/// Draws the timeline into the folder, as SVG, PDF and PNG.
pub(super) fn draw(folder: &Path, timeline: &str, outcome: &Outcome) -> Result<(), String> {
    gnuplot_available()?;
    draw_table(folder, NAME, timeline, &script(outcome)).map(|_| ())
}

/// The script, headed by the moments of events and their words.
fn script(outcome: &Outcome) -> String {
    let happened = outcome.events.iter().map(|happened| &happened.event);
    let moments: Vec<String> =
        happened.clone().map(|event| format!("{:.3}", event.began_ms / 1e3)).collect();
    // A name may hold anything that a shell takes.
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-=:._".contains(letter);
    let word = |text: &str| text.chars().filter(|letter| plain(*letter)).collect::<String>();
    let words: Vec<String> = happened.map(|event| word(&event.event)).collect();
    format!(
        "events = \"{}\"\nevent_words = \"{}\"\nshards = {}\nend = {:.3}\n{SCRIPT}",
        moments.join(" "),
        words.join(" "),
        outcome.shards.len(),
        outcome.duration_ms as f64 / 1e3
    )
}
