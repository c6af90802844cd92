//! Keys that stand twice in one object of a JSON text: serde_json keeps the last, and says nothing.

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// More are not told.
const MAX: usize = 8;

/// The keys that occur twice in an object of `text`; empty where it is no JSON.
pub(super) fn keys(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut reader = serde_json::Deserializer::from_str(text);
    let _ = Look { found: &mut found }.deserialize(&mut reader);
    found
}

struct Look<'f> {
    found: &'f mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Look<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Look<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Look { found: &mut *self.found })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut keys: BTreeSet<Key<'de>> = BTreeSet::new();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            members.next_value_seed(Look { found: &mut *self.found })?;
            if let Some(twice) = keys.replace(key)
                && self.found.len() < MAX
            {
                self.found.push(twice.0.into_owned());
            }
        }
        Ok(())
    }
}

/// A key, borrowed where it has no escapes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'de>(std::borrow::Cow<'de, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key<'de>, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Key<'de>, E> {
                Ok(Key(text.into()))
            }

            fn visit_str<E>(self, text: &str) -> Result<Key<'de>, E> {
                Ok(Key(text.to_string().into()))
            }
        }
        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::keys;

    #[test]
    fn repeated_keys_are_found_at_every_depth() {
        assert_eq!(keys(r#"{"a": 1, "b": [{"c": null, "d": 1.5, "\u0063": true}]}"#), ["c"]);
        assert_eq!(keys(r#"{"a": {"a": "x"}, "b": [{"a": 1}, {"a": 2}]}"#), Vec::<String>::new());
        assert_eq!(keys("{"), Vec::<String>::new());
    }
}
