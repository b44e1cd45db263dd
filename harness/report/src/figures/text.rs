//! How wide texts are in drawings, and where they are broken. Widths are those of DejaVu Sans, which
//! drawings ask for first and which is wider than what stands in for it.

/// Pixels that `text` takes at `size` pixels.
pub(super) fn width_px(text: &str, size: f64) -> f64 {
    text.chars().map(share).sum::<f64>() * size
}

/// A letter's width as a share of the size.
fn share(letter: char) -> f64 {
    match letter {
        'i' | 'j' | 'l' | '\'' => 0.28,
        ' ' | ',' | '.' | ':' | ';' | '|' | 'I' | 'J' | '/' => 0.33,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '!' => 0.40,
        's' | 'c' | 'z' => 0.54,
        'a' | 'e' | 'o' | 'v' | 'x' | 'y' | 'k' | 'L' | 'T' | 'F' => 0.60,
        'm' | '%' | '@' | 'W' | '●' | '○' => 0.98,
        '=' | '÷' | '×' | '→' | '+' | '≤' | '≥' | '–' => 0.84,
        'w' | 'M' | 'O' | 'Q' | 'G' | 'N' | 'H' | 'D' | 'U' => 0.82,
        _ => 0.64,
    }
}

/// `text` in lines of at most `room_px`, broken at spaces, which go, or before an `@`.
pub(super) fn folded(text: &str, size: f64, room_px: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words(text) {
        let fits = |line: &String| width_px(&format!("{line}{word}"), size) <= room_px;
        match lines.last_mut().filter(|line| fits(line)) {
            Some(line) => line.push_str(&word),
            None => lines.push(word.trim_start().to_owned()),
        }
    }
    lines
}

/// The parts of `text` that stay together, each with the space before it.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for letter in text.chars() {
        let begins = words.is_empty() || letter == ' ' || letter == '@';
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_broken_where_words_end() {
        let wide = 1e3;
        assert_eq!(folded("50 % GET, uniform", 11.0, wide), ["50 % GET, uniform"]);
        assert_eq!(folded("read 50 %, update 50 %", 10.0, 75.0), ["read 50 %,", "update 50 %"]);
        let store = "redis@preload=jemalloc@servers=2";
        assert_eq!(folded(store, 10.0, 100.0), ["redis", "@preload=jemalloc", "@servers=2"]);
        assert!(folded("", 10.0, 10.0).is_empty());
    }

    #[test]
    fn long_texts_are_wider_than_short_ones() {
        assert!(width_px("mmmm", 11.0) > width_px("iiii", 11.0));
        assert!((width_px("nn", 10.0) - 12.8).abs() < 1e-9);
    }
}
