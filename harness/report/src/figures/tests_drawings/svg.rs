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
    /// Whether it ends there, as tics of vertical axes do.
    ends: bool,
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
        found.extend(self.parts_apart());
        found
    }

    /// Parts of a panel, titled `name (2 of 3)`, whose vertical axes are not that of the first part.
    fn parts_apart(&self) -> Vec<String> {
        let (mut found, mut first) = (Vec::new(), None);
        for text in &self.texts {
            let Some((whole, part)) = part_of(&text.text) else { continue };
            let tics = self.tics_below(text);
            match first {
                Some((name, ref wanted)) if part > 1 && name == whole => {
                    if tics != *wanted {
                        found.push(format!("axes differ: {} has {tics:?}", text.text));
                    }
                }
                _ => first = Some((whole, tics)),
            }
        }
        found
    }

    /// What stands along the vertical axis of the panel with this title, from above.
    fn tics_below(&self, title: &Text) -> Vec<&str> {
        let middle = (title.left + title.right) / 2.0;
        let below = |text: &&Text| text.ends && text.right < middle && text.top > title.top;
        let edge = self.texts.iter().filter(below).map(|text| text.right).fold(0.0, f64::max);
        let mut tics: Vec<&Text> =
            self.texts.iter().filter(below).filter(|text| text.right > edge - 1.0).collect();
        tics.sort_by(|one, other| one.top.total_cmp(&other.top));
        // The next panel's axis begins after a wider gap.
        let apart = |pair: &[&Text]| pair[1].top - pair[0].top;
        let usual = tics.windows(2).next().map_or(0.0, apart);
        let own = tics.windows(2).take_while(|pair| apart(pair) < 1.4 * usual).count() + 1;
        tics.into_iter().take(own).map(|text| &*text.text).collect()
    }
}

/// `default` and 2 of the title `default (2 of 3)`.
fn part_of(title: &str) -> Option<(&str, usize)> {
    let (whole, parts) = match title.strip_suffix(')') {
        Some(open) => open.rsplit_once('(')?,
        None => ("", title),
    };
    let (part, of) = parts.split_once(" of ")?;
    of.parse::<usize>().ok()?;
    Some((whole, part.parse().ok()?))
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
    Some(Text {
        text,
        left,
        right,
        top,
        bottom,
        begins: anchor == "start" && !turned,
        ends: anchor == "end" && !turned,
    })
}
