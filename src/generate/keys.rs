//! Keys that an object must have though none is named: of a pattern, undeclared, or just more of them. Where
//! the names are few, all of them are tried, and that they do not suffice is a proof.

use super::facts::{Atom, Facts, Goal, Key, NO_ROUTE, Rule, SomeKey, Source, Types};
use super::fresh::{Fresh, shut_patterns};
use super::keyset::Keys;
use super::object::{patterns, properties};
use super::solver::{Fail, Place, Solver};
use crate::schema::empty::is_never;
use serde_json::{Map, Value};
use std::borrow::Cow;

/// Names of one kind that are all looked for.
const MAX_NAMES: usize = 200;

impl<'a> Solver<'a> {
    /// Settle one demand for a key of some kind: choose the key, and search on with it.
    pub(crate) fn place_some_key(
        &mut self,
        facts: &mut Facts<'a>,
        place: &Place<'_>,
    ) -> Option<Result<Value, Fail>> {
        let some = facts.object.some.pop()?;
        let mut failure = Fail::Conflict;
        for is_second in [false, true] {
            let candidates = match is_second {
                false => self.some_key_candidates(facts, some, place).map(|keys| (keys, true)),
                true => self.keys_of_each_kind(facts, some, place),
            };
            let (candidates, are_all) = match candidates {
                Ok(keys) => keys,
                Err(fail) => return Some(Err(fail)),
            };
            self.doubt |= !are_all;
            for key in candidates {
                match self.place_key(facts, some, key, place) {
                    Ok(value) => return Some(Ok(value)),
                    Err(Fail::Budget) => return Some(Err(Fail::Budget)),
                    Err(Fail::Conflict) => {}
                    Err(fail) => failure = fail,
                }
            }
        }
        Some(Err(failure))
    }

    /// Search on with `key` as the one that is demanded.
    fn place_key(
        &mut self,
        facts: &Facts<'a>,
        some: SomeKey<'a>,
        key: Key<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let is_full = facts.object.max.is_some_and(|m| m as usize <= facts.object.has.len());
        if is_full && !facts.object.has.contains(&key) {
            return Err(Fail::Conflict);
        }
        let mark = self.trace.len();
        let mut atoms = vec![Atom::Has(key.clone())];
        atoms.extend(some.value.map(|goal| Atom::KeyGoal(key.clone(), goal)));
        if let Source::Named(goal) = some.source {
            // Marks the key whose name was broken, so that its name is not asked to hold.
            atoms.push(Atom::KeyGoal(Cow::Owned(format!("\u{0}{key}")), goal));
        }
        self.spend_copy(facts);
        let found = self.search(Box::new(facts.clone()), atoms, place);
        if found.is_err() {
            self.trace.truncate(mark);
        }
        found
    }

