//! What verity knows of a JSON Schema: its [`dialect`], every subschema ([`walk`]), its references,
//! the [`judge`] that alone says whether a value is valid, and the [`verdict`].

pub mod backtrack;
pub(crate) mod common;
pub mod dialect;
pub mod ecma;
pub mod empty;
pub mod endless;
pub mod grader;
pub mod judge;
pub mod probe;
pub mod reach;
pub mod recursion;
pub mod references;
pub mod refs;
pub mod shape;
pub mod verdict;
pub mod vocabulary;
pub mod walk;
pub mod witness;

pub use dialect::Dialect;
pub use judge::{Judge, Violation};
pub use verdict::{Satisfiability, Verdict};
pub use walk::{Node, Via};

use refs::Reference;
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// One schema with everything that rules and generator ask of it, each computed once, on demand.
pub struct SchemaView<'s> {
    pub schema: &'s Value,
    pub dialect: Dialect,
    nodes: OnceCell<Vec<Node<'s>>>,
    judge: OnceCell<Result<Judge, judge::CompileError>>,
    metaschema: OnceCell<Vec<Violation>>,
    references: OnceCell<Vec<Reference<'s>>>,
    links: OnceCell<refs::Links>,
    reach: OnceCell<reach::Reach>,
    empty: OnceCell<BTreeMap<String, judge::EmptyBecause>>,
    algebra: OnceCell<Result<judge::Algebra, judge::CompileError>>,
    verdict: OnceCell<Verdict>,
    grader: OnceCell<Result<grader::Grader, String>>,
}

impl<'s> SchemaView<'s> {
    #[must_use]
    pub fn new(schema: &'s Value) -> Self {
        SchemaView {
            schema,
            dialect: Dialect::of(schema),
            nodes: OnceCell::new(),
            judge: OnceCell::new(),
            metaschema: OnceCell::new(),
            references: OnceCell::new(),
            links: OnceCell::new(),
            reach: OnceCell::new(),
            empty: OnceCell::new(),
            algebra: OnceCell::new(),
            verdict: OnceCell::new(),
            grader: OnceCell::new(),
        }
    }

    /// Every subschema, root first, in document order.
    pub fn nodes(&self) -> &[Node<'s>] {
        self.nodes.get_or_init(|| walk::walk(self.schema, self.dialect))
    }

    /// Violations of the dialect's metaschema, each at the exact place and once; empty for a valid schema.
    pub fn metaschema_violations(&self) -> &[Violation] {
        self.metaschema.get_or_init(|| shape::faults(self.schema, self.dialect, self.nodes()))
    }

    /// Every reference, in document order.
    pub fn references(&self) -> &[Reference<'s>] {
        self.references.get_or_init(|| refs::references(self.schema, self.nodes(), self.dialect))
    }

    /// Which subschemas stand below or refer to which.
    pub fn links(&self) -> &refs::Links {
        self.links.get_or_init(|| refs::Links::of(self.nodes(), self.references()))
    }

    /// How a value gets to each subschema.
    pub fn reach(&self) -> &reach::Reach {
        self.reach.get_or_init(|| reach::Reach::of(self.nodes(), self.links()))
    }

    /// Every subschema that provably admits no value, by pointer, with why; empty where undecided.
    pub fn empty_subschemas(&self) -> &BTreeMap<String, judge::EmptyBecause> {
        self.empty.get_or_init(|| judge::empty_subschemas(self.schema, self.dialect).unwrap_or_default())
    }

    /// The compiled judge, formats not asserted.
    pub fn judge(&self) -> Result<&Judge, &judge::CompileError> {
        self.judge
            .get_or_init(|| Judge::compile(self.schema, self.dialect, judge::Formats::Annotate))
            .as_ref()
    }

    /// The schema as a set of values.
    pub fn algebra(&self) -> Result<&judge::Algebra, &judge::CompileError> {
        self.algebra
            .get_or_init(|| judge::Algebra::of(self.schema, self.dialect, judge::Formats::Annotate))
            .as_ref()
    }

    /// Satisfiable, unsatisfiable or unknown; vacuous or not.
    pub fn verdict(&self) -> &Verdict {
        self.verdict.get_or_init(|| verdict::decide(self))
    }

    /// The model of the packs' grader, or why that grader cannot use the schema.
    pub fn grader(&self) -> Result<&grader::Grader, &String> {
        self.grader.get_or_init(|| grader::Grader::of(self)).as_ref()
    }
}
