//! What is read off single calls.

use super::{Asked, Observation, Outcome};
use crate::error::cut;
use serde_json::{Map, Value, json};

/// A success that says in words that it is none. That it lacks `isError` is another matter than acting on wrong arguments.
pub(super) fn is_refusal_in_prose(answer: &Observation) -> bool {
    let text: String = answer.text().chars().take(200).flat_map(char::to_lowercase).collect();
    [
        "error",
        "invalid",
        "failed",
        "must ",
        "not found",
        "required",
        "cannot",
        "unknown",
        "unable",
        "does not",
    ]
    .iter()
    .any(|word| text.contains(word))
}

/// Whether two calls brought the same, metadata aside.
pub(super) fn is_same(a: &Asked, b: &Asked) -> bool {
    match (a.answer().map(|a| &a.envelope), b.answer().map(|b| &b.envelope)) {
        (Some(Value::Object(a)), Some(Value::Object(b))) => {
            let of = |members: &Map<String, Value>| members.keys().filter(|key| *key != "_meta").count();
            let same = |(key, value): (&String, &Value)| key == "_meta" || b.get(key) == Some(value);
            of(a) == of(b) && a.iter().all(same)
        }
        (a, b) => a == b,
    }
}

/// A call as a witness shows it: an answer may be of any length.
pub(super) fn shown(asked: &Asked) -> Value {
    const MOST: usize = 600;
    let mut out = Map::new();
    out.insert("arguments".to_string(), Value::Object(asked.arguments.clone()));
    match &asked.outcome {
        Outcome::Answered(answer) if answer.envelope.to_string().len() <= MOST => {
            out.insert("answer".to_string(), answer.envelope.clone());
        }
        Outcome::Answered(answer) => {
            let short = json!({"isError": answer.is_error, "text": cut(&answer.text())});
            out.insert("answer".to_string(), short);
        }
        Outcome::Ended(how) | Outcome::Refused(how) | Outcome::Late(how) | Outcome::PutOff(how) => {
            out.insert("fault".to_string(), json!(cut(how)));
        }
    }
    Value::Object(out)
}

pub(super) fn first_words(answer: &Observation) -> String {
    let message = answer.envelope.get("message").and_then(Value::as_str).filter(|_| answer.is_protocol_error);
    cut(message.map_or_else(|| answer.text(), str::to_string).lines().next().unwrap_or_default())
}
