//! Sample values that a schema carries (`default`, `examples`) held against that schema.

use super::place;
use crate::finding::Severity;
use crate::pointer;
use crate::rules::{SchemaSite, Sink};
use crate::schema::judge::PlaceJudges;
use crate::schema::{Violation, witness};
use serde_json::Value;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Default,
    Example,
}

/// A sample: its node in the walk, its pointer below that node, its value.
struct Sample<'s> {
    node: usize,
    below: String,
    value: &'s Value,
}

/// Report every sample of this kind that its own schema refuses.
pub(super) fn report(site: &SchemaSite<'_>, kind: Kind, out: &mut Sink<'_>) {
    let view = &site.view;
    let samples = samples(site, kind);
    if samples.is_empty() || view.judge().is_err() {
        return;
    }
    let places: Vec<&str> =
        samples.iter().filter_map(|s| view.nodes().get(s.node)).map(|n| n.pointer.as_str()).collect();
    let Ok(judges) = PlaceJudges::compile(view.schema, view.dialect, &places) else { return };
    for (i, sample) in samples.iter().enumerate() {
        if judges.accepts(i, sample.value) {
            continue;
        }
        let Some(node) = view.nodes().get(sample.node) else { continue };
        let what = if kind == Kind::Default { "default" } else { "example" };
        let subject = place::name(site, sample.node);
        let violations = out.unless_full(|| Some(judges.violations(i, sample.value)));
        let why = why(&violations.unwrap_or_default(), sample.value);
        let witness = out.unless_full(|| witness::refused(view, sample.node, sample.value));
        let finding = out.emit_with_witness(
            site.at(&format!("{}{}", node.pointer, sample.below)),
            format!(
                "the {what} {} of {subject} is refused by its own schema: {why}",
                place::value(sample.value)
            ),
            witness,
        );
        finding.evidence = Some(place::value(sample.value));
        if let (Kind::Default, Value::Null, Some(kind)) =
            (kind, sample.value, node.schema.get("type").and_then(Value::as_str))
        {
            finding.help = format!(
                "Leave `default` out (an optional parameter needs none), or allow null: \"type\": [\"{kind}\", \"null\"]"
            );
        }
        if !site.is_input {
            // No agent writes the output; the sample only misleads its reader.
            finding.severity = Severity::Info;
        }
    }
}

fn samples<'s>(site: &SchemaSite<'s>, kind: Kind) -> Vec<Sample<'s>> {
    let mut found = Vec::new();
    for (node, n) in site.view.nodes().iter().enumerate() {
        let Some(members) = n.schema.as_object() else { continue };
        match kind {
            Kind::Default => {
                if let Some(value) = members.get("default") {
                    found.push(Sample { node, below: "/default".to_string(), value });
                }
            }
            Kind::Example => {
                let listed = members.get("examples").and_then(Value::as_array);
                for (i, value) in listed.into_iter().flatten().enumerate() {
                    found.push(Sample { node, below: pointer::index("/examples", i), value });
                }
                if let Some(value) = members.get("example") {
                    found.push(Sample { node, below: "/example".to_string(), value });
                }
            }
        }
    }
    found
}

/// The judge's first reason, shortened; where in the sample, if not at its root.
fn why(violations: &[Violation], sample: &Value) -> String {
    let Some(first) = violations.first() else { return "it does not validate".to_string() };
    let of = if first.instance_pointer.is_empty() {
        String::new()
    } else {
        format!(" at `{}`", first.instance_pointer)
    };
    let shown = pointer::get(sample, &first.instance_pointer).unwrap_or(sample);
    // The message repeats the value, which may be long.
    let message = first.message.replace(&shown.to_string(), &place::value(shown));
    let message: String = message.chars().take(200).collect();
    format!("`{}`{of}: {message}", first.keyword)
}
