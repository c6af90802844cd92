//! A server over many calls: one session as long as it holds, a new one after a call that ended it.

use super::capture;
use super::session::Session;
use super::target::{Limits, Target};
use crate::probe::{CallRequest, Fault, Observation, Port, Server};

/// Time and bytes of `limits` are for each start and for each call.
pub struct Probed {
    target: Target,
    limits: Limits,
    session: Option<Session>,
    has_announced: bool,
}

impl Probed {
    #[must_use]
    pub fn new(target: Target, limits: Limits) -> Probed {
        Probed { target, limits, session: None, has_announced: false }
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
        self.has_announced |= self.session.as_ref().is_some_and(Session::tools_changed);
        if result.is_err() {
            self.session = None;
        }
        result
    }
}

impl Port for Probed {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        self.with(|session| session.call(&request.tool, &request.arguments))
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
}
