//! Keywords that hold: what each adds to the facts, and to the disjunctions that stay open.

use super::facts::{
    Alternative, Atom, Bound, Contains, Facts, Goal, ItemRule, NO_ROUTE, Rule, SomeKey, Source, Types,
};
use super::keywords::{
    Members, allow, array_prefix, choose, count, follow_route, item_parts, lower_max, note, push_new, tighten,
};
use super::num::Num;
use super::solver::{Fail, Solver, Way, address};
use crate::schema::Dialect;
use crate::schema::walk::Via;
use serde_json::Value;
use std::borrow::Cow;

impl<'a> Solver<'a> {
    /// Every keyword of a schema object that holds; the one that the route ends at is broken instead.
    pub(crate) fn hold(
        &mut self,
        members: Members<'a>,
        mut goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        if self.dialect.ref_hides_siblings() && members.contains_key("$ref") {
            return self.hold_keyword(members, "$ref", goal, facts, agenda);
        }
        let broken = self.broken(goal.route);
        if members.contains_key("unevaluatedProperties") || members.contains_key("unevaluatedItems") {
            self.hold_unevaluated(members, &mut goal, broken, facts);
        }
        note(members, facts);
        let applies = ["properties", "patternProperties", "additionalProperties"];
        if applies.iter().any(|k| members.contains_key(*k)) {
            let rule = Rule { members, scope: goal.scope, owners: goal.owners, route: goal.route, broken };
            for key in facts.object.has.iter() {
                if self.is_shut_out(&[rule], key) {
                    facts.types = facts.types.without(Types::OBJECT);
                }
            }
            facts.object.rules.push(rule);
        }
        self.hold_items(members, goal, broken, facts);
        if let Some(way) = self.way(goal.route).cloned() {
            follow_route(&way, members, goal, self.dialect, agenda);
        }
        for keyword in members.keys() {
            if broken == Some(keyword.as_str()) {
                agenda.push(Atom::Broken { members, keyword, goal: Goal { route: NO_ROUTE, ..goal } });
            } else if self.dialect.judge_applies(keyword) {
                self.hold_keyword(members, keyword, goal, facts, agenda)?;
            }
        }
        Ok(())
    }

    fn hold_unevaluated(
        &mut self,
        members: Members<'a>,
        goal: &mut Goal<'a>,
        broken: Option<&str>,
        facts: &mut Facts<'a>,
    ) {
        let bit = 1u64.checked_shl(facts.owners).unwrap_or(0);
        facts.owners += 1;
        // The keyword sees what this object's own keywords evaluate, and all in-place applicators.
        goal.owners |= bit;
        let child = |schema| Goal::child(schema, true, goal.scope);
        if let Some(schema) =
            members.get("unevaluatedProperties").filter(|_| broken != Some("unevaluatedProperties"))
        {
            facts.object.unevaluated.push((bit, child(schema)));
        }
        if let Some(schema) = members.get("unevaluatedItems").filter(|_| broken != Some("unevaluatedItems")) {
            facts.array.unevaluated.push((bit, child(schema)));
        }
        if let Some(keyword) = broken.filter(|k| k.starts_with("unevaluated"))
            && let Some(schema) = members.get(keyword)
        {
            let refused = Goal::child(schema, false, goal.scope);
            if keyword == "unevaluatedProperties" {
                facts.types = facts.types.and(Types::OBJECT);
                facts.object.some.push(SomeKey { source: Source::Unevaluated(bit), value: Some(refused) });
            } else {
                facts.types = facts.types.and(Types::ARRAY);
                let from = array_prefix(members, self.dialect).len();
                facts.array.some.push((from, refused));
            }
        }
    }

    fn hold_items(&self, members: Members<'a>, goal: Goal<'a>, broken: Option<&str>, facts: &mut Facts<'a>) {
        let prefix_broken = matches!(broken, Some("prefixItems"));
        let (prefix, rest, rest_keyword) = item_parts(members, self.dialect);
        if prefix.is_empty() && rest.is_none() {
            return;
        }
        facts.array.rules.push(ItemRule {
            prefix: if prefix_broken { &[] } else { prefix },
            rest: rest.filter(|_| broken != Some(rest_keyword) && !prefix_broken),
            scope: goal.scope,
            owners: goal.owners,
            route: goal.route,
        });
    }

