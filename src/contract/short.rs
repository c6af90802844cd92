//! The short form of a contract, for authors: YAML that leaves out what has one answer, and expands to the full
//! document. Only the full document is compiled and judged.
//!
//! ```yaml
//! contract: lending-desk
//! tools:
//!   get_loan:
//!     arguments: {loanId: string}
//!     result: {title: string, notes: any?}
//!     witness: {calls: [{loanId: L-1}, {loanId: L-2}], differ: /title}
//! behaviors:
//!   - says: A loan can be read back.
//!     criterion: The title is that of the loan.
//!     requirements: [tracker:LEND-7]
//!     oracles: [O-001]
//! steps:
//!   find: {tool: get_loan, with: {loanId: L-1}}
//! oracles:
//!   - check: {equality: [$find/title, Emma]}
//! ```

mod expression;
mod tool;

use super::document::FORBIDDEN_INPUTS;
use super::extension;
use super::failure::Failure;
use super::lexical;
use super::node::{self, Fields, Node, Read};
use crate::pointer;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A full document, and where its parts were written.
#[derive(Debug, Clone)]
pub struct Expanded {
    pub value: Value,
    /// Pointers of the full document, each with that of the short form.
    places: BTreeMap<String, String>,
}

impl Expanded {
    /// Where in the short form a place of the full document was written, or the nearest place above it.
    #[must_use]
    pub fn source_of(&self, full: &str) -> String {
        let mut at = full;
        loop {
            if let Some(short) = self.places.get(at) {
                return format!("{short}{}", full.get(at.len()..).unwrap_or_default());
            }
            match at.rsplit_once('/') {
                Some((above, _)) => at = above,
                None => return String::new(),
            }
        }
    }
}

/// Whether a document is written in the short form.
#[must_use]
pub fn is_short(value: &Value) -> bool {
    value.get("contract").is_some() && value.get("schemaVersion").is_none()
}

/// A plain date (`2026-11-30`) is a timestamp to YAML 1.1, which [`crate::yaml`] keeps apart; a contract has texts alone.
pub fn dates_as_texts(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(dates_as_texts),
        Value::Object(members) => {
            let date = members.get("!timestamp").and_then(Value::as_str).filter(|_| members.len() == 1);
            match date.map(str::to_string) {
                Some(date) => *value = Value::String(date),
                None => members.values_mut().for_each(dates_as_texts),
            }
        }
        _ => {}
    }
}

/// Keys of the full document that may stand in the short form as they are, with what they are where left out.
fn carried(key: &str) -> Option<Value> {
    Some(match key {
        "revisionCount" => json!(0),
        "parentDigest" | "sourceSpecDigest" | "referenceSets" | "siblingGroups" | "scopedResources"
        | "probeStepBound" | "fixtureReset" => Value::Null,
        "rubrics" | "waivers" | "safetyLimits" | "requiredEvidence" => json!([]),
        "forbiddenInputs" => json!(FORBIDDEN_INPUTS),
        "testData" => json!({ "setup": null, "cleanup": null, "principals": null, "resources": null }),
        "budgets" => json!({ "maxToolCalls": 100, "maxWallClockMinutes": 10, "maxCostUsd": "0" }),
        _ => return None,
    })
}

const CARRIED: [&str; 15] = [
    "parentDigest",
    "revisionCount",
    "sourceSpecDigest",
    "rubrics",
    "waivers",
    "referenceSets",
    "siblingGroups",
    "scopedResources",
    "forbiddenInputs",
    "testData",
    "budgets",
    "safetyLimits",
    "requiredEvidence",
    "probeStepBound",
    "fixtureReset",
];

