//! Packs of real listings: both readers give the manifest's schemas back verbatim, and Python's own
//! grader passes every solution and fails every control.
//!
//! Every thirtieth listing; all of them where `VERITY_WHOLE_CORPUS` is set.

use super::readers::{as_javascript, from_javascript, js_yaml, python, python_has, pyyaml, same};
use crate::support::shared;
use serde_json::{Value, json};
use std::path::PathBuf;
use verity::pack::export::{Context, Options, Pack, export};
use verity::pack::task::ReasonCode;
use verity::threads::STACK_BYTES;
use verity::{manifest, rules, source};

fn listings() -> Option<Vec<PathBuf>> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(shared("corpus")?).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let step = if std::env::var_os("VERITY_WHOLE_CORPUS").is_some() { 1 } else { 30 };
    Some(files.into_iter().step_by(step).collect())
}

fn packs(files: Vec<PathBuf>) -> Vec<Pack> {
    let work = move || {
        let mut packs = Vec::new();
        for file in files {
            let document = source::parse("tools.json", std::fs::read(file).unwrap()).unwrap();
            for manifest in manifest::read(&document).unwrap() {
                let options = Options {
                    pack: "p".into(),
                    seed: "s".into(),
                    context: Context::Tool,
                    include_flagged: true,
                };
                let pack = export(&manifest, &rules::run(&manifest), &options);
                for task in &pack.tasks {
                    assert!(same(&task.schema, manifest.tools[task.index].input_schema().unwrap()));
                }
                packs.push(pack);
            }
        }
        packs
    };
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap()
}

#[test]
fn real_packs_are_read_and_graded_as_promised() {
    let Some(files) = listings() else { return };
    let packs = packs(files);
    let tasks: Vec<_> = packs.iter().flat_map(|p| &p.tasks).collect();
    let left_out =
        packs.iter().flat_map(|p| &p.skipped).filter(|s| s.reason_code != ReasonCode::Vacuous).count();
    assert!(tasks.len() > 100 && left_out * 20 < tasks.len(), "{} tasks, {left_out} left out", tasks.len());
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (n, pack) in packs.iter().enumerate() {
        for task in &pack.tasks {
            let path = folder.path().join(format!("{n}-{}.yaml", task.name));
            std::fs::write(&path, &pack.files[&format!("{}.yaml", task.name)]).unwrap();
            paths.push(path);
        }
    }
    let pointer = "/assertions/1/params/schema";
    for (task, read) in tasks.iter().zip(pyyaml(&paths).unwrap_or_default()) {
        assert!(
            same(&task.schema, read.pointer(pointer).unwrap()),
            "PyYAML reads another schema of {}",
            task.tool
        );
        let workspace: Value =
            serde_json::from_str(read["starting_workspace"]["tools.json"].as_str().unwrap()).unwrap();
        assert!(same(&workspace["tools"][0]["inputSchema"], &task.schema), "{}", task.tool);
    }
    for (task, read) in tasks.iter().zip(js_yaml(&paths).unwrap_or_default()) {
        let read = from_javascript(&read);
        let in_javascript = ["assertions", "1", "params", "schema"].iter().try_fold(&read, |at, key| {
            let pairs = at.get("!pairs").and_then(Value::as_array);
            match pairs {
                Some(pairs) => pairs.iter().find(|p| p[0] == **key).map(|p| &p[1]),
                None => at.get(key.parse::<usize>().ok()?),
            }
        });
        assert_eq!(
            in_javascript,
            Some(&as_javascript(&task.schema)),
            "js-yaml reads another schema of {}",
            task.tool
        );
    }
    if python_has("jsonschema") {
        grade(&tasks);
    }
}

fn grade(tasks: &[&verity::pack::task::Task]) {
    let line = |task: &&verity::pack::task::Task| {
        let controls = task.controls.iter().map(|c| &c.arguments);
        let instances: Vec<&Value> = std::iter::once(&task.solution).chain(controls).collect();
        format!("{}\n", json!([task.schema, instances]))
    };
    let answers = python("python_jsonschema.py", &tasks.iter().map(line).collect::<String>());
    for (task, answer) in tasks.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let mut expected = vec![json!(true)];
        expected.resize(1 + task.controls.len(), json!(false));
        assert!(!task.controls.is_empty());
        assert_eq!(answer, Value::Array(expected), "{}: {} {:?}", task.tool, task.solution, task.controls);
    }
}
