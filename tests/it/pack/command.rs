//! `verity agent-tasks` and `verity task`, through the binary.

use crate::support::{fixture, shared, verity};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;

fn run(args: &[&str]) -> Output {
    verity().args(args).output().unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn stdout(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|e| e.unwrap());
    entries.map(|e| (e.file_name().into_string().unwrap(), fs::read(e.path()).unwrap())).collect()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn listing(folder: &Path, tools: &Value) -> String {
    let path = folder.join("tools.json");
    fs::write(&path, json!({ "tools": tools }).to_string()).unwrap();
    text(&path).to_string()
}

fn good(name: &str) -> Value {
    json!({"name": name, "description": "d", "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}})
}

fn broken() -> Value {
    json!({"name": "broken", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {"type": "strng"}}}})
}

#[test]
fn the_example_is_exported_byte_for_byte() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("pack");
    let output =
        run(&["agent-tasks", text(&fixture("mcp/tools_v1.json")), "-o", text(&out), "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = stdout(&output);
    assert_eq!(report["tool_count"], 3);
    let ids: Vec<&str> =
        report["tasks"].as_array().unwrap().iter().map(|t| t["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["tools_v1/search_orders", "tools_v1/cancel_order"]);
    assert_eq!(report["skipped"][0]["tool"], "list_regions");
    assert_eq!(report["skipped"][0]["reason_code"], "vacuous");
    assert_eq!(report["floor"]["tasks"], 2);
    let golden = contents(&fixture("packs/tools_v1"));
    let found = contents(&out);
    assert_eq!(found.keys().collect::<Vec<_>>(), golden.keys().collect::<Vec<_>>());
    for (name, bytes) in &golden {
        let (found, golden) =
            (String::from_utf8_lossy(&found[name]), String::from_utf8_lossy(bytes).replace("\r\n", "\n"));
        assert_eq!(
            found, golden,
            "{name} has changed; if that is meant, read the difference and run: verity agent-tasks fixtures/mcp/tools_v1.json -o fixtures/packs/tools_v1"
        );
    }
    for (command, line) in [("validate", "2 tasks valid\n"), ("test", "2 passed\n")] {
        let output = run(&["task", command, text(&out)]);
        assert_eq!((code(&output), String::from_utf8_lossy(&output.stdout).as_ref()), (0, line));
    }
}

#[test]
fn only_content_decides_the_bytes() {
    let Some(corpus) = shared("corpus") else { return };
    // Large enough that threads share the work.
    let manifest = fs::read_to_string(corpus.join("npm__zereight__mcp-gitlab.json")).unwrap();
    let mut packs = Vec::new();
    for (folder, locale, timezone) in [("a", "C", "UTC"), ("deeper/ü b", "tr_TR.UTF-8", "Asia/Kathmandu")] {
        let root = tempfile::tempdir().unwrap();
        let here = root.path().join(folder);
        fs::create_dir_all(&here).unwrap();
        fs::write(here.join("tools.json"), &manifest).unwrap();
        let output = verity()
            .current_dir(&here)
            .args(["agent-tasks", "tools.json", "-o", "out", "--allow-findings", "-q"])
            .envs([
                ("LC_ALL", locale),
                ("LANG", locale),
                ("TZ", timezone),
                ("USER", folder),
                ("HOME", text(root.path())),
            ])
            .output()
            .unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        packs.push(contents(&here.join("out")));
    }
    assert!(packs[0].len() > 50);
    assert!(packs[0] == packs[1], "two exports of one listing differ");
    let manifest = {
        let document = verity::source::parse("tools.json", manifest.into_bytes()).unwrap();
        verity::manifest::read(&document).unwrap().remove(0)
    };
    let findings = verity::rules::run(&manifest);
    let options = verity::pack::export::Options {
        pack: "tools".into(),
        seed: "verity".into(),
        context: verity::pack::export::Context::Tool,
        include_flagged: false,
    };
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(64 << 20).build().unwrap();
        let pack = pool.install(|| verity::pack::export::export(&manifest, &findings, &options));
        let files: BTreeMap<String, Vec<u8>> =
            pack.files.into_iter().map(|(name, text)| (name, text.into_bytes())).collect();
        assert!(files == packs[0], "with {threads} threads the pack differs");
    }
}

#[test]
fn errors_stop_an_export_unless_they_may_travel() {
    let root = tempfile::tempdir().unwrap();
    let tools = listing(root.path(), &json!([good("a"), broken()]));
    let out = root.path().join("pack");
    let output = run(&["agent-tasks", &tools, "-o", text(&out), "--format", "json"]);
    assert_eq!(code(&output), 1);
    assert_eq!(stdout(&output)["error"]["code"], "findings");
    assert!(
        stderr(&output).contains("--allow-findings") && stderr(&output).contains("MCP-SCHEMA-INVALID"),
        "{}",
        stderr(&output)
    );
    assert!(!out.exists(), "nothing is written");
    let output = run(&["agent-tasks", &tools, "-o", text(&out), "--allow-findings"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(fs::read_to_string(out.join("README.md")).unwrap().contains("MCP-SCHEMA-INVALID"));
}

#[test]
fn poisoned_tools_stay_out_unless_they_are_asked_for() {
    let poisoned = fixture("mcp/tools_poisoned.json");
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("pack");
    let export = |flags: &[&str]| {
        let output =
            run(&[&["agent-tasks", text(&poisoned), "-o", text(&out), "--format", "json"], flags].concat());
        (code(&output), stdout(&output))
    };
    assert_eq!(export(&[]).0, 1);
    assert_eq!(export(&["--include-flagged"]).0, 1, "that flag lets no findings pass");
    assert!(!out.exists());
    let (exit, report) = export(&["--allow-findings"]);
    assert_eq!(exit, 0);
    let flagged: Vec<&str> =
        report["skipped"].as_array().unwrap().iter().map(|s| s["tool"].as_str().unwrap()).collect();
    assert!(flagged.contains(&"get_weather"), "{flagged:?}");
    let texts: String = contents(&out).values().map(|b| String::from_utf8_lossy(b).into_owned()).collect();
    assert!(!texts.contains(".ssh") && !texts.contains("IMPORTANT"));
    let (exit, report) = export(&["--allow-findings", "--include-flagged"]);
    assert_eq!((exit, report["skipped"].as_array().unwrap().len()), (0, 0));
    let task = fs::read_to_string(out.join("get_weather.yaml")).unwrap();
    assert!(task.contains("poisoning_rules:") && task.contains("- flagged"));
    assert_eq!(code(&run(&["task", "test", text(&out)])), 0);
}

#[test]
fn nothing_gradeable_is_no_green_run() {
    let root = tempfile::tempdir().unwrap();
    let tools =
        listing(root.path(), &json!([{"name": "v", "description": "d", "inputSchema": {"type": "object"}}]));
    let out = root.path().join("pack");
    let output = run(&["agent-tasks", &tools, "-o", text(&out), "--format", "json"]);
    assert_eq!(code(&output), 2);
    let report = stdout(&output);
    assert_eq!((&report["tool_count"], &report["tasks"]), (&json!(1), &json!([])));
    assert_eq!(report["skipped"][0]["reason_code"], "vacuous");
    assert!(!out.exists());
}

#[test]
fn an_incomplete_listing_is_exported_on_demand_alone() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("page.json");
    fs::write(&path, json!({"tools": [good("a")], "nextCursor": "2"}).to_string()).unwrap();
    let out = root.path().join("pack");
    let output = run(&["agent-tasks", text(&path), "-o", text(&out)]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("--allow-incomplete") && !out.exists(), "{}", stderr(&output));
    assert_eq!(
        code(&run(&["agent-tasks", text(&path), "-o", text(&out), "--allow-incomplete", "--allow-findings"])),
        0
    );
    assert!(out.join("a.yaml").exists());
}

#[test]
fn a_check_compares_and_writes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let tools = listing(root.path(), &json!([good("a"), good("b")]));
    let out = root.path().join("pack");
    assert_eq!(code(&run(&["agent-tasks", &tools, "-o", text(&out), "--check"])), 1);
    assert!(!out.exists());
    assert_eq!(code(&run(&["agent-tasks", &tools, "-o", text(&out)])), 0);
    assert_eq!(code(&run(&["agent-tasks", &tools, "-o", text(&out), "--check"])), 0);
    fs::write(out.join("a.yaml"), "edited").unwrap();
    fs::remove_file(out.join("b.yaml")).unwrap();
    fs::write(out.join("c.yaml"), "more").unwrap();
    let before = contents(&out);
    let output = run(&["agent-tasks", &tools, "-o", text(&out), "--check"]);
    assert_eq!(code(&output), 1);
    let said = stderr(&output);
    for line in ["differs: ", "missing: ", "not in the pack: "] {
        assert!(said.contains(line), "{said}");
    }
    assert_eq!(contents(&out), before);
}

#[test]
fn foreign_files_are_safe() {
    let root = tempfile::tempdir().unwrap();
    let tools = listing(root.path(), &json!([good("a")]));
    let out = root.path().join("mine");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("thesis.txt"), "years of work").unwrap();
    let output = run(&["agent-tasks", &tools, "-o", text(&out)]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("thesis.txt") && stderr(&output).contains("--force"),
        "{}",
        stderr(&output)
    );
    assert_eq!(contents(&out).len(), 1);
    assert_eq!(
        code(&run(&["agent-tasks", &tools, "-o", text(root.path()), "--force"])),
        2,
        "the manifest's own folder"
    );
    assert_eq!(code(&run(&["agent-tasks", &tools, "-o", text(&out), "--force"])), 0);
    assert_eq!(contents(&out).keys().collect::<Vec<_>>(), ["README.md", "a.yaml"]);
}

#[test]
fn without_a_manifest_each_pack_has_a_folder() {
    let root = tempfile::tempdir().unwrap();
    let output = verity().current_dir(root.path()).args(["agent-tasks", "-o", "packs"]).output().unwrap();
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("tools.json"));
    listing(root.path(), &json!([good("a")]));
    let output = verity().current_dir(root.path()).args(["agent-tasks", "-o", "packs/"]).output().unwrap();
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(stderr(&output).contains("tools.json"), "it says which file was taken");
    let packs = root.path().join("packs");
    assert!(packs.join("tools/a.yaml").exists());
    let output = run(&["task", "test", text(&packs), "--format", "json"]);
    assert_eq!((code(&output), stdout(&output)), (0, json!({"passed": 1, "problems": []})));
    let output = run(&["task", "validate", text(&packs), "--format", "json"]);
    assert_eq!((code(&output), stdout(&output)), (0, json!({"valid": 1, "errors": []})));
}

#[test]
fn several_servers_give_several_packs() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("servers.json");
    fs::write(
        &path,
        json!({"one": {"tools": [good("a")]}, "Two": {"tools": [good("a"), good("b")]}}).to_string(),
    )
    .unwrap();
    let out = root.path().join("packs");
    let output = run(&["agent-tasks", text(&path), "-o", text(&out), "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let report = stdout(&output);
    let packs = report["packs"].as_array().unwrap();
    assert_eq!(packs.len(), 2);
    for pack in packs {
        let file = pack["tasks"][0]["file"].as_str().unwrap();
        assert!(Path::new(file).exists(), "{file}");
    }
    assert!(out.join("one/a.yaml").exists());
}

#[test]
fn packs_of_others_are_judged_as_far_as_that_goes() {
    let root = tempfile::tempdir().unwrap();
    let task = |id: &str, more: &str| {
        format!(
            "id: others/{id}\ncategory: c\nobjective: o\nallowed_tools: [write_file, shell]\nassertions:\n  - type: file_contains\n    params: {{path: a.txt, text: hello}}\n{more}"
        )
    };
    let script = "metadata:\n  scripted_script:\n    - {tool: write_file, args: {path: a.txt, content: hello world}}\n";
    fs::write(root.path().join("good.yaml"), task("good", script)).unwrap();
    let test = |args: &[&str]| {
        let output = run(&[&["task", "test", text(root.path()), "--format", "json"], args].concat());
        (code(&output), stdout(&output))
    };
    assert_eq!(test(&[]).0, 0);
    fs::write(root.path().join("shell.yml"), task("shell", &script.replace("write_file", "shell"))).unwrap();
    let (exit, report) = test(&[]);
    assert_eq!((exit, &report["passed"]), (2, &json!(1)), "what cannot be replayed is not judged");
    assert_eq!(report["problems"][0]["kind"], "not-judged");
    fs::write(root.path().join("bad.yaml"), task("bad", &script.replace("hello world", "bye"))).unwrap();
    let (exit, report) = test(&[]);
    assert_eq!((exit, report["problems"].as_array().unwrap().len()), (2, 2));
    fs::remove_file(root.path().join("shell.yml")).unwrap();
    assert_eq!(test(&[]).0, 1);
}

#[test]
fn hostile_packs_end_in_errors_with_a_place() {
    let root = tempfile::tempdir().unwrap();
    let bomb = (1..12).fold("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_string(), |all, i| {
        format!("{all}a{i}: &a{i} [{}]\n", vec![format!("*a{}", i - 1); 10].join(", "))
    });
    let deep = "[".repeat(50_000);
    for (name, bytes) in [
        ("bomb.yaml", bomb.into_bytes()),
        ("deep.yaml", deep.into_bytes()),
        ("twice.yaml", b"id: a/b\nid: a/c\n".to_vec()),
        ("tab.yaml", b"id: a/b\ntags:\n\t- x\n".to_vec()),
        ("binary.yaml", vec![0xff, 0xfe, 0x00]),
        ("code.yaml", b"id: !!python/object/apply:os.system [ls]\n".to_vec()),
        ("wrong.yaml", b"id: a/b\ncategory: 7\n".to_vec()),
        ("list.yaml", b"- 1\n".to_vec()),
        ("empty.yaml", Vec::new()),
    ] {
        fs::write(root.path().join(name), bytes).unwrap();
    }
    for command in ["validate", "test"] {
        let output = run(&["task", command, text(root.path()), "--format", "json"]);
        assert_eq!(code(&output), 1);
        let report = stdout(&output);
        let problems =
            report[if command == "test" { "problems" } else { "errors" }].as_array().unwrap().clone();
        let line = |name: &str| {
            let found = problems.iter().find(|p| p["file"].as_str().unwrap().ends_with(name));
            found.unwrap_or_else(|| panic!("{name} has no problem"))["line"].clone()
        };
        assert_eq!(
            (line("twice.yaml"), line("tab.yaml"), line("wrong.yaml")),
            (json!(2), json!(3), json!(1))
        );
        for name in ["bomb.yaml", "deep.yaml", "binary.yaml", "code.yaml", "list.yaml", "empty.yaml"] {
            line(name);
        }
    }
    let empty = tempfile::tempdir().unwrap();
    let output = run(&["task", "test", text(empty.path()), "--format", "json"]);
    assert_eq!((code(&output), &stdout(&output)["error"]["code"]), (2, &json!("not-a-pack")));
    assert_eq!(code(&run(&["task", "validate", "/no/such/folder"])), 2);
}

/// Ctrl-C while the files are written: the pack is there whole, or not at all.
#[cfg(unix)]
#[test]
fn an_interrupted_export_is_whole_or_not_at_all() {
    let root = tempfile::tempdir().unwrap();
    let tools: Vec<Value> = (0..400).map(|i| good(&format!("tool_{i}"))).collect();
    let tools = listing(root.path(), &json!(tools));
    let packs = root.path().join("packs");
    fs::create_dir(&packs).unwrap();
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("verity"))
        .args(["agent-tasks", &tools, "-o", text(&packs.join("p")), "-q"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while child.try_wait().unwrap().is_none() && fs::read_dir(&packs).unwrap().next().is_none() {
        std::thread::yield_now();
    }
    let pid = child.id().to_string();
    std::process::Command::new("kill")
        .args(["-INT", &pid])
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    let code = child.wait().unwrap().code();
    let left = fs::read_dir(&packs).unwrap().count();
    match code {
        Some(0) => assert_eq!((left, contents(&packs.join("p")).len()), (1, 401)),
        Some(2) => assert_eq!(left, 0, "nothing is left of an interrupted export"),
        // The signal came when the pack stood and nobody waited for one any more.
        Some(130) => assert!(left == 0 || contents(&packs.join("p")).len() == 401),
        other => panic!("ended with {other:?}"),
    }
}

#[cfg(unix)]
#[test]
fn an_unwritable_place_is_one_clear_error() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let tools = listing(root.path(), &json!([good("a")]));
    let locked = root.path().join("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    if fs::write(locked.join("probe"), "").is_ok() {
        eprintln!("skipped: permissions do not bind this user");
        return;
    }
    let output = run(&["agent-tasks", &tools, "-o", text(&locked.join("pack"))]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("Permission denied"), "{}", stderr(&output));
}

#[cfg(target_os = "linux")]
#[test]
fn a_place_that_takes_no_files_is_one_clear_error() {
    let root = tempfile::tempdir().unwrap();
    let tools = listing(root.path(), &json!([good("a")]));
    let output = run(&["agent-tasks", &tools, "-o", "/proc/verity-pack"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    let output = verity().args(["agent-tasks", &tools, "-o", "/dev/null/pack"]).output().unwrap();
    assert_eq!(code(&output), 2);
}

#[test]
fn a_pack_that_repeats_a_long_listing_too_often_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let long = "d".repeat(60_000);
    let tool = |n: usize| {
        json!({"name": format!("t{n}"), "description": long,
            "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}})
    };
    // 90 tools of 60 kB, 90 times: 486 MB.
    let manifest = listing(root.path(), &(0..90).map(tool).collect());
    let out = root.path().join("pack");
    let output =
        run(&["agent-tasks", &manifest, "-o", text(&out), "--context", "manifest", "--allow-findings"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("each of 90 tasks would hold the whole listing"), "{}", stderr(&output));
    assert!(!out.exists());
}
