//! Evaluators: what a behavior, or the session as a whole, is checked for.

use super::compare::{self, Mode, Patterns};
use super::strict::{At, Place};
use super::{ACTORS, CALLS, Fault, Kind, SAYS, UNSEEN, kind_of};
use crate::pointer;
use crate::schema::{Dialect, Judge, judge::Formats};
use crate::suggest;
use crate::yaml::Loaded;
use serde_json::Value;
use std::sync::Arc;

/// Evaluators that run here.
const OFFLINE: [&str; 15] = [
    "exact_match",
    "contains",
    "regex",
    "schema",
    "tool_call",
    "sequence",
    "eventually",
    "never",
    "count",
    "within",
    "variable_consistency",
    "all_of",
    "any_of",
    "none_of",
    "expected",
];
/// Evaluators of the specification that need a model, or somebody's program.
const LIVE: [&str; 14] = [
    "llm_judge",
    "custom",
    "Groundedness",
    "Relevance",
    "Coherence",
    "Fluency",
    "HateUnfairness",
    "Violence",
    "Sexual",
    "SelfHarm",
    "f1",
    "bleu",
    "rouge",
    "similarity",
];
/// Evaluations in evaluations.
const MAX_DEPTH: usize = 16;

/// One evaluation.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// `step-2/eval-1`, `session/eval-1`; one in another has its number behind a slash.
    pub id: String,
    /// As the document has it.
    pub kind: String,
    pub check: Check,
    pub blocking: bool,
    /// Only then; `A == B` or `A != B`, or a value that must be true.
    pub when: Option<String>,
    /// Line of the file, from 1.
    pub line: usize,
}

/// Behaviors of a recording by who, what and whose: what is given must be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    pub actor: Option<String>,
    pub action: Option<String>,
    pub target: Option<String>,
}

/// What is checked.
#[derive(Debug, Clone)]
pub enum Check {
    ExactMatch(Value),
    Contains {
        value: String,
        case_sensitive: bool,
    },
    Regex(regex::Regex),
    Schema(Arc<Judge>),
    ToolCall {
        target: Option<String>,
        arguments: Option<(Mode, Value)>,
        ordered: bool,
        every: bool,
        strict: bool,
    },
    Sequence(Vec<Selector>),
    Eventually(Selector),
    Never(Selector),
    Count {
        selector: Selector,
        min: usize,
        max: usize,
    },
    Within {
        after: Selector,
        selector: Selector,
        max_steps: usize,
    },
    VariableConsistency(String),
    AllOf(Vec<Evaluation>, Option<f64>),
    AnyOf(Vec<Evaluation>, Option<f64>),
    NoneOf(Vec<Evaluation>, Option<f64>),
    Expected {
        behavior: String,
        after: Option<Selector>,
        reason: Option<String>,
    },
    /// A judgement that has to come from outside.
    Recorded,
}

/// Where evaluations stand.
pub(super) struct Setting<'d, 'p> {
    pub(super) document: &'d Loaded,
    /// Pointer in the file of the list's owner, for places.
    pub(super) patterns: &'p mut Patterns,
    /// Whether recorded judgements are at hand: then what needs a model is no error yet.
    pub(super) has_judgements: bool,
}

impl Setting<'_, '_> {
    /// The evaluations of a list; `of_session`: those of the whole.
    pub(super) fn list(
        &mut self,
        items: &[(String, &Value)],
        prefix: &str,
        of_session: bool,
        depth: usize,
    ) -> Result<Vec<Evaluation>, Fault> {
        let one = |(i, (at, value)): (usize, &(String, &Value))| {
            let id =
                if depth == 0 { format!("{prefix}/eval-{}", i + 1) } else { format!("{prefix}/{}", i + 1) };
            self.one(At::new(self.document, value, at), id, of_session, depth)
        };
        items.iter().enumerate().map(one).collect()
    }

    fn one(&mut self, at: At<'_>, id: String, of_session: bool, depth: usize) -> Result<Evaluation, Fault> {
        at.mapping("an evaluation", &[])?;
        let kind = at.needed_text("an evaluation", "type")?;
        if depth > MAX_DEPTH {
            return Err(at.fault("", format!("evaluations nest more than {MAX_DEPTH} deep")));
        }
        let check = self.check(kind, at, &id, of_session, depth)?;
        let when = match at.value.get("when") {
            // A placeholder alone is a value, no text.
            Some(Value::Bool(flag)) => Some(flag.to_string()),
            _ => at.text("when")?.map(str::to_string),
        };
        let blocking = at.flag("blocking")?.unwrap_or(false);
        Ok(Evaluation { id, kind: kind.to_string(), check, blocking, when, line: at.place("").line })
    }

