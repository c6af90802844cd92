//! Checks: trees of operators over evidence, with fixed arity.

use super::interface::KeyedShape;
use super::node::{self, Node, Read};
use super::pointer::Pointer;
use serde_json::Value;
use std::rc::Rc;

/// The sixteen operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    Equality,
    DeepEquality,
    Containment,
    Existence,
    Absence,
    Regex,
    SetMembership,
    Ordering,
    CountTolerance,
    Shape,
    CoversByKey,
    Not,
    All,
    Any,
    ForAll,
    ForAny,
}

impl Op {
    pub const ALL: [Op; 16] = [
        Op::Equality,
        Op::DeepEquality,
        Op::Containment,
        Op::Existence,
        Op::Absence,
        Op::Regex,
        Op::SetMembership,
        Op::Ordering,
        Op::CountTolerance,
        Op::Shape,
        Op::CoversByKey,
        Op::Not,
        Op::All,
        Op::Any,
        Op::ForAll,
        Op::ForAny,
    ];

    /// As documents spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Op::Equality => "equality",
            Op::DeepEquality => "deep-equality",
            Op::Containment => "containment",
            Op::Existence => "existence",
            Op::Absence => "absence",
            Op::Regex => "regex",
            Op::SetMembership => "set-membership",
            Op::Ordering => "ordering",
            Op::CountTolerance => "count-tolerance",
            Op::Shape => "shape",
            Op::CoversByKey => "covers-by-key",
            Op::Not => "not",
            Op::All => "all",
            Op::Any => "any",
            Op::ForAll => "for-all",
            Op::ForAny => "for-any",
        }
    }
}

/// One node of a check.
#[derive(Debug, Clone)]
pub struct Expression {
    /// Where it stands in its document.
    pub at: String,
    pub test: Test,
}

/// What a node asks.
#[derive(Debug, Clone)]
pub enum Test {
    Equality(Operand, Operand),
    DeepEquality(Operand, Operand),
    /// The container, and what it has to hold.
    Containment(Operand, Operand),
    Existence(Operand),
    Absence(Operand),
    Regex {
        of: Operand,
        pattern: String,
    },
    SetMembership {
        of: Operand,
        set: Operand,
    },
    Ordering {
        of: Operand,
        key: String,
        is_descending: bool,
    },
    CountTolerance {
        of: Operand,
        expected: u64,
        tolerance: u64,
        is_relative: bool,
    },
    Shape {
        of: Operand,
        shape: KeyedShape,
    },
    CoversByKey {
        expected: Operand,
        actual: Operand,
        expected_key: String,
        actual_key: String,
    },
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
    ForAll {
        collection: Operand,
        predicate: Box<Expression>,
    },
    ForAny {
        collection: Operand,
        predicate: Box<Expression>,
    },
}

/// What an operator looks at.
#[derive(Debug, Clone)]
pub struct Operand {
    pub at: String,
    pub source: Source,
}

#[derive(Debug, Clone)]
pub enum Source {
    Pointer(Pointer),
    Literal(Value),
    ReferenceSet(String),
}

impl Source {
    /// For messages.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Source::Pointer(_) => "pointer",
            Source::Literal(_) => "literal",
            Source::ReferenceSet(_) => "reference set",
        }
    }
}

impl Operand {
    #[must_use]
    pub fn pointer(&self) -> Option<&Pointer> {
        match &self.source {
            Source::Pointer(pointer) => Some(pointer),
            _ => None,
        }
    }

    fn read(node: &Node<'_>) -> Read<Operand> {
        let source = if node.peek("pointer").is_some() {
            let pointer = node.object(&["pointer"])?.at("pointer");
            let parsed = pointer.value.as_str().and_then(Pointer::parse);
            Source::Pointer(parsed.ok_or_else(|| {
                pointer.fault(
                    "a pointer `/interactions/STEP/…` is expected here (below the step: `response-body` and a path, \
                     `response-status`, or `call-inputs/arguments` and a path), or `@/…` inside a quantifier",
                )
            })?)
        } else if node.peek("literal").is_some() {
            Source::Literal(node.object(&["literal"])?.at("literal").json()?)
        } else if node.peek("referenceSet").is_some() {
            Source::ReferenceSet(node.object(&["referenceSet"])?.at("referenceSet").identifier()?)
        } else {
            let forms = "an operand is an object with one key: `pointer`, `literal` or `referenceSet`";
            return Err(node.fault(forms));
        };
        Ok(Operand { at: node.at.clone(), source })
    }

