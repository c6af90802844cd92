//! Keywords as data: their parts, the types they speak of, and how facts grow by them.

use super::facts::{Alternative, Atom, Bound, Choice, Facts, Goal, SomeKey, Source, Types, canonical, same};
use super::solver::{Fail, Way};
use crate::schema::Dialect;
use crate::schema::walk::Via;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeSet;

pub(crate) type Members<'a> = &'a Map<String, Value>;

/// A count keyword's value; anything else does not constrain.
pub(crate) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().filter(|f| *f >= 0.0).map(|f| f as u64))
}

/// What the route's next step asks of the value: the key or item that it leads through must exist.
pub(crate) fn follow_route<'a>(
    way: &Way,
    members: Members<'a>,
    goal: Goal<'a>,
    dialect: Dialect,
    agenda: &mut Vec<Atom<'a>>,
) {
    let Way::Via(via) = way else { return };
    let routed = |schema: &'a Value| Goal { route: goal.route + 1, ..Goal::child(schema, true, goal.scope) };
    match via {
        Via::Property(name) => {
            agenda.push(Atom::Types(Types::OBJECT));
            agenda.push(Atom::Has(Cow::Owned(name.clone())));
        }
        Via::DependentSchema(name) => {
            agenda.push(Atom::Types(Types::OBJECT));
            agenda.push(Atom::Has(Cow::Owned(name.clone())));
        }
        Via::PatternProperty(pattern) => {
            let entry = members
                .get("patternProperties")
                .and_then(Value::as_object)
                .and_then(|p| p.get_key_value(pattern));
            if let Some((pattern, schema)) = entry {
                agenda.push(Atom::Types(Types::OBJECT));
                agenda.push(Atom::SomeKey(SomeKey {
                    source: Source::Pattern(pattern),
                    value: Some(routed(schema)),
                }));
            }
        }
        Via::AdditionalProperties => {
            if let Some(schema) = members.get("additionalProperties") {
                agenda.push(Atom::Types(Types::OBJECT));
                agenda.push(Atom::SomeKey(SomeKey {
                    source: Source::Undeclared(members),
                    value: Some(routed(schema)),
                }));
            }
        }
        Via::PropertyNames => {
            if let Some(schema) = members.get("propertyNames") {
                agenda.push(Atom::Types(Types::OBJECT));
                agenda.push(Atom::SomeKey(SomeKey { source: Source::Named(routed(schema)), value: None }));
            }
        }
        Via::PrefixItem(index) => {
            agenda.push(Atom::Types(Types::ARRAY));
            agenda.push(Atom::MinItems(*index as u64 + 1));
        }
        Via::Items | Via::AdditionalItems => {
            let (prefix, rest, _) = item_parts(members, dialect);
            if let Some(schema) = rest {
                agenda.push(Atom::Types(Types::ARRAY));
                agenda.push(Atom::SomeItem(prefix.len(), routed(schema)));
            }
        }
        _ => {}
    }
}

/// The schemas of the first items, that of the others, and the keyword that holds the latter.
pub(crate) fn item_parts(members: Members<'_>, dialect: Dialect) -> (&[Value], Option<&Value>, &'static str) {
    let prefix = array_prefix(members, dialect);
    if dialect > Dialect::Draft201909 {
        return (prefix, members.get("items"), "items");
    }
    match members.get("items") {
        Some(Value::Array(_)) => (prefix, members.get("additionalItems"), "additionalItems"),
        other => (prefix, other, "items"),
    }
}

pub(crate) fn array_prefix(members: Members<'_>, dialect: Dialect) -> &[Value] {
    let keyword = if dialect > Dialect::Draft201909 { "prefixItems" } else { "items" };
    members.get(keyword).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Add a disjunction; a single alternative is no choice.
pub(crate) fn choose<'a>(
    facts: &mut Facts<'a>,
    agenda: &mut Vec<Atom<'a>>,
    site: usize,
    mut alternatives: Vec<Alternative<'a>>,
) -> Result<(), Fail> {
    if alternatives.len() == 1 {
        for alternative in alternatives.drain(..) {
            agenda.extend(alternative.atoms);
        }
        return Ok(());
    }
    if alternatives.is_empty() {
        return Err(Fail::Conflict);
    }
    facts.choices.push(Choice::new(site, alternatives));
    Ok(())
}

/// Types that a value must have to break the keyword.
pub(crate) fn broken_types(keyword: &str, value: &Value) -> Types {
    match keyword {
        "type" => Types(Types::ALL.0 & !Types::of_keyword(value).0),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => Types::NUMBER,
        "minLength" | "maxLength" | "pattern" | "format" => Types::STRING,
        "minItems" | "maxItems" | "uniqueItems" | "items" | "prefixItems" | "additionalItems"
        | "contains" | "unevaluatedItems" => Types::ARRAY,
        "minProperties"
        | "maxProperties"
        | "required"
        | "properties"
        | "patternProperties"
        | "additionalProperties"
        | "propertyNames"
        | "dependentRequired"
        | "dependentSchemas"
        | "dependencies"
        | "unevaluatedProperties" => Types::OBJECT,
        _ => Types::ALL,
    }
}

/// Keep the author's words about the value.
pub(crate) fn note<'a>(members: Members<'a>, facts: &mut Facts<'a>) {
    let text = |k: &str| members.get(k).and_then(Value::as_str);
    facts.notes.descriptions.extend(text("description"));
    facts.notes.titles.extend(text("title"));
    let examples = members.get("examples").and_then(Value::as_array);
    facts.notes.samples.extend(examples.into_iter().flatten());
    facts.notes.samples.extend(members.get("example"));
    facts.notes.samples.extend(members.get("default"));
}

/// Comparisons beyond which two lists of values are not compared one by one.
const MANY_PAIRS: usize = 1_000;

pub(crate) fn allow<'a>(facts: &mut Facts<'a>, values: Vec<Cow<'a, Value>>) {
    facts.allowed = Some(match facts.allowed.take() {
        None => values,
        Some(known) if known.len() * values.len() > MANY_PAIRS => {
            let texts: BTreeSet<String> = values.iter().map(|v| canonical(v)).collect();
            known.into_iter().filter(|k| texts.contains(&canonical(k))).collect()
        }
        Some(known) => known.into_iter().filter(|k| values.iter().any(|v| same(k, v))).collect(),
    });
    if facts.allowed.as_ref().is_some_and(Vec::is_empty) {
        facts.types = Types(0);
    }
}

pub(crate) fn exclude<'a>(facts: &mut Facts<'a>, value: Cow<'a, Value>) {
    match &*value {
        Value::Null => facts.types = facts.types.without(Types::NULL),
        _ => facts.excluded.push(value),
    }
}

pub(crate) fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

pub(crate) fn lower_max(max: &mut Option<u64>, value: &Value) {
    if let Some(n) = count(value) {
        *max = Some(max.map_or(n, |m| m.min(n)));
    }
}

/// Keep the tighter of two bounds.
pub(crate) fn tighten(facts: &mut Facts<'_>, bound: Bound, lower: bool) {
    let known = if lower { &mut facts.number.lower } else { &mut facts.number.upper };
    let tighter = match known {
        None => true,
        Some(k) => match bound.value.cmp(&k.value) {
            std::cmp::Ordering::Equal => k.inclusive && !bound.inclusive,
            order => (order == std::cmp::Ordering::Greater) == lower,
        },
    };
    if tighter {
        *known = Some(bound);
    }
}
