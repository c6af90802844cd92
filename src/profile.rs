//! Profiles: by whose rules a surface is judged. A revision of the specification, or a client.

use crate::manifest::Revision;
use crate::suggest;

/// Clients and APIs that have a profile name. Their limits are not in this version yet: asking for
/// one is said aloud, never taken for a clean bill.
pub const CLIENTS: &[&str] = &[
    "openai",
    "openai-strict",
    "codex",
    "chatgpt-apps",
    "claude",
    "claude-strict",
    "claude-code",
    "claude-connectors",
    "gemini",
    "gemini-json-schema",
    "vertex",
    "bedrock",
    "vscode",
    "copilot",
    "cursor",
    "windsurf",
    "amazon-q",
    "librechat",
    "zed",
    "ollama",
    "sdk",
];

/// What `--profile` asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Profiles {
    /// Revisions of the specification; empty: the one that the listing states, else the newest.
    pub revisions: Vec<Revision>,
    /// Clients whose limits were asked for.
    pub clients: Vec<&'static str>,
}

/// Every name that `--profile` takes, in the order of the documentation.
pub fn names() -> impl Iterator<Item = &'static str> {
    let revisions = Revision::ALL.iter().map(|r| mcp_name(*r));
    ["mcp", "all"].into_iter().chain(revisions).chain(CLIENTS.iter().copied())
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
            "all" => self.clients = CLIENTS.to_vec(),
            _ => match CLIENTS.iter().find(|c| **c == name) {
                Some(client) if self.clients.contains(client) => {}
                Some(client) => self.clients.push(client),
                None => return Err(suggest::unknown("profile", name, names())),
            },
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_once_each() {
        let mut profiles = Profiles::default();
        for name in names() {
            profiles.add(name).unwrap();
        }
        assert_eq!(profiles.revisions, Revision::ALL);
        assert_eq!(profiles.clients, CLIENTS);
    }

    #[test]
    fn a_typing_error_is_answered_with_a_name() {
        let message = Profiles::default().add("gemni").unwrap_err();
        assert!(message.contains("did you mean `gemini`?"), "{message}");
    }
}
