//! Where every value of a segment stands: built once, on demand, from the jsonc-parser AST.
//!
//! serde_json alone says what is JSON and what its values are; the AST only tells places, what a
//! value in memory would lose ([`super::Defect`]), and which keys occur twice.

use super::repair::Substitution;
use super::{Defect, DefectKind};
use crate::pointer;
use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use std::collections::BTreeMap;
use std::ops::Range;

/// Strings longer than this get checkpoints, so that many findings in one string stay linear.
const LONG_STRING: usize = 4096;

/// One value; ranges are byte ranges of the document's text.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub value: Range<usize>,
    /// The key that leads to it, quotes included.
    pub key: Option<Range<usize>>,
    children: Children,
}

#[derive(Debug, Clone)]
enum Children {
    None,
    Items(Vec<usize>),
    /// Sorted by key; of equal keys the last in the text stands last, as it is the one that counts.
    Members(Vec<(Box<str>, usize)>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    nodes: Vec<Node>,
    /// (decoded, raw) offsets inside long strings with escapes, by start of the string.
    checkpoints: BTreeMap<usize, Vec<(usize, usize)>>,
}

impl Index {
    /// The index of the JSON text at `range` of `readable`.
    pub fn build(readable: &str, range: &Range<usize>) -> Option<Index> {
        let text = readable.get(range.clone())?;
        let ast = ast(text)?;
        let mut index = Index::default();
        index.add(&ast, None, range.start, readable);
        Some(index)
    }

    fn add(&mut self, value: &Value<'_>, key: Option<Range<usize>>, base: usize, readable: &str) -> usize {
        let id = self.nodes.len();
        let place = shifted(value.range(), base);
        self.nodes.push(Node { value: place.clone(), key, children: Children::None });
        let children = match value {
            Value::Array(array) => {
                Children::Items(array.elements.iter().map(|v| self.add(v, None, base, readable)).collect())
            }
            Value::Object(object) => {
                let mut members: Vec<(Box<str>, usize)> = Vec::with_capacity(object.properties.len());
                for member in &object.properties {
                    let key = shifted(member.name.range(), base);
                    self.checkpoint(&key, readable);
                    let child = self.add(&member.value, Some(key), base, readable);
                    members.push((Box::from(name(&member.name)), child));
                }
                members.sort_by(|(a, _), (b, _)| a.cmp(b)); // stable
                Children::Members(members)
            }
            Value::StringLit(_) => {
                self.checkpoint(&place, readable);
                Children::None
            }
            _ => Children::None,
        };
        if let Some(node) = self.nodes.get_mut(id) {
            node.children = children;
        }
        id
    }

    fn checkpoint(&mut self, string: &Range<usize>, readable: &str) {
        if string.len() < LONG_STRING {
            return;
        }
        let raw = readable.get(string.clone()).unwrap_or_default();
        if !raw.contains('\\') {
            return;
        }
        let mut at = StringCursor { decoded: 0, raw: string.start + 1 };
        let mut points = Vec::new();
        let mut next = LONG_STRING;
        while at.step(readable, string.end).is_some() {
            if at.decoded >= next {
                points.push((at.decoded, at.raw));
                next = at.decoded + LONG_STRING;
            }
        }
        self.checkpoints.insert(string.start, points);
    }

    /// The value at `pointer`.
    pub fn find(&self, pointer: &str) -> Option<&Node> {
        let mut node = self.nodes.first()?;
        for token in pointer::tokens(pointer) {
            let child = match &node.children {
                Children::None => return None,
                Children::Items(items) => items.get(token.parse::<usize>().ok()?),
                Children::Members(members) => {
                    let behind = members.partition_point(|(key, _)| key.as_ref() <= token.as_str());
                    members
                        .get(behind.checked_sub(1)?)
                        .filter(|(key, _)| key.as_ref() == token)
                        .map(|(_, child)| child)
                }
            };
            node = self.nodes.get(*child?)?;
        }
        Some(node)
    }

