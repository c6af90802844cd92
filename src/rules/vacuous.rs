//! VACUOUS: schemas that promise or demand nothing.

mod misspelling;
mod output;
mod parameter;
mod tool;

use super::Rule;
use crate::schema::SchemaView;
use serde_json::{Value, json};

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] =
    &[&tool::Tool, &parameter::Parameter, &output::Output, &misspelling::Misspelling];

/// Two absurd argument objects, both accepted by the judge: the witness of a vacuous tool.
fn odd_arguments(view: &SchemaView<'_>) -> Option<Value> {
    let judge = view.judge().ok()?;
    let declared = view.schema.get("properties").and_then(Value::as_object);
    let first = declared.and_then(|d| d.keys().next()).map_or("no_such_parameter", String::as_str);
    let odd = [json!({first: [null, {"no": ["such", -1]}]}), json!({"another_invention": {"": false}})];
    odd.iter().all(|o| judge.accepts(o)).then(|| json!(odd))
}

/// `name` with two letters swapped near its end, or its last letter doubled.
fn misspell(name: &str) -> Option<String> {
    let chars: Vec<char> = name.chars().collect();
    for i in (2..chars.len()).rev() {
        if let (Some(a), Some(b)) = (chars.get(i - 1), chars.get(i))
            && i + 1 < chars.len()
            && a != b
            && a.is_alphanumeric()
            && b.is_alphanumeric()
        {
            let mut swapped = chars.clone();
            swapped.swap(i - 1, i);
            return Some(swapped.into_iter().collect());
        }
    }
    let last = chars.last()?;
    Some(format!("{name}{last}"))
}
