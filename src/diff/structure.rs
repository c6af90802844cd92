//! What inclusion cannot see: declared names, defaults, formats, headers and texts, place by place.

use super::places::{self, Place};
use super::texts::{self, TextChange};
use super::{Change, Class, renames};
use crate::pointer;
use crate::rules::{diff as rules, say};
use serde_json::Value;
use std::collections::BTreeSet;

/// Places that are compared in one schema.
const MAX_PLACES: usize = 5_000;
const MAX_DEPTH: usize = 24;

/// A declared name that is gone, or new.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    /// Pointer in an instance.
    pub instance: String,
    /// Pointer in the schema that declares it.
    pub pointer: String,
    /// Instance pointer of the name that it most likely has now, or had.
    pub renamed: Option<String>,
}

impl Named {
    pub fn shown(&self) -> String {
        say::quoted(&places::path(&self.instance))
    }
}

/// What differs between two schemas, place by place.
#[derive(Debug, Default)]
pub(super) struct Structure {
    pub removed: Vec<Named>,
    pub added: Vec<Named>,
    /// Pointers are those of the new schema.
    pub changes: Vec<Change>,
}

impl Structure {
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty() && self.changes.is_empty()
    }
}

/// Compare what `old` and `new` declare. `is_input`: arguments, not results.
pub(super) fn compare(old: &Value, new: &Value, is_input: bool) -> Structure {
    let mut walk = Walk { out: Structure::default(), seen: BTreeSet::new(), is_input };
    walk.places(&Place::root(old), &Place::root(new), "", 0);
    walk.out
}

struct Walk {
    out: Structure,
    seen: BTreeSet<(Vec<String>, Vec<String>)>,
    is_input: bool,
}

impl Walk {
    fn places(&mut self, old: &Place<'_>, new: &Place<'_>, at: &str, depth: usize) {
        let pointers = |place: &Place<'_>| place.all.iter().map(|at| at.pointer.clone()).collect::<Vec<_>>();
        let key = (pointers(old), pointers(new));
        if depth > MAX_DEPTH || self.seen.len() >= MAX_PLACES || !self.seen.insert(key) {
            return;
        }
        self.annotations(old, new, at);
        let (before, after) = (old.names(), new.names());
        let after_set: BTreeSet<&str> = after.iter().copied().collect();
        let before_set: BTreeSet<&str> = before.iter().copied().collect();
        let gone: Vec<&str> = before
            .iter()
            .copied()
            .filter(|n| !after_set.contains(n) && new.may_be_object())
            // A list of names with none on it is no leave to send whatever one likes.
            .filter(|n| !new.declares(n) || new.is_free() && new.values("properties").next().is_some())
            .collect();
        // What was demanded without a word of what it is was there before.
        let demanded = old.demanded();
        let is_new = |n: &&str| !before_set.contains(n) && !demanded.contains(n) && old.may_be_object();
        let come: Vec<&str> = after.iter().copied().filter(is_new).collect();
        let targets = renames::of(old, &gone, new, &come);
        for (name, target) in gone.iter().zip(&targets) {
            self.out.removed.push(named(old, at, name, *target));
        }
        let targets: BTreeSet<&str> = targets.into_iter().flatten().collect();
        for name in come {
            let mut added = named(new, at, name, None);
            added.renamed = targets.contains(name).then(String::new);
            self.out.added.push(added);
        }
        for name in before.iter().copied().filter(|n| after_set.contains(n)) {
            self.places(&old.member(name), &new.member(name), &pointer::child(at, name), depth + 1);
        }
        let (old_items, new_items) = (old.items(), new.items());
        if !old_items.all.is_empty() && !new_items.all.is_empty() {
            self.places(&old_items, &new_items, &pointer::index(at, 0), depth + 1);
        }
    }

    fn annotations(&mut self, old: &Place<'_>, new: &Place<'_>, at: &str) {
        let here = new.all.first().map(|at| at.pointer.clone()).unwrap_or_default();
        let place = match places::path(at) {
            path if path.is_empty() => if self.is_input { "the arguments" } else { "the result" }.to_string(),
            path => say::quoted(&path),
        };
        for (keyword, rule) in [
            ("default", &rules::DEFAULT),
            ("format", &rules::FORMAT),
            ("contentEncoding", &rules::FORMAT),
            ("contentMediaType", &rules::FORMAT),
        ] {
            let (was, is) = (set(old, keyword), set(new, keyword));
            // A default of null says that there is none.
            let says = |set: &BTreeSet<String>| set.iter().any(|v| v != "null");
            if was == is || keyword == "default" && !says(&was) && !says(&is) {
                continue;
            }
            let pointer = if is.is_empty() { here.clone() } else { pointer::child(&here, keyword) };
            let message = format!("`{keyword}` of {place} {}", from_to(&was, &is));
            self.out.changes.push(Change::new(Class::Warning, rule, pointer, message));
        }
        if self.is_input {
            self.header(old, new, &here, &place);
        }
        self.texts(old, new, at, &here, &place);
    }

    fn header(&mut self, old: &Place<'_>, new: &Place<'_>, here: &str, place: &str) {
        let headers = |p: &Place<'_>| -> BTreeSet<String> {
            p.values("x-mcp-header").filter_map(Value::as_str).map(str::to_ascii_lowercase).collect()
        };
        let (was, is) = (headers(old), headers(new));
        if was == is {
            return;
        }
        let class = if is.is_subset(&was) { Class::Warning } else { Class::Breaking };
        let message = format!("`x-mcp-header` of {place} {}", from_to(&was, &is));
        self.out.changes.push(Change::new(class, &rules::HEADER, here, message));
    }

    fn texts(&mut self, old: &Place<'_>, new: &Place<'_>, at: &str, here: &str, place: &str) {
        for keyword in ["description", "title", "examples", "deprecated"] {
            let key = pointer::split_last(at).map(|(_, key)| key);
            let texts = |p: &Place<'_>| -> BTreeSet<String> {
                let says = |text: &String| match (keyword, &key) {
                    // The title of the whole schema is a class name that a library wrote; nobody sees it.
                    ("title", None) => false,
                    ("title", Some(key)) => !texts::is_name(text, key),
                    ("deprecated", _) => text != "false",
                    _ => true,
                };
                let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
                p.values(keyword).map(text).filter(says).collect()
            };
            let (was, is) = (texts(old), texts(new));
            let change = texts::compare_sets(&was, &is);
            if change == TextChange::None {
                continue;
            }
            let pointer = if is.is_empty() { here.to_string() } else { pointer::child(here, keyword) };
            self.out.changes.push(texts::change(
                change,
                pointer,
                &format!("`{keyword}` of {place}"),
                &was,
                &is,
            ));
        }
    }
}

fn set(place: &Place<'_>, keyword: &str) -> BTreeSet<String> {
    place.values(keyword).map(Value::to_string).collect()
}

/// "was 1, is 2".
fn from_to(was: &BTreeSet<String>, is: &BTreeSet<String>) -> String {
    let list = |set: &BTreeSet<String>| say::quoted_list(set, 3);
    match (was.is_empty(), is.is_empty()) {
        (true, _) => format!("is new: {}", list(is)),
        (_, true) => format!("is gone: it was {}", list(was)),
        _ => format!("was {} and is {}", list(was), list(is)),
    }
}

fn named(place: &Place<'_>, at: &str, name: &str, target: Option<&str>) -> Named {
    Named {
        instance: pointer::child(at, name),
        pointer: place.member(name).all.first().map(|at| at.pointer.clone()).unwrap_or_default(),
        renamed: target.map(|to| pointer::child(at, to)),
    }
}
