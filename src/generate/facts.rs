//! What is known so far of the value at one place of the instance: the conjunction of every keyword
//! asserted there, kept apart by JSON type, and the disjunctions that are still open.

use super::keyset::Keys;
use super::num::Num;
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

pub(crate) type Key<'a> = Cow<'a, str>;

/// A set of JSON types; numbers are split into integers and the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Types(pub(crate) u8);

impl Types {
    pub(crate) const NULL: Types = Types(1);
    pub(crate) const BOOLEAN: Types = Types(2);
    pub(crate) const OBJECT: Types = Types(4);
    pub(crate) const ARRAY: Types = Types(8);
    pub(crate) const STRING: Types = Types(16);
    pub(crate) const INTEGER: Types = Types(32);
    pub(crate) const FRACTION: Types = Types(64);
    pub(crate) const NUMBER: Types = Types(96);
    pub(crate) const ALL: Types = Types(127);

    pub(crate) fn named(name: &str) -> Types {
        match name {
            "null" => Types::NULL,
            "boolean" => Types::BOOLEAN,
            "object" => Types::OBJECT,
            "array" => Types::ARRAY,
            "string" => Types::STRING,
            "integer" => Types::INTEGER,
            "number" => Types::NUMBER,
            _ => Types(0),
        }
    }

    /// Types of a `type` keyword's value.
    pub(crate) fn of_keyword(value: &Value) -> Types {
        match value {
            Value::String(name) => Types::named(name),
            Value::Array(names) => {
                Types(names.iter().filter_map(Value::as_str).fold(0, |bits, n| bits | Types::named(n).0))
            }
            _ => Types::ALL,
        }
    }

    pub(crate) fn of_value(value: &Value) -> Types {
        match value {
            Value::Null => Types::NULL,
            Value::Bool(_) => Types::BOOLEAN,
            Value::Object(_) => Types::OBJECT,
            Value::Array(_) => Types::ARRAY,
            Value::String(_) => Types::STRING,
            Value::Number(n) => {
                if Num::of(n).is_integer() {
                    Types::INTEGER
                } else {
                    Types::FRACTION
                }
            }
        }
    }

    pub(crate) fn has(self, other: Types) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn and(self, other: Types) -> Types {
        Types(self.0 & other.0)
    }

