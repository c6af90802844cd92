//! The page of `lint` under real keys and on a narrow screen, in a browser that is driven through a pipe.

use super::{browser, report};
use serde_json::{Value, json};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A browser with one page, spoken to in the DevTools protocol: JSON, each message ended by a zero byte.
struct Page {
    browser: Child,
    to: File,
    from: BufReader<File>,
    session: Option<String>,
    sent: u64,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

impl Page {
    /// `None`, aloud, where there are no named pipes to speak through.
    fn open(chromium: &Path, folder: &Path, file: &Path) -> Option<Page> {
        let (asks, answers) = (folder.join("asks"), folder.join("answers"));
        let made = Command::new("mkfifo").args([&asks, &answers]).status().is_ok_and(|s| s.success());
        if !made || !Command::new("bash").arg("--version").output().is_ok_and(|o| o.status.success()) {
            eprintln!("skipped: no mkfifo and bash to speak to the browser through");
            return None;
        }
        let profile = format!("--user-data-dir={}", folder.join("keys").display());
        let browser = Command::new("bash")
            .args(["-c", "exec \"${@:3}\" 3<\"$1\" 4>\"$2\"", "bash"])
            .args([&asks, &answers])
            .arg(chromium)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-extensions", "--no-first-run"])
            .args(["--remote-debugging-pipe", &profile, "about:blank"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Each waits for the other end, in the order in which the shell opens them.
        let to = File::options().write(true).open(&asks).unwrap();
        let from = BufReader::new(File::open(&answers).unwrap());
        let mut page = Page { browser, to, from, session: None, sent: 0 };
        let targets = page.ask("Target.getTargets", json!({}));
        let target = targets["targetInfos"].as_array().unwrap().iter().find(|t| t["type"] == "page").unwrap();
        let attached =
            page.ask("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        page.session = Some(attached["sessionId"].as_str().unwrap().to_string());
        page.ask("Page.enable", json!({}));
        page.ask("Page.navigate", json!({"url": format!("file://{}", file.display())}));
        while page.next()["method"] != "Page.loadEventFired" {}
        Some(page)
    }

    fn next(&mut self) -> Value {
        let mut text = Vec::new();
        self.from.read_until(0, &mut text).unwrap();
        assert_eq!(text.pop(), Some(0), "the browser went away");
        serde_json::from_slice(&text).unwrap()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let mut message = json!({"id": self.sent, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut answer = self.next();
            if answer["id"] == self.sent {
                assert!(answer["error"].is_null(), "{method}: {answer}");
                return answer["result"].take();
            }
        }
    }

    /// What the expression is in the page.
    fn value(&mut self, expression: &str) -> Value {
        let mut answer =
            self.ask("Runtime.evaluate", json!({"expression": expression, "returnByValue": true}));
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        answer["result"]["value"].take()
    }

    fn press(&mut self, key: &str, code: u32, text: &str) {
        let mut event = json!({"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": code});
        if !text.is_empty() {
            event["text"] = json!(text);
        }
        self.ask("Input.dispatchKeyEvent", event.clone());
        event["type"] = json!("keyUp");
        self.ask("Input.dispatchKeyEvent", event);
    }

    /// Presses Tab until the focus is on what the selector names; how often.
    fn tab_to(&mut self, selector: &str) -> usize {
        for presses in 1..=60 {
            self.press("Tab", 9, "");
            if self.value(&format!("document.activeElement.matches({selector:?})")) == true {
                return presses;
            }
        }
        panic!("no key leads to {selector}");
    }

    fn shown(&mut self) -> i64 {
        self.value("document.querySelectorAll('article.finding:not([hidden])').length").as_i64().unwrap()
    }
}

#[test]
fn the_page_is_used_by_keys_alone_and_fits_a_narrow_screen() {
    let Some(chromium) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.html");
    fs::write(&file, report(folder.path())).unwrap();
    let Some(mut page) = Page::open(&chromium, folder.path(), &file) else { return };
    let all = page.shown();
    let errors =
        page.value("document.querySelectorAll('article[data-level=error]').length").as_i64().unwrap();
    assert!(errors >= 1 && all > errors, "{errors} of {all}");

    // The first stop leads past the filters; then they come, in the order in which they are read.
    assert_eq!(page.tab_to("a.skip"), 1);
    assert!(page.value("document.activeElement.getBoundingClientRect().left").as_f64().unwrap() >= 0.0);
    assert_eq!(page.tab_to("input[value=error]"), 1);
    let outline = page.value("getComputedStyle(document.activeElement).outlineStyle");
    assert_ne!(outline, "none", "where the keyboard is can be seen");
    page.press(" ", 32, " ");
    assert_eq!(page.shown(), all - errors, "space takes the errors away");
    let said = page.value("document.querySelector('form.filters output').value");
    assert_eq!(said, format!("{} of {all} shown", all - errors));
    page.press(" ", 32, " ");
    assert_eq!(page.shown(), all);

    // A definition beside its findings opens and closes.
    page.tab_to("details.source summary");
    page.press("Enter", 13, "\r");
    assert_eq!(page.value("document.activeElement.parentElement.open"), false);
    page.press("Enter", 13, "\r");
    assert_eq!(page.value("document.activeElement.parentElement.open"), true);
    // What scrolls by itself is reached as well.
    page.tab_to("details.source pre");

    for width in [320, 390, 1400] {
        let size = json!({"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 1000});
        page.ask("Emulation.setDeviceMetricsOverride", size);
        let needs = page.value("document.documentElement.scrollWidth").as_i64().unwrap();
        let wide = page.value(&format!(
            "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > {width}).map(e => e.outerHTML.slice(0, 80)).slice(0, 5)"
        ));
        assert!(needs <= width, "the page is {needs} wide on a screen of {width}: {wide:#}");
    }
}