    /// The second operand of `set-membership`, which alone is narrowed: an empty set could hold nothing.
    fn read_set(node: &Node<'_>) -> Read<Operand> {
        if node.peek("literal").is_some() {
            node.object(&["literal"])?.at("literal").list_of(1, |_| Ok(()))?;
        } else {
            node.object(&["referenceSet"])?;
        }
        Operand::read(node)
    }
}

impl Expression {
    /// Read a check strictly.
    ///
    /// # Errors
    /// What is unknown, absent or of another type.
    pub fn read(node: &Node<'_>) -> Read<Expression> {
        let op = match node.peek("op") {
            Some(op) => {
                Node { value: op, at: format!("{}/op", node.at) }.word(&Op::ALL.map(|op| (op.name(), op)))?
            }
            None => return Err(node.fault("a check is an object with `op` and what that operator takes")),
        };
        Ok(Expression { at: node.at.clone(), test: test(op, node)? })
    }

    #[must_use]
    pub fn op(&self) -> Op {
        match &self.test {
            Test::Equality(..) => Op::Equality,
            Test::DeepEquality(..) => Op::DeepEquality,
            Test::Containment(..) => Op::Containment,
            Test::Existence(_) => Op::Existence,
            Test::Absence(_) => Op::Absence,
            Test::Regex { .. } => Op::Regex,
            Test::SetMembership { .. } => Op::SetMembership,
            Test::Ordering { .. } => Op::Ordering,
            Test::CountTolerance { .. } => Op::CountTolerance,
            Test::Shape { .. } => Op::Shape,
            Test::CoversByKey { .. } => Op::CoversByKey,
            Test::Not(_) => Op::Not,
            Test::All(_) => Op::All,
            Test::Any(_) => Op::Any,
            Test::ForAll { .. } => Op::ForAll,
            Test::ForAny { .. } => Op::ForAny,
        }
    }

    /// The operands of this node itself; a quantifier's is its collection.
    #[must_use]
    pub fn operands(&self) -> Vec<&Operand> {
        match &self.test {
            Test::Equality(a, b) | Test::DeepEquality(a, b) | Test::Containment(a, b) => vec![a, b],
            Test::SetMembership { of, set } => vec![of, set],
            Test::CoversByKey { expected, actual, .. } => vec![expected, actual],
            Test::Existence(of) | Test::Absence(of) => vec![of],
            Test::Regex { of, .. }
            | Test::Ordering { of, .. }
            | Test::CountTolerance { of, .. }
            | Test::Shape { of, .. } => vec![of],
            Test::ForAll { collection, .. } | Test::ForAny { collection, .. } => vec![collection],
            Test::Not(_) | Test::All(_) | Test::Any(_) => Vec::new(),
        }
    }

    /// The nodes right below this one.
    #[must_use]
    pub fn children(&self) -> Vec<&Expression> {
        match &self.test {
            Test::Not(child) => vec![child],
            Test::All(children) | Test::Any(children) => children.iter().collect(),
            Test::ForAll { predicate, .. } | Test::ForAny { predicate, .. } => vec![predicate],
            _ => Vec::new(),
        }
    }

    /// This node and all below it, in the order of the document, each with the number of quantifiers around it
    /// and the pointer of the collection that the innermost of them binds.
    #[must_use]
    pub fn nodes(&self) -> Vec<Visit<'_>> {
        let mut out = Vec::new();
        self.gather(0, None, &mut out);
        out
    }

    fn gather<'e>(&'e self, depth: usize, collection: Option<&Rc<str>>, out: &mut Vec<Visit<'e>>) {
        out.push(Visit { node: self, depth, collection: collection.cloned() });
        let (below, bound) = match &self.test {
            Test::ForAll { collection: of, .. } | Test::ForAny { collection: of, .. } => {
                (depth + 1, of.pointer().map(|p| Rc::from(p.substituted(collection.map(|c| &**c)))))
            }
            _ => (depth, collection.cloned()),
        };
        for child in self.children() {
            child.gather(below, bound.as_ref(), out);
        }
    }
}

