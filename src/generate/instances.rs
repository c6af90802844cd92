//! One schema from verdict to instances and mutants: what is tried, in which order, and what is said
//! when it does not suffice.

use super::coverage::Coverage;
use super::facts::{Types, canonical};
use super::grow::Grower;
use super::mix::Mixer;
use super::mutate::{Mutator, Outcome};
use super::rng::Key;
use super::shared::{EFFORT, EFFORT_A_MUTANT, MOST_EFFORT, Shared};
use super::sites::{Site, sites};
use super::size;
use super::solver::{Fail, Optional, Policy, STEPS, Solver};
use super::{GenerateVerdict, Generated, Options};
use crate::schema::judge::{Algebra, Formats, Judge, Proof};
use crate::schema::references::References;
use crate::schema::{Satisfiability, SchemaView, grader};
use serde_json::{Value, json};
use std::collections::BTreeSet;

pub(super) fn generate(view: &SchemaView<'_>, options: &Options<'_>) -> Generated {
    counted(view, options).0
}

/// What was generated, and the effort that it took (see [`Shared::spent`]).
pub(super) fn counted(view: &SchemaView<'_>, options: &Options<'_>) -> (Generated, u64) {
    let shared = Shared::new(view.dialect, EFFORT);
    let out = with_effort(view, options, &shared);
    (out, shared.spent())
}

fn with_effort(view: &SchemaView<'_>, options: &Options<'_>, shared: &Shared) -> Generated {
    let mut out = Generated::default();
    let own;
    let judge = match options.formats {
        Formats::Annotate => match view.judge() {
            Ok(judge) => judge,
            Err(e) => {
                out.reason = Some(e.to_string());
                return out;
            }
        },
        Formats::Assert => match Judge::compile(view.schema, view.dialect, Formats::Assert) {
            Ok(judge) => {
                own = judge;
                &own
            }
            Err(e) => {
                out.reason = Some(e.to_string());
                return out;
            }
        },
    };
    let (verdict, reason) = verdict(view, options.formats);
    out.verdict = verdict;
    if verdict == GenerateVerdict::Unsatisfiable {
        return out;
    }
    let references = References::new(view.schema, view.dialect);
    let mut run = Run {
        view,
        options,
        judge,
        solver: Solver::new(
            &references,
            view.dialect,
            options.formats,
            Key::new("generate", options.seed, options.name),
            shared.clone(),
        ),
        stopped: too_big(view).map(Fail::TooBig),
        proven_empty: false,
        ungradeable: grader::refusal(view).is_some(),
        second_best: None,
    };
    run.valid(&mut out);
    if out.valid.is_empty() && run.proven_empty && out.verdict == GenerateVerdict::Unknown {
        out.verdict = GenerateVerdict::Unsatisfiable;
        return out;
    }
    if out.valid.is_empty() {
        out.reason = Some(run.why_none(reason));
    } else if out.verdict == GenerateVerdict::Unknown {
        out.verdict = GenerateVerdict::Satisfiable;
    }
    if out.valid.len() < options.count && !out.valid.is_empty() {
        out.reason = Some(too_few(out.valid.len(), options.count));
    }
    if options.invalid > 0 && !run.is_too_big() {
        run.invalid(&mut out);
    }
    out
}

fn too_few(found: usize, asked: usize) -> String {
    match found {
        1 => format!("only one instance was found, {asked} asked for"),
        n => format!("{n} different instances were found, {asked} asked for"),
    }
}

/// Why no value of the schema can be written, if every one of them is huge.
fn too_big(view: &SchemaView<'_>) -> Option<String> {
    let least = size::least(view.schema, view.dialect);
    (least > size::MAX_PARTS).then(|| {
        if least == u64::MAX {
            "a value of more parts than can be counted".to_string()
        } else {
            format!("a value of at least {least} parts")
        }
    })
}

