//! The parameters of a tool as an agent meets them: name, schema, and whatever explains them.

use crate::rules::ToolView;
use crate::rules::name::words;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// One parameter: a property of the root of the input schema.
pub(super) struct Parameter<'m> {
    pub name: &'m str,
    pub schema: &'m Value,
    pub required: bool,
}

/// Parameters that are looked at; no agent reads so many.
const MOST: usize = 500;

/// The parameters, in the order of the schema; none where the schema has another form.
pub(super) fn of<'m>(tool: &ToolView<'m>) -> Vec<Parameter<'m>> {
    let Some(schema) = tool.tool.input_schema().and_then(Value::as_object) else { return Vec::new() };
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let required: BTreeSet<&str> = required.filter_map(Value::as_str).collect();
    properties
        .iter()
        .take(MOST)
        .filter(|(_, schema)| schema.is_object() || schema.is_boolean())
        .map(|(name, schema)| Parameter { name, schema, required: required.contains(name.as_str()) })
        .collect()
}

impl Parameter<'_> {
    /// Whether the schema itself says in words what the parameter is: in a description, in a title that
    /// is more than the name, or in those of a branch, of the items or of what a `$ref` leads to.
    pub fn is_described(&self, root: &Value) -> bool {
        says_something(self.schema, self.name, root, 3)
    }

    /// Whether the values explain themselves: a choice, a format, an example, a fixed form, or an
    /// object whose members are named.
    pub fn shows_its_values(&self, root: &Value) -> bool {
        shows_values(self.schema, root, 3)
    }

    /// Whether it takes a number.
    pub fn is_number(&self) -> bool {
        matches!(self.schema.get("type").and_then(Value::as_str), Some("number" | "integer"))
    }

    /// Whether the name alone tells nothing: a letter or two, a number, or a word that any value is.
    pub fn is_opaque(&self) -> bool {
        is_opaque(self.name)
    }
}

/// The tool's own description, looked through for the names of parameters.
pub(super) struct Prose<'d> {
    text: &'d str,
    words: Vec<String>,
}

/// Characters of a description that are looked through: docstrings list their arguments further down.
const READ: usize = 50_000;

impl<'d> Prose<'d> {
    pub fn of(description: &'d str) -> Prose<'d> {
        let end = description.char_indices().nth(READ).map_or(description.len(), |(at, _)| at);
        let text = description.get(..end).unwrap_or_default();
        Prose { text, words: words::of(text) }
    }

    /// Whether it speaks of the parameter, as docstrings do ("Args: city: …").
    pub fn mentions(&self, name: &str) -> bool {
        let words = words::of(name);
        if words.len() > 1 {
            return self.words.windows(words.len()).any(|w| w == words) || self.text.contains(name);
        }
        self.text.match_indices(name).any(|(at, found)| {
            let before = self.text.get(..at).and_then(|s| s.chars().next_back());
            let after = self.text.get(at + found.len()..).unwrap_or_default();
            let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            if name.is_empty() || is_part(before) || is_part(after.chars().next()) {
                return false;
            }
            // A letter or two may be any word: they need a sign that they are meant.
            let marked = before.is_some_and(|c| "`'\"*@:-".contains(c))
                || after
                    .trim_start_matches(['`', '\'', '"', '*', ' '])
                    .starts_with([':', '(', '=', '-', '–', '—'])
                || self.text.get(..at).is_some_and(|s| s.trim_end().ends_with("param"));
            marked || name.chars().count() > 3
        })
    }
}

fn says_something(schema: &Value, name: &str, root: &Value, depth: usize) -> bool {
    let Some(schema) = schema.as_object() else { return false };
    let text = |key: &str| schema.get(key).and_then(Value::as_str).map(str::trim).filter(|s| !s.is_empty());
    if text("description").is_some() || text("markdownDescription").is_some() {
        return true;
    }
    // Generators make titles from names ("User Id"): those tell nothing more.
    if text("title").is_some_and(|title| words::of(title) != words::of(name))
        && !schema.contains_key("properties")
    {
        return true;
    }
    depth > 0 && parts(schema, root).any(|part| says_something(part, name, root, depth - 1))
}

/// Subschemas that speak for the whole: branches, items, the target of a local `$ref`.
fn parts<'v>(schema: &'v Map<String, Value>, root: &'v Value) -> impl Iterator<Item = &'v Value> {
    let branches =
        ["anyOf", "oneOf", "allOf"].into_iter().filter_map(|k| schema.get(k)?.as_array()).flatten();
    let items = schema.get("items").into_iter();
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| root.pointer(r.strip_prefix('#')?));
    branches.chain(items).chain(target)
}

