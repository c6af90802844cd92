//! Arrays: how long, which item meets which demand, and all different where they must be.

use super::facts::{Atom, Facts, Goal, NO_ROUTE};
use super::solver::{Edge, Fail, MAX_ITEMS, Optional, Place, Solver, Way};
use crate::schema::walk::Via;
use serde_json::Value;
use std::borrow::Cow;

/// Items beyond `minContains` that are made to match where others are too few.
const MORE_MATCHES: usize = 8;

/// Demands given to each slot: goals beyond those of its position.
pub(crate) type Slots<'a> = Vec<Vec<Goal<'a>>>;

impl<'a> Solver<'a> {
    pub(crate) fn realize_array(&mut self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        let array = &facts.array;
        if self.policy.variant == 0 && self.route.is_none() && array.some.is_empty() {
            let samples: Vec<&'a Value> =
                facts.notes.samples.iter().filter(|s| s.is_array()).copied().collect();
            for sample in samples {
                let empty = sample.as_array().is_some_and(Vec::is_empty);
                if !empty && !facts.bars(sample) && self.check(facts, sample, place).is_ok() {
                    return Ok(sample.clone());
                }
            }
        }
        let cap = self.length_cap(facts);
        let asked = array.contains.iter().map(|c| c.min).chain([array.some.len() as u64]);
        let demanded = asked.fold(0, u64::saturating_add);
        let from_some = array.some.iter().map(|(from, _)| *from as u64 + 1).max().unwrap_or(0);
        let twice = if array.unique == Some(false) { 2 } else { 0 };
        let least =
            array.min.max(from_some).max(twice).max(array.contains.iter().map(|c| c.min).max().unwrap_or(0));
        if cap.is_some_and(|c| c < least) {
            return Err(Fail::Conflict);
        }
        if least > MAX_ITEMS {
            return Err(Fail::TooBig(format!("an array of at least {least} items")));
        }
        let usual = self.usual_length(facts, least, cap, place);
        let mut lengths = vec![usual];
        let most = least.saturating_add(demanded).saturating_add(2);
        lengths.extend((least..=most).filter(|n| *n != usual && cap.is_none_or(|c| *n <= c)));
        let mut failure = Fail::Conflict;
        for n in lengths {
            let mark = self.trace.len();
            let n = usize::try_from(n).unwrap_or(0);
            match self.assign(facts, n, 0, vec![Vec::new(); n], place) {
                Ok(value) if !facts.bars(&value) => return Ok(value),
                Ok(_) => self.doubt = true,
                Err(Fail::Conflict) => {}
                Err(Fail::Budget) => return Err(Fail::Budget),
                Err(fail) => failure = fail,
            }
            self.trace.truncate(mark);
        }
        self.doubt |= !is_settled(facts, cap, most);
        // Where values are barred, a longer one may be free.
        self.doubt |= facts.barred() > 0 && cap.is_none_or(|c| c > most);
        Err(failure)
    }

    /// The most items there can be: `maxItems`, or the first position where no item is possible.
    fn length_cap(&mut self, facts: &Facts<'a>) -> Option<u64> {
        let array = &facts.array;
        let mut cap = array.max;
        let borders = array.rules.iter().map(|r| r.prefix.len()).chain([0]);
        for border in borders {
            let closed = array.unevaluated.is_empty()
                && array.rules.iter().any(|r| {
                    r.prefix.len() <= border
                        && r.rest == Some(&Value::Bool(false))
                        && !self.leads_past(r.route)
                });
            if closed && cap.is_none_or(|c| border as u64 <= c) {
                cap = Some(border as u64);
            }
        }
        cap
    }

    fn leads_past(&self, route: u16) -> bool {
        matches!(self.way(route), Some(Way::Via(Via::Items | Via::AdditionalItems)))
    }

    /// As many items as a person would give: one or two where the author describes them.
    fn usual_length(&self, facts: &Facts<'a>, least: u64, cap: Option<u64>, place: &Place<'_>) -> u64 {
        let array = &facts.array;
        let described =
            array.rules.iter().any(|r| !r.prefix.is_empty() || r.rest.is_some_and(Value::is_object));
        let prefix = array.rules.iter().map(|r| r.prefix.len()).max().unwrap_or(0) as u64;
        let wish = match self.policy.edge {
            Edge::Least => 0,
            Edge::Greatest => array.max.unwrap_or(3).min(8),
            Edge::Usual if self.policy.optional == Optional::None && self.policy.wanted.is_empty() => 0,
            Edge::Usual if Self::is_deep(place) => 0,
            Edge::Usual if !described => 0,
            Edge::Usual => prefix.max(1 + u64::from(self.policy.variant % 3)),
        };
        let wish = wish.max(least);
        cap.map_or(wish, |c| wish.min(c))
    }

