//! Objects: which keys, and what under each.

use super::facts::{Atom, Facts, Goal, NO_ROUTE, Types};
use super::keyset::Keys;
use super::lexicon;
use super::solver::{Fail, Optional, Place, Solver, Way, address};
use crate::schema::empty::is_never;
use crate::schema::walk::Via;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Solver<'a> {
    pub(crate) fn realize_object(
        &mut self,
        mut facts: Box<Facts<'a>>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        facts.types = facts.types.and(Types::OBJECT);
        if !facts.object.committed {
            facts.object.committed = true;
            let mut agenda = Vec::new();
            for (key, atom) in &facts.object.dependents {
                if facts.object.has.contains(key) {
                    agenda.push(atom.clone());
                }
            }
            if !agenda.is_empty() {
                return self.search(facts, agenda, place);
            }
        }
        let object = &facts.object;
        if object.max.is_some_and(|max| max < object.min.max(object.has.len() as u64)) {
            return Err(Fail::Conflict);
        }
        if object.min > super::solver::MAX_ITEMS {
            return Err(Fail::TooBig(format!("an object of at least {} members", object.min)));
        }
        if !object.chosen {
            if let Some(value) = self.sampled_object(&facts, place) {
                return Ok(value);
            }
            facts.object.chosen = true;
            let extra = self.optional_keys(&facts, place);
            if !extra.is_empty() {
                let mark = self.trace.len();
                let atoms = extra.iter().cloned().map(Atom::Has).collect();
                self.spend_copy(&facts);
                match self.search(facts.clone(), atoms, place) {
                    Ok(value) => return Ok(value),
                    Err(Fail::Budget) => return Err(Fail::Budget),
                    Err(_) => self.trace.truncate(mark),
                }
            }
        }
        if let Some(found) = self.place_some_key(&mut facts, place) {
            return found;
        }
        self.fill_object(&facts, place)
    }

    /// The author's own sample of the object, if it fits.
    fn sampled_object(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Option<Value> {
        if self.policy.variant > 0 || self.route.is_some() || !self.policy.wanted.is_empty() {
            return None;
        }
        let samples: Vec<&'a Value> = facts.notes.samples.iter().filter(|s| s.is_object()).copied().collect();
        samples
            .into_iter()
            .find(|s| {
                let empty = s.as_object().is_some_and(Map::is_empty);
                !empty
                    && facts.object.some.is_empty()
                    && !facts.bars(s)
                    && self.check(facts, s, place).is_ok()
            })
            .cloned()
    }

    /// Optional keys to add, by policy: those that are wanted, and a plausible few at the top.
    fn optional_keys(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Keys<'a> {
        let object = &facts.object;
        let room = object.max.map_or(usize::MAX, |m| usize::try_from(m).unwrap_or(usize::MAX));
        let mut room = room.saturating_sub(object.has.len());
        let mut free: Vec<(&'a str, &'a Value)> = Vec::new();
        let mut seen = BTreeSet::new();
        for rule in &object.rules {
            for (key, schema) in properties(rule.members) {
                let taken = object.has.contains(key) || object.lacks.contains(key);
                if !taken && !is_never(schema) && (object.rules.len() == 1 || seen.insert(key)) {
                    free.push((key, schema));
                }
            }
        }
        self.spend(free.len() / 8);
        let few = match self.policy.optional {
            Optional::None => 0,
            Optional::All if !Self::is_deep(place) => usize::MAX,
            Optional::Few if place.depth == 0 => 2,
            _ => 0,
        };
        let mut out = Keys::default();
        for (key, schema) in &free {
            if room > 0 && self.policy.wanted.contains(&address(*schema)) {
                out.insert(Cow::Borrowed(*key));
                room -= 1;
            }
        }
        let mut left = few;
        for (key, schema) in free {
            if left == 0 || room == 0 {
                break;
            }
            let telling = self.policy.optional == Optional::All || lexicon::is_telling(key, schema);
            let unwanted = self.policy.unwanted.contains(&address(schema));
            if telling && !unwanted && out.insert(Cow::Borrowed(key)) {
                room -= 1;
                left -= 1;
            }
        }
        out
    }

    /// Values for all keys, and further keys until there are enough.
    pub(crate) fn fill_object(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        let object = &facts.object;
        if object.has.len() > 64 {
            self.grant(object.has.len());
        }
        let mut out = Map::new();
        let keys = ordered(facts);
        let mut words: BTreeMap<String, usize> = BTreeMap::new();
        for key in keys.iter() {
            self.name_holds(facts, key, place)?;
            let mut child = place.key(key);
            if keys.len() > 1 {
                let known = words.entry(lexicon::last_word(key)).or_default();
                child = child.with_namesakes(*known);
                *known += 1;
            }
            let atoms = child_atoms(self, facts, key);
            let value = self.solve(atoms, &child)?;
            out.insert(key.to_string(), value);
        }
        let extra = if place.depth == 0 { self.policy.extra as u64 } else { 0 };
        let wish = (out.len() as u64 + extra).min(object.max.unwrap_or(u64::MAX));
        if (out.len() as u64) < object.min {
            self.grow_object(facts, &mut out, object.min, place)?;
        } else if (out.len() as u64) < wish {
            let doubt = self.doubt;
            match self.grow_object(facts, &mut out, wish, place) {
                Err(Fail::Budget) => return Err(Fail::Budget),
                _ => self.doubt = doubt,
            }
        }
        if facts.barred() == 0 {
            return Ok(Value::Object(out));
        }
        match Value::Object(out) {
            value if !facts.bars(&value) => Ok(value),
            Value::Object(members) => self.differ(facts, members, place),
            _ => Err(self.doubtful()),
        }
    }

    pub(crate) fn name_holds(&mut self, facts: &Facts<'a>, key: &str, place: &Place<'_>) -> Result<(), Fail> {
        for goal in &facts.object.names {
            let broken = format!("\u{0}{key}");
            let spared = facts
                .object
                .key_goals
                .iter()
                .any(|(k, g)| *k == broken && std::ptr::eq(g.schema, goal.schema));
            if spared {
                continue;
            }
            let goal = Goal { route: NO_ROUTE, ..*goal };
            let atoms = vec![Atom::Goal(goal), Atom::Is(Cow::Owned(Value::from(key)))];
            let mark = self.trace.len();
            self.solve(atoms, &place.key(key))?;
            self.trace.truncate(mark);
        }
        Ok(())
    }

    pub(crate) fn value_of(
        &mut self,
        facts: &Facts<'a>,
        key: &str,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let atoms = child_atoms(self, facts, key);
        self.solve(atoms, &place.key(key))
    }
}

