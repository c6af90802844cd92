//! Values that a description mentions: "e.g. `foo`", "(default: 10)", "for example …".

/// Words after which an example follows.
const LEADS: [&str; 9] =
    ["e.g.", "e.g", "eg.", "for example", "example:", "examples:", "such as", "default:", "defaults to"];
const LONGEST: usize = 120;

/// Values mentioned in `text`, likeliest first.
pub(crate) fn values(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    if text.len() > 4_000 {
        return out;
    }
    for lead in LEADS {
        for at in find_all(text, lead) {
            let Some(rest) = text.get(at + lead.len()..) else { continue };
            let rest = rest.trim_start_matches([' ', ':', ',', '(', '\n', '\t']);
            if let Some(value) = first_value(rest)
                && !out.contains(&value)
            {
                out.push(value);
            }
        }
    }
    out
}

/// Where `lead` stands in `text`, whatever its case.
fn find_all<'t>(text: &'t str, lead: &'t str) -> impl Iterator<Item = usize> + 't {
    text.char_indices().map(|(i, _)| i).filter(move |i| {
        text.get(*i..i + lead.len()).is_some_and(|part| part.eq_ignore_ascii_case(lead))
            && text.get(..*i).is_none_or(|before| !before.ends_with(|c: char| c.is_alphanumeric()))
    })
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
