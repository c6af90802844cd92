//! Texts that no output may show: tokens, and what is declared for a server's environment.

use serde_json::Value;

/// A shorter value (`1`, `true`, `debug`) is no secret, and hiding it would only garble the message.
const LEAST: usize = 8;

/// What is hidden, as it is and as JSON spells it.
#[derive(Clone, Default)]
pub struct Secrets(Vec<String>);

impl Secrets {
    pub(super) fn of<'s>(values: impl IntoIterator<Item = &'s str>) -> Secrets {
        let mut spelled: Vec<String> = Vec::new();
        for value in values.into_iter().filter(|value| value.len() >= LEAST) {
            let quoted = Value::String(value.to_string()).to_string();
            let inner = quoted.strip_prefix('"').and_then(|q| q.strip_suffix('"')).unwrap_or_default();
            spelled.extend([inner.to_string(), value.to_string()]);
        }
        // A secret may hold another one.
        spelled.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        spelled.dedup();
        Secrets(spelled)
    }

    /// The text with `***` for each of them.
    #[must_use]
    pub fn hidden(&self, text: &str) -> String {
        self.0.iter().fold(text.to_string(), |text, secret| text.replace(secret.as_str(), "***"))
    }

    /// Hide them in every text of a value, keys included.
    pub fn hide(&self, value: &mut Value) {
        if self.0.is_empty() {
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
}