/// Expand a contract in the short form.
///
/// # Errors
/// [`super::Code::Parse`] with a place in the short form. What the full document then breaks is found by reading and
/// compiling it.
pub fn expand(short: &Value) -> Result<Expanded, Failure> {
    let mut short = short.clone();
    dates_as_texts(&mut short);
    let root = Node::root(&short);
    let own = ["interface", "tools", "behaviors", "oracles", "steps"];
    let optional: Vec<&str> = own.into_iter().chain(CARRIED).collect();
    let f = root.some_of(&["contract"], &optional)?;
    let mut out = Expander { places: BTreeMap::new(), operations: BTreeMap::new() };
    let id = f.at("contract").identifier()?;
    let interface = if f.has("interface") { f.at("interface").identifier()? } else { id.clone() };
    let mut full = Map::new();
    full.insert("schemaVersion".to_string(), json!(super::document::SCHEMA_VERSION));
    full.insert("contractId".to_string(), json!(id));
    out.from("/contractId", "/contract");
    for key in CARRIED {
        let value = if f.has(key) { f.at(key).value.clone() } else { carried(key).unwrap_or(Value::Null) };
        full.insert(key.to_string(), value);
        out.from(&format!("/{key}"), &format!("/{key}"));
    }
    let operations = if f.has("tools") { out.tools(&f.at("tools"))? } else { Vec::new() };
    let interface_value = json!({ "logicalId": interface, "kind": "mcp", "operations": operations });
    full.insert("permittedInterfaces".to_string(), json!([interface_value]));
    out.from("/permittedInterfaces/0", "/tools");
    full.insert("behaviors".to_string(), out.list(&f, "behaviors", Expander::behavior)?);
    full.insert("oracles".to_string(), out.list(&f, "oracles", Expander::oracle)?);
    let steps = if f.has("steps") { out.steps(&f.at("steps"), &interface)? } else { Vec::new() };
    full.insert("interactionPlan".to_string(), json!(steps));
    out.from("/interactionPlan", "/steps");
    let mut full = Value::Object(full);
    if extension::is_used(&full)
        && let Some(stamp) = full.get_mut("schemaVersion")
    {
        *stamp = json!(extension::STAMP);
    }
    Ok(Expanded { value: full, places: out.places })
}

struct Expander {
    places: BTreeMap<String, String>,
    /// Operation ids by tool.
    operations: BTreeMap<String, String>,
}

impl Expander {
    fn from(&mut self, full: &str, short: &str) {
        self.places.insert(full.to_string(), short.to_string());
    }

    fn list(
        &mut self,
        f: &Fields<'_>,
        key: &str,
        mut each: impl FnMut(&mut Expander, &Node<'_>, usize) -> Read<Value>,
    ) -> Read<Value> {
        self.from(&format!("/{key}"), &format!("/{key}"));
        if !f.has(key) {
            return Ok(json!([]));
        }
        let nodes = f.at(key).list(|n| Ok(n.clone()))?;
        let mut out = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            out.push(each(self, node, i)?);
        }
        Ok(Value::Array(out))
    }

    fn behavior(&mut self, node: &Node<'_>, i: usize) -> Read<Value> {
        let f =
            node.some_of(&["says", "criterion"], &["id", "severity", "requirements", "risks", "oracles"])?;
        let links = |key: &str| -> Read<Vec<Value>> {
            if f.has(key) { f.at(key).list(link) } else { Ok(Vec::new()) }
        };
        for (full, short) in [
            ("observableSuccessCriterion", "criterion"),
            ("description", "says"),
            ("requirementLinks", "requirements"),
            ("riskLinks", "risks"),
        ] {
            if f.has(short) {
                self.from(&format!("/behaviors/{i}/{full}"), &format!("{}/{short}", node.at));
            }
        }
        Ok(json!({
            "id": f.given("id").unwrap_or_else(|| json!(format!("B-{:03}", i + 1))),
            "description": f.at("says").string()?,
            "severity": f.given("severity").unwrap_or_else(|| json!("material")),
            "observableSuccessCriterion": f.at("criterion").or_null(Node::string)?,
            "requirementLinks": links("requirements")?,
            "riskLinks": links("risks")?,
            "oracles": f.given("oracles").unwrap_or_else(|| json!([])),
        }))
    }

    fn oracle(&mut self, node: &Node<'_>, i: usize) -> Read<Value> {
        let f = node.some_of(
            &["check"],
            &["id", "expect", "lookAt", "relation", "scope", "negativeDomain", "commentary"],
        )?;
        let at = format!("/oracles/{i}");
        let check = self.expression(&f.at("check"), &format!("{at}/check"), &|step| step.to_string())?;
        let polarity = match f.has("expect") {
            true => f.at("expect").word(&[("holds", "expects-hold"), ("violation", "expects-violation")])?,
            false => "expects-hold",
        };
        let targets = match f.has("lookAt") {
            true => {
                f.at("lookAt").list(|n| expression::pointer(n, &|step| step.to_string()).map(Value::from))?
            }
            false => read_by(&check).into_iter().map(Value::from).collect(),
        };
        for (full, short) in [
            ("direction/evidenceTargets", "lookAt"),
            ("direction/relation", "relation"),
            ("polarity", "expect"),
        ] {
            self.from(
                &format!("{at}/{full}"),
                &format!("{}/{}", node.at, if f.has(short) { short } else { "check" }),
            );
        }
        let direction = json!({
            "evidenceTargets": targets,
            "relation": f.given("relation").or_else(|| check.get("op").cloned()).unwrap_or(Value::Null),
            "polarity": polarity,
            "scope": f.given("scope"),
            "negativeDomain": f.given("negativeDomain"),
        });
        Ok(json!({
            "id": f.given("id").unwrap_or_else(|| json!(format!("O-{:03}", i + 1))),
            "direction": direction,
            "check": check,
            "polarity": polarity,
            "commentary": f.given("commentary"),
        }))
    }

