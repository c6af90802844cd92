//! `x-mcp-header` declarations (SEP-2243): where an input schema has them, and how they are reached.

use crate::manifest::Revision;
use crate::rules::{ManifestView, ToolView, say};
use crate::schema::{Node, Via};
use serde_json::Value;

pub(super) const KEYWORD: &str = "x-mcp-header";

/// One subschema that carries the keyword.
pub(super) struct Declaration<'v> {
    /// Pointer in the listing of the keyword.
    pub pointer: String,
    /// How a reader knows the parameter: `filter.region`, or a pointer where there is no such path.
    pub parameter: String,
    pub schema: &'v Value,
    pub value: &'v Value,
    /// Whether `properties` alone lead from the root to it.
    pub reachable: bool,
}

/// Every declaration in the tool's input schema, in document order; none in listings of a revision that does not
/// know the keyword.
pub(super) fn declarations<'v>(tool: &'v ToolView<'_>, manifest: &ManifestView<'_>) -> Vec<Declaration<'v>> {
    if manifest.revision() < Revision::V2026_07_28 {
        return Vec::new();
    }
    let Some(site) = tool.input() else { return Vec::new() };
    let nodes = site.view.nodes();
    let carriers = nodes.iter().filter_map(|node| Some((node, node.schema.get(KEYWORD)?)));
    carriers
        .map(|(node, value)| {
            let path = property_path(nodes, node);
            let reachable = path.as_ref().is_some_and(|p| !p.is_empty());
            Declaration {
                pointer: site.at(&format!("{}/{KEYWORD}", node.pointer)),
                parameter: match path {
                    Some(names) if reachable => say::quoted(&names.join(".")),
                    _ if node.pointer.is_empty() => "the schema itself".to_string(),
                    _ => say::quoted(&node.pointer),
                },
                schema: node.schema,
                value,
                reachable,
            }
        })
        .collect()
}

/// Names of the properties from the root to `node`; `None` if anything but `properties` lies on the way.
fn property_path(nodes: &[Node<'_>], node: &Node<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut at = node;
    loop {
        match &at.via {
            Via::Root => break,
            Via::Property(name) => names.push(name.clone()),
            _ => return None,
        }
        at = nodes.get(at.parent?)?;
    }
    names.reverse();
    Some(names)
}

/// Whether `text` is an RFC 9110 token.
pub(super) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
