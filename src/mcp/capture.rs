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
    let mut session = Session::open(target, limits)?;
    let captured = of_session(&mut session, date)?;
    drop(session);
    if let Target::Endpoint(endpoint) = target
        && let Some(token) = endpoint.token.as_deref().filter(|t| !t.is_empty())
        && captured.text.contains(token)
    {
        let detail = "the server's listing holds the token that it was sent; nothing is kept";
        return Err(Fault::new(FaultCode::PortFailure, detail)
            .help("A server must not publish what authorises its callers: have that repaired, and the token replaced."));
    }
    Ok(captured)
}

/// What the server of an open session lists now.
pub(super) fn of_session(session: &mut Session, date: Option<&str>) -> Result<Captured, Fault> {
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
