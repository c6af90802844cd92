//! One schema of a tool in two releases: what is accepted, or promised, and how that is said.

use super::places::Place;
use super::removed::{self, Made};
use super::search::{Effort, Found, Rest, Search, Witness};
use super::structure::{self, Named, Structure};
use super::words::{are, keyword, missing, named, place, quoted, shown};
use super::{Change, Class, anchors, meaning};
use crate::pointer;
use crate::rules::diff as rules;
use crate::schema::{SchemaView, common};
use serde_json::{Value, json};

/// What changed in the input schema. `at` is its pointer in the new listing.
pub(super) fn input(
    old: Option<&Value>,
    new: Option<&Value>,
    at: &str,
    name: &str,
    effort: Effort,
) -> Vec<Change> {
    let missing = json!({"type": "object"});
    let (old, new) = (old.unwrap_or(&missing), new.unwrap_or(&missing));
    if old == new {
        return Vec::new();
    }
    let (old, new) = (anchors::written_out(old), anchors::written_out(new));
    let both = Both { old: &old, new: &new, at, name, effort };
    let Some(structure) = both.structure(true) else { return vec![both.not_schemas(true)] };
    let mut out = Vec::new();
    let (broken, widened) = both.search(true, &structure);
    let (is_open, perhaps_wider) = (broken.is_open, widened.is_open);
    both.arguments(&structure, broken, &mut out);
    if let Some(change) = both.wider(widened, &structure, &out) {
        out.push(change);
    }
    out.extend(both.placed(structure.changes));
    if out.is_empty() && is_open {
        let message = "the inputSchema changed, and neither a proof that every old call is accepted nor a call that is \
                       refused was found";
        out.push(Change::new(Class::Warning, &rules::INPUT_UNDECIDED, at, message));
    } else if out.is_empty() && perhaps_wider {
        let message = "every old call is accepted, and perhaps more than before";
        out.push(Change::new(Class::Compatible, &rules::INPUT_WIDENED, at, message));
    }
    out
}

/// What changed in the output schema.
pub(super) fn output(
    old: Option<&Value>,
    new: Option<&Value>,
    at: &str,
    name: &str,
    effort: Effort,
) -> Vec<Change> {
    let (old, new) = match (old, new) {
        (None, None) => return Vec::new(),
        (None, Some(_)) => {
            let message = "the tool has an outputSchema now";
            return vec![Change::new(Class::Additive, &rules::OUTPUT_ADDED, at, message)];
        }
        (Some(_), None) => {
            let message = "the tool has no outputSchema any more: results are promised nothing";
            return vec![Change::new(Class::Breaking, &rules::OUTPUT_REMOVED, at, message)];
        }
        (Some(old), Some(new)) => (old, new),
    };
    if old == new {
        return Vec::new();
    }
    let (old, new) = (anchors::written_out(old), anchors::written_out(new));
    let both = Both { old: &old, new: &new, at, name, effort };
    let Some(structure) = both.structure(false) else { return vec![both.not_schemas(false)] };
    let mut out = Vec::new();
    let (broken, narrowed) = both.search(false, &structure);
    let is_open = broken.is_open;
    both.fields(&structure, broken, &mut out);
    if let Some(change) = both.narrower(narrowed, &structure) {
        out.push(change);
    }
    out.extend(both.placed(structure.changes));
    if out.is_empty() && is_open {
        let message = "the outputSchema changed, and neither a proof that every new result is one of before nor a \
                       result that is not was found";
        out.push(Change::new(Class::Warning, &rules::OUTPUT_UNDECIDED, at, message));
    }
    out
}

struct Both<'a> {
    old: &'a Value,
    new: &'a Value,
    at: &'a str,
    name: &'a str,
    effort: Effort,
}

