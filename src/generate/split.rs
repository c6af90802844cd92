//! Which choice is settled next: tagged unions by their tag (where many conditions ask for the value of
//! one listed key, that value is settled first, and most conditions with it), else the narrowest.

use super::facts::{Alternative, Atom, Choice, Facts, Goal, Key, Rule, Types, same};
use super::object::{patterns, properties, property};
use super::solver::{Fail, Place, Solver, address};
use serde_json::Value;
use std::rc::Rc;

/// Conditions that must ask for a key before it is settled first.
const ENOUGH: usize = 3;
/// Values beyond which a key is not split.
const MAX_VALUES: usize = 300;

impl<'a> Solver<'a> {
    /// Whether a closed object among the rules leaves no room for `key`.
    pub(crate) fn is_shut_out(&self, rules: &[Rule<'a>], key: &str) -> bool {
        rules.iter().any(|rule| {
            rule.broken.is_none()
                && rule.members.get("additionalProperties") == Some(&Value::Bool(false))
                && property(rule.members, key).is_none()
                && !patterns(rule.members).any(|(p, _)| self.matches(p, key))
        })
    }

    /// The choice of a key's value, if it decides many of the open choices.
    pub(crate) fn split(&self, facts: &Facts<'a>, place: &Place<'_>) -> Option<Choice<'a>> {
        let object = &facts.object;
        if facts.choices.len() < ENOUGH || facts.types != Types::OBJECT {
            return None;
        }
        for rule in &object.rules {
            for (key, schema) in properties(rule.members) {
                let listed = schema.get("enum").and_then(Value::as_array);
                let Some(values) = listed.filter(|v| (2..=MAX_VALUES).contains(&v.len())) else { continue };
                let open = object.has.contains(key) && !object.fixed.iter().any(|(k, _)| *k == key);
                if !open || asking(facts, key) < ENOUGH {
                    continue;
                }
                let mut alternatives: Vec<Alternative<'a>> = values
                    .iter()
                    .map(|value| Alternative {
                        atoms: vec![Atom::KeyIs(Key::Borrowed(key), value)],
                        types: Types::OBJECT,
                        taken: 0,
                    })
                    .collect();
                let wanted = values.iter().position(|v| self.policy.wanted.contains(&address(v)));
                let first = wanted.unwrap_or_else(|| self.key.below(place.hash, 31, values.len()));
                alternatives.rotate_left(first);
                return Some(Choice::new(0, alternatives));
            }
        }
        None
    }
}

/// Open choices with a condition on the value under `key`.
fn asking(facts: &Facts<'_>, key: &str) -> usize {
    let mentions = |atom: &Atom<'_>| match atom {
        Atom::Goal(goal) => goal.schema.get("properties").and_then(|p| p.get(key)).is_some(),
        _ => false,
    };
    facts.choices.iter().filter(|c| c.alternatives.iter().any(|a| a.atoms.iter().any(mentions))).count()
}

/// Whether the settled keys already decide against one of the atoms.
pub(crate) fn is_refuted(facts: &Facts<'_>, atoms: &[Atom<'_>]) -> bool {
    facts.types == Types::OBJECT
        && !facts.object.fixed.is_empty()
        && atoms.iter().any(|atom| match atom {
            Atom::Goal(goal) if goal.holds => fails(facts, goal),
            Atom::Goal(goal) => surely_holds(facts, goal),
            _ => false,
        })
}

fn settled<'f>(facts: &'f Facts<'_>, key: &str) -> Option<&'f Value> {
    facts.object.fixed.iter().find(|(k, _)| *k == key).map(|(_, v)| *v)
}

fn admits(schema: &Value, value: &Value) -> bool {
    let constant = schema.get("const").is_none_or(|c| same(c, value));
    let listed = schema.get("enum").and_then(Value::as_array);
    constant && listed.is_none_or(|list| list.iter().any(|v| same(v, value)))
}

/// The goal's schema refuses a settled value.
fn fails(facts: &Facts<'_>, goal: &Goal<'_>) -> bool {
    let Value::Object(members) = goal.schema else { return false };
    if members.contains_key("$ref") {
        return false;
    }
    properties(members).any(|(key, schema)| settled(facts, key).is_some_and(|v| !admits(schema, v)))
}

/// The goal's schema asks for nothing but settled values, and gets them.
fn surely_holds(facts: &Facts<'_>, goal: &Goal<'_>) -> bool {
    let Value::Object(members) = goal.schema else { return false };
    let silent = ["title", "description", "$comment"];
    members.iter().all(|(keyword, value)| match keyword.as_str() {
        "properties" => properties(members).all(|(key, schema)| {
            let plain = schema.as_object().is_some_and(|s| {
                s.keys().all(|k| k == "const" || k == "enum" || silent.contains(&k.as_str()))
            });
            plain && settled(facts, key).is_some_and(|v| admits(schema, v))
        }),
        "required" => value.as_array().is_some_and(|names| {
            names.iter().all(|n| n.as_str().is_some_and(|n| facts.object.has.contains(n)))
        }),
        "type" => value == "object",
        other => silent.contains(&other),
    })
}

/// Take out the choice with the fewest alternatives left; one without any is a conflict.
pub(crate) fn next_choice<'a>(facts: &mut Facts<'a>) -> Result<Option<Choice<'a>>, Fail> {
    let types = facts.types;
    let mut best: Option<(usize, usize)> = None;
    let mut choices = std::mem::take(&mut facts.choices);
    for (i, choice) in choices.iter_mut().enumerate() {
        let possible = |i: &usize| {
            choice.alternatives.get(*i).is_some_and(|a| a.types.has(types) && !is_refuted(facts, &a.atoms))
        };
        if !choice.live.iter().all(possible) {
            choice.live = Rc::new(choice.live.iter().copied().filter(possible).collect());
        }
        let left = choice.live.len();
        if left == 0 {
            return Err(Fail::Conflict);
        }
        if best.is_none_or(|(_, least)| left < least) {
            best = Some((i, left));
        }
    }
    let chosen = best.map(|(i, _)| choices.remove(i));
    facts.choices = choices;
    Ok(chosen)
}
