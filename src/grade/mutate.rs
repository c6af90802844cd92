//! Can the grading fail? Changes to a recording that passes, each of which a named check should notice.

use super::calls::{self, Order};
use super::verdict::{Check, Outcome, Status};
use crate::error::cut;
use crate::expect::compare::short;
use crate::pointer;
use crate::trace::{Arguments, Call, Edit, Outcome as Ended, Trace};
use serde_json::{Map, Value, json};

/// Values of one call that are changed.
const MAX_VALUES: usize = 16;
/// Changes that are tried, and calls looked at for all of them.
const MAX_MUTANTS: usize = 5_000;
const MAX_WORK: usize = 20_000_000;

/// One change to a recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Mutant {
    /// `drop-call`, `double-write`, `swap-calls`, `change-value`, `remove-argument`, `add-argument`, `flip-outcome`,
    /// `lose-result`; of the final answer `drop-answer`, `change-answer`, `claim-success`.
    pub kind: &'static str,
    /// Number of the call, from 1; 0 where it is about the final answer.
    pub call: usize,
    /// What was changed, in words.
    pub detail: String,
    edit: Edit,
}

/// How many changes were noticed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mutation {
    pub killed: usize,
    pub survivors: Vec<Mutant>,
    /// Changes that were not tried, there being too many.
    pub untried: usize,
    /// The same of changes to the final answer alone, where the recording has one: they have a score of their own.
    pub answer: Option<Box<Mutation>>,
}

impl Mutation {
    #[must_use]
    pub fn total(&self) -> usize {
        self.killed + self.survivors.len()
    }

    /// The share that was noticed; `None` where there was nothing to change.
    #[must_use]
    pub fn score(&self) -> Option<f64> {
        (self.total() > 0).then(|| self.killed as f64 / self.total() as f64)
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        let one = |m: &Mutant| match m.call {
            0 => json!({ "kind": m.kind, "detail": m.detail }),
            call => json!({ "kind": m.kind, "call": call, "detail": m.detail }),
        };
        let mut out = json!({ "score": self.score(), "killed": self.killed, "total": self.total(), "untried": self.untried,
            "survivors": self.survivors.iter().map(one).collect::<Vec<_>>() });
        if let (Some(answer), Value::Object(members)) = (&self.answer, &mut out) {
            members.insert("answer".to_string(), answer.to_json());
        }
        out
    }
}

/// Judge every change to `trace`, which passes as it is.
#[must_use]
pub fn run(trace: &Trace, order: &Order) -> Mutation {
    let mut mutation = of(mutants(trace, order), trace, order);
    let answers = answers(trace);
    mutation.answer = (!answers.is_empty()).then(|| Box::new(of(answers, trace, order)));
    mutation
}

fn of(all: Vec<Mutant>, trace: &Trace, order: &Order) -> Mutation {
    let most = MAX_MUTANTS.min(MAX_WORK / trace.len().max(1)).max(1);
    // Of too many, every n-th: all kinds, and calls from the first to the last.
    let stride = all.len().div_ceil(most).max(1);
    let count = all.len();
    let mut mutation = Mutation::default();
    for mutant in all.into_iter().step_by(stride) {
        let Some(changed) = trace.edited(&mutant.edit) else { continue };
        match calls::judge(&changed, order).outcome() {
            Outcome::Failed => mutation.killed += 1,
            // What becomes inconclusive was not noticed by a check.
            Outcome::Passed | Outcome::Error => mutation.survivors.push(mutant),
        }
    }
    mutation.untried = count - mutation.total();
    mutation
}

/// What an answer that claims too much says.
const CLAIM: &str = "Done. Everything was completed successfully.";

/// Every change to the final answers, apart from the calls.
#[must_use]
pub fn answers(trace: &Trace) -> Vec<Mutant> {
    let mut all = Vec::new();
    for index in trace.final_answers() {
        let text = trace.said.get(index).map_or("", |s| s.text.as_str());
        let mut add = |kind, detail: String, text: Option<String>| {
            all.push(Mutant { kind, call: 0, detail, edit: Edit::Text(index, text) });
        };
        add("drop-answer", "the final answer is not given".to_string(), None);
        if let Some(changed) = other_number(text) {
            let shown = |t: &str| short(&Value::String(t.to_string()));
            add(
                "change-answer",
                format!("the final answer is {} for {}", shown(&changed), shown(text)),
                Some(changed),
            );
        }
        if text != CLAIM {
            add("claim-success", format!("the final answer is only \"{CLAIM}\""), Some(CLAIM.to_string()));
        }
    }
    all
}

/// `text` with the first digit of its first number changed.
fn other_number(text: &str) -> Option<String> {
    let at = text.find(|c: char| c.is_ascii_digit())?;
    let (before, rest) = text.split_at_checked(at)?;
    let digit = rest.chars().next()?.to_digit(10)?;
    let after = rest.get(1..)?;
    Some(format!("{before}{}{after}", if digit == 9 { 1 } else { digit + 1 }))
}

/// The check that at least the share `least` of the changes was noticed.
#[must_use]
pub fn check(mutation: &Mutation, least: f64) -> Check {
    match mutation.score() {
        None => Check::new("mutation-score", "mutation", Status::Inconclusive, "there was nothing to change"),
        Some(score) => {
            let message = format!(
                "{} of {} changes were noticed ({score:.3}); asked for are {least}",
                mutation.killed,
                mutation.total()
            );
            let calls = mutation.survivors.iter().map(|m| m.call).take(20);
            Check::new("mutation-score", "mutation", Status::of(score >= least), message).calls(calls)
        }
    }
}

