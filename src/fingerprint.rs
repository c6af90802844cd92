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
    let mut often = Often::default();
    for finding in findings {
        let name = match &finding.tool {
            Some(name) => Some(name.as_str()),
            None => name_of(manifest, &finding.pointer),
        };
        finding.fingerprint = often.next(&finding.rule, name, &finding.pointer);
    }
}

/// How many findings there were of one rule, name and place.
#[derive(Debug, Default)]
pub(crate) struct Often(BTreeMap<String, usize>);

impl Often {
    /// The fingerprint of one more.
    pub(crate) fn next(&mut self, rule: &str, name: Option<&str>, pointer: &str) -> String {
        let print = of(rule, name, pointer, 0);
        let n = self.0.entry(print.clone()).or_insert(0);
        *n += 1;
        if *n == 1 { print } else { of(rule, name, pointer, *n - 1) }
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
fn of(rule: &str, name: Option<&str>, pointer: &str, n: usize) -> String {
    let mut hash = Sha256::new();
    for part in [rule, name.unwrap_or(""), &unnumbered(below(pointer))] {
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

/// A place without positions in lists: whoever puts a branch of `anyOf` or a value of `enum` before the others has made
/// nothing new. Of two findings of a rule that are alike then, the number tells.
fn unnumbered(pointer: &str) -> String {
    const NAMES: &[&str] = &["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
    let mut out = String::with_capacity(pointer.len());
    // Whether the last token is a keyword whose members have names of their own.
    let mut holds_names = false;
    for token in pointer.split('/').skip(1) {
        let is_position = !holds_names && !token.is_empty() && token.bytes().all(|b| b.is_ascii_digit());
        holds_names = !holds_names && NAMES.contains(&token);
        out.push('/');
        out.push_str(if is_position { "*" } else { token });
    }
    out
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
        assert_eq!(print(None, "/tools/1/icons/0"), print(None, "/tools/1/icons/1"));
    }

    #[test]
    fn nor_that_in_a_list_but_names_that_are_numbers_are() {
        let print = |pointer: &String| of("R", Some("a"), pointer, 0);
        let within = |rest: &str| format!("/tools/0/inputSchema/{rest}");
        assert_eq!(print(&within("anyOf/0/enum/2")), print(&within("anyOf/1/enum/0")));
        assert_ne!(print(&within("properties/0/type")), print(&within("properties/1/type")));
        assert_ne!(print(&within("properties/properties/type")), print(&within("properties/0/type")));
        assert_eq!(
            print(&within("properties/properties/anyOf/0")),
            print(&within("properties/properties/anyOf/1"))
        );
        assert_ne!(print(&within("anyOf/0")), print(&within("oneOf/0")));
    }

    #[test]
    fn a_second_of_a_kind_has_its_own() {
        assert_ne!(of("R", None, "/tools/1", 0), of("R", None, "/tools/1", 1));
    }
}
