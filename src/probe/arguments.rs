//! What a tool is called with: the user's own arguments, else the generator's; the same with one argument changed; and
//! arguments that its inputSchema refuses.

use crate::generate::{self, Mutant, Options};
use crate::manifest::Tool;
use crate::schema::judge::Formats;
use crate::schema::{SchemaView, references};
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
    /// How many of them the user gave.
    pub given: usize,
    /// Whether the first of them come from somebody who knows the tool.
    pub is_own: bool,
    pub broken: Vec<Mutant>,
}

/// Calls that differ from another one in this argument.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Variation {
    pub argument: String,
    pub calls: Vec<Arguments>,
    /// Whether one of the values is the user's, or one of the few that the schema names: more than something made up, which
    /// may well meet nothing.
    pub is_meant: bool,
}

/// What a schema says of one argument's values.
#[derive(Default)]
struct Known {
    /// Those of `enum` and `boolean`.
    values: Vec<Value>,
    default: Option<Value>,
}

impl Known {
    fn of(root: &Value, property: &Value) -> Known {
        let mut known = Known::default();
        known.gather(root, property, 4);
        known
    }

    fn gather(&mut self, root: &Value, schema: &Value, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        if self.default.is_none() {
            self.default = schema.get("default").cloned();
        }
        let is_boolean = match schema.get("type") {
            Some(Value::String(name)) => name == "boolean",
            Some(Value::Array(names)) => names.iter().any(|name| name == "boolean"),
            _ => false,
        };
        match schema.get("enum").and_then(Value::as_array) {
            Some(values) => self.values.extend(values.iter().cloned()),
            None if is_boolean => self.values.extend([Value::Bool(true), Value::Bool(false)]),
            None => {}
        }
        let target = schema.get("$ref").and_then(Value::as_str).and_then(|r| references::local(root, r));
        target.into_iter().for_each(|target| self.gather(root, target, depth));
        for keyword in ["anyOf", "oneOf", "allOf"] {
            let branches = schema.get(keyword).and_then(Value::as_array).into_iter().flatten();
            branches.for_each(|branch| self.gather(root, branch, depth));
        }
    }
}

