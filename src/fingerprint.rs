//! What a finding is recognised by in the next run: rule, name and place, whatever the wording and wherever in the
//! listing its tool stands.

use crate::finding::Finding;
use crate::manifest::Manifest;
use crate::sha256;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Lists of a listing whose entries have a name of their own; their order means nothing.
const NAMED: &[&str] = &["tools", "prompts", "resources", "resourceTemplates", "log"];

/// Gives every finding of `manifest` its fingerprint. Those of one rule, name and place are told apart by their
/// number alone, so that a second tool without a name is not covered by what is known of the first.
pub(crate) fn set(manifest: &Manifest, findings: &mut [Finding]) {
    let mut often: BTreeMap<String, usize> = BTreeMap::new();
    for finding in findings {
        let name = match &finding.tool {
            Some(name) => Some(name.as_str()),
            None => name_of(manifest, &finding.pointer),
        };
        let print = of(&finding.rule, name, &finding.pointer, 0);
        let n = often.entry(print.clone()).or_insert(0);
        finding.fingerprint = if *n == 0 { print } else { of(&finding.rule, name, &finding.pointer, *n) };
        *n += 1;
    }
}

/// The name of the prompt or resource at `pointer`. (A finding in a tool that names none is about the listing, and
/// the tool is an example: which one, is a question of order.)
fn name_of<'m>(manifest: &'m Manifest, pointer: &str) -> Option<&'m str> {
    let value = match pointer.strip_prefix("/prompts/") {
        Some(rest) => manifest.prompts.get(rest.split('/').next()?.parse::<usize>().ok()?)?,
        None => {
            let is_it = |place: &str| crate::pointer::is_within(pointer, place);
            &manifest.resources.iter().find(|(place, _)| is_it(place))?.1
        }
    };
    value.get("name").and_then(Value::as_str)
}

/// The fingerprint of the `n`-th finding (from 0) of a rule in what is named so, at this place.
pub(crate) fn of(rule: &str, name: Option<&str>, pointer: &str, n: usize) -> String {
    let mut hash = Sha256::new();
    for part in [rule, name.unwrap_or(""), below(pointer)] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    if n > 0 {
        hash.update(n.to_string().as_bytes());
    }
    let digest = hash.finalize();
    sha256::hex(digest.get(..16).unwrap_or(&digest))
}

/// The place within what has a name: `/description` of `/tools/3/description`.
fn below(pointer: &str) -> &str {
    let mut parts = pointer.splitn(4, '/');
    let (Some(""), Some(list), Some(index)) = (parts.next(), parts.next(), parts.next()) else {
        return pointer;
    };
    if !NAMED.contains(&list) || index.parse::<usize>().is_err() {
        return pointer;
    }
    pointer.get(list.len() + index.len() + 2..).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_position_of_what_has_a_name_is_not_in_it() {
        let print = |name, pointer| of("R", name, pointer, 0);
        assert_eq!(print(Some("a"), "/tools/1/name"), print(Some("a"), "/tools/22/name"));
        assert_eq!(print(None, "/tools/1"), print(None, "/tools/2"));
        assert_eq!(print(Some("a"), "/prompts/0/description"), print(Some("a"), "/prompts/1/description"));
        assert_ne!(print(Some("a"), "/tools/1/name"), print(Some("b"), "/tools/1/name"));
        assert_ne!(print(None, "/tools/1"), print(None, "/tools"));
        assert_ne!(print(None, "/tools/1/icons/0"), print(None, "/tools/1/icons/1"));
        assert_ne!(print(None, "/other/1"), print(None, "/other/2"));
    }

    #[test]
    fn a_second_of_a_kind_has_its_own() {
        assert_ne!(of("R", None, "/tools/1", 0), of("R", None, "/tools/1", 1));
    }
}