    fn hold_keyword(
        &mut self,
        members: Members<'a>,
        keyword: &'a str,
        goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let Some(value) = members.get(keyword) else { return Ok(()) };
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let mut target = self.target(keyword, value, goal).ok_or_else(|| self.doubtful())?;
                target.route = self.next_if(goal, &Way::Ref);
                agenda.push(Atom::Goal(target));
            }
            "type" => facts.types = facts.types.and(Types::of_keyword(value)),
            "enum" => {
                let values = value.as_array().map(Vec::as_slice).unwrap_or_default();
                allow(facts, values.iter().map(Cow::Borrowed).collect());
            }
            "const" => allow(facts, vec![Cow::Borrowed(value)]),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => {
                if let Some((bound, lower)) = self.bound(members, keyword, value) {
                    tighten(facts, bound, lower);
                }
            }
            "multipleOf" => facts.number.multiples.extend(value.as_number()),
            "minLength" => facts.string.min = facts.string.min.max(count(value).unwrap_or(0)),
            "maxLength" => lower_max(&mut facts.string.max, value),
            "pattern" => {
                if let Some(pattern) = value.as_str() {
                    push_new(&mut facts.string.patterns, pattern);
                }
            }
            "format" => {
                if let Some(format) = value.as_str() {
                    push_new(&mut facts.string.formats, format);
                }
            }
            "minItems" => facts.array.min = facts.array.min.max(count(value).unwrap_or(0)),
            "maxItems" => lower_max(&mut facts.array.max, value),
            "uniqueItems" if value == &Value::Bool(true) => match facts.array.unique {
                Some(false) => facts.types = facts.types.without(Types::ARRAY),
                _ => facts.array.unique = Some(true),
            },
            "contains" => self.hold_contains(members, value, goal, facts),
            "minProperties" => facts.object.min = facts.object.min.max(count(value).unwrap_or(0)),
            "maxProperties" => lower_max(&mut facts.object.max, value),
            "required" => {
                let names = value.as_array().into_iter().flatten().filter_map(Value::as_str);
                agenda.extend(names.map(|name| Atom::Has(Cow::Borrowed(name))));
            }
            "propertyNames" => {
                let route = self.next_if(goal, &Way::Via(Via::PropertyNames));
                facts.object.names.push(Goal { route, ..Goal::child(value, true, goal.scope) });
            }
            "dependentRequired" | "dependentSchemas" | "dependencies" => {
                self.hold_dependents(value, goal, facts, agenda);
            }
            "allOf" => {
                for (i, branch) in value.as_array().into_iter().flatten().enumerate() {
                    let route = self.next_if(goal, &Way::Via(Via::AllOf(i)));
                    agenda.push(Atom::Goal(Goal { schema: branch, route, ..goal }));
                }
            }
            "anyOf" | "oneOf" => return self.hold_branches(keyword, value, goal, facts, agenda),
            "not" => agenda.push(Atom::Goal(Goal {
                schema: value,
                holds: false,
                owners: 0,
                route: NO_ROUTE,
                ..goal
            })),
            "if" => return self.hold_conditional(members, value, goal, facts, agenda),
            _ => {}
        }
        Ok(())
    }

    fn hold_branches(
        &mut self,
        keyword: &str,
        value: &'a Value,
        goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let branches = value.as_array().map(Vec::as_slice).unwrap_or_default();
        let inner = Goal { route: NO_ROUTE, ..goal };
        let alternatives = branches
            .iter()
            .enumerate()
            .map(|(index, branch)| Alternative {
                atoms: vec![if keyword == "oneOf" {
                    Atom::OnlyBranch { branches, index, goal: inner }
                } else {
                    Atom::Goal(Goal { schema: branch, ..inner })
                }],
                types: self.rough_types(branch),
                taken: 0,
            })
            .collect();
        choose(facts, agenda, address(value), alternatives)
    }

    /// Types that a schema surely demands, by a glance.
    fn rough_types(&self, schema: &Value) -> Types {
        match schema {
            Value::Bool(false) => Types(0),
            Value::Object(members) => match members.get("type") {
                Some(types) if !(self.dialect.ref_hides_siblings() && members.contains_key("$ref")) => {
                    Types::of_keyword(types)
                }
                _ => Types::ALL,
            },
            _ => Types::ALL,
        }
    }

    fn hold_conditional(
        &mut self,
        members: Members<'a>,
        condition: &'a Value,
        goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let inner = Goal { route: NO_ROUTE, ..goal };
        let on_then = self.next_if(goal, &Way::Via(Via::Then));
        let on_else = self.next_if(goal, &Way::Via(Via::Else));
        let (then, otherwise) = (members.get("then"), members.get("else"));
        if then.is_none() && otherwise.is_none() && goal.owners == 0 {
            return Ok(());
        }
        let mut met = vec![Atom::Goal(Goal { schema: condition, ..inner })];
        met.extend(then.map(|s| Atom::Goal(Goal { schema: s, route: on_then, ..inner })));
        let mut unmet = vec![Atom::Goal(Goal { schema: condition, holds: false, owners: 0, ..inner })];
        unmet.extend(otherwise.map(|s| Atom::Goal(Goal { schema: s, route: on_else, ..inner })));
        let mut alternatives = Vec::new();
        if on_then == NO_ROUTE {
            let taken = otherwise.map_or(0, address);
            alternatives.push(Alternative { atoms: unmet, types: Types::ALL, taken });
        }
        if on_else == NO_ROUTE {
            let taken = address(condition);
            alternatives.push(Alternative { atoms: met, types: Types::ALL, taken });
        }
        choose(facts, agenda, address(condition), alternatives)
    }

    fn hold_dependents(
        &mut self,
        value: &'a Value,
        goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) {
        for (key, demand) in value.as_object().into_iter().flatten() {
            let atoms: Vec<Atom<'a>> = match demand {
                Value::Array(names) => {
                    names.iter().filter_map(Value::as_str).map(|n| Atom::Has(Cow::Borrowed(n))).collect()
                }
                schema => {
                    let route = self.next_if(goal, &Way::Via(Via::DependentSchema(key.clone())));
                    vec![Atom::Goal(Goal { schema, route, ..goal })]
                }
            };
            for atom in atoms {
                if facts.object.committed && facts.object.has.contains(key) {
                    agenda.push(atom.clone());
                }
                facts.object.dependents.push((key, atom));
            }
        }
    }

    fn hold_contains(&self, members: Members<'a>, value: &'a Value, goal: Goal<'a>, facts: &mut Facts<'a>) {
        let counts = self.dialect >= Dialect::Draft201909;
        let of = |k: &str| members.get(k).filter(|_| counts).and_then(count);
        let (mut min, mut max) = (of("minContains").unwrap_or(1), of("maxContains"));
        match self.broken(goal.route) {
            Some("minContains") => min = 0,
            Some("maxContains") => max = None,
            _ => {}
        }
        if min == 0 && max.is_none() {
            return;
        }
        if max.is_some_and(|m| m < min) {
            facts.types = facts.types.without(Types::ARRAY);
        }
        let goal = Goal { schema: value, holds: true, owners: goal.owners, route: NO_ROUTE, ..goal };
        facts.array.contains.push(Contains { goal, min, max });
    }

    /// Route of the subgoal that `way` leads to: the next step if the route goes there.
    pub(crate) fn next_if(&self, goal: Goal<'a>, way: &Way) -> u16 {
        if goal.route != NO_ROUTE && self.way(goal.route) == Some(way) { goal.route + 1 } else { NO_ROUTE }
    }

    pub(crate) fn target(&mut self, keyword: &str, value: &'a Value, goal: Goal<'a>) -> Option<Goal<'a>> {
        let scope = self.scope(goal.scope)?;
        let (schema, scope) = match keyword {
            "$recursiveRef" => self.references.follow_recursive(&scope)?,
            _ => self.references.follow(&scope, value.as_str()?)?,
        };
        Some(Goal { schema, scope: self.intern(scope), route: NO_ROUTE, ..goal })
    }

    /// The bound that a keyword sets, and whether it is a lower one.
    pub(crate) fn bound(&self, members: Members<'a>, keyword: &str, value: &Value) -> Option<(Bound, bool)> {
        let lower = matches!(keyword, "minimum" | "exclusiveMinimum");
        let exclusive = if self.dialect == Dialect::Draft4 {
            // There, `exclusiveMinimum: true` changes what `minimum` means.
            let modifier = if lower { "exclusiveMinimum" } else { "exclusiveMaximum" };
            members.get(modifier) == Some(&Value::Bool(true))
        } else {
            keyword.starts_with("exclusive")
        };
        Some((Bound { value: Num::of_value(value)?, inclusive: !exclusive }, lower))
    }
}
