//! The search: a tableau over one place of the instance at a time. Goals (a schema that must, or must
//! not, hold) are taken apart into facts; disjunctions are tried one branch after the other; when only
//! facts are left, a value of one type is built from them, and the places below are solved the same way.
//!
//! Nothing here decides validity: whatever comes out is judged. A budget of steps bounds the search.

use super::facts::{Atom, Choice, Facts, Goal, NO_ROUTE, RouteAt, ScopeId, Types};
use super::rng::{Key, below_place, mix};
use super::shared::{Compiled, Shared};
use super::split::next_choice;
use crate::schema::Dialect;
use crate::schema::judge::Formats;
use crate::schema::references::{References, Scope};
use crate::schema::walk::Via;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Why no value was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fail {
    /// The assertions exclude each other, as far as was tried.
    Conflict,
    /// The budget of steps is used up.
    Budget,
    /// A value exists in principle, but is too big to write down.
    TooBig(String),
}

/// The most steps of one search.
pub(crate) const STEPS: u32 = 20_000;
/// The most steps with what many parts are granted.
const MOST_STEPS: u32 = 800_000;
/// Nesting of an instance beyond which nothing optional is added, and beyond which search stops.
const DEEP: u16 = 4;
const DEEPEST: u16 = 60;
/// Nested searches (choices and places) on the stack.
const MAX_FRAMES: u32 = 600;
/// Items or characters beyond which a value is too big to write.
pub(crate) const MAX_ITEMS: u64 = 20_000;
pub(crate) const MAX_CHARS: u64 = 1_000_000;

/// How values are chosen among those that fit.
#[derive(Debug, Clone, Default)]
pub(crate) struct Policy {
    /// Optional keys beyond the required ones.
    pub(crate) optional: Optional,
    /// Preferred branch of a choice or index of an enum, by the address of its list.
    pub(crate) prefer: BTreeMap<usize, usize>,
    /// Addresses of property schemas (and of their parents) that should occur, if they can.
    pub(crate) wanted: BTreeSet<usize>,
    /// Addresses of property schemas that should not occur.
    pub(crate) unwanted: BTreeSet<usize>,
    /// Prefer the least or the greatest value and length.
    pub(crate) edge: Edge,
    /// Types that the value may have, as a way to try one after the other.
    pub(crate) root_types: Option<Types>,
    /// Shifts every free choice.
    pub(crate) variant: u32,
    /// Keys that no schema names, for the root where it is open: so that values differ.
    pub(crate) extra: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Optional {
    None,
    #[default]
    Few,
    All,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Edge {
    #[default]
    Usual,
    Least,
    Greatest,
}

/// The way from the root to the keyword that a mutant breaks.
#[derive(Debug, Clone)]
pub(crate) struct Route<'a> {
    /// The schema that is left, by address, and how.
    pub(crate) steps: Vec<Way>,
    pub(crate) keyword: &'a str,
}

/// One step of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    Ref,
    Via(Via),
}

/// Where in the instance the search is, and what the place is called.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'c> {
    pub(crate) name: &'c str,
    /// The nearest named place above.
    pub(crate) parent: Option<&'c Place<'c>>,
    pub(crate) hash: u64,
    pub(crate) depth: u16,
    /// Position in the nearest array.
    pub(crate) index: usize,
    /// Hash of the place around: what stands side by side draws from the same place of a list.
    pub(crate) around: u64,
    /// How many keys before this one in the object end in the same word.
    pub(crate) namesakes: usize,
}

impl<'c> Place<'c> {
    pub(crate) fn root(name: &'c str) -> Place<'c> {
        Place { name, parent: None, hash: 1, depth: 0, index: 0, around: 1, namesakes: 0 }
    }

    pub(crate) fn key<'d>(&'d self, key: &'d str) -> Place<'d> {
        Place {
            name: key,
            parent: Some(self),
            hash: below_place(self.hash, key),
            depth: self.depth + 1,
            index: self.index,
            around: self.hash,
            namesakes: 0,
        }
    }

    pub(crate) fn with_namesakes(self, namesakes: usize) -> Place<'c> {
        Place { namesakes, ..self }
    }

    pub(crate) fn at(&self, index: usize) -> Place<'c> {
        Place {
            name: self.name,
            parent: self.parent,
            hash: mix(self.hash ^ (index as u64 + 1)),
            depth: self.depth + 1,
            index,
            around: self.hash,
            namesakes: 0,
        }
    }
}

pub(crate) struct Solver<'a> {
    pub(crate) references: &'a References<'a>,
    pub(crate) dialect: Dialect,
    pub(crate) key: Key,
    pub(crate) policy: Policy,
    pub(crate) formats: Formats,
    pub(crate) route: Option<Route<'a>>,
    /// Addresses exercised by the value being built, and of branches taken.
    pub(crate) trace: Vec<usize>,
    /// Whether some conflict was not proven: what was tried failed, and something else might do.
    pub(crate) doubt: bool,
    /// Steps taken so far, and the most that may be.
    pub(crate) steps: u32,
    pub(crate) budget: u32,
    frames: u32,
    scopes: Vec<Scope<'a>>,
    pub(crate) shared: Shared,
}

