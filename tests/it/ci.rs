//! What other repositories take from this one for their CI: the action, the hooks, the examples of docs/ci.md. They
//! are read as their runners read them, and what runs verity is run.

use crate::support::{fixture, verity};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

fn text(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

fn yaml(text: &str) -> Value {
    verity::yaml::read(text).unwrap_or_else(|e| panic!("{e}\n{text}")).value
}

/// Bodies of the fenced blocks of docs/ci.md in this language.
fn blocks(language: &str) -> Vec<String> {
    let page = text("docs/ci.md");
    let fence = format!("```{language}\n");
    page.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_string()).collect()
}

/// `None` where there is no bash or no git, aloud.
fn repository() -> Option<TempDir> {
    let runs =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success());
    if !runs("bash") || !runs("git") {
        eprintln!("skipped: bash and git are needed");
        return None;
    }
    let dir = TempDir::new().unwrap();
    for name in ["tools.json", "released.json"] {
        fs::copy(fixture("mcp/tools_v1.json"), dir.path().join(name)).unwrap();
    }
    let script = "git init -q && git add . && git -c user.name=a -c user.email=a@example.org commit -qm r && git tag v1.2.0";
    assert!(bash(dir.path(), script, &[]).status.success());
    Some(dir)
}

fn binary() -> PathBuf {
    PathBuf::from(verity().get_program())
}

/// Run a script as CI does, with the `verity` of these tests on the path.
fn bash(dir: &Path, script: &str, env: &[(&str, &str)]) -> Output {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders =
        std::iter::once(binary().parent().unwrap().to_path_buf()).chain(std::env::split_paths(&path));
    let mut command = Command::new("bash");
    command.env_clear().env("PATH", std::env::join_paths(folders).unwrap()).env("HOME", dir);
    command.envs(env.iter().copied()).current_dir(dir).args(["-eo", "pipefail", "-c", script]);
    command.output().unwrap()
}

