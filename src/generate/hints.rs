//! Values that a description mentions: "e.g. `foo`", "(default: 10)", "for example …".

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// Words after which an example follows.
const LEADS: [&str; 16] = [
    "e.g.",
    "e.g",
    "eg.",
    "for example",
    "example:",
    "examples:",
    "such as",
    "default:",
    "default is",
    "defaults to",
    "one of",
    "either",
    "options:",
    "supported values",
    "valid values",
    "possible values",
];
const LONGEST: usize = 120;

static FINDER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(LEADS)
        .ok()
});

/// Values mentioned in `text`, likeliest first.
pub(crate) fn values(text: &str) -> Vec<&str> {
    let mut found: Vec<(usize, &str)> = Vec::new();
    let Some(finder) = FINDER.as_ref().filter(|_| text.len() <= 4_000) else { return Vec::new() };
    for lead in finder.find_iter(text) {
        let begins = text.get(..lead.start()).is_none_or(|b| !b.ends_with(|c: char| c.is_alphanumeric()));
        let Some(rest) = text.get(lead.end()..).filter(|_| begins) else { continue };
        let rest = rest.trim_start_matches([' ', ':', ',', '(', '[', '\n', '\t', '-', '*']);
        if let Some(value) = first_value(rest)
            && !found.iter().any(|(_, known)| *known == value)
        {
            found.push((lead.pattern().as_usize(), value));
        }
    }
    // Examples before defaults before mere options.
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, value)| value).collect()
}

/// A quoted text, or a bare word that looks like a value.
fn first_value(rest: &str) -> Option<&str> {
    let first = rest.chars().next()?;
    let closing = match first {
        '`' => Some('`'),
        '"' => Some('"'),
        '\'' => Some('\''),
        '“' => Some('”'),
        '‘' => Some('’'),
        _ => None,
    };
    if let Some(closing) = closing {
        let inner = rest.get(first.len_utf8()..)?;
        let end = inner.find(closing)?;
        let value = inner.get(..end)?;
        return (!value.trim().is_empty() && value.len() <= LONGEST).then_some(value);
    }
    let end = rest.find([' ', ',', ')', ';', '\n', '|']).unwrap_or(rest.len());
    let word = rest.get(..end)?.trim_end_matches(['.', '!', '?', ':', '\'', '"', '`']);
    // A bare word is a value only when it does not read as prose.
    let telling = word.chars().any(|c| c.is_ascii_digit() || "/_-@.:#".contains(c))
        || word.len() >= 2 && word.chars().all(|c| c.is_ascii_uppercase());
    (telling && word.len() <= LONGEST && word.chars().any(char::is_alphanumeric)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_in_prose() {
        assert_eq!(values("Ticker symbol (e.g. `AAPL`)"), ["AAPL"]);
        assert_eq!(values("City name, for example \"Berlin\" or \"Paris\""), ["Berlin"]);
        assert_eq!(values("Page size (default: 10)."), ["10"]);
        assert_eq!(values("Repository, e.g., octocat/hello-world"), ["octocat/hello-world"]);
        assert_eq!(values("A path such as src/main.rs."), ["src/main.rs"]);
        assert!(values("For example when the user asks").is_empty());
        assert!(values("Greg. said").is_empty());
    }
}
