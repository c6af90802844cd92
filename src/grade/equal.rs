//! Equality as the runner has it: Python's `==` on what `json.loads` and YAML give, and its csv rows.

use serde_json::Value;

/// Python's `a == b`: `1 == 1.0`, and `True == 1`, which JSON Schema would not say.
#[must_use]
pub fn python(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| python(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, a)| b.get(k).is_some_and(|b| python(a, b)))
        }
        (Value::Number(_) | Value::Bool(_), Value::Number(_) | Value::Bool(_)) => number(a) == number(b),
        _ => a == b,
    }
}

/// An exact form of a number: as an integer where it is one, else its bits.
fn number(value: &Value) -> Option<Result<i128, u64>> {
    match value {
        Value::Bool(b) => Some(Ok(i128::from(*b))),
        Value::Number(n) => {
            if let Some(i) = n.as_i64() {
                return Some(Ok(i128::from(i)));
            }
            if let Some(u) = n.as_u64() {
                return Some(Ok(i128::from(u)));
            }
            let f = n.as_f64()?;
            let is_small_integer = f.fract() == 0.0 && f.abs() < 1e38;
            Some(if is_small_integer { Ok(f as i128) } else { Err(f.to_bits()) })
        }
        _ => None,
    }
}

/// Rows of a CSV text as Python's `csv.reader` gives them with its default dialect.
#[must_use]
pub fn csv_rows(text: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let (mut row, mut field) = (Vec::new(), String::new());
    let (mut quoted, mut is_row_open) = (false, false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if field.is_empty() => (quoted, is_row_open) = (true, true),
            ',' if !quoted => {
                row.push(std::mem::take(&mut field));
                is_row_open = true;
            }
            '\r' | '\n' if !quoted => {
                if c == '\r' && chars.peek() == Some(&'\n') {
                    chars.next();
                }
                end_row(&mut rows, &mut row, &mut field, is_row_open);
                is_row_open = false;
            }
            c => {
                field.push(c);
                is_row_open = true;
            }
        }
    }
    if is_row_open {
        end_row(&mut rows, &mut row, &mut field, true);
    }
    rows
}

/// An empty line is an empty row.
fn end_row(rows: &mut Vec<Vec<String>>, row: &mut Vec<String>, field: &mut String, is_open: bool) {
    if is_open {
        row.push(std::mem::take(field));
    }
    rows.push(std::mem::take(row));
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn equal_as_in_python() {
        assert!(python(&json!([1, {"a": true}]), &json!([1.0, {"a": 1}])));
        assert!(python(&json!({"a": 1, "b": 2}), &json!({"b": 2, "a": 1})));
        assert!(!python(&json!("1"), &json!(1)));
        assert!(!python(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992.0)));
        assert!(!python(&json!(null), &json!(0)));
    }

    #[test]
    fn csv_as_in_python() {
        // list(csv.reader(io.StringIO(text))) of Python 3.11.
        assert_eq!(csv_rows("a,b\nc,\"d \"\"e\"\"\nf\"\n"), [vec!["a", "b"], vec!["c", "d \"e\"\nf"]]);
        assert_eq!(csv_rows("a\r\n\r\nb"), [vec!["a"], vec![], vec!["b"]]);
        assert_eq!(csv_rows("a,\n"), [vec!["a", ""]]);
        assert_eq!(csv_rows(""), Vec::<Vec<String>>::new());
        assert_eq!(csv_rows("\"\"\n"), [vec![""]]);
    }
}
