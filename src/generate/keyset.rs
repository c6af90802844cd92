//! Names of keys in the order they were asked for: small sets are looked through, large ones indexed.

use super::facts::Key;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Names up to which looking through them all is the fastest.
const FEW: usize = 16;

/// Different names, in order. Copies share their contents until one of them grows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys<'a>(Rc<Inner<'a>>);

#[derive(Debug, Clone, Default)]
struct Inner<'a> {
    list: Vec<Key<'a>>,
    /// Everything in `list`, once it is more than a few.
    index: BTreeSet<Key<'a>>,
}

impl<'a> Keys<'a> {
    pub(crate) fn contains(&self, key: &str) -> bool {
        if self.0.list.len() > FEW {
            self.0.index.contains(key)
        } else {
            self.0.list.iter().any(|k| k == key)
        }
    }

    /// Add the name at the end; whether it is new.
    pub(crate) fn insert(&mut self, key: Key<'a>) -> bool {
        if self.contains(&key) {
            return false;
        }
        let inner = Rc::make_mut(&mut self.0);
        if inner.list.len() == FEW {
            inner.index.extend(inner.list.iter().cloned());
        }
        if inner.list.len() >= FEW {
            inner.index.insert(key.clone());
        }
        inner.list.push(key);
        true
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Key<'a>> {
        self.0.list.iter()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.list.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.list.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_kept_and_nothing_stands_twice() {
        for n in [1, FEW - 1, FEW, FEW + 1, 100] {
            let mut keys = Keys::default();
            for i in 0..n {
                assert!(keys.insert(format!("k{i}").into()));
            }
            let copy = keys.clone();
            assert!((0..n).all(|i| !keys.insert(format!("k{i}").into())));
            assert!(keys.insert("new".into()) && keys.contains("new") && !copy.contains("new"));
            assert_eq!(keys.iter().position(|k| k == "new"), Some(n));
            assert_eq!((keys.len(), copy.len()), (n + 1, n));
        }
    }
}
