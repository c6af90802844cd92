//! MCP-SCHEMA-REQUIRED-UNDECLARED.

use super::place;
use crate::finding::{Confidence, Impact, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::judge::Formats;
use crate::schema::{Dialect, Judge, SchemaView, witness};
use serde_json::{Map, Value, json};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::rc::Rc;

pub struct RequiredUndeclared;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-REQUIRED-UNDECLARED",
    severity: Severity::Warning,
    confidence: Confidence::High,
    impact: Impact::Tool,
    summary: "`required` names a property that is declared nowhere",
    rationale: "The agent must send a value of which it is told nothing but the name: no type, no description. It is \
        usually a typo, or a property that was renamed or removed. Gemini refuses such a tool. Where the object is \
        closed (`additionalProperties: false`) the name cannot even be given: no object is valid, and that is an error.\n\n\
        Declared counts wherever it is said: in `allOf`, `anyOf`, `oneOf`, `then`, behind `$ref`, by \
        `patternProperties`, by the schema around a branch, by `additionalProperties` with a schema.",
    help: "Declare the property in `properties`, correct its name in `required`, or take it out of `required`",
    bad: r#"{"tools": [{"name": "book_room", "description": "Book a meeting room.", "inputSchema": {"type": "object",
        "properties": {"room": {"type": "string"}}, "required": ["room", "start_time"]}}]}"#,
    good: r#"{"tools": [{"name": "book_room", "description": "Book a meeting room.", "inputSchema": {"type": "object",
        "properties": {"room": {"type": "string"}, "start_time": {"type": "string", "format": "date-time"}},
        "required": ["room", "start_time"]}}]}"#,
    sources: &["Vertex AI FunctionDeclaration: required properties must be declared"],
};

impl Rule for RequiredUndeclared {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        for (n, undeclared) in undeclared(&site.view).into_iter().enumerate() {
            let Some(node) = site.view.nodes().get(undeclared.node) else { continue };
            let name = undeclared.name;
            let of = place::name(site, undeclared.node);
            let at = site.at(&pointer::index(&pointer::child(&node.pointer, "required"), undeclared.index));
            let message = if undeclared.closed {
                format!(
                    "`required` of {of} names {}, which is not in `properties` and which `additionalProperties: false` \
                     forbids: no object is valid",
                    say::quoted(name)
                )
            } else {
                format!("`required` of {of} names {}, which is declared nowhere", say::quoted(name))
            };
            let witness = if n < MAX_WITNESSES { witness_of(site, &undeclared) } else { None };
            let finding = out.emit_with_witness(at, message, witness);
            finding.evidence = Some(name.to_string());
            if undeclared.closed {
                finding.severity = Severity::Error;
            }
            if let Some(near) = undeclared.near {
                finding.help = format!("Did you mean `{near}`? Else declare `{name}` in `properties`");
            }
        }
    }
}

/// Declared names among which a guess is made, and the most guesses in one schema.
const MAX_NAMES: usize = 500;
const MAX_GUESSES: usize = 50;
/// The most findings in one schema that come with a witness.
const MAX_WITNESSES: usize = 50;

/// A required name without a declaration.
struct Undeclared<'s> {
    /// Walk index of the subschema whose `required` it is.
    node: usize,
    /// Position in `required`.
    index: usize,
    name: &'s str,
    /// The schema that requires it forbids it too.
    closed: bool,
    /// A declared name that was perhaps meant.
    near: Option<String>,
}

fn undeclared<'s>(view: &SchemaView<'s>) -> Vec<Undeclared<'s>> {
    let mut found = Vec::new();
    let mut groups: Option<Vec<Rc<Group>>> = None;
    let mut looks = MAX_LOOKS;
    for (i, node) in view.nodes().iter().enumerate() {
        let Some(required) = node.schema.get("required").and_then(Value::as_array) else { continue };
        let behind_ref = node.dialect.ref_hides_siblings() && node.schema.get("$ref").is_some();
        if required.is_empty() || hidden(view, i) || behind_ref {
            continue;
        }
        let Some(group) = groups.get_or_insert_with(|| all_groups(view)).get(i) else { continue };
        if !group.complete {
            continue;
        }
        for (index, name) in group.undeclared(required, &mut looks) {
            let guess = group.names.len() <= MAX_NAMES && found.len() < MAX_GUESSES;
            let names = group.names.iter().map(String::as_str);
            let near = guess.then(|| crate::suggest::closest(name, names)).flatten().map(str::to_string);
            found.push(Undeclared { node: i, index, name, closed: is_closed(node.schema), near });
        }
    }
    found
}

