//! A profile's file → [`Profile`]. What is wrong in it is said with its line.

use super::check::{Check, REPAIRS};
use crate::calendar::is_date;
use crate::finding::{Confidence, Impact, Severity};
use crate::{pointer, suggest, yaml};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A client and its limits. It lives as long as the program: rules are made of it.
#[derive(Debug)]
pub struct Profile {
    pub name: &'static str,
    /// How messages name the client.
    pub title: &'static str,
    pub about: &'static str,
    /// The day (`2026-11-12`) up to which the limits were looked at.
    pub observed: &'static str,
    /// Profiles whose limits hold here too.
    pub extends: Vec<&'static str>,
    pub limits: Vec<Limit>,
}

/// One limit of a client.
#[derive(Debug)]
pub struct Limit {
    /// `MCP-COMPAT-OPENAI-NAME-LENGTH`.
    pub rule: &'static str,
    pub check: Check,
    pub severity: Severity,
    pub impact: Impact,
    /// The day on which it was seen, where that is not the profile's.
    pub observed: &'static str,
    pub kind: SourceKind,
    pub sources: &'static [&'static str],
    pub summary: &'static str,
    pub why: &'static str,
    pub help: &'static str,
    /// Name of the mechanical repair, where there is one.
    pub fix: Option<&'static str>,
}

/// Where a limit is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SourceKind {
    /// The vendor's documentation.
    Documentation,
    /// The client's own error, quoted in a public report.
    ErrorText,
    /// The client's source code.
    Source,
    /// Somebody's account.
    SecondHand,
}

impl SourceKind {
    /// As tables name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::Documentation => "documentation",
            SourceKind::ErrorText => "error text",
            SourceKind::Source => "source code",
            SourceKind::SecondHand => "second hand",
        }
    }

    /// How sure a finding can be that rests on it.
    #[must_use]
    pub fn confidence(self) -> Confidence {
        match self {
            SourceKind::Documentation | SourceKind::Source => Confidence::High,
            SourceKind::ErrorText => Confidence::Medium,
            SourceKind::SecondHand => Confidence::Low,
        }
    }
}

/// Why a file is no profile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ProfileError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub message: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    name: String,
    title: String,
    about: String,
    observed: Day,
    #[serde(default)]
    extends: Vec<String>,
    limits: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    id: String,
    check: Value,
    severity: Level,
    impact: Reach,
    observed: Option<Day>,
    kind: SourceKind,
    sources: Vec<String>,
    summary: String,
    why: String,
    help: String,
    fix: Option<String>,
}

