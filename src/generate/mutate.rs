//! Mutants: for each site, an instance that the judge refuses for that keyword alone.
//!
//! The solver is sent to the site with the keyword turned round, everything else kept. Where that
//! fails, the algebra is asked what the schema without the keyword accepts beyond the schema: exactly
//! what only this keyword refuses; nothing, if the keyword changes nothing.

use super::Mutant;
use super::instances::verdict_effort;
use super::rng::Key;
use super::sites::Site;
use super::solver::{Optional, Policy, Route, STEPS, Solver, Way};
use crate::pointer;
use crate::schema::SchemaView;
use crate::schema::judge::{Algebra, Formats, Judge, Proof};
use crate::schema::references::References;
use crate::schema::walk::Via;
use serde_json::Value;

/// What came of a site.
#[derive(Debug)]
pub(crate) enum Outcome {
    Broken(Mutant),
    /// Without the keyword, the schema accepts the same values.
    Redundant,
    /// Whatever breaks the keyword breaks another as well.
    Unisolated,
    /// Nothing was found, and nothing proven.
    Open,
}

/// Effort of asking the algebra, for each JSON value of the schema.
const ALGEBRA_EFFORT: u64 = 10;
/// Steps of the search for one mutant.
const MUTANT_STEPS: u32 = 4_000;

pub(crate) struct Mutator<'v, 's, 'a> {
    pub(crate) view: &'v SchemaView<'s>,
    pub(crate) judge: &'v Judge,
    pub(crate) solver: Solver<'a>,
    pub(crate) schema: &'a Value,
    pub(crate) name: &'v str,
    pub(crate) formats: Formats,
    /// JSON values in the schema: what an answer of the algebra costs at least.
    pub(crate) cost: u64,
    /// `unevaluatedProperties` or `unevaluatedItems` is somewhere in the schema.
    pub(crate) has_unevaluated: bool,
}

/// A step to a value whose being evaluated hangs on its being valid.
fn is_open_step(way: &Way) -> bool {
    matches!(
        way,
        Way::Via(Via::AdditionalProperties | Via::PatternProperty(_) | Via::Items | Via::AdditionalItems)
    )
}

impl<'a> Mutator<'_, '_, 'a> {
    pub(crate) fn site(&mut self, site: &Site<'a>) -> Outcome {
        if self.has_unevaluated && site.steps.iter().any(is_open_step) {
            // The packs' grader calls a value that fails there unevaluated as well: two errors.
            return Outcome::Open;
        }
        if is_about_names(self.view.schema, site) {
            return Outcome::Redundant;
        }
        let route = Route { steps: site.steps.clone(), keyword: site.keyword };
        self.solver.route = Some(route);
        let mut found = None;
        for policy in policies() {
            if self.solver.shared.is_spent() {
                break;
            }
            self.solver.policy = policy;
            self.solver.restart(MUTANT_STEPS);
            let Ok(value) = self.solver.solve_root(self.schema, self.name) else { continue };
            if self.breaks_only(&value, site) {
                found = Some(value);
                break;
            }
        }
        self.solver.route = None;
        match found {
            Some(instance) => Outcome::Broken(mutant(instance, site)),
            None => self.by_algebra(site),
        }
    }

    fn breaks_only(&self, value: &Value, site: &Site<'_>) -> bool {
        self.solver.shared.spend(verdict_effort(self.judge, value));
        self.judge.breaks_only(value, site.keyword, &site.pointer()) && self.breaks_names_alone(value, site)
    }

    /// Whether the names that the site refuses keep the other keywords about names; asked of all names in
    /// the value, as the judge gives one reason for each.
    fn breaks_names_alone(&self, value: &Value, site: &Site<'_>) -> bool {
        if !matches!(site.steps.last(), Some(Way::Via(Via::PropertyNames))) {
            return true;
        }
        let about = pointer::get(self.view.schema, &site.parent).and_then(Value::as_object);
        let Some(mut rest) = about.cloned() else { return false };
        rest.shift_remove(site.keyword);
        let rest = Judge::compile(&Value::Object(rest), self.view.dialect, self.formats);
        rest.is_ok_and(|rest| names(value).iter().all(|name| rest.accepts(&Value::from(*name))))
    }

