//! Keywords broken on purpose: what must be true of a value that one keyword refuses.

use super::facts::{Alternative, Atom, Bound, Contains, Facts, Goal, NO_ROUTE, SomeKey, Source, Types};
use super::keywords::{
    Members, array_prefix, choose, count, exclude, item_parts, lower_max, push_new, tighten,
};
use super::solver::{Fail, Solver, address};
use crate::schema::Dialect;
use crate::schema::judge::Formats;
use serde_json::Value;
use std::borrow::Cow;

impl<'a> Solver<'a> {
    pub(crate) fn break_keyword(
        &mut self,
        members: Members<'a>,
        keyword: &'a str,
        goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let Some(value) = members.get(keyword) else { return Err(self.doubtful()) };
        let types = super::keywords::broken_types(keyword, value);
        facts.types = facts.types.and(types);
        let inner = Goal { route: NO_ROUTE, owners: 0, ..goal };
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let target = self.target(keyword, value, inner).ok_or_else(|| self.doubtful())?;
                agenda.push(Atom::Goal(Goal { holds: false, ..target }));
            }
            "type" => {}
            "enum" => value.as_array().into_iter().flatten().for_each(|v| exclude(facts, Cow::Borrowed(v))),
            "const" => exclude(facts, Cow::Borrowed(value)),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                let (bound, lower) = self.bound(members, keyword, value).ok_or_else(|| self.doubtful())?;
                tighten(facts, Bound { value: bound.value, inclusive: !bound.inclusive }, !lower);
            }
            "multipleOf" => facts.number.barred.extend(value.as_number()),
            "pattern" => push_new(&mut facts.string.barred, value.as_str().ok_or_else(|| self.doubtful())?),
            "format" if self.formats == Formats::Assert => {
                push_new(&mut facts.string.barred_formats, value.as_str().ok_or_else(|| self.doubtful())?);
            }
            "format" => return Err(Fail::Conflict),
            "uniqueItems" => match facts.array.unique {
                Some(true) => return Err(Fail::Conflict),
                _ => facts.array.unique = Some(false),
            },
            "minLength" => below(&mut facts.string.max, value)?,
            "minItems" => below(&mut facts.array.max, value)?,
            "minProperties" => below(&mut facts.object.max, value)?,
            "maxLength" => facts.string.min = facts.string.min.max(above(value)),
            "maxItems" => facts.array.min = facts.array.min.max(above(value)),
            "maxProperties" => facts.object.min = facts.object.min.max(above(value)),
            "contains" | "minContains" | "maxContains" => {
                return self.break_contains(members, keyword, inner, facts, agenda);
            }
            "items" | "prefixItems" | "additionalItems" => {
                return self.break_items(members, keyword, inner, facts, agenda);
            }
            "required"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "unevaluatedProperties"
            | "unevaluatedItems" => {
                return self.break_object_keyword(members, keyword, inner, facts, agenda);
            }
            _ => return self.break_applicator(members, keyword, inner, facts, agenda),
        }
        Ok(())
    }

    fn break_applicator(
        &mut self,
        members: Members<'a>,
        keyword: &str,
        inner: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let value = members.get(keyword).ok_or_else(|| self.doubtful())?;
        let branches = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let fails = |schema: &'a Value| Atom::Goal(Goal { schema, holds: false, ..inner });
        let passes = |schema: &'a Value| Atom::Goal(Goal { schema, holds: true, ..inner });
        match keyword {
            "not" => agenda.push(passes(value)),
            "anyOf" => agenda.extend(branches.iter().map(fails)),
            "allOf" => {
                let alternatives = branches.iter().map(|b| plain(vec![fails(b)])).collect();
                return choose(facts, agenda, address(value), alternatives);
            }
            "oneOf" => {
                let mut alternatives = vec![plain(branches.iter().map(fails).collect())];
                self.doubt |= branches.len() > 40;
                for (i, first) in branches.iter().enumerate().take(40) {
                    for second in branches.iter().skip(i + 1).take(40) {
                        alternatives.push(plain(vec![passes(first), passes(second)]));
                    }
                }
                return choose(facts, agenda, address(value), alternatives);
            }
            "if" => {
                let mut alternatives = Vec::new();
                if let Some(then) = members.get("then") {
                    alternatives.push(plain(vec![passes(value), fails(then)]));
                }
                if let Some(otherwise) = members.get("else") {
                    alternatives.push(plain(vec![fails(value), fails(otherwise)]));
                }
                return choose(facts, agenda, address(value), alternatives);
            }
            _ => return Err(Fail::Conflict),
        }
        Ok(())
    }

    fn break_contains(
        &mut self,
        members: Members<'a>,
        keyword: &str,
        inner: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        facts.types = facts.types.and(Types::ARRAY);
        let schema = members.get("contains").ok_or_else(|| self.doubtful())?;
        let counts = self.dialect >= Dialect::Draft201909;
        let of = |k: &str| members.get(k).filter(|_| counts).and_then(count);
        let (min, max) = (of("minContains").unwrap_or(1), of("maxContains"));
        let goal = Goal { schema, holds: true, ..inner };
        let few = |at_least: u64| {
            let contains = Contains { goal, min: at_least, max: Some(min.saturating_sub(1)) };
            Alternative { atoms: vec![Atom::Contains(contains)], types: Types::ARRAY, taken: 0 }
        };
        let mut alternatives = Vec::new();
        match keyword {
            // An array without any match breaks `contains` itself, one with some `minContains`.
            "minContains" if min >= 2 => alternatives.push(few(1)),
            "maxContains" => {}
            _ if min >= 1 => {
                alternatives.push(Alternative {
                    atoms: vec![Atom::Contains(Contains { goal, min: 0, max: Some(0) })],
                    types: Types::ARRAY,
                    taken: 0,
                });
                if min >= 2 {
                    alternatives.push(few(1));
                }
            }
            _ => {}
        }
        if let Some(max) = max.filter(|_| keyword != "minContains") {
            let contains = Contains { goal, min: max.saturating_add(1), max: None };
            alternatives.push(plain(vec![Atom::Contains(contains)]));
        }
        choose(facts, agenda, address(schema), alternatives)
    }

    fn break_items(
        &mut self,
        members: Members<'a>,
        keyword: &str,
        inner: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let value = members.get(keyword).ok_or_else(|| self.doubtful())?;
        let fails = |schema: &'a Value| Goal { schema, holds: false, ..inner };
        let (prefix, rest, rest_keyword) = item_parts(members, self.dialect);
        if keyword == rest_keyword && !(keyword == "items" && value.is_array()) {
            let schema = rest.ok_or_else(|| self.doubtful())?;
            agenda.push(Atom::SomeItem(prefix.len(), fails(schema)));
            return Ok(());
        }
        let alternatives = array_prefix(members, self.dialect)
            .iter()
            .enumerate()
            .map(|(i, schema)| plain(vec![Atom::MinItems(i as u64 + 1), Atom::ItemGoal(i, fails(schema))]))
            .collect();
        choose(facts, agenda, address(value), alternatives)
    }

    fn break_object_keyword(
        &mut self,
        members: Members<'a>,
        keyword: &str,
        inner: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let value = members.get(keyword).ok_or_else(|| self.doubtful())?;
        let fails = |schema: &'a Value| Goal { schema, holds: false, ..inner };
        let entries = value.as_object().into_iter().flatten();
        let mut alternatives = Vec::new();
        match keyword {
            "required" => {
                let names: Vec<&'a str> =
                    value.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                for name in &names {
                    // The others stay, where they can: one missing key is one error.
                    alternatives.push(plain(vec![Atom::Lacks(Cow::Borrowed(name))]));
                }
            }
            "properties" => {
                for (name, schema) in entries {
                    let key = Cow::Borrowed(name.as_str());
                    alternatives.push(plain(vec![Atom::Has(key.clone()), Atom::KeyGoal(key, fails(schema))]));
                }
            }
            "patternProperties" => {
                for (pattern, schema) in entries {
                    let some = SomeKey { source: Source::Pattern(pattern), value: Some(fails(schema)) };
                    alternatives.push(plain(vec![Atom::SomeKey(some)]));
                }
            }
            "additionalProperties" => {
                let some = SomeKey { source: Source::Undeclared(members), value: Some(fails(value)) };
                alternatives.push(plain(vec![Atom::SomeKey(some)]));
            }
            "propertyNames" => {
                let some = SomeKey { source: Source::Named(fails(value)), value: None };
                alternatives.push(plain(vec![Atom::SomeKey(some)]));
            }
            "unevaluatedProperties" | "unevaluatedItems" => {
                // Broken from inside a negation: nothing is evaluated that must not be.
                if keyword == "unevaluatedItems" {
                    alternatives.push(plain(vec![Atom::SomeItem(
                        array_prefix(members, self.dialect).len(),
                        fails(value),
                    )]));
                } else {
                    // What the parts beside it evaluate is not looked at.
                    self.doubt = true;
                    let some = SomeKey { source: Source::Undeclared(members), value: Some(fails(value)) };
                    alternatives.push(plain(vec![Atom::SomeKey(some)]));
                }
            }
            _ => {
                for (name, demand) in entries {
                    let has = Atom::Has(Cow::Borrowed(name.as_str()));
                    match demand {
                        Value::Array(names) => {
                            for other in names.iter().filter_map(Value::as_str) {
                                alternatives
                                    .push(plain(vec![has.clone(), Atom::Lacks(Cow::Borrowed(other))]));
                            }
                        }
                        schema => alternatives.push(plain(vec![has, Atom::Goal(fails(schema))])),
                    }
                }
            }
        }
        let site = address(value);
        choose(facts, agenda, site, alternatives)
    }
}

fn plain(atoms: Vec<Atom<'_>>) -> Alternative<'_> {
    Alternative { atoms, types: Types::ALL, taken: 0 }
}

/// The count must stay below the keyword's value; nothing is below zero.
fn below(max: &mut Option<u64>, value: &Value) -> Result<(), Fail> {
    let least = count(value).filter(|n| *n > 0).ok_or(Fail::Conflict)?;
    lower_max(max, &Value::from(least - 1));
    Ok(())
}

fn above(value: &Value) -> u64 {
    count(value).map_or(u64::MAX, |n| n.saturating_add(1))
}
