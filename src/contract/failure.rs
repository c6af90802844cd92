//! Why a document is refused, or cannot be judged: a code that programs read, a place, a sentence.

use crate::finding::Part;

/// Codes of contracts. The names are eval-quality's, but for those marked as ours; they never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// Not a document of this kind at all (ours).
    Parse,
    /// A document of another `schemaVersion`.
    SchemaVersionMismatch,
    DuplicateInterfaceIdentifier,
    MissingRequirementLinkage,
    NoObservableSuccessCriterion,
    UnresolvedArtifactReference,
    UnreachableCheckEvidence,
    MalformedOperatorExpression,
    QuantifierOverNonCollection,
    QuantifierNestingExceeded,
    UnresolvedReferenceSet,
    DuplicateOperationSignature,
    UndeclaredMandatoryInput,
    OracleMissingChannel,
    DirectionCheckMisaligned,
    UnsupportedInterfaceKind,
    NestedTemporalClause,
    PlanExceedsScriptingBound,
    BindingCycle,
    CapturedChannelUndeclared,
    RubricUnanchored,
    RubricScoresReasoningProse,
    RubricEvidenceUnreachable,
    ForbiddenInputFloorIncomplete,
    ScopedReferenceResolvesForbidden,
    WaiverIncomplete,
    IrreducibleStepReference,
    /// The listing has no tool of that name (ours).
    ToolNotListed,
    /// The tool's inputSchema has no such argument (ours).
    ArgumentNotListed,
    /// The tool's outputSchema has no such member (ours).
    ResultNotListed,
    /// A policy does not allow the call.
    ForbiddenTarget,
    /// A bound on time, bytes or matching was reached.
    BudgetExhausted,
    /// Observations that do not answer the plan.
    PortContractViolation,
}

impl Code {
    /// As it is printed.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Code::Parse => "parse",
            Code::SchemaVersionMismatch => "schema-version-mismatch",
            Code::DuplicateInterfaceIdentifier => "duplicate-interface-identifier",
            Code::MissingRequirementLinkage => "missing-requirement-linkage",
            Code::NoObservableSuccessCriterion => "no-observable-success-criterion",
            Code::UnresolvedArtifactReference => "unresolved-artifact-reference",
            Code::UnreachableCheckEvidence => "unreachable-check-evidence",
            Code::MalformedOperatorExpression => "malformed-operator-expression",
            Code::QuantifierOverNonCollection => "quantifier-over-non-collection",
            Code::QuantifierNestingExceeded => "quantifier-nesting-exceeded",
            Code::UnresolvedReferenceSet => "unresolved-reference-set",
            Code::DuplicateOperationSignature => "duplicate-operation-signature",
            Code::UndeclaredMandatoryInput => "undeclared-mandatory-input",
            Code::OracleMissingChannel => "oracle-missing-channel",
            Code::DirectionCheckMisaligned => "direction-check-misaligned",
            Code::UnsupportedInterfaceKind => "unsupported-interface-kind",
            Code::NestedTemporalClause => "nested-temporal-clause",
            Code::PlanExceedsScriptingBound => "plan-exceeds-scripting-bound",
            Code::BindingCycle => "binding-cycle",
            Code::CapturedChannelUndeclared => "captured-channel-undeclared",
            Code::RubricUnanchored => "rubric-unanchored",
            Code::RubricScoresReasoningProse => "rubric-scores-reasoning-prose",
            Code::RubricEvidenceUnreachable => "rubric-evidence-unreachable",
            Code::ForbiddenInputFloorIncomplete => "forbidden-input-floor-incomplete",
            Code::ScopedReferenceResolvesForbidden => "scoped-reference-resolves-forbidden",
            Code::WaiverIncomplete => "waiver-incomplete",
            Code::IrreducibleStepReference => "irreducible-step-reference",
            Code::ToolNotListed => "tool-not-listed",
            Code::ArgumentNotListed => "argument-not-listed",
            Code::ResultNotListed => "result-not-listed",
            Code::ForbiddenTarget => "forbidden-target",
            Code::BudgetExhausted => "budget-exhausted",
            Code::PortContractViolation => "port-contract-violation",
        }
    }
}

/// One refusal. `pointer` and `part` are a place in the document that was read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}: {}: {detail}", code.as_str(), if pointer.is_empty() { "the document" } else { pointer.as_str() })]
pub struct Failure {
    pub code: Code,
    pub pointer: String,
    pub part: Part,
    pub detail: String,
}

impl Failure {
    /// A failure at the value that `pointer` leads to.
    #[must_use]
    pub fn new(code: Code, pointer: impl Into<String>, detail: impl Into<String>) -> Failure {
        Failure { code, pointer: pointer.into(), part: Part::Value, detail: detail.into() }
    }

    /// The same, about the key instead of its value.
    #[must_use]
    pub fn of_key(mut self) -> Failure {
        self.part = Part::Key;
        self
    }
}
