//! New keys for an object: plain words where they will do, else names made to match some patterns and to
//! keep clear of others.

use super::facts::{Atom, Facts, Key, NO_ROUTE, SomeKey, Source, Types};
use super::keyset::Keys;
use super::lexicon;
use super::object::{patterns, properties, property};
use super::solver::{Fail, Place, Solver};
use crate::schema::empty::is_never;
use serde_json::Value;
use std::borrow::Cow;

/// Words that are tried when an object must hold more.
const KEY_TRIES: usize = 200;
/// Patterns whose names are tried with and without each other.
const MAX_KINDS: usize = 4;
/// Names in `properties` that a new key is told from one by one.
const MAX_DECLARED: usize = 64;

/// What a new key has to match, and what it must not.
#[derive(Default)]
pub(super) struct Fresh<'a> {
    pub meets: Vec<&'a str>,
    pub apart: Vec<&'a str>,
    /// Whether no `properties` may name it.
    pub is_undeclared: bool,
}

impl<'a> Solver<'a> {
    /// A new key for every way to meet some of the object's other patterns and keep clear of the rest: where a plain
    /// word was refused, the schema under some pattern refused its value. Names of one kind are under the same
    /// schemas, so that with `true` beside them no further new key needs to be tried.
    pub(super) fn keys_of_each_kind(
        &mut self,
        facts: &Facts<'a>,
        some: SomeKey<'a>,
        place: &Place<'_>,
    ) -> Result<(Vec<Key<'a>>, bool), Fail> {
        let (meets, apart): (Vec<&'a str>, Vec<&'a str>) = match some.source {
            Source::Named(_) | Source::Unevaluated(_) => return Ok((Vec::new(), false)),
            Source::Pattern(pattern) => (vec![pattern], Vec::new()),
            Source::Undeclared(members) => (Vec::new(), patterns(members).map(|(p, _)| p).collect()),
        };
        let mut others: Vec<&'a str> = Vec::new();
        for (other, _) in facts.object.rules.iter().flat_map(|r| patterns(r.members)) {
            if !meets.contains(&other) && !apart.contains(&other) && !others.contains(&other) {
                others.push(other);
            }
        }
        let are_all = others.len() <= MAX_KINDS && names_are_alike(facts);
        others.truncate(MAX_KINDS);
        let mut keys: Vec<Key<'a>> = Vec::new();
        for kind in 0..1u32 << others.len() {
            let mut fresh = Fresh { meets: meets.clone(), apart: apart.clone(), is_undeclared: true };
            for (at, other) in others.iter().enumerate() {
                let side = if kind >> at & 1 == 1 { &mut fresh.meets } else { &mut fresh.apart };
                side.push(other);
            }
            for key in self.fresh_keys(facts, 1, &fresh, place)? {
                let fits = match some.source {
                    Source::Undeclared(members) => self.is_undeclared(members, &key),
                    _ => true,
                };
                if fits && !keys.iter().any(|k| **k == *key) {
                    keys.push(Cow::Owned(key));
                }
            }
        }
        Ok((keys, are_all))
    }

    /// Keys that the object does not hold yet and no `properties` names, obeying `propertyNames`.
    pub(super) fn fresh_keys(
        &mut self,
        facts: &Facts<'a>,
        count: usize,
        kind: &Fresh<'a>,
        place: &Place<'_>,
    ) -> Result<Vec<String>, Fail> {
        let object = &facts.object;
        let mut out: Vec<String> = Vec::new();
        let apart = [kind.apart.as_slice(), &shut_patterns(facts)].concat();
        if object.names.is_empty() && kind.meets.is_empty() {
            self.fresh_words(facts, count, &apart, &mut out)?;
            if apart.is_empty() {
                return Ok(out);
            }
        }
        for i in out.len()..count {
            let mut atoms = vec![Atom::Types(Types::STRING)];
            atoms.extend(kind.meets.iter().map(|p| Atom::Matches(p, true)));
            atoms.extend(apart.iter().map(|p| Atom::Matches(p, false)));
            atoms.extend(object.names.iter().copied().filter(|g| g.route == NO_ROUTE).map(Atom::Goal));
            for known in object.has.iter().chain(object.lacks.iter()) {
                atoms.push(Atom::IsNot(Cow::Owned(Value::from(&**known))));
            }
            if kind.is_undeclared {
                let declared = object.rules.iter().flat_map(|r| properties(r.members));
                atoms.extend(declared.map(|(name, _)| Atom::IsNot(Cow::Owned(Value::from(name)))));
            }
            for known in &out {
                atoms.push(Atom::IsNot(Cow::Owned(Value::from(known.as_str()))));
            }
            match self.solve(atoms, &place.key("name").at(i)) {
                Ok(Value::String(name)) => out.push(name),
                Err(Fail::Budget) => return Err(Fail::Budget),
                Ok(_) | Err(Fail::Conflict) => break,
                Err(Fail::TooBig(_)) => {
                    self.doubt = true;
                    break;
                }
            }
        }
        Ok(out)
    }

    /// Plain words as keys: first those that no pattern has anything to say about, then those that only
    /// other patterns than the `apart` ones match, and so bring their schema with them.
    fn fresh_words(
        &mut self,
        facts: &Facts<'a>,
        count: usize,
        apart: &[&'a str],
        out: &mut Vec<String>,
    ) -> Result<(), Fail> {
        let object = &facts.object;
        let taken = |key: &str| {
            object.has.contains(key)
                || object.lacks.contains(key)
                || object.rules.iter().any(|r| property(r.members, key).is_some())
        };
        let mut seen = Keys::default();
        let mut matched: Vec<String> = Vec::new();
        for word in lexicon::extra_keys(count + KEY_TRIES.min(count * 2) + 8) {
            if out.len() >= count {
                return Ok(());
            }
            self.step()?;
            let barred = taken(&word) || apart.iter().any(|p| self.matches(p, &word));
            if barred || !seen.insert(Cow::Owned(word.clone())) {
                continue;
            }
            let clear =
                !object.rules.iter().any(|r| patterns(r.members).any(|(p, _)| self.matches(p, &word)));
            match clear {
                true => out.push(word),
                false => matched.push(word),
            }
        }
        matched.truncate(count.saturating_sub(out.len()));
        out.append(&mut matched);
        Ok(())
    }
}

/// Patterns that no name may match, since their schema accepts nothing.
pub(super) fn shut_patterns<'a>(facts: &Facts<'a>) -> Vec<&'a str> {
    let rules = facts.object.rules.iter().filter(|r| r.broken != Some("patternProperties"));
    let all = rules.flat_map(|r| patterns(r.members));
    all.filter(|(_, schema)| is_never(schema)).map(|(pattern, _)| pattern).collect()
}

/// Whether nothing but patterns and `propertyNames` can tell one new name from another.
fn names_are_alike(facts: &Facts<'_>) -> bool {
    let object = &facts.object;
    let declared: usize = object.rules.iter().map(|r| properties(r.members).count()).sum();
    declared <= MAX_DECLARED
        && object.dependents.is_empty()
        && object.unevaluated.is_empty()
        && object.names.iter().all(|goal| goal.route == NO_ROUTE)
        && object.fixed.iter().all(|(key, _)| object.has.contains(key))
}