    fn by_algebra(&mut self, site: &Site<'a>) -> Outcome {
        if !self.solver.shared.spend(ALGEBRA_EFFORT.saturating_mul(self.cost)) {
            return Outcome::Open;
        }
        let own;
        let whole = match self.formats {
            Formats::Annotate => self.view.algebra(),
            Formats::Assert => {
                own = Algebra::of(self.view.schema, self.view.dialect, self.formats);
                own.as_ref()
            }
        };
        let Ok(whole) = whole else { return Outcome::Open };
        let Some(without) = without(self.view.schema, site) else { return Outcome::Open };
        let Ok(wider) = Algebra::of(&without, self.view.dialect, self.formats) else { return Outcome::Open };
        let Some(difference) = wider.minus(whole) else { return Outcome::Open };
        match difference.satisfiable() {
            Proof::No => {
                let twin = site.keyword == "type" && beside_values(self.view.schema, site);
                // A keyword can make a schema wider, as `minContains` of 0 does.
                let is_same = whole.covers(&wider) == Proof::Yes && wider.covers(whole) == Proof::Yes;
                if !twin && is_same { Outcome::Redundant } else { Outcome::Unisolated }
            }
            _ => self.sample_difference(&difference.to_schema(), site),
        }
    }

    fn sample_difference(&mut self, difference: &Value, site: &Site<'_>) -> Outcome {
        let references = References::new(difference, self.view.dialect);
        let key = Key::new("mutant", self.name, &site.pointer());
        for variant in 0..3 {
            let shared = self.solver.shared.clone();
            let mut solver = Solver::new(&references, self.view.dialect, self.formats, key.clone(), shared);
            solver.policy = Policy { variant, optional: Optional::None, ..Policy::default() };
            solver.restart(STEPS);
            if let Ok(value) = solver.solve_root(difference, self.name)
                && self.breaks_only(&value, site)
            {
                return Outcome::Broken(mutant(value, site));
            }
        }
        Outcome::Open
    }
}

/// Nearest to the usual valid instance first.
fn policies() -> [Policy; 3] {
    let of = |optional, variant| Policy { optional, variant, ..Policy::default() };
    [of(Optional::None, 0), of(Optional::None, 1), of(Optional::All, 2)]
}

fn mutant(instance: Value, site: &Site<'_>) -> Mutant {
    Mutant { instance, keyword: site.keyword.to_string(), pointer: site.pointer() }
}

/// The schema with the site's keyword taken out.
fn without(schema: &Value, site: &Site<'_>) -> Option<Value> {
    let mut copy = schema.clone();
    let parent = if site.parent.is_empty() { &mut copy } else { copy.pointer_mut(&site.parent)? };
    parent.as_object_mut()?.shift_remove(site.keyword)?;
    Some(copy)
}

/// The names of all members in `value`.
fn names(value: &Value) -> Vec<&str> {
    let mut found = Vec::new();
    let mut stack = vec![value];
    while let Some(v) = stack.pop() {
        match v {
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => {
                found.extend(members.keys().map(String::as_str));
                stack.extend(members.values());
            }
            _ => {}
        }
    }
    found
}

/// A `type` that asks of a member's name what every name is: a string.
fn is_about_names(schema: &Value, site: &Site<'_>) -> bool {
    let names = matches!(site.steps.last(), Some(Way::Via(Via::PropertyNames)));
    let strings =
        |types: &Value| types == "string" || types.as_array().is_some_and(|t| t.contains(&"string".into()));
    names && site.keyword == "type" && pointer::get(schema, &site.pointer()).is_some_and(strings)
}

fn beside_values(schema: &Value, site: &Site<'_>) -> bool {
    pointer::get(schema, &site.parent).is_some_and(|p| p.get("enum").is_some() || p.get("const").is_some())
}
