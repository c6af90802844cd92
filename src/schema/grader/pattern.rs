//! Patterns as Python's `re.search` understands them: which it refuses, and what the others match.
//!
//! A backtracking matcher like Python's own, so that the meaning of every construct (`$` before a
//! last line feed, Unicode `\d`, failing references to unset groups) and the cost of hostile patterns
//! are modelled, not guessed. What is rare or differs between Python versions is refused.

mod class;
mod matcher;
mod parse;

use matcher::Program;

/// Why the packs' grader cannot use a pattern, or why verity will not vouch for it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// `re.compile` raises, with Python's own words where they are known.
    #[error("Python's `re` refuses it: {0}")]
    ByPython(String),
    /// Valid in some versions of Python, or not modelled.
    #[error("verity does not vouch for {0} in Python's `re`")]
    NotModelled(&'static str),
}

/// A compiled pattern.
#[derive(Debug)]
pub struct Pattern {
    program: Program,
    /// Meaning depends on the characters' Unicode case: only ASCII is modelled.
    is_ascii_only: bool,
}

impl Pattern {
    /// Compile `pattern` as `re.compile` would.
    ///
    /// # Errors
    /// See [`Refused`].
    pub fn new(pattern: &str) -> Result<Pattern, Refused> {
        let parsed = parse::parse(pattern)?;
        let is_ascii_only = parsed.ignores_case;
        if is_ascii_only && !pattern.is_ascii() {
            return Err(Refused::NotModelled("case-insensitive matching beyond ASCII"));
        }
        Ok(Pattern { program: matcher::compile(&parsed)?, is_ascii_only })
    }

    /// Whether `re.search` finds the pattern in `text`; `None` where that takes Python too long or
    /// is not modelled.
    #[must_use]
    pub fn search(&self, text: &str) -> Option<bool> {
        if self.is_ascii_only && !text.is_ascii() {
            return None;
        }
        self.program.search(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(pattern: &str, text: &str) -> Option<bool> {
        Pattern::new(pattern).unwrap().search(text)
    }

    #[test]
    fn what_python_refuses() {
        for pattern in [
            r"\p{L}",
            r"(?<year>\d{4})",
            r"\u{1F600}",
            r"\u12",
            r"\xZ1",
            r"\cA",
            r"\k<a>",
            r"*a",
            r"a**",
            r"a{2}{3}",
            r"^*",
            r"(",
            r")",
            r"[a",
            r"[]",
            r"[z-a]",
            r"[\d-z]",
            r"a{3,2}",
            r"(?P<1>a)",
            r"(?P<a>x)(?P<a>y)",
            r"(?P=b)",
            r"\1",
            r"(\1)",
            r"a(?i)b",
            r"(?<=a+)b",
            r"\",
            r"(?z)",
            r"[\B]",
            r"\Q",
            r"(?",
            r"(?P",
            r"(?<",
            r"[\8]",
            r"\400",
        ] {
            assert!(matches!(Pattern::new(pattern), Err(Refused::ByPython(_))), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_vouched_for() {
        for pattern in [
            r"a++",
            r"(?>a)",
            r"(a)?(?(1)b|c)",
            r"\N{DIGIT ONE}",
            r"(?x) a",
            r"(?i)ü",
            r"(?:a{1,5000}){1,5000}",
        ] {
            assert!(matches!(Pattern::new(pattern), Err(Refused::NotModelled(_))), "{pattern}");
        }
    }

    #[test]
    fn meanings_that_differ_from_ecma() {
        // Each by re.search(pattern, text) is not None, Python 3.11.
        for (pattern, text, found) in [
            (r"^a$", "a\n", true),
            (r"^a$", "a\n\n", false),
            (r"^a\Z", "a\n", false),
            (r"^\d+$", "\u{663}", true),
            (r"^[0-9]+$", "\u{663}", false),
            (r"^\w+$", "größe", true),
            (r"^\w+$", "e\u{301}", false),
            (r"^\s$", "\u{1c}", true),
            (r"^\s$", "\u{feff}", false),
            (r"^.$", "\r", true),
            (r"^.$", "\n", false),
            (r"a{,2}b", "aab", true),
            (r"^a{,2}$", "a{,2}", false),
            (r"^a{x}$", "a{x}", true),
            (r"^(a)?\1$", "", false),
            (r"\bé\b", "é", true),
            (r"^[]a]$", "]", true),
            (r"^[^]]$", "x", true),
            (r"^\/$", "/", true),
            (r"(?i)^ABC$", "abc", true),
            (r"(?s)^.$", "\n", true),
            (r"(?m)^b$", "a\nb\nc", true),
            (r"^\x41\u0042\U00000043\060\101$", "ABC0A", true),
            (r"^(?P<q>['x])a(?P=q)$", "'a'", true),
            (r"(?<=a)b", "ab", true),
            (r"(?<!a)b", "ab", false),
            (r"^(?!x)\w+$", "y", true),
            (r"^(?:a|ab)(?:c|bcd)$", "abcd", true),
            (r"^(a*)*$", "aaa", true),
            (r"^(?:a*?b)+?$", "aabab", true),
            (r"^[\w.-]+@[\w-]+\.\w{2,}$", "a.b@c-d.org", true),
            (r"", "anything", true),
            (r"\B", "", false),
        ] {
            assert_eq!(search(pattern, text), Some(found), "{pattern} in {text:?}");
        }
    }

    #[test]
    fn patterns_that_take_python_for_ever_are_not_answered() {
        let text = format!("{}!", "a".repeat(40));
        assert_eq!(search(r"^(a+)+$", &text), None);
        assert_eq!(search(r"^(a|a)*$", &text), None);
        assert_eq!(search(r"^[a-z]+(-[a-z]+)*$", &text), Some(false));
    }
}