    /// The children of an object (with their keys) or array, in the order of the text; none for other values.
    /// A key that occurs twice is there twice.
    pub fn children<'i>(&'i self, node: &'i Node) -> Vec<(Option<&'i str>, &'i Node)> {
        let mut children: Vec<(Option<&str>, &Node)> = match &node.children {
            Children::None => Vec::new(),
            Children::Items(items) => {
                items.iter().filter_map(|i| Some((None, self.nodes.get(*i)?))).collect()
            }
            Children::Members(members) => {
                let member =
                    |(key, i): &'i (Box<str>, usize)| Some((Some(key.as_ref()), self.nodes.get(*i)?));
                members.iter().filter_map(member).collect()
            }
        };
        children.sort_by_key(|(_, child)| child.value.start);
        children
    }

    /// The byte range in the text of a byte range of the decoded form of `string`, a string token
    /// with its quotes. Rounded outwards to whole characters; what lies beyond the end is cut off.
    pub fn within_string(
        &self,
        readable: &str,
        string: &Range<usize>,
        decoded: &Range<usize>,
    ) -> Range<usize> {
        let start = self.cursor(readable, string, decoded.start).raw;
        let mut end = self.cursor(readable, string, decoded.end);
        if end.decoded < decoded.end {
            let _ = end.step(readable, string.end);
        }
        start..end.raw.max(start)
    }

    /// The last character border at or before `decoded`.
    fn cursor(&self, readable: &str, string: &Range<usize>, decoded: usize) -> StringCursor {
        let mut at = StringCursor { decoded: 0, raw: string.start + 1 };
        if let Some(points) = self.checkpoints.get(&string.start) {
            let i = points.partition_point(|(d, _)| *d <= decoded);
            if let Some((d, r)) = i.checked_sub(1).and_then(|i| points.get(i)) {
                at = StringCursor { decoded: *d, raw: *r };
            }
        } else if string.len() >= LONG_STRING {
            // A long string without checkpoints has no escapes: both forms are the same bytes.
            let mut raw = (string.start + 1 + decoded).min(string.end.saturating_sub(1));
            while raw > string.start + 1 && !readable.is_char_boundary(raw) {
                raw -= 1;
            }
            return StringCursor { decoded: raw - (string.start + 1), raw };
        }
        loop {
            let mut next = at;
            match next.step(readable, string.end) {
                Some(()) if next.decoded <= decoded => at = next,
                _ => return at,
            }
        }
    }
}

/// A position in a string token: decoded bytes before it, and its offset in the text.
#[derive(Debug, Clone, Copy)]
struct StringCursor {
    decoded: usize,
    raw: usize,
}

impl StringCursor {
    /// One character on; `None` at the closing quote (`end` is the offset behind it).
    fn step(&mut self, readable: &str, end: usize) -> Option<()> {
        let rest = readable.get(self.raw..end.checked_sub(1)?)?;
        let c = rest.chars().next()?;
        let (decoded, raw) = match (c, rest.as_bytes().get(1)) {
            ('\\', Some(b'u')) => match unit(rest)? {
                0xd800..=0xdbff => (4, 12),
                unit => (char::from_u32(u32::from(unit)).map_or(3, char::len_utf8), 6),
            },
            ('\\', _) => (1, 2),
            (c, _) => (c.len_utf8(), c.len_utf8()),
        };
        self.decoded += decoded;
        self.raw += raw;
        Some(())
    }
}

fn unit(escape: &str) -> Option<u16> {
    u16::from_str_radix(escape.get(2..6)?, 16).ok()
}

/// What the text of a segment holds and its value does not.
#[derive(Debug, Default)]
pub(super) struct Losses {
    pub defects: Vec<Defect>,
    pub duplicate_keys: Vec<(String, usize)>,
}

/// Finds defects (at `substitutions`, and integers that were rounded) and duplicate keys of the JSON
/// text at `range`; `original` is the text before substitutions. `None` if there are more than `limit`.
pub(super) fn losses(
    readable: &str,
    original: &str,
    range: &Range<usize>,
    substitutions: &[Substitution],
    limit: usize,
) -> Option<Losses> {
    let Some(ast) = readable.get(range.clone()).and_then(ast) else { return Some(Losses::default()) };
    let mut search = Search {
        original,
        base: range.start,
        substitutions,
        limit,
        path: Vec::new(),
        bytes: 0,
        found: Losses::default(),
    };
    search.visit(&ast)?;
    Some(search.found)
}

