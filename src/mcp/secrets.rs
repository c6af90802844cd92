//! Texts that no output may show: tokens, and what is declared for a server's environment.

mod spelled;

use super::raw::Raw;
use crate::probe::Fault;
use serde_json::Value;

/// A shorter value (`1`, `true`, `debug`) is no secret, and hiding it would only garble the message.
const LEAST: usize = 6;
/// What is named as a token is one, however short; of less nothing would be left to read.
const LEAST_OF_TOKEN: usize = 3;
/// A shorter value may well stand in a listing by chance: `secret`, `dummy-1`.
const LEAST_KEPT: usize = 8;
/// So much of a secret's beginning, before a text was cut off, gives it away.
const TELLING: usize = 4;

/// What is hidden, and what may not even come back in a listing.
#[derive(Clone, Default)]
pub struct Secrets {
    /// As it is, and however else it may be written; longer ones first.
    spelled: Vec<String>,
    /// Name and spellings of what was taken from the caller's own environment.
    kept: Vec<(String, Vec<String>)>,
}

impl Secrets {
    #[must_use]
    pub fn of<'s>(values: impl IntoIterator<Item = &'s str>) -> Secrets {
        Secrets::longer_than(LEAST, values)
    }

    /// The same of what authorises a caller.
    #[must_use]
    pub(super) fn of_token(token: Option<&str>) -> Secrets {
        Secrets::longer_than(LEAST_OF_TOKEN, token)
    }

    fn longer_than<'s>(least: usize, values: impl IntoIterator<Item = &'s str>) -> Secrets {
        let mut spelled: Vec<String> = Vec::new();
        // A key of several lines (PEM) is told by any of them: logs are quoted line by line.
        let lines = values.into_iter().flat_map(|value| [value].into_iter().chain(value.lines()));
        for value in lines.filter(|value| value.len() >= least) {
            spelled.extend(spelled::spellings(value));
        }
        // A secret may hold another one.
        spelled.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        spelled.dedup();
        Secrets { spelled, kept: Vec::new() }
    }

    /// The same, and these, each with what the user calls it, may not stand in a listing either.
    #[must_use]
    pub(super) fn keeping(mut self, kept: impl IntoIterator<Item = (String, String)>) -> Secrets {
        let kept = kept.into_iter().filter(|(_, value)| value.len() >= LEAST_KEPT);
        self.kept = kept.map(|(name, value)| (name, spelled::spellings(&value))).collect();
        self
    }

    /// The text with `***` for each of them, and for the beginning of one where the text was cut off (`…`).
    #[must_use]
    pub fn hidden(&self, text: &str) -> String {
        let whole =
            self.spelled.iter().fold(text.to_string(), |text, secret| text.replace(secret.as_str(), "***"));
        if self.spelled.is_empty() || !whole.contains('…') {
            return whole;
        }
        let mut parts: Vec<String> = whole.split('…').map(str::to_string).collect();
        let before_cuts = parts.len().saturating_sub(1);
        for part in parts.iter_mut().take(before_cuts) {
            let begun = self.spelled.iter().filter_map(|secret| begun(part, secret)).max();
            if let Some(length) = begun {
                part.truncate(part.len() - length);
                part.push_str("***");
            }
        }
        parts.join("…")
    }

    /// The fault without them.
    #[must_use]
    pub fn hidden_in(&self, mut fault: Fault) -> Fault {
        fault.detail = self.hidden(&fault.detail);
        fault
    }

    /// What the user calls one that a JSON text holds, however it is spelled there.
    pub(super) fn found_in(&self, json: &str) -> Option<&str> {
        let is_in = |text: &str, all: &[String]| all.iter().any(|spelled| text.contains(spelled.as_str()));
        let holds = |text: &str| self.kept.iter().find(|(_, all)| is_in(text, all));
        if self.kept.is_empty() {
            return None;
        }
        let found = holds(json).or_else(|| Raw::parse(json)?.strings().find_map(|text| holds(&text)));
        found.map(|(name, _)| name.as_str())
    }

    /// Hide them in every text of a value, keys included.
    pub fn hide(&self, value: &mut Value) {
        if self.spelled.is_empty() {
            return;
        }
        match value {
            Value::String(text) => *text = self.hidden(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide(item)),
            Value::Object(members) => {
                for (key, mut member) in std::mem::take(members) {
                    self.hide(&mut member);
                    members.insert(self.hidden(&key), member);
                }
            }
            _ => {}
        }
    }
}

