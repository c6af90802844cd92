//! Values that one schema accepts and another refuses: proof that there is none, or witnesses.

use super::close;
use super::places::Place;
use super::shrink::{objects, shrunk};
use crate::generate::{self, GenerateVerdict, Generated};
use crate::pointer;
use crate::schema::common::{Taken, weight};
use crate::schema::judge::{Formats, Proof};
use crate::schema::{Dialect, SchemaView, Violation, grader, witness};
use serde_json::{Map, Value, json};

/// Causes that are told apart for one schema.
const MAX_WITNESSES: usize = 12;
/// Values in a candidate beyond which nobody would read it.
const MAX_VALUES: usize = 2_000;

/// A value that `from` accepts and `to` refuses.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Witness {
    pub value: Value,
    /// Why it is refused.
    pub violation: Violation,
}

impl Witness {
    /// The keyword that refuses the value, as it stands in the schema.
    pub fn keyword(&self) -> String {
        match pointer::split_last(&self.violation.schema_pointer) {
            // The judge has a word of its own for a subschema that is `false`.
            Some((_, last)) if self.violation.keyword == "falseSchema" => last,
            _ => self.violation.keyword.clone(),
        }
    }
}

/// How hard to look.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    pub instances: usize,
    pub mutants: usize,
    pub solve: bool,
}

impl Effort {
    pub const FULL: Effort = Effort { instances: 12, mutants: 60, solve: true };
    /// For listings in which thousands of tools changed.
    pub const LITTLE: Effort = Effort { instances: 1, mutants: 6, solve: false };
    pub const NONE: Effort = Effort { instances: 0, mutants: 0, solve: false };
}

/// Two schemas, from the one that accepts to the one that refuses.
pub(super) struct Search<'v, 's> {
    pub from: &'v SchemaView<'s>,
    pub to: &'v SchemaView<'s>,
    /// The same two without what they have in common, if that is anything.
    pub rest: Option<Rest<'v>>,
    /// Arguments are always an object, whatever a schema says: no other value is one.
    pub only_objects: bool,
    /// What the old release declared, and whether its schema is `from`.
    pub declared: &'v Place<'s>,
    pub from_is_old: bool,
    pub name: &'v str,
    pub effort: Effort,
}

/// What is left of both when what they have in common is taken out.
#[derive(Clone, Copy)]
pub(super) struct Rest<'v> {
    pub from: &'v SchemaView<'v>,
    pub to: &'v SchemaView<'v>,
    pub taken: &'v Taken,
}

/// What came of a search.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Only declared keys; one a cause.
    pub declared: Vec<Witness>,
    /// A witness with a key that neither release declares.
    pub undeclared: Option<Witness>,
    /// Why it is open whether there are more, if so.
    pub undecided: Option<String>,
    /// No proof that the other schema accepts all.
    pub is_open: bool,
}

impl Search<'_, '_> {
    /// Everything that `from` accepts, `to` refuses and the old release declared.
    pub fn run(&self) -> Found {
        let mut found = Found::default();
        let dialect = close::common_dialect(self.from.schema, self.to.schema);
        let (from, to) = self.compared();
        let whole = match dialect {
            Some(dialect) => close::covers(to, from, dialect, self.only_objects),
            None => Err("the two are written in dialects that differ".to_string()),
        };
        if whole == Ok(Proof::Yes) {
            return found;
        }
        found.is_open = true;
        if let (Err(e), _) | (_, Err(e)) = (self.from.judge(), self.to.judge()) {
            found.undecided = Some(format!("one of the schemas cannot be judged: {e}"));
            return found;
        }
        let declared = dialect.map_or(Ok(Proof::Unknown), |dialect| self.covers_declared(dialect));
        let mut instances = self.instances();
        if declared != Ok(Proof::Yes) {
            self.gather(&instances, &mut found);
            let solved = found.declared.is_empty() && self.effort.solve && self.solve(&instances, &mut found);
            if found.declared.is_empty() && !solved {
                found.undecided = Some(match (whole, declared) {
                    (Ok(_), Ok(_)) if self.effort.instances == 0 => {
                        "too many tools changed to look for a value in each".to_string()
                    }
                    (Err(e), _) | (_, Err(e)) => e,
                    (Ok(Proof::No), Ok(Proof::No)) => {
                        "the algebra sees a difference, and no value that shows it was found".to_string()
                    }
                    _ => "neither a value that shows a difference nor a proof that there is none was found"
                        .to_string(),
                });
            }
        }
        if self.effort.instances == 0 {
            return found;
        }
        instances.push(json!({}));
        self.inject(&instances, &mut found);
        if found.declared.is_empty() && found.undeclared.is_none() && self.effort.solve && self.is_solved() {
            found.is_open = false;
            found.undecided = None;
        }
        found
    }

    /// What proofs are about: a proof for what is left holds for the whole.
    fn compared(&self) -> (&Value, &Value) {
        match &self.rest {
            Some(rest) => (rest.from.schema, rest.to.schema),
            None => (self.from.schema, self.to.schema),
        }
    }

