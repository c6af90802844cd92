//! Goals taken apart: what each keyword says of the value, when it must hold and when it must not.

use super::facts::{Alternative, Atom, Facts, Goal, NO_ROUTE, Types};
use super::keywords::{Members, allow, broken_types, choose, exclude, push_new};
use super::solver::{Fail, Solver, address};
use crate::schema::Dialect;
use crate::schema::judge::Formats;
use serde_json::Value;

impl<'a> Solver<'a> {
    pub(crate) fn assert(
        &mut self,
        atom: Atom<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        match atom {
            Atom::Goal(goal) => return self.assert_goal(goal, facts, agenda),
            Atom::Broken { members, keyword, goal } => {
                return self.break_keyword(members, keyword, goal, facts, agenda);
            }
            Atom::OnlyBranch { branches, index, goal } => {
                // The branch that holds comes first: its facts prune the others' alternatives.
                for (i, branch) in branches.iter().enumerate() {
                    let holds = i == index;
                    let owners = if holds { goal.owners } else { 0 };
                    let atom = Atom::Goal(Goal { schema: branch, holds, owners, route: NO_ROUTE, ..goal });
                    if holds { agenda.insert(0, atom) } else { agenda.push(atom) }
                }
            }
            Atom::Types(types) => facts.types = facts.types.and(types),
            Atom::Is(value) => allow(facts, vec![value]),
            Atom::IsNot(value) => exclude(facts, value),
            Atom::Matches(pattern, true) => push_new(&mut facts.string.patterns, pattern),
            Atom::Matches(pattern, false) => push_new(&mut facts.string.barred, pattern),
            Atom::Has(key) => {
                if facts.object.lacks.contains(&key) {
                    facts.types = facts.types.without(Types::OBJECT);
                } else if !facts.object.has.contains(&key) {
                    if facts.object.committed {
                        for (name, atom) in &facts.object.dependents {
                            if *name == key {
                                agenda.push(atom.clone());
                            }
                        }
                    }
                    let crowded = facts.object.max.is_some_and(|m| m <= facts.object.has.len() as u64);
                    if crowded || self.is_shut_out(&facts.object.rules, &key) {
                        facts.types = facts.types.without(Types::OBJECT);
                    }
                    facts.object.has.insert(key);
                }
            }
            Atom::Lacks(key) => {
                if facts.object.has.contains(&key) {
                    facts.types = facts.types.without(Types::OBJECT);
                } else {
                    facts.object.lacks.insert(key);
                }
            }
            Atom::KeyIs(key, value) => facts.object.fixed.push((key, value)),
            Atom::KeyGoal(key, goal) => facts.object.key_goals.push((key, goal)),
            Atom::SomeKey(some) => facts.object.some.push(some),
            Atom::ItemGoal(index, goal) => facts.array.item_goals.push((index, goal)),
            Atom::SomeItem(from, goal) => facts.array.some.push((from, goal)),
            Atom::MinItems(n) => facts.array.min = facts.array.min.max(n),
            Atom::Contains(contains) => facts.array.contains.push(contains),
        }
        Ok(())
    }

    fn assert_goal(
        &mut self,
        mut goal: Goal<'a>,
        facts: &mut Facts<'a>,
        agenda: &mut Vec<Atom<'a>>,
    ) -> Result<(), Fail> {
        let members = match (goal.schema, goal.holds) {
            (Value::Bool(truth), holds) => {
                return if *truth == holds { Ok(()) } else { Err(Fail::Conflict) };
            }
            (Value::Object(members), _) => members,
            _ => return Ok(()),
        };
        if goal.route == NO_ROUTE {
            let seen = (address(goal.schema), goal.holds, goal.scope, goal.owners);
            self.spend(facts.asserted.len() / 32);
            if facts.asserted.contains(&seen) {
                return Ok(());
            }
            facts.asserted.push(seen);
        }
        // A part may name a dialect of its own, which the judge obeys and this search does not.
        self.doubt |= members.contains_key("$schema") && Dialect::of(goal.schema) != self.dialect;
        if members.contains_key("$id") || members.contains_key("id") {
            let entered = self.scope(goal.scope).and_then(|s| self.references.enter(&s, goal.schema));
            if let Some(scope) = entered {
                goal.scope = self.intern(scope);
            }
        }
        if goal.holds {
            self.trace.push(address(goal.schema));
            return self.hold(members, goal, facts, agenda);
        }
        let mut alternatives = Vec::new();
        let hides = self.dialect.ref_hides_siblings() && members.contains_key("$ref");
        for (keyword, value) in members {
            if hides && keyword != "$ref" || !self.can_break(members, keyword, value) {
                continue;
            }
            alternatives.push(Alternative {
                atoms: vec![Atom::Broken { members, keyword, goal }],
                types: broken_types(keyword, value),
                taken: 0,
            });
        }
        choose(facts, agenda, address(members), alternatives)
    }

    /// Whether the keyword can refuse anything at all.
    fn can_break(&self, members: Members<'a>, keyword: &str, value: &Value) -> bool {
        if !self.dialect.judge_applies(keyword) {
            return false;
        }
        match keyword {
            "if" => members.contains_key("then") || members.contains_key("else"),
            "format" => self.formats == Formats::Assert,
            "additionalItems" => members.get("items").is_some_and(Value::is_array),
            "uniqueItems" => value.as_bool() == Some(true),
            "$ref"
            | "$dynamicRef"
            | "$recursiveRef"
            | "type"
            | "enum"
            | "const"
            | "minimum"
            | "maximum"
            | "exclusiveMinimum"
            | "exclusiveMaximum"
            | "multipleOf"
            | "minLength"
            | "maxLength"
            | "pattern"
            | "minItems"
            | "maxItems"
            | "items"
            | "prefixItems"
            | "contains"
            | "minProperties"
            | "maxProperties"
            | "required"
            | "properties"
            | "patternProperties"
            | "additionalProperties"
            | "propertyNames"
            | "dependentRequired"
            | "dependentSchemas"
            | "dependencies"
            | "unevaluatedProperties"
            | "unevaluatedItems"
            | "allOf"
            | "anyOf"
            | "oneOf"
            | "not" => true,
            _ => false,
        }
    }
}
