//! Everything a server publishes, as a listing in a file's words.

use super::listing::Listing;
use super::pages::{self, Kind};
use super::session::{Hello, Session};
use super::target::{Limits, Target};
use crate::probe::{Fault, FaultCode};

/// What was captured.
#[derive(Debug, Clone)]
pub struct Captured {
    /// The listing, as `manifest` reads it: the same bytes for a server that has not changed.
    pub text: String,
    pub hello: Hello,
    pub tools: usize,
    pub prompts: usize,
    pub resources: usize,
}

/// Start or reach `target`, ask for all that it lists, and end it. `date` is written into the listing where one is given.
///
/// # Errors
/// A fault of the session; a server that has no tools at all is none.
pub fn capture(target: &Target, limits: &Limits, date: Option<&str>) -> Result<Captured, Fault> {
    of_session(&mut Session::open(target, limits)?, date)
}

/// What the server of an open session lists now.
pub(super) fn of_session(session: &mut Session, date: Option<&str>) -> Result<Captured, Fault> {
    let captured = listed(session, date).map_err(|fault| session.secrets().hidden_in(fault))?;
    // The bytes are the server's, and are kept as they are or not at all.
    if let Some(name) = session.secrets().found_in(&captured.text) {
        let detail =
            format!("the server's listing holds what it was given to keep ({name}); nothing is kept of it");
        return Err(Fault::new(FaultCode::PortFailure, detail).help(
            "A server must not publish what authorises its callers: have that repaired, and the secret replaced. \
             If the value of a variable is no secret, write it out: --env NAME=VALUE",
        ));
    }
    Ok(captured)
}

fn listed(session: &mut Session, date: Option<&str>) -> Result<Captured, Fault> {
    let hello = session.hello().clone();
    // Some servers list tools without saying that they have any.
    let tools = match pages::fetch(session, Kind::TOOLS)? {
        Some(tools) => tools,
        None => {
            return Err(Fault::new(
                FaultCode::PortFailure,
                "the server does not know tools/list: it has no tools",
            )
            .help("verity judges tools; a server of prompts and resources alone has none."));
        }
    };
    let mut further = |kind: Kind, capability: &str| match hello.can(capability) {
        true => pages::fetch(session, kind).map(Option::unwrap_or_default),
        false => Ok(pages::Pages::default()),
    };
    let prompts = further(Kind::PROMPTS, "prompts")?;
    let resources = further(Kind::RESOURCES, "resources")?;
    let templates = further(Kind::TEMPLATES, "resources")?;
    let count = |pages: &pages::Pages| pages.entries.len();
    let (tool_count, prompt_count) = (count(&tools), count(&prompts));
    let resource_count = count(&resources) + count(&templates);
    let lists = vec![
        (Kind::TOOLS, tools),
        (Kind::PROMPTS, prompts),
        (Kind::RESOURCES, resources),
        (Kind::TEMPLATES, templates),
    ];
    let text = Listing { hello: &hello, lists, date }.text();
    Ok(Captured { text, tools: tool_count, prompts: prompt_count, resources: resource_count, hello })
}