    /// What the position alone demands of item `i`.
    pub(crate) fn item_atoms(&mut self, facts: &Facts<'a>, i: usize) -> Vec<Atom<'a>> {
        let array = &facts.array;
        let mut atoms = Vec::new();
        for rule in &array.rules {
            let (schema, on) = match rule.prefix.get(i) {
                Some(schema) => (Some(schema), self.way(rule.route) == Some(&Way::Via(Via::PrefixItem(i)))),
                None => (rule.rest, false),
            };
            if let Some(schema) = schema {
                let route = if on { rule.route + 1 } else { NO_ROUTE };
                atoms.push(Atom::Goal(Goal { route, ..Goal::child(schema, true, rule.scope) }));
            }
        }
        for (bit, goal) in &array.unevaluated {
            let seen =
                array.rules.iter().any(|r| r.owners & bit != 0 && (i < r.prefix.len() || r.rest.is_some()));
            if !seen {
                // Branches that were not taken might evaluate it too.
                self.doubt = true;
                atoms.push(Atom::Goal(*goal));
            }
        }
        let goals = array.item_goals.iter().filter(|(at, _)| *at == i);
        atoms.extend(goals.map(|(_, g)| Atom::Goal(*g)));
        atoms
    }

    pub(crate) fn slot_atoms(&mut self, facts: &Facts<'a>, i: usize, extra: &[Goal<'a>]) -> Vec<Atom<'a>> {
        let mut atoms = self.item_atoms(facts, i);
        // A routed goal stands for the position's own: the mutant breaks it there.
        for goal in extra.iter().filter(|g| g.route != NO_ROUTE) {
            atoms.retain(
                |a| !matches!(a, Atom::Goal(g) if g.route == NO_ROUTE && std::ptr::eq(g.schema, goal.schema)),
            );
        }
        // An item that `contains` matched is evaluated.
        for goal in extra.iter().filter(|g| g.holds && g.owners != 0) {
            for (bit, unevaluated) in &facts.array.unevaluated {
                if goal.owners & bit != 0 {
                    atoms.retain(
                        |a| !matches!(a, Atom::Goal(g) if std::ptr::eq(g.schema, unevaluated.schema)),
                    );
                }
            }
        }
        atoms.extend(extra.iter().map(|g| Atom::Goal(Goal { owners: 0, ..*g })));
        atoms
    }

    /// Give demand after demand to slots, then fill them. Demands are the items that must exist,
    /// then the minimum of every `contains`.
    fn assign(
        &mut self,
        facts: &Facts<'a>,
        n: usize,
        demand: usize,
        slots: Slots<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        self.step()?;
        let array = &facts.array;
        if let Some((from, goal)) = array.some.get(demand) {
            return self.give(facts, demand, (*from..n).collect(), 1, *goal, slots, place);
        }
        let Some(contains) = array.contains.get(demand - array.some.len()) else {
            return self.limit(facts, slots, place);
        };
        let min = usize::try_from(contains.min).unwrap_or(usize::MAX);
        // Free slots first, then shared ones.
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|i| slots.get(*i).map_or(0, Vec::len));
        // Where all must differ, those that do not match may be too few: then more match, up to the maximum.
        let max = contains.max.filter(|_| array.unique == Some(true));
        let most = max.map_or(min, |m| usize::try_from(m).unwrap_or(n).min(n)).max(min);
        self.doubt |= most - min > MORE_MATCHES;
        let mut failure = Fail::Conflict;
        for need in min..=most.min(min.saturating_add(MORE_MATCHES)) {
            match self.give(facts, demand, order.clone(), need, contains.goal, slots.clone(), place) {
                Err(Fail::Conflict) => {}
                Err(fail @ Fail::TooBig(_)) => failure = fail,
                done => return done,
            }
        }
        Err(failure)
    }

    #[allow(clippy::too_many_arguments)]
    fn give(
        &mut self,
        facts: &Facts<'a>,
        demand: usize,
        order: Vec<usize>,
        need: usize,
        goal: Goal<'a>,
        slots: Slots<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let n = slots.len();
        if need == 0 {
            return self.assign(facts, n, demand + 1, slots, place);
        }
        if order.len() < need {
            return Err(Fail::Conflict);
        }
        // Slots that can take the demand at all, given what they carry.
        let mut able = Vec::new();
        for i in order {
            let Some(carried) = slots.get(i) else { continue };
            let mut extra = carried.clone();
            extra.push(goal);
            let atoms = self.slot_atoms(facts, i, &extra);
            let mark = self.trace.len();
            match self.solve(atoms, &place.at(i)) {
                Ok(_) => able.push(i),
                Err(Fail::Budget) => return Err(Fail::Budget),
                Err(Fail::Conflict) => {}
                Err(Fail::TooBig(_)) => self.doubt = true,
            }
            self.trace.truncate(mark);
            if able.len() >= need + 3 {
                break;
            }
        }
        let mut failure = Fail::Conflict;
        for start in 0..(able.len() + 1).saturating_sub(need) {
            let mut next = slots.clone();
            for i in able.iter().skip(start).take(need) {
                if let Some(slot) = next.get_mut(*i) {
                    slot.push(goal);
                }
            }
            match self.assign(facts, n, demand + 1, next, place) {
                Err(Fail::Conflict) => {}
                Err(fail @ Fail::TooBig(_)) => failure = fail,
                done => return done,
            }
        }
        Err(failure)
    }

    /// Keep the other slots from matching a `contains` that has a maximum.
    fn limit(&mut self, facts: &Facts<'a>, mut slots: Slots<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        for contains in facts.array.contains.iter().filter(|c| c.max.is_some()) {
            let max = contains.max.unwrap_or(u64::MAX);
            let mut matching = slots
                .iter()
                .filter(|s| s.iter().any(|g| std::ptr::eq(g.schema, contains.goal.schema)))
                .count() as u64;
            let negative = Goal { holds: false, ..contains.goal };
            for i in 0..slots.len() {
                let carried = slots.get(i).cloned().unwrap_or_default();
                if carried.iter().any(|g| std::ptr::eq(g.schema, contains.goal.schema)) {
                    continue;
                }
                let mut extra = carried;
                extra.push(negative);
                let atoms = self.slot_atoms(facts, i, &extra);
                let mark = self.trace.len();
                let possible = self.solve(atoms, &place.at(i));
                self.trace.truncate(mark);
                match possible {
                    Ok(_) => {}
                    Err(Fail::Budget) => return Err(Fail::Budget),
                    // It cannot help matching.
                    Err(_) => {
                        extra.pop();
                        matching += 1;
                    }
                }
                if let Some(slot) = slots.get_mut(i) {
                    *slot = extra;
                }
            }
            if matching > max {
                return Err(Fail::Conflict);
            }
        }
        self.fill_array(facts, slots, place)
    }

    fn fill_array(&mut self, facts: &Facts<'a>, slots: Slots<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        if slots.len() > 64 {
            self.grant(slots.len());
        }
        match facts.array.unique {
            Some(true) if slots.len() > 1 => return self.fill_unique(facts, &slots, place),
            Some(false) => return self.fill_repeated(facts, slots, place),
            _ => {}
        }
        let mut items = Vec::with_capacity(slots.len());
        for (i, extra) in slots.iter().enumerate() {
            let atoms = self.slot_atoms(facts, i, extra);
            items.push(self.solve(atoms, &place.at(i))?);
        }
        let value = Value::Array(items);
        if facts.bars(&value) { self.other_items(facts, &slots, place) } else { Ok(value) }
    }

    /// Two items that are equal, the others as they come.
    fn fill_repeated(
        &mut self,
        facts: &Facts<'a>,
        slots: Slots<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        for first in 0..slots.len() {
            for second in (first + 1)..slots.len() {
                let (Some(a), Some(b)) = (slots.get(first), slots.get(second)) else { continue };
                let mut atoms = self.slot_atoms(facts, first, a);
                atoms.extend(self.slot_atoms(facts, second, b));
                let shared = match self.solve(atoms, &place.at(first)) {
                    Ok(value) => value,
                    Err(Fail::Budget) => return Err(Fail::Budget),
                    Err(Fail::Conflict) => continue,
                    Err(Fail::TooBig(_)) => {
                        self.doubt = true;
                        continue;
                    }
                };
                let mut items = Vec::with_capacity(slots.len());
                for (i, extra) in slots.iter().enumerate() {
                    let mut atoms = self.slot_atoms(facts, i, extra);
                    if i == first || i == second {
                        atoms.push(Atom::Is(Cow::Owned(shared.clone())));
                    }
                    items.push(self.solve(atoms, &place.at(i))?);
                }
                return Ok(Value::Array(items));
            }
        }
        Err(Fail::Conflict)
    }
}

