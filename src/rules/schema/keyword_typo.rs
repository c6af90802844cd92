//! MCP-SCHEMA-KEYWORD-TYPO.

use super::place;
use crate::finding::{Confidence, Impact, Part, Severity};
use crate::pointer;
use crate::rules::{Rule, RuleInfo, SchemaSite, Sink, ToolView, say};
use crate::schema::{probe, vocabulary, witness};
use serde_json::{Map, Value, json};

pub struct KeywordTypo;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-SCHEMA-KEYWORD-TYPO",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Constraint,
    summary: "a keyword that is misspelt, and so ignored",
    rationale: "JSON Schema ignores keywords that it does not know. `maxLenght`, `minlength`, `additional_properties`, \
        `requierd`, `regex` or `max` therefore limit nothing, and no validator says so.\n\n\
        Reported only where the name is close to a keyword (one or two letters, another case, snake_case, or a \
        well-known alias), where that keyword would take such a value, and where it is not there already. Names that \
        begin with `x-` are never reported; nor is anything in `default`, `enum`, `const` or `examples`, or a \
        parameter that happens to be called so. The witness, where one is shown, is a call that is accepted and would \
        not be with the keyword spelt as it was meant.",
    help: "Write the keyword as JSON Schema spells it",
    bad: r#"{"tools": [{"name": "tag", "description": "Tag an item.", "inputSchema": {"type": "object",
        "properties": {"label": {"type": "string", "maxLenght": 20}}}}]}"#,
    good: r#"{"tools": [{"name": "tag", "description": "Tag an item.", "inputSchema": {"type": "object",
        "properties": {"label": {"type": "string", "maxLength": 20}},
        "additionalProperties": false}}]}"#,
    sources: &["JSON Schema 2020-12 core, 4.3.1: unknown keywords are annotations"],
};

impl Rule for KeywordTypo {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn schema(&self, site: &SchemaSite<'_>, _: &ToolView<'_>, out: &mut Sink<'_>) {
        let mut slips = Vec::new();
        for (i, node) in site.view.nodes().iter().enumerate() {
            let Some(members) = node.schema.as_object() else { continue };
            for (name, meant) in members.iter().filter_map(|(n, v)| Some((n, meant(n, v, members)?))) {
                slips.push(Slip { node: i, written: name, meant });
            }
        }
        for (slip, witness) in slips.iter().zip(witnesses(site, &slips)) {
            let at = site.view.nodes().get(slip.node).map_or("", |n| n.pointer.as_str());
            let (name, meant) = (slip.written, slip.meant);
            let finding = out.emit_with_witness(
                site.at(&pointer::child(at, name)),
                format!(
                    "{} of {} is no keyword, so it is ignored",
                    say::quoted(name),
                    place::name(site, slip.node)
                ),
                witness,
            );
            finding.part = Part::Key;
            finding.help = format!("Did you mean `{meant}`?");
        }
    }
}

/// Names under which other schema languages know a keyword.
const ALIASES: [(&str, &str); 9] = [
    ("min", "minimum"),
    ("max", "maximum"),
    ("regex", "pattern"),
    ("desc", "description"),
    ("additionalproperty", "additionalProperties"),
    ("requiredproperties", "required"),
    ("enums", "enum"),
    ("allowedvalues", "enum"),
    ("defs", "$defs"),
];

/// The keyword that was meant by `name`, if it plainly was one.
fn meant(name: &str, value: &Value, members: &Map<String, Value>) -> Option<&'static str> {
    if vocabulary::is_keyword(name) || is_known_extension(name) || name.len() > 40 {
        return None;
    }
    let folded: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect::<String>().to_lowercase();
    let alias = ALIASES.iter().find(|(a, _)| *a == folded).map(|(_, k)| *k);
    let near = || {
        vocabulary::ASSERTIONS
            .iter()
            .chain(&vocabulary::ANNOTATIONS)
            .chain(&vocabulary::STRUCTURE)
            .filter(|k| k.len() >= 4 && **k != "example")
            .map(|k| (*k, distance(&folded, &k.to_lowercase())))
            .filter(|(k, d)| *d <= if k.len() >= 8 { 2 } else { 1 })
            .min_by_key(|(_, d)| *d)
            .map(|(k, _)| k)
    };
    let keyword = alias.or_else(near)?;
    (!members.contains_key(keyword) && takes(keyword, value)).then_some(keyword)
}

/// A misspelt keyword.
struct Slip<'s> {
    /// Index in the walk.
    node: usize,
    written: &'s str,
    meant: &'static str,
}

/// For each slip: arguments that are accepted, and would not be if the keyword were spelt as it was meant.
/// All questions are put at once, so their number is bounded.
fn witnesses(site: &SchemaSite<'_>, slips: &[Slip<'_>]) -> Vec<Option<Value>> {
    const MOST: usize = 25;
    let mut found = vec![None; slips.len()];
    let Some(mut probes) = probe::Probes::new(&site.view).filter(|_| !slips.is_empty()) else { return found };
    let mut asked = Vec::new();
    for (i, slip) in slips.iter().enumerate().filter(|(_, s)| vocabulary::asserts(s.meant)).take(MOST) {
        let schema = site.view.nodes().get(slip.node).map_or(&Value::Null, |n| n.schema);
        let Some(repaired) = repaired(schema, slip.written, slip.meant) else { continue };
        asked.push((i, slip.node, schema, probes.add(repaired), probes.add(schema.clone())));
    }
    let Ok(judges) = probes.judges() else { return found };
    for (i, node, schema, repaired, written) in asked {
        let mut values = witness::candidates(&site.view, schema, &Value::Null);
        values.extend(out_of_bounds());
        let shows = |v: &&Value| !judges.accepts(repaired, v) && judges.accepts(written, v);
        let witness = values.iter().filter(shows).find_map(|v| witness::accepted(&site.view, node, v));
        if let Some(place) = found.get_mut(i) {
            *place = witness;
        }
    }
    found
}