fn shows_values(schema: &Value, root: &Value, depth: usize) -> bool {
    let Some(schema) = schema.as_object() else { return false };
    let shown = ["enum", "const", "format", "examples", "example", "pattern"];
    let members = schema.get("properties").and_then(Value::as_object).is_some_and(|p| !p.is_empty());
    members
        || shown.iter().any(|k| schema.contains_key(*k))
        || depth > 0 && parts(schema, root).any(|part| shows_values(part, root, depth - 1))
}

/// Short names that everybody knows.
const KNOWN_SHORT: &[&str] = &[
    "id", "at", "to", "cc", "ip", "os", "bcc", "url", "uri", "sql", "day", "from", "lat", "lon", "lng",
    "pid", "sku", "isbn",
];
/// Words that any value is.
const EMPTY: &[&str] = &[
    "arg",
    "args",
    "argument",
    "arguments",
    "bar",
    "baz",
    "body",
    "config",
    "data",
    "field",
    "foo",
    "info",
    "input",
    "inputs",
    "item",
    "kwargs",
    "obj",
    "object",
    "options",
    "opts",
    "param",
    "parameter",
    "parameters",
    "params",
    "payload",
    "settings",
    "stuff",
    "temp",
    "thing",
    "tmp",
    "val",
    "value",
    "values",
    "var",
];

fn is_opaque(name: &str) -> bool {
    let words: Vec<String> = words::of(name)
        .into_iter()
        .map(|w| w.trim_end_matches(|c: char| c.is_ascii_digit()).to_string())
        .filter(|w| !w.is_empty())
        .collect();
    match words.as_slice() {
        [] => true,
        [word] => {
            let length = word.chars().count();
            // One sign of a script without letters is a whole word.
            let short = length < 3 && word.is_ascii() && !KNOWN_SHORT.contains(&word.as_str());
            short || EMPTY.contains(&word.as_str())
        }
        several => several.iter().all(|w| EMPTY.contains(&w.as_str()) || w.len() == 1 && w.is_ascii()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parameter<'m>(name: &'m str, schema: &'m Value) -> Parameter<'m> {
        Parameter { name, schema, required: false }
    }

    #[test]
    fn names_that_tell_nothing() {
        for opaque in ["a", "n", "x1", "arg0", "param_1", "data", "input", "input_data", "_", "q", "p", "obj"]
        {
            assert!(is_opaque(opaque), "{opaque}");
        }
        for clear in [
            "id",
            "to",
            "query",
            "user_id",
            "customerName",
            "name",
            "ip",
            "limit",
            "名",
            "page",
            "data_source",
            "lat",
        ] {
            assert!(!is_opaque(clear), "{clear}");
        }
    }

    #[test]
    fn descriptions_may_stand_elsewhere() {
        let root = json!({"$defs": {"Place": {"type": "object", "description": "A place on earth."}, "Bare": {"type": "object"}}});
        for described in [
            json!({"description": "x"}),
            json!({"title": "Place of birth"}),
            json!({"anyOf": [{"type": "string", "description": "x"}, {"type": "null"}]}),
            json!({"type": "array", "items": {"description": "x"}}),
            json!({"$ref": "#/$defs/Place"}),
        ] {
            assert!(parameter("place", &described).is_described(&root), "{described}");
        }
        for bare in [
            json!({}),
            json!(true),
            json!({"description": " "}),
            json!({"title": "Place"}),
            json!({"$ref": "#/$defs/Bare"}),
            json!({"$ref": "#/nowhere"}),
            json!({"description": 4}),
        ] {
            assert!(!parameter("place", &bare).is_described(&root), "{bare}");
        }
    }

    #[test]
    fn docstrings_count() {
        let mentioned = |name: &str, text: &str| Prose::of(text).mentions(name);
        assert!(mentioned("city", "Weather.\n\nArgs:\n    city: Name of a town."));
        assert!(mentioned("user_id", "Look up a user by user ID."));
        assert!(mentioned("n", "Repeat. Args: n (int): how often"));
        assert!(mentioned("q", "Search with `q`."));
        assert!(mentioned("q", ":param q: the query"));
        assert!(!mentioned("a", "Move a thing."));
        assert!(!mentioned("city", "Weather in capacity."));
        assert!(!mentioned("user_id", "Look up a user."));
    }
}
