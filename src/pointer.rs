//! JSON Pointers (RFC 6901) as plain strings: `""` is the root, `/a~1b/0` a place below it.

use serde_json::Value;

/// `pointer` with one more reference token, escaped.
#[must_use]
pub fn child(pointer: &str, token: &str) -> String {
    let mut out = String::with_capacity(pointer.len() + token.len() + 1);
    push(&mut out, pointer, token);
    out
}

/// `pointer` with an array index appended.
#[must_use]
pub fn index(pointer: &str, i: usize) -> String {
    format!("{pointer}/{i}")
}

fn push(out: &mut String, pointer: &str, token: &str) {
    out.push_str(pointer);
    out.push('/');
    for c in token.chars() {
        match c {
            '~' => out.push_str("~0"),
            '/' => out.push_str("~1"),
            c => out.push(c),
        }
    }
}

/// The reference tokens of a pointer, unescaped.
pub fn tokens(pointer: &str) -> impl Iterator<Item = String> + '_ {
    pointer.split('/').skip(1).map(|t| t.replace("~1", "/").replace("~0", "~"))
}

/// The value at `pointer` in `root`, if there is one.
#[must_use]
pub fn get<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    root.pointer(pointer)
}

/// The parent pointer and the last token (unescaped); `None` for the root.
#[must_use]
pub fn split_last(pointer: &str) -> Option<(&str, String)> {
    let (parent, last) = pointer.rsplit_once('/')?;
    Some((parent, last.replace("~1", "/").replace("~0", "~")))
}

/// Whether `pointer` is `prefix` or lies below it.
#[must_use]
pub fn is_within(pointer: &str, prefix: &str) -> bool {
    pointer.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_both_ways() {
        let p = child(&child("", "a/b"), "c~d");
        assert_eq!(p, "/a~1b/c~0d");
        assert_eq!(tokens(&p).collect::<Vec<_>>(), ["a/b", "c~d"]);
        assert_eq!(split_last(&p), Some(("/a~1b", "c~d".to_string())));
    }

    #[test]
    fn within_stops_at_token_borders() {
        assert!(is_within("/tools/1/name", "/tools/1"));
        assert!(!is_within("/tools/11/name", "/tools/1"));
        assert!(is_within("/tools/1", "/tools/1"));
    }
}
