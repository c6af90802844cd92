//! JSON texts as they were sent: taken apart and laid out by their tokens, so that the order of members, keys that
//! occur twice, unknown fields and the digits of numbers stay what they were.
//!
//! A [`Raw`] is valid JSON: serde_json has read it. From there on its structure can be followed without errors.

use serde_json::value::Value;

/// One JSON text, without white space around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raw<'t>(&'t str);

impl<'t> Raw<'t> {
    /// `None`: this is no JSON.
    pub fn parse(text: &'t str) -> Option<Raw<'t>> {
        // Nothing is built: any depth is read, and what a value could not hold (`\ud800`, `1e999`) passes.
        serde_json::from_str::<serde::de::IgnoredAny>(text).ok()?;
        Some(Raw(text.trim_matches([' ', '\t', '\r', '\n'])))
    }

    pub fn text(self) -> &'t str {
        self.0
    }

    /// Members of an object in their order, with decoded keys; nothing for other values.
    pub fn members(self) -> Vec<(String, Raw<'t>)> {
        if !self.0.starts_with('{') {
            return Vec::new();
        }
        let parts = self.parts(usize::MAX);
        let pairs = parts.chunks(2).filter_map(|pair| match pair {
            [key, value] => Some((Raw(key).string().unwrap_or_else(|| (*key).to_string()), Raw(value))),
            _ => None,
        });
        pairs.collect()
    }