fn repaired(schema: &Value, name: &str, meant: &str) -> Option<Value> {
    let mut repaired = probe::without(schema, &[name]).as_object()?.clone();
    repaired.insert(meant.to_string(), schema.get(name)?.clone());
    Some(Value::Object(repaired))
}

/// Values beyond what a keyword usually allows.
fn out_of_bounds() -> [Value; 5] {
    [
        json!("x".repeat(200)),
        json!(-1),
        json!(1_000_000),
        json!([1, 1, 1, 1, 1, 1]),
        json!({"verity_other": null}),
    ]
}

fn distance(a: &str, b: &str) -> usize {
    if a.len().abs_diff(b.len()) > 2 { usize::MAX } else { strsim::damerau_levenshtein(a, b) }
}

/// Names of other vocabularies that look like a keyword's misspelling and are none.
fn is_known_extension(name: &str) -> bool {
    name.starts_with("x-")
        || name.starts_with('@')
        || name.starts_with("ui:")
        || matches!(
            name,
            "example"
                | "nullable"
                | "discriminator"
                | "xml"
                | "externalDocs"
                | "propertyOrdering"
                | "optional"
                | "enumNames"
                | "enumDescriptions"
                | "markdownDescription"
                | "errorMessage"
                | "propertyOrder"
                | "order"
                | "name"
                | "names"
                | "label"
                | "hint"
                | "types"
                | "option"
                | "options"
                | "constant"
                | "note"
        )
}

/// Whether `keyword` could have such a value at all.
fn takes(keyword: &str, value: &Value) -> bool {
    match keyword {
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties"
        | "minContains" | "maxContains" => {
            value.is_u64() || value.as_str().is_some_and(|t| t.parse::<u64>().is_ok())
        }
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => value.is_number(),
        "pattern" | "title" | "description" | "format" | "$ref" | "$id" | "$anchor" | "$comment"
        | "$schema" | "contentEncoding" | "contentMediaType" => value.is_string(),
        "uniqueItems" | "deprecated" | "readOnly" | "writeOnly" => value.is_boolean(),
        "required" | "enum" | "examples" | "allOf" | "anyOf" | "oneOf" | "prefixItems" => value.is_array(),
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas"
        | "dependentRequired" | "dependencies" => value.is_object(),
        "type" => value.is_string() || value.is_array(),
        "default" | "const" => true,
        "not" | "if" | "then" | "else" => false,
        _ => value.is_object() || value.is_boolean(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::check;

    fn found(property: Value) -> Vec<(String, String)> {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": property}}}]);
        check(&KeywordTypo, &tool)
            .into_iter()
            .map(|f| {
                (
                    f.pointer.replace("/tools/0/inputSchema/properties/p/", ""),
                    f.help.replace("Did you mean ", ""),
                )
            })
            .collect()
    }

    #[test]
    fn fires() {
        for (wrong, value, right) in [
            ("maxLenght", json!(5), "`maxLength`?"),
            ("minlength", json!(5), "`minLength`?"),
            ("additional_properties", json!(false), "`additionalProperties`?"),
            ("requierd", json!(["a"]), "`required`?"),
            ("propertise", json!({"a": {}}), "`properties`?"),
            ("max", json!(10), "`maximum`?"),
            ("regex", json!("^a"), "`pattern`?"),
            ("descripton", json!("d"), "`description`?"),
            ("any_of", json!([{}]), "`anyOf`?"),
            ("ref", json!("#/$defs/a"), "`$ref`?"),
            ("tpye", json!("string"), "`type`?"),
            ("item", json!({"type": "string"}), "`items`?"),
            ("Default", json!(3), "`default`?"),
        ] {
            assert_eq!(found(json!({wrong: value})), [(wrong.to_string(), right.to_string())], "{wrong}");
        }
    }

    #[test]
    fn the_witness_gets_through_because_of_the_slip() {
        let tool = json!([{"name": "a", "inputSchema": {"type": "object", "properties": {"p": {"type": "string", "maxLenght": 20}}}}]);
        let found = check(&KeywordTypo, &tool);
        assert_eq!(found[0].witness, Some(json!({"p": "x".repeat(200)})));
    }

    #[test]
    fn is_quiet() {
        for property in [
            json!({"x-maxLenght": 5}),
            json!({"example": 5}),
            json!({"examples": [1]}),
            json!({"nullable": true}),
            json!({"type": "object", "properties": {"maxLenght": {"type": "integer"}, "max": {"type": "integer"}}}),
            json!({"default": {"minlength": 5}}),
            json!({"max": "many"}),
            json!({"maximum": 5, "max": 5}),
            json!({"enum": [{"regex": "a"}]}),
            json!({"order": 1}),
            json!({"label": "x"}),
            json!({"hint": "x"}),
            json!({"types": ["a"]}),
            json!({"name": "n"}),
            json!({"value": 3}),
            json!({"kind": "x"}),
            json!({"id": "x"}),
        ] {
            assert!(found(property.clone()).is_empty(), "{property}");
        }
    }
}
