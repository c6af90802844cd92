//! Two releases of a tool surface → what changed, by meaning. Pure: two lists of [`Manifest`]s in, changes out.
//!
//! Input schemas count as what is accepted, output schemas as what is promised: a change is breaking when a value
//! exists (a *witness*) that uses only what the old release declared and that shows the break. What no comparison of
//! sets can see (an argument that is tolerated but no longer declared, defaults, hints, texts) is compared on its own.

mod anchors;
mod clients;
mod close;
mod hints;
pub mod lock;
mod meaning;
mod places;
mod poison;
mod removed;
mod renames;
mod schemas;
mod search;
mod shrink;
mod structure;
mod texts;
mod tools;
mod words;

use crate::manifest::Manifest;
use crate::profile::Profile;
use crate::rules::RuleInfo;
use serde::Serialize;
use serde_json::Value;

/// What a change means to those who use the old release; the gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Compatible,
    Additive,
    Warning,
    Routing,
    Security,
    Breaking,
}

impl Class {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Class::Compatible => "compatible",
            Class::Additive => "additive",
            Class::Warning => "warning",
            Class::Routing => "routing",
            Class::Security => "security",
            Class::Breaking => "breaking",
        }
    }

    /// The part of a semantic version that the change asks for.
    #[must_use]
    pub fn bump(self) -> &'static str {
        match self {
            Class::Breaking | Class::Security => "major",
            Class::Routing | Class::Warning | Class::Additive => "minor",
            Class::Compatible => "patch",
        }
    }

    /// Whether it makes the run fail.
    #[must_use]
    pub fn fails(self) -> bool {
        self >= Class::Security
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    pub class: Class,
    pub rule: &'static str,
    /// Name of the server, where the files hold several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Name of the tool; `None` for the listing, or a tool without one.
    pub tool: Option<String>,
    /// In the normalised new listing; in the old one for what is gone from it.
    pub pointer: String,
    pub message: String,
    /// A value that shows the change, accepted and refused by the judge as `message` says.
    pub witness: Option<Value>,
    /// Why it is meant (the reason of an ignore in verity.yaml): it does not fail the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<String>,
}

impl Change {
    fn new(class: Class, rule: &RuleInfo, pointer: impl Into<String>, message: impl Into<String>) -> Change {
        Change {
            class,
            rule: rule.id,
            server: None,
            tool: None,
            pointer: pointer.into(),
            message: message.into(),
            witness: None,
            suppressed: None,
        }
    }

    /// Whether it makes the run fail: grave, and nobody said that it is meant.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.suppressed.is_none() && self.class.fails()
    }

    /// Whether it could not be told what the change means, and nobody said that it is meant.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        use crate::rules::diff::{INPUT_UNDECIDED, OUTPUT_UNDECIDED};
        self.suppressed.is_none() && [INPUT_UNDECIDED.id, OUTPUT_UNDECIDED.id].contains(&self.rule)
    }

    fn witness(mut self, witness: Option<Value>) -> Change {
        self.witness = witness;
        self
    }
}

/// What to look at beyond the two listings.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Clients whose refusal of the new release counts.
    pub clients: Vec<&'static Profile>,
}

/// Everything that changed: tool by tool, the gravest first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Diff {
    pub changes: Vec<Change>,
}

impl Diff {
    /// Class of the gravest change, suppressed or not: an ignore makes no change smaller for those who use the tools.
    #[must_use]
    pub fn verdict(&self) -> Option<Class> {
        self.changes.iter().map(|c| c.class).max()
    }

    /// `major`, `minor`, `patch` or `none`.
    #[must_use]
    pub fn required_bump(&self) -> &'static str {
        self.verdict().map_or("none", Class::bump)
    }

    /// Whether some change makes the run fail.
    #[must_use]
    pub fn fails(&self) -> bool {
        self.changes.iter().any(Change::fails)
    }

    /// How many changes are suppressed.
    #[must_use]
    pub fn suppressed(&self) -> usize {
        self.changes.iter().filter(|c| c.suppressed.is_some()).count()
    }

    /// How many changes are of `class`.
    #[must_use]
    pub fn count(&self, class: Class) -> usize {
        self.changes.iter().filter(|c| c.class == class).count()
    }

    fn sorted(mut changes: Vec<Change>) -> Diff {
        // Tools stand in the order of their gravest change, changes of equal weight in the order of the listing.
        let mut gravest = std::collections::BTreeMap::new();
        for (i, change) in changes.iter().enumerate() {
            let key = (change.server.clone(), change.tool.clone());
            let entry = gravest.entry(key).or_insert((change.class, i));
            entry.0 = entry.0.max(change.class);
        }
        changes.sort_by_key(|c| {
            let (class, first) =
                gravest.get(&(c.server.clone(), c.tool.clone())).copied().unwrap_or((Class::Compatible, 0));
            (std::cmp::Reverse(class), first, std::cmp::Reverse(c.class))
        });
        changes.dedup();
        Diff { changes }
    }
}

/// What changed from `old` to `new`, a manifest a server each.
#[must_use]
pub fn diff(old: &[Manifest], new: &[Manifest], options: &Options) -> Diff {
    let mut changes = Vec::new();
    for (old, new) in servers(old, new) {
        let mut of_server = match (old, new) {
            (Some(old), Some(new)) => tools::compare(old, new, options),
            (Some(old), None) => tools::compare(old, &Manifest::default(), options),
            (None, Some(new)) => tools::compare(&Manifest::default(), new, options),
            (None, None) => Vec::new(),
        };
        let several = old.is_none() || new.is_none() || options_many(old, new);
        if several {
            let name = new.or(old).and_then(|m| m.server.clone());
            of_server.iter_mut().for_each(|c| c.server.clone_from(&name));
        }
        changes.append(&mut of_server);
    }
    Diff::sorted(changes)
}

fn options_many(old: Option<&Manifest>, new: Option<&Manifest>) -> bool {
    // Where names differ, one server of one file each was meant.
    old.zip(new).is_some_and(|(old, new)| old.server.is_some() && old.server == new.server)
}

/// Which server of the old release is which of the new one: the only ones, else those of one name.
fn servers<'m>(
    old: &'m [Manifest],
    new: &'m [Manifest],
) -> Vec<(Option<&'m Manifest>, Option<&'m Manifest>)> {
    if let ([old], [new]) = (old, new) {
        return vec![(Some(old), Some(new))];
    }
    let mut pairs = Vec::new();
    let mut left: Vec<&Manifest> = new.iter().collect();
    for old in old {
        let at = left.iter().position(|m| m.server == old.server);
        pairs.push((Some(old), at.map(|at| left.remove(at))));
    }
    pairs.extend(left.into_iter().map(|m| (None, Some(m))));
    pairs
}