/// A node on a walk through a check.
#[derive(Debug)]
pub struct Visit<'e> {
    pub node: &'e Expression,
    /// How many quantifiers it stands in.
    pub depth: usize,
    /// What `@` stands for.
    pub collection: Option<Rc<str>>,
}

fn test(op: Op, node: &Node<'_>) -> Read<Test> {
    Ok(match op {
        Op::Equality => two(node, Operand::read).map(|(a, b)| Test::Equality(a, b))?,
        Op::DeepEquality => two(node, Operand::read).map(|(a, b)| Test::DeepEquality(a, b))?,
        Op::Containment => two(node, Operand::read).map(|(a, b)| Test::Containment(a, b))?,
        Op::SetMembership => two(node, Operand::read_set).map(|(of, set)| Test::SetMembership { of, set })?,
        Op::Existence => Test::Existence(one(node, &[])?.0),
        Op::Absence => Test::Absence(one(node, &[])?.0),
        Op::Regex => {
            let (of, f) = one(node, &["pattern"])?;
            Test::Regex { of, pattern: f.at("pattern").string()? }
        }
        Op::Ordering => {
            let (of, f) = one(node, &["key", "order"])?;
            let is_descending = f.at("order").word(&[("ascending", false), ("descending", true)])?;
            Test::Ordering { of, key: f.at("key").non_empty()?, is_descending }
        }
        Op::CountTolerance => {
            let (of, f) = one(node, &["expected", "tolerance", "relative"])?;
            Test::CountTolerance {
                of,
                expected: f.at("expected").count(0)?,
                tolerance: f.at("tolerance").count(0)?,
                is_relative: f.at("relative").boolean()?,
            }
        }
        Op::Shape => {
            let (of, f) = one(node, &["descriptor"])?;
            Test::Shape { of, shape: KeyedShape::read(&f.at("descriptor"))? }
        }
        Op::CoversByKey => {
            let f = node.object(&["op", "operands", "expectedKey", "actualKey"])?;
            let (expected, actual) = pair(&f.at("operands"), Operand::read)?;
            Test::CoversByKey {
                expected,
                actual,
                expected_key: f.at("expectedKey").non_empty()?,
                actual_key: f.at("actualKey").non_empty()?,
            }
        }
        Op::Not => {
            let f = node.object(&["op", "operands"])?;
            Test::Not(Box::new(single(&f.at("operands"), Expression::read)?))
        }
        Op::All | Op::Any => {
            let children = node.object(&["op", "operands"])?.at("operands").list_of(2, Expression::read)?;
            if op == Op::All { Test::All(children) } else { Test::Any(children) }
        }
        Op::ForAll | Op::ForAny => {
            let f = node.object(&["op", "collection", "predicate"])?;
            let collection = Operand::read(&f.at("collection"))?;
            let predicate = Box::new(Expression::read(&f.at("predicate"))?);
            match op {
                Op::ForAll => Test::ForAll { collection, predicate },
                _ => Test::ForAny { collection, predicate },
            }
        }
    })
}

/// The one operand of an operator that takes `more` beside it.
fn one<'v>(node: &Node<'v>, more: &[&str]) -> Read<(Operand, node::Fields<'v>)> {
    let keys: Vec<&str> = ["op", "operands"].into_iter().chain(more.iter().copied()).collect();
    let f = node.object(&keys)?;
    Ok((single(&f.at("operands"), Operand::read)?, f))
}

/// The two operands of an operator that takes nothing else; `second` reads the second.
fn two(node: &Node<'_>, second: fn(&Node<'_>) -> Read<Operand>) -> Read<(Operand, Operand)> {
    pair(&node.object(&["op", "operands"])?.at("operands"), second)
}

fn pair(node: &Node<'_>, second: fn(&Node<'_>) -> Read<Operand>) -> Read<(Operand, Operand)> {
    let nodes = node.list(|n| Ok(n.clone()))?;
    match nodes.as_slice() {
        [a, b] => Ok((Operand::read(a)?, second(b)?)),
        other => Err(node.fault(format!("this operator takes two operands, not {}", other.len()))),
    }
}

fn single<T>(node: &Node<'_>, read: fn(&Node<'_>) -> Read<T>) -> Read<T> {
    let nodes = node.list(|n| Ok(n.clone()))?;
    match nodes.as_slice() {
        [only] => read(only),
        other => Err(node.fault(format!("this operator takes one operand, not {}", other.len()))),
    }
}
