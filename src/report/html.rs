//! Reports as one self-contained HTML file: no network, no script but the one here (the content security policy
//! names it by its hash), everything readable with scripts off. What a manifest says stays text.

mod answers;
mod diff;
mod difference;
mod gate;
mod grade;
mod lint;
mod text;

pub use answers::answers;
pub use diff::diff;
pub use gate::gate;
pub use grade::{Sheet, grade};
pub use lint::lint;

use crate::bounds;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// Findings or changes in a page; the JSON report has all.
const MOST: usize = 2_000;

/// The whole page around `body`, which is markup.
fn page(title: &str, body: &str) -> String {
    framed(title, body, "<code>verity explain RULE</code> says why a rule exists and what to do.")
}

/// As [`page`], with what the last line says; it is markup, too.
fn framed(title: &str, body: &str, hint: &str) -> String {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the results</a>\n{body}\
         <footer><p>verity {} · {hint}</p></footer>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n",
        text::escaped(title),
        env!("CARGO_PKG_VERSION")
    )
}

/// "1 error", "2 errors".
fn count(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

/// A number with its name, for the band below the title.
fn tally(class: &str, n: usize, noun: &str) -> String {
    let said = count(n, noun);
    let noun = said.split_once(' ').map_or(noun, |(_, noun)| noun);
    let class = if n == 0 { "none" } else { class };
    format!("<li class=\"{class}\"><b>{n}</b> {noun}</li>")
}

/// The controls that the script brings to life; hidden without it. `levels` are the values of `data-level`.
fn filters(levels: &[&str], rules: &[String], tools: &[String]) -> String {
    let mut out = String::from(
        "<form class=\"filters\" hidden aria-label=\"Filter the results\"><fieldset><legend>Show</legend>",
    );
    for level in levels {
        out.push_str(&format!(
            "<label><input type=\"checkbox\" name=\"level\" value=\"{level}\" checked> {level}</label>"
        ));
    }
    out.push_str("</fieldset>");
    for (name, label, values) in [("rule", "Rule", rules), ("tool", "Tool", tools)] {
        out.push_str(&format!("<label>{label} <select name=\"{name}\"><option value=\"\">all</option>"));
        for value in values {
            let value = bounds::name(value);
            let shown = text::visible_up_to(&value, 80);
            let plain = shown.replace("<span class=\"unseen\">", "").replace("</span>", "");
            out.push_str(&format!("<option value=\"{}\">{plain}</option>", text::escaped(&value)));
        }
        out.push_str("</select></label>");
    }
    out.push_str("<output aria-live=\"polite\"></output></form>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_script_and_nothing_else_runs() {
        let page = page("<b>", "");
        assert_eq!(page.matches("<script").count(), 1);
        assert!(page.contains("<title>&lt;b&gt;</title>"));
        assert!(!SCRIPT.contains("</") && !STYLE.contains("</"), "neither can end its element");
        assert!(!SCRIPT.contains("innerHTML") && !STYLE.contains("url("));
    }
}
