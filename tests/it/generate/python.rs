//! The model of the packs' grader against the real one, Python's `jsonschema`, where it is installed.

use crate::support::shared;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};
use verity::generate::{Options, generate};
use verity::schema::judge::Formats;
use verity::schema::{SchemaView, grader};

/// Reads a line for each schema and says of each instance whether it is valid; `null` for a schema that
/// it cannot use. Dialect and metaschema as a pack's `json_schema` assertion has it.
const SCRIPT: &str = r#"
import json, sys
import jsonschema
from jsonschema.validators import validator_for
sys.setrecursionlimit(5000)
for line in sys.stdin:
    case = json.loads(line)
    try:
        kind = validator_for(case["schema"], default=jsonschema.Draft202012Validator)
        kind.check_schema(case["schema"])
        validator = kind(case["schema"])
        print(json.dumps([validator.is_valid(x) for x in case["instances"]]))
    except Exception as e:
        print(json.dumps(type(e).__name__))
"#;

/// A schema and what the model says of instances: only where it says anything.
struct Case {
    name: String,
    schema: Value,
    claims: Vec<(Value, bool)>,
}

fn case(name: String, schema: Value, count: usize, invalid: usize) -> Option<Case> {
    let view = SchemaView::new(&schema);
    if grader::refusal(&view).is_some() || !view.metaschema_violations().is_empty() {
        return None;
    }
    let options = Options { seed: "", name: &name, count, invalid, formats: Formats::Annotate };
    let got = generate(&view, &options);
    let instances = got.valid.into_iter().chain(got.invalid.into_iter().map(|m| m.instance));
    let claims: Vec<_> = instances.filter_map(|i| Some((grader::agreed(&view, &i)?, i))).collect();
    let claims = claims.into_iter().map(|(says, i)| (i, says)).collect();
    Some(Case { name, schema, claims })
}

/// `None` where there is no Python with `jsonschema`, which is said aloud.
fn python(cases: &[Case]) -> Option<Vec<Value>> {
    let usable = Command::new("python3").args(["-c", "import jsonschema"]).stderr(Stdio::null()).status();
    if !usable.is_ok_and(|s| s.success()) {
        eprintln!("skipped: no python3 with jsonschema is here (pip install jsonschema)");
        return None;
    }
    let mut child = Command::new("python3")
        .args(["-c", SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines: String = cases
        .iter()
        .map(|c| {
            let instances: Vec<&Value> = c.claims.iter().map(|(i, _)| i).collect();
            format!("{}\n", json!({"schema": c.schema, "instances": instances}))
        })
        .collect();
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(|l| serde_json::from_str(l).unwrap()).collect())
}

/// Compares, and returns how many claims there were.
fn compare(cases: &[Case]) -> Option<usize> {
    let answers = python(cases)?;
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    let mut claims = 0;
    for (case, answer) in cases.iter().zip(&answers) {
        for (i, (instance, says)) in case.claims.iter().enumerate() {
            claims += 1;
            if answer.get(i) != Some(&json!(says)) {
                wrong.push(format!("{}: {says} for {instance}, Python says {answer}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {claims} disagree:\n{}", wrong.len(), wrong.join("\n"));
    Some(claims)
}

/// Reference solutions and controls of the corpus: one schema of fifteen, all with `VERITY_WHOLE_CORPUS=1`.
#[test]
fn what_is_exported_is_judged_alike_in_python() {
    let Some(folder) = shared("corpus") else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
    files.sort();
    let mut schemas = std::collections::BTreeMap::new();
    for file in files {
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let Ok(listing) = serde_json::from_str::<Value>(&text) else { continue };
        for tool in listing["tools"].as_array().into_iter().flatten() {
            if tool["inputSchema"].is_object() {
                let name = format!("{} {}", file.file_name().unwrap().to_string_lossy(), tool["name"]);
                schemas.entry(tool["inputSchema"].to_string()).or_insert(name);
            }
        }
    }
    let step = if std::env::var_os("VERITY_WHOLE_CORPUS").is_some() { 1 } else { 15 };
    let cases: Vec<Case> = schemas
        .into_iter()
        .step_by(step)
        .filter_map(|(text, name)| case(name, serde_json::from_str(&text).unwrap(), 1, 8))
        .collect();
    let Some(claims) = compare(&cases) else { return };
    assert!(claims > cases.len() * 2, "{claims} claims about {} schemas", cases.len());
}

#[test]
fn the_official_suites_schemas_are_judged_alike_in_python() {
    let Some(path) = shared("gen/suite.jsonl") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let cases: Vec<Case> = rows
        .filter_map(|row| case(row["id"].as_str().unwrap().to_string(), super::with_draft(&row), 4, 8))
        .collect();
    let Some(claims) = compare(&cases) else { return };
    assert!(claims >= 2_000, "{claims} claims about {} schemas", cases.len());
}
