//! A first contract from a listing, in the short form: shapes from the schemas, witnesses from the generator.
//!
//! What an author adds is what no schema says: behaviours, steps and oracles.

use super::canonical;
use super::interface::TypeName;
use super::lexical;
use super::short::identifier_of;
use super::tools::gather;
use crate::generate::{self, Options};
use crate::manifest::{Manifest, Tool};
use crate::schema::judge::Formats;
use crate::schema::{Judge, SchemaView};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// What was made of a listing.
#[derive(Debug, Clone)]
pub struct Draft {
    /// In the short form.
    pub value: Value,
    /// How many tools are in it.
    pub tools: usize,
    /// Tools that are not, each with why, and what an author should look at.
    pub notes: Vec<String>,
}

/// How to draft.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'w> {
    /// The contract's name.
    pub name: &'w str,
    pub seed: &'w str,
    /// Compare the texts of tools that declare no result: see [`super::extension`].
    pub texts: bool,
}

/// Draft a contract over the tools of `manifests`; the same listing and seed give the same draft.
#[must_use]
pub fn draft(manifests: &[Manifest], wanted: Wanted<'_>) -> Draft {
    let name = wanted.name;
    let (mut tools, mut behaviors, mut notes) = (Map::new(), Vec::new(), Vec::new());
    let mut taken = BTreeSet::new();
    for tool in manifests.iter().flat_map(|m| &m.tools) {
        let Some(tool_name) = tool.name() else { continue };
        if tools.contains_key(tool_name) {
            notes.push(format!("`{tool_name}` is listed twice; the first is in the contract"));
            continue;
        }
        if !lexical::is_tool_name(tool_name) {
            notes.push(format!(
                "`{tool_name}` is left out: contracts name tools by letters, digits, `_` and `-`"
            ));
            continue;
        }
        match operation(tool, tool_name, wanted, &mut notes) {
            Ok(mut operation) => {
                let id = unique(identifier_of(tool_name), &mut taken);
                if id != identifier_of(tool_name) {
                    operation.insert("operation".to_string(), json!(id));
                }
                behaviors.push(json!({
                    "says": format!("`{tool_name}` answers to its arguments."),
                    "criterion": "Calls with different arguments have the results that belong to them.",
                    "requirements": [format!("tool:{tool_name}")],
                }));
                tools.insert(tool_name.to_string(), Value::Object(operation));
            }
            Err(why) => notes.push(format!("`{tool_name}` is left out: {why}")),
        }
    }
    let with = |is_so: &dyn Fn(&Value) -> bool| tools.values().filter(|tool| is_so(tool)).count();
    let without_result = with(&|tool| tool.get("result").is_none());
    if without_result > 0 && !wanted.texts {
        notes.push(format!(
            "{} no result in an outputSchema: it is compared as a whole, and a text is no result (--texts compares texts)",
            counted(without_result, "tool declares", "tools declare")
        ));
    }
    let writes = with(&|tool| tool.get("changes").is_some() && tool.get("witness").is_some());
    if writes > 0 {
        notes.push(format!(
            "{} not say `readOnlyHint`, and a pre-flight calls each twice: take out what must not be called",
            counted(writes, "tool does", "tools do")
        ));
    }
    let count = tools.len();
    let value = json!({ "contract": name, "interface": name, "tools": tools, "behaviors": behaviors });
    Draft { value, tools: count, notes }
}

fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}

fn unique(id: String, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{id}-{n}"));
    let free = std::iter::once(id.clone()).chain(numbered).find(|id| !taken.contains(id)).unwrap_or(id);
    taken.insert(free.clone());
    free
}