pub(crate) fn address<T>(value: &T) -> usize {
    std::ptr::from_ref(value) as usize
}

impl<'a> Solver<'a> {
    pub(crate) fn new(
        references: &'a References<'a>,
        dialect: Dialect,
        formats: Formats,
        key: Key,
        shared: Shared,
    ) -> Solver<'a> {
        Solver {
            references,
            dialect,
            key,
            policy: Policy::default(),
            formats,
            route: None,
            trace: Vec::new(),
            doubt: false,
            steps: 0,
            budget: STEPS,
            frames: 0,
            scopes: vec![references.root_scope()],
            shared,
        }
    }

    /// Forget the last search; patterns stay compiled.
    pub(crate) fn restart(&mut self, budget: u32) {
        self.trace.clear();
        self.doubt = false;
        self.steps = 0;
        self.frames = 0;
        self.budget = budget;
    }

    /// A value that satisfies `schema`, the root schema, as far as the search knows.
    pub(crate) fn solve_root(&mut self, schema: &'a Value, name: &str) -> Result<Value, Fail> {
        let mut goal = Goal::child(schema, true, 0);
        goal.route = if self.route.is_some() { 0 } else { NO_ROUTE };
        let mut atoms = vec![Atom::Goal(goal)];
        if let Some(types) = self.policy.root_types {
            // What is left out may hold the only values.
            self.doubt = true;
            atoms.push(Atom::Types(types));
        }
        self.solve(atoms, &Place::root(name))
    }

    /// A value that satisfies all `atoms`.
    pub(crate) fn solve(&mut self, atoms: Vec<Atom<'a>>, place: &Place<'_>) -> Result<Value, Fail> {
        if place.depth > DEEPEST {
            self.doubt = true;
            return Err(Fail::TooBig(format!("a value nested more than {DEEPEST} levels deep")));
        }
        self.search(Box::new(Facts::new()), atoms, place)
    }

    /// A conflict that proves nothing.
    pub(crate) fn doubtful(&mut self) -> Fail {
        self.doubt = true;
        Fail::Conflict
    }

    /// A value of many parts is not harder to find for it: each part has some steps of its own.
    pub(crate) fn grant(&mut self, parts: usize) {
        let more = u32::try_from(parts.saturating_mul(32)).unwrap_or(u32::MAX);
        self.budget = self.budget.saturating_add(more).min(MOST_STEPS);
    }

    pub(crate) fn step(&mut self) -> Result<(), Fail> {
        self.steps += 1;
        let left = self.shared.spend(1);
        if !left || self.steps > self.budget { Err(Fail::Budget) } else { Ok(()) }
    }

    /// Effort beside the steps: what is copied, compiled, looked through.
    pub(crate) fn spend(&self, effort: usize) {
        self.shared.spend(effort as u64);
    }

    pub(crate) fn spend_copy(&self, facts: &Facts<'a>) {
        self.shared.spend(facts.weight());
    }

    /// Whether nothing optional should be added at this depth.
    pub(crate) fn is_deep(place: &Place<'_>) -> bool {
        place.depth > DEEP
    }

    pub(crate) fn search(
        &mut self,
        facts: Box<Facts<'a>>,
        agenda: Vec<Atom<'a>>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        self.step()?;
        // Facts are copied for every branch: the more is open, the more a step costs.
        self.steps = self.steps.saturating_add(u32::try_from(facts.choices.len() / 4).unwrap_or(0));
        if self.frames >= MAX_FRAMES {
            return Err(self.doubtful());
        }
        self.frames += 1;
        let result = self.search_inner(facts, agenda, place);
        self.frames -= 1;
        result
    }

    fn search_inner(
        &mut self,
        mut facts: Box<Facts<'a>>,
        mut agenda: Vec<Atom<'a>>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        loop {
            // First in, first out keeps the author's order where it shows (keys, notes).
            while !agenda.is_empty() {
                for atom in std::mem::take(&mut agenda) {
                    self.step()?;
                    self.assert(atom, &mut facts, &mut agenda)?;
                    if facts.types.is_empty() {
                        return Err(Fail::Conflict);
                    }
                }
            }
            if let Some(choice) = self.split(&facts, place) {
                return self.branch(facts, choice, place);
            }
            let Some(choice) = next_choice(&mut facts)? else {
                return self.realize(facts, place);
            };
            if let [only] = choice.live.as_slice() {
                if let Some(alternative) = choice.alternatives.get(*only) {
                    self.trace.push(alternative.taken);
                    agenda = alternative.atoms.clone();
                }
                continue;
            }
            return self.branch(facts, choice, place);
        }
    }

    fn branch(
        &mut self,
        facts: Box<Facts<'a>>,
        choice: Choice<'a>,
        place: &Place<'_>,
    ) -> Result<Value, Fail> {
        let preferred = self.policy.prefer.get(&choice.site).copied();
        let mut order: Vec<usize> = choice.live.to_vec();
        let preferred = preferred.and_then(|p| order.iter().position(|i| *i == p));
        if let Some(at) = preferred {
            let first = order.remove(at);
            order.insert(0, first);
        } else if self.policy.variant > 0 && !Self::is_deep(place) {
            let by = self.key.below(place.hash, u64::from(self.policy.variant), order.len());
            order.rotate_left(by);
        }
        let mut failure = Fail::Conflict;
        for i in order {
            let Some(alternative) = choice.alternatives.get(i) else { continue };
            let mark = self.trace.len();
            self.trace.push(alternative.taken);
            self.spend_copy(&facts);
            match self.search(facts.clone(), alternative.atoms.clone(), place) {
                Ok(value) => return Ok(value),
                Err(Fail::Budget) => return Err(Fail::Budget),
                Err(fail @ Fail::TooBig(_)) => failure = fail,
                Err(Fail::Conflict) => {}
            }
            self.trace.truncate(mark);
        }
        Err(failure)
    }

    /// Build a value from facts alone, trying the types that are left in a sensible order.
    fn realize(&mut self, facts: Box<Facts<'a>>, place: &Place<'_>) -> Result<Value, Fail> {
        if facts.allowed.is_some() {
            return self.realize_allowed(&facts, place);
        }
        let mut failure = Fail::Conflict;
        let order = self.type_order(&facts, place);
        for types in order {
            let mark = self.trace.len();
            let found = match types {
                Types::NULL => one_of(&facts, [Value::Null]),
                Types::BOOLEAN => self.realize_boolean(&facts, place),
                Types::STRING => self.realize_string(&facts, place),
                Types::ARRAY => self.realize_array(&facts, place),
                Types::OBJECT => {
                    self.spend_copy(&facts);
                    self.realize_object(facts.clone(), place)
                }
                number => self.realize_number(&facts, number, place),
            };
            match found {
                Ok(value) => return Ok(value),
                Err(Fail::Budget) => return Err(Fail::Budget),
                Err(fail @ Fail::TooBig(_)) => failure = fail,
                Err(Fail::Conflict) => {}
            }
            self.trace.truncate(mark);
        }
        Err(failure)
    }

    fn realize_boolean(&self, facts: &Facts<'a>, place: &Place<'_>) -> Result<Value, Fail> {
        let sample = facts.notes.samples.iter().find_map(|s| s.as_bool());
        let first = sample.unwrap_or_else(|| super::lexicon::truth(place.name, self.policy.variant));
        one_of(facts, [json!(first), json!(!first)])
    }

    /// The types that are left, likeliest first.
    fn type_order(&self, facts: &Facts<'a>, place: &Place<'_>) -> Vec<Types> {
        let left = facts.types;
        let mut order = Vec::new();
        let mut push = |t: Types| {
            let t = t.and(left);
            if !t.is_empty() && !order.contains(&t) {
                order.push(t);
            }
        };
        for sample in &facts.notes.samples {
            if !sample.is_null() {
                let types = Types::of_value(sample);
                push(if types.has(Types::NUMBER) { Types::NUMBER } else { types });
            }
        }
        let object = &facts.object;
        let array = &facts.array;
        if place.depth == 0 && left.has(Types::OBJECT) || !object.rules.is_empty() || !object.has.is_empty() {
            push(Types::OBJECT);
        }
        if !array.rules.is_empty() || !array.contains.is_empty() {
            push(Types::ARRAY);
        }
        if facts.number.lower.is_some() || facts.number.upper.is_some() {
            push(Types::NUMBER);
        }
        let usual = [Types::STRING, Types::NUMBER, Types::BOOLEAN, Types::OBJECT, Types::ARRAY, Types::NULL];
        usual.into_iter().for_each(&mut push);
        order
    }

    /// The pattern, compiled once.
    pub(crate) fn pattern(&self, text: &str) -> Rc<Compiled> {
        self.shared.pattern(text)
    }

    pub(crate) fn scope(&self, id: ScopeId) -> Option<Scope<'a>> {
        self.scopes.get(usize::from(id)).cloned()
    }

    pub(crate) fn intern(&mut self, scope: Scope<'a>) -> ScopeId {
        let known = self.scopes.iter().position(|s| *s == scope);
        let at = known.unwrap_or_else(|| {
            self.scopes.push(scope);
            self.scopes.len() - 1
        });
        ScopeId::try_from(at).unwrap_or(0)
    }

    /// The step of the route that leaves the goal's schema; `None` off the route and at its end.
    pub(crate) fn way(&self, at: RouteAt) -> Option<&Way> {
        self.route.as_ref()?.steps.get(usize::from(at))
    }

    /// The keyword that is broken in a goal's schema, if the route ends there.
    pub(crate) fn broken(&self, at: RouteAt) -> Option<&'a str> {
        let route = self.route.as_ref()?;
        (usize::from(at) == route.steps.len()).then_some(route.keyword)
    }
}

/// The first of `values` that is not excluded.
pub(crate) fn one_of<'a>(facts: &Facts<'a>, values: impl IntoIterator<Item = Value>) -> Result<Value, Fail> {
    values.into_iter().find(|v| !facts.bars(v)).ok_or(Fail::Conflict)
}