/// Bound on the bytes of all pointers that are kept: keys may be long and faults many.
const MAX_POINTER_BYTES: usize = 16 << 20;

struct Search<'a> {
    original: &'a str,
    base: usize,
    substitutions: &'a [Substitution],
    limit: usize,
    path: Vec<String>,
    bytes: usize,
    found: Losses,
}

impl Search<'_> {
    fn pointer(&mut self) -> Option<String> {
        let pointer = self.path.iter().fold(String::new(), |p, token| pointer::child(&p, token));
        self.bytes += pointer.len();
        let found = self.found.defects.len() + self.found.duplicate_keys.len();
        (found < self.limit && self.bytes <= MAX_POINTER_BYTES).then_some(pointer)
    }

    fn visit(&mut self, value: &Value<'_>) -> Option<()> {
        match value {
            Value::StringLit(_) => self.substituted(shifted(value.range(), self.base)),
            Value::NumberLit(number) => {
                let range = shifted(value.range(), self.base);
                self.substituted(range.clone())?;
                if is_inexact(number.value) {
                    self.defect(DefectKind::InexactInteger, range)?;
                }
                Some(())
            }
            Value::Array(array) => array.elements.iter().enumerate().try_for_each(|(i, element)| {
                self.path.push(i.to_string());
                self.visit(element)?;
                self.path.pop();
                Some(())
            }),
            Value::Object(object) => {
                let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
                for member in &object.properties {
                    *seen.entry(name(&member.name)).or_default() += 1;
                }
                for member in &object.properties {
                    let key = name(&member.name);
                    self.path.push(key.to_string());
                    if let Some(times) = seen.remove(key).filter(|times| *times > 1) {
                        let pointer = self.pointer()?;
                        self.found.duplicate_keys.push((pointer, times));
                    }
                    self.substituted(shifted(member.name.range(), self.base))?;
                    self.visit(&member.value)?;
                    self.path.pop();
                }
                Some(())
            }
            _ => Some(()),
        }
    }

    /// Records the substitutions inside `range`.
    fn substituted(&mut self, range: Range<usize>) -> Option<()> {
        let first = self.substitutions.partition_point(|s| s.offset < range.start);
        for s in self.substitutions.iter().skip(first).take_while(|s| s.offset < range.end) {
            self.defect(s.kind, s.offset..s.offset + s.length)?;
        }
        Some(())
    }

    fn defect(&mut self, kind: DefectKind, range: Range<usize>) -> Option<()> {
        let pointer = self.pointer()?;
        let offset = range.start;
        let text = self.original.get(range).unwrap_or_default();
        self.found.defects.push(Defect { kind, offset, pointer, text: shortened(text) });
        Some(())
    }
}

/// A number may be written with a million digits; a report needs the first few.
fn shortened(text: &str) -> String {
    const KEPT: usize = 80;
    match text.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_string(),
    }
}

/// Whether `number` is an integer that neither i64, u64 nor f64 holds exactly. Numbers with a
/// fraction or an exponent are doubles to every reader, so nothing is lost.
fn is_inexact(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    if digits.len() < 19 || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return false;
    }
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return false;
    }
    // Rust prints a double's exact decimal value when asked for no fraction digits.
    number.parse::<f64>().is_ok_and(|double| double.is_finite() && format!("{double:.0}") != number)
}

fn ast(text: &str) -> Option<Value<'_>> {
    jsonc_parser::parse_to_ast(text, &Default::default(), &strict()).ok()?.value
}