fn operation(
    tool: &Tool,
    name: &str,
    wanted: Wanted<'_>,
    notes: &mut Vec<String>,
) -> Result<Map<String, Value>, String> {
    let nothing = json!({ "type": "object" });
    let schema = tool.input_schema().unwrap_or(&nothing);
    let arguments = Keys::of(schema);
    let result = tool.output_schema().map(Keys::of).unwrap_or_default();
    let mut out = Map::new();
    let is_read = tool.value.pointer("/annotations/readOnlyHint") == Some(&Value::Bool(true));
    if !is_read {
        out.insert("changes".to_string(), json!(true));
    }
    if !arguments.0.is_empty() {
        out.insert("arguments".to_string(), arguments.shape());
    }
    if !result.0.is_empty() {
        out.insert("result".to_string(), result.shape());
        if let Some(success) =
            result.0.iter().find(|k| k.kind == Some(TypeName::Boolean) && is_success(&k.name))
        {
            out.insert("success".to_string(), json!(crate::pointer::child("", &success.name)));
        }
        let lists: Map<String, Value> = result.0.iter().filter_map(Key::bounded_list).collect();
        if !lists.is_empty() {
            out.insert("collections".to_string(), Value::Object(lists));
        }
    }
    let volatile: Vec<&Key> = result.0.iter().filter(|key| is_volatile(&key.name)).collect();
    if !volatile.is_empty() {
        let names: Vec<String> = volatile.iter().map(|key| format!("`{}`", key.name)).collect();
        notes.push(format!(
            "`{name}`: {} is taken to differ from call to call; say so, or not, in `volatile`",
            names.join(", ")
        ));
        out.insert(
            "volatile".to_string(),
            volatile.iter().map(|k| json!(crate::pointer::child("", &k.name))).collect(),
        );
    }
    if !arguments.0.is_empty() {
        let calls = calls(schema, &arguments, name, wanted.seed).ok_or(
            "no two calls of it could be made that differ, so nothing would show that its arguments matter",
        )?;
        let place = match result.telling() {
            Some(key) => crate::pointer::child("", &key.name),
            None if wanted.texts && result.0.is_empty() => ".text".to_string(),
            None => String::new(),
        };
        out.insert("witness".to_string(), json!({ "calls": calls, "differ": place }));
    }
    Ok(out)
}

/// A member of an object, as its schema has it.
#[derive(Debug, Clone)]
struct Key {
    name: String,
    is_required: bool,
    kind: Option<TypeName>,
    /// The fewest and the most items of a list.
    items: (u64, Option<u64>),
    is_date: bool,
}

#[derive(Debug, Clone, Default)]
struct Keys(Vec<Key>);

impl Keys {
    /// The members that `schema` names, in its order; by way of references and unions, too.
    fn of(schema: &Value) -> Keys {
        let gathered = gather(schema);
        let mut names: Vec<&String> = Vec::new();
        for part in &gathered {
            let declared = part.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
            for name in declared.filter(|name| !name.is_empty()) {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|keys| keys.iter().any(|k| k == name));
        let keys = names.into_iter().map(|name| {
            let parts: Vec<&Value> =
                gathered.iter().filter_map(|part| part.get("properties")?.get(name)).collect();
            Key::of(name, &parts, schema, is_required(name))
        });
        Keys(keys.collect())
    }

    fn shape(&self) -> Value {
        let written = |key: &Key| {
            let kind = key.kind.map_or("any", TypeName::name);
            json!(format!("{kind}{}", if key.is_required { "" } else { "?" }))
        };
        Value::Object(self.0.iter().map(|key| (key.name.clone(), written(key))).collect())
    }

    /// The member whose values tell two results apart best.
    fn telling(&self) -> Option<&Key> {
        let rank = |key: &&Key| {
            let kind = match key.kind {
                Some(TypeName::Array) => 0,
                Some(TypeName::Object) => 1,
                Some(TypeName::String) => 2,
                None => 3,
                Some(TypeName::Number) => 4,
                Some(TypeName::Boolean | TypeName::Null) => 5,
            };
            (!key.is_required, key.is_date, kind)
        };
        self.0.iter().filter(|key| !is_volatile(&key.name) && !is_success(&key.name)).min_by_key(rank)
    }
}

impl Key {
    fn of(name: &str, parts: &[&Value], root: &Value, is_required: bool) -> Key {
        let parts: Vec<&Value> = parts.iter().flat_map(|part| below(part, root)).collect();
        let number = |keyword: &str| parts.iter().find_map(|part| part.get(keyword)?.as_u64());
        let format = parts.iter().find_map(|part| part.get("format")?.as_str());
        Key {
            name: name.to_string(),
            is_required,
            kind: kind(&parts),
            items: (number("minItems").unwrap_or(0), number("maxItems")),
            is_date: format.is_some_and(|f| matches!(f, "date" | "time" | "date-time")),
        }
    }

