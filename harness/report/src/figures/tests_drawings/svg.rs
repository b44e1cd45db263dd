//! The texts of a drawing, where they stand, and what is wrong with them.

use roxmltree::{Document, Node};

use crate::figures::text::width_px;

/// A text and its box, in pixels from the upper left corner.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) text: String,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
    /// Whether it begins at its place, as names in legends do.
    begins: bool,
}

/// What one drawing says, and its size.
#[derive(Debug)]
pub(super) struct Drawing {
    pub(super) texts: Vec<Text>,
    width: f64,
    height: f64,
}

/// Pixels of two boxes that may lie over one another: letters rarely fill their boxes.
const OVER_PX: f64 = 2.5;
/// Pixels of a swatch and its gap, left of a legend's name.
const SWATCH_PX: f64 = 28.0;

impl Drawing {
    pub(super) fn parse(svg: &str) -> Self {
        let document = Document::parse(svg).expect("a drawing is XML");
        let view = document.root_element().attribute("viewBox").expect("its size");
        let sizes: Vec<f64> = view.split_whitespace().map(|part| part.parse().unwrap()).collect();
        let texts = document.descendants().filter(|node| node.has_tag_name("text"));
        Self { texts: texts.filter_map(text).collect(), width: sizes[2], height: sizes[3] }
    }

    /// Texts outside of the drawing, texts over texts, and texts over the swatches before `names`.
    pub(super) fn defects(&self, names: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for (place, text) in self.texts.iter().enumerate() {
            let over = [-text.left, -text.top, text.right - self.width, text.bottom - self.height];
            if over.iter().any(|over| *over > 1.0) {
                found.push(format!("clipped: {}", text.text));
            }
            for other in &self.texts[place + 1..] {
                if text.is_over(other) {
                    found.push(format!("overlap: {} / {}", text.text, other.text));
                }
            }
            if text.begins && names.contains(&text.text) {
                let swatch = Text { left: text.left - SWATCH_PX, right: text.left, ..text.clone() };
                let over = self.texts.iter().filter(|other| swatch.is_over(other));
                found.extend(
                    over.map(|other| format!("over the legend of {}: {}", text.text, other.text)),
                );
            }
        }
        found
    }
}

impl Text {
    fn is_over(&self, other: &Self) -> bool {
        let across = self.right.min(other.right) - self.left.max(other.left);
        let down = self.bottom.min(other.bottom) - self.top.max(other.top);
        across > OVER_PX && down > OVER_PX
    }
}

/// gnuplot puts each text into a group that says where it stands.
fn text(node: Node<'_, '_>) -> Option<Text> {
    let text: String = node.children().filter_map(|node| node.text()).collect();
    let text = text.trim().to_owned();
    if text.is_empty() {
        return None;
    }
    let group = node.ancestors().find(|node| node.attribute("transform").is_some())?;
    let transform = group.attribute("transform")?;
    let inner = |name: &str| {
        let (_, rest) = transform.split_once(&format!("{name}("))?;
        let (numbers, _) = rest.split_once(')')?;
        let numbers = numbers.split(',').map(|number| number.trim().parse::<f64>());
        numbers.collect::<Result<Vec<f64>, _>>().ok()
    };
    let place = inner("translate")?;
    let turned = inner("rotate").is_some_and(|angle| angle[0].abs() > 1.0);
    let size: f64 = group.attribute("font-size")?.parse().ok()?;
    let width = width_px(&text, size);
    let anchor = group.attribute("text-anchor").unwrap_or("start");
    let from = match anchor {
        "middle" => -width / 2.0,
        "end" => -width,
        _ => 0.0,
    };
    let (above, below) = (0.72 * size, 0.2 * size);
    let [x, y] = [place[0], place[1]];
    let (left, right, top, bottom) = if turned {
        (x - above, x + below, y - from - width, y - from)
    } else {
        (x + from, x + from + width, y - above, y + below)
    };
    Some(Text { text, left, right, top, bottom, begins: anchor == "start" && !turned })
}
