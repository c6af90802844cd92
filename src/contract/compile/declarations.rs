//! Rules that a declaration keeps or breaks by itself.

use super::{Checked, Code, Context, Kind, fail};
use crate::contract::document::FORBIDDEN_INPUTS;
use crate::pointer::child;
use std::collections::BTreeMap;

pub(super) fn interface_identifiers(context: &Context<'_>) -> Checked {
    let mut seen = BTreeMap::new();
    for interface in &context.contract.interfaces {
        if let Some(first) = seen.insert(&interface.id, &interface.at) {
            let detail = format!("the logicalId `{}` is that of {first} already", interface.id);
            return fail(Code::DuplicateInterfaceIdentifier, &child(&interface.at, "logicalId"), detail);
        }
    }
    Ok(())
}

pub(super) fn requirement_links(context: &Context<'_>) -> Checked {
    match context
        .contract
        .behaviors
        .iter()
        .find(|b| b.requirement_links.is_empty() && b.risk_links.is_empty())
    {
        Some(behavior) => fail(
            Code::MissingRequirementLinkage,
            &behavior.at,
            format!("{} links to no requirement and no risk: name at least one", behavior.id),
        ),
        None => Ok(()),
    }
}

pub(super) fn success_criteria(context: &Context<'_>) -> Checked {
    match context.contract.behaviors.iter().find(|b| b.observable_success_criterion.is_none()) {
        Some(behavior) => fail(
            Code::NoObservableSuccessCriterion,
            &child(&behavior.at, "observableSuccessCriterion"),
            format!("{} says nothing by which anybody could see that it was met", behavior.id),
        ),
        None => Ok(()),
    }
}

pub(super) fn interface_kinds(context: &Context<'_>) -> Checked {
    let Some(other) = context.contract.interfaces.iter().find(|i| i.kind != Kind::Mcp) else { return Ok(()) };
    let instead = match other.kind {
        Kind::Cli => "; for a command, judge a recorded call log with `verity grade`",
        _ => "",
    };
    let detail = format!(
        "`{}` is an interface of kind `{}`; only `mcp` is judged{instead}",
        other.id,
        other.kind.name()
    );
    fail(Code::UnsupportedInterfaceKind, &child(&other.at, "kind"), detail)
}

pub(super) fn forbidden_inputs(context: &Context<'_>) -> Checked {
    let declared = &context.contract.forbidden_inputs;
    match FORBIDDEN_INPUTS.iter().find(|name| !declared.contains(name)) {
        Some(missing) => {
            let detail = format!("`{missing}` is missing: an evaluator is given none of all seven");
            fail(Code::ForbiddenInputFloorIncomplete, "/forbiddenInputs", detail)
        }
        None => Ok(()),
    }
}

pub(super) fn scoped_resources(context: &Context<'_>) -> Checked {
    let contract = context.contract;
    if let Some(first) = contract.scoped_resources.iter().flatten().next() {
        let detail =
            format!("the evaluator is pointed at `{}`; no resource may be handed to it", first.reference);
        return fail(Code::ScopedReferenceResolvesForbidden, "/scopedResources/0/reference", detail);
    }
    match contract.test_data.resources.iter().flatten().next() {
        Some((name, _)) => {
            let detail = format!("the test data hand the resource `{name}` to the evaluator; none may be");
            fail(Code::ScopedReferenceResolvesForbidden, &child("/testData/resources", name), detail)
        }
        None => Ok(()),
    }
}

pub(super) fn waivers(context: &Context<'_>) -> Checked {
    for waiver in &context.contract.waivers {
        // A condition is only there where one exists.
        let parts = [
            ("rule", &waiver.rule),
            ("rationale", &waiver.rationale),
            ("approval", &waiver.approval),
            ("expiresAt", &waiver.expires_at),
        ];
        if let Some((part, _)) = parts.iter().find(|(_, said)| said.is_none()) {
            let detail = format!(
                "{} says no `{part}`: a waiver names its rule, why, who approved it and until when",
                waiver.id
            );
            return fail(Code::WaiverIncomplete, &child(&waiver.at, part), detail);
        }
    }
    Ok(())
}