fn strict() -> jsonc_parser::ParseOptions {
    jsonc_parser::ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn name<'a>(name: &'a ObjectPropName<'_>) -> &'a str {
    match name {
        ObjectPropName::String(s) => &s.value,
        ObjectPropName::Word(w) => w.value,
    }
}

fn shifted(range: jsonc_parser::common::Range, base: usize) -> Range<usize> {
    range.start + base..range.end + base
}

/// Entries of all objects in `value`, added up; fewer than the text has members if keys occur twice.
pub(super) fn entries(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Object(members) => members.len() + members.values().map(entries).sum::<usize>(),
        serde_json::Value::Array(items) => items.iter().map(entries).sum(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::string_slice)]

    use super::*;

    fn at<'t>(text: &'t str, pointer: &str) -> Option<&'t str> {
        let index = Index::build(text, &(0..text.len())).unwrap();
        index.find(pointer).map(|n| &text[n.value.clone()])
    }

    #[test]
    fn finds_values() {
        let text = r#"{"b": [1, {"": "x", "a/b": true}], "a": null, "b2": -1.5e3}"#;
        assert_eq!(at(text, ""), Some(text));
        assert_eq!(at(text, "/a"), Some("null"));
        assert_eq!(at(text, "/b/0"), Some("1"));
        assert_eq!(at(text, "/b/1/"), Some("\"x\""));
        assert_eq!(at(text, "/b/1/a~1b"), Some("true"));
        assert_eq!(at(text, "/b2"), Some("-1.5e3"));
        assert_eq!(at(text, "/b/2"), None);
        assert_eq!(at(text, "/c"), None);
        assert_eq!(at(r#"{"a": 1, "a": 2}"#, "/a"), Some("2"), "the last of equal keys counts");
    }

    #[test]
    fn ranges_of_decoded_strings() {
        let text = r#"["aé\né\ud83d\ude00\"z"]"#;
        let index = Index::build(text, &(0..text.len())).unwrap();
        let string = index.find("/0").unwrap().value.clone();
        // decoded: a 0..1, é 1..3, \n 3..4, é 4..6, 😀 6..10, " 10..11, z 11..12
        let raw = |r: Range<usize>| &text[index.within_string(text, &string, &r)];
        assert_eq!(raw(0..1), "a");
        assert_eq!(raw(1..3), "é");
        assert_eq!(raw(3..4), "\\n");
        assert_eq!(raw(6..10), "\\ud83d\\ude00");
        assert_eq!(raw(7..8), "\\ud83d\\ude00", "a part of a character is the character");
        assert_eq!(raw(10..12), "\\\"z");
        assert_eq!(raw(0..99), r#"aé\né\ud83d\ude00\"z"#);
        assert_eq!(raw(5..5), "é", "outwards, also for an empty range inside a character");
        assert_eq!(raw(12..12), "");
    }

    #[test]
    fn ranges_of_long_strings() {
        for unit in ["é", "\\n", "xyz\\u00e9ü"] {
            let text = format!("[\"{}\"]", unit.repeat(5000));
            let value: Vec<String> = serde_json::from_str(&text).unwrap();
            let index = Index::build(&text, &(0..text.len())).unwrap();
            let string = index.find("/0").unwrap().value.clone();
            let step = value[0].len() / 5000;
            for i in [0, 1, 4095, 4096, 4999] {
                let raw = index.within_string(&text, &string, &(i * step..(i + 1) * step));
                assert_eq!(&text[raw.clone()], unit);
                assert_eq!(raw.start, 2 + i * unit.len());
            }
        }
    }

    #[test]
    fn integers_that_are_rounded() {
        for (number, inexact) in [
            ("9223372036854775807", false),
            ("18446744073709551615", false),
            ("-9223372036854775808", false),
            ("18446744073709551616", false), // 2^64
            ("18446744073709551617", true),
            ("-9223372036854775809", true),
            ("1000000000000000000000", false), // 10^21 = 2^21 · 5^21, and 5^21 < 2^53
            ("1000000000000000000000000000000", true),
            ("1e30", false),
            ("0.1234567890123456789", false),
        ] {
            assert_eq!(is_inexact(number), inexact, "{number}");
        }
    }

    #[test]
    fn losses_have_pointers() {
        let text = r#"{"a": [{"k": 1, "k": 18446744073709551617}], "k": {"k": 1}}"#;
        let found = losses(text, text, &(0..text.len()), &[], 100).unwrap();
        assert_eq!(found.duplicate_keys, [("/a/0/k".to_string(), 2)]);
        assert_eq!(found.defects.len(), 1);
        assert_eq!((found.defects[0].pointer.as_str(), found.defects[0].offset), ("/a/0/k", 21));
        assert!(losses(text, text, &(0..text.len()), &[], 1).is_none());
    }
}
