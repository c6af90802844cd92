//! Placeholders get their values, and a document becomes a [`Session`].
//!
//! `{{name}}` is what an earlier behavior captured, else what was given from outside. Alone in a text it stands for the
//! value, with its type; among other characters for its text.

use super::compare::{self, Patterns};
use super::evaluation::{Check, Setting, arguments, check_actor};
use super::parse::Raw;
use super::settings::settings;
use super::strict::At;
use super::{ACTORS, CALLS, Fault, Kind, SAYS, Session, Step, UNSEEN, kind_of};
use crate::pointer;
use crate::suggest;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Values of placeholders from outside, by name (`{{cases.query}}` has the name `cases.query`).
pub type Bindings = BTreeMap<String, Value>;

/// `raw` with its placeholders bound. `has_judgements`: what needs a model may have been judged elsewhere.
///
/// # Errors
/// A placeholder without a value; what [`Check`]s do not take; what a recording cannot show.
pub fn bind(raw: &Raw, bindings: &Bindings, has_judgements: bool) -> Result<Session, Fault> {
    let mut binder = Binder {
        raw,
        known: bindings.clone(),
        patterns: Patterns::default(),
        has_judgements,
        captures: Vec::new(),
    };
    let mut steps = Vec::with_capacity(raw.behaviors.len());
    for (i, pointer) in raw.behaviors.iter().enumerate() {
        steps.push(binder.step(i + 1, pointer)?);
    }
    check_requires(raw, &steps)?;
    let evaluations = binder.evaluations(&steps)?;
    let settings = settings(raw)?;
    Ok(Session {
        name: raw.name.clone(),
        steps,
        evaluations,
        settings,
        patterns: binder.patterns,
        captures: binder.captures,
        bindings: bindings.clone(),
    })
}

struct Binder<'r> {
    raw: &'r Raw,
    known: Bindings,
    patterns: Patterns,
    has_judgements: bool,
    captures: Vec<(String, Value)>,
}

/// Places where whole values are variables, and all variables.
#[derive(Default)]
struct Uses {
    whole: Vec<(String, String)>,
    all: BTreeSet<String>,
}