    /// The member of this name; the last one, as readers of JSON take it.
    pub fn member(self, name: &str) -> Option<Raw<'t>> {
        self.members().into_iter().rev().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Elements of an array; `None` for other values.
    pub fn elements(self) -> Option<Vec<Raw<'t>>> {
        self.first_elements(usize::MAX)
    }

    /// The same, and no more than `most` of them.
    pub fn first_elements(self, most: usize) -> Option<Vec<Raw<'t>>> {
        self.0.starts_with('[').then(|| self.parts(most).into_iter().map(Raw).collect())
    }

    /// The text of a string.
    pub fn string(self) -> Option<String> {
        serde_json::from_str(self.0).ok()
    }

    pub fn is_null(self) -> bool {
        self.0 == "null"
    }

    /// Every string of it, keys included, decoded as far as a string can hold it.
    pub fn strings(self) -> impl Iterator<Item = String> {
        tokens(self.0)
            .filter(|(_, token)| token.starts_with('"'))
            .filter_map(|(_, token)| Raw(token).string())
    }

    /// As a value in memory; `None` for what it cannot hold.
    pub fn value(self) -> Option<Value> {
        serde_json::from_str(self.0).ok()
    }

    /// What stands between the brackets: elements, or keys and values in turn; no more than `most` of them.
    ///
    /// One pass over bytes, however large they are: a server decides how many there are.
    fn parts(self, most: usize) -> Vec<&'t str> {
        let inner = self.0.get(1..self.0.len().saturating_sub(1)).unwrap_or_default();
        let (mut parts, mut part) = (Vec::new(), None::<(usize, usize)>);
        let (mut depth, mut in_string, mut is_escaped) = (0_usize, false, false);
        for (at, byte) in inner.bytes().enumerate() {
            if in_string {
                in_string = is_escaped || byte != b'"';
                is_escaped = byte == b'\\' && !is_escaped;
            } else {
                match byte {
                    b' ' | b'\t' | b'\r' | b'\n' => continue,
                    b',' | b':' if depth == 0 => {
                        parts.extend(part.take().and_then(|(from, to)| inner.get(from..to)));
                        if parts.len() >= most {
                            return parts;
                        }
                        continue;
                    }
                    b'"' => in_string = true,
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            part = Some((part.map_or(at, |(from, _)| from), at + 1));
        }
        parts.extend(part.and_then(|(from, to)| inner.get(from..to)));
        parts
    }

    /// How deep its brackets nest.
    pub fn depth(self) -> usize {
        let (mut depth, mut most) = (0_usize, 0);
        let (mut in_string, mut is_escaped) = (false, false);
        for byte in self.0.bytes() {
            match byte {
                _ if in_string => {
                    in_string = is_escaped || byte != b'"';
                    is_escaped = byte == b'\\' && !is_escaped;
                }
                b'"' => in_string = true,
                b'[' | b'{' => {
                    depth += 1;
                    most = most.max(depth);
                }
                b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        most
    }

    /// The text with a line for each member and element, `level` steps in, and no white space but that.
    pub fn indented(self, level: usize, out: &mut String) {
        let mut level = level;
        let mut before = "";
        for (_, token) in tokens(self.0) {
            let closes = matches!(token, "]" | "}");
            if closes {
                level = level.saturating_sub(1);
            }
            let is_empty = closes && matches!(before, "[" | "{");
            if (matches!(before, "[" | "{" | ",") || closes) && !is_empty {
                new_line(level, out);
            }
            out.push_str(token);
            if token == ":" {
                out.push(' ');
            }
            if matches!(token, "[" | "{") {
                level += 1;
            }
            before = token;
        }
    }

    /// The text without white space.
    pub fn compact(self, out: &mut String) {
        tokens(self.0).for_each(|(_, token)| out.push_str(token));
    }
}

/// Steps of indentation beyond which a line begins no further right: a text of brackets alone must not grow with the
/// square of its length.
const MAX_LEVEL: usize = 64;

pub(super) fn new_line(level: usize, out: &mut String) {
    out.push('\n');
    (0..level.min(MAX_LEVEL)).for_each(|_| out.push_str("  "));
}

/// The tokens of a valid JSON text, each with its offset.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
            at += 1;
        }
        let start = at;
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                while let Some(byte) = bytes.get(at) {
                    at += if *byte == b'\\' { 2 } else { 1 };
                    if *byte == b'"' {
                        break;
                    }
                }
            }
            b'[' | b']' | b'{' | b'}' | b',' | b':' => at += 1,
            _ => {
                let ends = |b: &u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n' | b',' | b']' | b'}' | b':');
                while bytes.get(at).is_some_and(|b| !ends(b)) {
                    at += 1;
                }
            }
        }
        Some((start, text.get(start..at)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn raw(text: &str) -> Raw<'_> {
        Raw::parse(text).unwrap()
    }

    #[test]
    fn members_stay_as_they_were_sent() {
        let text = r#" {"b": 1.0, "a" : [1e999, "\ud800"],"b": {"x":[]}, "\u0063": "}" } "#;
        let members = raw(text).members();
        let shown: Vec<(&str, &str)> = members.iter().map(|(k, v)| (k.as_str(), v.text())).collect();
        let expected = [("b", "1.0"), ("a", r#"[1e999, "\ud800"]"#), ("b", r#"{"x":[]}"#), ("c", r#""}""#)];
        assert_eq!(shown, expected);
        assert_eq!(raw(text).member("b").unwrap().text(), r#"{"x":[]}"#, "the last one holds");
        assert_eq!(raw(text).member("x"), None, "another object's");
    }

    #[test]
    fn elements() {
        let texts = |text| raw(text).elements().map(|e| e.iter().map(|r| r.text()).collect::<Vec<_>>());
        assert_eq!(
            texts(r#"[1, [2,[3]], {"a":"]"}, "\"", null]"#).unwrap(),
            ["1", "[2,[3]]", r#"{"a":"]"}"#, r#""\"""#, "null"]
        );
        assert_eq!(texts("[ ]").unwrap(), Vec::<&str>::new());
        assert_eq!(texts("{}"), None);
        assert_eq!(raw("\"[1]\"").members(), []);
        assert_eq!(raw("[1, 2, 3]").first_elements(2).unwrap().len(), 2);
        assert_eq!(raw(r#"[[], {"a": [[1]]}, "[[[[["]"#).depth(), 4);
        assert_eq!(raw(r#"["\\", "\"[", 1]"#).elements().unwrap().len(), 3);
    }

    #[test]
    fn what_is_no_json() {
        for text in ["", "hello", "{\"a\":}", "[1,]", "{} {}", "'a'", "[01]", "\u{feff}{}"] {
            assert_eq!(Raw::parse(text), None, "{text}");
        }
    }

    #[test]
    fn laid_out_by_tokens() {
        let mut out = String::new();
        raw(r#"{"a":[1.50,{}],"b":{"c":"x, y: {"},"d":[ ]}"#).indented(1, &mut out);
        let lines = [
            "{",
            "    \"a\": [",
            "      1.50,",
            "      {}",
            "    ],",
            "    \"b\": {",
            "      \"c\": \"x, y: {\"",
            "    },",
            "    \"d\": []",
            "  }",
        ];
        assert_eq!(out, lines.join("\n"));
    }

    #[test]
    fn brackets_alone_do_not_grow() {
        let text = "[".repeat(20_000) + &"]".repeat(20_000);
        let mut out = String::new();
        raw(&text).indented(0, &mut out);
        assert!(out.len() < 40_000 * (2 * MAX_LEVEL + 2));
        assert_eq!(raw(&text).elements().unwrap().len(), 1);
    }

    proptest! {
        /// Whatever is laid out is the same JSON, token by token.
        #[test]
        fn layout_keeps_every_token(text in json()) {
            let (mut laid, mut tight, mut again) = (String::new(), String::new(), String::new());
            raw(&text).indented(0, &mut laid);
            raw(&text).compact(&mut tight);
            raw(&laid).compact(&mut again);
            prop_assert_eq!(&again, &tight);
            prop_assert_eq!(raw(&text).value(), raw(&tight).value());
        }
    }

    fn json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just("null".to_string()),
            any::<f64>().prop_map(|n| if n.is_finite() { format!("{n:e}") } else { "0".into() }),
            "[ -~é\u{200b}]{0,6}".prop_map(|s| Value::String(s).to_string()),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            let list = proptest::collection::vec(inner.clone(), 0..4)
                .prop_map(|v| format!("[ {} ]", v.join(" ,\n")));
            let key = "[a-c\\\\\"{}]{0,3}".prop_map(|s| Value::String(s).to_string());
            let map = proptest::collection::vec((key, inner), 0..4).prop_map(|v| {
                let members: Vec<String> = v.into_iter().map(|(k, v)| format!("{k} : {v}")).collect();
                format!("{{{}}}", members.join(", "))
            });
            prop_oneof![list, map]
        })
    }
}
