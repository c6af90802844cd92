//! Profiles: by whose rules a surface is judged. A revision of the specification, or a client whose
//! limits stand as data in `src/profiles/*.yaml`, each dated and with its source.

mod check;
mod load;

pub use check::{Check, Counted, MustBe, Over, REPAIRS, Side, Syntax, Unit, Which};
pub use load::{Limit, Profile, ProfileError, SourceKind, load};

use crate::manifest::Revision;
use crate::suggest;
use std::sync::LazyLock;

/// A client a file. The order is that of the documentation.
const FILES: &[(&str, &str)] = &[
    ("openai", include_str!("profiles/openai.yaml")),
    ("openai-strict", include_str!("profiles/openai-strict.yaml")),
    ("codex", include_str!("profiles/codex.yaml")),
    ("chatgpt-apps", include_str!("profiles/chatgpt-apps.yaml")),
    ("claude", include_str!("profiles/claude.yaml")),
    ("claude-strict", include_str!("profiles/claude-strict.yaml")),
    ("claude-code", include_str!("profiles/claude-code.yaml")),
    ("claude-connectors", include_str!("profiles/claude-connectors.yaml")),
    ("gemini", include_str!("profiles/gemini.yaml")),
    ("gemini-json-schema", include_str!("profiles/gemini-json-schema.yaml")),
    ("vertex", include_str!("profiles/vertex.yaml")),
    ("bedrock", include_str!("profiles/bedrock.yaml")),
    ("fireworks", include_str!("profiles/fireworks.yaml")),
    ("xai", include_str!("profiles/xai.yaml")),
    ("vscode", include_str!("profiles/vscode.yaml")),
    ("copilot", include_str!("profiles/copilot.yaml")),
    ("cursor", include_str!("profiles/cursor.yaml")),
    ("windsurf", include_str!("profiles/windsurf.yaml")),
    ("trae", include_str!("profiles/trae.yaml")),
    ("amazon-q", include_str!("profiles/amazon-q.yaml")),
    ("librechat", include_str!("profiles/librechat.yaml")),
    ("zed", include_str!("profiles/zed.yaml")),
    ("ollama", include_str!("profiles/ollama.yaml")),
    ("sdk", include_str!("profiles/sdk.yaml")),
];

/// The clients that verity knows, read once and only when somebody asks for one. A test reads every
/// file, so none is lost here.
static CLIENTS: LazyLock<Vec<Profile>> =
    LazyLock::new(|| FILES.iter().filter_map(|(name, text)| load(name, text).ok()).collect());

/// Every client profile that comes with verity.
#[must_use]
pub fn clients() -> &'static [Profile] {
    &CLIENTS
}

/// The client profile `name`.
#[must_use]
pub fn client(name: &str) -> Option<&'static Profile> {
    clients().iter().find(|p| p.name == name)
}

/// What `--profile` asks for.
#[derive(Debug, Clone, Default)]
pub struct Profiles {
    /// Revisions of the specification; empty: the one that the listing states, else the newest.
    pub revisions: Vec<Revision>,
    /// Clients whose limits were asked for, in the order of asking.
    pub clients: Vec<&'static Profile>,
}

/// Every name that `--profile` takes, in the order of the documentation.
pub fn names() -> impl Iterator<Item = &'static str> {
    let revisions = Revision::ALL.iter().map(|r| mcp_name(*r));
    ["mcp", "all"].into_iter().chain(revisions).chain(FILES.iter().map(|(name, _)| *name))
}

/// `mcp-2025-11-25`.
#[must_use]
pub fn mcp_name(revision: Revision) -> &'static str {
    match revision {
        Revision::V2024_11_05 => "mcp-2024-11-05",
        Revision::V2025_03_26 => "mcp-2025-03-26",
        Revision::V2025_06_18 => "mcp-2025-06-18",
        Revision::V2025_11_25 => "mcp-2025-11-25",
        Revision::V2026_07_28 => "mcp-2026-07-28",
    }
}

impl Profiles {
    /// Add the profile `name`; the error says what it might have meant.
    ///
    /// # Errors
    /// No profile has this name.
    pub fn add(&mut self, name: &str) -> Result<(), String> {
        if let Some(revision) = Revision::ALL.into_iter().find(|r| mcp_name(*r) == name) {
            self.revisions.push(revision);
            self.revisions.sort_unstable();
            self.revisions.dedup();
            return Ok(());
        }
        match name {
            "mcp" => {}
            "all" => clients().iter().for_each(|p| self.add_client(p)),
            _ => match client(name) {
                Some(profile) => self.add_client(profile),
                None => return Err(suggest::unknown("profile", name, names())),
            },
        }
        Ok(())
    }

    /// Add a client, which need not be one of verity's own.
    pub fn add_client(&mut self, profile: &'static Profile) {
        if self.clients.iter().all(|p| p.name != profile.name) {
            self.clients.push(profile);
        }
    }

    /// The profiles whose limits hold, each with the client by whose wish it does: a profile that was
    /// asked for stands for itself, one that is only extended by another stands for that one.
    #[must_use]
    pub fn effective(&self) -> Vec<(&'static Profile, &'static str)> {
        let mut all: Vec<(&'static Profile, &'static str)> =
            self.clients.iter().map(|p| (*p, p.name)).collect();
        let mut at = 0;
        while let Some(&(profile, by)) = all.get(at) {
            for base in profile.extends.iter().filter_map(|name| client(name)) {
                if all.iter().all(|(p, _)| p.name != base.name) {
                    all.push((base, by));
                }
            }
            at += 1;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_profile() {
        for (name, text) in FILES {
            let profile = load(name, text).unwrap_or_else(|e| panic!("{name}.yaml: {e}"));
            assert_eq!(&profile.name, name);
            assert!(!profile.limits.is_empty(), "{name}: no limits");
            for base in &profile.extends {
                assert!(client(base).is_some(), "{name} extends {base}");
            }
        }
        assert_eq!(clients().len(), FILES.len());
    }

    #[test]
    fn names_are_known_once_each() {
        let mut profiles = Profiles::default();
        for name in names() {
            profiles.add(name).unwrap();
        }
        assert_eq!(profiles.revisions, Revision::ALL);
        assert_eq!(profiles.clients.len(), FILES.len());
    }

    #[test]
    fn a_typing_error_is_answered_with_a_name() {
        let message = Profiles::default().add("gemni").unwrap_err();
        assert!(message.contains("did you mean `gemini`?"), "{message}");
    }

    #[test]
    fn limits_of_an_extended_profile_stand_for_who_asked() {
        let effective = |names: &[&str]| {
            let mut profiles = Profiles::default();
            names.iter().for_each(|n| profiles.add(n).unwrap());
            profiles.effective().iter().map(|(p, by)| (p.name, *by)).collect::<Vec<_>>()
        };
        assert_eq!(effective(&["codex"]), [("codex", "codex"), ("openai", "codex")]);
        assert_eq!(effective(&["openai", "codex"]), [("openai", "openai"), ("codex", "codex")]);
    }
}