/// Whether `required` there asks for nothing: below `not` or `if`, or unused.
fn hidden(view: &SchemaView<'_>, node: usize) -> bool {
    !view.reach().is_used(node) || view.reach().is_inverse(node)
}

/// What all subschemas that constrain one object declare.
struct Group {
    names: BTreeSet<String>,
    patterns: Vec<String>,
    unmatched: OnceCell<Option<Judge>>,
    /// `additionalProperties` or the like describes any name.
    any: bool,
    /// All of the group is known: every reference of it resolves.
    complete: bool,
}

impl Default for Group {
    fn default() -> Group {
        Group {
            names: BTreeSet::new(),
            patterns: Vec::new(),
            unmatched: OnceCell::new(),
            any: false,
            complete: true,
        }
    }
}

/// Names held against patterns in one schema at most; beyond, they have the benefit of the doubt.
const MAX_LOOKS: usize = 1_000_000;

impl Group {
    /// What `required` names and nobody declares, with its positions. A name that `patternProperties` matches
    /// is declared; whether one does is the judge's to say, who knows when to give up. `looks` are left.
    fn undeclared<'n>(&self, required: &'n [Value], looks: &mut usize) -> Vec<(usize, &'n str)> {
        let names = required.iter().enumerate().filter_map(|(i, n)| Some((i, n.as_str()?)));
        let unknown: Vec<(usize, &str)> =
            names.filter(|(_, n)| !self.any && !self.names.contains(*n)).collect();
        if self.patterns.is_empty() || unknown.is_empty() {
            return unknown;
        }
        let Some(left) = looks.checked_sub(unknown.len().saturating_mul(self.patterns.len())) else {
            return Vec::new();
        };
        *looks = left;
        let Some(judge) = self.unmatched.get_or_init(|| self.unmatched()) else { return Vec::new() };
        unknown.into_iter().filter(|(_, name)| judge.accepts(&json!({*name: null}))).collect()
    }

    /// Accepts an object none of whose names a pattern matches; `None` where the patterns cannot be compiled.
    fn unmatched(&self) -> Option<Judge> {
        let refused: Map<String, Value> = self.patterns.iter().map(|p| (p.clone(), json!(false))).collect();
        let schema = json!({"patternProperties": refused});
        Judge::compile(&schema, Dialect::Draft202012, Formats::Annotate).ok()
    }
}

/// The group of every subschema. Those that constrain one object are connected: by branches and by the
/// references that lead from one to the other.
fn all_groups(view: &SchemaView<'_>) -> Vec<Rc<Group>> {
    let (nodes, links) = (view.nodes(), view.links());
    let mut groups: Vec<Option<Rc<Group>>> = vec![None; nodes.len()];
    for start in 0..nodes.len() {
        if groups.get(start).is_some_and(Option::is_some) {
            continue;
        }
        let mut members = BTreeSet::from([start]);
        let mut queue = vec![start];
        let mut group = Group::default();
        while let Some(i) = queue.pop() {
            let Some(here) = nodes.get(i) else { continue };
            collect(here.schema, &mut group);
            // A reference that is not among the links leads out of what is known here.
            let refers = here.schema.get("$ref").is_some_and(Value::is_string);
            group.complete &= !refers || !links.targets(i).is_empty();
            let in_place = |c: &&usize| nodes.get(**c).is_some_and(|n| n.via.is_in_place());
            let around = here.parent.filter(|_| here.via.is_in_place());
            let next =
                links.children(i).iter().filter(in_place).chain(links.targets(i)).chain(links.referrers(i));
            queue.extend(next.copied().chain(around).filter(|n| members.insert(*n)));
        }
        let group = Rc::new(group);
        for member in members {
            if let Some(entry) = groups.get_mut(member) {
                *entry = Some(Rc::clone(&group));
            }
        }
    }
    groups.into_iter().flatten().collect()
}

