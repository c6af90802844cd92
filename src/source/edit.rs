//! A value in a document, changed: the text of the new value keeps every byte that the change does not
//! touch, and what is new takes over the way of writing around it.

use super::Document;
use super::index::{Index, Node};
use serde_json::{Map, Value};
use std::ops::Range;

/// A range of [`Document::text`] and what shall stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    pub range: Range<usize>,
    pub text: String,
}

impl Document {
    /// The text of the value at `pointer` (in segment `segment`) when it is no longer `old` but `new`;
    /// `None` if there is no such value, or the text is not plainly that of `old`.
    #[must_use]
    pub fn rewritten(&self, segment: usize, pointer: &str, old: &Value, new: &Value) -> Option<Replacement> {
        let segment = self.segments.get(segment)?;
        let index = segment.index.get_or_init(|| Index::build(self.readable(), &segment.range)).as_ref()?;
        let node = index.find(pointer)?;
        let whole = self.text.get(segment.range.clone())?;
        let writer = Writer { text: &self.text, index, lists_in_line: whole.contains("[\"") };
        let surroundings = Style { indent: None, unit: String::new(), colon: writer.colon(node) };
        let text = writer.value(node, old, new, &surroundings)?;
        Some(Replacement { range: node.value.clone(), text })
    }

    /// The text with these replacements made; `None` if they overlap.
    #[must_use]
    pub fn replaced(&self, mut replacements: Vec<Replacement>) -> Option<String> {
        replacements.sort_by_key(|r| r.range.start);
        let (mut out, mut at) = (String::with_capacity(self.text.len()), 0);
        for r in &replacements {
            out.push_str(self.text.get(at..r.range.start)?);
            out.push_str(&r.text);
            at = r.range.end;
        }
        out.push_str(self.text.get(at..)?);
        Some(out)
    }
}

/// How an object or array writes its members.
struct Style {
    /// Line break and indentation before each member; `None`: all on one line.
    indent: Option<String>,
    /// One step of indentation.
    unit: String,
    /// What stands between key and value.
    colon: String,
}

impl Style {
    /// What stands before the next member.
    fn separator(&self) -> String {
        match &self.indent {
            Some(indent) => format!(",{indent}"),
            // Whoever writes `"a":1` writes `,` without a blank as well.
            None if self.colon.ends_with(' ') => ", ".to_string(),
            None => ",".to_string(),
        }
    }
}

/// A member or item: its place in the text, and where its value is.
struct Slot<'i> {
    range: Range<usize>,
    node: &'i Node,
}

struct Writer<'t> {
    text: &'t str,
    index: &'t Index,
    /// Whether the file writes lists of plain values on one line.
    lists_in_line: bool,
}