/// The arguments without those that may be left out; `None` where that changes nothing or is not valid.
fn bare(tool: &Tool, arguments: &Arguments) -> Option<Arguments> {
    let schema = tool.input_schema()?;
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|r| r == name));
    let bare: Arguments =
        arguments.iter().filter(|(name, _)| is_required(name)).map(|(n, v)| (n.clone(), v.clone())).collect();
    let view = SchemaView::new(schema);
    let judge = view.judge().ok()?;
    (bare != *arguments && judge.accepts(&Value::Object(bare.clone()))).then_some(bare)
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
        let is_own = !given.is_empty() || is_example;
        Ok(Material { is_own, given: given.len(), valid, broken: generated.invalid })
    }

    /// What is tried until a call succeeds: the best; the same with nothing that may be left out, since some tools take
    /// one optional argument or another, and not both; then others.
    pub fn tries(&self, tool: &Tool) -> Vec<Arguments> {
        let mut tries: Vec<Arguments> = self.valid.iter().take(self.given).cloned().collect();
        let more = self.valid.get(self.given.min(self.valid.len())..).unwrap_or_default();
        if let Some(first) = more.first() {
            tries.push(first.clone());
            tries.extend(bare(tool, first));
        }
        tries.extend(more.iter().skip(1).cloned());
        let mut distinct: Vec<Arguments> = Vec::new();
        for arguments in tries {
            if !distinct.contains(&arguments) {
                distinct.push(arguments);
            }
        }
        distinct
    }

    /// `base` with one argument changed or left out, for each declared argument: valid by the tool's own schema.
    pub fn variations(&self, tool: &Tool, base: &Arguments) -> Vec<Variation> {
        let Some(schema) = tool.input_schema() else { return Vec::new() };
        let view = SchemaView::new(schema);
        let Ok(judge) = view.judge() else { return Vec::new() };
        let declared = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut varied = Vec::new();
        for (name, property) in declared.take(VARIED) {
            let known = Known::of(schema, property);
            let of = |all: &[Arguments]| -> Vec<Value> {
                all.iter().filter_map(|o| o.get(name)).cloned().collect()
            };
            let (own, made) = self.valid.split_at(self.given.min(self.valid.len()));
            let meant: Vec<Value> = of(own).into_iter().chain(known.values.clone()).collect();
            // What is left out is the default, by the tool's own word.
            let effective = |value: Option<&Value>| value.or(known.default.as_ref()).cloned();
            let mut tried = vec![effective(base.get(name))];
            let mut found: Vec<Arguments> = Vec::new();
            let others = meant.iter().cloned().chain(of(made)).map(Some).chain([None]);
            for value in others {
                if found.len() == VALUES || tried.contains(&effective(value.as_ref())) {
                    continue;
                }
                let mut arguments = base.clone();
                match &value {
                    Some(value) => drop(arguments.insert(name.clone(), value.clone())),
                    None => drop(arguments.shift_remove(name)),
                }
                if judge.accepts(&Value::Object(arguments.clone())) {
                    tried.push(effective(value.as_ref()));
                    found.push(arguments);
                }
            }
            if !found.is_empty() {
                let is_meant = found.iter().any(|tried| tried.get(name).is_some_and(|v| meant.contains(v)));
                varied.push(Variation { argument: name.clone(), calls: found, is_meant });
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
        let material = Material { valid: given.to_vec(), is_own: true, given: 3, broken: Vec::new() };
        // `a` cannot be left out and `q` is no value of it; `c` has no value at hand.
        let expected = [
            ("a", vec![json!({"a": "y", "b": true}), json!({"a": "z", "b": true})]),
            ("b", vec![json!({"a": "x", "b": false}), json!({"a": "x"})]),
        ];
        assert_eq!(varied(&material, &tool, &given[0]), expected.map(|(n, all)| (n.to_string(), all, true)));
    }

    /// Argument, calls, and whether a value is meant.
    fn varied(material: &Material, tool: &Tool, base: &Arguments) -> Vec<(String, Vec<Value>, bool)> {
        let all = material.variations(tool, base).into_iter();
        all.map(|v| (v.argument, v.calls.into_iter().map(Value::Object).collect(), v.is_meant)).collect()
    }

    #[test]
    fn a_default_is_what_is_left_out() {
        let schema = json!({"type": "object", "properties": {
            "sort": {"enum": ["name", "size"], "default": "name"},
            "all": {"anyOf": [{"$ref": "#/$defs/flag"}, {"type": "null"}], "default": null},
            "lines": {"type": "integer", "default": 3}}, "$defs": {"flag": {"type": "boolean"}}});
        let tool = tool(&schema);
        let material = Material {
            valid: [json!({}), json!({"lines": 3}), json!({"lines": 9, "sort": "name"})].map(object).to_vec(),
            ..Material::default()
        };
        let expected = [
            ("sort", vec![json!({"sort": "size"})], true),
            ("all", vec![json!({"all": true}), json!({"all": false})], true),
            ("lines", vec![json!({"lines": 9})], false),
        ];
        assert_eq!(
            varied(&material, &tool, &Arguments::new()),
            expected.map(|(n, all, m)| (n.to_string(), all, m))
        );
        // And the other way round: nothing that says `name` once more.
        let base = object(json!({"sort": "name"}));
        assert_eq!(
            varied(&material, &tool, &base)[0],
            ("sort".to_string(), vec![json!({"sort": "size"})], true)
        );
    }

    #[test]
    fn with_and_without_what_may_be_left_out() {
        let schema = json!({"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "head": {"type": "integer"}, "tail": {"type": "integer"}}});
        let made = [json!({"path": "a", "head": 1, "tail": 2}), json!({"path": "b", "tail": 2})]
            .map(object)
            .to_vec();
        let material = Material { valid: made.clone(), ..Material::default() };
        let tries: Vec<Value> = material.tries(&tool(&schema)).into_iter().map(Value::Object).collect();
        let expected = [
            json!({"path": "a", "head": 1, "tail": 2}),
            json!({"path": "a"}),
            json!({"path": "b", "tail": 2}),
        ];
        assert_eq!(tries, expected);
        let own = Material { given: 1, ..material };
        assert_eq!(own.tries(&tool(&schema))[..2], made[..], "what the user gave is tried as it is");
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