/// Every change to `trace`, in the order of its calls.
#[must_use]
pub fn mutants(trace: &Trace, order: &Order) -> Vec<Mutant> {
    let mut all = Vec::new();
    for (index, call) in trace.calls().enumerate() {
        let tool = order.listing.as_ref().and_then(|l| l.get(call.tool()));
        let name = cut(call.tool());
        let number = call.number();
        let mut add = |kind, detail: String, edit| all.push(Mutant { kind, call: number, detail, edit });
        add("drop-call", format!("call {number} to `{name}` is not made"), Edit::Drop(index));
        if !tool.is_some_and(|t| t.read_only || t.idempotent) {
            add("double-write", format!("call {number} to `{name}` is made twice"), Edit::Double(index));
        }
        if let Some(next) = trace.call(index + 1).filter(|next| differ(&call, next)) {
            let detail =
                format!("calls {number} and {} (`{name}`, `{}`) change places", number + 1, cut(next.tool()));
            add("swap-calls", detail, Edit::Swap(index));
        }
        if let Arguments::Value(value) = call.arguments() {
            let required = tool.map(|t| t.required());
            arguments(index, &value, required.as_deref(), &mut add);
        }
        match call.outcome() {
            Ended::Ok => {
                add(
                    "flip-outcome",
                    format!("`{name}` refuses call {number}"),
                    Edit::Outcome(index, Ended::Refused),
                );
                add(
                    "lose-result",
                    format!("the answer to call {number} to `{name}` is lost"),
                    Edit::Lose(index),
                );
            }
            Ended::Refused | Ended::Protocol | Ended::Rejected => {
                add(
                    "flip-outcome",
                    format!("`{name}` does not refuse call {number}"),
                    Edit::Outcome(index, Ended::Ok),
                );
            }
            Ended::Lost | Ended::NotRecorded => {}
        }
    }
    all
}

/// Whether it means anything that two calls change places: those that were made at once, or in two sessions, have no
/// order.
fn differ(a: &Call<'_>, b: &Call<'_>) -> bool {
    let at_once = a.answered().is_some_and(|answered| b.made() < answered);
    !at_once && a.session() == b.session() && (a.tool() != b.tool() || !super::run::same_arguments(a, b))
}

/// Changes of arguments. `required` are the names that the listing requires; without one, all are taken for it.
fn arguments(
    index: usize,
    value: &Value,
    required: Option<&[String]>,
    add: &mut impl FnMut(&'static str, String, Edit),
) {
    let Value::Object(members) = value else { return };
    let number = index + 1;
    for at in leaves(value).into_iter().take(MAX_VALUES) {
        let mut changed = value.clone();
        let Some(slot) = changed.pointer_mut(&at) else { continue };
        let other = another(slot);
        let detail = format!("call {number} sends {} for {} at `{at}`", short(&other), short(slot));
        *slot = other;
        add("change-value", detail, Edit::Arguments(index, changed));
    }
    for key in members.keys().filter(|k| required.is_none_or(|r| r.contains(k))).take(MAX_VALUES) {
        let rest: Map<String, Value> =
            members.iter().filter(|(k, _)| *k != key).map(|(k, v)| (k.clone(), v.clone())).collect();
        add(
            "remove-argument",
            format!("call {number} leaves out `{}`", cut(key)),
            Edit::Arguments(index, Value::Object(rest)),
        );
    }
    let mut more = members.clone();
    let unknown =
        (0..).map(|n| format!("unexpected_{n}")).find(|k| !members.contains_key(k)).unwrap_or_default();
    let detail = format!("call {number} sends `{unknown}` as well");
    more.insert(unknown, Value::Bool(true));
    add("add-argument", detail, Edit::Arguments(index, Value::Object(more)));
}

/// Pointers of the values that are neither lists nor objects, unless empty.
fn leaves(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), value)];
    while let Some((at, next)) = open.pop() {
        match next {
            Value::Array(items) if !items.is_empty() => {
                open.extend(items.iter().enumerate().rev().map(|(i, v)| (pointer::index(&at, i), v)));
            }
            Value::Object(members) if !members.is_empty() => {
                open.extend(members.iter().rev().map(|(k, v)| (pointer::child(&at, k), v)));
            }
            _ if !at.is_empty() => found.push(at),
            _ => {}
        }
    }
    found
}

/// A value of the same type that is another one.
fn another(value: &Value) -> Value {
    match value {
        Value::Null => Value::Bool(true),
        Value::Bool(b) => Value::Bool(!b),
        Value::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(i), _, _) => Value::from(if i < i64::MAX { i + 1 } else { i - 1 }),
            (_, Some(u), _) => Value::from(u - 1),
            (_, _, Some(f)) => Value::from(if f == 0.0 { 1.0 } else { f * 2.0 + 1.0 }),
            _ => Value::from(0),
        },
        Value::String(text) => Value::String(format!("{text}?")),
        Value::Array(_) => json!([null]),
        Value::Object(_) => json!({ "unexpected": true }),
    }
}