/// The algebra's verdict, and its reason where it has none.
fn verdict(view: &SchemaView<'_>, formats: Formats) -> (GenerateVerdict, Option<String>) {
    if formats == Formats::Annotate {
        let verdict = view.verdict();
        return match &verdict.satisfiability {
            Satisfiability::No => (GenerateVerdict::Unsatisfiable, None),
            Satisfiability::Unknown(why) => (GenerateVerdict::Unknown, Some(why.clone())),
            Satisfiability::Yes if verdict.vacuous => (GenerateVerdict::Vacuous, None),
            Satisfiability::Yes => (GenerateVerdict::Satisfiable, None),
        };
    }
    match Algebra::of(view.schema, view.dialect, formats) {
        Err(e) => (GenerateVerdict::Unknown, Some(e.to_string())),
        Ok(algebra) => match algebra.satisfiable() {
            Proof::No => (GenerateVerdict::Unsatisfiable, None),
            Proof::Unknown => {
                (GenerateVerdict::Unknown, Some("the schema algebra could not decide".to_string()))
            }
            Proof::Yes if algebra.covers_plain(&json!({"type": "object"})) == Proof::Yes => {
                (GenerateVerdict::Vacuous, None)
            }
            Proof::Yes => (GenerateVerdict::Satisfiable, None),
        },
    }
}

struct Run<'v, 's, 'a> {
    view: &'v SchemaView<'s>,
    options: &'v Options<'v>,
    judge: &'v Judge,
    solver: Solver<'a>,
    /// Why the last search found nothing.
    stopped: Option<Fail>,
    /// The search itself proved that there is no value.
    proven_empty: bool,
    /// The packs' grader cannot use the schema.
    ungradeable: bool,
    /// Accepted by the judge, and not by the model of the grader.
    second_best: Option<Value>,
}

/// What the judge's verdict on `value` costs, in steps.
pub(super) fn verdict_effort(judge: &Judge, value: &Value) -> u64 {
    let mut parts = 0;
    let mut stack = vec![value];
    while let Some(v) = stack.pop() {
        parts += 1;
        match v {
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => stack.extend(members.values()),
            Value::String(text) => parts += text.len() as u64 / 256,
            _ => {}
        }
    }
    (parts + judge.looks()) / 8
}

/// Mixed instances in a row that are not new or not valid after which no more are mixed.
const MISSES: u32 = 100;
/// Rounds without anything new after which no more instances are looked for.
const IDLE_ROUNDS: u32 = 30;

impl<'s: 'a, 'a> Run<'_, 's, 'a> {
    /// The schema itself shows that no value can be written: nothing is tried then.
    fn is_too_big(&self) -> bool {
        matches!(self.stopped, Some(Fail::TooBig(_))) && self.solver.shared.spent() == 0
    }

    fn valid(&mut self, out: &mut Generated) {
        if self.is_too_big() {
            return;
        }
        let mut seen = BTreeSet::new();
        let many = self.options.count > 1;
        let mut coverage =
            Coverage::new(self.view.schema, if self.options.count > 0 { self.view.nodes() } else { &[] });
        if self.options.count == 0 && out.verdict != GenerateVerdict::Unknown {
            return;
        }
        if let Some(first) = self.first().or_else(|| self.second_best.take()) {
            seen.insert(canonical(&first));
            coverage.record(&self.solver.trace);
            out.valid.push(first);
        }
        let (mut round, mut idle, mut mix_at) = (0, 0, None);
        while many && !out.valid.is_empty() && out.valid.len() < self.options.count && idle < IDLE_ROUNDS {
            if mix_at.is_none_or(|at| round >= at) && coverage.is_through(round) {
                self.mix(out, &mut seen);
                mix_at = Some(round.saturating_mul(2));
                if out.valid.len() >= self.options.count {
                    break;
                }
            }
            let policy = coverage.next_policy(round, idle);
            round += 1;
            idle += 1;
            if let Some(value) = self.attempt(policy, STEPS / 4)
                && seen.insert(canonical(&value))
            {
                idle = 0;
                coverage.record(&self.solver.trace);
                out.valid.push(value);
            }
        }
        out.covered = coverage.pointers();
        out.valid.truncate(self.options.count.max(1));
    }

