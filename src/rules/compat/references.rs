//! Limits on references.

use super::Report;
use crate::finding::Part;
use crate::pointer;
use crate::profile::{Check, Which};
use crate::rules::schema::place;
use crate::rules::{SchemaSite, say};
use crate::schema::recursion;

pub(super) fn check(check: &Check, site: &SchemaSite<'_>, out: &mut Report<'_, '_>) {
    let Check::References { forbidden, .. } = check else { return };
    match forbidden {
        Which::Any => {
            for reference in site.view.references() {
                let Some(node) = site.view.nodes().get(reference.node) else { continue };
                let at = site.at(&pointer::child(&node.pointer, reference.keyword));
                let of = place::name(site, reference.node);
                out.emit(
                    at,
                    format!(
                        "the schema of {of} is behind `{}` {}",
                        reference.keyword,
                        say::quoted(reference.uri)
                    ),
                )
                .part = Part::Key;
            }
        }
        Which::Recursive => {
            for node in recursion::targets(&site.view).into_iter().filter_map(|i| site.view.nodes().get(i)) {
                let what = match node.pointer.as_str() {
                    "" => "the schema".to_string(),
                    pointer => say::quoted(pointer),
                };
                out.emit(site.at(&node.pointer), format!("{what} contains itself, by a reference"));
            }
        }
    }
}