    fn steps(&mut self, node: &Node<'_>, interface: &str) -> Read<Vec<Value>> {
        let Value::Object(members) = node.value else {
            return Err(node.fault("an object of steps by their ids is expected here"));
        };
        let mut out = Vec::new();
        for (i, (id, value)) in members.iter().enumerate() {
            let step = Node { value, at: pointer::child(&node.at, id) };
            node::identifier_key(&step, id).map_err(Failure::of_key)?;
            let f = step.some_of(&["tool"], &["with", "after", "count"])?;
            let tool = f.at("tool").string()?;
            let Some(operation) = self.operations.get(&tool) else {
                let known = self.operations.keys().map(String::as_str);
                return Err(f.at("tool").fault(crate::suggest::unknown("tool", &tool, known)));
            };
            let at = format!("/interactionPlan/{i}");
            let arguments = match f.has("with") {
                true => Value::Object(bindings(&f.at("with"))?),
                false => Value::Null,
            };
            out.push(json!({
                "stepId": id,
                "interfaceId": interface,
                "operationId": operation,
                "inputBinding": { "arguments": arguments },
                "after": f.given("after"),
                "cardinality": f.given("count").unwrap_or_else(|| json!("exactly-one")),
            }));
            self.from(&at, &step.at);
            for (full, short) in
                [("inputBinding/arguments", "with"), ("operationId", "tool"), ("cardinality", "count")]
            {
                self.from(&format!("{at}/{full}"), &format!("{}/{short}", step.at));
            }
        }
        Ok(out)
    }
}

/// `scheme:id`.
fn link(node: &Node<'_>) -> Read<Value> {
    let written = node.form("a link like `tracker:LEND-7`", |s| {
        s.split_once(':').is_some_and(|(a, b)| !a.is_empty() && !b.is_empty())
    })?;
    let (scheme, id) = written.split_once(':').unwrap_or_default();
    Ok(json!({ "scheme": scheme, "id": id }))
}

/// Arguments by name: `$STEP/KEY` is captured, the tagged forms are themselves, anything else is a literal.
fn bindings(node: &Node<'_>) -> Read<Map<String, Value>> {
    let Value::Object(members) = node.value else {
        return Err(node.fault("an object of arguments is expected here"));
    };
    let mut out = Map::new();
    for (key, value) in members {
        let at = Node { value, at: pointer::child(&node.at, key) };
        let tags = ["literal", "matcher", "captured", "principal"];
        let is_tagged =
            value.as_object().is_some_and(|o| o.len() == 1 && o.keys().all(|k| tags.contains(&k.as_str())));
        let bound = match value {
            Value::String(s) if s.starts_with('$') => {
                json!({ "captured": expression::pointer(&at, &|step| step.to_string())? })
            }
            _ if is_tagged => value.clone(),
            _ => json!({ "literal": value }),
        };
        out.insert(key.clone(), bound);
    }
    Ok(out)
}

/// Every pointer that a full expression reads, elements of quantifiers by their collection; each once, in order.
fn read_by(check: &Value) -> Vec<String> {
    let Ok(parsed) = super::expression::Expression::read(&Node::root(check)) else { return Vec::new() };
    let mut out: Vec<String> = Vec::new();
    for visit in parsed.nodes() {
        for pointer in visit.node.operands().into_iter().filter_map(super::expression::Operand::pointer) {
            let text = pointer.substituted(visit.collection.as_deref());
            if !out.contains(&text) {
                out.push(text);
            }
        }
    }
    out
}

/// An operation's id from a tool's name: `searchNotes` and `search_notes` are `search-notes`.
#[must_use]
pub fn identifier_of(name: &str) -> String {
    let mut out = String::new();
    let mut before = '-';
    for c in name.chars() {
        if c.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            out.push('-');
        }
        before = c;
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    let trimmed = out.trim_end_matches('-');
    if lexical::is_identifier(trimmed) { trimmed.to_string() } else { "tool".to_string() }
}