    /// A value of what is left, as one of the whole.
    fn filled(&self, value: &Value, instances: &[Value]) -> Value {
        match &self.rest {
            Some(rest) => rest.taken.filled(instances.first(), value),
            None => value.clone(),
        }
    }

    /// Whether the solver proves that `to` accepts all that `from` accepts, where the algebra cannot.
    fn is_solved(&self) -> bool {
        let (from, to) = self.compared();
        let is_small = close::common_dialect(from, to).is_some()
            && close::unfolds_small(from)
            && close::unfolds_small(to);
        is_small
            && self.difference(from, to).is_some_and(|made| {
                let verdict = self.generate(&SchemaView::new(&made), 1, 0).verdict;
                verdict == GenerateVerdict::Unsatisfiable
            })
    }

    /// A schema of what `from` accepts and `to` refuses.
    fn difference(&self, from: &Value, to: &Value) -> Option<Value> {
        let mut made = close::difference(from, to)?;
        if let Some(members) = made.as_object_mut().filter(|_| self.only_objects) {
            members.insert("type".to_string(), json!("object"));
        }
        Some(made)
    }

    /// Whether all that uses only what is declared is provably accepted.
    fn covers_declared(&self, dialect: Dialect) -> Result<Proof, String> {
        let (from, to) = self.compared();
        if self.from_is_old {
            match close::closed(from) {
                Some(closed) => close::covers(to, &closed, dialect, self.only_objects),
                None => Ok(Proof::Unknown),
            }
        } else {
            close::covers(&close::opened(to, 0), from, dialect, self.only_objects)
        }
    }

    fn generate(&self, view: &SchemaView<'_>, count: usize, invalid: usize) -> Generated {
        let options =
            generate::Options { seed: "diff", name: self.name, count, invalid, formats: Formats::Annotate };
        generate::generate(view, &options)
    }

    /// Some values that `from` accepts, the one first that fills what is made of the rest alone.
    fn instances(&self) -> Vec<Value> {
        let plausible = witness::plausible_whole(self.from);
        let mut values = match (&self.rest, self.effort.instances) {
            (_, 0) => Vec::new(),
            (None, count) => self.generate(self.from, count, 0).valid,
            (Some(rest), count) => {
                let is_accepted = self.from.judge().is_ok_and(|judge| judge.accepts(&plausible));
                let mut values = match is_accepted {
                    true => vec![plausible.clone()],
                    false => self.generate(self.from, 1, 0).valid,
                };
                let made = self.generate(rest.from, count, 0).valid;
                let made: Vec<Value> = made.iter().map(|value| self.filled(value, &values)).collect();
                values.extend(made);
                values
            }
        };
        values.extend([plausible, json!({})]);
        values
    }

    /// Try what is accepted here, and what is refused there for one reason alone.
    fn gather(&self, instances: &[Value], found: &mut Found) {
        instances.iter().for_each(|value| self.consider(value, found));
        if self.effort.mutants == 0 {
            return;
        }
        let mutants = match &self.rest {
            Some(rest) => self.generate(rest.to, 1, self.effort.mutants).invalid,
            None => self.generate(self.to, 1, self.effort.mutants).invalid,
        };
        for mutant in &mutants {
            let instance = self.filled(&mutant.instance, instances);
            self.consider(&instance, found);
            // What the other schema requires may be missing in it.
            for base in instances.iter().take(3) {
                if let Some(grafted) = grafted(base, &instance) {
                    self.consider(&grafted, found);
                }
            }
        }
    }

    /// Ask the solver for a value. Whether it proved that there is none.
    fn solve(&self, instances: &[Value], found: &mut Found) -> bool {
        if close::common_dialect(self.from.schema, self.to.schema).is_none() {
            return false;
        }
        let (from, to) = self.compared();
        let closed = close::closed(from);
        let to_opened = close::opened(to, 0);
        let mut proven = false;
        for (from, to) in [(closed.as_ref(), to), (Some(from), &to_opened)] {
            let small = from.filter(|from| close::unfolds_small(from) && close::unfolds_small(to));
            let Some(made) = small.and_then(|from| self.difference(from, to)) else { continue };
            let view = SchemaView::new(&made);
            let generated = self.generate(&view, 6, 0);
            proven |= generated.verdict == GenerateVerdict::Unsatisfiable;
            generated.valid.iter().for_each(|value| self.consider(&self.filled(value, instances), found));
        }
        proven
    }

