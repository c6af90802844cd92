//! The two proofs of a task: a reference solution that both judges accept, and controls that both
//! refuse. A tool without both has no task, and a reason.

use super::task::{Control, ReasonCode};
use crate::generate::{self, Generated};
use crate::manifest::Tool;
use crate::schema::judge::{Algebra, CompileError, Formats, Proof};
use crate::schema::{Judge, Satisfiability, SchemaView, grader};
use crate::source::DefectKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Most controls of one task.
const MAX_CONTROLS: usize = 8;
/// Mutants asked for, so that there is a choice of keywords.
const MUTANTS: usize = 24;
/// Looks at one value beyond which the judge's verdicts are dear.
const DEAR: u64 = 5_000;
/// Solutions asked for at first, and once more where the packs' grader refuses all of those.
const SOLUTIONS: [usize; 2] = [1, 24];

/// Why there is no task.
pub type Reason = (ReasonCode, String);

/// What a task needs to be fair.
#[derive(Debug, Clone)]
pub struct Proofs {
    pub solution: Value,
    pub controls: Vec<Control>,
    pub constraints: usize,
}

/// The schema and the name of a tool that could be graded, as far as its form goes.
///
/// # Errors
/// The reason why not.
pub fn gradeable_parts<'t>(tool: &'t Tool, partial: Option<&str>) -> Result<(&'t Value, &'t str), Reason> {
    if let Some(kind) = partial {
        let reason = format!("{kind} lists no input schemas; export from a tools/list answer instead");
        return Err((ReasonCode::MissingSchema, reason));
    }
    let schema = match tool.input_schema() {
        None | Some(Value::Null) => {
            return Err((ReasonCode::MissingSchema, "it has no inputSchema".to_string()));
        }
        Some(schema) => schema,
    };
    let name = tool.name().filter(|n| !n.is_empty());
    let name = name.ok_or((ReasonCode::Ungradeable, "it has no name to be called by".to_string()))?;
    match schema {
        Value::Object(_) => {}
        Value::Bool(true) => return Err((ReasonCode::Vacuous, "its inputSchema is `true`".to_string())),
        Value::Bool(false) => {
            return Err((ReasonCode::Unsatisfiable, "its inputSchema is `false`".to_string()));
        }
        _ => return Err((ReasonCode::InvalidSchema, "its inputSchema is no JSON object".to_string())),
    }
    if let Some((kind, place, text)) = tool.defects.first() {
        let what = match kind {
            DefectKind::LoneSurrogate => "a lone surrogate, which no Unicode text has",
            DefectKind::NumberOutOfRange => "a number that no double holds",
            DefectKind::InexactInteger => "an integer that no i64, u64 or double holds exactly",
        };
        let text: String = text.chars().take(40).collect();
        return Err((ReasonCode::Ungradeable, format!("{place} holds {what}: {text}")));
    }
    Ok((schema, name))
}

/// A solution and controls for `view`, found with `seed` and the tool's name.
///
/// # Errors
/// The reason why there are none.
pub fn prove(view: &SchemaView<'_>, seed: &str, name: &str) -> Result<Proofs, Reason> {
    let judge = usable(view)?;
    if view.verdict().vacuous {
        return Err((
            ReasonCode::Vacuous,
            "its inputSchema accepts every object, so nothing can fail".to_string(),
        ));
    }
    if accepts_no_object(view) {
        return Err((
            ReasonCode::Unsatisfiable,
            "its inputSchema accepts no object, so nobody can pass".to_string(),
        ));
    }
    if let Some(reason) = grader::refusal(view) {
        return Err((ReasonCode::Ungradeable, reason));
    }
    let accepted = |v: &Value| v.is_object() && judge.accepts(v) && grader::accepts(view, v);
    let mut tried = None;
    for count in SOLUTIONS {
        let options = generate::Options { seed, name, count, invalid: MUTANTS, formats: Formats::Annotate };
        let generated = generate::generate(view, &options);
        if let Some(solution) = generated.valid.iter().find(|v| accepted(v)) {
            let controls = controls(view, judge, &generated, solution);
            if controls.is_empty() {
                let reason = "no arguments were found that it refuses, so the task could not be failed";
                return Err((ReasonCode::Unsolved, reason.to_string()));
            }
            return Ok(Proofs { solution: solution.clone(), controls, constraints: generated.sites });
        }
        let is_short = generated.valid.len() < count;
        tried = Some(generated);
        if is_short {
            break;
        }
    }
    Err(unsolved(tried.as_ref()))
}

fn unsolved(tried: Option<&Generated>) -> Reason {
    let reason = match tried {
        Some(generated) if !generated.valid.is_empty() => {
            let reason =
                "arguments that its schema accepts were found, but none that the packs' grader accepts too";
            return (ReasonCode::Ungradeable, reason.to_string());
        }
        Some(Generated { reason: Some(reason), .. }) => reason.clone(),
        _ => "the generator found none".to_string(),
    };
    (ReasonCode::Unsolved, format!("no arguments were found that its inputSchema accepts: {reason}"))
}

