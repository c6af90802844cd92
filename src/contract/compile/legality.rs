//! Are expressions well-formed: operands where they are allowed, patterns that can be matched, quantifiers over
//! collections?

use super::{Checked, Code, Context, Failure, fail};
use crate::contract::canonical;
use crate::contract::document::ReferenceSet;
use crate::contract::expression::{Expression, Op, Operand, Source, Test};
use crate::contract::interface::TypeName;
use crate::contract::patterns as regex;
use crate::contract::pointer::{Channel, Pointer, Target};
use crate::pointer::child;
use std::collections::BTreeSet;

/// `@/…` stands for the element of a quantifier, and nothing outside one.
pub(super) fn bound_elements(context: &Context<'_>) -> Checked {
    context.sites().iter().try_for_each(|site| bound_elements_of(site.expression))
}

pub(in crate::contract) fn bound_elements_of(expression: &Expression) -> Checked {
    for visit in expression.nodes().iter().filter(|visit| visit.depth == 0) {
        if let Some((operand, pointer)) =
            visit.node.operands().into_iter().find_map(|o| Some((o, o.pointer().filter(|p| p.is_bound())?)))
        {
            let detail =
                format!("`{}` names a quantifier's element, and no quantifier is around it", pointer.text);
            return fail(Code::MalformedOperatorExpression, &operand.at, detail);
        }
    }
    Ok(())
}

pub(super) fn operand_kinds(context: &Context<'_>) -> Checked {
    let mut read = BTreeSet::new();
    for site in context.sites() {
        operand_kinds_of(site.expression)?;
        for visit in site.expression.nodes() {
            // However many checks read a set by a key, it is looked at once.
            if set_and_key(visit.node).is_some_and(|by| read.insert(by)) {
                sets_that_are_read(context, visit.node)?;
            }
        }
    }
    Ok(())
}

/// Which forms of operand an operator takes, by position.
pub(in crate::contract) fn operand_kinds_of(expression: &Expression) -> Checked {
    for visit in expression.nodes() {
        let op = visit.node.op();
        for (position, operand) in visit.node.operands().into_iter().enumerate() {
            if !takes(op, position, &operand.source) {
                let detail = format!(
                    "`{}` takes no {} as its {} operand",
                    op.name(),
                    operand.source.kind(),
                    ordinal(position)
                );
                return fail(Code::MalformedOperatorExpression, &operand.at, detail);
            }
            let substituted = || Pointer::parse(&operand.pointer()?.substituted(visit.collection.as_deref()));
            if op == Op::Ordering
                && substituted().is_some_and(|p| matches!(p.channel(), Some(Channel::CallInputs(_))))
            {
                let detail = "`ordering` looks at what came back, never at what was sent";
                return fail(Code::MalformedOperatorExpression, &operand.at, detail);
            }
        }
    }
    Ok(())
}

fn ordinal(position: usize) -> &'static str {
    if position == 0 { "first" } else { "second" }
}

fn takes(op: Op, position: usize, source: &Source) -> bool {
    match (op, position, source) {
        (Op::Equality | Op::DeepEquality, _, source) => !matches!(source, Source::ReferenceSet(_)),
        (Op::Containment, 1, _) => true,
        (Op::SetMembership, 1, source) => !matches!(source, Source::Pointer(_)),
        (Op::CoversByKey, 0, source) => matches!(source, Source::ReferenceSet(_)),
        (_, _, source) => matches!(source, Source::Pointer(_)),
    }
}

/// The reference set that a node reads, and by which key; `set-membership` knows but one.
fn set_and_key(node: &Expression) -> Option<(&str, Option<&str>)> {
    let (operand, key) = match &node.test {
        Test::SetMembership { set, .. } => (set, None),
        Test::CoversByKey { expected, expected_key, .. } => (expected, Some(expected_key.as_str())),
        _ => return None,
    };
    match &operand.source {
        Source::ReferenceSet(name) => Some((name, key)),
        _ => None,
    }
}