    /// As many more as the leaves of those that were found make; where many in a row are nothing new or
    /// nothing valid, the search goes on instead.
    fn mix(&mut self, out: &mut Generated, seen: &mut BTreeSet<String>) {
        let mut mixer = Mixer::new(&out.valid);
        let mut misses = 0;
        while out.valid.len() < self.options.count && misses < MISSES && !self.solver.shared.is_spent() {
            let Some(value) = mixer.next() else { return self.grow(out, seen) };
            misses += 1;
            if self.accepted(&value) && seen.insert(canonical(&value)) {
                misses = 0;
                out.valid.push(value);
            }
        }
    }

    /// As many more as there are neighbours of the leaves that were found.
    fn grow(&mut self, out: &mut Generated, seen: &mut BTreeSet<String>) {
        let mut grower = Grower::new(&out.valid);
        while out.valid.len() < self.options.count && !self.solver.shared.is_spent() {
            let Some(value) = grower.next() else { return };
            if self.accepted(&value) && seen.insert(canonical(&value)) {
                grower.accepted();
                out.valid.push(value);
            } else {
                grower.refused();
            }
        }
    }

    /// The reference instance: plausible, else anything that is valid.
    fn first(&mut self) -> Option<Value> {
        let of = |optional, variant| Policy { optional, variant, ..Policy::default() };
        let policies = [
            of(Optional::Few, 0),
            of(Optional::None, 0),
            of(Optional::None, 1),
            of(Optional::All, 2),
            of(Optional::None, 3),
            of(Optional::None, 4),
        ];
        let mut budget = STEPS;
        let mut is_first = true;
        for policy in policies {
            if let Some(value) = self.attempt(policy, budget) {
                return Some(value);
            }
            // Without optional parts a value is as small as it gets.
            let too_big = matches!(self.stopped, Some(Fail::TooBig(_))) && !is_first;
            is_first = false;
            if self.proven_empty || too_big || self.solver.shared.is_spent() {
                break;
            }
            // Where a whole budget did not suffice, luck may; a second one would not.
            if self.stopped == Some(Fail::Budget) {
                budget = STEPS / 20;
            }
        }
        if self.proven_empty {
            return None;
        }
        self.by_type().or_else(|| self.by_canonical_form())
    }

    /// One JSON type after the other: a search that lost itself in one may find another at once.
    fn by_type(&mut self) -> Option<Value> {
        if self.view.schema.get("type").is_some_and(Value::is_string) {
            return None;
        }
        let stopped = self.stopped.clone();
        let types = [Types::STRING, Types::NUMBER, Types::NULL, Types::BOOLEAN, Types::OBJECT, Types::ARRAY];
        let found = types.into_iter().find_map(|t| {
            let policy = Policy { optional: Optional::None, root_types: Some(t), ..Policy::default() };
            self.attempt(policy, STEPS / 10)
        });
        self.stopped = stopped;
        found
    }

    fn attempt(&mut self, policy: Policy, budget: u32) -> Option<Value> {
        if self.solver.shared.is_spent() {
            return None;
        }
        self.solver.policy = policy;
        self.solver.restart(budget);
        match self.solver.solve_root(self.view.schema, "") {
            Ok(value) if self.accepted(&value) => Some(value),
            Ok(_) => None,
            Err(fail) => {
                self.proven_empty |= fail == Fail::Conflict && !self.solver.doubt;
                self.stopped = Some(fail);
                None
            }
        }
    }

    /// Whether the judge accepts the value and, unless it cannot use the schema at all, the packs'
    /// grader too; what the judge alone accepts is kept as second best.
    fn accepted(&mut self, value: &Value) -> bool {
        self.solver.shared.spend(verdict_effort(self.judge, value));
        if !self.judge.accepts(value) {
            return false;
        }
        let both = self.ungradeable
            || match self.options.formats {
                Formats::Annotate => grader::follows(self.view, value),
                Formats::Assert => grader::accepts(self.view, value),
            };
        if !both && self.second_best.is_none() {
            self.second_best = Some(value.clone());
        }
        both
    }