/// What every schema around says of the value under `key`.
pub(crate) fn child_atoms<'a>(solver: &mut Solver<'a>, facts: &Facts<'a>, key: &str) -> Vec<Atom<'a>> {
    let object = &facts.object;
    solver.spend((object.rules.len() + object.key_goals.len() + object.fixed.len()) / 8);
    let mut atoms = Vec::new();
    let extra: Vec<Goal<'a>> = object.key_goals.iter().filter(|(k, _)| *k == key).map(|(_, g)| *g).collect();
    for rule in &object.rules {
        let way = solver.way(rule.route).cloned();
        let routed =
            |schema: &'a Value| extra.iter().any(|g| g.route != NO_ROUTE && std::ptr::eq(g.schema, schema));
        let mut named = false;
        if let Some(schema) = property(rule.members, key) {
            named = true;
            if rule.broken != Some("properties") {
                let on = matches!(&way, Some(Way::Via(Via::Property(p))) if p == key);
                let route = if on { rule.route + 1 } else { NO_ROUTE };
                atoms.push(Atom::Goal(Goal { route, ..Goal::child(schema, true, rule.scope) }));
            }
        }
        for (pattern, schema) in patterns(rule.members) {
            if solver.matches(pattern, key) {
                named = true;
                if rule.broken != Some("patternProperties") && !routed(schema) {
                    atoms.push(Atom::Goal(Goal::child(schema, true, rule.scope)));
                }
            }
        }
        if let Some(schema) = rule.members.get("additionalProperties")
            && !named
            && rule.broken != Some("additionalProperties")
            && !routed(schema)
        {
            atoms.push(Atom::Goal(Goal::child(schema, true, rule.scope)));
        }
    }
    for (bit, goal) in &object.unevaluated {
        let seen = object.rules.iter().any(|r| r.owners & bit != 0 && solver.evaluates(r.members, key));
        if !seen {
            // Branches that were not taken might evaluate it too.
            solver.doubt = true;
            atoms.push(Atom::Goal(*goal));
        }
    }
    atoms.extend(extra.into_iter().map(Atom::Goal));
    let settled = object.fixed.iter().filter(|(k, _)| *k == key);
    atoms.extend(settled.map(|(_, value)| Atom::Is(Cow::Borrowed(*value))));
    atoms
}

impl<'a> Solver<'a> {
    pub(crate) fn evaluates(&mut self, members: &'a Map<String, Value>, key: &str) -> bool {
        members.contains_key("additionalProperties") || !self.is_undeclared(members, key)
    }
}

pub(crate) fn property<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    members.get("properties")?.as_object()?.get(key)
}

pub(crate) fn properties(members: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    members.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, v)| (k.as_str(), v))
}

pub(crate) fn patterns(members: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    members
        .get("patternProperties")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(k, v)| (k.as_str(), v))
}

/// The keys of the object, as its schemas list them, others after.
fn ordered<'a>(facts: &Facts<'a>) -> Keys<'a> {
    let object = &facts.object;
    let mut out = Keys::default();
    for rule in &object.rules {
        for (key, _) in properties(rule.members) {
            if object.has.contains(key) {
                out.insert(Cow::Borrowed(key));
            }
        }
    }
    for key in object.has.iter() {
        out.insert(key.clone());
    }
    out
}
