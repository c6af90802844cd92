//! Does an oracle's check enforce what its direction tells the evaluator?

use super::{Checked, Code, Context, fail};
use crate::contract::document::Polarity;
use crate::contract::expression::{Expression, Op};
use crate::pointer::index;
use std::collections::BTreeSet;

pub(super) fn channels(context: &Context<'_>) -> Checked {
    for oracle in &context.contract.oracles {
        for (name, is_there) in [("direction", oracle.direction.is_some()), ("check", oracle.check.is_some())]
        {
            if !is_there {
                let detail = format!("{} has no {name}: an oracle has both", oracle.id);
                return fail(Code::OracleMissingChannel, &format!("{}/{name}", oracle.at), detail);
            }
        }
    }
    Ok(())
}

pub(super) fn directions(context: &Context<'_>) -> Checked {
    for oracle in &context.contract.oracles {
        let (Some(direction), Some(check)) = (&oracle.direction, &oracle.check) else { continue };
        let (pointers, operators) = contents(check);
        for (i, target) in direction.evidence_targets.iter().enumerate() {
            if !pointers.contains(&target.text) {
                let detail = format!(
                    "{} is told to look at `{}`, which its check does not read",
                    oracle.id, target.text
                );
                let at = index(&format!("{}/direction/evidenceTargets", oracle.at), i);
                return fail(Code::DirectionCheckMisaligned, &at, detail);
            }
        }
        if !operators.contains(&direction.relation) {
            let detail = format!(
                "{} speaks of `{}`, which does not occur in its check",
                oracle.id,
                direction.relation.name()
            );
            return fail(
                Code::DirectionCheckMisaligned,
                &format!("{}/direction/relation", oracle.at),
                detail,
            );
        }
        if direction.polarity != oracle.polarity {
            let said = |p| if p == Polarity::ExpectsHold { "expects-hold" } else { "expects-violation" };
            let detail = format!(
                "the direction says `{}`, the oracle `{}`",
                said(direction.polarity),
                said(oracle.polarity)
            );
            return fail(
                Code::DirectionCheckMisaligned,
                &format!("{}/direction/polarity", oracle.at),
                detail,
            );
        }
    }
    Ok(())
}

/// What a check reads, elements of quantifiers by their collection, and the operators in it.
fn contents(check: &Expression) -> (BTreeSet<String>, BTreeSet<Op>) {
    let (mut pointers, mut operators) = (BTreeSet::new(), BTreeSet::new());
    for visit in check.nodes() {
        operators.insert(visit.node.op());
        let read = visit.node.operands().into_iter().filter_map(|operand| operand.pointer());
        pointers.extend(read.map(|pointer| pointer.substituted(visit.collection.as_deref())));
    }
    (pointers, operators)
}
