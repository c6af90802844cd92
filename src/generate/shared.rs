//! What the searches for one schema share: the effort that is left, and compiled patterns.

use super::pattern::Pattern;
use crate::schema::Dialect;
use crate::schema::judge::{Formats, Judge};
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// The effort that a schema is worth altogether, in steps of about a microsecond: what bounds the time of a
/// call, deterministically. The hardest real schema needs a tenth.
pub(crate) const EFFORT: u64 = 1_500_000;
/// Effort for each mutant that is asked for, and the most for all of them.
pub(crate) const EFFORT_A_MUTANT: u64 = 2_000;
pub(crate) const MOST_EFFORT: u64 = 4_000_000;

/// Copies refer to the same effort and the same patterns.
#[derive(Clone)]
pub(crate) struct Shared {
    left: Rc<Cell<u64>>,
    spent: Rc<Cell<u64>>,
    patterns: Rc<RefCell<BTreeMap<String, Rc<Compiled>>>>,
    formats: Rc<RefCell<BTreeMap<String, Option<Rc<Judge>>>>>,
    dialect: Dialect,
}

/// A pattern with its matcher, which is a judge, and its tree.
pub(crate) struct Compiled {
    matcher: Option<Judge>,
    pub(crate) tree: Option<Pattern>,
    /// What a match costs at least: look-around makes the engine try and try again.
    cost: u64,
}

impl Compiled {
    fn new(text: &str, dialect: Dialect) -> Compiled {
        let matcher = Judge::compile(&json!({"pattern": text}), dialect, Formats::Annotate).ok();
        let tree = Pattern::parse(text);
        let backtracks = tree.as_ref().is_none_or(|t| t.root.looks_around());
        Compiled { matcher, tree, cost: if backtracks { 20 } else { 1 } }
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.matcher.as_ref().is_some_and(|m| m.accepts(&Value::from(text)))
    }

    pub(crate) fn cost_for(&self, text: &str) -> u64 {
        self.cost + text.len() as u64 * self.cost / 128
    }
}

impl Shared {
    pub(crate) fn new(dialect: Dialect, effort: u64) -> Shared {
        Shared {
            left: Rc::new(Cell::new(effort)),
            spent: Rc::default(),
            patterns: Rc::default(),
            formats: Rc::default(),
            dialect,
        }
    }

    /// Take `effort` off what is left; whether any is.
    pub(crate) fn spend(&self, effort: u64) -> bool {
        self.spent.set(self.spent.get().saturating_add(effort));
        self.left.set(self.left.get().saturating_sub(effort));
        self.left.get() > 0
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.left.get() == 0
    }

    /// Everything spent so far, by all copies.
    pub(crate) fn spent(&self) -> u64 {
        self.spent.get()
    }

    /// Another purse beside the same patterns.
    pub(crate) fn with_effort(&self, effort: u64) -> Shared {
        Shared { left: Rc::new(Cell::new(effort)), ..self.clone() }
    }

    /// The pattern, compiled once.
    pub(crate) fn pattern(&self, text: &str) -> Rc<Compiled> {
        if let Some(known) = self.patterns.borrow().get(text) {
            return Rc::clone(known);
        }
        self.spend(100 + text.len() as u64);
        let compiled = Rc::new(Compiled::new(text, self.dialect));
        self.patterns.borrow_mut().insert(text.to_string(), Rc::clone(&compiled));
        compiled
    }

    /// Whether `text` has the format, where the judge knows the format at all.
    pub(crate) fn has_format(&self, format: &str, text: &str) -> bool {
        let mut formats = self.formats.borrow_mut();
        let judge = formats.entry(format.to_string()).or_insert_with(|| {
            Judge::compile(&json!({"format": format}), self.dialect, Formats::Assert).ok().map(Rc::new)
        });
        judge.as_ref().is_none_or(|j| j.accepts(&Value::from(text)))
    }
}
