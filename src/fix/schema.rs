//! Whether a repaired schema means what the old one meant.

use crate::rules::fix::FixKind;
use crate::schema::judge::{Algebra, Formats, Proof};
use crate::schema::{Dialect, SchemaView, common};
use serde_json::{Value, json};

/// Whether the repaired schema may stand for the old one.
///
/// # Errors
/// Why it is left to a person.
pub(super) fn is_same(old: &Value, new: &Value, kind: FixKind) -> Result<(), String> {
    if !keeps_texts(old, new) {
        return Err("a text that agents read would change".to_string());
    }
    if kind == FixKind::Repair {
        let is_better = is_less_broken(old, new);
        return is_better.then_some(()).ok_or("the schema would not be valid".to_string());
    }
    match is_equal_where_it_differs(old, new, kind) {
        Proof::Yes => Ok(()),
        Proof::No => Err("it would change what is accepted".to_string()),
        Proof::Unknown => Err("it cannot be proven that the same is accepted".to_string()),
    }
}

/// As [`is_equal`], without what both have in common where that is enough: a repair changes little of a schema.
fn is_equal_where_it_differs(old: &Value, new: &Value, kind: FixKind) -> Proof {
    let dialect = Dialect::of(old);
    if Dialect::of(new) == dialect
        && let Some(rest) = common::taken_out(old, new, |one, two| one == two)
        && is_equal(&rest.old, &rest.new, dialect, kind) == Proof::Yes
    {
        return Proof::Yes;
    }
    is_equal(old, new, dialect, kind)
}

/// Whether both accept the same values, by proof of both inclusions; formats asserted and not.
fn is_equal(old: &Value, new: &Value, dialect: Dialect, kind: FixKind) -> Proof {
    if Dialect::of(new) != dialect {
        return Proof::Unknown;
    }
    for formats in [Formats::Annotate, Formats::Assert] {
        let (Ok(before), Ok(after)) =
            (Algebra::of(old, dialect, formats), Algebra::of(new, dialect, formats))
        else {
            return Proof::Unknown;
        };
        let before = match kind {
            FixKind::EqualObjects => {
                let objects = Algebra::of(&json!({"type": "object"}), dialect, formats).ok();
                match objects.and_then(|objects| before.and(&objects)) {
                    Some(objects) => objects,
                    None => return Proof::Unknown,
                }
            }
            _ => before,
        };
        match (before.covers(&after), after.covers(&before)) {
            (Proof::Yes, Proof::Yes) => {}
            (Proof::No, _) | (_, Proof::No) => return Proof::No,
            _ => return Proof::Unknown,
        }
    }
    Proof::Yes
}

/// Whether the metaschema has fewer complaints.
fn is_less_broken(old: &Value, new: &Value) -> bool {
    let faults = |schema: &Value| SchemaView::new(schema).metaschema_violations().len();
    let (before, after) = (faults(old), faults(new));
    // A dialect that nobody knows has no metaschema of its own: it counts as a fault.
    let unknown = |schema: &Value| usize::from(Dialect::of(schema) == Dialect::Unknown);
    after + unknown(new) < before + unknown(old)
}

/// Whether the same texts and values for a reader stand in both: a repair touches no words.
fn keeps_texts(old: &Value, new: &Value) -> bool {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    texts(old, &mut before);
    texts(new, &mut after);
    before.sort();
    after.sort();
    before.dedup();
    after.dedup();
    before == after
}

fn texts(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                if matches!(key.as_str(), "description" | "title" | "default" | "examples" | "$comment")
                    && !value.is_object()
                {
                    out.push(format!("{key} {value}"));
                }
                texts(value, out);
            }
        }
        Value::Array(items) => items.iter().for_each(|v| texts(v, out)),
        _ => {}
    }
}
