//! Reading a JSON document strictly: what is unknown, absent or of another type is a fault with its place.

use super::canonical;
use super::failure::{Code, Failure};
use super::lexical;
use crate::error::cut;
use crate::finding::Part;
use crate::{pointer, suggest};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What reading gives.
pub type Read<T> = Result<T, Failure>;

/// A value and its place.
#[derive(Debug, Clone)]
pub struct Node<'v> {
    pub value: &'v Value,
    /// JSON Pointer in the document.
    pub at: String,
}

/// The members of an object whose keys are known to be exactly those asked for.
#[derive(Debug)]
pub struct Fields<'v> {
    members: &'v Map<String, Value>,
    at: String,
}

static NOTHING: Value = Value::Null;

impl<'v> Fields<'v> {
    /// The member `key`.
    pub fn at(&self, key: &str) -> Node<'v> {
        Node { value: self.members.get(key).unwrap_or(&NOTHING), at: pointer::child(&self.at, key) }
    }
}

impl Fields<'_> {
    /// Whether the member is there.
    pub fn has(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    /// The member as it is, where it is there.
    pub fn given(&self, key: &str) -> Option<Value> {
        self.members.get(key).cloned()
    }
}

impl<'v> Node<'v> {
    /// The whole document.
    #[must_use]
    pub fn root(value: &'v Value) -> Node<'v> {
        Node { value, at: String::new() }
    }

    /// This value is wrong.
    pub fn fault(&self, detail: impl Into<String>) -> Failure {
        Failure::new(Code::Parse, &self.at, detail)
    }

    fn expected<T>(&self, what: &str) -> Read<T> {
        let found = match self.value {
            Value::Null => "null".to_string(),
            Value::Bool(b) => format!("`{b}`"),
            Value::Number(n) => format!("the number {}", cut(&n.to_string())),
            Value::String(s) => format!("the string `{}`", cut(s)),
            Value::Array(_) => "an array".to_string(),
            Value::Object(_) => "an object".to_string(),
        };
        Err(self.fault(format!("{what} is expected here, not {found}")))
    }

    /// An object with exactly these keys.
    pub fn object(&self, keys: &[&str]) -> Read<Fields<'v>> {
        let Value::Object(members) = self.value else {
            return self.expected(&format!("an object with the keys {}", listed(keys)));
        };
        if let Some(unknown) = members.keys().find(|key| !keys.contains(&key.as_str())) {
            // What is absent is what a misspelled key was meant to be, if it is near.
            let absent = keys.iter().copied().filter(|key| !members.contains_key(*key));
            let near =
                suggest::closest(unknown, absent).or_else(|| suggest::closest(unknown, keys.iter().copied()));
            let hint = near.map_or_else(
                || format!("; there are {}", listed(keys)),
                |near| format!(": did you mean `{near}`?"),
            );
            let at = pointer::child(&self.at, unknown);
            return Err(
                Failure::new(Code::Parse, at, format!("unknown key `{}`{hint}", cut(unknown))).of_key()
            );
        }
        if let Some(absent) = keys.iter().find(|key| !members.contains_key(**key)) {
            return Err(self.fault(format!(
                "the key `{absent}` is absent; nothing has a default here, so say `null`, `[]` or what it is"
            )));
        }
        Ok(Fields { members, at: self.at.clone() })
    }

