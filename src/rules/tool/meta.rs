//! Keys of `_meta` objects, wherever a listing has one, and the grammar of such a key.

use crate::pointer;
use crate::rules::ManifestView;
use serde_json::Value;

/// Every `_meta` object outside the tools (of the listing itself, of a prompt): place and value.
pub(super) fn outside_tools<'m>(manifest: &ManifestView<'m>) -> Vec<(String, &'m Value)> {
    let listing = manifest.manifest.listing_fields.iter().filter(|(name, _)| name == "_meta");
    let listing = listing.map(|(_, value)| ("/_meta".to_string(), value));
    let prompts = manifest.manifest.prompts.iter().enumerate();
    let prompts =
        prompts.filter_map(|(i, p)| Some((pointer::index("/prompts", i) + "/_meta", p.get("_meta")?)));
    listing.chain(prompts).collect()
}

/// A key as the specification reads it: an optional prefix (up to the first `/`), and a name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Key<'k> {
    pub prefix: Option<&'k str>,
    pub name: &'k str,
}

impl<'k> Key<'k> {
    pub fn of(key: &'k str) -> Key<'k> {
        match key.split_once('/') {
            Some((prefix, name)) => Key { prefix: Some(prefix), name },
            None => Key { prefix: None, name: key },
        }
    }

    pub fn labels(&self) -> impl Iterator<Item = &'k str> {
        self.prefix.into_iter().flat_map(|p| p.split('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn the_first_slash_ends_the_prefix() {
        assert_eq!(Key::of("a.b/c/d"), Key { prefix: Some("a.b"), name: "c/d" });
        assert_eq!(Key::of("a.b/"), Key { prefix: Some("a.b"), name: "" });
        assert_eq!(Key::of("plain"), Key { prefix: None, name: "plain" });
        assert_eq!(Key::of("a.b/c").labels().collect::<Vec<_>>(), ["a", "b"]);
    }
}