impl Binder<'_> {
    fn step(&mut self, number: usize, at: &str) -> Result<Step, Fault> {
        let root = At::new(&self.raw.loaded, &self.raw.loaded.value, "");
        let Some(value) = self.raw.loaded.value.pointer(at) else {
            return Err(root.fault(at, "there is no behavior here"));
        };
        let mut uses = Uses::default();
        let bound = self.behavior(value, at, &mut uses)?;
        let place = At::new(&self.raw.loaded, &bound, at);
        let text = |key: &str| place.text(key).map(|t| t.map(str::to_string));
        let (actor, action) =
            (place.needed_text("a behavior", "actor")?, place.needed_text("a behavior", "action")?);
        let kind = step_kind(place, actor, action)?;
        let arguments = arguments(place, &mut self.patterns)?;
        if arguments.is_some() && kind != Kind::Call {
            return Err(place.fault("", "`with` and `with_only` are for calls"));
        }
        if kind == Kind::Call && place.text("target")?.is_none() {
            return Err(place.fault("", "a call needs `target`: the tool that is called"));
        }
        let content = bound.get("content").cloned();
        if let Some(content) = content.as_ref().filter(|_| kind == Kind::Response) {
            compare::check(content, "/content", &mut self.patterns)
                .map_err(|(below, why)| place.fault(&below, why))?;
        }
        let evaluations = place.list("evaluations")?;
        let mut setting = Setting {
            document: &self.raw.loaded,
            patterns: &mut self.patterns,
            has_judgements: self.has_judgements,
        };
        let evaluations = setting.list(&evaluations, &format!("step-{number}"), false, 0)?;
        if let Some(chain) = evaluations.iter().find(|e| is_of_session(&e.check)) {
            let at = root.place(&format!("{at}/evaluations"));
            let message = format!(
                "`{}` is about the whole session: put it under the document's own `evaluations`",
                chain.kind
            );
            return Err(super::strict::Place { line: chain.line, ..at }.fault(message));
        }
        let matches_when = self.matches_when(place, &bound)?;
        if matches_when.is_some() && kind != Kind::Says {
            return Err(place.fault("/matches_when", "`matches_when` is about what the assistant says"));
        }
        let captures = self.capture(&bound);
        Ok(Step {
            number,
            id: text("id")?,
            kind,
            actor: actor.to_string(),
            action: action.to_string(),
            target: text("target")?,
            content,
            arguments,
            captures,
            evaluations,
            optional: place.flag("optional")?.unwrap_or(false),
            requires: text("requires")?,
            matches_when,
            uses: uses.whole,
            variables: uses.all.into_iter().collect(),
            line: place.place("").line,
        })
    }

    /// `value` with its placeholders bound, where it may have any.
    fn behavior(&self, value: &Value, at: &str, uses: &mut Uses) -> Result<Value, Fault> {
        let Value::Object(members) = value else { return Ok(value.clone()) };
        let mut out = Map::new();
        for (key, inner) in members {
            let here = pointer::child(at, key);
            let bound = match key.as_str() {
                "with" | "with_only" | "content" => self.value(inner, &here, "", uses)?,
                "capture" | "evaluations" | "matches_when" | "target" => {
                    let mut others = Uses::default();
                    let bound = self.value(inner, &here, "", &mut others)?;
                    uses.all.extend(others.all);
                    bound
                }
                _ => inner.clone(),
            };
            out.insert(key.clone(), bound);
        }
        Ok(Value::Object(out))
    }

    fn value(&self, value: &Value, at: &str, below: &str, uses: &mut Uses) -> Result<Value, Fault> {
        Ok(match value {
            Value::String(text) => self.text(text, at, below, uses)?,
            Value::Array(items) => {
                let one = |(i, v): (usize, &Value)| self.value(v, at, &pointer::index(below, i), uses);
                Value::Array(items.iter().enumerate().map(one).collect::<Result<_, _>>()?)
            }
            Value::Object(members) => {
                let mut out = Map::new();
                for (key, inner) in members {
                    out.insert(key.clone(), self.value(inner, at, &pointer::child(below, key), uses)?);
                }
                Value::Object(out)
            }
            other => other.clone(),
        })
    }

    fn text(&self, text: &str, at: &str, below: &str, uses: &mut Uses) -> Result<Value, Fault> {
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, name, after)) = placeholder(rest) {
            uses.all.insert(name.to_string());
            let Some(value) = self.known.get(name) else {
                let place =
                    At::new(&self.raw.loaded, &self.raw.loaded.value, "").place(&format!("{at}{below}"));
                let near = suggest::closest(name, self.known.keys().map(String::as_str));
                let near = near.map_or(String::new(), |n| format!(" Did you mean `{{{{{n}}}}}`?"));
                return Err(place.fault(format!("nothing gives `{{{{{name}}}}}` a value: no earlier `capture`, no `--var`, no dataset.{near}")));
            };
            if before.is_empty() && after.is_empty() && out.is_empty() {
                uses.whole.push((name.to_string(), below.to_string()));
                return Ok(value.clone());
            }
            out.push_str(before);
            match value {
                Value::String(text) => out.push_str(text),
                other => out.push_str(&other.to_string()),
            }
            rest = after;
        }
        out.push_str(rest);
        Ok(Value::String(out))
    }

    fn capture(&mut self, bound: &Value) -> Vec<String> {
        let members = bound.get("capture").and_then(Value::as_object);
        let mut names = Vec::new();
        for (name, value) in members.into_iter().flatten() {
            self.known.insert(name.clone(), value.clone());
            self.captures.push((name.clone(), value.clone()));
            names.push(name.clone());
        }
        names
    }

    fn matches_when(&mut self, place: At<'_>, bound: &Value) -> Result<Option<Check>, Fault> {
        let Some(value) = bound.get("matches_when") else { return Ok(None) };
        let items = [(place.place("/matches_when").pointer, value)];
        let mut setting =
            Setting { document: &self.raw.loaded, patterns: &mut self.patterns, has_judgements: false };
        let mut list = setting.list(&items, "matches_when", false, 0)?;
        match list.pop().map(|e| e.check) {
            Some(check @ (Check::Contains { .. } | Check::Regex(_))) => Ok(Some(check)),
            _ => {
                Err(place
                    .fault("/matches_when", "`matches_when` is of type `contains`, `regex` or `llm_judge`"))
            }
        }
    }

    /// The evaluations of the whole session.
    fn evaluations(&mut self, steps: &[Step]) -> Result<Vec<super::Evaluation>, Fault> {
        let Some(value) = self.raw.loaded.value.get("evaluations") else { return Ok(Vec::new()) };
        let bound = self.value(value, "/evaluations", "", &mut Uses::default())?;
        let holder = Value::Object(Map::from_iter([("evaluations".to_string(), bound)]));
        let root = At::new(&self.raw.loaded, &holder, "");
        let items = root.list("evaluations")?;
        let mut setting = Setting {
            document: &self.raw.loaded,
            patterns: &mut self.patterns,
            has_judgements: self.has_judgements,
        };
        let evaluations = setting.list(&items, "session", true, 0)?;
        let place = |line: usize| super::strict::Place { line, ..root.place("/evaluations") };
        for evaluation in &evaluations {
            if let Check::Expected { behavior, .. } = &evaluation.check
                && !steps.iter().any(|s| s.id.as_deref() == Some(behavior))
            {
                let ids = steps.iter().filter_map(|s| s.id.as_deref());
                return Err(place(evaluation.line).fault(suggest::unknown("behavior", behavior, ids)));
            }
            if let Check::VariableConsistency(name) = &evaluation.check
                && !self.known.contains_key(name)
                && !steps.iter().any(|s| s.variables.contains(name))
            {
                let known = self.known.keys().map(String::as_str);
                return Err(place(evaluation.line).fault(suggest::unknown("variable", name, known)));
            }
        }
        Ok(evaluations)
    }
}