    /// A list of a stated length, as the short form writes it.
    fn bounded_list(&self) -> Option<(String, Value)> {
        let (least, most) = (self.items.0, self.items.1?);
        let bound = if least == most { json!({ "exact": most }) } else { json!(most) };
        (self.kind == Some(TypeName::Array)).then(|| (crate::pointer::child("", &self.name), bound))
    }
}

/// A subschema with what it refers to; branches of unions are other possibilities, and left out.
fn below<'s>(part: &'s Value, root: &'s Value) -> Vec<&'s Value> {
    let mut out = vec![part];
    let mut at = part;
    while let Some(next) =
        at.get("$ref").and_then(Value::as_str).and_then(|r| crate::schema::references::local(root, r))
    {
        if out.len() > 50 || out.iter().any(|known| std::ptr::eq(*known, next)) {
            break;
        }
        out.push(next);
        at = next;
    }
    let all = out.iter().filter_map(|part| part.get("allOf")?.as_array()).flatten().collect::<Vec<_>>();
    out.extend(all);
    out
}

/// The one type of a value, where its schema states one.
fn kind(parts: &[&Value]) -> Option<TypeName> {
    let stated = parts.iter().find_map(|part| match part.get("type")? {
        Value::String(name) => Some(name.as_str()),
        Value::Array(names) => match names.as_slice() {
            [only] => only.as_str(),
            _ => Some(""),
        },
        _ => None,
    });
    match stated {
        Some("string") => Some(TypeName::String),
        Some("number" | "integer") => Some(TypeName::Number),
        Some("boolean") => Some(TypeName::Boolean),
        Some("object") => Some(TypeName::Object),
        Some("array") => Some(TypeName::Array),
        Some("null") => Some(TypeName::Null),
        Some(_) => None,
        None => {
            let values = parts.iter().find_map(|part| match (part.get("const"), part.get("enum")) {
                (Some(only), _) => Some(vec![only]),
                (_, Some(Value::Array(values))) => Some(values.iter().collect()),
                _ => None,
            })?;
            let first = TypeName::of(values.first()?);
            values.iter().all(|value| TypeName::of(value) == first).then_some(first)
        }
    }
}

fn is_success(name: &str) -> bool {
    matches!(name, "ok" | "success" | "succeeded" | "accepted")
}

/// Names of what is another at every call.
fn is_volatile(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    matches!(
        plain.as_str(),
        "timestamp"
            | "requestid"
            | "traceid"
            | "correlationid"
            | "elapsed"
            | "elapsedms"
            | "duration"
            | "durationms"
            | "took"
            | "tookms"
            | "generatedat"
    )
}

/// Arguments that say how much is returned, not what.
fn is_paging(name: &str) -> bool {
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    matches!(
        plain.as_str(),
        "limit"
            | "page"
            | "pagesize"
            | "perpage"
            | "offset"
            | "cursor"
            | "maxresults"
            | "count"
            | "format"
            | "verbose"
    )
}

/// Instances that are tried for the two calls.
const INSTANCES: usize = 8;

/// Two calls that the judge accepts and that differ, in one argument if that can be.
fn calls(schema: &Value, arguments: &Keys, name: &str, seed: &str) -> Option<[Value; 2]> {
    let view = SchemaView::new(schema);
    let options = Options { seed, name, count: INSTANCES, invalid: 0, formats: Formats::Annotate };
    let judge = Judge::compile(schema, view.dialect, Formats::Annotate).ok()?;
    let declared = |instance: &Value| {
        let mut members = instance.as_object()?.clone();
        members.retain(|key, _| arguments.0.iter().any(|k| k.name == *key));
        let only = Value::Object(members);
        (in_domain(&only) && judge.accepts(&only)).then_some(only)
    };
    let instances: Vec<Value> =
        generate::generate(&view, &options).valid.iter().filter_map(declared).collect();
    // What identifies comes first, then what is required.
    let mut keys: Vec<&Key> = arguments.0.iter().collect();
    keys.sort_by_key(|key| (is_paging(&key.name), !key.is_required, key.kind == Some(TypeName::Boolean)));
    for first in &instances {
        for key in &keys {
            for value in instances.iter().filter_map(|other| other.get(&key.name)) {
                let mut second = first.clone();
                second.as_object_mut()?.insert(key.name.clone(), value.clone());
                if first.get(&key.name).is_some()
                    && !canonical::equal(first, &second)
                    && judge.accepts(&second)
                {
                    return Some([first.clone(), second]);
                }
            }
        }
    }
    let first = instances.first()?;
    let second = instances.iter().find(|other| !canonical::equal(first, other))?;
    Some([first.clone(), second.clone()])
}

/// Whether a contract can carry the value.
fn in_domain(value: &Value) -> bool {
    match value {
        Value::Number(n) => canonical::is_in_domain(n),
        Value::Array(items) => items.iter().all(in_domain),
        Value::Object(members) => members.values().all(in_domain),
        _ => true,
    }
}
