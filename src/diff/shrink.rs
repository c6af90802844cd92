//! A witness with all that it does not need taken away.

use crate::pointer;
use serde_json::Value;
use std::collections::BTreeSet;

/// Values that are tried for making a witness smaller.
const MAX_SHRINKS: usize = 200;

/// `value` with every member and item taken away that is not needed for `holds`.
pub(super) fn shrunk(value: &Value, holds: &dyn Fn(&Value) -> bool) -> Value {
    let mut value = value.clone();
    let mut left = MAX_SHRINKS;
    let mut tried = BTreeSet::new();
    while let Some(place) = parts(&value).into_iter().find(|place| !tried.contains(place)) {
        if left == 0 {
            break;
        }
        left -= 1;
        let mut smaller = value.clone();
        remove(&mut smaller, &place);
        if holds(&smaller) {
            value = smaller;
        } else {
            tried.insert(place);
        }
    }
    value
}

/// Pointers of every member and item, outermost first; items from the last.
fn parts(value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut queue = std::collections::VecDeque::from([(String::new(), value)]);
    while let Some((at, value)) = queue.pop_front() {
        let below: Vec<(String, &Value)> = match value {
            Value::Object(members) => members.iter().map(|(k, v)| (pointer::child(&at, k), v)).collect(),
            Value::Array(items) => {
                items.iter().enumerate().rev().map(|(i, v)| (pointer::index(&at, i), v)).collect()
            }
            _ => continue,
        };
        found.extend(below.iter().map(|(at, _)| at.clone()));
        queue.extend(below);
        if found.len() > MAX_SHRINKS {
            break;
        }
    }
    found
}

fn remove(value: &mut Value, place: &str) {
    let Some((parent, last)) = pointer::split_last(place) else { return };
    match value.pointer_mut(parent) {
        Some(Value::Object(members)) => {
            members.shift_remove(&last);
        }
        Some(Value::Array(items)) => {
            if let Some(i) = last.parse::<usize>().ok().filter(|i| *i < items.len()) {
                items.remove(i);
            }
        }
        _ => {}
    }
}

/// Pointers of the objects in `value`, outermost first, a few.
pub(super) fn objects(value: &Value) -> Vec<String> {
    const MOST: usize = 20;
    let mut found = Vec::new();
    let mut queue = std::collections::VecDeque::from([(String::new(), value)]);
    while let Some((at, value)) = queue.pop_front() {
        if found.len() >= MOST {
            break;
        }
        match value {
            Value::Object(members) => {
                found.push(at.clone());
                queue.extend(members.iter().map(|(k, v)| (pointer::child(&at, k), v)));
            }
            Value::Array(items) => {
                queue.extend(items.iter().take(2).enumerate().map(|(i, v)| (pointer::index(&at, i), v)))
            }
            _ => {}
        }
    }
    found
}
