//! Does a probe earn its ground truth, and can its signature tell a defect from correct behaviour?

use super::compile;
use super::document::Contract;
use super::expression::{Expression, Source, Test};
use super::interface::{Interface, Kind, Operation};
use super::plan::Binding;
use super::pointer::{Channel, Pointer};
use super::probe::{Class, Origin, Probe, Route, Signature};
use crate::pointer::child;
use serde::Serialize;
use std::collections::BTreeSet;

/// The step that a signature's pointers are rooted at: the call that is looked at.
pub const OBSERVED: &str = "observed";

/// Why a probe does not qualify. The codes are a closed set; every reason is reported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    pub code: &'static str,
    /// Pointer in the probe's document.
    pub pointer: String,
    pub detail: String,
}

/// Whether a probe qualifies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Qualification {
    pub qualified: bool,
    pub failures: Vec<Reason>,
    /// Whether the operation that the signature is about was there, so that its declarations could be looked at.
    pub declarations_checked: bool,
}

/// The operation that a signature is about: by kind and by the tool's name.
#[must_use]
pub fn home<'c>(signature: &Signature, contract: &'c Contract) -> Option<(&'c Interface, &'c Operation)> {
    let tool = signature.tool.as_ref()?;
    let all = contract.interfaces.iter().flat_map(|i| i.operations.iter().map(move |o| (i, o)));
    all.into_iter().find(|(_, operation)| operation.tool == *tool)
}

/// Qualify `probe` beside the operation that its signature is about.
#[must_use]
pub fn qualify(probe: &Probe, home: Option<&Operation>) -> Qualification {
    let mut failures = Failures(Vec::new());
    failures.route(probe);
    match (&probe.signature, probe.is_expected_clean, probe.class) {
        (Some(signature), _, Class::Canary) => {
            failures.add(
                "signature-present-on-canary",
                &signature.at,
                "a canary seeds nothing, and has no signature",
            );
        }
        (None, false, class) if class != Class::Canary => {
            let at = child(&probe.at, "defectSignature");
            failures.add(
                "signature-absent",
                &at,
                "without a signature nothing says whether the defect struck",
            );
        }
        _ => {}
    }
    if let Some(signature) = &probe.signature {
        failures.signature(signature, home);
    }
    Qualification {
        qualified: failures.0.is_empty(),
        failures: failures.0,
        declarations_checked: probe.signature.is_none() || home.is_some(),
    }
}

/// Which routes a probe may have taken.
fn routes(probe: &Probe) -> Vec<Route> {
    match (probe.is_expected_clean, probe.class) {
        (true, Class::ZeroAction) => vec![Route::CleanControl],
        (true, _) => Vec::new(),
        (false, Class::Gameability) => vec![Route::Gameability],
        (false, Class::Canary) => vec![Route::Canary],
        // A class that seeds is qualified by what it seeds, all of one origin.
        (false, Class::Defect | Class::ZeroAction) => {
            let all = |origin| !probe.defects.is_empty() && probe.defects.iter().all(|d| d.source == origin);
            let natural = all(Origin::Natural).then_some(Route::Historical);
            natural
                .into_iter()
                .chain(all(Origin::ControlledMutation).then_some(Route::ControlledMutation))
                .collect()
        }
    }
}

struct Failures(Vec<Reason>);

impl Failures {
    fn add(&mut self, code: &'static str, pointer: &str, detail: impl Into<String>) {
        self.0.push(Reason { code, pointer: pointer.to_string(), detail: detail.into() });
    }

    fn route(&mut self, probe: &Probe) {
        let seeds = !probe.is_expected_clean && matches!(probe.class, Class::Defect | Class::ZeroAction);
        let has = |origin| probe.defects.iter().any(|d| d.source == origin);
        if seeds && has(Origin::Natural) && has(Origin::ControlledMutation) {
            let detail = "natural defects and mutations are mixed; no single route earns both";
            self.add("qualification-defect-sources-mixed", &child(&probe.at, "defects"), detail);
        }
        if !routes(probe).contains(&probe.qualification.route) {
            let detail =
                "a probe of this class, with these defects, does not earn its ground truth by this route";
            self.add("qualification-route-incompatible", &child(&probe.qualification.at, "route"), detail);
        }
        if !probe.qualification.is_verified {
            let key = if probe.qualification.route == Route::Historical {
                "oracleStableAcrossRevisions"
            } else {
                "rollbackVerified"
            };
            self.add(
                "qualification-evidence-unverified",
                &child(&probe.qualification.at, key),
                "the record says itself that this was not verified",
            );
        }
    }

    fn signature(&mut self, signature: &Signature, home: Option<&Operation>) {
        if signature.kind != Kind::Mcp {
            let detail =
                format!("a signature of kind `{}` is not judged; only `mcp` is", signature.kind.name());
            return self.add(
                "signature-interface-kind-unsupported",
                &child(&signature.at, "interfaceKind"),
                detail,
            );
        }
        let channel_at = child(&signature.at, "observableChannel");
        match signature.channel {
            "response-body" | "response-status" => {}
            "call-inputs" => {
                let detail = "a defect shows in what came back, not in what was sent";
                self.add("signature-observable-channel-not-response-side", &channel_at, detail);
            }
            other => self.add(
                "condition-text-channel-on-api",
                &channel_at,
                format!("a tool call has no `{other}`"),
            ),
        }
        let predicate = &signature.predicate;
        let channels = self.operands(predicate);
        let names_it = channels.contains(signature.channel) && signature.channel != "call-inputs";
        let names_two = channels.len() >= 2 && channels.iter().any(|c| *c != "call-inputs");
        if !names_it && !names_two {
            let detail = format!(
                "the predicate reads neither `{}` nor two channels with one that came back",
                signature.channel
            );
            self.add("condition-channels-underspecified", &predicate.at, detail);
        }
        self.disjuncts(predicate, None);
        for (code, broken) in [
            ("condition-bound-element-outside-quantifier", compile::bound_elements_of(predicate)),
            ("condition-operand-illegal", compile::operand_kinds_of(predicate)),
            ("condition-regex-illegal", compile::patterns_of(predicate)),
            ("condition-quantifier-nesting", compile::quantifier_nesting_of(predicate)),
        ] {
            if let Err(failure) = broken {
                self.add(code, &failure.pointer, failure.detail);
            }
        }
        if let Some(operation) = home {
            self.declarations(signature, operation);
        }
    }

