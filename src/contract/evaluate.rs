//! Three-valued resolution of checks over evidence.
//!
//! Evidence that examined nothing establishes nothing: an empty list, or a declared list that is not there, makes a
//! leaf resolve to insufficient evidence. `not` keeps that, in `all` a false outweighs it, in `any` it outweighs a
//! true. Every child is resolved, so that the tree can be read.

mod operators;

use super::document::ReferenceSet;
use super::expression::{Expression, Operand, Source, Test};
use super::failure::{Code, Failure};
use super::observation::Call;
use super::patterns::Matcher;
use super::pointer::{self, Channel, Pointer, Target};
use serde::Serialize;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// What a check comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resolution {
    True,
    False,
    InsufficientEvidence,
}

use Resolution::{False, InsufficientEvidence, True};

impl Resolution {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            True => "true",
            False => "false",
            InsufficientEvidence => "insufficient-evidence",
        }
    }

    fn of(holds: bool) -> Resolution {
        if holds { True } else { False }
    }

    fn negated(self) -> Resolution {
        match self {
            True => False,
            False => True,
            InsufficientEvidence => InsufficientEvidence,
        }
    }

    /// A defect that was seen is a fact, whatever else was not.
    fn all(children: &[Tree]) -> Resolution {
        let has = |wanted| children.iter().any(|child| child.resolution == wanted);
        if has(False) {
            False
        } else if has(InsufficientEvidence) {
            InsufficientEvidence
        } else {
            True
        }
    }

    /// Weaker than a disjunction: what holds does not make up for what examined nothing.
    fn any(children: &[Tree]) -> Resolution {
        let has = |wanted| children.iter().any(|child| child.resolution == wanted);
        if has(InsufficientEvidence) { InsufficientEvidence } else { Resolution::of(has(True)) }
    }
}

/// Why a node abstains by itself (not because a child does).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Introduction {
    /// A list that is empty, or declared and not there, or no list.
    EmptyCollection,
    /// In a witness: something that is not there (ours; eval-quality compares absent with absent).
    AbsentOperand,
}

/// A resolved check, node by node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tree {
    pub resolution: Resolution,
    pub introduction_condition: Option<Introduction>,
    pub children: Vec<Tree>,
}

impl Tree {
    fn leaf(resolution: Resolution) -> Tree {
        Tree { resolution, introduction_condition: None, children: Vec::new() }
    }

    fn abstains(why: Introduction) -> Tree {
        Tree { resolution: InsufficientEvidence, introduction_condition: Some(why), children: Vec::new() }
    }

    fn folded(resolution: Resolution, children: Vec<Tree>) -> Tree {
        Tree { resolution, introduction_condition: None, children }
    }
}

/// What a check is resolved against.
pub struct Evidence<'e> {
    /// By the step or leg that pointers are rooted at. One that is not there is absent.
    pub calls: BTreeMap<&'e str, &'e Call>,
    pub reference_sets: Option<&'e BTreeMap<String, ReferenceSet>>,
    /// Whether a pointer is declared to lead to a list.
    pub is_collection: &'e dyn Fn(&Pointer) -> bool,
    /// In a witness, an operand that is not there is insufficient evidence, but for `existence` and `absence`: else
    /// two calls that both fail would differ in nothing, or in everything, as the relation is worded.
    pub is_witness: bool,
}

/// Values that may be compared while one check is resolved.
const COMPARISONS: u64 = 20_000_000;

/// Resolve `check`.
///
/// # Errors
/// [`Code::BudgetExhausted`] where a pattern or the sizes of lists make it too long.
pub fn resolve(check: &Expression, evidence: &Evidence<'_>) -> Result<Tree, Failure> {
    let run = Run { evidence, left: Cell::new(COMPARISONS), matchers: RefCell::default() };
    run.node(check, None)
}

/// What an operand is: nothing where it is absent, which is not null.
type Resolved<'v> = Option<Cow<'v, Value>>;

struct Run<'e> {
    evidence: &'e Evidence<'e>,
    left: Cell<u64>,
    matchers: RefCell<BTreeMap<String, Rc<Matcher>>>,
}

impl<'e> Run<'e> {
    fn node(&self, node: &'e Expression, bound: Option<&'e Value>) -> Result<Tree, Failure> {
        match &node.test {
            Test::Not(child) => {
                let child = self.node(child, bound)?;
                Ok(Tree::folded(child.resolution.negated(), vec![child]))
            }
            Test::All(children) => self.nodes(children, bound).map(|c| Tree::folded(Resolution::all(&c), c)),
            Test::Any(children) => self.nodes(children, bound).map(|c| Tree::folded(Resolution::any(&c), c)),
            Test::ForAll { collection, predicate } => {
                self.quantified(collection, predicate, bound, Resolution::all)
            }
            Test::ForAny { collection, predicate } => {
                self.quantified(collection, predicate, bound, Resolution::any)
            }
            _ => self.leaf(node, bound),
        }
    }

    fn nodes(&self, nodes: &'e [Expression], bound: Option<&'e Value>) -> Result<Vec<Tree>, Failure> {
        nodes.iter().map(|child| self.node(child, bound)).collect()
    }

