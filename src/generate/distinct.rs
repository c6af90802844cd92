//! Values that must differ from others: the items of a list without doubles, and what stands inside them.
//! Where the values are few, they are all found, and that there are too few is a proof.

use super::array::Slots;
use super::facts::{Atom, Facts, Taken, canonical};
use super::keyset::Keys;
use super::object::{child_atoms, patterns, properties};
use super::solver::{Fail, Place, Solver};
use crate::schema::empty::is_never;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Items of different kinds beyond which none is moved to make room for another.
const MAX_MATCHED: usize = 40;

impl<'a> Solver<'a> {
    pub(crate) fn fill_unique(
        &mut self,
        facts: &Facts<'a>,
        slots: &Slots<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let mut taken = Rc::new(Taken::default());
        let mut items = Vec::with_capacity(slots.len());
        let doubt = self.doubt;
        for (i, extra) in slots.iter().enumerate() {
            let atoms = self.slot_atoms(facts, i, extra);
            match self.solve_untaken(atoms, &taken, &place.at(i)) {
                Ok(value) => {
                    Rc::make_mut(&mut taken).insert(value.clone());
                    items.push(value);
                }
                Err(Fail::Conflict) if i > 0 && slots.len() <= MAX_MATCHED => {
                    self.doubt = doubt;
                    return self.match_slots(facts, slots, place);
                }
                Err(fail) => {
                    // Other values of the items before it might have left one, where items are of several kinds.
                    let array = &facts.array;
                    let are_alike = slots.iter().all(Vec::is_empty)
                        && array.item_goals.is_empty()
                        && array.rules.iter().all(|r| r.prefix.is_empty());
                    self.doubt |= i > 0 && !are_alike;
                    return Err(fail);
                }
            }
        }
        let value = Value::Array(items);
        if facts.bars(&value) { Err(self.doubtful()) } else { Ok(value) }
    }

    pub(crate) fn solve_untaken(
        &mut self,
        atoms: Vec<Atom<'a>>,
        taken: &Rc<Taken>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let mut facts = Box::new(Facts::new());
        facts.taken = Some(Rc::clone(taken));
        self.search(facts, atoms, place)
    }

