//! A drawing within the page: an SVG as a `data:` URL, as short as it can be without touching what
//! it shows.

/// The URL, for an attribute in double quotes.
pub(super) fn data_url(svg: &str) -> String {
    let svg = shortened(svg);
    let mut url = String::with_capacity(svg.len() + svg.len() / 16);
    url.push_str("data:image/svg+xml,");
    for letter in svg.chars() {
        match letter {
            '%' => url.push_str("%25"),
            '#' => url.push_str("%23"),
            '<' => url.push_str("%3C"),
            '>' => url.push_str("%3E"),
            '"' => url.push_str("%22"),
            '&' => url.push_str("&amp;"),
            letter => url.push(letter),
        }
    }
    url
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
    use super::*;

    #[test]
    fn drawings_become_short_and_stay_whole() {
        let svg = "<svg a=\"1\"\n b='#2'>\n\t<g fill=\"none\">\n</g>\n<g fill=\"red\">\n\t<path d='M1,2\n 3,4'/>\
                   </g>\n<text>50 % of\n all &lt;</text>\n</svg>\n";
        assert_eq!(
            shortened(svg),
            "<svg a=\"1\" b='#2'><g fill=\"red\"><path d='M1,2 3,4'/></g><text>50 % of all \
             &lt;</text></svg>"
        );
        let url = data_url(svg);
        let encoded = "%3Ctext%3E50 %25 of all &amp;lt;%3C/text%3E%3C/svg%3E";
        assert!(url.starts_with("data:image/svg+xml,%3Csvg a=%221%22 b='%232'%3E"), "{url}");
        assert!(url.ends_with(encoded) && !url.contains(['"', '\n', '<', '#']), "{url}");
    }
}