    fn some_key_candidates(
        &mut self,
        facts: &Facts<'a>,
        some: SomeKey<'a>,
        place: &Place<'_>,
    ) -> Result<Vec<Key<'a>>, Fail> {
        let object = &facts.object;
        let declared = object.rules.iter().flat_map(|r| properties(r.members)).map(|(k, _)| k);
        let mut keys: Vec<Key<'a>> = Vec::new();
        let mut seen = Keys::default();
        let known: Vec<Key<'a>> = object.has.iter().cloned().chain(declared.map(Cow::Borrowed)).collect();
        self.spend(known.len() / 8);
        match some.source {
            Source::Named(goal) => {
                let mut atoms = vec![Atom::Types(Types::STRING), Atom::Goal(goal)];
                for name in object.has.iter().chain(object.lacks.iter()) {
                    atoms.push(Atom::IsNot(Cow::Owned(Value::from(&**name))));
                }
                let mut names: Vec<Goal<'a>> = object.names.clone();
                names.retain(|g| !std::ptr::eq(g.schema, goal.schema));
                atoms.extend(names.into_iter().map(Atom::Goal));
                if let Value::String(name) = self.solve(atoms, &place.key("name"))? {
                    keys.push(Cow::Owned(name));
                }
            }
            Source::Undeclared(members) => {
                for key in known {
                    if self.is_undeclared(members, &key) && seen.insert(key.clone()) {
                        keys.push(key);
                    }
                }
                let apart: Vec<&'a str> = patterns(members).map(|(pattern, _)| pattern).collect();
                for fresh in self.fresh_keys(facts, 3, &Fresh { apart, ..Fresh::default() }, place)? {
                    if self.is_undeclared(members, &fresh) {
                        // A new key is a plainer breach than a second meaning of a known one.
                        keys.insert(0, Cow::Owned(fresh));
                    }
                }
            }
            Source::Pattern(pattern) => {
                let compiled = self.pattern(pattern);
                keys.extend(known.into_iter().filter(|k| compiled.matches(k)));
                let fresh = Fresh { meets: vec![pattern], ..Fresh::default() };
                keys.extend(self.fresh_keys(facts, 3, &fresh, place)?.into_iter().map(Cow::Owned));
            }
            Source::Unevaluated(bit) => {
                let seeing: Vec<Rule<'a>> =
                    object.rules.iter().filter(|r| r.owners & bit != 0).copied().collect();
                let apart = seeing.iter().flat_map(|r| patterns(r.members)).map(|(p, _)| p).collect();
                let fresh = Fresh { apart, ..Fresh::default() };
                keys.extend(self.fresh_keys(facts, 3, &fresh, place)?.into_iter().map(Cow::Owned));
                keys.extend(known);
                keys.retain(|k| !seeing.iter().any(|r| self.evaluates(r.members, k)));
            }
        }
        keys.retain(|k| !object.lacks.contains(k));
        Ok(keys)
    }

    pub(crate) fn is_undeclared(&mut self, members: &'a Map<String, Value>, key: &str) -> bool {
        let named = members.get("properties").and_then(Value::as_object).is_some_and(|p| p.contains_key(key));
        !named && !patterns(members).any(|(p, _)| self.matches(p, key))
    }

    pub(crate) fn grow_object(
        &mut self,
        facts: &Facts<'a>,
        out: &mut Map<String, Value>,
        least: u64,
        place: &Place<'_>,
    ) -> Result<(), Fail> {
        let object = &facts.object;
        let need = |out: &Map<String, Value>| (least as usize).saturating_sub(out.len());
        let mut candidates: Vec<Key<'a>> = Vec::new();
        for rule in &object.rules {
            candidates.extend(properties(rule.members).map(|(k, _)| Cow::Borrowed(k)));
        }
        for goal in &object.names {
            let listed = goal.schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            candidates.extend(listed.filter_map(Value::as_str).map(Cow::Borrowed));
        }
        let mut stage = 0;
        loop {
            for key in std::mem::take(&mut candidates) {
                if need(out) == 0 {
                    return Ok(());
                }
                self.try_key(facts, key, out, place)?;
            }
            let wanted = need(out) + usize::from(stage > 0) * 4;
            if need(out) == 0 {
                return Ok(());
            }
            match stage {
                0 => {
                    let fresh = self.fresh_keys(facts, wanted, &Fresh::default(), place)?;
                    candidates = fresh.into_iter().map(Cow::Owned).collect();
                }
                1 => {
                    let languages: Vec<&'a str> =
                        object.rules.iter().flat_map(|r| patterns(r.members)).map(|(p, _)| p).collect();
                    for pattern in languages {
                        let kind = Fresh { meets: vec![pattern], ..Fresh::default() };
                        let fresh = self.fresh_keys(facts, wanted, &kind, place)?;
                        candidates.extend(fresh.into_iter().map(Cow::Owned));
                    }
                }
                2 => match self.every_key(facts, out, need(out), place)? {
                    Some(every) => candidates = every,
                    None => return Err(self.doubtful()),
                },
                // Every key that there may be had its turn; one that waits for others did not.
                _ => {
                    self.doubt |= !object.dependents.is_empty() || !object.unevaluated.is_empty();
                    return Err(Fail::Conflict);
                }
            }
            stage += 1;
        }
    }

    /// All keys that the object may have besides those of `out`, or as many as are needed; `None` where they
    /// cannot be counted.
    fn every_key(
        &mut self,
        facts: &Facts<'a>,
        out: &Map<String, Value>,
        need: usize,
        place: &Place<'_>,
    ) -> Result<Option<Vec<Key<'a>>>, Fail> {
        let object = &facts.object;
        let closed = object.rules.iter().find(|rule| {
            rule.broken.is_none() && rule.members.get("additionalProperties").is_some_and(is_never)
        });
        // What a name has to be: one that the closed schema declares, or what `propertyNames` leaves.
        let mut kinds: Vec<Vec<Atom<'a>>> = Vec::new();
        let mut keys = Keys::default();
        match closed {
            Some(rule) => {
                for (key, _) in properties(rule.members) {
                    keys.insert(Cow::Borrowed(key));
                }
                let open = patterns(rule.members).filter(|(_, schema)| !is_never(schema));
                kinds.extend(open.map(|(pattern, _)| vec![Atom::Matches(pattern, true)]));
            }
            None if object.names.is_empty() => return Ok(None),
            None => kinds.push(Vec::new()),
        }
        let shut = shut_patterns(facts);
        for mut atoms in kinds {
            atoms.insert(0, Atom::Types(Types::STRING));
            atoms.extend(object.names.iter().map(|g| Atom::Goal(Goal { route: NO_ROUTE, ..*g })));
            atoms.extend(shut.iter().map(|pattern| Atom::Matches(pattern, false)));
            let known = out.keys().map(String::as_str).chain(object.lacks.iter().map(|k| &**k));
            atoms.extend(known.map(|key| Atom::IsNot(Cow::Owned(Value::from(key)))));
            let enough = need.saturating_mul(2).saturating_add(16).min(MAX_NAMES);
            let (names, are_all) = self.every_value(&atoms, enough, &place.key("name"))?;
            if !are_all {
                return Ok(None);
            }
            for name in names {
                if let Value::String(name) = name {
                    keys.insert(Cow::Owned(name));
                }
            }
        }
        Ok(Some(keys.iter().cloned().collect()))
    }

    /// Add the key, if its name and some value for it are possible.
    fn try_key(
        &mut self,
        facts: &Facts<'a>,
        key: Key<'a>,
        out: &mut Map<String, Value>,
        place: &Place<'_>,
    ) -> Result<(), Fail> {
        let object = &facts.object;
        let barred = out.contains_key(&*key) || object.lacks.contains(&key);
        if barred || object.dependents.iter().any(|(k, _)| *k == key && !self.dependent_met(facts, &key, out))
        {
            return Ok(());
        }
        let mark = self.trace.len();
        let found = self.name_holds(facts, &key, place).and_then(|()| self.value_of(facts, &key, place));
        match found {
            Ok(value) => {
                out.insert(key.into_owned(), value);
            }
            Err(Fail::Budget) => return Err(Fail::Budget),
            Err(_) => self.trace.truncate(mark),
        }
        Ok(())
    }

    fn dependent_met(&self, facts: &Facts<'a>, key: &str, out: &Map<String, Value>) -> bool {
        facts.object.dependents.iter().filter(|(k, _)| *k == key).all(|(_, demand)| match demand {
            Atom::Has(other) => out.contains_key(&**other),
            _ => false,
        })
    }
}