    /// Up to `count` different values of `atoms`, and whether there are surely no others.
    pub(crate) fn every_value(
        &mut self,
        atoms: &[Atom<'a>],
        count: usize,
        place: &Place<'_>,
    ) -> Result<(Vec<Value>, bool), Fail> {
        let (doubt, mark) = (std::mem::take(&mut self.doubt), self.trace.len());
        let mut taken = Rc::new(Taken::default());
        let (mut found, mut are_all) = (Vec::new(), false);
        let mut stopped = None;
        while found.len() < count {
            match self.solve_untaken(atoms.to_vec(), &taken, place) {
                Ok(value) => {
                    Rc::make_mut(&mut taken).insert(value.clone());
                    found.push(value);
                }
                Err(Fail::Conflict) => {
                    are_all = !self.doubt;
                    break;
                }
                Err(fail @ Fail::Budget) => {
                    stopped = Some(fail);
                    break;
                }
                Err(Fail::TooBig(_)) => break,
            }
        }
        self.doubt = doubt;
        self.trace.truncate(mark);
        match stopped {
            Some(fail) => Err(fail),
            None => Ok((found, are_all)),
        }
    }

    /// Items that must differ and have few values each: candidates for every slot, then a matching.
    fn match_slots(
        &mut self,
        facts: &Facts<'a>,
        slots: &Slots<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let n = slots.len();
        let mut candidates: Vec<Vec<Value>> = Vec::with_capacity(n);
        for (i, extra) in slots.iter().enumerate() {
            let atoms = self.slot_atoms(facts, i, extra);
            // As many as there are slots always leave one for this slot.
            let (found, are_all) = self.every_value(&atoms, n, &place.at(i))?;
            self.doubt |= !are_all && found.len() < n;
            candidates.push(found);
        }
        let texts: Vec<Vec<String>> = candidates.iter().map(|c| c.iter().map(canonical).collect()).collect();
        let mut owner: BTreeMap<String, usize> = BTreeMap::new();
        for slot in 0..n {
            if !augment(slot, &texts, &mut owner, &mut BTreeSet::new()) {
                return Err(Fail::Conflict);
            }
        }
        let mut items: Vec<Option<Value>> = vec![None; n];
        for (text, slot) in owner {
            let at = texts.get(slot).and_then(|t| t.iter().position(|x| *x == text));
            let value = at.and_then(|at| candidates.get(slot)?.get(at).cloned());
            if let Some(item) = items.get_mut(slot) {
                *item = value;
            }
        }
        let items = items.into_iter().collect::<Option<Vec<Value>>>();
        match items.map(Value::Array).filter(|value| !facts.bars(value)) {
            Some(value) => Ok(value),
            None => Err(self.doubtful()),
        }
    }

    /// The list was taken or is excluded: another choice of items.
    pub(crate) fn other_items(
        &mut self,
        facts: &Facts<'a>,
        slots: &Slots<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let enough = facts.barred() + 1;
        let (mut lists, mut are_all) = (Vec::with_capacity(slots.len()), true);
        for (i, extra) in slots.iter().enumerate() {
            let atoms = self.slot_atoms(facts, i, extra);
            let (found, all) = self.every_value(&atoms, enough, &place.at(i))?;
            are_all &= all || found.len() >= enough;
            lists.push(found);
        }
        match self.combined(facts, &lists, |items| Value::Array(items.to_vec()))? {
            Some(value) => Ok(value),
            None if are_all => Err(Fail::Conflict),
            None => Err(self.doubtful()),
        }
    }

    /// The object was taken or is excluded: a member that differs from those of all taken ones, or another
    /// combination of members, or one member more.
    pub(crate) fn differ(
        &mut self,
        facts: &Facts<'a>,
        mut members: Map<String, Value>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let keys: Vec<String> = members.keys().cloned().collect();
        let doubt = self.doubt;
        for (key, taken) in keys.iter().filter_map(|k| Some((k, facts.taken.as_ref()?.under(k)))) {
            let atoms = child_atoms(self, facts, key);
            if let Ok(other) = self.solve_untaken(atoms, &taken, &place.key(key)) {
                members.insert(key.clone(), other);
                let value = Value::Object(members);
                if !facts.bars(&value) {
                    return Ok(value);
                }
                let Value::Object(back) = value else { return Err(self.doubtful()) };
                members = back;
            }
        }
        self.doubt = doubt;
        let enough = facts.barred() + 1;
        let (mut lists, mut are_all) = (Vec::with_capacity(keys.len()), true);
        for key in &keys {
            let atoms = child_atoms(self, facts, key);
            let (found, all) = self.every_value(&atoms, enough, &place.key(key))?;
            are_all &= all || found.len() >= enough;
            lists.push(found);
        }
        let build = |values: &[Value]| -> Value {
            Value::Object(keys.iter().cloned().zip(values.iter().cloned()).collect())
        };
        if let Some(value) = self.combined(facts, &lists, build)? {
            return Ok(value);
        }
        let (more, are_all_keys) = further_keys(facts, &members);
        for key in more {
            let mark = self.trace.len();
            self.spend_copy(facts);
            match self.search(Box::new(facts.clone()), vec![Atom::Has(Cow::Owned(key))], place) {
                Ok(value) => return Ok(value),
                Err(Fail::Budget) => return Err(Fail::Budget),
                Err(Fail::Conflict) => {}
                Err(Fail::TooBig(_)) => self.doubt = true,
            }
            self.trace.truncate(mark);
        }
        let count = members.len() as u64;
        if !are_all_keys && facts.object.max.is_none_or(|max| max > count) {
            let mut larger = facts.clone();
            larger.object.min = count + 1;
            self.spend_copy(facts);
            match self.fill_object(&larger, place) {
                Err(Fail::Conflict | Fail::TooBig(_)) => {}
                found => return found,
            }
        }
        self.doubt |= !are_all || !are_all_keys;
        Err(Fail::Conflict)
    }

    /// A value of one of each list that `facts` do not bar, if any of the combinations is.
    fn combined(
        &mut self,
        facts: &Facts<'a>,
        lists: &[Vec<Value>],
        build: impl Fn(&[Value]) -> Value,
    ) -> Result<Option<Value>, Fail> {
        // One more than is barred: one of them is not.
        for number in 0..=facts.barred() {
            self.step()?;
            self.spend(lists.len() / 4);
            let mut rest = number;
            let mut chosen = Vec::with_capacity(lists.len());
            for list in lists.iter().filter(|l| !l.is_empty()) {
                chosen.extend(list.get(rest % list.len()).cloned());
                rest /= list.len();
            }
            if rest > 0 || chosen.len() < lists.len() {
                return Ok(None);
            }
            let value = build(&chosen);
            if !facts.bars(&value) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }
}

/// Declared keys that `members` have not, and whether there are surely no other sets of keys than these and
/// larger ones.
fn further_keys<'a>(facts: &Facts<'a>, members: &Map<String, Value>) -> (Vec<String>, bool) {
    let object = &facts.object;
    let count = members.len() as u64;
    let are_least = count == object.min || members.len() == object.has.len();
    if object.max == Some(count) {
        return (Vec::new(), are_least && members.len() == object.has.len());
    }
    let mut seen = Keys::default();
    for rule in &object.rules {
        for (key, schema) in properties(rule.members) {
            if !members.contains_key(key) && !object.lacks.contains(key) && !is_never(schema) {
                seen.insert(Cow::Borrowed(key));
            }
        }
    }
    let is_closed = object.rules.iter().any(|rule| {
        rule.broken.is_none()
            && rule.members.get("additionalProperties").is_some_and(is_never)
            && patterns(rule.members).all(|(_, schema)| is_never(schema))
    });
    (seen.iter().map(|k| k.to_string()).collect(), are_least && is_closed && object.some.is_empty())
}

/// One step of Kuhn's matching: give `slot` a value, moving other slots to other values if need be.
fn augment(
    slot: usize,
    texts: &[Vec<String>],
    owner: &mut BTreeMap<String, usize>,
    seen: &mut BTreeSet<String>,
) -> bool {
    for text in texts.get(slot).into_iter().flatten() {
        if !seen.insert(text.clone()) {
            continue;
        }
        let free = match owner.get(text).copied() {
            None => true,
            Some(other) => augment(other, texts, owner, seen),
        };
        if free {
            owner.insert(text.clone(), slot);
            return true;
        }
    }
    false
}
