//! Pieces of HTML, with everything from outside escaped.

use std::fmt::Write as _;

/// `text` with every letter that means something in HTML replaced.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// An element with escaped text in it.
pub(super) fn element(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>\n", escape(text))
}

/// A list with escaped entries; nothing of no entries.
pub(super) fn list(entries: &[String]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let entries: String = entries.iter().map(|entry| element("li", entry)).collect();
    format!("<ul>\n{entries}</ul>\n")
}

/// A table of escaped texts. Columns whose heading begins with `#` hold numbers.
pub(super) fn table(headings: &[&str], rows: &[Vec<String>]) -> String {
    let mut html = "<div class=\"wide\"><table>\n<thead><tr>".to_owned();
    for heading in headings {
        let _ = write!(html, "<th scope=\"col\">{}</th>", escape(heading.trim_start_matches('#')));
    }
    html.push_str("</tr></thead>\n<tbody>\n");
    for row in rows {
        html.push_str("<tr>");
        for (text, heading) in row.iter().zip(headings) {
            let class = if heading.starts_with('#') { " class=\"number\"" } else { "" };
            let _ = write!(html, "<td{class}>{}</td>", escape(text));
        }
        html.push_str("</tr>\n");
    }
    html + "</tbody></table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        let evil = "<script>alert('\"&\"')</script>";
        let safe = "&lt;script&gt;alert(&#39;&quot;&amp;&quot;&#39;)&lt;/script&gt;";
        assert_eq!(escape(evil), safe);
        assert_eq!(element("p", evil), format!("<p>{safe}</p>\n"));
        let html = table(&["a", "#b"], &[vec![evil.to_owned(), "1".to_owned()]]);
        assert!(html.contains(safe) && !html.contains("<script"), "{html}");
        assert!(html.contains("<td class=\"number\">1</td>"));
    }
}
