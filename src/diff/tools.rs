//! The tools of two releases: which is which, and what changed in each.

use super::search::Effort;
use super::texts::{self, TextChange};
use super::{Change, Class, Options, clients, hints, meaning, poison, schemas};
use crate::manifest::{Manifest, Tool};
use crate::rules::{diff as of_diff, say};
use crate::threads;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Changed tools that get all of a search, those after them that get a little, and the rest none: the
/// algebra alone speaks there.
const MANY: usize = 200;
const VERY_MANY: usize = 1_000;

/// Everything that changed from `old` to `new`, server by server.
pub(super) fn compare(old: &Manifest, new: &Manifest, options: &Options) -> Vec<Change> {
    let pairs = Pairs::of(old, new);
    let mut changes = Vec::new();
    pairs.gone_and_come(old, new, &mut changes);
    let efforts = (0..pairs.changed.len()).map(|i| match i {
        0..MANY => Effort::FULL,
        MANY..VERY_MANY => Effort::LITTLE,
        _ => Effort::NONE,
    });
    let work: Vec<_> = pairs.changed.iter().zip(efforts).collect();
    let each = threads::each(&work, |((old, new), effort)| tool(old, new, *effort));
    changes.extend(each.into_iter().flatten());
    listing(old, new, &mut changes);
    let before = pairs.changed.iter().map(|(old, new)| (new.index, old.index)).collect();
    changes.extend(poison::compare(old, new, &pairs.news(), &before));
    changes.extend(clients::compare(old, new, &pairs.news(), options));
    changes
}

/// Which tool of the old release is which of the new one.
struct Pairs<'m> {
    /// Same name, something differs.
    changed: Vec<(&'m Tool, &'m Tool)>,
    gone: Vec<&'m Tool>,
    come: Vec<&'m Tool>,
}

impl<'m> Pairs<'m> {
    /// By name; tools of one name (there should be one) in their order.
    fn of(old: &'m Manifest, new: &'m Manifest) -> Pairs<'m> {
        let mut by_name: BTreeMap<Option<&str>, Vec<&Tool>> = BTreeMap::new();
        for tool in new.tools.iter().rev() {
            by_name.entry(tool.name()).or_default().push(tool);
        }
        let mut pairs = Pairs { changed: Vec::new(), gone: Vec::new(), come: Vec::new() };
        for tool in &old.tools {
            match by_name.get_mut(&tool.name()).and_then(Vec::pop) {
                Some(same) if same.value != tool.value || same.defects != tool.defects => {
                    pairs.changed.push((tool, same));
                }
                Some(_) => {}
                None => pairs.gone.push(tool),
            }
        }
        pairs.come = by_name.into_values().flatten().collect();
        pairs.come.sort_by_key(|tool| tool.index);
        pairs
    }

    /// Positions of every tool of the new release that is new or changed, with whether it is new.
    fn news(&self) -> BTreeMap<usize, bool> {
        let changed = self.changed.iter().map(|(_, new)| (new.index, false));
        changed.chain(self.come.iter().map(|new| (new.index, true))).collect()
    }

    fn gone_and_come(&self, old: &'m Manifest, new: &'m Manifest, out: &mut Vec<Change>) {
        let names =
            |listing: &'m Manifest| listing.tools.iter().filter_map(Tool::name).collect::<BTreeSet<_>>();
        let (before, now) = (names(old), names(new));
        let is_among =
            |names: &BTreeSet<&str>, tool: &Tool| tool.name().is_some_and(|name| names.contains(name));
        let (second, mut come): (Vec<&Tool>, Vec<&Tool>) =
            self.come.iter().partition(|tool| is_among(&before, tool));
        for tool in &self.gone {
            if is_among(&now, tool) {
                let message = format!(
                    "one of the tools called {} is gone: a call by that name reaches what is left",
                    say::quoted(tool.name().unwrap_or_default())
                );
                let change = Change::new(Class::Warning, &of_diff::TOOL_REMOVED, tool.pointer(), message);
                out.push(of_tool(change, tool));
                continue;
            }
            let name = tool
                .name()
                .map_or_else(|| "a tool without a name".to_string(), |n| format!("tool {}", say::quoted(n)));
            // Looking for the new name of each of thousands of tools would cost the square of their number.
            let heir = (come.len() <= MANY).then(|| come.iter().position(|to| is_rename(tool, to))).flatten();
            let change = match heir.map(|at| come.remove(at)) {
                Some(to) => Change::new(
                    Class::Breaking,
                    &of_diff::TOOL_RENAMED,
                    to.pointer(),
                    format!(
                        "{name} is gone; {} looks like its new name",
                        say::quoted(to.name().unwrap_or_default())
                    ),
                ),
                None => Change::new(
                    Class::Breaking,
                    &of_diff::TOOL_REMOVED,
                    tool.pointer(),
                    format!("{name} is gone"),
                ),
            };
            out.push(of_tool(change, tool));
        }
        for tool in second {
            let message = format!(
                "another tool is called {} now: a call by that name may reach either of them",
                say::quoted(tool.name().unwrap_or_default())
            );
            let change = Change::new(Class::Breaking, &of_diff::TOOL_ADDED, tool.pointer(), message);
            out.push(of_tool(change, tool));
        }
        for tool in come {
            let message = format!(
                "tool {} is new: {} now, {} before",
                say::quoted(tool.name().unwrap_or_default()),
                say::count(new.tools.len(), "tool"),
                old.tools.len()
            );
            out.push(of_tool(
                Change::new(Class::Additive, &of_diff::TOOL_ADDED, tool.pointer(), message),
                tool,
            ));
        }
    }
}