    fn check(
        &mut self,
        kind: &str,
        at: At<'_>,
        id: &str,
        of_session: bool,
        depth: usize,
    ) -> Result<Check, Fault> {
        let needs = |key: &str| at.fault("", format!("`{kind}` needs `{key}`"));
        let selector = |key: &str| match at.value.get(key) {
            Some(value) => {
                selector(At::new(self.document, value, &at.place(&pointer::child("", key)).pointer))
            }
            None => Err(needs(key)),
        };
        Ok(match kind {
            "exact_match" => Check::ExactMatch(at.value.get("value").ok_or_else(|| needs("value"))?.clone()),
            "contains" => {
                let value = match at.value.get("value").ok_or_else(|| needs("value"))? {
                    Value::String(text) => text.clone(),
                    other => other.to_string(),
                };
                Check::Contains { value, case_sensitive: at.flag("case_sensitive")?.unwrap_or(false) }
            }
            "regex" => {
                let text = at.text("pattern")?.ok_or_else(|| needs("pattern"))?;
                Check::Regex(compare::pattern(text).map_err(|why| at.fault("/pattern", why))?)
            }
            "schema" => {
                let schema = at.object("schema")?.ok_or_else(|| needs("schema"))?;
                Check::Schema(Arc::new(judge(schema).map_err(|why| at.fault("/schema", why))?))
            }
            "tool_call" => self.tool_call(at, of_session)?,
            "sequence" => {
                let items = at.list("order")?;
                if items.is_empty() {
                    return Err(needs("order"));
                }
                let one = |(at, value): &(String, &Value)| self::selector(At::new(self.document, value, at));
                Check::Sequence(items.iter().map(one).collect::<Result<_, _>>()?)
            }
            "eventually" => Check::Eventually(selector("match")?),
            "never" => Check::Never(selector("match")?),
            "count" => {
                let (min, max) = (at.count("min")?, at.count("max")?);
                if min.is_none() && max.is_none() {
                    return Err(at.fault("", "`count` needs `min` or `max`"));
                }
                let (min, max) = (min.unwrap_or(0), max.unwrap_or(usize::MAX));
                if min > max {
                    return Err(at.fault("/min", format!("`min` ({min}) is more than `max` ({max})")));
                }
                Check::Count { selector: selector("match")?, min, max }
            }
            "within" => Check::Within {
                after: selector("after")?,
                selector: selector("match")?,
                max_steps: at.count("max_steps")?.ok_or_else(|| needs("max_steps"))?,
            },
            "variable_consistency" => {
                Check::VariableConsistency(at.needed_text("`variable_consistency`", "variable")?.to_string())
            }
            "all_of" | "any_of" | "none_of" => self.composed(kind, at, id, of_session, depth)?,
            "expected" => Check::Expected {
                behavior: at.needed_text("`expected`", "behavior")?.to_string(),
                after: if at.value.get("after").is_some() { Some(selector("after")?) } else { None },
                reason: at.text("reason")?.map(str::to_string),
            },
            live if LIVE.contains(&live) && self.has_judgements => Check::Recorded,
            live if LIVE.contains(&live) => {
                let message = format!(
                    "`{live}` needs a model or a program, and none is started here: it is not judged"
                );
                return Err(at.place("/type").not_judged(message));
            }
            unknown => {
                let known = OFFLINE.iter().chain(&LIVE).copied();
                return Err(at.fault("/type", suggest::unknown("evaluator", unknown, known)));
            }
        })
    }

    fn composed(
        &mut self,
        kind: &str,
        at: At<'_>,
        id: &str,
        of_session: bool,
        depth: usize,
    ) -> Result<Check, Fault> {
        let items = at.list("evaluations")?;
        if items.is_empty() {
            return Err(at.fault("", format!("`{kind}` needs `evaluations`")));
        }
        let threshold = match at.value.get("threshold") {
            None => None,
            Some(value) => match value.as_f64().filter(|t| (0.0..=1.0).contains(t)) {
                Some(threshold) => Some(threshold),
                None => return Err(at.fault("/threshold", "`threshold` is a number from 0 to 1")),
            },
        };
        let inner = self.list(&items, id, of_session, depth + 1)?;
        Ok(match kind {
            "all_of" => Check::AllOf(inner, threshold),
            "any_of" => Check::AnyOf(inner, threshold),
            _ => Check::NoneOf(inner, threshold),
        })
    }

