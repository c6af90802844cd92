//! The HTML reports: nothing of a manifest becomes markup, and a browser shows what is there.

mod keyboard;
mod looks;

use crate::support::verity;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A listing whose every text tries to be more than text.
fn hostile() -> String {
    let text = "</script><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=\\\"document.title='owned'\\\"><a href='javascript:alert(1)'>x</a>\\u202egnp\\u001b[2J\\u200b";
    format!(
        r#"{{"tools": [{{"name": "a", "description": "{text}", "inputSchema": {{"type": "object", "properties": {{"<b onclick=x>": {{"type": "float", "description": "{text}"}}}}}}}},
        {{"name": "</pre></details><h1>b", "description": "Do. {}", "inputSchema": {{"type": "object", "properties": {{"p": {{"type": "string", "enum": ["x", "x", "{text}"]}}}}}}}}]}}"#,
        "long ".repeat(140_000)
    )
}

fn report(folder: &Path) -> String {
    fs::write(folder.join("tools.json"), hostile()).unwrap();
    let run = || {
        verity().args(["lint", "--format", "html", "tools.json"]).current_dir(folder).output().unwrap().stdout
    };
    let page = run();
    assert_eq!(page, run(), "the same bytes every time");
    String::from_utf8(page).unwrap()
}

#[test]
fn what_a_manifest_says_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    for markup in ["<img", "<a href='", "<b onclick", "<h1>b", "\u{202e}", "\u{1b}", "\u{200b}"] {
        assert!(!page.contains(markup), "{markup:?}");
    }
    assert!(page.contains("&lt;img src="));
    assert!(page.contains("default-src 'none'") && !page.contains("unsafe-inline"));
    assert!(page.len() < 400_000, "one long line does not fill the page: {} bytes", page.len());
}

#[test]
fn ten_thousand_findings_are_bounded_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let tool = |i: usize| {
        format!(
            r#"{{"name": "t{i}", "inputSchema": {{"type": "object", "properties": {{"p": {{"type": "float"}}}}}}}}"#
        )
    };
    let tools: Vec<String> = (0..2_500).map(tool).collect();
    fs::write(folder.path().join("tools.json"), format!("{{\"tools\": [{}]}}", tools.join(",\n"))).unwrap();
    let out = verity()
        .args(["lint", "--format", "html", "tools.json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let page = String::from_utf8(out.stdout).unwrap();
    assert_eq!(page.matches("<article").count(), 2_000);
    assert!(page.contains("more findings are left out here"));
    assert!(page.len() < 8 << 20, "{} bytes", page.len());
}

fn browser() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    let found = std::env::split_paths(&path).flat_map(|f| names.map(|n| f.join(n))).find(|p| p.is_file());
    if found.is_none() {
        eprintln!("skipped: there is no Chromium on the PATH");
    }
    found
}

/// Chromium on `page`: what it makes of these arguments. `folder` holds the page and the profile.
fn chromium(browser: &Path, folder: &Path, page: &str, args: &[String]) -> std::process::Output {
    let html = folder.join("report.html");
    fs::write(&html, page).unwrap();
    let profile = format!("--user-data-dir={}", folder.join("profile").display());
    let fixed = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-extensions",
        "--no-first-run",
        profile.as_str(),
    ];
    let url = format!("file://{}", html.display());
    Command::new(browser).args(fixed).args(args).arg(&url).output().unwrap()
}

/// The page as the browser holds it.
fn dom(browser: &Path, folder: &Path, page: &str) -> String {
    let out =
        chromium(browser, folder, page, &["--dump-dom".to_string(), "--enable-logging=stderr".to_string()]);
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Screenshots stay in `target/screenshots`, for people.
fn screenshots(browser: &Path, folder: &Path, page: &str, name: &str) {
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots");
    fs::create_dir_all(&shots).unwrap();
    for (look, size, dark) in
        [("wide", "1400,1500", false), ("narrow", "390,1600", false), ("dark", "1400,1500", true)]
    {
        let shot = shots.join(format!("{name}-{look}.png"));
        let mut args = vec![format!("--window-size={size}"), format!("--screenshot={}", shot.display())];
        if dark {
            args.push("--force-dark-mode".to_string());
        }
        chromium(browser, folder, page, &args);
        assert!(fs::metadata(&shot).is_ok_and(|m| m.len() > 10_000), "{}", shot.display());
    }
}

#[test]
fn a_browser_shows_every_finding_and_runs_nothing_of_the_manifest() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    let dom = dom(&browser, folder.path(), &page);
    assert_eq!(dom.matches("<article").count(), page.matches("<article").count());
    assert!(page.matches("<article").count() >= 4);
    assert!(dom.contains("<title>verity lint: tools.json</title>"), "no script of the manifest ran");
    assert!(!dom.contains("<img"), "nothing is there that could ask the network");
    // The page's own script did run: its policy names it rightly.
    assert!(dom.contains("<form class=\"filters\" aria-label"), "the filters are there");
    screenshots(&browser, folder.path(), &page, "lint");
}