/// How much of the end of `text` is the beginning of `secret`, if that tells anything.
fn begun(text: &str, secret: &str) -> Option<usize> {
    let ends = secret.char_indices().map(|(at, _)| at).rev();
    ends.take_while(|length| *length >= TELLING)
        .find(|length| secret.get(..*length).is_some_and(|beginning| text.ends_with(beginning)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn secrets_are_hidden_however_they_are_spelled() {
        let secrets = Secrets::of(["pass\"word\\1", "pass\"word\\1-and-more", "short"]);
        assert_eq!(secrets.hidden("x=pass\"word\\1-and-more, short"), "x=***, short");
        let mut value = json!({"pass\"word\\1": ["a pass\"word\\1", 1, {"b": "short"}]});
        let line = value.to_string();
        secrets.hide(&mut value);
        assert_eq!(value, json!({"***": ["a ***", 1, {"b": "short"}]}));
        assert_eq!(secrets.hidden(&line), value.to_string());
    }

    #[test]
    fn how_short_a_secret_may_be() {
        assert_eq!(Secrets::of(["debug", "hunter"]).hidden("debug: hunter"), "debug: ***");
        assert_eq!(Secrets::of_token(Some("abc")).hidden("Bearer abc"), "Bearer ***");
        assert_eq!(Secrets::of_token(Some("ab")).hidden("about"), "about");
        let kept = |value: &str| Secrets::of([value]).keeping([("A".to_string(), value.to_string())]);
        assert_eq!(kept("secret").found_in(r#"{"a": "Keeps a secret."}"#), None, "a word like others");
        assert_eq!(kept("s3cret-1").found_in(r#"{"a": "s3cret-1"}"#), Some("A"));
    }

    #[test]
    fn a_piece_of_a_secret_is_hidden_too() {
        let secrets =
            Secrets::of(["sk-live-0123456789", "-----BEGIN KEY-----\nMIIEvQIBADANBg\n-----END KEY-----"]);
        assert_eq!(secrets.hidden("the token is sk-live-01…"), "the token is ***…");
        assert_eq!(
            secrets.hidden("token sk-l…; its log ends: sk-live-0123…"),
            "token ***…; its log ends: ***…"
        );
        assert_eq!(secrets.hidden("risk-…, sk-…"), "risk-…, sk-…", "three characters tell nothing");
        assert_eq!(secrets.hidden("loaded MIIEvQIBADANBg"), "loaded ***");
    }

    #[test]
    fn what_was_kept_is_found_in_a_listing() {
        let secrets =
            Secrets::of(["key/0123456789"]).keeping([("API_KEY".to_string(), "key/0123456789".to_string())]);
        for leaking in [
            r#"{"a": "my key/0123456789"}"#,
            r#"{"a": ["key\/0123456789"]}"#,
            r#"{"\u006bey/0123456789": 1}"#,
            r#"{"a": "https://x.example/?k=key%2F0123456789"}"#,
            r#"{"a": "QmVhcmVyIGtleS8wMTIzNDU2Nzg5"}"#,
        ] {
            assert_eq!(secrets.found_in(leaking), Some("API_KEY"), "{leaking}");
        }
        assert_eq!(secrets.found_in(r#"{"key/": "0123456789"}"#), None);
        assert_eq!(
            Secrets::of(["key/0123456789"]).found_in(r#"{"a": "key/0123456789"}"#),
            None,
            "written out by the user"
        );
    }
}
