//! A contract's pre-flight, driven: the legs of the plan are called in their order, the observations reduced to a
//! verdict.

use super::{CallRequest, Fault, FaultCode, Port};
use crate::contract::preflight::Plan;
use crate::contract::{Code, Failure, observation};

/// Call every leg of `plan`, each once, in order.
///
/// # Errors
/// The first fault: a fixture that does not answer one leg is not fit to be judged by the others.
pub fn observe(plan: &Plan<'_>, port: &mut dyn Port) -> Result<Vec<observation::Observation>, Fault> {
    let mut observations = Vec::with_capacity(plan.legs.len());
    for leg in &plan.legs {
        let request = CallRequest {
            interface: leg.interface.to_string(),
            tool: leg.tool().to_string(),
            arguments: leg.arguments.clone(),
            is_read: false,
        };
        let seen = port.call(&request)?;
        observations.push(observation::Observation {
            probe_id: leg.id.clone(),
            interface_id: leg.interface.to_string(),
            operation_id: leg.operation.id.clone(),
            is_error: seen.is_error,
            text: seen.text_blocks().filter(|_| plan.reads_text()),
            result: seen.result,
        });
    }
    Ok(observations)
}

/// A failure while a run is on, as its fault; `None` for what is wrong with a document.
#[must_use]
pub fn fault_of(failure: &Failure) -> Option<Fault> {
    let code = match failure.code {
        Code::ForbiddenTarget => FaultCode::ForbiddenTarget,
        Code::BudgetExhausted => FaultCode::BudgetExhausted,
        Code::PortContractViolation => FaultCode::PortContractViolation,
        _ => return None,
    };
    Some(Fault::new(code, &failure.detail))
}
