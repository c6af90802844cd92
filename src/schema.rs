//! What verity knows of a JSON Schema: its [`dialect`], every subschema ([`walk`]), its references,
//! the [`judge`] that alone says whether a value is valid, and the [`verdict`].

pub mod dialect;
pub mod grader;
pub mod judge;
pub mod references;
pub mod verdict;
pub mod walk;

pub use dialect::Dialect;
pub use judge::{Judge, Violation};
pub use verdict::{Satisfiability, Verdict};
pub use walk::{Node, Via};

use serde_json::Value;
use std::cell::OnceCell;

/// One schema with everything that rules and generator ask of it, each computed once, on demand.
pub struct SchemaView<'s> {
    pub schema: &'s Value,
    pub dialect: Dialect,
    nodes: OnceCell<Vec<Node<'s>>>,
    judge: OnceCell<Result<Judge, judge::CompileError>>,
    metaschema: OnceCell<Vec<Violation>>,
    algebra: OnceCell<Result<judge::Algebra, judge::CompileError>>,
    verdict: OnceCell<Verdict>,
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
            algebra: OnceCell::new(),
            verdict: OnceCell::new(),
        }
    }

    /// Every subschema, root first, in document order.
    pub fn nodes(&self) -> &[Node<'s>] {
        self.nodes.get_or_init(|| walk::walk(self.schema, self.dialect))
    }

    /// Violations of the dialect's metaschema; empty for a valid schema.
    pub fn metaschema_violations(&self) -> &[Violation] {
        self.metaschema.get_or_init(|| judge::metaschema_violations(self.schema, self.dialect))
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
}