/// What stands before the first `{{name}}` of `text`, the name, and what stands after it.
fn placeholder(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("{{")?;
    let (name, after) = rest.split_once("}}")?;
    Some((before, name.trim(), after))
}

fn step_kind(place: At<'_>, actor: &str, action: &str) -> Result<Kind, Fault> {
    check_actor(actor, &place.place("/actor"))?;
    if let Some(kind) = kind_of(actor, action) {
        return Ok(kind);
    }
    let at = place.place("/action");
    let mut known = CALLS.iter().chain(&SAYS).chain(&UNSEEN).copied();
    if known.any(|k| k == action) || !ACTORS.contains(&actor) {
        return Err(
            at.not_judged(format!("a recording does not show that {actor} `{action}`: it is not judged"))
        );
    }
    let known = CALLS.iter().chain(&SAYS).copied();
    Err(at.fault(suggest::unknown("action", action, known)))
}

fn is_of_session(check: &Check) -> bool {
    matches!(
        check,
        Check::Sequence(_)
            | Check::Eventually(_)
            | Check::Never(_)
            | Check::Count { .. }
            | Check::Within { .. }
            | Check::VariableConsistency(_)
            | Check::Expected { .. }
    )
}

fn check_requires(raw: &Raw, steps: &[Step]) -> Result<(), Fault> {
    let mut before: BTreeSet<&str> = BTreeSet::new();
    for step in steps {
        if let Some(id) = step.requires.as_deref()
            && !before.contains(id)
        {
            let place = super::strict::Place {
                line: step.line,
                ..At::new(&raw.loaded, &raw.loaded.value, "").place("")
            };
            let ids = steps.iter().filter_map(|s| s.id.as_deref()).filter(|i| *i != id);
            let message = match steps.iter().any(|s| s.id.as_deref() == Some(id)) {
                true => format!("`requires: {id}` names a behavior that does not come before this one"),
                false => suggest::unknown("behavior", id, ids),
            };
            return Err(place.fault(message));
        }
        before.extend(step.id.as_deref());
    }
    Ok(())
}
