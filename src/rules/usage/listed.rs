//! Closed lists of values in prose: "one of `asc`, `desc`", "(low|medium|high)", "'open' or 'closed'".

use aho_corasick::{AhoCorasick, MatchKind};
use std::ops::Range;
use std::sync::LazyLock;

/// A list that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Listed {
    /// Bytes of the list in the text.
    pub range: Range<usize>,
    pub values: Vec<String>,
}

/// What says that the values after it are all there are.
const INTRODUCTIONS: &[&str] = &[
    "one of",
    "allowed value",
    "allowed option",
    "valid value",
    "valid option",
    "valid type",
    "valid mode",
    "possible value",
    "possible option",
    "accepted value",
    "available value",
    "available option",
    "supported value",
    "supported type",
    "supported mode",
    "permitted value",
    "acceptable value",
    "options:",
    "options are",
    "values:",
    "values are",
    "value:",
    "choices:",
    "choices are",
    "enum:",
];
/// What opens a sentence about values but is often followed by something else: quotes are asked for.
const HINTS: &[&str] = &["must be", "should be", "can be", "may be", "either"];

#[allow(clippy::unwrap_used)] // constant patterns
static OPENERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let builder =
        || AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).ascii_case_insensitive(true).clone();
    builder().build(INTRODUCTIONS.iter().chain(HINTS)).unwrap()
});

/// The first closed list of values in `text`.
pub(super) fn find(text: &str) -> Option<Listed> {
    introduced(text).or_else(|| quoted(text)).or_else(|| barred(text))
}

/// As [`find`], of lists that are called the possible values in so many words: for parameters in whose descriptions
/// quoted words and bars are likely something else (a file name's endings, a command).
pub(super) fn find_introduced(text: &str) -> Option<Listed> {
    introduced(text)
}

/// "one of: a, b", "must be 'a' or 'b'"
fn introduced(text: &str) -> Option<Listed> {
    OPENERS.find_iter(text).find_map(|opener| {
        let bare = opener.pattern().as_usize() < INTRODUCTIONS.len();
        let (before, rest) = (text.get(..opener.start())?, text.get(opener.end()..)?);
        if before.chars().next_back().is_some_and(char::is_alphanumeric) {
            return None;
        }
        let start = opener.end() + rest.len() - skip_to_list(rest).len();
        let list = List::parse(text, start, bare)?;
        (list.ends_well(text, bare) && !is_open(before)).then(|| list.into_listed()).flatten()
    })
}

/// What may stand between the opening words and the first value.
fn skip_to_list(rest: &str) -> &str {
    let mut rest = rest.strip_prefix('s').unwrap_or(rest);
    for word in [" the following", " values", " are", " is", " for this parameter"] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    rest.trim_start_matches([':', '=', ' ', '[', '(', '{', '<'])
}

/// "'asc' or 'desc'" without a word before it
fn quoted(text: &str) -> Option<Listed> {
    let mut from = 0;
    while let Some(at) = text.get(from..)?.find(['\'', '"', '`', '“', '‘']).map(|i| from + i) {
        let before = text.get(..at)?;
        // the apostrophe of "don't" opens nothing
        let opens = !before.chars().next_back().is_some_and(char::is_alphanumeric);
        let list = if opens { List::parse(text, at, false) } else { None };
        if let Some(list) = list {
            let spaced = |v: &String| v.contains([' ', ':', '.']);
            let firm = list.ends_in_or || list.bars > 0;
            if firm && !list.values.iter().any(spaced) && list.ends_well(text, false) && !is_open(before) {
                return list.into_listed();
            }
            from = list.range.end.max(at + 1);
        } else {
            from = at + text.get(at..)?.chars().next()?.len_utf8();
        }
    }
    None
}

/// "(low|medium|high)"
fn barred(text: &str) -> Option<Listed> {
    let bar = text.find('|')?;
    let before = text.get(..bar)?;
    let start = before.rfind(['(', '[', '{', ':']).map(|i| i + 1)?;
    let start = start + before.get(start..)?.len() - before.get(start..)?.trim_start().len();
    let list = List::parse(text, start, true)?;
    let all_bars = list.bars + 1 == list.values.len();
    (all_bars && list.ends_well(text, true) && !is_open(text.get(..start)?))
        .then(|| list.into_listed())
        .flatten()
}

struct List {
    range: Range<usize>,
    values: Vec<String>,
    /// Whether the last two values have `or` between them.
    ends_in_or: bool,
    /// How many separators are `|`.
    bars: usize,
}

