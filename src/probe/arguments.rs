//! What a tool is called with: the user's own arguments, else the generator's; the same with one argument changed; and
//! arguments that its inputSchema refuses.

use crate::generate::{self, Mutant, Options};
use crate::manifest::Tool;
use crate::schema::SchemaView;
use crate::schema::judge::Formats;
use serde_json::{Map, Value};

type Arguments = Map<String, Value>;

/// Valid instances that are asked of the generator: the material of variations.
const VALID: usize = 8;
/// Mutants of a tool.
const BROKEN: usize = 6;
/// Arguments of a tool that are varied, and values that each is given.
const VARIED: usize = 12;
const VALUES: usize = 2;

/// The material of one tool's calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Material {
    /// Valid, the best first.
    pub valid: Vec<Arguments>,
    /// Whether the first of them come from somebody who knows the tool.
    pub is_own: bool,
    pub broken: Vec<Mutant>,
}

impl Material {
    /// # Errors
    /// Why the tool cannot be called.
    pub fn of(tool: &Tool, seed: &str, given: &[Arguments]) -> Result<Material, String> {
        let schema = match tool.input_schema() {
            Some(schema @ (Value::Object(_) | Value::Bool(_))) => schema,
            Some(_) => return Err("its inputSchema is no schema".to_string()),
            None => return Err("it has no inputSchema".to_string()),
        };
        let view = SchemaView::new(schema);
        let name = tool.name().unwrap_or_default();
        let options = Options { seed, name, count: VALID, invalid: BROKEN, formats: Formats::Assert };
        let generated = generate::generate(&view, &options);
        let objects = generated.valid.into_iter().filter_map(|value| match value {
            Value::Object(arguments) => Some(arguments),
            _ => None,
        });
        let examples = schema.get("examples").and_then(Value::as_array);
        let mut valid = given.to_vec();
        valid.extend(objects);
        let Some(first) = valid.first() else {
            let reason =
                generated.reason.unwrap_or_else(|| "its inputSchema accepts no arguments".to_string());
            return Err(format!("no valid arguments are known for it: {reason}"));
        };
        let is_example = examples.is_some_and(|all| all.iter().any(|e| e.as_object() == Some(first)));
        Ok(Material { is_own: !given.is_empty() || is_example, valid, broken: generated.invalid })
    }

    /// `base` with one argument changed or left out, for each declared argument: valid by the tool's own schema.
    pub fn variations(&self, tool: &Tool, base: &Arguments) -> Vec<(String, Vec<Arguments>)> {
        let Some(schema) = tool.input_schema() else { return Vec::new() };
        let view = SchemaView::new(schema);
        let Ok(judge) = view.judge() else { return Vec::new() };
        let declared = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut varied = Vec::new();
        for (name, _) in declared.take(VARIED) {
            let mut found: Vec<Arguments> = Vec::new();
            let others = self.valid.iter().map(|other| other.get(name));
            // Left out comes last: a default may well be what was sent.
            for value in others.filter(Option::is_some).chain([None]) {
                if found.len() == VALUES || value == base.get(name) {
                    continue;
                }
                let mut arguments = base.clone();
                match value {
                    Some(value) => drop(arguments.insert(name.clone(), value.clone())),
                    None => drop(arguments.shift_remove(name)),
                }
                if !found.contains(&arguments) && judge.accepts(&Value::Object(arguments.clone())) {
                    found.push(arguments);
                }
            }
            if !found.is_empty() {
                varied.push((name.clone(), found));
            }
        }
        varied
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tool(schema: &Value) -> Tool {
        Tool { value: json!({"name": "t", "inputSchema": schema}), ..Tool::default() }
    }

    fn object(value: Value) -> Arguments {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn one_argument_at_a_time_and_valid() {
        let schema = json!({"type": "object", "required": ["a"], "additionalProperties": false, "properties": {
            "a": {"enum": ["x", "y", "z"]}, "b": {"type": "boolean"}, "c": {"const": 1}}});
        let tool = tool(&schema);
        let given = [json!({"a": "x", "b": true}), json!({"a": "y"}), json!({"a": "q"})].map(object);
        let material = Material { valid: given.to_vec(), is_own: true, broken: Vec::new() };
        let varied = material.variations(&tool, &given[0]);
        // `a` cannot be left out and `q` is no value of it; `b` has no other value at hand; `c` none at all.
        let expected = [("a", vec![json!({"a": "y", "b": true})]), ("b", vec![json!({"a": "x"})])];
        let expected: Vec<(String, Vec<Arguments>)> = expected
            .into_iter()
            .map(|(n, all)| (n.to_string(), all.into_iter().map(object).collect()))
            .collect();
        assert_eq!(varied, expected);
    }

    #[test]
    fn what_cannot_be_called() {
        let of = |value| Material::of(&Tool { value, ..Tool::default() }, "s", &[]).unwrap_err();
        assert_eq!(of(json!({"name": "t"})), "it has no inputSchema");
        assert_eq!(of(json!({"name": "t", "inputSchema": 3})), "its inputSchema is no schema");
        let none =
            json!({"name": "t", "inputSchema": {"type": "object", "minProperties": 2, "maxProperties": 1}});
        assert!(of(none).starts_with("no valid arguments are known for it"), "unsatisfiable");
    }

    #[test]
    fn the_same_seed_gives_the_same_material() {
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer", "maximum": 5}}});
        let of = |seed| Material::of(&tool(&schema), seed, &[]).unwrap();
        assert_eq!((of("s").valid, of("s").broken), (of("s").valid, of("s").broken));
        assert!(of("s").broken.iter().any(|m| m.pointer == "/properties/n/maximum"));
        assert!(!of("s").is_own);
        let given = [object(json!({"n": 1}))];
        assert_eq!(Material::of(&tool(&schema), "s", &given).unwrap().valid[0], given[0]);
    }
}
