//! Words of which some lead to another place of the page or to a file of the run's folder.

use askama::Template;
use askama::filters::HtmlSafe;

#[derive(Clone, Debug)]
enum Target {
    /// Nowhere: just words.
    None,
    /// An element of the page, by its id.
    Here(String),
    /// A file, by its path in the run's folder.
    File(String),
}

/// Words, and where they lead.
#[derive(Clone, Debug)]
pub(super) struct Link {
    text: String,
    target: Target,
}

impl Link {
    pub(super) fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), target: Target::None }
    }

    /// A link to an element of the page.
    pub(super) fn here(id: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), target: Target::Here(id.into()) }
    }

    /// A link to a file of the run's folder, by its path there.
    pub(super) fn file(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { text: text.into(), target: Target::File(path.into()) }
    }
}

/// Words one after another; nothing but a dash where there are none.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "links.html")]
pub(super) struct Links(pub(super) Vec<Link>);

impl HtmlSafe for Links {}

impl Links {
    /// `links` with `between` between any two.
    pub(super) fn joined(links: impl IntoIterator<Item = Link>, between: &str) -> Self {
        let mut all = Vec::new();
        for link in links {
            if !all.is_empty() {
                all.push(Link::words(between));
            }
            all.push(link);
        }
        Self(all)
    }
}

impl From<Link> for Links {
    fn from(link: Link) -> Self {
        Self(vec![link])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_and_words_are_escaped() {
        let all = [
            Link::words("a<b"),
            Link::here("c\"1", "the 'cell'"),
            Link::file("curves/a@b=1 \"x\".csv", "<curve>"),
        ];
        assert_eq!(
            Links::joined(all, " & ").to_string(),
            "a&#60;b &#38; <a href=\"#c&#34;1\">the &#39;cell&#39;</a> &#38; \
             <a href=\"curves/a%40b%3D1%20%22x%22.csv\">&#60;curve&#62;</a>"
        );
        assert_eq!(Links::default().to_string(), "–");
    }
}