impl<'t> Writer<'t> {
    fn slice(&self, range: Range<usize>) -> Option<&'t str> {
        self.text.get(range)
    }

    /// What the object at `node` (or the nearest object in it) writes between key and value.
    fn colon(&self, node: &Node) -> String {
        let mut at = Some(node);
        while let Some(node) = at {
            let child = self.index.children(node).into_iter().next();
            if let Some((_, child)) = &child
                && let Some(key) = &child.key
            {
                return self.slice(key.end..child.value.start).unwrap_or(": ").to_string();
            }
            at = child.map(|(_, child)| child);
        }
        ": ".to_string()
    }

    fn value(&self, node: &Node, old: &Value, new: &Value, around: &Style) -> Option<String> {
        if old == new {
            return self.slice(node.value.clone()).map(str::to_string);
        }
        match (old, new) {
            (Value::Object(old), Value::Object(new)) if !new.is_empty() && !old.is_empty() => {
                self.object(node, old, new, around)
            }
            (Value::Array(old), Value::Array(new)) if !new.is_empty() && !old.is_empty() => {
                self.array(node, old, new, around)
            }
            _ => Some(self.fresh(new, around)),
        }
    }

    /// How the container at `node`, which has these slots, writes them.
    fn style(&self, node: &Node, slots: &[Slot<'_>], around: &Style) -> Option<Style> {
        let first = slots.first()?;
        // Before the second member rather than the first, which may stand beside the bracket.
        let lead = match slots.get(1) {
            Some(second) => self.slice(first.range.end..second.range.start)?,
            None => self.slice(node.value.start + 1..first.range.start)?,
        };
        let indent = lead.rfind('\n').map(|at| {
            let from = if lead.get(..at).is_some_and(|l| l.ends_with('\r')) { at - 1 } else { at };
            lead.get(from..).unwrap_or_default().to_string()
        });
        let last = slots.last()?;
        let tail = self.slice(last.range.end..node.value.end - 1)?;
        let inner = indent.as_deref().map_or("", |i| i.trim_start_matches(['\r', '\n']));
        let outer = tail.rfind('\n').and_then(|at| tail.get(at + 1..)).unwrap_or_default();
        let unit = inner.strip_prefix(outer).unwrap_or_default().to_string();
        let colon = match &first.node.key {
            Some(key) => self.slice(key.end..first.node.value.start)?.to_string(),
            None => around.colon.clone(),
        };
        Some(Style { indent, unit, colon })
    }

    fn object(
        &self,
        node: &Node,
        old: &Map<String, Value>,
        new: &Map<String, Value>,
        around: &Style,
    ) -> Option<String> {
        let children = self.index.children(node);
        if children.len() != old.len() {
            return None; // a key occurs twice
        }
        let mut slots = Vec::with_capacity(children.len());
        for (_, child) in &children {
            slots.push(Slot { range: child.key.as_ref()?.start..child.value.end, node: child });
        }
        let style = self.style(node, &slots, around)?;
        let at = |key: &str| children.iter().position(|(k, _)| *k == Some(key));
        let keys: Vec<&String> = old.keys().collect();
        // A key that went where another one came: the member is renamed in place.
        let renamed = |i: usize, key: &str| {
            let gone = old.keys().nth(i).filter(|was| !new.contains_key(*was))?;
            let is_same_place = match i {
                0 => new.keys().next().is_some_and(|first| first == key),
                _ => {
                    let before = keys.get(i - 1)?;
                    new.keys().zip(new.keys().skip(1)).any(|(a, b)| a == *before && b == key)
                }
            };
            is_same_place.then_some(gone)
        };
        let mut parts = Vec::with_capacity(new.len());
        for (key, value) in new {
            let (from, text) = match at(key) {
                Some(i) => {
                    let slot = slots.get(i)?;
                    let head = self.slice(slot.range.start..slot.node.value.start)?;
                    let body = self.value(slot.node, old.get(key)?, value, &style)?;
                    (Some(i), format!("{head}{body}"))
                }
                None => {
                    let place = (0..slots.len()).find_map(|i| Some((i, renamed(i, key)?)));
                    let name = Value::from(key.as_str());
                    match place {
                        Some((i, was)) => {
                            let slot = slots.get(i)?;
                            let colon = self.slice(slot.node.key.as_ref()?.end..slot.node.value.start)?;
                            let body = self.value(slot.node, old.get(was)?, value, &style)?;
                            (Some(i), format!("{name}{colon}{body}"))
                        }
                        None => (None, format!("{name}{}{}", style.colon, self.fresh(value, &style))),
                    }
                }
            };
            parts.push((from, text));
        }
        self.joined(node, &slots, &parts, &style)
    }

    fn array(&self, node: &Node, old: &[Value], new: &[Value], around: &Style) -> Option<String> {
        let children = self.index.children(node);
        let slots: Vec<Slot<'_>> =
            children.iter().map(|(_, child)| Slot { range: child.value.clone(), node: child }).collect();
        if slots.len() != old.len() {
            return None;
        }
        let style = self.style(node, &slots, around)?;
        let mut parts = Vec::with_capacity(new.len());
        let mut next = 0;
        for (j, value) in new.iter().enumerate() {
            let same = (next..old.len()).find(|i| old.get(*i) == Some(value));
            // Where as many are left on both sides, the item itself has changed.
            let from = same.or_else(|| (old.len() - next == new.len() - j).then_some(next));
            let text = match from {
                Some(i) => {
                    next = i + 1;
                    self.value(slots.get(i)?.node, old.get(i)?, value, &style)?
                }
                None => self.fresh(value, &style),
            };
            parts.push((from, text));
        }
        self.joined(node, &slots, &parts, &style)
    }

    /// The container with these parts: what stood between two that were neighbours stays as it was.
    fn joined(
        &self,
        node: &Node,
        slots: &[Slot<'_>],
        parts: &[(Option<usize>, String)],
        style: &Style,
    ) -> Option<String> {
        let (first, last) = (slots.first()?, slots.last()?);
        let mut out = self.slice(node.value.start..first.range.start)?.to_string();
        let mut before: Option<Option<usize>> = None;
        for (from, text) in parts {
            match (before, from) {
                (None, _) => {}
                // The separator that stood before this one, if there was one.
                (Some(_), Some(i)) if *i > 0 => {
                    out.push_str(self.slice(slots.get(i - 1)?.range.end..slots.get(*i)?.range.start)?);
                }
                _ => out.push_str(&style.separator()),
            }
            out.push_str(text);
            before = Some(*from);
        }
        out.push_str(self.slice(last.range.end..node.value.end)?);
        Some(out)
    }

    /// A value that the file did not have, as a member of a container of this style.
    fn fresh(&self, value: &Value, around: &Style) -> String {
        let (open, close, parts): (char, char, Vec<(String, &Value)>) = match value {
            Value::Object(members) if !members.is_empty() => {
                let name = |key: &String| format!("{}{}", Value::from(key.as_str()), around.colon);
                ('{', '}', members.iter().map(|(k, v)| (name(k), v)).collect())
            }
            Value::Array(items) if !items.is_empty() => {
                ('[', ']', items.iter().map(|v| (String::new(), v)).collect())
            }
            plain => return plain.to_string(),
        };
        let is_plain = value.as_array().is_some_and(|a| a.iter().all(|v| !v.is_object() && !v.is_array()));
        let indent = around.indent.as_ref().filter(|_| !(is_plain && self.lists_in_line));
        let style = Style {
            indent: indent.map(|i| format!("{i}{}", around.unit)),
            unit: around.unit.clone(),
            colon: around.colon.clone(),
        };
        let texts: Vec<String> =
            parts.into_iter().map(|(name, v)| format!("{name}{}", self.fresh(v, &style))).collect();
        let lead = style.indent.clone().unwrap_or_default();
        let tail = indent.cloned().unwrap_or_default();
        format!("{open}{lead}{}{tail}{close}", texts.join(&style.separator()))
    }
}

#[cfg(test)]
mod tests {
    use crate::source;
    use serde_json::{Value, json};

    fn rewritten(text: &str, change: impl Fn(&mut Value)) -> String {
        let document = source::parse("a.json", text.as_bytes().to_vec()).unwrap();
        let old = document.segments[0].value.clone();
        let mut new = old.clone();
        change(&mut new);
        let replacement = document.rewritten(0, "", &old, &new).unwrap();
        let out = document.replaced(vec![replacement]).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&out).unwrap(), new, "{out}");
        out
    }

    #[test]
    fn members_go_and_the_rest_stays() {
        let text = "{ \"a\" : 1.50,\n\n  \"b\":2 ,\"c\": [ 1,2 , 1 ] }\n";
        let without = |key: &'static str| {
            rewritten(text, |v| {
                v.as_object_mut().unwrap().shift_remove(key);
            })
        };
        assert_eq!(without("a"), "{ \"b\":2 ,\"c\": [ 1,2 , 1 ] }\n");
        assert_eq!(without("b"), "{ \"a\" : 1.50 ,\"c\": [ 1,2 , 1 ] }\n");
        assert_eq!(without("c"), "{ \"a\" : 1.50,\n\n  \"b\":2 }\n");
        let shorter = rewritten(text, |v| {
            v["c"].as_array_mut().unwrap().pop();
        });
        assert_eq!(shorter, "{ \"a\" : 1.50,\n\n  \"b\":2 ,\"c\": [ 1,2 ] }\n");
    }

    #[test]
    fn what_is_new_is_written_as_its_neighbours() {
        let add = |v: &mut Value| {
            v.as_object_mut().unwrap().shift_insert(0, "type".into(), json!("object"));
            v["z"] = json!({"x": ["p"], "y": {}});
        };
        assert_eq!(
            rewritten("{\r\n\t\"a\": 1\r\n}", add),
            "{\r\n\t\"type\": \"object\",\r\n\t\"a\": 1,\r\n\t\"z\": {\r\n\t\t\"x\": [\r\n\t\t\t\"p\"\r\n\t\t],\r\n\t\t\"y\": {}\r\n\t}\r\n}"
        );
        assert_eq!(rewritten(r#"{"a":1}"#, add), r#"{"type":"object","a":1,"z":{"x":["p"],"y":{}}}"#);
        assert_eq!(
            rewritten(r#"{"a": 1}"#, add),
            r#"{"type": "object", "a": 1, "z": {"x": ["p"], "y": {}}}"#
        );
        assert_eq!(
            rewritten("[{} , {\"a\":[\"b\"]}]", |v| v[0] = json!({"k": 1})),
            "[{\"k\": 1} , {\"a\":[\"b\"]}]"
        );
    }

    #[test]
    fn a_renamed_key_keeps_its_value() {
        let text = "{\"a\": 1,\n \"const\" : \"\\u00e9\",\n \"b\": {\"items\": [ {} ]}}";
        let out = rewritten(text, |v| {
            let old = v.clone();
            let rename = |k: &str| if k == "items" { "prefixItems".to_string() } else { k.to_string() };
            v["b"] = Value::Object(
                old["b"].as_object().unwrap().iter().map(|(k, v)| (rename(k), v.clone())).collect(),
            );
        });
        assert_eq!(out, "{\"a\": 1,\n \"const\" : \"\\u00e9\",\n \"b\": {\"prefixItems\": [ {} ]}}");
    }
}