const HOSTILE: &str = "</script></pre></details><script>document.title='owned'</script><img src=http://127.0.0.1:9/x onerror=\"document.title='owned'\"><a href='javascript:alert(1)'>x</a>\u{202e}gnp\u{1b}[2J\u{200b}";

/// A recording whose every text tries to be more than text, and expectations that it does not meet.
fn recorded(folder: &Path) {
    use serde_json::json;
    let call = |id: &str, name: &str, arguments: serde_json::Value| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments.to_string()}});
    let messages = json!([
        {"role": "user", "content": HOSTILE},
        {"role": "assistant", "content": null, "tool_calls": [call("1", "look", json!({"q": HOSTILE, HOSTILE: [1, 2]})), call("2", HOSTILE, json!({}))]},
        {"role": "tool", "tool_call_id": "1", "content": json!({"found": HOSTILE, "ids": [1, 2, 3]}).to_string()},
        {"role": "tool", "tool_call_id": "2", "content": HOSTILE},
        {"role": "assistant", "content": null, "tool_calls": [call("3", "pay", json!({"amount": 21, "to": "Ann"}))]},
        {"role": "tool", "tool_call_id": "3", "content": "paid"},
        {"role": "assistant", "content": HOSTILE}
    ]);
    fs::write(folder.join("run.json"), json!({ "messages": messages }).to_string()).unwrap();
    let step = |target: &str, with: serde_json::Value| json!({"actor": "assistant", "action": "calls", "target": target, "with": with});
    let session = |amount: i64| json!({"session": HOSTILE, "behaviors": [step("look", json!({"q": HOSTILE})), step("pay", json!({"amount": amount, "to": "Ann"}))], "evaluations": [{"type": "contains", "value": HOSTILE}]});
    fs::write(folder.join("e.json"), session(20).to_string()).unwrap();
    fs::write(folder.join("good.json"), session(21).to_string()).unwrap();
}

fn stays_text(page: &str) {
    assert_eq!(page.matches("<script").count(), 1, "the page's own");
    for markup in ["<img", "<a href='", "\u{202e}", "\u{1b}", "\u{200b}"] {
        assert!(!page.contains(markup), "{markup:?}");
    }
    assert!(page.contains("&lt;img src=") && page.contains("default-src 'none'"));
    for (open, close) in [
        ("<details", "</details>"),
        ("<pre", "</pre>"),
        ("<article", "</article>"),
        ("<li", "</li>"),
        ("<section", "</section>"),
    ] {
        assert_eq!(page.matches(open).count(), page.matches(close).count(), "{open}");
    }
}

fn page_of(folder: &Path, args: &[&str]) -> String {
    let out = verity().args(args).args(["--format", "html"]).current_dir(folder).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn a_recording_is_shown_call_by_call_with_the_checks_beside() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    let args = ["grade", "run.json", "--expect", "e.json"];
    let page = page_of(folder.path(), &args);
    assert_eq!(page, page_of(folder.path(), &args), "the same bytes every time");
    stays_text(&page);
    assert_eq!(page.matches("<li class=\"call\"").count(), 3);
    assert_eq!(page.matches("<li class=\"said\"").count(), 2);
    // The call that a failed check is about is open, the difference beside it.
    let (_, third) = page.split_once("id=\"a1-c3\"").unwrap();
    assert!(third.starts_with("><details open>"), "{}", &third[..200]);
    assert!(
        third.contains("<del>−   &quot;amount&quot;: 20,</del>")
            && third.contains("<ins>+   &quot;amount&quot;: 21,</ins>"),
        "{third}"
    );
    assert!(page.contains("<a href=\"#a1-c3\">call 3</a>"), "what failed leads to its call");
    assert!(page.contains(
        "<p class=\"verdict failed\">Failed</p> <p class=\"verdict passed\">Call quality: clean</p>"
    ));
    let Some(browser) = browser() else { return };
    let dom = dom(&browser, folder.path(), &page);
    assert!(dom.contains("<title>verity grade: run.json</title>"), "no script of the recording ran");
    assert_eq!(dom.matches("<article").count(), page.matches("<article").count());
    assert!(!dom.contains("<img"));
    screenshots(&browser, folder.path(), &page, "grade");
}

