//! How a value gets to a subschema: the keys and items to go through from the root, references
//! followed. The shortest way is kept, so a witness stays small.

use super::refs::{Reference, Target};
use super::walk::{Node, Via};
use std::collections::VecDeque;

/// One step from a value to the value below that a subschema constrains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The same value (`allOf`, `$ref`, …).
    Same,
    /// The same value, but refused where the subschema accepts it, or only looked at (`not`, `if`).
    Inverse,
    Key(String),
    /// A key that matches the pattern.
    KeyLike(String),
    /// A key that the schema around does not declare.
    OtherKey,
    /// The key itself.
    Name,
    Item(usize),
    /// An item behind the first that many.
    ItemBehind(usize),
}

/// The shortest way from the root to every subschema.
#[derive(Debug)]
pub struct Reach {
    /// For each node: where it is reached from, and by which step; `None` if it is not reached.
    from: Vec<Option<(usize, Step)>>,
}

impl Reach {
    /// Breadth first over the walk and its references.
    #[must_use]
    pub fn of(nodes: &[Node<'_>], references: &[Reference<'_>]) -> Reach {
        let mut edges: Vec<Vec<(usize, Step)>> = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            let Some(parent) = node.parent else { continue };
            if let (Some(step), Some(list)) = (step(&node.via, nodes.get(parent)), edges.get_mut(parent)) {
                list.push((i, step));
            }
        }
        for r in references {
            if let (Target::Node(to), Some(list)) = (r.target, edges.get_mut(r.node)) {
                list.push((to, Step::Same));
            }
        }
        let mut from: Vec<Option<(usize, Step)>> = vec![None; nodes.len()];
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            for (to, step) in edges.get(at).into_iter().flatten() {
                if let (true, Some(entry @ None)) = (*to != 0, from.get_mut(*to)) {
                    *entry = Some((at, step.clone()));
                    queue.push_back(*to);
                }
            }
        }
        Reach { from }
    }

    /// Node and step, from the root on, up to `node`: each step leads from the node it is paired with.
    /// `None` for a subschema that nothing uses.
    #[must_use]
    pub fn way(&self, node: usize) -> Option<Vec<(usize, Step)>> {
        let mut way = Vec::new();
        let mut at = node;
        while at != 0 {
            let (parent, step) = self.from.get(at)?.clone()?;
            way.push((parent, step));
            at = parent;
        }
        way.reverse();
        Some(way)
    }

    /// Whether values get to `node` at all.
    #[must_use]
    pub fn is_used(&self, node: usize) -> bool {
        node == 0 || self.from.get(node).is_some_and(Option::is_some)
    }
}

fn step(via: &Via, parent: Option<&Node<'_>>) -> Option<Step> {
    Some(match via {
        Via::Root | Via::Definition(_) | Via::ContentSchema => return None,
        Via::Property(name) => Step::Key(name.clone()),
        Via::PatternProperty(pattern) => Step::KeyLike(pattern.clone()),
        Via::AdditionalProperties | Via::UnevaluatedProperties => Step::OtherKey,
        Via::PropertyNames => Step::Name,
        Via::PrefixItem(i) => Step::Item(*i),
        Via::Items | Via::AdditionalItems | Via::UnevaluatedItems => {
            let prefix = parent.and_then(|p| p.schema.get("prefixItems").or_else(|| p.schema.get("items")));
            Step::ItemBehind(prefix.and_then(|p| p.as_array()).map_or(0, Vec::len))
        }
        Via::Contains => Step::ItemBehind(0),
        Via::AllOf(_) | Via::AnyOf(_) | Via::OneOf(_) | Via::Then | Via::Else | Via::DependentSchema(_) => {
            Step::Same
        }
        Via::Not | Via::If => Step::Inverse,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SchemaView;
    use serde_json::{Value, json};

    fn way(schema: &Value, pointer: &str) -> Option<Vec<Step>> {
        let view = SchemaView::new(schema);
        let node = view.nodes().iter().position(|n| n.pointer == pointer).unwrap();
        Some(view.reach().way(node)?.into_iter().map(|(_, s)| s).filter(|s| *s != Step::Same).collect())
    }

    #[test]
    fn through_references_and_items() {
        let schema = json!({"properties": {"list": {"items": {"$ref": "#/$defs/e"}}},
            "$defs": {"e": {"properties": {"x": {"allOf": [{"type": "string"}]}}}, "unused": {"type": "string"}}});
        assert_eq!(
            way(&schema, "/$defs/e/properties/x/allOf/0"),
            Some(vec![Step::Key("list".into()), Step::ItemBehind(0), Step::Key("x".into())])
        );
        assert_eq!(way(&schema, "/$defs/unused"), None);
    }
}
