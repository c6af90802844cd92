//! Any JSON as a schema: what the generator claims of it is held against the judge.
//!
//! Run: `RUSTC_BOOTSTRAP=1 cargo fuzz run -s none solver fuzz/corpus/solver -- -dict=fuzz/json.dict`.
#![no_main]

mod tree;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use serde_json::{Map, Value, json};
use verity::generate::{self, GenerateVerdict, Options};
use verity::schema::SchemaView;
use verity::schema::judge::{Formats, Judge};

fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    tree::mutate(data, size, max_size, seed).unwrap_or_else(|| fuzzer_mutate(data, size, max_size))
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(schema) = serde_json::from_slice::<Value>(bytes) else { return };
    for formats in [Formats::Annotate, Formats::Assert] {
        hold(&schema, formats);
    }
});

fn hold(schema: &Value, formats: Formats) {
    let view = SchemaView::new(schema);
    let options = Options { seed: "fuzz", name: "fuzz", count: 3, invalid: 6, formats };
    let generated = generate::generate(&view, &options);
    assert_eq!(
        generated,
        generate::generate(&SchemaView::new(schema), &options),
        "the same seed, other values"
    );
    let judge = match Judge::compile(schema, view.dialect, formats) {
        Ok(judge) => judge,
        Err(_) => {
            assert!(generated.valid.is_empty() && generated.invalid.is_empty());
            assert_eq!(generated.verdict, GenerateVerdict::Unknown);
            return;
        }
    };
    for (i, value) in generated.valid.iter().enumerate() {
        assert!(judge.accepts(value), "valid, and refused: {value}");
        assert!(!generated.valid[..i].contains(value), "twice: {value}");
    }
    for mutant in &generated.invalid {
        assert!(!judge.accepts(&mutant.instance), "invalid, and accepted: {}", mutant.instance);
    }
    if !generated.valid.is_empty() {
        assert_ne!(generated.verdict, GenerateVerdict::Unsatisfiable);
        assert_ne!(generated.verdict, GenerateVerdict::Unknown);
    }
    let tries = tries(schema);
    match generated.verdict {
        GenerateVerdict::Unsatisfiable => {
            for value in &tries {
                assert!(!judge.accepts(value), "unsatisfiable, and accepts {value}");
            }
        }
        GenerateVerdict::Vacuous => {
            for value in tries.iter().filter(|v| v.is_object()) {
                assert!(judge.accepts(value), "vacuous, and refuses {value}");
            }
        }
        _ => {}
    }
    for pointer in &generated.redundant {
        let Some(without) = without(schema, pointer) else { continue };
        let Ok(other) = Judge::compile(&without, view.dialect, formats) else { continue };
        for value in &tries {
            assert_eq!(
                judge.accepts(value),
                other.accepts(value),
                "{pointer} is redundant, but not for {value}"
            );
        }
    }
}

/// Values to try: plain ones, every value that the schema holds, and what each makes as a member or an
/// item; the generator's own for the schema less one keyword are the hardest.
fn tries(schema: &Value) -> Vec<Value> {
    let mut tries =
        vec![json!(null), json!(true), json!(0), json!(-1.5), json!(""), json!("a"), json!([]), json!({})];
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        if tries.len() > 200 {
            break;
        }
        tries.push(value.clone());
        match value {
            Value::Object(members) => {
                open.extend(members.values());
                tries.extend(members.keys().map(|k| json!(k)));
                tries.extend(members.iter().map(|(k, v)| json!({ k: v })));
                tries.push(members.keys().map(|k| (k.clone(), json!("a"))).collect::<Map<_, _>>().into());
                tries.push(members.keys().map(|k| (k.clone(), json!(1))).collect::<Map<_, _>>().into());
            }
            Value::Array(items) => open.extend(items),
            Value::Number(n) => {
                let n = n.as_f64().unwrap_or(0.0);
                tries.extend([json!(n), json!(n + 1.0), json!(n - 1.0), json!(n / 2.0)]);
            }
            _ => {}
        }
        tries.push(json!([value]));
    }
    for key in schema.as_object().into_iter().flatten().map(|(k, _)| k).take(6) {
        let Some(less) = without(schema, &format!("/{}", key.replace('~', "~0").replace('/', "~1"))) else {
            continue;
        };
        let options = Options { seed: "less", name: "", count: 2, invalid: 0, formats: Formats::Annotate };
        tries.extend(generate::generate(&SchemaView::new(&less), &options).valid);
    }
    tries
}

/// `schema` without the keyword at `pointer`.
fn without(schema: &Value, pointer: &str) -> Option<Value> {
    let mut less = schema.clone();
    let (above, key) = pointer.rsplit_once('/')?;
    let members = less.pointer_mut(above)?.as_object_mut()?;
    members.shift_remove(&key.replace("~1", "/").replace("~0", "~"))?;
    Some(less)
}