impl List {
    /// Two values or more at `start`.
    fn parse(text: &str, start: usize, bare: bool) -> Option<List> {
        let mut list = List { range: start..start, values: Vec::new(), ends_in_or: false, bars: 0 };
        let mut at = start;
        loop {
            let rest = text.get(at..)?;
            let Some((value, used)) = item(rest, bare) else { break };
            // A phrase was taken for a list.
            if NO_VALUES.contains(&value.to_ascii_lowercase().as_str()) {
                return None;
            }
            if !list.values.contains(&value) {
                list.values.push(value);
            }
            at += used;
            list.range.end = at;
            let Some((separator, used)) = separator(text.get(at..)?) else { break };
            list.ends_in_or = separator == Separator::Or;
            list.bars += usize::from(separator == Separator::Bar);
            at += used;
        }
        (list.values.len() >= 2 && list.values.len() <= 60).then_some(list)
    }

    /// Whether the list stops where a sentence may stop, and nothing says that there are other values.
    fn ends_well(&self, text: &str, bare: bool) -> bool {
        let after = text.get(self.range.end..).unwrap_or_default();
        let head: String =
            after.trim_start_matches([']', ')', '}', '>', ' ', ',']).chars().take(12).collect();
        let head = head.to_ascii_lowercase();
        let more = [
            "etc",
            "...",
            "…",
            "and so",
            "or other",
            "or any",
            "or a ",
            "or an",
            "and other",
            "and more",
            "must",
            "should",
            "is req",
            "are req",
            "has to",
            "may be",
            "can be",
        ];
        if more.iter().any(|s| head.starts_with(s)) || self.values.iter().any(|v| v.starts_with("etc")) {
            return false;
        }
        let next = after.chars().next();
        let stops = next.is_none_or(|c| c.is_whitespace() || ".;,)]}>|(".contains(c));
        !bare || stops && !goes_on(after)
    }

    fn into_listed(self) -> Option<Listed> {
        let plain = |v: &String| {
            v.len() <= 30
                && v.split(' ').count() <= 3
                && !v.contains(['/', '{', '<', '*', '%', '\\', '@', '='])
        };
        self.values.iter().all(plain).then_some(Listed { range: self.range, values: self.values })
    }
}

/// A value at the start of `rest`, with or without quotes, and the bytes it takes with a remark after it.
fn item(rest: &str, bare: bool) -> Option<(String, usize)> {
    const QUOTES: &[(&str, &str)] =
        &[("**", "**"), ("``", "``"), ("`", "`"), ("'", "'"), ("\"", "\""), ("“", "”"), ("‘", "’")];
    for (open, close) in QUOTES {
        let Some(inner) = rest.strip_prefix(open) else { continue };
        let end = inner.find(close)?;
        let value = inner.get(..end).filter(|v| !v.is_empty() && v.len() <= 40 && !v.contains('\n'))?;
        let used = open.len() + end + close.len();
        let value = value.trim_matches(['"', '\'']);
        return Some((value.to_string(), used + remark(rest.get(used..)?)));
    }
    if !bare {
        return None;
    }
    let inner = |c: char| c.is_ascii_alphanumeric() || "_.+:-".contains(c);
    let end = rest.find(|c: char| !inner(c)).unwrap_or(rest.len());
    let value = rest.get(..end)?.trim_end_matches(['.', ':', '-', '+']);
    let first = value.chars().next()?;
    if !(first.is_ascii_alphanumeric() || first == '_') || value.len() > 40 {
        return None;
    }
    Some((value.to_string(), value.len() + remark(rest.get(value.len()..)?)))
}

/// Bytes of a remark after a value: ` (for all)`, `=newest first`.
fn remark(rest: &str) -> usize {
    let blanks = rest.len() - rest.trim_start_matches(' ').len();
    let tail = rest.get(blanks..).unwrap_or_default();
    let used = if tail.starts_with('(') {
        tail.find(')').filter(|end| *end <= 90).map(|end| end + 1)
    } else if tail.starts_with('=') {
        let end = tail.find([',', ';', '|', '\n']).unwrap_or(tail.len());
        Some(end).filter(|end| *end <= 60)
    } else {
        None
    };
    used.map_or(0, |n| n + blanks)
}

#[derive(PartialEq, Eq)]
enum Separator {
    Comma,
    Bar,
    Or,
}