    fn quantified(
        &self,
        collection: &'e Operand,
        predicate: &'e Expression,
        bound: Option<&'e Value>,
        fold: fn(&[Tree]) -> Resolution,
    ) -> Result<Tree, Failure> {
        match self.borrowed(collection, bound) {
            Some(Value::Array(items)) if !items.is_empty() => {
                let mut children = Vec::with_capacity(items.len());
                for item in items {
                    self.spend(1, predicate)?;
                    children.push(self.node(predicate, Some(item))?);
                }
                Ok(Tree::folded(fold(&children), children))
            }
            _ => Ok(Tree::abstains(Introduction::EmptyCollection)),
        }
    }

    fn leaf(&self, node: &'e Expression, bound: Option<&'e Value>) -> Result<Tree, Failure> {
        let operands: Vec<(&Operand, Resolved<'e>)> = node
            .operands()
            .into_iter()
            .map(|operand| (operand, self.operand(operand, bound, node)))
            .collect();
        if let Some(why) = self.abstention(node, &operands) {
            return Ok(Tree::abstains(why));
        }
        let values: Vec<Option<&Value>> = operands.iter().map(|(_, value)| value.as_deref()).collect();
        self.spend(operators::cost(&values), node)?;
        let holds = match &node.test {
            Test::Regex { pattern, .. } => match values.first() {
                Some(Some(text @ Value::String(_))) => {
                    self.matcher(pattern, node)?.matches(text, &node.at)?
                }
                _ => false,
            },
            test => operators::holds(test, &values),
        };
        Ok(Tree::leaf(Resolution::of(holds)))
    }

    /// Whether a leaf examines nothing.
    fn abstention(&self, node: &Expression, operands: &[(&Operand, Resolved<'e>)]) -> Option<Introduction> {
        let is_empty =
            |value: &Resolved<'_>| value.as_deref().and_then(Value::as_array).is_some_and(Vec::is_empty);
        let asks_for_presence = matches!(&node.test, Test::Existence(_) | Test::Absence(_));
        let is_absent = operands.iter().any(|(_, value)| value.is_none());
        let is_missing_list = || {
            operands.iter().any(|(operand, value)| {
                value.is_none()
                    && operand.pointer().is_some_and(|p| !p.is_bound() && (self.evidence.is_collection)(p))
            })
        };
        let by_emptiness = match &node.test {
            // A bijection with nothing on one side is decided by neither; a list that is not there is not one.
            Test::CoversByKey { .. } => {
                let is_list = |value: &Resolved<'_>| value.as_deref().is_some_and(Value::is_array);
                operands.iter().all(|(_, v)| is_list(v)) && operands.iter().any(|(_, v)| is_empty(v))
            }
            // These three read the list itself.
            Test::CountTolerance { .. } | Test::Existence(_) | Test::Absence(_) => is_missing_list(),
            _ => is_missing_list() || operands.iter().any(|(_, value)| is_empty(value)),
        };
        if by_emptiness {
            return Some(Introduction::EmptyCollection);
        }
        (self.evidence.is_witness && is_absent && !asks_for_presence).then_some(Introduction::AbsentOperand)
    }

    fn operand(&self, operand: &'e Operand, bound: Option<&'e Value>, node: &Expression) -> Resolved<'e> {
        match &operand.source {
            Source::Pointer(_) | Source::Literal(_) => self.borrowed(operand, bound).map(Cow::Borrowed),
            Source::ReferenceSet(name) => {
                let set = self.evidence.reference_sets?.get(name)?;
                let member = |member: &Map<String, Value>| match (&node.test, set.keys.first()) {
                    (Test::SetMembership { .. }, Some(key)) => member.get(key).cloned(),
                    _ => Some(Value::Object(member.clone())),
                };
                Some(Cow::Owned(Value::Array(set.members.iter().filter_map(member).collect())))
            }
        }
    }

    /// The value of an operand that is no reference set.
    fn borrowed(&self, operand: &'e Operand, bound: Option<&'e Value>) -> Option<&'e Value> {
        let pointer = match &operand.source {
            Source::Literal(value) => return Some(value),
            Source::Pointer(pointer) => pointer,
            Source::ReferenceSet(_) => return None,
        };
        match &pointer.target {
            Target::Bound(tail) => pointer::walk(bound?, tail),
            Target::Interaction { step, channel, tail } => {
                let call = self.evidence.calls.get(step.as_str())?;
                pointer::walk(channel_of(call, channel)?, tail)
            }
        }
    }

    fn matcher(&self, pattern: &str, node: &Expression) -> Result<Rc<Matcher>, Failure> {
        if let Some(known) = self.matchers.borrow().get(pattern) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(Matcher::new(pattern, &node.at)?);
        self.matchers.borrow_mut().insert(pattern.to_string(), Rc::clone(&made));
        Ok(made)
    }

    fn spend(&self, comparisons: u64, node: &Expression) -> Result<(), Failure> {
        match self.left.get().checked_sub(comparisons) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => {
                let detail = format!("more than {COMPARISONS} values would have to be compared");
                Err(Failure::new(Code::BudgetExhausted, &node.at, detail))
            }
        }
    }
}

/// What a channel of a call holds.
fn channel_of<'c>(call: &'c Call, channel: &Channel) -> Option<&'c Value> {
    match channel {
        Channel::ResponseBody => call.body.as_ref(),
        Channel::ResponseStatus => Some(&call.status),
        Channel::Text => call.text.as_ref(),
        Channel::TextJson => call.text_json.as_ref(),
        Channel::CallInputs("arguments") => Some(&call.arguments),
        _ => None,
    }
}