fn of_tool(mut change: Change, tool: &Tool) -> Change {
    change.tool = tool.name().map(str::to_string);
    change
}

/// Whether `to` is most likely `from` under another name: the same description, or the same parameters where
/// there is more than one of them.
fn is_rename(from: &Tool, to: &Tool) -> bool {
    let text = |tool: &Tool| {
        let text = tool.value.get("description").and_then(Value::as_str).map(texts::collapsed);
        text.filter(|t| !t.is_empty())
    };
    let parameters = |tool: &Tool| {
        tool.input_schema()
            .and_then(|s| s.get("properties"))
            .and_then(Value::as_object)
            .map_or(0, serde_json::Map::len)
    };
    let same_schema = || from.input_schema().map(meaning::of) == to.input_schema().map(meaning::of);
    text(from).is_some() && text(from) == text(to) || parameters(from) > 1 && same_schema()
}

/// What changed in one tool.
fn tool(old: &Tool, new: &Tool, effort: Effort) -> Vec<Change> {
    let (at, name) = (new.pointer(), new.name().unwrap_or_default());
    let mut changes = Vec::new();
    let below = |field: &str| match new.value.get(field) {
        Some(_) => format!("{at}/{field}"),
        None => at.clone(),
    };
    let schema = |tool: &'_ Tool, field: &str| tool.value.get(field).filter(|v| !v.is_null()).cloned();
    for field in ["inputSchema", "outputSchema"] {
        let compare = if field == "inputSchema" { schemas::input } else { schemas::output };
        let pair = (schema(old, field), schema(new, field));
        // A promise that is gone is spoken of where it would stand.
        let place = format!("{at}/{field}");
        changes.extend(compare(pair.0.as_ref(), pair.1.as_ref(), &place, name, effort));
    }
    changes.extend(hints::compare(&old.value, &new.value, &at));
    changes.extend(hints::tasks(&old.value, &new.value, &at));
    for (field, what) in [("description", "the description"), ("title", "the title")] {
        let (was, is) = (text_of(old, field), text_of(new, field));
        let change = texts::compare_sets(&was, &is);
        if change != TextChange::None {
            changes.push(texts::change(change, below(field), what, &was, &is));
        }
    }
    changes.extend(other_fields(old, new, &at));
    changes.into_iter().map(|change| of_tool(change, new)).collect()
}

/// A text of the tool itself; the title that clients show, if it says more than the name.
fn text_of(tool: &Tool, field: &str) -> BTreeSet<String> {
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_string);
    let stated = text(tool.value.get(field));
    let shown = match field {
        "title" => stated
            .or_else(|| text(tool.value.get("annotations").and_then(|a| a.get("title"))))
            .filter(|title| !texts::is_name(title, tool.name().unwrap_or_default())),
        _ => stated,
    };
    shown.into_iter().collect()
}

/// Fields that only some hosts read.
fn other_fields(old: &Tool, new: &Tool, at: &str) -> Option<Change> {
    const KNOWN: &[&str] =
        &["name", "title", "description", "inputSchema", "outputSchema", "annotations", "execution"];
    let fields = |tool: &Tool| -> BTreeMap<String, String> {
        let members = tool.value.as_object().into_iter().flatten();
        let other = members.filter(|(k, v)| !KNOWN.contains(&k.as_str()) && !v.is_null());
        other.map(|(k, v)| (k.clone(), meaning::sorted_text(v))).collect()
    };
    let (was, is) = (fields(old), fields(new));
    let names: BTreeSet<String> =
        was.keys().chain(is.keys()).filter(|k| was.get(*k) != is.get(*k)).cloned().collect();
    if names.is_empty() {
        return None;
    }
    let list = say::quoted_list(&names, 5);
    let message = format!("{list} changed, which only some hosts read");
    Some(Change::new(Class::Warning, &of_diff::META, at, message))
}

/// What the listing says beside its tools.
fn listing(old: &Manifest, new: &Manifest, out: &mut Vec<Change>) {
    let set = |m: &Manifest| -> BTreeSet<String> { m.instructions.iter().cloned().collect() };
    let (was, is) = (set(old), set(new));
    let change = texts::compare_sets(&was, &is);
    // A file that has no instructions may only not hold them.
    if change != TextChange::None && !was.is_empty() && !is.is_empty() {
        out.push(texts::change(change, "/instructions".to_string(), "the server's instructions", &was, &is));
    }
    let prompts = |m: &Manifest| -> BTreeSet<String> { m.prompts.iter().map(meaning::sorted_text).collect() };
    let (was, is) = (prompts(old), prompts(new));
    if was != is && !was.is_empty() && !is.is_empty() {
        let message = format!("the prompts changed: {} before, {} now", was.len(), is.len());
        out.push(Change::new(Class::Routing, &of_diff::DESCRIPTION, "/prompts", message));
    }
}
