//! `verity.yaml`: how a project wants to be judged. Text → [`Config`]; what is wrong in it is said with
//! its place, and a word that nobody knows is an error, not a wish that goes unheard.

use crate::calendar::is_date;
use crate::finding::Severity;
use crate::profile::Profiles;
use crate::suggest;
use crate::yaml::{self, Loaded};
use serde::Deserialize;
use serde_json::Value;

/// The file's name.
pub const FILE: &str = "verity.yaml";
/// The most that is read of it, in bytes.
pub const MAX_BYTES: u64 = 1 << 20;

/// What the file says. Paths are as written: relative to the file's folder.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Manifests to judge where none is named on the command line.
    pub manifests: Vec<String>,
    pub server_name: Option<String>,
    /// As `--profile` takes them.
    pub profiles: Vec<String>,
    /// The severity from which a run fails; `None`: as the command line says, else error.
    pub fail_on: Option<FailOn>,
    /// Severities of one's own, by rule id.
    pub severities: Vec<(String, Severity)>,
    pub ignores: Vec<Ignore>,
    pub baseline: Option<String>,
    pub gate: Gate,
}

/// From which severity a run fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailOn {
    At(Severity),
    Never,
}

/// Findings that are known and meant to stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ignore {
    /// Rule id, in which `*` stands for anything.
    pub rule: String,
    /// Tool name, in which `*` stands for anything; `None`: every tool.
    pub tool: Option<String>,
    /// Pointer below the tool (`/inputSchema/properties/a`) at or below which the findings stand.
    pub pointer: Option<String>,
    pub reason: String,
    /// The last day (`2027-01-31`) on which it holds.
    pub expires: Option<String>,
    /// Where it stands in the file, from 1.
    pub line: usize,
}

/// What `verity gate` does beyond linting.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gate {
    /// The released listing: a file, `git:REV:path`, or a lock file.
    pub old: Option<String>,
    /// Folder of the pack that is exported and tested.
    pub pack: Option<String>,
    /// Reports, as `--format` takes them (`sarif=verity.sarif`).
    pub reports: Vec<String>,
}

/// Why a file is no configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ConfigError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub message: String,
}

const MEMBERS: &[&str] =
    &["manifest", "server_name", "profiles", "fail_on", "severities", "ignores", "baseline", "gate"];
/// What a change does to users is measured, not chosen.
const DIFF_SEVERITY: &str =
    "a change has no severity of its own to set: what is meant is said under `ignores`, with its reason";
const IGNORE: &[&str] = &["rule", "tool", "pointer", "reason", "expires"];
const GATE: &[&str] = &["old", "pack", "reports"];

/// Read `text`. `rule_ids` are the ids that exist, to catch slips.
///
/// # Errors
/// With its place: no YAML, an unknown member, rule or profile, a value of the wrong kind, an ignore
/// without a reason, a date that is none.
pub fn parse(text: &str, rule_ids: &[&'static str]) -> Result<Config, ConfigError> {
    let loaded =
        yaml::read(text).map_err(|e| ConfigError { line: e.line, column: e.column, message: e.message })?;
    Reader { loaded: &loaded, rule_ids }.config()
}

struct Reader<'l> {
    loaded: &'l Loaded,
    rule_ids: &'l [&'static str],
}

type Read<T> = Result<T, ConfigError>;

