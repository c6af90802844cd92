//! Is a pattern a regular expression of ECMA-262, the dialect of JSON Schema?
//!
//! `regress` is the authority (Unicode mode, as the specification recommends and Ajv does). It names
//! no position, so the usual mistakes are found by a scan of our own, which also says what to write.

/// Longest pattern that is looked at, in bytes.
pub const MAX_PATTERN: usize = 10_000;

/// What is wrong with a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What the engine, or the scan, says.
    pub reason: String,
    /// Bytes of the pattern that are to blame, where that is known.
    pub range: Option<std::ops::Range<usize>>,
    /// What to write instead.
    pub meant: Option<String>,
    /// Without the Unicode flag the pattern is legal, and means what its author had in mind.
    pub legacy_accepts: bool,
}

/// The fault of `pattern`; `None` if it is ECMA-262 (or too long to be looked at).
#[must_use]
pub fn fault(pattern: &str) -> Option<Fault> {
    if pattern.len() > MAX_PATTERN {
        return None;
    }
    let error = regress::Regex::with_flags(pattern, "u").err()?;
    let legacy_accepts = regress::Regex::new(pattern).is_ok();
    let known = scan(pattern);
    Some(match known {
        Some((range, reason, meant)) => {
            // `\A` is a plain A to JavaScript without the flag: accepted, and not what was meant.
            let foreign =
                pattern.get(range.clone()).is_some_and(|t| t.ends_with(|c: char| c.is_ascii_alphanumeric()));
            Fault {
                reason,
                range: Some(range),
                meant: Some(meant),
                legacy_accepts: legacy_accepts && !foreign,
            }
        }
        None => Fault { reason: error.text, range: None, meant: None, legacy_accepts },
    })
}

type Known = (std::ops::Range<usize>, String, String);

/// The first construct of another dialect, outside what ECMA-262 has.
fn scan(pattern: &str) -> Option<Known> {
    let mut chars = pattern.char_indices().peekable();
    let mut in_class = false;
    let mut after_quantifier = false;
    while let Some((at, c)) = chars.next() {
        let rest = pattern.get(at..).unwrap_or("");
        let mut quantifier = false;
        match c {
            '\\' => {
                let (next_at, escaped) = chars.next()?;
                let end = next_at + escaped.len_utf8();
                if let Some((reason, meant)) = escape(escaped, in_class, rest) {
                    return Some((at..end, reason, meant));
                }
            }
            '[' if !in_class => {
                in_class = true;
                let open = if rest.starts_with("[^") { "[^" } else { "[" };
                if rest
                    .strip_prefix(open)
                    .is_some_and(|r| r.starts_with(']') && r.get(1..).is_some_and(|r| r.contains(']')))
                {
                    let end = at + open.len() + 1;
                    let reason = format!("in ECMA-262 the `]` right behind `{open}` closes the class");
                    return Some((at..end, reason, "Write \\] for the bracket itself".to_string()));
                }
                if open == "[^" {
                    chars.next();
                }
            }
            '[' if rest.starts_with("[:") && rest.contains(":]") => {
                let end = at + rest.find(":]").unwrap_or(0) + 2;
                let class = pattern.get(at..end).unwrap_or("");
                let meant = match class {
                    "[:alpha:]" => "a-zA-Z",
                    "[:digit:]" => "0-9",
                    "[:alnum:]" => "a-zA-Z0-9",
                    "[:upper:]" => "A-Z",
                    "[:lower:]" => "a-z",
                    "[:space:]" => "\\s",
                    "[:xdigit:]" => "0-9a-fA-F",
                    _ => "the characters themselves",
                };
                return Some((at..end, format!("`{class}` is a POSIX class"), format!("Write {meant}")));
            }
            ']' if in_class => in_class = false,
            '(' if !in_class => {
                if let Some((length, reason, meant)) = group(rest) {
                    return Some((at..at + length, reason, meant));
                }
            }
            '+' if !in_class && after_quantifier => {
                return Some((
                    at..at + 1,
                    "a `+` after a quantifier (possessive matching) is not in ECMA-262".to_string(),
                    "Delete the second `+`".to_string(),
                ));
            }
            '*' | '+' | '?' if !in_class => quantifier = true,
            '}' if !in_class => quantifier = true,
            _ => {}
        }
        // `a+?` is lazy and legal, `a+?+` is nothing: only the sign right behind a quantifier counts.
        after_quantifier = quantifier;
    }
    None
}

