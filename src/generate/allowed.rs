//! Values that are given, by `enum`, `const` or the author's samples: which of them fit the facts.

use super::facts::{Atom, Facts, Types, same};
use super::object::child_atoms;
use super::solver::{Edge, Fail, Place, Solver, address};
use serde_json::{Map, Value};
use std::borrow::Cow;

impl<'a> Solver<'a> {
    /// One of the allowed values.
    pub(crate) fn realize_allowed(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        let Some(allowed) = &facts.allowed else { return Err(Fail::Conflict) };
        let mut order: Vec<&Cow<'a, Value>> = allowed.iter().collect();
        if order.len() > 1 {
            self.arrange(&mut order, facts, place);
        }
        let mut failure = Fail::Conflict;
        for value in order {
            if !facts.types.has(Types::of_value(value)) || facts.bars(value) {
                continue;
            }
            match self.check(facts, value, place) {
                Ok(()) => {
                    if let Cow::Borrowed(value) = value {
                        self.trace.push(address(*value));
                    }
                    return Ok((**value).clone());
                }
                Err(Fail::Conflict) => {}
                Err(fail @ Fail::Budget) => return Err(fail),
                Err(fail) => failure = fail,
            }
        }
        Err(failure)
    }

    fn arrange(&self, order: &mut Vec<&Cow<'a, Value>>, facts: &Facts<'a>, place: &Place<'_>) {
        let preferred = order.iter().position(|v| match v {
            Cow::Borrowed(v) => self.policy.wanted.contains(&address(*v)),
            Cow::Owned(_) => false,
        });
        let sample = || order.iter().position(|v| facts.notes.samples.iter().any(|s| same(s, v)));
        let first = match (preferred, self.policy.edge) {
            (Some(at), _) => at,
            (None, Edge::Usual) if self.policy.variant == 0 && facts.taken.is_none() => {
                match sample().or_else(|| order.iter().position(|v| !v.is_null() && v.as_str() != Some(""))) {
                    // Without the author's word, the seed chooses.
                    Some(at) if sample().is_some() => at,
                    from => {
                        let n = order.len() - from.unwrap_or(0);
                        from.unwrap_or(0) + self.key.below(place.hash, 11, n)
                    }
                }
            }
            _ => self.key.below(place.hash, 12 + u64::from(self.policy.variant), order.len()),
        };
        let first = first.min(order.len());
        order.rotate_left(first);
    }

    /// Whether `value` satisfies the facts; for objects and arrays, as far as is checked here.
    pub(crate) fn check(&mut self, facts: &Facts<'a>, value: &Value, place: &Place<'_>) -> Result<(), Fail> {
        let fits = match value {
            Value::Null | Value::Bool(_) => true,
            Value::Number(n) => self.fits_number(facts, n),
            Value::String(s) => self.fits_string(facts, s, false),
            Value::Array(items) => return self.check_array(facts, items, place),
            Value::Object(members) => return self.check_object(facts, members, place),
        };
        if fits { Ok(()) } else { Err(Fail::Conflict) }
    }

    fn check_array(&mut self, facts: &Facts<'a>, items: &[Value], place: &Place<'_>) -> Result<(), Fail> {
        let array = &facts.array;
        let n = items.len() as u64;
        if n < array.min || array.max.is_some_and(|m| n > m) {
            return Err(Fail::Conflict);
        }
        if let Some(unique) = array.unique {
            let texts: std::collections::BTreeSet<String> =
                items.iter().map(super::facts::canonical).collect();
            if (texts.len() == items.len()) != unique {
                return Err(Fail::Conflict);
            }
        }
        for (i, item) in items.iter().enumerate() {
            let mut atoms = self.item_atoms(facts, i);
            if !atoms.is_empty() {
                atoms.push(Atom::Is(Cow::Owned(item.clone())));
                self.solve(atoms, &place.at(i))?;
            }
        }
        for contains in &array.contains {
            let mut matching = 0;
            for (i, item) in items.iter().enumerate() {
                let atoms = vec![Atom::Goal(contains.goal), Atom::Is(Cow::Owned(item.clone()))];
                match self.solve(atoms, &place.at(i)) {
                    Ok(_) => matching += 1,
                    Err(Fail::Budget) => return Err(Fail::Budget),
                    Err(_) => {}
                }
            }
            if matching < contains.min || contains.max.is_some_and(|m| matching > m) {
                return Err(Fail::Conflict);
            }
        }
        Ok(())
    }

    fn check_object(
        &mut self,
        facts: &Facts<'a>,
        members: &Map<String, Value>,
        place: &Place<'_>,
    ) -> Result<(), Fail> {
        let object = &facts.object;
        let n = members.len() as u64;
        let counts = n >= object.min && object.max.is_none_or(|m| n <= m);
        let has = object.has.iter().all(|k| members.contains_key(&**k));
        let lacks = object.lacks.iter().all(|k| !members.contains_key(&**k));
        if !(counts && has && lacks) {
            return Err(Fail::Conflict);
        }
        for (key, value) in members {
            for goal in &object.names {
                let atoms = vec![Atom::Goal(*goal), Atom::Is(Cow::Owned(Value::from(key.as_str())))];
                self.solve(atoms, &place.key(key))?;
            }
            let mut atoms = child_atoms(self, facts, key);
            if !atoms.is_empty() {
                atoms.push(Atom::Is(Cow::Owned(value.clone())));
                self.solve(atoms, &place.key(key))?;
            }
        }
        for (key, demand) in &object.dependents {
            if !members.contains_key(*key) {
                continue;
            }
            let met = match demand {
                Atom::Has(other) => members.contains_key(&**other) || object.has.contains(other),
                Atom::Goal(goal) => {
                    let is = Atom::Is(Cow::Owned(Value::Object(members.clone())));
                    self.solve(vec![Atom::Goal(*goal), is], place).is_ok()
                }
                _ => true,
            };
            if !met {
                return Err(Fail::Conflict);
            }
        }
        Ok(())
    }
}
