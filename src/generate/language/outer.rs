//! Patterns made wider until they are sets that surely hold every match: the borders of words go, and so do
//! refusals that rest on one or on a back-reference; a back-reference becomes whatever its group may match.

use super::super::pattern::Node;

/// A pattern that matches wherever `root` does.
pub(super) fn of(root: &Node) -> Node {
    wider(root, root)
}

fn wider(node: &Node, root: &Node) -> Node {
    let each = |nodes: &[Node]| nodes.iter().map(|n| wider(n, root)).collect();
    let inside = |node: &Node| Box::new(wider(node, root));
    match node {
        Node::Cat(nodes) => Node::Cat(each(nodes)),
        Node::Alt(nodes) => Node::Alt(each(nodes)),
        Node::Repeat(node, min, max) => Node::Repeat(inside(node), *min, *max),
        Node::Group(number, node) => Node::Group(*number, inside(node)),
        Node::WordBorder(_) => nothing(),
        Node::Ahead(false, inner) | Node::Behind(false, inner)
            if inner.refers_back() || inner.has_border() =>
        {
            nothing()
        }
        Node::Ahead(true, inner) => Node::Ahead(true, inside(inner)),
        Node::Behind(true, inner) => Node::Behind(true, inside(inner)),
        // A group that was not met refers to nothing, and to itself as well.
        Node::BackReference(number) => match group(root, *number).filter(|g| !g.is_special()) {
            Some(group) => Node::Alt(vec![nothing(), group.clone()]),
            None => node.clone(),
        },
        other => other.clone(),
    }
}

fn nothing() -> Node {
    Node::Cat(Vec::new())
}

/// What stands in the group of this number.
fn group(node: &Node, number: usize) -> Option<&Node> {
    match node {
        Node::Group(n, inner) if *n == number => Some(inner),
        Node::Cat(nodes) | Node::Alt(nodes) => nodes.iter().find_map(|n| group(n, number)),
        Node::Repeat(inner, ..) | Node::Group(_, inner) | Node::Ahead(_, inner) | Node::Behind(_, inner) => {
            group(inner, number)
        }
        _ => None,
    }
}
