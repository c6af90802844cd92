//! A YAML document as PyYAML's `safe_load` understands it, as a JSON value. Hostile input: size,
//! depth and the expansion of aliases are bounded, and duplicate keys are errors.

use super::resolve::{self, Resolved};
use crate::pointer;
use granit_parser::{Event, Parser, ScalarStyle, Span, Tag};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Bytes of one document.
pub const MAX_BYTES: usize = 16 << 20;
/// Values in one document, those that aliases repeat included.
const MAX_VALUES: usize = 500_000;
/// Bytes of text that aliases may repeat.
const MAX_ALIAS_BYTES: usize = 64 << 20;
/// PyYAML composes by recursion and fails a little past this.
const MAX_DEPTH: usize = 200;
/// Places are kept down to this depth: enough to say where a task is wrong.
const PLACES_DEPTH: usize = 5;

/// A document and where its parts stand.
#[derive(Debug)]
pub struct Loaded {
    pub value: Value,
    /// Line and column (from 1) of values near the root, by JSON Pointer.
    places: BTreeMap<String, (usize, usize)>,
    /// The same of the keys that lead to them.
    keys: BTreeMap<String, (usize, usize)>,
}

impl Loaded {
    /// The line of the value at `pointer`, or of the nearest place above it that is known.
    #[must_use]
    pub fn line(&self, pointer: &str) -> usize {
        self.place(pointer).0
    }

    /// As [`Loaded::place`], of the key that leads to the value.
    #[must_use]
    pub fn key_place(&self, pointer: &str) -> (usize, usize) {
        self.keys.get(pointer).copied().unwrap_or_else(|| self.place(pointer))
    }

    /// As [`Loaded::line`], with the column (from 1, in characters).
    #[must_use]
    pub fn place(&self, pointer: &str) -> (usize, usize) {
        let mut at = pointer;
        loop {
            if let Some(&place) = self.places.get(at) {
                return place;
            }
            match at.rsplit_once('/') {
                Some((parent, _)) => at = parent,
                None => return (1, 1),
            }
        }
    }
}

/// Why a text is no YAML document that the runner can read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct YamlError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub message: String,
}

/// Read the one document of `text`.
///
/// # Errors
/// With line and column: broken YAML, more than one document, what PyYAML's safe loader refuses
/// (unknown tags, `=`), duplicate keys, keys that are no scalars, and the bounds above.
pub fn read(text: &str) -> Result<Loaded, YamlError> {
    let mut builder = build(text, Builder::default())?;
    Ok(builder.finish())
}

/// Read every document of `text` (`---` between them); one that is empty where there is none.
///
/// # Errors
/// As [`read`], but for more than one document. The bounds are for all of them together.
pub fn read_all(text: &str) -> Result<Vec<Loaded>, YamlError> {
    let mut builder = build(text, Builder { takes_many: true, ..Builder::default() })?;
    let last = builder.finish();
    let mut all = builder.finished;
    all.push(last);
    Ok(all)
}

fn build(text: &str, mut builder: Builder) -> Result<Builder, YamlError> {
    if text.len() > MAX_BYTES {
        let message = format!("{} bytes are more than verity reads of one document", text.len());
        return Err(YamlError { line: 1, column: 1, message });
    }
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|e| scan_error(&e))?;
        refuse_tab_before(text, &span)?;
        builder.event(event, &span)?;
    }
    Ok(builder)
}

fn scan_error(e: &granit_parser::ScanError) -> YamlError {
    let at = e.marker();
    YamlError { line: at.line(), column: at.col() + 1, message: e.info().to_string() }
}

/// PyYAML takes no tab between tokens, not even after a colon; the parser here would.
fn refuse_tab_before(text: &str, span: &Span) -> Result<(), YamlError> {
    let before = span.start.byte_offset().and_then(|at| text.get(..at)).unwrap_or_default();
    let is_tabbed = before.chars().rev().take_while(|c| matches!(c, ' ' | '\t')).any(|c| c == '\t');
    if is_tabbed { Err(error(span, "a tab where YAML wants spaces")) } else { Ok(()) }
}

fn error(span: &Span, message: impl Into<String>) -> YamlError {
    YamlError { line: span.start.line(), column: span.start.col() + 1, message: message.into() }
}

/// A collection that is still open.
struct Open {
    pointer: String,
    anchor: usize,
    kind: Kind,
}

enum Kind {
    Sequence(Vec<Value>),
    Mapping { members: Map<String, Value>, merged: Map<String, Value>, key: Option<Key> },
}