    /// An object with these keys, and any of `optional`.
    pub fn some_of(&self, required: &[&str], optional: &[&str]) -> Read<Fields<'v>> {
        let mut keys = required.to_vec();
        keys.extend(optional.iter().filter(|key| self.value.get(**key).is_some()));
        // A misspelled key may be meant for one that could be left out.
        let unknown =
            self.value.as_object().into_iter().flat_map(Map::keys).find(|key| !keys.contains(&key.as_str()));
        let near = unknown.and_then(|key| suggest::closest(key, optional.iter().copied()));
        if let (Some(key), Some(near)) = (unknown, near) {
            let at = pointer::child(&self.at, key);
            return Err(Failure::new(
                Code::Parse,
                at,
                format!("unknown key `{}`: did you mean `{near}`?", cut(key)),
            )
            .of_key());
        }
        match unknown {
            Some(_) => self.object(&required.iter().chain(optional).copied().collect::<Vec<_>>()),
            None => self.object(&keys),
        }
    }

    /// The value of `key` if this is an object with it, to choose among several forms.
    pub fn peek(&self, key: &str) -> Option<&'v Value> {
        self.value.get(key)
    }

    /// An object whose keys are the author's.
    pub fn map<T>(
        &self,
        key: impl Fn(&Node<'v>, &str) -> Read<()>,
        each: impl Fn(&Node<'v>) -> Read<T>,
    ) -> Read<BTreeMap<String, T>> {
        let Value::Object(members) = self.value else { return self.expected("an object") };
        let mut out = BTreeMap::new();
        for (name, value) in members {
            let node = Node { value, at: pointer::child(&self.at, name) };
            key(&node, name).map_err(Failure::of_key)?;
            out.insert(name.clone(), each(&node)?);
        }
        Ok(out)
    }

    /// An array.
    pub fn list<T>(&self, each: impl Fn(&Node<'v>) -> Read<T>) -> Read<Vec<T>> {
        let Value::Array(items) = self.value else { return self.expected("an array") };
        items
            .iter()
            .enumerate()
            .map(|(i, value)| each(&Node { value, at: pointer::index(&self.at, i) }))
            .collect()
    }

    /// An array with at least `least` items.
    pub fn list_of<T>(&self, least: usize, each: impl Fn(&Node<'v>) -> Read<T>) -> Read<Vec<T>> {
        let items = self.list(each)?;
        if items.len() < least {
            return Err(self.fault(format!("at least {least} items are needed here, not {}", items.len())));
        }
        Ok(items)
    }

    /// `null`, or what `each` reads.
    pub fn or_null<T>(&self, each: impl FnOnce(&Node<'v>) -> Read<T>) -> Read<Option<T>> {
        if self.value.is_null() { Ok(None) } else { each(self).map(Some) }
    }

    pub fn string(&self) -> Read<String> {
        self.value.as_str().map_or_else(|| self.expected("a string"), |s| Ok(s.to_string()))
    }

    pub fn boolean(&self) -> Read<bool> {
        self.value.as_bool().map_or_else(|| self.expected("`true` or `false`"), Ok)
    }

    /// An integer of the safe range.
    pub fn integer(&self) -> Read<i64> {
        let integral =
            self.value.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= canonical::MAX_SAFE_INTEGER);
        integral.map_or_else(|| self.expected("an integer"), |n| Ok(n as i64))
    }

    /// An integer from `least`, in the safe range.
    pub fn count(&self, least: u64) -> Read<u64> {
        match self.integer().map(u64::try_from) {
            Ok(Ok(n)) if n >= least => Ok(n),
            _ => self.expected(&format!("an integer from {least}")),
        }
    }

    /// A string of a form that `what` describes.
    pub fn form(&self, what: &str, is_it: impl Fn(&str) -> bool) -> Read<String> {
        match self.value {
            Value::String(s) if is_it(s) => Ok(s.clone()),
            _ => self.expected(what),
        }
    }

    pub fn non_empty(&self) -> Read<String> {
        self.form("a string that is not empty", |s| !s.is_empty())
    }

    pub fn identifier(&self) -> Read<String> {
        self.form(
            "an identifier (lower-case letters and digits, with single hyphens between)",
            lexical::is_identifier,
        )
    }

    /// `B-001` for the prefix `B`.
    pub fn numbered(&self, prefix: &str) -> Read<String> {
        self.form(&format!("an id like `{prefix}-001`"), |s| lexical::is_numbered(s, prefix))
    }

    pub fn digest(&self) -> Read<String> {
        self.form("a digest (`sha256:` and 64 lower-case hexadecimal digits)", lexical::is_digest)
    }

    /// One of a closed set of words.
    pub fn word<T: Copy>(&self, words: &[(&str, T)]) -> Read<T> {
        let names = || words.iter().map(|(name, _)| *name);
        let typed = self.value.as_str();
        if let Some((_, word)) = words.iter().find(|(name, _)| Some(*name) == typed) {
            return Ok(*word);
        }
        let all: Vec<&str> = names().collect();
        match typed.and_then(|typed| suggest::closest(typed, names())) {
            Some(near) => self.expected(&format!("one of {} (did you mean `{near}`?)", listed(&all))),
            None => self.expected(&format!("one of {}", listed(&all))),
        }
    }

    /// Any JSON value of the documents' value domain.
    pub fn json(&self) -> Read<Value> {
        self.domain().map(|()| self.value.clone())
    }

    /// Any JSON object of the value domain.
    pub fn json_object(&self) -> Read<Map<String, Value>> {
        let Value::Object(members) = self.value else { return self.expected("an object") };
        self.domain().map(|()| members.clone())
    }

    /// Depth is bounded by what [`crate::source`] reads.
    fn domain(&self) -> Read<()> {
        match self.value {
            Value::Number(n) if !canonical::is_in_domain(n) => Err(self.fault(format!(
                "the integer {} is beyond ±(2^53 − 1), which not every reader holds: write it as a string",
                cut(&n.to_string())
            ))),
            Value::Array(_) => self.list(Node::domain).map(|_| ()),
            Value::Object(_) => self.map(|_, _| Ok(()), Node::domain).map(|_| ()),
            _ => Ok(()),
        }
    }
}

/// The key of a map is an identifier.
pub fn identifier_key(node: &Node<'_>, key: &str) -> Read<()> {
    if lexical::is_identifier(key) {
        return Ok(());
    }
    Err(node.fault(format!(
        "the key `{}` is no identifier (lower-case letters and digits, with single hyphens between)",
        cut(key)
    )))
}

/// The key of a map is not empty.
pub fn key_name(node: &Node<'_>, key: &str) -> Read<()> {
    if key.is_empty() { Err(node.fault("an empty key names nothing")) } else { Ok(()) }
}

/// `` `a`, `b` and `c` ``.
pub fn listed(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

/// What a JSON text said and a value does not hold makes a strict document unreadable: keys that occur twice,
/// numbers and characters that were not kept.
///
/// # Errors
/// The first of them.
pub fn whole(segment: &crate::source::Segment) -> Read<()> {
    if let Some((at, times)) = segment.duplicate_keys.first() {
        let key = pointer::split_last(at).map(|(_, key)| key).unwrap_or_default();
        return Err(
            Failure::new(Code::Parse, at, format!("the key `{}` occurs {times} times", cut(&key))).of_key()
        );
    }
    match segment.defects.first() {
        Some(defect) => {
            let detail =
                format!("no reader keeps `{}` as it is written: write it as a string", cut(&defect.text));
            Err(Failure { code: Code::Parse, pointer: defect.pointer.clone(), part: Part::Value, detail })
        }
        None => Ok(()),
    }
}