/// The compiled judge of a schema that is valid.
fn usable<'v>(view: &'v SchemaView<'_>) -> Result<&'v Judge, Reason> {
    let judge = view.judge().map_err(|e| match e {
        CompileError::TooLarge(why) | CompileError::Pattern(why) => {
            (ReasonCode::Ungradeable, first_line(why))
        }
        CompileError::Reference(_) if refers_elsewhere(view) => {
            let why = "a $ref of its inputSchema leads out of the document, and nothing is fetched";
            (ReasonCode::Ungradeable, why.to_string())
        }
        CompileError::Reference(why) | CompileError::Invalid(why) => {
            (ReasonCode::InvalidSchema, first_line(why))
        }
    });
    match view.metaschema_violations().first() {
        Some(violation) => {
            let place =
                if violation.instance_pointer.is_empty() { "the root" } else { &violation.instance_pointer };
            let reason = format!("its inputSchema breaks the {} metaschema at {place}", view.dialect.name());
            Err((ReasonCode::InvalidSchema, reason))
        }
        None => judge,
    }
}

/// Whether some `$ref` leads out of the document.
fn refers_elsewhere(view: &SchemaView<'_>) -> bool {
    let references = view.nodes().iter().filter_map(|n| n.schema.get("$ref")?.as_str());
    references.into_iter().any(|r| !r.starts_with('#'))
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(200).collect()
}

/// Whether it is proven that no *object* is accepted.
fn accepts_no_object(view: &SchemaView<'_>) -> bool {
    if view.verdict().satisfiability == Satisfiability::No {
        return true;
    }
    let Ok(algebra) = view.algebra() else { return false };
    let objects = Algebra::of(&json!({"type": "object"}), view.dialect, Formats::Annotate);
    objects.ok().and_then(|o| algebra.and(&o)).is_some_and(|both| both.satisfiable() == Proof::No)
}

/// Mutants that both judges refuse, spread over keywords first and places second. Objects first:
/// arguments that are no object say little.
fn controls(view: &SchemaView<'_>, judge: &Judge, generated: &Generated, solution: &Value) -> Vec<Control> {
    let mut candidates: Vec<Control> = generated
        .invalid
        .iter()
        .map(|m| Control {
            keyword: m.keyword.clone(),
            pointer: m.pointer.clone(),
            arguments: m.instance.clone(),
        })
        .collect();
    candidates.extend(plain_mutants(judge, solution, view.schema));
    let refused = |c: &Control| !judge.accepts(&c.arguments) && grader::refuses(view, &c.arguments);
    candidates.retain(refused);
    if candidates.iter().any(|c| c.arguments.is_object()) {
        candidates.retain(|c| c.arguments.is_object());
    }
    spread(candidates)
}

/// At most [`MAX_CONTROLS`], round after round one of each keyword, each place once.
fn spread(candidates: Vec<Control>) -> Vec<Control> {
    let mut by_keyword: BTreeMap<String, Vec<Control>> = BTreeMap::new();
    let mut order: Vec<String> = Vec::new();
    for control in candidates {
        let of_keyword = by_keyword.entry(control.keyword.clone()).or_default();
        if of_keyword.is_empty() {
            order.push(control.keyword.clone());
        }
        if !of_keyword.iter().any(|c| c.pointer == control.pointer) {
            of_keyword.push(control);
        }
    }
    let rounds = by_keyword.values().map(Vec::len).max().unwrap_or(0);
    let mut chosen = Vec::new();
    for round in 0..rounds {
        let of_round = order.iter().filter_map(|k| by_keyword.get(k)?.get(round));
        chosen.extend(of_round.cloned());
    }
    chosen.truncate(MAX_CONTROLS);
    chosen
}

/// Simple changes to the solution, for schemas whose keywords cannot be broken one by one: a
/// required member gone, a member of another type, a member too many.
fn plain_mutants(judge: &Judge, solution: &Value, schema: &Value) -> Vec<Control> {
    let Some(members) = solution.as_object() else { return Vec::new() };
    let mut tries: Vec<Value> = Vec::new();
    let declared = schema.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k);
    // Where a verdict or a copy is dear, fewer have to do.
    let most = if judge.looks() > DEAR || members.len() > 1_000 { 4 } else { 64 };
    let mut keys: Vec<&String> = members.keys().chain(declared).take(most).collect();
    keys.dedup();
    for key in keys {
        let mut without = members.clone();
        without.shift_remove(key);
        tries.push(Value::Object(without));
        for odd in [json!(null), json!(-1.5), json!(true), json!([null]), json!({}), json!("")] {
            let mut with = members.clone();
            with.insert(key.clone(), odd);
            tries.push(Value::Object(with));
        }
    }
    let mut more = members.clone();
    more.insert("an_argument_nobody_declared".to_string(), Value::Null);
    tries.push(Value::Object(more));
    tries.push(json!({}));
    let single = |arguments: Value| {
        let only = judge.only_violation(&arguments)?;
        Some(Control { keyword: only.keyword, pointer: only.schema_pointer, arguments })
    };
    tries.into_iter().filter_map(single).collect()
}