    /// Pointers are rooted at the observed call, and nothing belongs to one contract. The channels that are read.
    fn operands(&mut self, predicate: &Expression) -> BTreeSet<&'static str> {
        let mut channels = BTreeSet::new();
        for operand in predicate.nodes().into_iter().flat_map(|visit| visit.node.operands()) {
            match &operand.source {
                Source::ReferenceSet(name) => {
                    let detail = format!("a corpus has no reference set `{name}`");
                    self.add("condition-reference-set-operand", &operand.at, detail);
                }
                Source::Pointer(pointer) => {
                    let Some((step, channel)) = pointer.step().zip(pointer.channel()) else { continue };
                    if step != OBSERVED {
                        let detail = format!(
                            "`{}` is rooted at `{step}`; a signature looks at `{OBSERVED}`",
                            pointer.text
                        );
                        self.add("condition-pointer-not-observation-rooted", &operand.at, detail);
                        continue;
                    }
                    channels.insert(channel.name());
                    match channel {
                        Channel::Artifact(name) => {
                            let detail = format!("the artifact `{name}` belongs to one contract");
                            self.add("condition-artifact-channel-contract-local", &operand.at, detail);
                        }
                        Channel::ResponseBody | Channel::ResponseStatus | Channel::CallInputs(_) => {}
                        other => {
                            let detail = format!(
                                "`{}` reads `{}`, which a tool call does not have",
                                pointer.text,
                                other.name()
                            );
                            self.add("condition-text-channel-on-api", &operand.at, detail);
                        }
                    }
                }
                Source::Literal(_) => {}
            }
        }
        channels
    }

    /// Each branch of an `any` can decide by itself, so each has to look at what came back.
    fn disjuncts(&mut self, node: &Expression, bound: Option<&Channel>) {
        if let Test::Any(children) = &node.test {
            for branch in children {
                let reads = |pointer: &Pointer| match pointer.channel() {
                    Some(channel) => channel.is_response_side(),
                    None => bound.is_some_and(Channel::is_response_side),
                };
                let operands = branch.nodes().into_iter().flat_map(|visit| visit.node.operands());
                if !operands.filter_map(|operand| operand.pointer()).any(reads) {
                    let detail = "this branch of `any` decides without a look at what came back";
                    self.add("condition-disjunct-without-response-channel", &branch.at, detail);
                }
            }
        }
        let bound = match &node.test {
            Test::ForAll { collection, .. } | Test::ForAny { collection, .. } => {
                collection.pointer().and_then(Pointer::channel)
            }
            _ => bound,
        };
        for below in node.children() {
            self.disjuncts(below, bound);
        }
    }

    fn declarations(&mut self, signature: &Signature, operation: &Operation) {
        let selector = format!("{}/condition/selector/inputBinding", signature.at);
        for (channel, keys) in &signature.bindings {
            for (key, binding) in keys {
                let at = child(&child(&selector, channel), key);
                if *channel != "arguments" || !operation.arguments.declares(key) {
                    let detail = format!(
                        "operation `{}` declares no `{key}` on `{channel}`: no call would be selected",
                        operation.id
                    );
                    self.add("condition-selector-key-undeclared", &at, detail);
                } else if *binding == Binding::TypeViolating && operation.arguments.type_of(key).is_none() {
                    let detail = format!("`{key}` has no declared type, so no value violates it");
                    self.add("condition-selector-key-undeclared", &at, detail);
                }
            }
        }
        let is_observed = |pointer: &Pointer| (pointer.step() == Some(OBSERVED)).then_some(operation);
        if let Err(failure) = compile::quantified_collections_of(&signature.predicate, is_observed) {
            self.add("condition-quantifier-over-non-collection", &failure.pointer, failure.detail);
        }
        for operand in signature.predicate.nodes().into_iter().flat_map(|visit| visit.node.operands()) {
            let unwritable =
                operand.pointer().and_then(|pointer| compile::unreachable_of(pointer, operation));
            if let Some(why) = unwritable {
                let text = operand.pointer().map_or("", |pointer| pointer.text.as_str());
                self.add("condition-pointer-unwritable", &operand.at, format!("`{text}` {why}"));
            }
        }
    }
}

/// Keys of the result that a signature reads and the operation does not require: a server that leaves one out hides
/// the defect.
#[must_use]
pub fn optional_keys(signature: &Signature, operation: &Operation) -> Vec<String> {
    let operands = signature.predicate.nodes().into_iter().flat_map(|visit| visit.node.operands());
    let read = operands.filter_map(|operand| match &operand.pointer()?.target {
        super::pointer::Target::Interaction { channel: Channel::ResponseBody, tail, .. } => {
            tail.first().cloned()
        }
        _ => None,
    });
    let keys: BTreeSet<String> =
        read.filter(|key| !operation.descriptor.shape.required.contains(key)).collect();
    keys.into_iter().collect()
}
