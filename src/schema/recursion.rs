//! Schemas that contain themselves, by way of their references.

use super::SchemaView;
use std::collections::BTreeSet;

/// Walk indices of subschemas that a reference inside them leads back to: of every ring of references
/// the place where it closes, in document order. Linear in the schema, and no recursion on the stack.
#[must_use]
pub fn targets(view: &SchemaView<'_>) -> Vec<usize> {
    if view.references().is_empty() {
        return Vec::new();
    }
    let links = view.links();
    let mut state = vec![State::New; view.nodes().len()];
    let mut found = BTreeSet::new();
    // The root reaches every node of the walk.
    let mut path: Vec<(usize, usize)> = vec![(0, 0)];
    while let Some((node, cursor)) = path.last_mut() {
        let (node, i) = (*node, *cursor);
        *cursor += 1;
        let children = links.children(node);
        let next = match i.checked_sub(children.len()) {
            None => children.get(i),
            Some(i) => links.targets(node).get(i),
        };
        set(&mut state, node, State::Open);
        let Some(&next) = next else {
            set(&mut state, node, State::Done);
            path.pop();
            continue;
        };
        match state.get(next) {
            Some(State::New) => path.push((next, 0)),
            Some(State::Open) => {
                found.insert(next);
            }
            _ => {}
        }
    }
    found.into_iter().collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn set(state: &mut [State], at: usize, to: State) {
    if let Some(s) = state.get_mut(at) {
        *s = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn found(schema: &Value) -> Vec<String> {
        let view = SchemaView::new(schema);
        targets(&view).into_iter().map(|i| view.nodes()[i].pointer.clone()).collect()
    }

    #[test]
    fn what_contains_itself() {
        let tree = json!({"properties": {"root": {"$ref": "#/$defs/N"}, "other": {"$ref": "#/$defs/M"}},
            "$defs": {"N": {"properties": {"c": {"items": {"$ref": "#/$defs/N"}}}}, "M": {"type": "string"}}});
        assert_eq!(found(&tree), ["/$defs/N"]);
        assert_eq!(
            found(&json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/properties/c"}, "c": {}}})),
            [""]
        );
        let two = json!({"$ref": "#/$defs/A", "$defs": {"A": {"items": {"$ref": "#/$defs/B"}}, "B": {"items": {"$ref": "#/$defs/A"}},
            "C": {"$ref": "#/$defs/A"}}});
        assert_eq!(found(&two), ["/$defs/A"]);
    }

    #[test]
    fn what_does_not() {
        let shared = json!({"properties": {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}},
            "$defs": {"x": {"properties": {"y": {"$ref": "#/$defs/z"}}}, "z": true}});
        assert!(found(&shared).is_empty());
    }

    #[test]
    fn a_chain_of_ten_thousand_costs_no_stack() {
        let defs: serde_json::Map<_, _> = (0..10_000)
            .map(|i| (format!("d{i}"), json!({"items": {"$ref": format!("#/$defs/d{}", (i + 1) % 10_000)}})))
            .collect();
        assert_eq!(found(&json!({"$defs": defs})), ["/$defs/d0"]);
    }
}
