//! Calls that a policy allows, each in a session of its own: nothing of one call reaches the next one.

use super::budget::Abort;
use super::session::Session;
use super::target::{Command, Limits, Target};
use crate::contract::policy::{Authorization, Policy};
use crate::manifest::Revision;
use crate::probe::preflight::fault_of;
use crate::probe::{CallRequest, Fault, FaultCode, Observation, Port};
use std::path::PathBuf;
use std::time::Duration;

/// The revision that contracts are written for.
const REVISION: Revision = Revision::V2025_06_18;

/// Starts what `policy` names, and only that.
pub struct PolicyPort<'p> {
    pub policy: &'p Policy,
    pub abort: Abort,
}

impl Port for PolicyPort<'_> {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        let allowed = self.policy.authorize(&request.interface, &request.tool).map_err(|failure| {
            fault_of(&failure).unwrap_or_else(|| Fault::new(FaultCode::ForbiddenTarget, failure.detail))
        })?;
        let mut session = Session::open(&target(allowed), &self.limits(allowed))?;
        session.call(&request.tool, &request.arguments)
    }
}

impl PolicyPort<'_> {
    fn limits(&self, allowed: &Authorization) -> Limits {
        let bytes = usize::try_from(allowed.max_output_bytes).unwrap_or(usize::MAX);
        Limits {
            elapsed: Duration::from_millis(allowed.max_elapsed_ms),
            output_bytes: bytes,
            log_bytes: bytes,
            abort: self.abort,
            revision: Some(REVISION),
        }
    }
}

fn target(allowed: &Authorization) -> Target {
    let argv = [&allowed.target].into_iter().chain(&allowed.target_args).cloned().collect();
    let env = allowed.server_environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    Target::Command(Command { argv, env, folder: Some(PathBuf::from(&allowed.cwd)) })
}