    /// Keep `value` where it is a witness with a cause that was not seen yet.
    fn consider(&self, value: &Value, found: &mut Found) {
        if found.declared.len() >= MAX_WITNESSES || weight(value) > MAX_VALUES || !self.shows(value) {
            return;
        }
        let Ok(to) = self.to.judge() else { return };
        let whole = value;
        for violation in to.first_violations(whole, MAX_WITNESSES) {
            if found.declared.iter().any(|w| self.cause(&w.violation) == self.cause(&violation)) {
                continue;
            }
            // The packs' grader is slow, and seldom of another mind: it is asked of each step only where it was.
            let value =
                self.smallest(whole, &|value| self.parts(value) && self.kept(value, &violation).is_some());
            let value = match self.shows(&value) {
                true => value,
                false => {
                    self.smallest(whole, &|value| self.shows(value) && self.kept(value, &violation).is_some())
                }
            };
            if self.uses_declared(&value, &violation)
                && let Some(violation) = self.kept(&value, &violation)
            {
                found.declared.push(Witness { value, violation });
            }
        }
    }

    /// Whether what refuses `value` is about what the old release declared. An old call has nothing else. A new result
    /// may have to have more, which its old reader passes over: he fails by what is left.
    fn uses_declared(&self, value: &Value, violation: &Violation) -> bool {
        self.declared.declares_all_of(value)
            || !self.from_is_old && self.kept(&self.declared.declared_part(value), violation).is_some()
    }

    /// What is left of `whole` for which `holds`; without what is undeclared, if it can be.
    fn smallest(&self, whole: &Value, holds: &dyn Fn(&Value) -> bool) -> Value {
        // What is undeclared goes first.
        let pruned = shrunk(whole, holds);
        match self.declared.declares_all_of(&pruned) {
            true => pruned,
            false => shrunk(whole, &|value| self.declared.declares_all_of(value) && holds(value)),
        }
    }

    /// What tells one cause from another: the keyword in its place and, for what is missing, its name.
    fn cause(&self, violation: &Violation) -> (String, String) {
        let missing = if violation.keyword == "required" { violation.message.clone() } else { String::new() };
        (violation.schema_pointer.clone(), missing)
    }

    fn kept(&self, value: &Value, violation: &Violation) -> Option<Violation> {
        let mut all = self.to.judge().ok()?.first_violations(value, 2 * MAX_WITNESSES).into_iter();
        all.find(|v| self.cause(v) == self.cause(violation))
    }

    /// Whether `from` accepts `value` and `to` refuses it.
    fn parts(&self, value: &Value) -> bool {
        let accepts = |view: &SchemaView<'_>| view.judge().ok().map(|judge| judge.accepts(value));
        let is_one = value.is_object() || !self.only_objects;
        is_one && accepts(self.from) == Some(true) && accepts(self.to) == Some(false)
    }

    /// The same, in the eyes of the packs' grader as well, where it can use the schemas.
    fn shows(&self, value: &Value) -> bool {
        self.parts(value) && agrees(self.from, value, true) && agrees(self.to, value, false)
    }

    /// Whether undeclared keys alone are refused: some value with a key that neither release declares.
    fn inject(&self, instances: &[Value], found: &mut Found) {
        const KEY: &str = "undeclared_key";
        for base in instances.iter().take(6) {
            for place in objects(base) {
                for value in [json!("x"), json!(1), json!({}), Value::Null] {
                    let mut candidate = base.clone();
                    let Some(object) = candidate.pointer_mut(&place).and_then(Value::as_object_mut) else {
                        continue;
                    };
                    object.insert(KEY.to_string(), value);
                    if !self.shows(&candidate) {
                        continue;
                    }
                    if self.declared.declares_all_of(&candidate) {
                        self.consider(&candidate, found);
                        continue;
                    }
                    let key = pointer::child(&place, KEY);
                    let without = |value: &Value| self.without_is_accepted(value, &key);
                    if !without(&candidate) {
                        continue;
                    }
                    let value = shrunk(&candidate, &|value| self.shows(value) && without(value));
                    let Some(violation) =
                        self.to.judge().ok().and_then(|j| j.first_violations(&value, 1).pop())
                    else {
                        continue;
                    };
                    found.undeclared = Some(Witness { value, violation });
                    return;
                }
            }
        }
    }

    /// Whether the key at `pointer` alone makes the difference.
    fn without_is_accepted(&self, value: &Value, pointer: &str) -> bool {
        let mut value = value.clone();
        let Some((parent, key)) = pointer::split_last(pointer) else { return false };
        let parent = parent.to_string();
        let Some(object) = value.pointer_mut(&parent).and_then(Value::as_object_mut) else { return false };
        object.shift_remove(&key).is_some() && agrees(self.to, &value, true)
    }
}

/// Whether the judge's word on `value` is `accepted`, and the packs' grader, where it can use the schema, says the same.
fn agrees(view: &SchemaView<'_>, value: &Value, accepted: bool) -> bool {
    view.judge().is_ok_and(|judge| judge.accepts(value) == accepted)
        && (view.grader().is_err() || grader::agreed(view, value) == Some(accepted))
}

/// `base` with the members of `change`.
fn grafted(base: &Value, change: &Value) -> Option<Value> {
    let (Value::Object(base), Value::Object(change)) = (base, change) else { return None };
    let mut out: Map<String, Value> = base.clone();
    out.extend(change.iter().map(|(k, v)| (k.clone(), v.clone())));
    (out != *change).then_some(Value::Object(out))
}
