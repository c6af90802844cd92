//! Caps: arguments that say how many results may come back at most. Told by their name and description, and tried where an
//! answer holds more results than a small cap allows.

mod lists;
mod told;

use super::suite::{Asked, ToolRun};
use crate::manifest::Tool;
use crate::schema::SchemaView;
use lists::Outline;
use serde_json::{Map, Value, json};

pub(super) use told::caps;

/// Caps that are tried, the first that is valid and small enough for what came back.
const TRIED: [u64; 7] = [1, 2, 3, 5, 10, 20, 50];

/// Two calls that differ in a cap alone.
pub(super) struct Pair<'r> {
    /// The one that brought more.
    pub long: &'r Asked,
    pub capped: &'r Asked,
    pub cap: u64,
}

/// Whether a cap is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cap {
    Kept,
    /// This list is longer than the cap.
    Exceeded {
        /// Where in the result: a JSON Pointer.
        place: String,
        items: usize,
    },
    /// There are lists, and none is surely the one that the cap is for.
    Unclear,
}

/// Successful calls that differ from each other in this argument alone, with what they brought.
fn calls<'r>(run: &'r ToolRun, argument: &'r str) -> impl Iterator<Item = (&'r Asked, Outline)> {
    let of = move |all: &'r [(String, Asked)]| all.iter().filter(move |(n, _)| n == argument).map(|(_, a)| a);
    let all = run.base().into_iter().chain(of(&run.varied)).chain(of(&run.capped));
    all.filter_map(|asked| Some((asked, Outline::of(asked.success()?)?)))
}

/// The call that brought the longest list, the first of them.
fn longest<'r>(run: &'r ToolRun, argument: &'r str) -> Option<(&'r Asked, Outline)> {
    calls(run, argument).reduce(|most, other| if other.1.longest() > most.1.longest() { other } else { most })
}

/// The least cap of those calls that more results came back without.
pub(super) fn pair<'r>(run: &'r ToolRun, argument: &'r str) -> Option<Pair<'r>> {
    let (long, outline) = longest(run, argument)?;
    let cap_of = |asked: &Asked| asked.arguments.get(argument).and_then(Value::as_u64);
    let capped = calls(run, argument).filter(|(asked, _)| !std::ptr::eq(*asked, long));
    // Nought is "no cap" as often as it is "nothing".
    let capped = capped.filter_map(|(asked, _)| Some((asked, cap_of(asked).filter(|cap| *cap > 0)?)));
    let (capped, cap) = capped.min_by_key(|(_, cap)| *cap)?;
    (cap < outline.longest() as u64).then_some(Pair { long, capped, cap })
}

/// The call that would show whether a cap is kept; `None` where that is known already, or nothing would show.
pub(super) fn call(tool: &Tool, run: &ToolRun, argument: &str) -> Option<Map<String, Value>> {
    if pair(run, argument).is_some() {
        return None;
    }
    let (long, outline) = longest(run, argument)?;
    let view = SchemaView::new(tool.input_schema()?);
    let judge = view.judge().ok()?;
    let with = |cap: u64| {
        let mut arguments = long.arguments.clone();
        arguments.insert(argument.to_string(), json!(cap));
        judge.accepts(&Value::Object(arguments.clone())).then_some(arguments)
    };
    TRIED.into_iter().take_while(|cap| *cap < outline.longest() as u64).find_map(with)
}

/// Whether the second call of a pair, which differ in this argument, keeps its cap.
pub(super) fn kept(tool: &Tool, argument: &str, pair: &Pair<'_>) -> Cap {
    let of = |asked: &Asked| asked.success().and_then(Outline::of);
    match (of(pair.long), of(pair.capped)) {
        (Some(long), Some(capped)) => long.kept(&capped, pair.cap, &told::units(tool, argument)),
        _ => Cap::Unclear,
    }
}