/// Whether it is a proof that no array of up to `most` items was found: longer ones fail as these do.
///
/// Without demands across items, an array of the least length fails only by an item that fails, or because
/// there are too few different ones. Demands are settled where all of them are tried in all ways.
fn is_settled(facts: &Facts<'_>, cap: Option<u64>, most: u64) -> bool {
    let array = &facts.array;
    let prefix = array.rules.iter().map(|r| r.prefix.len() as u64).max().unwrap_or(0);
    let are_all_lengths = |beyond: u64| cap.is_some_and(|c| c <= most) || most >= prefix + beyond;
    let contains = match array.contains.as_slice() {
        [] => true,
        // Items that cannot help matching.
        several if several.iter().all(|c| c.min == 0) => several.iter().all(|c| c.max == Some(0)),
        // Positions that are all alike: of a longer array, its items that match and some others are one as well.
        [only] if prefix == 0 && array.item_goals.is_empty() && array.unique != Some(false) => {
            only.min <= most && cap.is_none_or(|c| c >= array.min.max(only.min))
        }
        // Items that cannot match.
        [only] => only.max.is_none() && array.unique.is_none() && are_all_lengths(only.min),
        _ => false,
    };
    contains && array.some.is_empty() && (array.unique != Some(false) || are_all_lengths(2))
}
