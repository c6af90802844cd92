//! Calls that are allowed by name, each in a session of its own, so that nothing of one call reaches the next one; or all
//! in one session, where steps build on each other.

use super::budget::Abort;
use super::session::Session;
use super::target::{Command, Limits, Target};
use crate::contract::policy::{Authorization, Policy};
use crate::error::cut;
use crate::manifest::Revision;
use crate::probe::{CallRequest, Fault, FaultCode, Observation, Port};
use serde_json::Value;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;
use std::time::Duration;

/// The revision that contracts are written for.
const REVISION: Revision = Revision::V2025_06_18;

/// One server, and what may be called of it.
#[derive(Debug, Clone)]
pub struct Allowed {
    pub interface: String,
    /// Literal names.
    pub tools: Vec<String>,
    pub target: Target,
    pub limits: Limits,
}

/// Starts or reaches what is allowed, and only that; an empty list allows nothing.
#[derive(Debug, Clone, Default)]
pub struct AllowedPort(pub Vec<Allowed>);

/// The same, with one session for all calls of an interface: for steps that build on each other, which a server may
/// well keep in its memory alone. Time and bytes hold for its start, and for each call.
#[derive(Default)]
pub struct SessionPort {
    allowed: AllowedPort,
    open: BTreeMap<String, Session>,
}

impl SessionPort {
    #[must_use]
    pub fn new(allowed: AllowedPort) -> SessionPort {
        SessionPort { allowed, open: BTreeMap::new() }
    }
}

impl Port for SessionPort {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        let allowed = self.allowed.authorize(&request.interface, &request.tool)?;
        let session = match self.open.entry(request.interface.clone()) {
            Entry::Occupied(open) => open.into_mut(),
            Entry::Vacant(place) => place.insert(Session::open(&allowed.target, &allowed.limits)?),
        };
        session.renew(allowed.limits.elapsed, allowed.limits.abort);
        call(session, request)
    }
}

impl AllowedPort {
    /// What a contract's policy allows.
    #[must_use]
    pub fn of_policy(policy: &Policy, abort: Abort) -> AllowedPort {
        AllowedPort(policy.authorizations.iter().map(|entry| Allowed::of(entry, abort)).collect())
    }

    /// # Errors
    /// `forbidden-target`: the interface, or then the tool, is not named.
    pub fn authorize(&self, interface: &str, tool: &str) -> Result<&Allowed, Fault> {
        let forbidden = |detail: String| Fault::new(FaultCode::ForbiddenTarget, detail);
        let allowed = self.0.iter().find(|allowed| allowed.interface == interface).ok_or_else(|| {
            forbidden(format!(
                "no server is named for the interface `{}`; nothing is started",
                cut(interface)
            ))
        })?;
        match allowed.tools.iter().any(|listed| listed == tool) {
            true => Ok(allowed),
            false => {
                Err(forbidden(format!("the tool `{}` is not listed for `{}`", cut(tool), cut(interface))))
            }
        }
    }
}

impl Port for AllowedPort {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        let allowed = self.authorize(&request.interface, &request.tool)?;
        call(&mut Session::open(&allowed.target, &allowed.limits)?, request)
    }
}

fn call(session: &mut Session, request: &CallRequest) -> Result<Observation, Fault> {
    let seen = session.call(request)?;
    let is_result = seen.envelope.is_object() && seen.envelope.get("isError").is_none_or(Value::is_boolean);
    if !is_result && !seen.is_protocol_error {
        let detail = format!("the answer of {} is no result of a call", cut(&request.tool));
        return Err(Fault::new(FaultCode::PortFailure, detail));
    }
    Ok(seen)
}

impl Allowed {
    fn of(entry: &Authorization, abort: Abort) -> Allowed {
        let argv = [&entry.target].into_iter().chain(&entry.target_args).cloned().collect();
        let env =
            entry.server_environment.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        let bytes = usize::try_from(entry.max_output_bytes).unwrap_or(usize::MAX);
        Allowed {
            interface: entry.interface.clone(),
            tools: entry.tools.clone(),
            target: Target::Command(Command {
                argv,
                env,
                folder: Some(PathBuf::from(&entry.cwd)),
                kept: Vec::new(),
            }),
            limits: Limits {
                elapsed: Duration::from_millis(entry.max_elapsed_ms),
                output_bytes: bytes,
                log_bytes: bytes,
                abort,
                revision: Some(REVISION),
                is_exact: false,
            },
        }
    }
}
