//! The types of JSON values in words.

use serde_json::Value;

/// The JSON type of a value: `string`, `array`.
#[must_use]
pub fn name(value: &Value) -> &'static str {
    let said = with_article(value);
    said.split_once(' ').map_or(said, |(_, name)| name)
}

/// The JSON type of a value with its article: `a string`, `an array`.
#[must_use]
pub fn with_article(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn with_and_without_an_article() {
        assert_eq!((name(&json!(null)), with_article(&json!(null))), ("null", "null"));
        assert_eq!((name(&json!([])), with_article(&json!([]))), ("array", "an array"));
        assert_eq!((name(&json!(1.5)), with_article(&json!(1.5))), ("number", "a number"));
    }
}
