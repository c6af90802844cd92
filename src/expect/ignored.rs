//! Places of arguments that are not compared: ids that every run makes anew, time stamps.

use crate::pointer;
use serde_json::{Map, Value};

/// Patterns that are kept.
const MAX: usize = 100;

/// Places, as JSON Pointers in which `*` is any key or index and `**` any number of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ignored(Vec<Vec<Part>>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Key(String),
    One,
    Any,
}

impl Ignored {
    /// # Errors
    /// Why `text` is no such place.
    pub fn add(&mut self, text: &str) -> Result<(), String> {
        if !text.starts_with('/') {
            return Err("a place begins with `/`, such as /request_id, /items/*/id or /**/time".to_string());
        }
        if self.0.len() == MAX {
            return Err(format!("more than {MAX} places"));
        }
        let part = |part: String| match part.as_str() {
            "*" => Part::One,
            "**" => Part::Any,
            _ => Part::Key(part),
        };
        let parts: Vec<Part> = pointer::tokens(text).map(part).collect();
        if parts.last() == Some(&Part::Any) {
            return Err("`**` stands before the key that is meant, such as /**/time".to_string());
        }
        self.0.push(parts);
        Ok(())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `value` without what is at those places; items of a list become null, so that the others keep theirs.
    #[must_use]
    pub fn cut(&self, value: &Value) -> Value {
        let all: Vec<&[Part]> = self.0.iter().map(Vec::as_slice).collect();
        cut(value, &all)
    }
}

fn cut(value: &Value, places: &[&[Part]]) -> Value {
    if places.is_empty() {
        return value.clone();
    }
    match value {
        Value::Object(members) => {
            let mut out = Map::new();
            for (key, inner) in members {
                if let Some(below) = below(places, key) {
                    out.insert(key.clone(), cut(inner, &below));
                }
            }
            Value::Object(out)
        }
        Value::Array(items) => {
            let one = |(i, inner): (usize, &Value)| match below(places, &i.to_string()) {
                Some(below) => cut(inner, &below),
                None => Value::Null,
            };
            items.iter().enumerate().map(one).collect()
        }
        other => other.clone(),
    }
}

/// The places below `key`; `None` where `key` itself is one.
fn below<'p>(places: &[&'p [Part]], key: &str) -> Option<Vec<&'p [Part]>> {
    let mut next: Vec<&[Part]> = Vec::new();
    let mut add = |place: &'p [Part]| {
        if !next.contains(&place) {
            next.push(place);
        }
    };
    for place in places {
        let mut rest = *place;
        // `**` stays, and may also be none.
        while let [Part::Any, after @ ..] = rest {
            add(rest);
            rest = after;
        }
        if let [first, after @ ..] = rest
            && (matches!(first, Part::One) || matches!(first, Part::Key(k) if k == key))
        {
            if after.is_empty() {
                return None;
            }
            add(after);
        }
    }
    Some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn places_are_left_out() {
        let of = |places: &[&str], value: Value| {
            let mut ignored = Ignored::default();
            places.iter().for_each(|p| ignored.add(p).unwrap());
            ignored.cut(&value)
        };
        let value = json!({"id": 1, "a/b": 2, "items": [{"id": 3, "n": 4}, {"id": 5}], "time": {"id": 6}});
        assert_eq!(
            of(&["/id", "/a~1b"], value.clone()),
            json!({"items": [{"id": 3, "n": 4}, {"id": 5}], "time": {"id": 6}})
        );
        assert_eq!(of(&["/items/*/id"], value.clone())["items"], json!([{"n": 4}, {}]));
        assert_eq!(of(&["/**/id"], value.clone()), json!({"a/b": 2, "items": [{"n": 4}, {}], "time": {}}));
        assert_eq!(of(&["/items/0"], value.clone())["items"], json!([null, {"id": 5}]));
        assert_eq!(of(&["/nothing", "/items/id"], value.clone()), value);
    }

    #[test]
    fn what_is_no_place_is_told() {
        let mut ignored = Ignored::default();
        assert!(ignored.add("id").unwrap_err().contains("begins with `/`"));
        assert!(ignored.add("/a/**").unwrap_err().contains("before the key"));
    }
}