/// `set-membership` reads one key off each member of a reference set, `covers-by-key` one that tells them apart.
fn sets_that_are_read(context: &Context<'_>, node: &Expression) -> Checked {
    let declared = |operand: &Operand| match &operand.source {
        Source::ReferenceSet(name) => context.contract.reference_set(name),
        _ => None,
    };
    match &node.test {
        Test::SetMembership { set, .. } => {
            let Some(found) = declared(set) else { return Ok(()) };
            let [key] = found.keys.as_slice() else {
                let detail = format!(
                    "`set-membership` reads one key of a reference set, and this one declares {}",
                    found.keys.len()
                );
                return fail(Code::MalformedOperatorExpression, &set.at, detail);
            };
            values_of(found, key).map(|_| ())
        }
        Test::CoversByKey { expected, expected_key, .. } => {
            let Some(found) = declared(expected) else { return Ok(()) };
            let mut seen = BTreeSet::new();
            for (at, value) in values_of(found, expected_key)? {
                if !seen.insert(canonical::text(value)) {
                    let detail = format!(
                        "two members have the same `{expected_key}`, by which `covers-by-key` tells them apart"
                    );
                    return fail(Code::MalformedOperatorExpression, &at, detail);
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

/// The value of `key` of every member, with its place.
fn values_of<'c>(set: &'c ReferenceSet, key: &str) -> Result<Vec<(String, &'c serde_json::Value)>, Failure> {
    let each = set.members.iter().enumerate().map(|(i, member)| {
        let at = format!("{}/members/{i}", set.at);
        match member.get(key) {
            Some(value) => Ok((child(&at, key), value)),
            None => Err(Failure::new(
                Code::MalformedOperatorExpression,
                at,
                format!("this member has no `{key}`, which the check reads"),
            )),
        }
    });
    each.collect()
}

pub(super) fn patterns(context: &Context<'_>) -> Checked {
    context.sites().iter().try_for_each(|site| patterns_of(site.expression))
}

pub(in crate::contract) fn patterns_of(expression: &Expression) -> Checked {
    for visit in expression.nodes() {
        if let Test::Regex { pattern, .. } = &visit.node.test
            && let Some(why) = regex::refusal(pattern)
        {
            let detail = format!("the pattern `{}` {why}", crate::error::cut(pattern));
            return fail(Code::MalformedOperatorExpression, &child(&visit.node.at, "pattern"), detail);
        }
    }
    Ok(())
}

pub(super) fn quantified_collections(context: &Context<'_>) -> Checked {
    for site in context.sites() {
        quantified_collections_of(site.expression, |pointer| context.operation_at(&site, pointer))?;
    }
    Ok(())
}

/// A quantifier whose collection is declared to be no list examines nothing. A type that is not declared is let be.
pub(in crate::contract) fn quantified_collections_of<'c>(
    expression: &Expression,
    operation: impl Fn(&Pointer) -> Option<&'c super::Operation>,
) -> Checked {
    for visit in expression.nodes() {
        let (Test::ForAll { collection, .. } | Test::ForAny { collection, .. }) = &visit.node.test else {
            continue;
        };
        let pointer = collection.pointer().map(|p| p.substituted(visit.collection.as_deref()));
        let Some(pointer) = pointer.as_deref().and_then(Pointer::parse) else { continue };
        let Some(operation) = operation(&pointer) else { continue };
        let Target::Interaction { channel, tail, .. } = &pointer.target else { continue };
        let declared = match (channel, tail.as_slice()) {
            (Channel::ResponseStatus, _) => Some(TypeName::Number),
            (Channel::Text, _) => Some(TypeName::String),
            (Channel::ResponseBody, [key]) => operation.descriptor.shape.type_of(key),
            (Channel::CallInputs(_), [key]) => operation.arguments.type_of(key),
            _ => None,
        };
        if let Some(declared) = declared.filter(|t| *t != TypeName::Array) {
            let detail = format!(
                "`{}` is declared a {}; a quantifier goes through a list",
                pointer.text,
                declared.name()
            );
            return fail(Code::QuantifierOverNonCollection, &collection.at, detail);
        }
    }
    Ok(())
}

pub(super) fn quantifier_nesting(context: &Context<'_>) -> Checked {
    context.sites().iter().try_for_each(|site| quantifier_nesting_of(site.expression))
}

pub(in crate::contract) fn quantifier_nesting_of(expression: &Expression) -> Checked {
    let nodes = expression.nodes();
    let inner = nodes
        .iter()
        .find(|v| v.depth > 0 && matches!(v.node.op(), Op::ForAll | Op::ForAny | Op::CoversByKey));
    match inner {
        Some(visit) => {
            let detail = format!("`{}` stands inside a quantifier, where none may", visit.node.op().name());
            fail(Code::QuantifierNestingExceeded, &visit.node.at, detail)
        }
        None => Ok(()),
    }
}

pub(super) fn reference_sets(context: &Context<'_>) -> Checked {
    for operand in context.sites().iter().flat_map(|site| super::reach::operands(site.expression)) {
        if let Source::ReferenceSet(name) = &operand.source
            && context.contract.reference_set(name).is_none()
        {
            let detail = format!("the contract declares no reference set `{name}`");
            return fail(Code::UnresolvedReferenceSet, &operand.at, detail);
        }
    }
    Ok(())
}
