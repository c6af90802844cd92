//! A server over many calls: one session as long as it holds, a new one after a call that ended it. A server that is
//! called too often says so, and is given the time that it asks for.

use super::budget::Budget;
use super::capture;
use super::message::Refusal;
use super::session::Session;
use super::target::{Limits, Target};
use crate::probe::{CallRequest, Fault, FaultCode, Observation, Port, Server};
use std::time::Duration;

/// How often a call is made that the server puts off.
const TRIES: usize = 5;
/// How long to wait where it does not say it.
const WAIT: Duration = Duration::from_secs(1);

/// Time and bytes of `limits` are for each start and for each call.
pub struct Probed {
    target: Target,
    limits: Limits,
    session: Option<Session>,
    has_announced: bool,
    all: Option<Budget>,
}

impl Probed {
    #[must_use]
    pub fn new(target: Target, limits: Limits) -> Probed {
        Probed { target, limits, session: None, has_announced: false, all: None }
    }

    /// The same, with a time for all calls together: none begins after it.
    #[must_use]
    pub fn within(self, time: Duration) -> Probed {
        Probed { all: Some(Budget::start(time, || false)), ..self }
    }

    fn session(&mut self) -> Result<&mut Session, Fault> {
        let session = match self.session.take() {
            Some(session) => session,
            None => Session::open(&self.target, &self.limits)?,
        };
        let session = self.session.insert(session);
        session.renew(self.limits.elapsed, self.limits.abort);
        Ok(session)
    }

    /// What `work` gives; a session that failed is not used again.
    fn with<T>(&mut self, work: impl FnOnce(&mut Session) -> Result<T, Fault>) -> Result<T, Fault> {
        let result = work(self.session()?);
        self.has_announced |= self.session.as_ref().is_some_and(Session::list_changed);
        if result.is_err() && self.refusal().is_none() {
            self.session = None;
        }
        result
    }

    /// How HTTP refused the last call of the session that is open.
    fn refusal(&self) -> Option<Refusal> {
        self.session.as_ref().and_then(Session::refusal)
    }

    /// Wait, as long as nobody interrupts.
    fn wait(&self, time: Duration) -> Result<(), Fault> {
        let budget = Budget::start(time, self.limits.abort);
        loop {
            match budget.left() {
                Ok(left) => std::thread::sleep(left.min(Duration::from_millis(25))),
                Err(fault) if fault.code == FaultCode::Aborted => return Err(fault),
                Err(_) => return Ok(()),
            }
        }
    }
}

impl Port for Probed {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        let mut tries = 0;
        loop {
            tries += 1;
            let result = self.with(|session| session.call(request));
            let (Err(fault), Some(refusal)) = (&result, self.refusal()) else { return result };
            // Not even what was put off: who says that nothing of it was carried out is not the tool.
            if refusal.is_for_now() && !request.is_read {
                return result;
            }
            let wait = refusal.wait.unwrap_or(WAIT);
            if refusal.is_for_now() && tries < TRIES && wait <= self.limits.elapsed {
                self.wait(wait)?;
            } else if refusal.is_for_now() || refusal.wants_token() {
                // Nothing about the tool, and the next call would fare no better.
                return Err(Fault { code: FaultCode::ForbiddenTarget, ..fault.clone() });
            } else {
                self.session = None;
                return result;
            }
        }
    }
}

impl Server for Probed {
    fn ready(&mut self) -> Result<(), Fault> {
        self.session().map(drop)
    }

    fn listing(&mut self) -> Result<String, Fault> {
        self.with(|session| capture::of_session(session, None)).map(|captured| captured.text)
    }

    fn has_announced_changes(&self) -> bool {
        self.has_announced
    }

    fn is_over(&self) -> bool {
        self.all.is_some_and(|budget| budget.left().is_err())
    }
}