    /// The algebra's canonical form says the same in simpler words: without negations and overlaps.
    fn by_canonical_form(&mut self) -> Option<Value> {
        if self.solver.shared.is_spent() {
            return None;
        }
        let own;
        let algebra = match self.options.formats {
            Formats::Annotate => self.view.algebra().ok()?,
            Formats::Assert => {
                own = Algebra::of(self.view.schema, self.view.dialect, Formats::Assert).ok()?;
                &own
            }
        };
        let schema = algebra.to_schema();
        let references = References::new(&schema, self.view.dialect);
        let key = Key::new("canonical", self.options.seed, self.options.name);
        for variant in 0..4 {
            let shared = self.solver.shared.clone();
            let mut solver =
                Solver::new(&references, self.view.dialect, self.options.formats, key.clone(), shared);
            solver.policy = Policy { optional: Optional::None, variant, ..Policy::default() };
            solver.restart(STEPS / 4);
            if let Ok(value) = solver.solve_root(&schema, "")
                && self.accepted(&value)
            {
                self.solver.trace.clear();
                return Some(value);
            }
        }
        None
    }

    fn why_none(&self, verdict: Option<String>) -> String {
        let tried = match &self.stopped {
            Some(Fail::TooBig(what)) => {
                return format!("satisfiable in principle, but too big to write: {what}");
            }
            Some(Fail::Budget) => format!("the search stopped after {} steps", self.solver.shared.spent()),
            Some(Fail::Conflict) => "the search ended without a value".to_string(),
            None => "no value that the search built was accepted".to_string(),
        };
        match verdict {
            Some(why) => format!("{why}; {tried}"),
            None => tried,
        }
    }

    fn invalid(&mut self, out: &mut Generated) {
        let all = sites(
            self.view.schema,
            self.view.nodes(),
            self.view.dialect,
            self.options.formats == Formats::Assert,
        );
        out.sites = all.len();
        let key = Key::new("generate", self.options.seed, self.options.name);
        let asked = self.options.invalid.min(all.len()) as u64;
        let effort = (EFFORT + EFFORT_A_MUTANT.saturating_mul(asked)).min(MOST_EFFORT);
        let shared = self.solver.shared.with_effort(effort);
        let solver =
            Solver::new(self.solver.references, self.view.dialect, self.options.formats, key, shared);
        let mut mutator = Mutator {
            view: self.view,
            judge: self.judge,
            solver,
            schema: self.view.schema,
            name: "",
            formats: self.options.formats,
            cost: crate::schema::judge::limits::values(self.view.schema) as u64,
            has_unevaluated: self.view.nodes().iter().any(|n| {
                n.schema.get("unevaluatedProperties").is_some() || n.schema.get("unevaluatedItems").is_some()
            }),
        };
        for site in in_turn(&all) {
            if out.invalid.len() >= self.options.invalid || mutator.solver.shared.is_spent() {
                break;
            }
            match mutator.site(site) {
                Outcome::Broken(mutant) => out.invalid.push(mutant),
                Outcome::Redundant => out.redundant.push(site.pointer()),
                Outcome::Unisolated => out.unisolated.push(site.pointer()),
                Outcome::Open => {}
            }
        }
        out.redundant.sort();
        out.unisolated.sort();
    }
}

/// Different keywords before the same keyword again, so that a few mutants say much.
fn in_turn<'l, 's>(sites: &'l [Site<'s>]) -> Vec<&'l Site<'s>> {
    let mut counts = std::collections::BTreeMap::new();
    let mut ranked: Vec<(usize, usize, &Site<'s>)> = Vec::with_capacity(sites.len());
    for (i, site) in sites.iter().enumerate() {
        let n = counts.entry(site.keyword).or_insert(0usize);
        ranked.push((*n, i, site));
        *n += 1;
    }
    ranked.sort_by_key(|(n, i, _)| (*n, *i));
    ranked.into_iter().map(|(_, _, site)| site).collect()
}
