//! How a value gets to a subschema: the keys and items to go through from the root, references
//! followed. The shortest way is kept, so a witness stays small.

use super::refs::Links;
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

/// The longest way that is given step by step; a witness that deep helps nobody.
const MAX_WAY: usize = 100;

/// The shortest way from the root to every subschema.
#[derive(Debug)]
pub struct Reach {
    /// For each node: how it is reached; `None` if it is not.
    entries: Vec<Option<Entry>>,
}

#[derive(Debug, Clone)]
struct Entry {
    from: usize,
    step: Step,
    length: usize,
    /// A step on the way inverts.
    inverse: bool,
    /// No step on the way leads into the value.
    same: bool,
}

impl Reach {
    /// Breadth first over the walk and its references.
    #[must_use]
    pub fn of(nodes: &[Node<'_>], links: &Links) -> Reach {
        let mut entries: Vec<Option<Entry>> = vec![None; nodes.len()];
        if let Some(root) = entries.first_mut() {
            *root = Some(Entry { from: 0, step: Step::Same, length: 0, inverse: false, same: true });
        }
        let mut queue = VecDeque::from([0]);
        while let Some(at) = queue.pop_front() {
            let Some(Some(here)) = entries.get(at).cloned() else { continue };
            let children = links
                .children(at)
                .iter()
                .filter_map(|c| Some((*c, step(&nodes.get(*c)?.via, nodes.get(at))?)));
            let targets = links.targets(at).iter().map(|t| (*t, Step::Same));
            for (to, step) in children.chain(targets) {
                let Some(entry @ None) = entries.get_mut(to) else { continue };
                *entry = Some(Entry {
                    from: at,
                    length: here.length + 1,
                    inverse: here.inverse || step == Step::Inverse,
                    same: here.same && matches!(step, Step::Same | Step::Inverse),
                    step,
                });
                queue.push_back(to);
            }
        }
        Reach { entries }
    }

    fn entry(&self, node: usize) -> Option<&Entry> {
        self.entries.get(node)?.as_ref()
    }

    /// Node and step, from the root on, up to `node`: each step leads from the node it is paired with.
    /// `None` for a subschema that nothing uses, or that lies very deep.
    #[must_use]
    pub fn way(&self, node: usize) -> Option<Vec<(usize, Step)>> {
        let mut way = Vec::new();
        let mut at = node;
        while at != 0 {
            let entry = self.entry(at).filter(|e| e.length <= MAX_WAY)?;
            way.push((entry.from, entry.step.clone()));
            at = entry.from;
        }
        way.reverse();
        Some(way)
    }

    /// Whether values get to `node` at all.
    #[must_use]
    pub fn is_used(&self, node: usize) -> bool {
        self.entry(node).is_some()
    }

    /// Whether `node` is reached through `not` or `if` only (on the shortest way).
    #[must_use]
    pub fn is_inverse(&self, node: usize) -> bool {
        self.entry(node).is_some_and(|e| e.inverse)
    }

    /// Whether `node` constrains the root value itself, not a value in it.
    #[must_use]
    pub fn is_about_the_root(&self, node: usize) -> bool {
        self.entry(node).is_some_and(|e| e.same)
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
