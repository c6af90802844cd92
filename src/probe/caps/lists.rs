//! The lists of an answer, and which of them a cap is for.

use super::Cap;
use crate::contract::observation::ToolResult;
use crate::pointer::child;
use crate::probe::port::Observation;
use crate::rules::name::words;
use serde_json::Value;
use std::collections::BTreeMap;

const DEEPEST: usize = 16;

/// Names of lists of results, where nothing else says that they are some.
const OF_RESULTS: [&str; 24] = [
    "result",
    "results",
    "items",
    "entries",
    "hits",
    "matches",
    "data",
    "records",
    "rows",
    "documents",
    "docs",
    "list",
    "values",
    "elements",
    "files",
    "names",
    "paths",
    "lines",
    "urls",
    "links",
    "ids",
    "nodes",
    "content",
    "objects",
];

/// How much stands where in an answer's data: what is reached through objects, since lists within lists belong to their
/// items.
#[derive(Debug, Clone, Default)]
pub(super) struct Outline {
    lists: BTreeMap<String, List>,
    /// Lengths of texts, and members of objects.
    rest: BTreeMap<String, usize>,
}

#[derive(Debug, Clone, Copy)]
struct List {
    items: usize,
    /// Bytes of their JSON.
    size: usize,
    /// Whether it is surely one of results: of objects, all that there is, or of such a name.
    is_telling: bool,
}

impl Outline {
    /// Of `structuredContent`, else of a text that is JSON; `None` where neither holds a list.
    pub fn of(answer: &Observation) -> Option<Outline> {
        let of_value = |value: &Value| {
            let mut outline = Outline::default();
            outline.gather(value, String::new(), DEEPEST);
            (!outline.lists.is_empty()).then_some(outline)
        };
        let of_text = || serde_json::from_str::<Value>(&answer.text()).ok().as_ref().and_then(of_value);
        match &answer.result {
            ToolResult::Json(value) => of_value(value).or_else(of_text),
            _ => of_text(),
        }
    }

    fn gather(&mut self, value: &Value, place: String, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match value {
            Value::Array(items) => {
                let name = name_of(&place).to_lowercase();
                let is_telling = place.is_empty()
                    || items.iter().all(Value::is_object)
                    || OF_RESULTS.contains(&name.as_str());
                let list = List { items: items.len(), size: value.to_string().len(), is_telling };
                self.lists.insert(place, list);
            }
            Value::Object(members) => {
                for (key, member) in members {
                    self.gather(member, child(&place, key), depth);
                }
                self.rest.insert(place, members.len());
            }
            Value::String(text) => drop(self.rest.insert(place, text.len())),
            _ => {}
        }
    }

    /// Items of the longest list.
    pub fn longest(&self) -> usize {
        self.lists.values().map(|list| list.items).max().unwrap_or_default()
    }

    /// Whether `capped`, of the same call with a lower cap, holds no more than that. One list that got short enough shows
    /// that the cap is kept: of that list it is one. A list that is too long is the cap's only where it is the one list that
    /// did get shorter; or the one list that there is, of what the cap counts (`units`), and nothing got shorter instead of it.
    pub fn kept(&self, capped: &Outline, cap: u64, units: &[String]) -> Cap {
        let is_over = |items: usize| items as u64 > cap;
        let now = |place: &str| capped.lists.get(place).map_or(0, |list| list.items);
        let over = self.lists.iter().filter(|(_, list)| is_over(list.items));
        let (still, met): (Vec<_>, Vec<_>) = over.partition(|(place, _)| is_over(now(place)));
        if !met.is_empty() {
            return Cap::Kept;
        }
        let exceeded = |place: &String| Cap::Exceeded { place: place.clone(), items: now(place) };
        let shorter: Vec<_> = still.iter().filter(|(place, list)| now(place) < list.items).collect();
        match (shorter.as_slice(), still.as_slice()) {
            ([(place, _)], _) => exceeded(place),
            ([], [(place, list)])
                if self.lists.len() == 1
                    && list.is_telling
                    && is_of(place, units)
                    && !self.shrinks(capped) =>
            {
                exceeded(place)
            }
            _ => Cap::Unclear,
        }
    }

    /// Whether anything became smaller, be it within the items of a list.
    fn shrinks(&self, other: &Outline) -> bool {
        let lists = self
            .lists
            .iter()
            .any(|(place, list)| other.lists.get(place).is_none_or(|now| now.size < list.size));
        lists || self.rest.iter().any(|(place, size)| other.rest.get(place).is_none_or(|now| now < size))
    }
}

/// The last name of a place.
fn name_of(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or_default()
}