fn collect(schema: &Value, group: &mut Group) {
    let object = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
    group.names.extend(object("properties").into_iter().flatten().map(|(k, _)| k.clone()));
    group.patterns.extend(object("patternProperties").into_iter().flatten().map(|(k, _)| k.clone()));
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        match schema.get(keyword) {
            // A map: every value is described, whatever its name.
            Some(Value::Object(s)) if !s.is_empty() => group.any = true,
            _ => {}
        }
    }
    if schema.get("propertyNames").is_some_and(Value::is_object) {
        group.any = true;
    }
}

/// Whether the schema itself refuses what it does not declare. (Where one around it does, the algebra
/// finds the contradiction there.)
fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

/// Subschemas that admit nothing because of what this rule reports, by walk index.
pub(super) fn forbidden(site: &SchemaSite<'_>) -> BTreeSet<usize> {
    if site.view.empty_subschemas().is_empty() {
        return BTreeSet::new();
    }
    undeclared(&site.view).into_iter().filter(|u| u.closed).map(|u| u.node).collect()
}

/// Closed: arguments with the name, refused. Open: arguments with everything that is declared, refused
/// for want of the name.
fn witness_of(site: &SchemaSite<'_>, undeclared: &Undeclared<'_>) -> Option<Value> {
    let view = &site.view;
    let schema = view.nodes().get(undeclared.node)?.schema;
    let mut value = witness::plausible(view, schema, 0);
    let object = value.as_object_mut()?;
    if undeclared.closed {
        object.insert(undeclared.name.to_string(), json!("example"));
        return witness::refused(view, undeclared.node, &value);
    }
    object.remove(undeclared.name);
    witness::refused_as_is(view, undeclared.node, &value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;

    fn found(schema: Value) -> Vec<(String, Severity, Option<Value>)> {
        check(&RequiredUndeclared, &json!([{"name": "a", "inputSchema": schema}]))
            .into_iter()
            .map(|f| (f.pointer.replace("/tools/0/inputSchema", ""), f.severity, f.witness))
            .collect()
    }

    #[test]
    fn open_is_a_warning_and_closed_an_error() {
        let properties = json!({"room": {"type": "string"}});
        assert_eq!(
            found(json!({"type": "object", "properties": properties, "required": ["room", "start"]})),
            [("/required/1".into(), Severity::Warning, Some(json!({"room": "example"})))]
        );
        assert_eq!(
            found(
                json!({"type": "object", "properties": properties, "required": ["start"], "additionalProperties": false})
            ),
            [("/required/0".into(), Severity::Error, Some(json!({"start": "example"})))]
        );
        let nested = json!({"type": "object", "properties": {"f": {"type": "object", "properties": {}, "required": ["x"]}}});
        assert_eq!(found(nested)[0].0, "/properties/f/required/0");
    }

    #[test]
    fn declared_elsewhere_is_declared() {
        for schema in [
            json!({"type": "object", "allOf": [{"properties": {"a": {}}}, {"required": ["a"]}]}),
            json!({"type": "object", "properties": {"a": {}, "b": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
            json!({"type": "object", "$ref": "#/$defs/base", "required": ["a"], "$defs": {"base": {"properties": {"a": {}}}}}),
            json!({"type": "object", "properties": {"x": {"properties": {"a": {}}, "allOf": [{"$ref": "#/$defs/mixin"}]}},
                "$defs": {"mixin": {"required": ["a"]}}}),
            json!({"type": "object", "patternProperties": {"^x-": {}}, "required": ["x-id"]}),
            json!({"type": "object", "properties": {"env": {"type": "object", "additionalProperties": {"type": "string"}, "required": ["PATH"]}}}),
            json!({"type": "object", "properties": {"k": {"const": 1}}, "if": {"properties": {"k": {"const": 1}}, "required": ["k"]},
                "then": {"properties": {"v": {}}, "required": ["v"]}}),
            json!({"type": "object", "properties": {"a": {}}, "not": {"required": ["b"]}}),
            json!({"type": "object", "properties": {"required": {"type": "array"}, "a": {"enum": [{"required": ["z"]}]}}}),
            json!({"type": "object", "properties": {"a": {}}, "dependentSchemas": {"a": {"required": ["a"]}}}),
            json!({"type": "object", "allOf": [{"$ref": "https://example.org/base.json"}], "required": ["a"]}),
        ] {
            assert!(found(schema.clone()).is_empty(), "{schema}");
        }
    }
}
