//! The HTML reports: nothing of a manifest becomes markup, and a browser shows what is there.

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

/// Screenshots stay in `target/screenshots`, for people.
#[test]
fn a_browser_shows_every_finding_and_runs_nothing_of_the_manifest() {
    let Some(browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = report(folder.path());
    let html = folder.path().join("report.html");
    fs::write(&html, &page).unwrap();
    let shots = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../screenshots");
    fs::create_dir_all(&shots).unwrap();
    let url = format!("file://{}", html.display());
    let chromium = |args: &[String]| {
        let profile = format!("--user-data-dir={}", folder.path().join("profile").display());
        let fixed = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-extensions",
            "--no-first-run",
            profile.as_str(),
        ];
        Command::new(&browser).args(fixed).args(args).arg(&url).output().unwrap()
    };
    let out = chromium(&["--dump-dom".to_string(), "--enable-logging=stderr".to_string()]);
    let dom = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(dom.matches("<article").count(), page.matches("<article").count());
    assert!(page.matches("<article").count() >= 4);
    assert!(dom.contains("<title>verity lint: tools.json</title>"), "no script of the manifest ran");
    assert!(!dom.contains("<img"), "nothing is there that could ask the network");
    // The page's own script did run: its policy names it rightly.
    assert!(dom.contains("<form class=\"filters\" aria-label"), "the filters are there");
    for (name, size, dark) in
        [("wide", "1400,1500", false), ("narrow", "390,1600", false), ("dark", "1400,1500", true)]
    {
        let shot = shots.join(format!("lint-{name}.png"));
        let mut args = vec![format!("--window-size={size}"), format!("--screenshot={}", shot.display())];
        if dark {
            args.push("--force-dark-mode".to_string());
        }
        chromium(&args);
        assert!(fs::metadata(&shot).is_ok_and(|m| m.len() > 10_000), "{}", shot.display());
    }
}
