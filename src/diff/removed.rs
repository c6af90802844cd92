//! What becomes of calls with arguments that are gone. The judge names one cause for an object that is closed, so that
//! one of them has a witness; those for the others are made of it.

use super::places::{At, Place};
use super::structure::{Named, Structure};
use crate::pointer;
use crate::schema::common::weight;
use crate::schema::{SchemaView, witness};
use serde_json::Value;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

/// Values in all that is made for one schema: a report is no place for more.
const MOST: usize = 20_000;

/// Makes witnesses of others.
pub(super) struct Made<'s> {
    old: &'s Value,
    new: &'s Value,
    /// Both compiled: once, and only where something has to be tried.
    views: OnceCell<(SchemaView<'s>, SchemaView<'s>)>,
    /// Of each object from which arguments went, by its pointer in an instance: a witness for one of them, with none of
    /// them that the old release does not demand.
    bare: BTreeMap<String, Value>,
    left: usize,
}

impl<'s> Made<'s> {
    /// `refused`: arguments that are gone, each with a witness.
    pub fn new(
        old: &'s Value,
        new: &'s Value,
        structure: &Structure,
        refused: &[(&Named, Value)],
    ) -> Made<'s> {
        let mut bare = BTreeMap::new();
        for (of, value) in refused {
            let Some((parent, _)) = pointer::split_last(&of.instance) else { continue };
            if bare.contains_key(parent) {
                continue;
            }
            let demanded = around(old, &of.instance).demanded();
            let names = structure.removed.iter().filter_map(|gone| pointer::split_last(&gone.instance));
            let gone: BTreeSet<String> = names
                .filter(|(place, name)| *place == parent && !demanded.contains(name.as_str()))
                .map(|(_, name)| name)
                .collect();
            let mut value = value.clone();
            if let Some(object) = value.pointer_mut(parent).and_then(Value::as_object_mut) {
                object.retain(|name, _| !gone.contains(name));
                bare.insert(parent.to_string(), value);
            }
        }
        Made { old, new, views: OnceCell::new(), bare, left: MOST }
    }

    /// A call with `gone` that was accepted and is refused, made of one with an argument of the same object.
    pub fn witness(&mut self, gone: &Named) -> Option<Value> {
        let (parent, key) = pointer::split_last(&gone.instance)?;
        let mut value = self.bare.get(parent)?.clone();
        let property = SchemaView::new(self.old.pointer(&gone.pointer)?);
        value.pointer_mut(parent)?.as_object_mut()?.insert(key, witness::plausible_whole(&property));
        self.left = self.left.checked_sub(weight(&value))?;
        let compiled = || (SchemaView::new(self.old), SchemaView::new(self.new));
        let (old, new) = self.views.get_or_init(compiled);
        let accepts = |view: &SchemaView<'_>| view.judge().ok().map(|judge| judge.accepts(&value));
        (accepts(old) == Some(true) && accepts(new) == Some(false)).then_some(value)
    }
}

/// Whether `schema` says that the object around `instance` has no other keys, in any of its cases.
pub(super) fn is_closed_around(schema: &Value, instance: &str) -> bool {
    let is_false = |at: &At<'_>| {
        ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|keyword| at.schema.get(*keyword) == Some(&Value::Bool(false)))
            || *at.schema == Value::Bool(false)
    };
    around(schema, instance).all.iter().any(is_false)
}

/// The place of the object that holds `instance`.
fn around<'s>(schema: &'s Value, instance: &str) -> Place<'s> {
    let mut place = Place::root(schema);
    let tokens: Vec<String> = pointer::tokens(instance).collect();
    for token in tokens.iter().take(tokens.len().saturating_sub(1)) {
        let is_index = token.bytes().all(|b| b.is_ascii_digit()) && place.names().is_empty();
        place = if is_index { place.items() } else { place.member(token) };
    }
    place
}