/// Whether a list may be one of these things: by its name, or because it has none that says otherwise.
fn is_of(place: &str, units: &[String]) -> bool {
    let stem = |word: &str| match word.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => word.trim_end_matches('s').to_string(),
    };
    let name = words::of(name_of(place));
    let is_unit = |word: &String| units.iter().any(|unit| stem(unit) == stem(word));
    units.is_empty()
        || name.iter().all(|word| OF_RESULTS.contains(&word.as_str()))
        || name.iter().any(is_unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn outline(value: &Value) -> Option<Outline> {
        Outline::of(&Observation::of_result(json!({"content": [], "structuredContent": value})))
    }

    fn kept(long: &Value, capped: &Value, cap: u64) -> Cap {
        outline(long).unwrap().kept(&outline(capped).unwrap(), cap, &[])
    }

    fn exceeded(place: &str, items: usize) -> Cap {
        Cap::Exceeded { place: place.to_string(), items }
    }

    fn notes(n: usize) -> Vec<Value> {
        (0..n).map(|i| json!({"id": i, "tags": ["a", "b", "c"]})).collect()
    }

    #[test]
    fn where_lists_are_read() {
        assert!(outline(&json!({"a": 1, "b": {"c": "d"}})).is_none());
        let of = |envelope| Outline::of(&Observation::of_result(envelope)).map(|o| o.longest());
        let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
        assert_eq!(of(text("[1, 2, 3]")), Some(3));
        assert_eq!(of(text("{\"items\": [1], \"tags\": [1, 2]}")), Some(2));
        assert_eq!(of(text("3 notes: milk, eggs, bread")), None);
        // A text that is wrapped, as some SDKs do it.
        let mut wrapped = text("[1, 2]");
        wrapped["structuredContent"] = json!({"result": "[1, 2]"});
        assert_eq!(of(wrapped), Some(2));
    }

    #[test]
    fn one_list() {
        let of = |n| json!({"total": 20, "notes": notes(n), "next": "abc"});
        assert_eq!(kept(&of(20), &of(1), 1), Cap::Kept);
        assert_eq!(kept(&of(20), &of(20), 1), exceeded("/notes", 20));
        assert_eq!(kept(&of(20), &of(2), 1), exceeded("/notes", 2), "one too many");
        assert_eq!(kept(&json!(notes(5)), &json!(notes(5)), 2), exceeded("", 5));
        assert_eq!(
            kept(&json!({"result": ["a", "b"]}), &json!({"result": ["a", "b"]}), 1),
            exceeded("/result", 2)
        );
        // What a server says beside it may change with the cap.
        let echo = json!({"total": 20, "notes": notes(20), "next": "abc", "limit": 1});
        assert_eq!(kept(&of(20), &echo, 1), exceeded("/notes", 20));
        // Gone altogether: nothing came back that is too much.
        assert_eq!(outline(&of(20)).unwrap().kept(&Outline::default(), 1, &[]), Cap::Kept);
    }

    #[test]
    fn lists_that_the_cap_is_not_for() {
        // The text is what got shorter.
        let of = |text: &str| json!({"columns": notes(3), "text": text});
        assert_eq!(kept(&of("a\nb\nc"), &of("a"), 1), Cap::Unclear);
        // Members of an object did.
        let of = |n: usize| {
            let named: serde_json::Map<String, Value> = (0..n).map(|i| (format!("n{i}"), json!(i))).collect();
            json!({"by_name": named, "columns": notes(3)})
        };
        assert_eq!(kept(&of(4), &of(1), 1), Cap::Unclear);
        // Words of which nobody says that they are results.
        let words = json!({"colours": ["red", "blue"], "text": "one"});
        assert_eq!(kept(&words, &words, 1), Cap::Unclear);
        // Lists within items are theirs.
        assert_eq!(kept(&json!({"notes": notes(3)}), &json!({"notes": notes(1)}), 1), Cap::Kept);
    }

    #[test]
    fn lists_of_something_else() {
        let of = |key: &str| outline(&json!({key: notes(5)})).unwrap();
        let kept = |key: &str, units: &[&str]| {
            let units: Vec<String> = units.iter().map(ToString::to_string).collect();
            of(key).kept(&of(key), 1, &units)
        };
        assert_eq!(kept("notes", &["notes"]), exceeded("/notes", 5));
        assert_eq!(kept("openNotes", &["note"]), exceeded("/openNotes", 5));
        assert_eq!(kept("entries", &["notes"]), exceeded("/entries", 5));
        assert_eq!(kept("subtasks", &["comment"]), Cap::Unclear);
        // What the cap is for is within the items.
        let series = |points: usize| {
            outline(&json!({"series": [{"points": vec![1; points]}, {"points": vec![1; points]}]}))
        };
        assert_eq!(series(9).unwrap().kept(&series(1).unwrap(), 1, &[]), Cap::Unclear);
    }

    #[test]
    fn several_lists() {
        let of = |notes_: usize, tags: usize| json!({"notes": notes(notes_), "tags": notes(tags)});
        assert_eq!(kept(&of(9, 5), &of(2, 5), 2), Cap::Kept, "the other one is another matter");
        assert_eq!(kept(&of(9, 5), &of(4, 5), 2), exceeded("/notes", 4), "this one is cut, and not enough");
        assert_eq!(kept(&of(9, 5), &of(9, 5), 2), Cap::Unclear);
        assert_eq!(kept(&of(9, 5), &of(8, 4), 2), Cap::Unclear);
    }
}