/// YAML reads a plain date as a timestamp.
#[derive(Deserialize)]
#[serde(untagged)]
enum Day {
    Plain {
        #[serde(rename = "!timestamp")]
        text: String,
    },
    Quoted(String),
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Level {
    Error,
    Warning,
    Info,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Reach {
    Tool,
    Server,
    Request,
    Constraint,
    Agent,
}

/// Read the profile in `text`, which should be called `name`.
///
/// # Errors
/// With its place: what is no YAML, members that are missing or unknown, unknown checks and
/// repairs, a pattern that does not compile, two limits of one id.
pub fn load(name: &str, text: &str) -> Result<Profile, ProfileError> {
    let loaded =
        yaml::read(text).map_err(|e| ProfileError { line: e.line, column: e.column, message: e.message })?;
    let at = |pointer: &str, message: String| {
        let (line, column) = loaded.place(pointer);
        ProfileError { line, column, message }
    };
    // A word that nobody knows stands at a key; everything else that is wrong, at a value.
    let misread = |pointer: &str, value: &Value, message: String| {
        let word = message.split('`').nth(1).filter(|_| message.starts_with("unknown"));
        match word.filter(|word| value.get(*word).is_some()) {
            Some(word) => {
                let (line, column) = loaded.key_place(&pointer::child(pointer, word));
                ProfileError { line, column, message }
            }
            None => at(pointer, message),
        }
    };
    let head: Head = typed(&loaded.value).map_err(|e| misread("", &loaded.value, e))?;
    if head.name != name {
        return Err(at("/name", format!("the profile calls itself `{}`, its file `{name}`", head.name)));
    }
    for (i, base) in head.extends.iter().enumerate() {
        let mut names = super::FILES.iter().map(|(name, _)| *name);
        if names.clone().all(|known| known != base) {
            return Err(at(&format!("/extends/{i}"), suggest::unknown("profile", base, &mut names)));
        }
    }
    let observed: &'static str = head.observed.date().map_err(|e| at("/observed", e))?.leak();
    let mut limits: Vec<Limit> = Vec::new();
    for (i, value) in head.limits.iter().enumerate() {
        let place = format!("/limits/{i}");
        let mut entry: Entry = typed(value).map_err(|e| misread(&place, value, e))?;
        let check =
            check(&entry.check).map_err(|e| misread(&pointer::child(&place, "check"), &entry.check, e))?;
        if let Some(fix) = entry.fix.as_deref().filter(|fix| !REPAIRS.contains(fix)) {
            let message = suggest::unknown("repair", fix, REPAIRS.iter().copied());
            return Err(at(&pointer::child(&place, "fix"), message));
        }
        if entry.sources.iter().all(|source| source.trim().is_empty()) {
            let message = "`sources` says where the limit is known from: one address at least";
            return Err(at(&pointer::child(&place, "sources"), message.to_string()));
        }
        let own = entry.observed.take().map(Day::date).transpose();
        let own = own.map_err(|e| at(&pointer::child(&place, "observed"), e))?;
        let observed = own.map_or(observed, |day| &*day.leak());
        let limit = limit(name, observed, entry, check).map_err(|e| at(&place, e))?;
        if limits.iter().any(|l| l.rule == limit.rule) {
            return Err(at(&place, format!("two limits are called {}", limit.rule)));
        }
        limits.push(limit);
    }
    Ok(Profile {
        name: head.name.leak(),
        title: head.title.leak(),
        about: head.about.leak(),
        observed,
        extends: head.extends.into_iter().map(|e| &*e.leak()).collect(),
        limits,
    })
}

/// What the limit demands: one check by its name, with its settings.
fn check(value: &Value) -> Result<Check, String> {
    let check = typed(value).map_err(|e| match e.strip_prefix("unknown variant ") {
        // A setting of a check can have an unknown value, too.
        Some(rest) if is_named(value, rest) => format!("unknown limit {rest}"),
        _ => e,
    })?;
    if let Check::NamePattern { pattern } | Check::PropertyKeys { pattern, .. } = &check {
        regex::Regex::new(pattern).map_err(|e| format!("the pattern does not compile: {e}"))?;
    }
    Ok(check)
}

/// Whether serde's message, which begins with a word in backquotes, is about the name of the check.
fn is_named(value: &Value, message: &str) -> bool {
    let word = message.split('`').nth(1).unwrap_or_default();
    value.as_str() == Some(word) || value.get(word).is_some()
}

fn limit(profile: &str, observed: &'static str, entry: Entry, check: Check) -> Result<Limit, String> {
    let plain = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '-';
    if entry.id.is_empty() || !entry.id.chars().all(plain) {
        return Err(format!("the id `{}` is not in capitals, digits and hyphens", entry.id));
    }
    let sources: Vec<&'static str> = entry.sources.into_iter().map(|s| &*s.leak()).collect();
    Ok(Limit {
        rule: format!("MCP-COMPAT-{}-{}", profile.to_ascii_uppercase(), entry.id).leak(),
        check,
        severity: entry.severity.into(),
        impact: entry.impact.into(),
        observed,
        kind: entry.kind,
        sources: sources.leak(),
        summary: entry.summary.leak(),
        why: entry.why.leak(),
        help: entry.help.leak(),
        fix: entry.fix.map(|f| &*f.leak()),
    })
}

/// Serde's message, with a guess at what an unknown word was meant to be.
fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, String> {
    T::deserialize(value).map_err(|e| {
        let message = e.to_string();
        let mut quoted = message.split('`').skip(1).step_by(2);
        let near = quoted.next().and_then(|typed| suggest::closest(typed, quoted));
        match near {
            Some(near) if message.starts_with("unknown") => {
                let first = message.split(", expected").next().unwrap_or_default();
                format!("{first}: did you mean `{near}`?")
            }
            _ => message,
        }
    })
}

impl Day {
    /// The date, if there is such a day.
    fn date(self) -> Result<String, String> {
        let (Day::Plain { text } | Day::Quoted(text)) = self;
        match is_date(&text) {
            true => Ok(text),
            false => Err(format!("`observed` is a date such as 2026-11-30, not `{text}`")),
        }
    }
}

impl From<Level> for Severity {
    fn from(level: Level) -> Self {
        match level {
            Level::Error => Severity::Error,
            Level::Warning => Severity::Warning,
            Level::Info => Severity::Info,
        }
    }
}

impl From<Reach> for Impact {
    fn from(reach: Reach) -> Self {
        match reach {
            Reach::Tool => Impact::Tool,
            Reach::Server => Impact::Server,
            Reach::Request => Impact::Request,
            Reach::Constraint => Impact::Constraint,
            Reach::Agent => Impact::Agent,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "name: my\ntitle: Mine\nabout: Mine.\nobserved: 2026-11-01\nlimits:\n\
        - id: A\n  check: {name-length: {max: 3}}\n  severity: error\n  impact: tool\n  kind: source\n  \
        sources: [x]\n  summary: s\n  why: w\n  help: h\n";

    #[test]
    fn a_profile_is_read() {
        let profile = load("my", GOOD).unwrap();
        assert_eq!((profile.name, profile.observed), ("my", "2026-11-01"));
        assert_eq!(profile.limits[0].rule, "MCP-COMPAT-MY-A");
        assert_eq!(profile.limits[0].check, Check::NameLength { max: 3, prefix: None });
    }

    #[test]
    fn what_is_wrong_has_a_place_and_a_guess() {
        let fails = |from: &str, to: &str| load("my", &GOOD.replace(from, to)).unwrap_err();
        let e = fails("name-length", "name-lenght");
        assert_eq!((e.line, e.column), (7, 11), "of the limit's name");
        assert_eq!(e.message, "unknown limit `name-lenght`: did you mean `name-length`?");
        let e = fails("{name-length: {max: 3}}", "no-tools-on-mondays");
        assert_eq!((e.line, e.column), (7, 10));
        assert!(e.message.starts_with("unknown limit `no-tools-on-mondays`, expected one of `name-pattern`"));
        let e = fails("{max: 3}", "{maxx: 3}");
        assert!(e.message.starts_with("unknown field `maxx`"), "{}", e.message);
        let e = fails("{name-length: {max: 3}}", "{root-type: {of: inputt}}");
        assert_eq!(e.message, "unknown variant `inputt`: did you mean `input`?");
        for day in ["2026-99-01", "2026-02-29", "yesterday"] {
            let e = fails("2026-11-01", day);
            assert_eq!(
                (e.line, e.message),
                (4, format!("`observed` is a date such as 2026-11-30, not `{day}`"))
            );
        }
        let e = fails("sources: [x]", "sources: []");
        assert_eq!((e.line, e.message.starts_with("`sources` says where")), (11, true), "{}", e.message);
        let e = fails("limits:", "extends: [opnai]\nlimits:");
        assert_eq!((e.line, e.column), (5, 11));
        assert_eq!(e.message, "unknown profile `opnai`: did you mean `openai`?");
        let e = fails("limits:", "limit: 3\nlimits:");
        assert_eq!((e.line, e.column), (5, 1));
        let e = fails("summary", "sumary");
        assert_eq!(e.message, "unknown field `sumary`: did you mean `summary`?");
        assert_eq!((e.line, e.column), (12, 3));
        let e = fails("help: h\n", "help: h\n  fix: add-item\n");
        assert_eq!((e.line, e.column), (15, 8));
        assert_eq!(e.message, "unknown repair `add-item`: did you mean `add-items`?");
        assert!(fails("max: 3", "max: -3").message.contains("invalid value"));
        assert!(fails("name: my", "name: yours").message.contains("calls itself `yours`"));
        assert_eq!(fails("title: Mine\n", "title: [\n").line, 4);
    }
}