#[test]
fn several_attempts_are_on_one_page() {
    let folder = tempfile::tempdir().unwrap();
    recorded(folder.path());
    for (expect, to) in [("e.json", "bad"), ("good.json", "good"), ("good.json", "broken")] {
        verity()
            .args(["grade", "run.json", "--expect", expect, "--record", to])
            .current_dir(folder.path())
            .output()
            .unwrap();
    }
    fs::write(folder.path().join("broken/recording"), "{}").unwrap();
    let page = page_of(folder.path(), &["replay", "good", "bad", "broken"]);
    stays_text(&page);
    assert_eq!(page.matches("<section class=\"manifest\"").count(), 3);
    assert!(page.contains("<h1>3 attempts</h1><p class=\"verdict failed\">Not judged</p>"));
    assert!(page.contains("<tr class=\"passed\"><th scope=\"row\"><a href=\"#a1\">good</a></th>"));
    assert!(page.contains("No verdict on the recording:"));
    assert_eq!(page.matches("<li class=\"call\"").count(), 6);
    let Some(browser) = browser() else { return };
    let dom = dom(&browser, folder.path(), &page);
    assert!(dom.contains("<title>verity replay: 3 attempts</title>") && !dom.contains("<img"));
    screenshots(&browser, folder.path(), &page, "replay");
}

#[test]
fn a_long_recording_is_bounded_and_its_failures_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let row = |i: usize| {
        let code = i64::from(i == 7_999);
        format!(
            "{}\n",
            serde_json::json!({"tool": "t", "arguments": {"n": i, "text": "x".repeat(3_000)}, "result": {"exit_code": code, "stdout": "", "stderr": ""}})
        )
    };
    fs::write(folder.path().join("run.jsonl"), (0..8_000).map(row).collect::<String>()).unwrap();
    let page = page_of(folder.path(), &["grade", "run.jsonl"]);
    assert_eq!(page.matches("<li class=\"call\"").count(), 3_000);
    assert!(page.contains("id=\"a1-c8000\"") && page.contains("5000 more calls and texts are left out"));
    assert!(page.len() < 12 << 20, "{} bytes", page.len());
}

#[test]
fn answers_to_a_pack_are_a_table_and_reasons() {
    let folder = tempfile::tempdir().unwrap();
    let tool = serde_json::json!({"name": "find", "description": "Finds the things of the shop.", "inputSchema": {"type": "object", "required": ["query"],
        "properties": {"query": {"type": "string", "minLength": 2, "description": "Which."}}}});
    fs::write(folder.path().join("shop.json"), serde_json::json!({"tools": [tool]}).to_string()).unwrap();
    verity().args(["agent-tasks", "shop.json", "-o", "pack"]).current_dir(folder.path()).assert().success();
    let line = |query: &str| {
        format!("{}\n", serde_json::json!({"task": "shop/find", "arguments": {"query": query}}))
    };
    fs::write(folder.path().join("good.jsonl"), line(HOSTILE)).unwrap();
    fs::write(folder.path().join("bad.jsonl"), line("x")).unwrap();
    let page = page_of(
        folder.path(),
        &["grade", "--pack", "pack", "--answers", "<img>=good.jsonl", "--answers", "bad.jsonl"],
    );
    assert_eq!(page.matches("<script").count(), 1);
    assert!(!page.contains("<img") && page.contains("&lt;img&gt;"), "{page}");
    assert!(page.contains("<td class=\"passed\"><span class=\"badge\">1.000</span></td><td class=\"failed\"><span class=\"badge\">0.333</span></td>"), "{page}");
    assert_eq!(page.matches("<article").count(), 1);
    assert!(page.contains("minLength"), "{page}");
}