impl Reader<'_> {
    fn fail<T>(&self, pointer: &str, message: impl Into<String>) -> Read<T> {
        let (line, column) = self.loaded.place(pointer);
        Err(ConfigError { line, column, message: message.into() })
    }

    /// As [`Reader::fail`], at the key that leads there.
    fn fail_key<T>(&self, pointer: &str, message: impl Into<String>) -> Read<T> {
        let (line, column) = self.loaded.key_place(pointer);
        Err(ConfigError { line, column, message: message.into() })
    }

    fn config(&self) -> Read<Config> {
        let root = &self.loaded.value;
        if root.is_null() {
            return Ok(Config::default());
        }
        self.members("", root, MEMBERS)?;
        let mut config = Config {
            manifests: self.texts("/manifest", root.get("manifest"))?,
            server_name: self.text("/server_name", root.get("server_name"))?,
            profiles: self.texts("/profiles", root.get("profiles"))?,
            fail_on: self.fail_on(root.get("fail_on"))?,
            severities: self.severities(root.get("severities"))?,
            baseline: self.text("/baseline", root.get("baseline"))?,
            gate: self.gate(root.get("gate"))?,
            ignores: Vec::new(),
        };
        let mut known = Profiles::default();
        for (i, name) in config.profiles.iter().enumerate() {
            let own = name.ends_with(".yaml") || name.ends_with(".yml");
            if let Err(message) = if own { Ok(()) } else { known.add(name) } {
                return self.fail(&format!("/profiles/{i}"), message);
            }
        }
        match root.get("ignores") {
            None | Some(Value::Null) => {}
            Some(Value::Array(entries)) => {
                for (i, entry) in entries.iter().enumerate() {
                    config.ignores.push(self.ignore(&format!("/ignores/{i}"), entry)?);
                }
            }
            Some(_) => return self.fail("/ignores", "`ignores` is a list"),
        }
        Ok(config)
    }

    fn members(&self, at: &str, value: &Value, known: &[&str]) -> Read<()> {
        let Value::Object(members) = value else {
            return self.fail(at, format!("expected a mapping with {}", known.join(", ")));
        };
        match members.keys().find(|k| !known.contains(&k.as_str())) {
            None => Ok(()),
            Some(key) => {
                let message = suggest::unknown("member", key, known.iter().copied());
                self.fail_key(&crate::pointer::child(at, key), message)
            }
        }
    }

    fn text(&self, at: &str, value: Option<&Value>) -> Read<Option<String>> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text.trim().is_empty() => {
                self.fail(at, format!("`{}` is empty", name(at)))
            }
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => self.fail(at, format!("`{}` is a text", name(at))),
        }
    }

    /// One text or a list of texts.
    fn texts(&self, at: &str, value: Option<&Value>) -> Read<Vec<String>> {
        match value {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.clone()]),
            Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
                Ok(items.iter().filter_map(Value::as_str).map(str::to_string).collect())
            }
            Some(_) => self.fail(at, format!("`{}` is a text or a list of texts", name(at))),
        }
    }

    fn fail_on(&self, value: Option<&Value>) -> Read<Option<FailOn>> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) if text == "never" => Ok(Some(FailOn::Never)),
            Some(value) => self.severity("/fail_on", value, &["never"]).map(|s| Some(FailOn::At(s))),
        }
    }

    fn severity(&self, at: &str, value: &Value, others: &[&str]) -> Read<Severity> {
        match value.as_str() {
            Some("error") => Ok(Severity::Error),
            Some("warning") => Ok(Severity::Warning),
            Some("info") => Ok(Severity::Info),
            Some(typed) => {
                let names = ["error", "warning", "info"].into_iter().chain(others.iter().copied());
                self.fail(at, suggest::unknown("severity", typed, names))
            }
            // YAML 1.1 reads `off`, `no` and their like as false, and a person means to turn the rule off.
            None if value.is_boolean() => self.fail(
                at,
                "a severity is error, warning or info (YAML reads on, off, yes and no without quotes as true and \
                 false); to leave a rule out, ignore it: ignores, rule, reason",
            ),
            None => self.fail(at, "a severity is error, warning or info"),
        }
    }

    fn severities(&self, value: Option<&Value>) -> Read<Vec<(String, Severity)>> {
        match value {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::Object(members)) => members
                .iter()
                .map(|(rule, value)| {
                    let at = crate::pointer::child("/severities", rule);
                    self.rule(&at, rule, Self::fail_key)?;
                    if rule.to_ascii_uppercase().starts_with("MCP-DIFF-") {
                        self.fail_key(&at, format!("{DIFF_SEVERITY} (`{rule}`)"))?;
                    }
                    Ok((rule.to_ascii_uppercase(), self.severity(&at, value, &[])?))
                })
                .collect(),
            Some(_) => self.fail("/severities", "`severities` maps rule ids to severities"),
        }
    }

    /// A rule id, or a pattern that some rule id matches.
    fn rule(&self, at: &str, typed: &str, fail: fn(&Self, &str, String) -> Read<()>) -> Read<()> {
        let is_own = typed.to_ascii_uppercase().starts_with("MCP-COMPAT-");
        let known = self.rule_ids.iter().any(|id| matches(&typed.to_ascii_uppercase(), id));
        // Limits of one's own profiles are known only when those are read.
        if known || is_own {
            return Ok(());
        }
        if typed.contains('*') {
            return fail(self, at, suggest::no_match("rule", typed));
        }
        fail(self, at, suggest::unknown("rule", typed, self.rule_ids.iter().copied()))
    }

    fn ignore(&self, at: &str, value: &Value) -> Read<Ignore> {
        self.members(at, value, IGNORE)?;
        let member = |name: &str| (format!("{at}/{name}"), value.get(name));
        let (place, rule) = member("rule");
        let Some(rule) = self.text(&place, rule)? else { return self.fail(at, "an ignore names its `rule`") };
        self.rule(&place, &rule, Self::fail)?;
        let (place, reason) = member("reason");
        let Some(reason) = self.text(&place, reason)? else {
            return self.fail(at, "an ignore says its `reason`, for those who come later");
        };
        let (place, pointer) = member("pointer");
        let pointer = self.text(&place, pointer)?;
        if pointer.as_ref().is_some_and(|p| !p.starts_with('/')) {
            return self.fail(
                &place,
                "`pointer` is a JSON Pointer below the tool, such as /inputSchema/properties/a",
            );
        }
        let (place, tool) = member("tool");
        let tool = self.text(&place, tool)?;
        let (place, expires) = member("expires");
        let expires = match expires {
            None | Some(Value::Null) => None,
            Some(value) => match day(value) {
                Some(day) => Some(day),
                None => return self.fail(&place, "`expires` is a date such as 2027-01-31"),
            },
        };
        Ok(Ignore {
            rule: rule.to_ascii_uppercase(),
            tool,
            pointer,
            reason,
            expires,
            line: self.loaded.line(at),
        })
    }

    fn gate(&self, value: Option<&Value>) -> Read<Gate> {
        let Some(value) = value.filter(|v| !v.is_null()) else { return Ok(Gate::default()) };
        self.members("/gate", value, GATE)?;
        Ok(Gate {
            old: self.text("/gate/old", value.get("old"))?,
            pack: self.text("/gate/pack", value.get("pack"))?,
            reports: self.texts("/gate/reports", value.get("reports"))?,
        })
    }
}