fn shown(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

#[test]
fn the_shell_examples_run() {
    let Some(_) = repository() else { return };
    let scripts = blocks("sh");
    assert!(scripts.len() >= 7, "the examples were not found");
    for script in scripts {
        let dir = repository().unwrap();
        let out = bash(dir.path(), &script, &[]);
        assert!(out.status.success(), "{script}\n{}", shown(&out));
        for file in
            ["reports/gate.json", "reports/verity.sarif", "reports/verity.xml", "known.json", "verity.lock"]
        {
            assert_eq!(script.contains(file), dir.path().join(file).exists(), "{script}: {file}");
        }
        if script.contains("case $code") {
            assert!(shown(&out).contains("release it"), "{}", shown(&out));
        }
    }
}

#[test]
fn the_yaml_examples_are_yaml_and_their_commands_run() {
    let Some(dir) = repository() else { return };
    let mut ran = 0;
    for block in blocks("yaml") {
        let value = yaml(&block);
        let of_jobs = value["jobs"].as_object().into_iter().flat_map(|jobs| jobs.values());
        let steps =
            of_jobs.flat_map(|job| job["steps"].as_array().unwrap()).filter_map(|step| step["run"].as_str());
        let gitlab = value["verity"]["script"].as_array().into_iter().flatten().filter_map(Value::as_str);
        for script in steps.chain(gitlab).filter(|script| script.starts_with("verity ")) {
            let out = bash(dir.path(), script, &[]);
            assert!(out.status.success(), "{script}\n{}", shown(&out));
            ran += 1;
        }
        if value.get("manifest").is_some() {
            fs::write(dir.path().join("verity.yaml"), &block).unwrap();
            let out = bash(dir.path(), "verity gate", &[]);
            assert!(
                shown(&out).contains("no change in meaning since git:v1.2.0:tools.json"),
                "{}",
                shown(&out)
            );
            fs::remove_file(dir.path().join("verity.yaml")).unwrap();
            ran += 1;
        }
    }
    assert_eq!(ran, 3);
    assert!(dir.path().join("verity.xml").exists(), "the artifact that GitLab is told of");
}

#[test]
fn the_hooks_are_commands_that_run() {
    let hooks = yaml(&text(".pre-commit-hooks.yaml"));
    let hooks = hooks.as_array().unwrap();
    let examples = blocks("yaml").iter().map(|b| yaml(b)).find(|v| v.get("repos").is_some()).unwrap();
    let examples = examples["repos"][0]["hooks"].as_array().unwrap();
    let Some(dir) = repository() else { return };
    assert_eq!(hooks.len(), examples.len(), "the page shows every hook");
    for (hook, example) in hooks.iter().zip(examples) {
        for member in ["id", "name", "entry", "language", "files"] {
            assert!(hook[member].is_string(), "{hook}: {member}");
        }
        assert_eq!(hook["id"], example["id"]);
        let files = regex::Regex::new(hook["files"].as_str().unwrap()).unwrap();
        assert!(files.is_match("tools.json") && files.is_match("server/tools.json"), "{files}");
        assert!(!files.is_match("package.json") && !files.is_match("mytools.json"), "{files}");
        let mut line = hook["entry"].as_str().unwrap().to_string();
        for arg in example["args"].as_array().into_iter().flatten() {
            line.push_str(&format!(" {}", arg.as_str().unwrap()));
        }
        if hook["pass_filenames"] != false {
            line.push_str(" tools.json");
        }
        let out = bash(dir.path(), &line, &[]);
        assert!(out.status.success(), "{line}\n{}", shown(&out));
    }
}

/// The step of the action with this name.
fn step(action: &Value, name: &str) -> Value {
    let steps = action["runs"]["steps"].as_array().unwrap();
    steps.iter().find(|s| s["name"] == name).unwrap_or_else(|| panic!("no step {name}")).clone()
}

#[test]
fn the_action_is_one_that_a_runner_takes() {
    let action = yaml(&text("action.yml"));
    assert_eq!(action["runs"]["using"], "composite");
    let inputs = action["inputs"].as_object().unwrap();
    for (name, input) in inputs {
        assert!(input["description"].is_string() && input["default"].is_string(), "{name}");
    }
    let used = regex::Regex::new(r"inputs\.([a-z-]+)").unwrap();
    let whole = text("action.yml");
    for name in used.captures_iter(&whole).map(|c| c[1].to_string()) {
        assert!(inputs.contains_key(&name), "{name} is not declared");
    }
    for name in inputs.keys() {
        assert!(whole.contains(&format!("inputs.{name}")), "{name} is not used");
    }
    for step in action["runs"]["steps"].as_array().unwrap() {
        // An expression in a script is a way in for whoever writes the input.
        assert!(!step["run"].as_str().unwrap_or("").contains("${{"), "{step}");
        assert!(step["run"].is_null() || step["shell"] == "bash", "{step}");
    }
    // The inputs that the page shows are those of the action.
    let page = blocks("yaml")
        .iter()
        .map(|b| yaml(b))
        .find(|v| v["jobs"]["gate"]["steps"][1]["with"].is_object())
        .unwrap();
    for name in page["jobs"]["gate"]["steps"][1]["with"].as_object().unwrap().keys() {
        assert!(inputs.contains_key(name), "docs/ci.md: {name}");
    }
}

/// Exit code and output of the action's script with these inputs.
fn run_action(dir: &Path, inputs: &[(&str, &str)]) -> (i32, String) {
    let script = step(&yaml(&text("action.yml")), "Gate");
    let binary = binary().display().to_string();
    let at = |name: &str| dir.join(name).display().to_string();
    let (temp, output, summary) = (at("temp"), at("temp/output"), at("temp/summary"));
    fs::create_dir_all(&temp).unwrap();
    let mut env: Vec<(&str, &str)> =
        script["env"].as_object().unwrap().keys().map(|k| (k.as_str(), "")).collect();
    env.extend([("SARIF", "verity.sarif"), ("BINARY", binary.as_str()), ("RUNNER_TEMP", &temp)]);
    env.extend([("GITHUB_OUTPUT", output.as_str()), ("GITHUB_STEP_SUMMARY", &summary)]);
    env.extend(inputs);
    let out = bash(dir, script["run"].as_str().unwrap(), &env);
    (out.status.code().unwrap(), shown(&out))
}

#[test]
fn the_script_of_the_action_runs() {
    let Some(dir) = repository() else { return };
    let at = |name: &str| dir.path().join(name);
    let (code, said) = run_action(dir.path(), &[]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(fs::read_to_string(at("temp/output")).unwrap(), "sarif=verity.sarif\n");
    assert!(fs::read_to_string(at("temp/summary")).unwrap().starts_with("## verity gate: passed"));
    assert!(at("verity.sarif").exists());

    fs::copy(fixture("mcp/tools_v2.json"), at("new tools.json")).unwrap();
    let inputs = [
        ("MANIFEST", "new tools.json\n"),
        ("OLD", "git:v1.2.0:tools.json"),
        ("PACK", "packs/orders"),
        ("PROFILE", "mcp,openai"),
        ("FAIL_ON", "warning"),
    ];
    let (code, said) = run_action(dir.path(), &inputs);
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("gate failed: lint, diff")
            && said.contains("next: verity lint 'new tools.json'")
            && said.contains("\n::error file=new tools.json,"),
        "{said}"
    );
    assert!(at("packs/orders/README.md").exists());

    // Whatever stands in an input is an argument and nothing else.
    let (code, said) =
        run_action(dir.path(), &[("MANIFEST", "--help"), ("OLD", "$(touch owned); touch owned")]);
    assert_eq!(code, 2, "{said}");
    assert!(!at("owned").exists());
}
