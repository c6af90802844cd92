//! Every rule of compiling: what breaks it, and what comes near and does not.

mod declarations;
mod evidence;
mod expressions;
mod operations;
mod plans;

use super::{Edit, check_all, edited, gone, lending_desk, outcome, set};
use serde_json::{Value, json};

const OPERATIONS: &str = "/permittedInterfaces/0/operations";

fn interface(id: &str, kind: &str) -> Value {
    json!({"logicalId": id, "kind": kind, "operations": []})
}

/// Another tool, declared in full.
fn operation(id: &str, tool: &str) -> Value {
    json!({"operationId": id, "toolName": tool, "stateChangeMarker": false,
        "requestShape": {"arguments": {"requiredKeys": [], "permittedKeys": [], "types": {}}},
        "descriptorChannel": {"kind": "structured-result"},
        "responseDescriptor": {"requiredKeys": ["done"], "permittedKeys": ["done"], "types": {"done": "boolean"},
            "successIndicator": null, "channelRoles": null, "collectionLocations": null},
        "volatilePointers": [], "sensitivityWitness": null})
}

fn step(id: &str, operation: &str, after: Value) -> Value {
    json!({"stepId": id, "interfaceId": "desk", "operationId": operation, "inputBinding": {"arguments": null},
        "after": after, "cardinality": "any"})
}

/// The check of O-005, and a direction that fits it.
fn check(expression: Value, relation: &str) -> Vec<Edit> {
    vec![
        set("/oracles/4/check", expression),
        set("/oracles/4/direction/relation", json!(relation)),
        set("/oracles/4/direction/evidenceTargets", json!([])),
    ]
}

fn with(mut edits: Vec<Edit>, more: Edit) -> Vec<Edit> {
    edits.push(more);
    edits
}

/// `existence` of a pointer, as the check of O-005.
fn reads(pointer: &str) -> Vec<Edit> {
    check(json!({"op": "existence", "operands": [{"pointer": pointer}]}), "existence")
}

/// The first operand of the list witness reads this.
fn witness_reads(pointer: &str) -> Vec<Edit> {
    vec![set(
        "/permittedInterfaces/0/operations/0/sensitivityWitness/relation/operands/0/operands/0/pointer",
        json!(pointer),
    )]
}
