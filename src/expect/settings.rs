//! What a document may say under `x-verity`: settings that ABS has no place for.

use super::Fault;
use super::ignored::Ignored;
use super::parse::Raw;
use super::strict::At;
use crate::pointer;
use crate::suggest;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The settings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    /// Faults that the case injects, by tool.
    pub faults: BTreeMap<String, Injected>,
    /// What calls that no step asks for mean.
    pub extra_calls: ExtraCalls,
    /// Names of tools behind the labels that the document uses as targets.
    pub tools: BTreeMap<String, String>,
    /// What the calls are to the expected ones as a whole.
    pub matching: Matching,
    /// Places of arguments that are not compared.
    pub ignored: Ignored,
    /// Whether an argument that is left out counts as the default that the listing states.
    pub defaults: bool,
}

/// A fault that a case injects on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Injected {
    /// The tool refuses.
    Refused,
    /// Its answer is lost.
    Lost,
}

impl Injected {
    pub const NAMES: [&'static str; 2] = ["refused", "lost"];

    #[must_use]
    pub fn parse(text: &str) -> Option<Injected> {
        match text {
            "refused" => Some(Injected::Refused),
            "lost" => Some(Injected::Lost),
            _ => None,
        }
    }
}

/// What calls beside the expected ones mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExtraCalls {
    #[default]
    Allow,
    /// Only those to tools that are marked read-only.
    #[serde(rename = "allow-readonly")]
    AllowReadOnly,
    Forbid,
}

impl ExtraCalls {
    pub const NAMES: [&'static str; 3] = ["allow", "allow-readonly", "forbid"];

    #[must_use]
    pub fn parse(text: &str) -> Option<ExtraCalls> {
        match text {
            "allow" => Some(ExtraCalls::Allow),
            "allow-readonly" => Some(ExtraCalls::AllowReadOnly),
            "forbid" => Some(ExtraCalls::Forbid),
            _ => None,
        }
    }
}

/// What the recorded calls are to the expected ones, under the names that evaluators of agents use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Matching {
    /// Just the expected calls, in their order.
    Strict,
    /// The expected calls in their order, others between them.
    #[default]
    InOrder,
    /// Just the expected calls, in any order.
    Unordered,
    /// No calls but expected ones; some of those may be missing.
    Subset,
    /// The expected calls in any order, and others.
    Superset,
}

impl Matching {
    const NAMES: [(&'static str, Matching); 10] = [
        ("strict", Matching::Strict),
        ("exact-order", Matching::Strict),
        ("in_order", Matching::InOrder),
        ("contains-in-order", Matching::InOrder),
        ("unordered", Matching::Unordered),
        ("same-tools", Matching::Unordered),
        ("subset", Matching::Subset),
        ("no-others", Matching::Subset),
        ("superset", Matching::Superset),
        ("at-least", Matching::Superset),
    ];

    /// Every name.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Matching::NAMES.iter().map(|(name, _)| *name)
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Matching> {
        Matching::NAMES.iter().find(|(name, _)| *name == text).map(|(_, matching)| *matching)
    }

    /// Whether calls may come in any order.
    #[must_use]
    pub fn is_unordered(self) -> bool {
        matches!(self, Matching::Unordered | Matching::Subset | Matching::Superset)
    }

    /// Whether expected calls may be missing.
    #[must_use]
    pub fn may_miss(self) -> bool {
        self == Matching::Subset
    }

    /// Whether there may be no other calls.
    #[must_use]
    pub fn forbids_others(self) -> bool {
        matches!(self, Matching::Strict | Matching::Unordered | Matching::Subset)
    }
}

/// What a document says under `x-verity`.
///
/// # Errors
/// With the place: what makes no sense there.
pub(super) fn settings(raw: &Raw) -> Result<Settings, Fault> {
    let root = At::new(&raw.loaded, &raw.loaded.value, "");
    let mut settings = Settings::default();
    let Some(value) = root.object("x-verity")? else { return Ok(settings) };
    let at = At::new(&raw.loaded, value, "/x-verity");
    at.mapping("`x-verity`", &["faults", "extra_calls", "tools", "matching", "ignore", "defaults"])?;
    let texts = |key: &str| -> Result<Vec<(String, String)>, Fault> {
        let Some(Value::Object(members)) = at.object(key)? else { return Ok(Vec::new()) };
        let one = |(name, value): (&String, &Value)| match value.as_str() {
            Some(text) => Ok((name.clone(), text.to_string())),
            None => Err(at.fault(&format!("/{key}{}", pointer::child("", name)), "this is to be a text")),
        };
        members.iter().map(one).collect()
    };
    for (tool, fault) in texts("faults")? {
        let place = at.place(&format!("/faults{}", pointer::child("", &tool)));
        let injected = Injected::parse(&fault)
            .ok_or_else(|| place.fault(suggest::unknown("fault", &fault, Injected::NAMES)))?;
        settings.faults.insert(tool, injected);
    }
    if let Some(text) = at.text("matching")? {
        let wrong = || at.fault("/matching", suggest::unknown("matching", text, Matching::names()));
        settings.matching = Matching::parse(text).ok_or_else(wrong)?;
        if settings.matching.forbids_others() {
            settings.extra_calls = ExtraCalls::Forbid;
        }
    }
    for (i, (_, value)) in at.list("ignore")?.iter().enumerate() {
        let place = at.place(&format!("/ignore/{i}"));
        let text = value.as_str().ok_or_else(|| place.fault("this is to be a text, such as /request_id"))?;
        settings.ignored.add(text).map_err(|why| place.fault(why))?;
    }
    settings.defaults = at.flag("defaults")?.unwrap_or(false);
    if let Some(text) = at.text("extra_calls")? {
        let wrong = || at.fault("/extra_calls", suggest::unknown("policy", text, ExtraCalls::NAMES));
        settings.extra_calls = ExtraCalls::parse(text).ok_or_else(wrong)?;
    }
    settings.tools = texts("tools")?.into_iter().collect();
    Ok(settings)
}
