//! A drawing within the page: an SVG, compressed, which the page's script unpacks.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;

/// `svg` as gzip in base64.
///
/// # Errors
/// What the compressor said.
pub(super) fn packed(svg: &str) -> Result<String, String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    let packed = encoder.write_all(shortened(svg).as_bytes()).and_then(|()| encoder.finish());
    packed.map(|bytes| STANDARD.encode(bytes)).map_err(|error| format!("a drawing: {error}"))
}

/// `svg` on one line, without indents and without groups that hold nothing. A line break within a
/// tag or a text becomes a space.
fn shortened(svg: &str) -> String {
    let mut short = String::with_capacity(svg.len());
    for line in svg.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if !(short.is_empty() || short.ends_with('>') && line.starts_with('<')) {
            short.push(' ');
        }
        short.push_str(line);
        drop_empty_group(&mut short);
    }
    short
}

/// Takes a group off the end that was closed where it began.
fn drop_empty_group(svg: &mut String) {
    let Some(open) = svg.strip_suffix("></g>") else { return };
    let Some(start) = open.rfind('<') else { return };
    if open[start..].starts_with("<g ") && !open.ends_with('/') {
        svg.truncate(start);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    #[test]
    fn drawings_become_short_and_stay_whole() {
        let svg = "<svg a=\"1\"\n b='#2'>\n\t<g fill=\"none\">\n</g>\n<g fill=\"red\">\n\t<path d='M1,2\n 3,4'/>\
                   </g>\n<text>50 % of\n all &lt;</text>\n</svg>\n";
        let short = "<svg a=\"1\" b='#2'><g fill=\"red\"><path d='M1,2 3,4'/></g><text>50 % of all \
                     &lt;</text></svg>";
        assert_eq!(shortened(svg), short);
        let bytes = STANDARD.decode(packed(svg).unwrap()).unwrap();
        let mut unpacked = String::new();
        GzDecoder::new(&bytes[..]).read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, short);
    }
}