    fn tool_call(&mut self, at: At<'_>, of_session: bool) -> Result<Check, Fault> {
        let target = at.text("target")?.map(str::to_string);
        if of_session && target.is_none() {
            return Err(at.fault(
                "",
                "`tool_call` of a whole session needs `target`: there is no behavior to take it from",
            ));
        }
        let arguments = arguments(at, self.patterns)?;
        Ok(Check::ToolCall {
            target,
            arguments,
            ordered: at.flag("ordered")?.unwrap_or(true),
            every: at.flag("every")?.unwrap_or(false),
            strict: at.flag("strict")?.unwrap_or(false),
        })
    }
}

/// `with` or `with_only` of a behavior or a `tool_call`.
pub(super) fn arguments(at: At<'_>, patterns: &mut Patterns) -> Result<Option<(Mode, Value)>, Fault> {
    let (with, only) = (at.object("with")?, at.object("with_only")?);
    if with.is_some() && only.is_some() {
        return Err(at.fault("/with_only", "`with` and `with_only` exclude each other"));
    }
    let key = if with.is_some() { "with" } else { "with_only" };
    let Some(value) = with.or(only) else { return Ok(None) };
    compare::check(value, &format!("/{key}"), patterns)
        .map_err(|(below, message)| at.fault(&below, message))?;
    let mode = if only.is_some() { Mode::Exact } else { Mode::Partial };
    Ok(Some((mode, value.clone())))
}

/// The judge of a JSON Schema.
fn judge(schema: &Value) -> Result<Judge, String> {
    let dialect = Dialect::of(schema);
    let broken = crate::schema::judge::metaschema_violations(schema, dialect);
    if let Some(first) = broken.first() {
        let at = if first.instance_pointer.is_empty() { "its root" } else { &first.instance_pointer };
        return Err(format!("the schema is no JSON Schema at {at}: {}", crate::error::cut(&first.message)));
    }
    Judge::compile(schema, dialect, Formats::Annotate).map_err(|e| format!("the schema cannot be used: {e}"))
}

fn selector(at: At<'_>) -> Result<Selector, Fault> {
    let members = at.mapping("a selector", &["actor", "action", "target"])?;
    if members.is_empty() {
        return Err(at.fault("", "a selector needs `actor`, `action` or `target`"));
    }
    let text = |key: &str| at.text(key).map(|t| t.map(str::to_string));
    let selector = Selector { actor: text("actor")?, action: text("action")?, target: text("target")? };
    if let Some(actor) = &selector.actor {
        check_actor(actor, &at.place("/actor"))?;
    }
    if let Some(action) = &selector.action {
        check_action(selector.actor.as_deref(), action, &at.place("/action"))?;
    }
    Ok(selector)
}

pub(super) fn check_actor(actor: &str, place: &Place) -> Result<(), Fault> {
    if ACTORS.contains(&actor) { Ok(()) } else { Err(place.fault(suggest::unknown("actor", actor, ACTORS))) }
}

/// An action that a recording shows; `actor` is known where it is stated.
pub(super) fn check_action(actor: Option<&str>, action: &str, place: &Place) -> Result<(), Fault> {
    let known = || CALLS.iter().chain(&SAYS).chain(&UNSEEN).copied();
    let shows = |actor: &str| kind_of(actor, action).is_some();
    let is_seen = match actor {
        Some(actor) => {
            shows(actor) && (kind_of(actor, action) != Some(Kind::Context) || !UNSEEN.contains(&action))
        }
        None => CALLS.contains(&action) || SAYS.contains(&action),
    };
    if is_seen {
        Ok(())
    } else if known().any(|k| k == action) {
        let who = actor.unwrap_or("anyone");
        Err(place.not_judged(format!("a recording does not show that {who} `{action}`: it is not judged")))
    } else {
        Err(place.fault(suggest::unknown("action", action, known())))
    }
}