impl Both<'_> {
    /// What differs place by place; `None` where one of the two is no schema.
    fn structure(&self, is_input: bool) -> Option<Structure> {
        let is_schema = |v: &Value| v.is_object() || v.is_boolean();
        (is_schema(self.old) && is_schema(self.new)).then(|| structure::compare(self.old, self.new, is_input))
    }

    fn not_schemas(&self, is_input: bool) -> Change {
        let rule = if is_input { &rules::INPUT_UNDECIDED } else { &rules::OUTPUT_UNDECIDED };
        let which = if self.new.is_object() || self.new.is_boolean() { "old" } else { "new" };
        let message = format!(
            "the schema changed and cannot be compared: the {which} one is neither an object nor a boolean"
        );
        Change::new(Class::Warning, rule, self.at, message)
    }

    /// What breaks, and what is only different in the harmless direction.
    fn search(&self, is_input: bool, structure: &Structure) -> (Found, Found) {
        if meaning::of(self.old) == meaning::of(self.new) {
            return (Found::default(), Found::default());
        }
        let (old, new) = (SchemaView::new(self.old), SchemaView::new(self.new));
        let declared = Place::root(self.old);
        let rest = common::taken_out(self.old, self.new, |one, two| meaning::of(one) == meaning::of(two));
        let of_rest =
            rest.as_ref().map(|rest| (SchemaView::new(&rest.old), SchemaView::new(&rest.new), &rest.taken));
        let sides = |from_is_old: bool| {
            let turned = |old, new| if from_is_old { (old, new) } else { (new, old) };
            let (from, to) = turned(&old, &new);
            let rest = of_rest.as_ref().map(|(old, new, taken)| {
                let (from, to) = turned(old, new);
                Rest { from, to, taken }
            });
            let declared = &declared;
            let (name, effort) = (self.name, self.effort);
            Search { from, to, rest, only_objects: is_input, declared, from_is_old, name, effort }
        };
        let search = |from_is_old: bool| {
            let mut search = sides(from_is_old);
            let found = search.run();
            // What is left alone may differ where the whole does not.
            let is_empty = found.declared.is_empty() && found.undeclared.is_none();
            let is_open = found.undecided.is_some() || found.is_open && is_empty && structure.is_empty();
            if search.rest.is_none() || !is_open {
                return found;
            }
            search.rest = None;
            search.run()
        };
        (search(is_input), search(!is_input))
    }

    fn arguments(&self, structure: &Structure, mut found: Found, out: &mut Vec<Change>) {
        let mut refused: Vec<(&Named, Value)> = Vec::new();
        for gone in &structure.removed {
            let of_it = |w: &Witness| {
                let refused_key = ["additionalProperties", "unevaluatedProperties", "propertyNames"]
                    .contains(&w.keyword().as_str());
                let renamed = w.violation.keyword == "required"
                    && gone.renamed.as_deref().is_some_and(|to| missing(self.new, w).iter().any(|m| m == to));
                w.value.pointer(&gone.instance).is_some() && (refused_key || renamed)
            };
            let of_this: Vec<Witness> = take(&mut found.declared, of_it);
            refused.extend(of_this.into_iter().next().map(|w| (gone, w.value)));
        }
        let mut made = Made::new(self.old, self.new, structure, &refused);
        for gone in &structure.removed {
            let own = refused.iter().find(|(of, _)| of.instance == gone.instance);
            let witness = own.map(|(_, value)| value.clone()).or_else(|| made.witness(gone));
            let fate = match &witness {
                Some(_) => "calls that have it are refused",
                None if removed::is_closed_around(self.new, &gone.instance) => {
                    "the object that held it is closed, and calls that have it are likely refused"
                }
                None => "calls that have it are accepted, and it is ignored",
            };
            let change = match &gone.renamed {
                Some(to) => Change::new(
                    Class::Breaking,
                    &rules::ARGUMENT_RENAMED,
                    self.at_new(&gone.pointer),
                    format!("argument {} is gone; {} looks like its new name", gone.shown(), quoted(to)),
                ),
                None => Change::new(
                    Class::Breaking,
                    &rules::ARGUMENT_REMOVED,
                    self.at_new(&gone.pointer),
                    format!("argument {} is no longer declared: {fate}", gone.shown()),
                ),
            };
            out.push(change.witness(witness));
        }
        let mut demanded: Vec<String> = Vec::new();
        for witness in found.declared {
            let names = missing(self.new, &witness);
            let pointer = self.at_new(&witness.violation.schema_pointer);
            let change = if names.is_empty() {
                Change::new(Class::Breaking, &rules::INPUT_NARROWED, pointer, self.refused(&witness))
            } else {
                let message = format!("{} required now", are("argument", &names));
                demanded.extend(names);
                Change::new(Class::Breaking, &rules::ARGUMENT_REQUIRED, pointer, message)
            };
            out.push(change.witness(Some(witness.value)));
        }
        if let Some(witness) = found.undeclared {
            let pointer = self.at_new(&witness.violation.schema_pointer);
            let message =
                format!("arguments that neither release declares are refused now (`{}`)", witness.keyword());
            out.push(
                Change::new(Class::Warning, &rules::INPUT_CLOSED, pointer, message)
                    .witness(Some(witness.value)),
            );
        }
        if let Some(why) = found.undecided {
            let message =
                format!("the inputSchema changed, and it is undecided whether an old call is refused: {why}");
            out.push(Change::new(Class::Warning, &rules::INPUT_UNDECIDED, self.at, message));
        }
        for new in structure.added.iter().filter(|n| n.renamed.is_none() && !demanded.contains(&n.instance)) {
            let message = format!("argument {} is new", new.shown());
            out.push(Change::new(
                Class::Additive,
                &rules::ARGUMENT_ADDED,
                self.at_new(&new.pointer),
                message,
            ));
        }
    }

    fn fields(&self, structure: &Structure, mut found: Found, out: &mut Vec<Change>) {
        for gone in &structure.removed {
            let of_it = |w: &Witness| {
                pointer::is_within(&w.violation.instance_pointer, &gone.instance)
                    || missing(self.old, w).contains(&gone.instance)
            };
            let witness = take(&mut found.declared, of_it).into_iter().next().map(|w| w.value);
            let hint = match &gone.renamed {
                Some(to) => format!("; {} looks like its new name", quoted(to)),
                None => String::new(),
            };
            let message = format!("field {} is no longer declared{hint}", gone.shown());
            let change = Change::new(
                Class::Breaking,
                &rules::OUTPUT_FIELD_REMOVED,
                self.at_new(&gone.pointer),
                message,
            );
            out.push(change.witness(witness));
        }
        for witness in found.declared {
            let pointer = self.at_new(&witness.violation.schema_pointer);
            let names = missing(self.old, &witness);
            let message = if names.is_empty() {
                self.allowed(&witness)
            } else {
                format!("{} can be missing now", named("field", &names))
            };
            out.push(
                Change::new(Class::Breaking, &rules::OUTPUT_WIDENED, pointer, message)
                    .witness(Some(witness.value)),
            );
        }
        if let Some(witness) = found.undeclared {
            let message =
                "results can have fields that neither release declares, which the old one ruled out";
            out.push(
                Change::new(Class::Warning, &rules::OUTPUT_OPENED, self.at, message)
                    .witness(Some(witness.value)),
            );
        }
        if let Some(why) = found.undecided {
            let message =
                format!("the outputSchema changed, and it is undecided whether an old reader fails: {why}");
            out.push(Change::new(Class::Warning, &rules::OUTPUT_UNDECIDED, self.at, message));
        }
        for new in structure.added.iter().filter(|n| n.renamed.is_none()) {
            let message = format!("field {} is new", new.shown());
            out.push(Change::new(
                Class::Additive,
                &rules::OUTPUT_FIELD_ADDED,
                self.at_new(&new.pointer),
                message,
            ));
        }
    }

    fn wider(&self, found: Found, structure: &Structure, said: &[Change]) -> Option<Change> {
        let rule = &rules::INPUT_WIDENED;
        // What is not declared any more takes anything, which is no gain.
        let is_gone = |w: &Witness| {
            structure.removed.iter().any(|gone| {
                pointer::is_within(&w.violation.instance_pointer, &gone.instance)
                    || missing(self.old, w).contains(&gone.instance)
            })
        };
        let has_found = !found.declared.is_empty();
        if let Some(witness) = found.declared.into_iter().find(|w| !is_gone(w)) {
            let pointer = self.at_new(&witness.violation.schema_pointer);
            let names = missing(self.old, &witness);
            let message = if names.is_empty() {
                format!(
                    "more is accepted now: {} could not be {}",
                    place(&witness, "the arguments"),
                    shown(&witness)
                )
            } else {
                format!("{} no longer required", are("argument", &names))
            };
            return Some(Change::new(Class::Compatible, rule, pointer, message).witness(Some(witness.value)));
        }
        if let Some(witness) = found.undeclared {
            let message = "arguments that neither release declares are tolerated now";
            return Some(Change::new(Class::Compatible, rule, self.at, message).witness(Some(witness.value)));
        }
        // Whether more is accepted is of no weight beside what was found.
        let open = found.undecided.is_some() && said.is_empty() && !has_found;
        open.then(|| {
            Change::new(
                Class::Compatible,
                rule,
                self.at,
                "every old call is accepted, and perhaps more than before",
            )
        })
    }

    fn narrower(&self, found: Found, structure: &Structure) -> Option<Change> {
        let rule = &rules::OUTPUT_NARROWED;
        let is_new = |w: &Witness| {
            let names = missing(self.new, w);
            !names.is_empty() && names.iter().all(|n| structure.added.iter().any(|a| a.instance == *n))
        };
        let witness = found.declared.into_iter().find(|w| !is_new(w))?;
        let pointer = self.at_new(&witness.violation.schema_pointer);
        let names = missing(self.new, &witness);
        let message = if names.is_empty() {
            format!(
                "less is possible now: {} is never {} any more",
                place(&witness, "the result"),
                shown(&witness)
            )
        } else {
            format!("{} always there now", are("field", &names))
        };
        Some(Change::new(Class::Compatible, rule, pointer, message).witness(Some(witness.value)))
    }

    /// "`n` no longer takes 51: `maximum` is 50".
    fn refused(&self, witness: &Witness) -> String {
        let place = place(witness, "the arguments");
        format!("{place} cannot be {} any more: {}", shown(witness), keyword(self.new, witness, "is"))
    }

    fn allowed(&self, witness: &Witness) -> String {
        let place = place(witness, "the result");
        format!("{place} can be {} now: {}", shown(witness), keyword(self.old, witness, "was"))
    }

    /// `pointer` (in either schema) in the new listing, or the nearest place around it that is there.
    fn at_new(&self, pointer: &str) -> String {
        let mut pointer = pointer;
        while self.new.pointer(pointer).is_none() {
            pointer = pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
        }
        format!("{}{pointer}", self.at)
    }

    fn placed(&self, changes: Vec<Change>) -> impl Iterator<Item = Change> {
        changes.into_iter().map(|mut change| {
            change.pointer = self.at_new(&change.pointer);
            change
        })
    }
}

fn take(from: &mut Vec<Witness>, which: impl Fn(&Witness) -> bool) -> Vec<Witness> {
    let (taken, left) = std::mem::take(from).into_iter().partition(which);
    *from = left;
    taken
}