/// An escape that ECMA-262 does not have in Unicode mode: reason and remedy.
fn escape(c: char, in_class: bool, rest: &str) -> Option<(String, String)> {
    let anchor = |means: &str, write: &str| {
        Some((format!("`\\{c}` ({means}) is not in ECMA-262"), format!("Write {write}")))
    };
    match c {
        'A' => anchor("start of text", "^"),
        'Z' | 'z' => anchor("end of text", "$"),
        'G' | 'K' => anchor("a Perl assertion", "the pattern without it"),
        'h' => anchor("horizontal space", "[ \\t]"),
        'R' => anchor("line break", "\\r?\\n"),
        'Q' | 'E' => anchor("quoting", "the characters with a backslash each"),
        'a' => anchor("bell", "\\x07"),
        'e' => anchor("escape", "\\x1b"),
        'x' if rest.starts_with("\\x{") => anchor("a code point in braces", "\\u{…}"),
        'U' | 'N' => anchor("a named or long code point", "\\u{…}"),
        'g' => anchor("a group reference", "\\k<name> or \\1"),
        'P' | 'p' if !rest.get(2..).is_some_and(|r| r.starts_with('{')) => {
            Some((format!("`\\{c}` needs braces in ECMA-262"), format!("Write \\{c}{{L}}, say")))
        }
        '-' if in_class => None,
        _ if c.is_ascii_alphanumeric() => None,
        '^' | '$' | '\\' | '.' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' | '/' => None,
        _ => Some((
            format!("`\\{c}` escapes a character that needs no escape, which Unicode mode refuses"),
            format!("Write {c} without the backslash"),
        )),
    }
}

/// A `(?…` that ECMA-262 does not have: length, reason and remedy.
fn group(rest: &str) -> Option<(usize, String, String)> {
    let inside = rest.strip_prefix("(?")?;
    let known = [(":", ""), ("=", ""), ("!", ""), ("<=", ""), ("<!", "")];
    if known.iter().any(|(k, _)| inside.starts_with(k)) {
        return None;
    }
    if inside.starts_with("P<") {
        return Some((4, "`(?P<name>…)` is Python's".to_string(), "Write (?<name>…), or (?:…)".to_string()));
    }
    if inside.starts_with("P=") || inside.starts_with("P>") {
        return Some((4, "`(?P=name)` is Python's".to_string(), "Write \\k<name>".to_string()));
    }
    if inside.starts_with('<') {
        return None;
    }
    if inside.starts_with('#') {
        return Some((
            3,
            "`(?#…)` comments are not in ECMA-262".to_string(),
            "Delete the comment".to_string(),
        ));
    }
    if inside.starts_with('>') {
        return Some((3, "atomic groups `(?>…)` are not in ECMA-262".to_string(), "Write (?:…)".to_string()));
    }
    let flags: String =
        inside.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-' || *c == '^').collect();
    let ends = inside.get(flags.len()..).unwrap_or("");
    if !flags.is_empty() && ends.starts_with(')') {
        let meant = if flags.contains('i') {
            "Write both cases, such as [Aa], or list the values in `enum`."
        } else {
            "Delete the flags."
        };
        return Some((
            flags.len() + 3,
            format!("`(?{flags})` (flags within the pattern) is not in ECMA-262"),
            meant.to_string(),
        ));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_dialects_are_named_with_their_place() {
        for (pattern, range, meant) in [
            (r"^(?P<year>\d{4})$", 1..5, "(?<name>"),
            (r"\A\d+", 0..2, "^"),
            (r"^\d+\Z", 4..6, "$"),
            (r"(?i)^abc$", 0..4, "cases"),
            (r"^[[:alpha:]]+$", 2..11, "a-zA-Z"),
            (r"^a++$", 3..4, "second"),
            (r"^[0-9]{2}\:[0-9]{2}$", 9..11, "without the backslash"),
            (r"(?>a)b", 0..3, "(?:"),
            (r"a(?#note)b", 1..4, "comment"),
            (r"\x{41}", 0..2, "\\u{"),
            (r"^[^]]$", 1..4, "\\]"),
            (r"^[]a]$", 1..3, "\\]"),
        ] {
            let found = fault(pattern).unwrap_or_else(|| panic!("{pattern} passes"));
            assert_eq!(found.range, Some(range), "{pattern}");
            assert!(found.meant.as_deref().unwrap().contains(meant), "{pattern}: {found:?}");
        }
    }

    #[test]
    fn other_faults_have_the_engines_word() {
        for pattern in ["(", "[a", "a{2,1}", "*a", "\\", "[z-a]", "(?<n>a)(?<n>b)", r"\p{Nonsense}"] {
            let found = fault(pattern).unwrap_or_else(|| panic!("{pattern} passes"));
            assert!(!found.reason.is_empty(), "{pattern}");
        }
    }

    #[test]
    fn legacy_mode() {
        assert!(fault(r"\:").unwrap().legacy_accepts);
        assert!(!fault(r"(?P<n>a)").unwrap().legacy_accepts);
    }

    #[test]
    fn ecma_262_passes() {
        for pattern in [
            "",
            "^[a-z0-9-]{1,63}$",
            r"^(?!-)[a-z]+(?<!-)$",
            r"^(?<year>\d{4})-\k<year>$",
            r"^\p{L}+$",
            r"\u{1F600}",
            r"^[\w.+\-]+@[\w\-]+\.[a-z]{2,}$",
            r"^https?:\/\/",
            r"a+?b*?c{2,3}?",
            "[+*?]+",
            r"^#[0-9A-Fa-f]{6}$",
            r"\cA\0\x41",
            r"[\]\-]",
            "[^]",
            "[]",
            "é+",
        ] {
            assert_eq!(fault(pattern), None, "{pattern}");
        }
    }
}
