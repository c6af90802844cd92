//! How a message names a place in a schema: the parameter that a person would recognise.

use crate::rules::{SchemaSite, say};
use crate::schema::reach::Step;
use serde_json::Value;

/// "`filter.tags[]`" for the values that the subschema `node` constrains, "the arguments" (or "the
/// output") for the root; a definition that nothing uses by its pointer.
#[must_use]
pub fn name(site: &SchemaSite<'_>, node: usize) -> String {
    match path(site, node) {
        Some(path) if path.is_empty() => whole(site).to_string(),
        Some(path) => say::quoted(&path),
        None => say::quoted(site.view.nodes().get(node).map_or("", |n| n.pointer.as_str())),
    }
}

/// "the arguments" or "the output".
#[must_use]
pub fn whole(site: &SchemaSite<'_>) -> &'static str {
    if site.is_input { "the arguments" } else { "the output" }
}

fn path(site: &SchemaSite<'_>, node: usize) -> Option<String> {
    let mut path = String::new();
    for (_, step) in site.view.reach().way(node)? {
        let key = match step {
            Step::Same | Step::Inverse => continue,
            Step::Item(i) => {
                path.push_str(&format!("[{i}]"));
                continue;
            }
            Step::ItemBehind(_) => {
                path.push_str("[]");
                continue;
            }
            Step::Key(key) => key,
            Step::KeyLike(pattern) => format!("/{pattern}/"),
            Step::OtherKey => "*".to_string(),
            Step::Name => "(key)".to_string(),
        };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(&key);
    }
    Some(path)
}

/// A JSON value in one line of text, shortened to what a message can bear.
#[must_use]
pub fn value(value: &Value) -> String {
    say::quoted(&value.to_string())
}

/// Keywords that conflict, in words: "`minimum` and `maximum`", "`type` and the `type` in `/allOf/0`".
/// `at` is the pointer of the schema that the sentence is about.
#[must_use]
pub fn conflict(at: &str, parts: &[(String, Vec<String>)]) -> String {
    // The algebra names `type` beside any pair of keywords about that type: true, and noise.
    let is_noise = |(pointer, keywords): &(String, Vec<String>)| {
        matches!(keywords.as_slice(), [only] if only == "type")
            && parts.iter().any(|(p, k)| p == pointer && k.len() > 1)
    };
    let mut items: Vec<String> = Vec::new();
    for (pointer, keywords) in parts.iter().filter(|p| !is_noise(p)) {
        match (pointer.as_str() == at, keywords.is_empty()) {
            (true, _) => items.extend(keywords.iter().map(|k| say::quoted(k))),
            (false, true) => items.push(say::quoted(below(at, pointer))),
            (false, false) => {
                let keywords: Vec<String> = keywords.iter().map(|k| say::quoted(k)).collect();
                items.push(format!("{} in {}", say::list(&keywords, 4), say::quoted(below(at, pointer))));
            }
        }
    }
    say::list(&items, 6)
}

fn below<'p>(at: &str, pointer: &'p str) -> &'p str {
    pointer.strip_prefix(at).filter(|rest| rest.starts_with('/')).unwrap_or(pointer)
}
