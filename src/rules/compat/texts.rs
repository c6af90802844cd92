//! Limits on what a tool says of itself: name, description, title, hints.

use super::Report;
use crate::finding::{Part, Severity};
use crate::profile::{Check, Unit};
use crate::rules::{ManifestView, ToolView, say};
use regex::Regex;
use serde_json::Value;

/// A server's name has rarely fewer characters; a tool's name that leaves less room is worth a word.
const SHORT_SERVER_NAME: usize = 12;

pub(super) fn check(
    check: &Check,
    tool: &ToolView<'_>,
    manifest: &ManifestView<'_>,
    out: &mut Report<'_, '_>,
) {
    let value = &tool.tool.value;
    match check {
        Check::NamePattern { pattern } => name_pattern(pattern, tool, out),
        Check::NameLength { max, prefix: None } => {
            let Some(name) = tool.tool.name() else { return };
            let length = name.chars().count();
            if length > *max {
                let message = format!(
                    "{} has {length} characters, {} more than the {max} allowed",
                    say::quoted(name),
                    length - max
                );
                out.emit(tool.at("/name"), message).evidence = Some(name.to_string());
            }
        }
        Check::NameLength { max, prefix: Some(prefix) } => prefixed_name(*max, prefix, tool, manifest, out),
        Check::DescriptionLength { max, unit, .. } => {
            if let Some(Value::String(text)) = value.get("description") {
                too_long(text, *max, *unit, &tool.at("/description"), "the description", out);
            }
        }
        Check::DescriptionNotEmpty if value.get("description").and_then(Value::as_str) == Some("") => {
            out.emit(tool.at("/description"), format!("{} has an empty description", say::tool(tool)));
        }
        Check::ExplicitHints { hints, any } => explicit_hints(hints, *any, tool, out),
        Check::TitleMember => {
            let titled = |v: Option<&Value>| v.and_then(Value::as_str).is_some_and(|t| !t.trim().is_empty());
            if !titled(value.get("title")) && !titled(value.pointer("/annotations/title")) {
                out.emit(tool.at(""), format!("{} has no title", say::tool(tool)));
            }
        }
        _ => {}
    }
}

fn name_pattern(pattern: &str, tool: &ToolView<'_>, out: &mut Report<'_, '_>) {
    let Some(name) = tool.tool.name().filter(|n| !n.is_empty()) else { return };
    let Some(regex) = out.pattern else { return };
    if regex.is_match(name) {
        return;
    }
    let message = format!("{} does not match `^{pattern}$`{}", say::quoted(name), culprit(name, regex));
    let finding = out.emit(tool.at("/name"), message);
    finding.evidence = Some(name.to_string());
}

/// The first character that fails by itself, if one does.
pub(super) fn culprit(name: &str, regex: &Regex) -> String {
    // `a` is a letter everywhere: in front of a character it lets digits and hyphens stand.
    let fails = |c: &char| !regex.is_match(&format!("a{c}"));
    match name.chars().find(fails) {
        Some(' ') => " (it holds a blank)".to_string(),
        Some(c) if c.is_control() => format!(" (it holds {})", c.escape_unicode()),
        Some(c) => format!(" (it holds `{c}`)"),
        None => String::new(),
    }
}

fn prefixed_name(
    max: usize,
    prefix: &str,
    tool: &ToolView<'_>,
    manifest: &ManifestView<'_>,
    out: &mut Report<'_, '_>,
) {
    let Some(name) = tool.tool.name() else { return };
    let fixed = prefix.replace("{server}", "").chars().count();
    let length = name.chars().count() + fixed;
    if let Some(server) = manifest.manifest.server.as_deref().filter(|s| !s.is_empty()) {
        let whole = length + server.chars().count();
        if whole > max {
            let message = format!(
                "{} and the server's name {} make {whole} characters, {} more than the {max} allowed",
                say::quoted(name),
                say::quoted(server),
                whole - max
            );
            out.emit(tool.at("/name"), message).evidence = Some(name.to_string());
        }
    } else if length + SHORT_SERVER_NAME > max {
        let room = max.saturating_sub(length);
        let message =
            format!("{} leaves {room} of {max} characters for the server's name", say::quoted(name));
        let finding = out.emit(tool.at("/name"), message);
        finding.evidence = Some(name.to_string());
        if room > 0 {
            // Which name the server gets, its user decides.
            finding.severity = Severity::Info;
        }
    }
}

/// A finding if `text` is longer than `max`, at the part that is beyond it.
pub(super) fn too_long(text: &str, max: usize, unit: Unit, at: &str, what: &str, out: &mut Report<'_, '_>) {
    let (length, units) = match unit {
        Unit::Characters => (text.chars().count(), "characters"),
        Unit::Bytes => (text.len(), "bytes"),
    };
    if length <= max {
        return;
    }
    let from = match unit {
        Unit::Characters => text.char_indices().nth(max).map_or(text.len(), |(at, _)| at),
        Unit::Bytes => (0..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0),
    };
    let lost: String = text.get(from..).unwrap_or_default().chars().take(60).collect();
    let message = format!(
        "{what} has {length} {units}, {} more than the {max} allowed; the rest begins at {}",
        length - max,
        say::quoted(lost.trim())
    );
    let finding = out.emit(at, message);
    finding.part = Part::Range(from..text.len());
    finding.evidence = Some(lost);
}

fn explicit_hints(hints: &[String], any: bool, tool: &ToolView<'_>, out: &mut Report<'_, '_>) {
    let annotations = tool.tool.value.get("annotations");
    let is_set =
        |hint: &&String| annotations.and_then(|a| a.get(hint.as_str())).is_some_and(Value::is_boolean);
    let missing: Vec<String> = hints.iter().filter(|h| !is_set(h)).map(|h| say::quoted(h)).collect();
    if missing.is_empty() || any && missing.len() < hints.len() {
        return;
    }
    let at = if annotations.is_some() { tool.at("/annotations") } else { tool.at("") };
    let which = if any { missing.join(" nor ") } else { say::list(&missing, 9) };
    let word = if any { "sets neither" } else { "does not set" };
    out.emit(at, format!("{} {word} {which} to true or false", say::tool(tool)));
}