    pub(crate) fn without(self, other: Types) -> Types {
        Types(self.0 & !other.0)
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// Index of a [`Scope`](crate::schema::references::Scope) in the solver's list.
pub(crate) type ScopeId = u16;
/// Position in the route to a mutant's site; [`NO_ROUTE`] for ordinary goals.
pub(crate) type RouteAt = u16;
pub(crate) const NO_ROUTE: RouteAt = u16::MAX;

/// A schema that the value must satisfy, or must not.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal<'a> {
    pub(crate) schema: &'a Value,
    pub(crate) holds: bool,
    pub(crate) scope: ScopeId,
    /// Bits of the `unevaluated…` keywords that see what this goal evaluates.
    pub(crate) owners: u64,
    pub(crate) route: RouteAt,
}

impl<'a> Goal<'a> {
    pub(crate) fn child(schema: &'a Value, holds: bool, scope: ScopeId) -> Goal<'a> {
        Goal { schema, holds, scope, owners: 0, route: NO_ROUTE }
    }
}

/// The elementary assertions that alternatives and agendas are made of.
#[derive(Debug, Clone)]
pub(crate) enum Atom<'a> {
    Goal(Goal<'a>),
    /// One keyword of a schema object, broken.
    Broken {
        members: &'a Map<String, Value>,
        keyword: &'a str,
        goal: Goal<'a>,
    },
    /// Branch `index` of a `oneOf` holds and no other does.
    OnlyBranch {
        branches: &'a [Value],
        index: usize,
        goal: Goal<'a>,
    },
    Types(Types),
    Is(Cow<'a, Value>),
    IsNot(Cow<'a, Value>),
    /// Text constraints for generated keys.
    Matches(&'a str, bool),
    Has(Key<'a>),
    Lacks(Key<'a>),
    /// The value under the key is this one.
    KeyIs(Key<'a>, &'a Value),
    /// The value under the key, where present, satisfies the goal.
    KeyGoal(Key<'a>, Goal<'a>),
    SomeKey(SomeKey<'a>),
    ItemGoal(usize, Goal<'a>),
    SomeItem(usize, Goal<'a>),
    MinItems(u64),
    Contains(Contains<'a>),
}

/// One branch of a disjunction.
#[derive(Debug, Clone)]
pub(crate) struct Alternative<'a> {
    pub(crate) atoms: Vec<Atom<'a>>,
    /// Types that the value must have for the alternative to hold, as far as is cheaply known.
    pub(crate) types: Types,
    /// What is exercised when it is taken, for coverage: the address of a subschema.
    pub(crate) taken: usize,
}

#[derive(Debug, Clone)]
pub(crate) struct Choice<'a> {
    /// Address of what is chosen from; steering and coverage know it by this.
    pub(crate) site: usize,
    /// Shared, because every branch of the search copies the facts.
    pub(crate) alternatives: Rc<Vec<Alternative<'a>>>,
    /// Indices of those not yet excluded.
    pub(crate) live: Rc<Vec<usize>>,
}

impl<'a> Choice<'a> {
    pub(crate) fn new(site: usize, alternatives: Vec<Alternative<'a>>) -> Choice<'a> {
        let live = Rc::new((0..alternatives.len()).collect());
        Choice { site, alternatives: Rc::new(alternatives), live }
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) value: Num,
    pub(crate) inclusive: bool,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct NumberFacts<'a> {
    pub(crate) lower: Option<Bound>,
    pub(crate) upper: Option<Bound>,
    pub(crate) multiples: Vec<&'a Number>,
    pub(crate) barred: Vec<&'a Number>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct StringFacts<'a> {
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) patterns: Vec<&'a str>,
    pub(crate) barred: Vec<&'a str>,
    pub(crate) formats: Vec<&'a str>,
    pub(crate) barred_formats: Vec<&'a str>,
}

/// `properties`, `patternProperties` and `additionalProperties` of one schema object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule<'a> {
    pub(crate) members: &'a Map<String, Value>,
    pub(crate) scope: ScopeId,
    pub(crate) owners: u64,
    pub(crate) route: RouteAt,
    /// A keyword of the three that is left out because a mutant breaks it.
    pub(crate) broken: Option<&'a str>,
}

/// Where a key that must exist may come from.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// Neither named in `properties` nor matched by `patternProperties` of this object.
    Undeclared(&'a Map<String, Value>),
    Pattern(&'a str),
    /// A key whose name satisfies the goal.
    Named(Goal<'a>),
    /// A key that nothing with this owner bit evaluates.
    Unevaluated(u64),
}

/// The object must hold a key from `source`, whose value satisfies `value`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SomeKey<'a> {
    pub(crate) source: Source<'a>,
    pub(crate) value: Option<Goal<'a>>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ObjectFacts<'a> {
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) has: Keys<'a>,
    pub(crate) lacks: Keys<'a>,
    pub(crate) rules: Vec<Rule<'a>>,
    pub(crate) names: Vec<Goal<'a>>,
    pub(crate) dependents: Vec<(&'a str, Atom<'a>)>,
    pub(crate) key_goals: Vec<(Key<'a>, Goal<'a>)>,
    pub(crate) some: Vec<SomeKey<'a>>,
    pub(crate) unevaluated: Vec<(u64, Goal<'a>)>,
    /// Keys whose value is settled.
    pub(crate) fixed: Vec<(Key<'a>, &'a Value)>,
    /// The optional keys were chosen.
    pub(crate) chosen: bool,
    /// Only objects are left, and what depends on the keys present was asserted.
    pub(crate) committed: bool,
}

/// `prefixItems`, `items` and `additionalItems` of one schema object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ItemRule<'a> {
    pub(crate) prefix: &'a [Value],
    pub(crate) rest: Option<&'a Value>,
    pub(crate) scope: ScopeId,
    pub(crate) owners: u64,
    pub(crate) route: RouteAt,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Contains<'a> {
    pub(crate) goal: Goal<'a>,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct ArrayFacts<'a> {
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) unique: Option<bool>,
    pub(crate) rules: Vec<ItemRule<'a>>,
    pub(crate) contains: Vec<Contains<'a>>,
    pub(crate) item_goals: Vec<(usize, Goal<'a>)>,
    pub(crate) some: Vec<(usize, Goal<'a>)>,
    pub(crate) unevaluated: Vec<(u64, Goal<'a>)>,
}

/// What the author says of the value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes<'a> {
    pub(crate) descriptions: Vec<&'a str>,
    pub(crate) titles: Vec<&'a str>,
    /// `examples`, `example`, then `default`.
    pub(crate) samples: Vec<&'a Value>,
}

/// The items before this one, of an array whose items differ.
#[derive(Debug, Clone, Default)]
pub(crate) struct Taken {
    texts: BTreeSet<String>,
    values: Vec<Value>,
    /// What they hold under the keys that were asked for, kept up to date.
    members: RefCell<BTreeMap<String, Rc<Taken>>>,
}

impl Taken {
    pub(crate) fn insert(&mut self, value: Value) {
        self.texts.insert(canonical(&value));
        for (key, members) in self.members.get_mut() {
            if let Some(member) = value.get(key) {
                Rc::make_mut(members).insert(member.clone());
            }
        }
        self.values.push(value);
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    pub(crate) fn contains(&self, value: &Value) -> bool {
        self.texts.contains(&canonical(value))
    }

    /// What the taken objects hold under `key`.
    pub(crate) fn under(&self, key: &str) -> Rc<Taken> {
        let mut known = self.members.borrow_mut();
        if let Some(members) = known.get(key) {
            return Rc::clone(members);
        }
        let mut members = Taken::default();
        self.values.iter().filter_map(|v| v.get(key)).for_each(|v| members.insert(v.clone()));
        let members = Rc::new(members);
        known.insert(key.to_string(), Rc::clone(&members));
        members
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Facts<'a> {
    pub(crate) types: Types,
    pub(crate) allowed: Option<Vec<Cow<'a, Value>>>,
    pub(crate) excluded: Vec<Cow<'a, Value>>,
    /// Values already taken (`uniqueItems`).
    pub(crate) taken: Option<Rc<Taken>>,
    pub(crate) number: NumberFacts<'a>,
    pub(crate) string: StringFacts<'a>,
    pub(crate) object: ObjectFacts<'a>,
    pub(crate) array: ArrayFacts<'a>,
    pub(crate) choices: Vec<Choice<'a>>,
    pub(crate) asserted: Vec<(usize, bool, ScopeId, u64)>,
    pub(crate) notes: Notes<'a>,
    /// Owner bits in use.
    pub(crate) owners: u32,
}

impl Facts<'_> {
    pub(crate) fn new() -> Self {
        Facts {
            types: Types::ALL,
            allowed: None,
            excluded: Vec::new(),
            taken: None,
            number: NumberFacts::default(),
            string: StringFacts::default(),
            object: ObjectFacts::default(),
            array: ArrayFacts::default(),
            choices: Vec::new(),
            asserted: Vec::new(),
            notes: Notes::default(),
            owners: 0,
        }
    }

    /// What a copy costs, in steps.
    pub(crate) fn weight(&self) -> u64 {
        let object = &self.object;
        let parts = self.choices.len()
            + self.asserted.len()
            + self.excluded.len()
            + self.allowed.as_ref().map_or(0, Vec::len)
            + self.notes.samples.len()
            + object.rules.len()
            + object.dependents.len()
            + object.key_goals.len()
            + object.fixed.len()
            + self.string.barred.len();
        1 + parts as u64 / 8
    }

    /// How many values are excluded, by a keyword or by `uniqueItems`.
    pub(crate) fn barred(&self) -> usize {
        self.excluded.len() + self.taken.as_ref().map_or(0, |taken| taken.len())
    }

    /// The strings among those.
    pub(crate) fn barred_texts(&self) -> impl Iterator<Item = &str> {
        let taken = self.taken.iter().flat_map(|taken| taken.values.iter());
        self.excluded.iter().map(|v| &**v).chain(taken).filter_map(Value::as_str)
    }

    /// Whether `value` was excluded, by a keyword or by `uniqueItems`.
    pub(crate) fn bars(&self, value: &Value) -> bool {
        self.excluded.iter().any(|e| same(e, value))
            || self.taken.as_ref().is_some_and(|taken| taken.contains(value))
    }
}

/// Equality as JSON Schema means it: 1 equals 1.0, `true` does not equal 1.
pub(crate) fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Num::of(a) == Num::of(b),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|w| same(v, w)))
        }
        _ => a == b,
    }
}

/// A text that is equal for values that are [`same`].
pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Number(n) => match Num::of(n) {
            Num::Int(i) => out.push_str(&i.to_string()),
            Num::Small(n, d) => out.push_str(&format!("{n}/{d}")),
            Num::Ratio(r) => out.push_str(&r.to_string()),
        },
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut keys: Vec<&String> = members.keys().collect();
            keys.sort();
            out.push('{');
            for key in keys {
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                if let Some(v) = members.get(key) {
                    write_canonical(v, out);
                }
                out.push(',');
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equality_is_json_schemas() {
        assert!(same(&json!({"a": 1, "b": [2.0]}), &json!({"b": [2], "a": 1.0})));
        assert!(!same(&json!(true), &json!(1)));
        assert_eq!(canonical(&json!({"b": 1.0, "a": 0.5})), canonical(&json!({"a": 0.5, "b": 1})));
        assert_ne!(canonical(&json!("1")), canonical(&json!(1)));
    }

    #[test]
    fn types_of_values() {
        assert_eq!(Types::of_value(&json!(1.0)), Types::INTEGER);
        assert_eq!(Types::of_value(&json!(1.5)), Types::FRACTION);
        assert_eq!(Types::of_keyword(&json!(["string", "integer"])), Types(48));
    }
}