/// The key that waits for its value.
enum Key {
    Name(String),
    Merge,
}

#[derive(Default)]
struct Builder {
    root: Option<Value>,
    documents: usize,
    takes_many: bool,
    /// Documents before the one that is built.
    finished: Vec<Loaded>,
    stack: Vec<Open>,
    anchors: BTreeMap<usize, Value>,
    places: BTreeMap<String, (usize, usize)>,
    keys: BTreeMap<String, (usize, usize)>,
    values: usize,
    alias_bytes: usize,
}

/// A finished node: its value, and whether it is a plain `<<`.
struct Node {
    value: Value,
    is_merge: bool,
    is_collection: bool,
}

impl Builder {
    /// The document that was built; the next one begins.
    fn finish(&mut self) -> Loaded {
        let value = self.root.take().unwrap_or(Value::Null);
        Loaded { value, places: std::mem::take(&mut self.places), keys: std::mem::take(&mut self.keys) }
    }

    fn event(&mut self, event: Event<'_>, span: &Span) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 && !self.takes_many {
                    return Err(error(span, "a second document: one file holds one"));
                }
                if self.documents > 1 {
                    let before = self.finish();
                    self.finished.push(before);
                    self.anchors.clear();
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(&text, style, tag.as_deref(), span)?;
                self.note_place(span);
                self.close(node, anchor, span)?;
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.collection_tag(tag.as_deref(), "seq", span)?;
                self.open(anchor, Kind::Sequence(Vec::new()), span)?;
            }
            Event::MappingStart(_, anchor, tag) => {
                self.collection_tag(tag.as_deref(), "map", span)?;
                self.open(
                    anchor,
                    Kind::Mapping { members: Map::new(), merged: Map::new(), key: None },
                    span,
                )?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Alias(anchor) => {
                let value = self.alias(anchor, span)?;
                let is_collection = value.is_object() || value.is_array();
                self.note_place(span);
                self.close(Node { value, is_merge: false, is_collection }, 0, span)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: &Span,
    ) -> Result<Node, YamlError> {
        self.count(1, span)?;
        let plain = style == ScalarStyle::Plain;
        let resolved = match tag {
            None if plain => resolve::plain(text),
            None => Resolved::Value(Value::String(text.to_string())),
            Some(tag) => tagged(text, tag, span)?,
        };
        let is_merge = resolved == Resolved::Merge;
        let value = match resolved {
            Resolved::Value(value) => value,
            // Neither string nor number to the runner: an object of one member is refused where a
            // JSON type is asked for, and passes where anything does.
            Resolved::Timestamp => json!({ "!timestamp": text }),
            Resolved::Merge => Value::String("<<".to_string()),
            Resolved::ValueKey => return Err(error(span, "a plain `=` is an error in YAML 1.1: quote it")),
        };
        Ok(Node { value, is_merge, is_collection: false })
    }

    fn collection_tag(&self, tag: Option<&Tag>, expected: &str, span: &Span) -> Result<(), YamlError> {
        match tag {
            None => Ok(()),
            Some(tag) if is_core(tag, expected) => Ok(()),
            Some(_) => Err(error(span, "a tag that the runner's safe loader does not know")),
        }
    }

    fn open(&mut self, anchor: usize, kind: Kind, span: &Span) -> Result<(), YamlError> {
        self.count(1, span)?;
        if self.stack.len() >= MAX_DEPTH {
            return Err(error(span, format!("nested more than {MAX_DEPTH} levels deep: PyYAML fails on it")));
        }
        self.note_place(span);
        let pointer = self.here();
        self.stack.push(Open { pointer, anchor, kind });
        Ok(())
    }

    fn end(&mut self, span: &Span) -> Result<(), YamlError> {
        let Some(open) = self.stack.pop() else { return Ok(()) };
        let value = match open.kind {
            Kind::Sequence(items) => Value::Array(items),
            Kind::Mapping { members, merged, .. } => {
                // Merged members come first, own members win (PyYAML's flatten_mapping).
                let mut all = merged;
                for (key, value) in members {
                    all.insert(key, value);
                }
                Value::Object(all)
            }
        };
        self.close(Node { value, is_merge: false, is_collection: true }, open.anchor, span)
    }

    /// Hang a finished node into what is open, or make it the root.
    fn close(&mut self, node: Node, anchor: usize, span: &Span) -> Result<(), YamlError> {
        if anchor > 0 {
            self.repeat(&node.value, span)?;
            self.anchors.insert(anchor, node.value.clone());
        }
        let is_near = self.stack.len() <= PLACES_DEPTH;
        let Some(open) = self.stack.last_mut() else {
            self.root.get_or_insert(node.value);
            return Ok(());
        };
        match &mut open.kind {
            Kind::Sequence(items) => items.push(node.value),
            Kind::Mapping { members, merged, key } => match key.take() {
                None if node.is_merge => *key = Some(Key::Merge),
                None if node.is_collection => {
                    return Err(error(span, "a mapping key that is itself a list or a mapping"));
                }
                None => {
                    let name = key_text(&node.value);
                    if is_near {
                        let place = (span.start.line(), span.start.col() + 1);
                        self.keys.entry(pointer::child(&open.pointer, &name)).or_insert(place);
                    }
                    *key = Some(Key::Name(name));
                }
                Some(Key::Merge) => merge(merged, node.value, span)?,
                Some(Key::Name(name)) => {
                    if members.contains_key(&name) {
                        let shown: String = name.chars().take(60).collect();
                        return Err(error(
                            span,
                            format!("the key {shown:?} occurs twice in this mapping; PyYAML keeps the last"),
                        ));
                    }
                    members.insert(name, node.value);
                }
            },
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: &Span) -> Result<Value, YamlError> {
        let Some(value) = self.anchors.get(&anchor).cloned() else {
            return Err(error(span, "an alias inside the value that it names"));
        };
        self.repeat(&value, span)?;
        Ok(value)
    }

    /// Account for a copy of `value`.
    fn repeat(&mut self, value: &Value, span: &Span) -> Result<(), YamlError> {
        let (values, bytes) = weigh(value);
        self.count(values, span)?;
        self.alias_bytes = self.alias_bytes.saturating_add(bytes);
        if self.alias_bytes > MAX_ALIAS_BYTES {
            return Err(error(span, "anchors and aliases repeat more text than verity reads"));
        }
        Ok(())
    }

    fn count(&mut self, values: usize, span: &Span) -> Result<(), YamlError> {
        self.values = self.values.saturating_add(values);
        if self.values > MAX_VALUES {
            return Err(error(span, format!("more than {MAX_VALUES} values in one document")));
        }
        Ok(())
    }

    /// Pointer of the value that comes next.
    fn here(&self) -> String {
        match self.stack.last() {
            None => String::new(),
            Some(Open { pointer, kind: Kind::Sequence(items), .. }) => pointer::index(pointer, items.len()),
            Some(Open { pointer, kind: Kind::Mapping { key: Some(Key::Name(name)), .. }, .. }) => {
                pointer::child(pointer, name)
            }
            Some(Open { pointer, .. }) => pointer.clone(),
        }
    }

    fn note_place(&mut self, span: &Span) {
        if self.stack.len() <= PLACES_DEPTH {
            let here = self.here();
            self.places.entry(here).or_insert((span.start.line(), span.start.col() + 1));
        }
    }
}

/// A scalar with an explicit tag.
fn tagged(text: &str, tag: &Tag, span: &Span) -> Result<Resolved, YamlError> {
    let wrong = || error(span, format!("{text:?} is not what its tag says"));
    Ok(Resolved::Value(if is_core(tag, "str") {
        Value::String(text.to_string())
    } else if is_core(tag, "int") || is_core(tag, "float") || is_core(tag, "bool") || is_core(tag, "null") {
        match resolve::plain(text) {
            Resolved::Value(value) if !value.is_string() => value,
            _ => return Err(wrong()),
        }
    } else {
        return Err(error(span, "a tag that the runner's safe loader does not know"));
    }))
}

/// Whether `tag` is `!!name`; the non-specific `!` means a plain string, list or mapping.
fn is_core(tag: &Tag, name: &str) -> bool {
    let full: Cow<'_, str> = Cow::Owned(format!("{}{}", tag.handle(), tag.suffix()));
    full == format!("tag:yaml.org,2002:{name}") || (full == "!" && matches!(name, "str" | "seq" | "map"))
}

/// The text of a scalar key: JSON has no others, so `1` and `"1"` are one key here.
fn key_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(_) => value.get("!timestamp").and_then(Value::as_str).unwrap_or_default().to_string(),
        other => other.to_string(),
    }
}