/// What stands between two values, with its length.
fn separator(rest: &str) -> Option<(Separator, usize)> {
    let tail = rest.trim_start_matches(' ');
    let blanks = rest.len() - tail.len();
    let word = |text: &str| {
        ["or ", "and "]
            .iter()
            .find(|w| text.get(..w.len()).is_some_and(|t| t.eq_ignore_ascii_case(w)))
            .map(|w| w.len())
    };
    let (kind, mut used) = match tail.chars().next()? {
        ',' | ';' | '/' => (Separator::Comma, 1),
        '|' => (Separator::Bar, 1),
        _ if blanks > 0 => {
            let n = word(tail)?;
            (if n == 3 { Separator::Or } else { Separator::Comma }, n)
        }
        _ => return None,
    };
    let after = tail.get(used..)?;
    let trimmed = after.trim_start_matches(' ');
    used += after.len() - trimmed.len();
    // ", or "
    match word(trimmed).filter(|_| kind == Separator::Comma && used > 0 && tail.starts_with(',')) {
        Some(n) => {
            let last = trimmed.get(n..)?;
            used += n + last.len() - last.trim_start_matches(' ').len();
            Some((if n == 3 { Separator::Or } else { Separator::Comma }, blanks + used))
        }
        None => Some((kind, blanks + used)),
    }
}

/// Whether what stands before the list makes its values examples.
fn is_open(before: &str) -> bool {
    let tail: Vec<char> = before.chars().rev().take(30).collect();
    let tail: String = tail.into_iter().rev().collect::<String>().to_ascii_lowercase();
    // A sentence that ended before the list has no say in it.
    let clause = tail.rsplit(['.', ';', '\n']).next().unwrap_or_default();
    let open = [
        "such as",
        "for example",
        "for instance",
        "example",
        "like ",
        "includ",
        "not ",
        "default",
        "instead of",
    ];
    tail.contains("e.g") || tail.contains("i.e") || open.iter().any(|s| clause.contains(s))
}

/// Whether a word follows directly, so that the last value was the start of a phrase.
fn goes_on(after: &str) -> bool {
    let Some(rest) = after.strip_prefix(' ') else { return false };
    let word: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
    !word.is_empty()
        && !matches!(
            word.to_ascii_lowercase().as_str(),
            "default" | "defaults" | "if" | "when" | "optional" | "required"
        )
}

/// Words that no value is.
const NO_VALUES: &[&str] = &[
    "a", "an", "any", "are", "as", "be", "for", "if", "in", "include", "is", "it", "its", "of", "on",
    "other", "others", "that", "the", "their", "these", "this", "those", "to", "with", "your",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Vec<String> {
        find(text).map(|l| l.values).unwrap_or_default()
    }

    #[test]
    fn closed_lists() {
        for (text, values) in [
            ("Sort order. One of: asc, desc", &["asc", "desc"][..]),
            ("one of `top`, `new`, `ask_hn`", &["top", "new", "ask_hn"]),
            ("Accepted values: Linux, Windows.", &["Linux", "Windows"]),
            (
                "Valid values: ``enforced``, ``report_only``, ``disabled``",
                &["enforced", "report_only", "disabled"],
            ),
            ("Options: 'general' (General use), 'functions' (Azure Functions)", &["general", "functions"]),
            ("The state, must be 'open' or 'closed'.", &["open", "closed"]),
            ("Order: 'asc' or 'desc'", &["asc", "desc"]),
            ("Unit (celsius|fahrenheit)", &["celsius", "fahrenheit"]),
            ("Priority. Possible values are low, medium and high (default: low)", &["low", "medium", "high"]),
            ("Options: \"svg\", \"png\"", &["svg", "png"]),
            ("Filter by state. Allowed values: [open, closed, all]", &["open", "closed", "all"]),
        ] {
            assert_eq!(listed(text), values, "{text}");
        }
    }

    #[test]
    fn no_lists() {
        for text in [
            "Name of the town, e.g. 'Paris' or 'Rome'",
            "Such as 'a' or 'b'.",
            "Either the GUID identifier or the display name",
            "either a subscription ID (GUID) or display name",
            "Must be unique, lowercase, 3-20 characters",
            "One of the following rules is applied",
            "Valid values include: a, b, c",
            "one of a, b, c, etc.",
            "one of a, b, ...",
            "Can be used alone or with details",
            "Options for the call, or a path",
            "One of the two accounts or the card",
            "Values: see the manual",
            "Only one of `exact`, `prefix`, or `regex` must be set.",
            "",
        ] {
            assert_eq!(listed(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_place_of_the_list() {
        let text = "Größe: one of small, large";
        assert_eq!(text.get(find(text).unwrap().range), Some("small, large"));
    }
}