fn name(at: &str) -> &str {
    at.rsplit('/').next().unwrap_or(at)
}

/// A date of YAML, quoted or not.
fn day(value: &Value) -> Option<String> {
    #[derive(Deserialize)]
    struct Timestamp {
        #[serde(rename = "!timestamp")]
        text: String,
    }
    let text = match value {
        Value::String(text) => text.clone(),
        other => Timestamp::deserialize(other).ok()?.text,
    };
    is_date(&text).then_some(text)
}

/// Whether `text` is `pattern`, in which `*` stands for any number of characters. Linear in both.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &[&str] =
        &["MCP-TOOL-INVALID", "MCP-POISON-INSTRUCTION", "MCP-POISON-CROSS-TOOL", "MCP-DIFF-TOOL-ADDED"];

    fn error(text: &str) -> (usize, usize, String) {
        let e = parse(text, RULES).unwrap_err();
        (e.line, e.column, e.message)
    }

    #[test]
    fn everything_that_it_can_say() {
        let text = "manifest: tools.json\nserver_name: orders\nprofiles: [mcp, openai, ./house.yaml]\nfail_on: warning\n\
            severities:\n  MCP-TOOL-INVALID: info\nignores:\n  - rule: MCP-POISON-*\n    tool: run_*\n    pointer: /description\n    \
            reason: it runs commands, and says so\n    expires: 2027-01-31\nbaseline: known.json\ngate:\n  old: git:v1:tools.json\n  \
            pack: packs/orders\n  reports: [sarif=out.sarif]\n";
        let config = parse(text, RULES).unwrap();
        assert_eq!(config.manifests, ["tools.json"]);
        assert_eq!(config.profiles, ["mcp", "openai", "./house.yaml"]);
        assert_eq!(config.fail_on, Some(FailOn::At(Severity::Warning)));
        assert_eq!(config.severities, [("MCP-TOOL-INVALID".to_string(), Severity::Info)]);
        let ignore = &config.ignores[0];
        assert_eq!((ignore.line, ignore.expires.as_deref()), (8, Some("2027-01-31")));
        assert_eq!(config.gate.old.as_deref(), Some("git:v1:tools.json"));
        assert_eq!(config.gate.reports, ["sarif=out.sarif"]);
        assert!(parse("", RULES).unwrap().ignores.is_empty());
    }

    #[test]
    fn a_date_is_a_day_that_there_is() {
        let day = |text: &str| super::day(&Value::from(text)).is_some();
        assert!(day("2028-02-29") && day("2027-12-31") && day("2000-02-29"));
        for none in
            ["2027-02-29", "2027-02-31", "2027-13-01", "2027-00-10", "2027-04-31", "1900-02-29", "2027-1-01"]
        {
            assert!(!day(none), "{none}");
        }
    }

    #[test]
    fn slips_are_errors_with_a_place_and_a_guess() {
        assert_eq!(
            error("profile: openai\n"),
            (1, 1, "unknown member `profile`: did you mean `profiles`?".into())
        );
        assert_eq!(error("profiles: [opnai]\n").2, "unknown profile `opnai`: did you mean `openai`?");
        assert_eq!(error("fail_on: warn\n").2, "unknown severity `warn`: did you mean `warning`?");
        assert_eq!(error("gate:\n  olds: x\n").1, 3, "the key's column");
        assert_eq!(error("severities:\n  MCP-TOOL-INVALD: info\n").1, 3);
        let (line, _, message) = error("severities:\n  MCP-DIFF-TOOL-ADDED: info\n");
        assert!(
            line == 2 && message.contains("ignores") && message.contains("MCP-DIFF-TOOL-ADDED"),
            "{message}"
        );
        let (_, column, message) = error("severities:\n  MCP-TOOL-INVALID: off\n");
        assert!(
            column == 21 && message.contains("without quotes") && message.contains("ignores"),
            "{message}"
        );
        let (line, _, message) = error("ignores:\n  - rule: MCP-TOOL-INVALD\n    reason: x\n");
        assert_eq!(
            (line, message.as_str()),
            (2, "unknown rule `MCP-TOOL-INVALD`: did you mean `MCP-TOOL-INVALID`?")
        );
        assert!(error("ignores:\n  - rule: MCP-TOOL-INVALID\n").2.contains("`reason`"));
        assert!(
            error("ignores:\n  - rule: MCP-TOOL-INVALID\n    reason: x\n    expires: soon\n")
                .2
                .contains("date")
        );
        assert_eq!(
            error("ignores:\n  - rule: MCP-TOOL-INVALID\n    reason: '  '\n"),
            (3, 13, "`reason` is empty".into())
        );
        assert_eq!(
            error("ignores:\n  - rule: MCP-TOLL-*\n    reason: x\n").2,
            "no rule is named `MCP-TOLL-*` (`*` stands for anything)"
        );
        assert!(error("ignores: [\n").2.len() > 3);
        assert!(error("- a\n").2.starts_with("expected a mapping"));
    }

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("a*", "abc", true),
            ("*c", "abc", true),
            ("a*c", "abc", true),
            ("a*b*c", "a1b2b3c", true),
            ("*", "", true),
            ("abc", "abc", true),
            ("ab", "abc", false),
            ("a*bc*c", "abc", false),
            ("b*", "abc", false),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} on {text}");
        }
    }
}