/// `<<: value`: members of a mapping, or of each mapping of a list, that are not there yet.
fn merge(into: &mut Map<String, Value>, value: Value, span: &Span) -> Result<(), YamlError> {
    let sources = match value {
        Value::Object(_) => vec![value],
        Value::Array(items) => items,
        _ => {
            return Err(error(
                span,
                "`<<` needs a mapping or a list of mappings; quote the key if it is a name",
            ));
        }
    };
    for source in sources {
        let Value::Object(members) = source else {
            return Err(error(span, "`<<` needs a mapping or a list of mappings"));
        };
        for (key, value) in members {
            into.entry(key).or_insert(value);
        }
    }
    Ok(())
}

/// Number of values and bytes of text in `value`.
fn weigh(value: &Value) -> (usize, usize) {
    let (mut values, mut bytes) = (0, 0);
    let mut stack = vec![value];
    while let Some(value) = stack.pop() {
        values += 1;
        match value {
            Value::String(text) => bytes += text.len(),
            Value::Array(items) => stack.extend(items),
            Value::Object(members) => {
                bytes += members.keys().map(String::len).sum::<usize>();
                stack.extend(members.values());
            }
            _ => {}
        }
    }
    (values, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Value {
        read(text).unwrap().value
    }

    fn message(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    #[test]
    fn plain_and_quoted_scalars_differ() {
        assert_eq!(value("a: on\nb: 'on'\nc: \"1:30\"\n"), json!({"a": true, "b": "on", "c": "1:30"}));
        assert_eq!(value("a: |\n  x\n  y\n"), json!({"a": "x\ny\n"}));
        assert_eq!(value("a: !!str 12\nb: ! 3"), json!({"a": "12", "b": "3"}));
    }

    #[test]
    fn aliases_and_merges() {
        assert_eq!(
            value("base: &b {x: 1, y: 2}\nall: {<<: *b, y: 3}\nlist: [*b]\n"),
            json!({"base": {"x": 1, "y": 2}, "all": {"x": 1, "y": 3}, "list": [{"x": 1, "y": 2}]})
        );
    }

    #[test]
    fn hostile_documents_end_in_one_error_with_a_place() {
        assert!(message("a: 1\nb: 2\na: 3\n").starts_with("line 3, column 4: the key \"a\" occurs twice"));
        assert!(message("a: &x [*x]").contains("alias inside"), "{}", message("a: &x [*x]"));
        assert!(message("a: !!python/object:os.system x").contains("safe loader"));
        assert!(message("? [1]\n: 2").contains("mapping key"));
        assert!(message("a: 1\n---\nb: 2\n").starts_with("line 2, column 1: a second document"));
        assert!(message("a: [\n").starts_with("line "));
        assert_eq!(message("\ta: 1"), "line 1, column 2: a tab where YAML wants spaces");
        assert_eq!(message("a:\n  b:\t1"), "line 2, column 6: a tab where YAML wants spaces");
        assert!(message("=: 1").contains("quote it"));
        assert!(message(&"[".repeat(100_000)).starts_with("line 1"));
        let deep: String = (0..300).map(|i| format!("{}a:\n", " ".repeat(i))).collect();
        assert!(
            message(&deep).starts_with("line 201, column 201: nested more than 200"),
            "{}",
            message(&deep)
        );
    }

    #[test]
    fn documents_have_their_own_values_places_and_anchors() {
        let all = read_all("a: &x 1\n---\n- \"---\"\n- b\n---\n").unwrap();
        let values: Vec<Value> = all.iter().map(|l| l.value.clone()).collect();
        assert_eq!(values, [json!({"a": 1}), json!(["---", "b"]), Value::Null]);
        assert_eq!(all[1].place("/1"), (4, 3));
        assert!(read_all("a: &x 1\n---\nb: *x\n").is_err());
        assert_eq!(read_all("").unwrap().len(), 1);
    }

    #[test]
    fn alias_bombs_are_bounded() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_string();
        for i in 1..10 {
            let list = vec![format!("*a{}", i - 1); 10].join(", ");
            bomb.push_str(&format!("a{i}: &a{i} [{list}]\n"));
        }
        assert!(message(&bomb).contains("more than 500000 values"), "{}", message(&bomb));
    }

    #[test]
    fn lines_are_known() {
        let loaded = read("id: x\nassertions:\n  - type: a\n    params: {}\n  - type: b\n").unwrap();
        assert_eq!(loaded.line("/assertions/1/type"), 5);
        assert_eq!(loaded.line("/assertions/0/params"), 4);
        assert_eq!(loaded.line("/nothing/here"), 1);
    }
}
