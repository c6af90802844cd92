//! The readers of the field: PyYAML and js-yaml, run as they are where they are installed.

#![allow(dead_code)]
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::process::Command;

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/pack").join(name)
}

fn lines(command: &mut Command) -> Vec<Value> {
    let out = command.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Whether python3 can import `modules`; says that the test is skipped if not.
pub fn python_has(modules: &str) -> bool {
    let found = Command::new("python3").args(["-W", "ignore", "-c", &format!("import {modules}")]).output();
    let has = found.is_ok_and(|out| out.status.success());
    if !has {
        eprintln!("skipped: python3 with {modules} is not here");
    }
    has
}

/// Run a Python program of `tests/it/pack` on `stdin`; its standard output.
pub fn python(program: &str, stdin: &str) -> String {
    let out = assert_cmd::Command::new("python3")
        .args(["-W", "ignore"])
        .arg(script(program))
        .write_stdin(stdin)
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// What PyYAML reads from each of `files`; `None` where it is not installed.
pub fn pyyaml(files: &[PathBuf]) -> Option<Vec<Value>> {
    python_has("yaml").then(|| lines(Command::new("python3").arg(script("read_back.py")).args(files)))
}

/// What js-yaml reads from each of `files` (objects as `{"!pairs": …}`); `None` where it is not
/// installed: `npm install --prefix target/js-yaml js-yaml`, or a folder named by `VERITY_JS_YAML`.
pub fn js_yaml(files: &[PathBuf]) -> Option<Vec<Value>> {
    let folder = std::env::var_os("VERITY_JS_YAML")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("target/js-yaml"), PathBuf::from);
    let module = folder.join("node_modules/js-yaml");
    if !module.exists() {
        eprintln!("skipped: js-yaml is not in {}", folder.display());
        return None;
    }
    Some(lines(Command::new("node").arg(script("read_back.js")).arg(module).args(files)))
}

/// Equal as JSON, key order included; numbers by value, an integer and a float apart.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|((ka, va), (kb, vb))| ka == kb && same(va, vb))
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Number(a), Value::Number(b)) => a.is_f64() == b.is_f64() && a == b,
        _ => a == b,
    }
}

/// `value` as js-yaml can hold it: every number a double, keys that are array indices first.
pub fn as_javascript(value: &Value) -> Value {
    let pairs = |members: &Map<String, Value>| {
        let index = |key: &str| key.parse::<u32>().ok().filter(|n| *n < u32::MAX && n.to_string() == key);
        let mut indices: Vec<_> = members.iter().filter(|(k, _)| index(k).is_some()).collect();
        indices.sort_by_key(|(k, _)| index(k));
        let names = members.iter().filter(|(k, _)| index(k).is_none());
        indices.into_iter().chain(names).map(|(k, v)| serde_json::json!([k, as_javascript(v)])).collect()
    };
    match value {
        Value::Array(items) => items.iter().map(as_javascript).collect(),
        Value::Object(members) => serde_json::json!({ "!pairs": Value::Array(pairs(members)) }),
        Value::Number(n) => n.as_f64().map_or(Value::Null, Value::from),
        other => other.clone(),
    }
}

/// As [`as_javascript`] for what the script printed: `1e21` and `1` are one kind of number there.
pub fn from_javascript(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(from_javascript).collect(),
        Value::Object(members) => members.iter().map(|(k, v)| (k.clone(), from_javascript(v))).collect(),
        Value::Number(n) => n.as_f64().map_or(Value::Null, Value::from),
        other => other.clone(),
    }
}
