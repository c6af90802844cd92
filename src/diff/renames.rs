//! Which name that is new is one that is gone: the same schema, and the same description or names that are alike.

use super::places::Place;
use super::{meaning, texts};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of names that are held against each other letter by letter in one place; beyond them only names that are
/// equal but for case and separators count as alike.
const MAX_PAIRS: usize = 40_000;

/// What is compared of a name.
struct Known<'n> {
    name: &'n str,
    /// The schema without its texts.
    meaning: String,
    text: Option<String>,
    bare: String,
}

impl<'n> Known<'n> {
    fn of(place: &Place<'_>, name: &'n str) -> Option<Known<'n>> {
        let member = place.member(name);
        let schema = member.all.first()?.schema;
        Some(Known {
            name,
            meaning: meaning::key(schema),
            text: schema.get("description").and_then(Value::as_str).map(texts::collapsed),
            bare: bare(name),
        })
    }
}

/// For each of `gone` (names in `old`), the one of `come` (names in `new`) that it most likely has now.
pub(super) fn of<'n>(
    old: &Place<'_>,
    gone: &[&str],
    new: &Place<'_>,
    come: &[&'n str],
) -> Vec<Option<&'n str>> {
    if gone.is_empty() || come.is_empty() {
        return gone.iter().map(|_| None).collect();
    }
    let gone: Vec<Option<Known<'_>>> = gone.iter().map(|name| Known::of(old, name)).collect();
    let come: Vec<Known<'n>> = come.iter().filter_map(|name| Known::of(new, name)).collect();
    let (mut by_text, mut by_name, mut by_meaning) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    for (i, known) in come.iter().enumerate() {
        by_meaning.entry(&known.meaning).or_insert_with(Vec::new).push(i);
        by_name.entry((&known.meaning, &known.bare)).or_insert_with(Vec::new).push(i);
        if let Some(text) = &known.text {
            by_text.entry((&known.meaning, text)).or_insert_with(Vec::new).push(i);
        }
    }
    let (mut taken, mut pairs_left) = (BTreeSet::new(), MAX_PAIRS);
    let mut found = Vec::with_capacity(gone.len());
    for from in &gone {
        let Some(from) = from else {
            found.push(None);
            continue;
        };
        let of_text = from.text.as_ref().and_then(|text| by_text.get_mut(&(&from.meaning, text)));
        let of_name = by_name.get_mut(&(&from.meaning, &from.bare)).filter(|_| !from.bare.is_empty());
        let mut at = [of_text, of_name].into_iter().flatten().find_map(|list| next(list, &taken));
        let list = by_meaning.get(&from.meaning).filter(|list| at.is_none() && list.len() <= pairs_left);
        if let Some(list) = list {
            pairs_left -= list.len();
            let is_alike = |to: &Known<'_>| are_alike(&from.bare, &to.bare);
            at = list.iter().copied().find(|i| !taken.contains(i) && come.get(*i).is_some_and(is_alike));
        }
        taken.extend(at);
        found.push(at.and_then(|i| come.get(i)).map(|to| to.name));
    }
    found
}

/// The first of `list` that is not taken; those that are leave it, so that each is looked at once.
fn next(list: &mut Vec<usize>, taken: &BTreeSet<usize>) -> Option<usize> {
    let at = list.iter().position(|i| !taken.contains(i)).unwrap_or(list.len());
    list.drain(..at);
    list.first().copied()
}

fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn are_alike(one: &str, two: &str) -> bool {
    !one.is_empty() && !two.is_empty() && (one.contains(two) || two.contains(one))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn renames(old: &Value, new: &Value) -> Vec<Option<String>> {
        let (old, new) = (Place::root(old), Place::root(new));
        let found = of(&old, &old.names(), &new, &new.names());
        found.into_iter().map(|name| name.map(str::to_string)).collect()
    }

    #[test]
    fn by_text_by_name_or_by_a_part_of_it() {
        let old = json!({"properties": {"query": {"type": "string", "description": "What to look for."},
            "maxItems": {"type": "integer"}, "user": {"type": "string"}, "at": {"type": "number"}}});
        let new = json!({"properties": {"user_id": {"type": "string"}, "max_items": {"type": "integer"},
            "q": {"description": "What  to look for.", "type": "string"}, "when": {"type": "number"}}});
        let expected = ["q", "max_items", "user_id"].map(|n| Some(n.to_string()));
        assert_eq!(renames(&old, &new)[..3], expected);
        assert_eq!(renames(&old, &new)[3], None);
    }

    #[test]
    fn each_new_name_is_given_once() {
        let old = json!({"properties": {"a": {"description": "Same."}, "b": {"description": "Same."}, "c": {"description": "Same."}}});
        let new = json!({"properties": {"x": {"description": "Same."}, "y": {"description": "Same."}}});
        assert_eq!(renames(&old, &new), [Some("x".to_string()), Some("y".to_string()), None]);
        assert_eq!(
            renames(&old, &json!({"properties": {"x": {"type": "null", "description": "Same."}}})),
            [None, None, None]
        );
    }
}
