//! How the pages look: colours that can be read, and the pages of `gate` and `diff` in a browser.

use super::{HOSTILE, browser, dom, screenshots, stays_text};
use crate::support::verity;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The relative luminance of `#rgb` or `#rrggbb` (WCAG 2.2, "relative luminance").
fn luminance(colour: &str) -> f64 {
    let digits: Vec<u32> = colour[1..].chars().map(|c| c.to_digit(16).unwrap()).collect();
    let channels: Vec<f64> = match digits.as_slice() {
        [r, g, b] => [r, g, b].map(|d| f64::from(d * 17)).to_vec(),
        all => all.chunks(2).map(|pair| f64::from(pair[0] * 16 + pair[1])).collect(),
    };
    let linear = |c: f64| match c / 255.0 {
        low if low <= 0.04045 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    };
    0.2126 * linear(channels[0]) + 0.7152 * linear(channels[1]) + 0.0722 * linear(channels[2])
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The custom properties of one `:root{…}`.
fn palette(rule: &str) -> BTreeMap<&str, &str> {
    let body = rule.split(['{', '}']).next().unwrap();
    body.split(';')
        .filter_map(|d| d.trim().strip_prefix("--")?.split_once(':'))
        .filter(|(_, value)| value.starts_with('#'))
        .collect()
}

#[test]
fn texts_stand_out_from_what_they_are_on() {
    assert!(
        (contrast("#000", "#ffffff") - 21.0).abs() < 1e-9 && (contrast("#777", "#fff") - 4.48).abs() < 0.01
    );
    let style = include_str!("../../../src/report/html/style.css");
    let palettes: Vec<_> = style.split(":root{").skip(1).map(palette).collect();
    let [light, dark, ..] = palettes.as_slice() else { panic!("a light and a dark palette") };
    for (name, colours) in [("light", light), ("dark", dark)] {
        let grounds = ["bg", "card", "code"];
        let signals = ["error", "warning", "info", "good"];
        let mut pairs: Vec<(String, String)> = Vec::new();
        for ink in ["ink", "soft"].into_iter().chain(signals) {
            pairs.extend(grounds.map(|ground| (ink.to_string(), ground.to_string())));
        }
        pairs.extend(signals.map(|s| (s.to_string(), format!("{s}-bg"))));
        pairs.extend(signals.map(|s| ("ink".to_string(), format!("{s}-bg"))));
        for (ink, ground) in pairs {
            let ratio = contrast(colours[ink.as_str()], colours[ground.as_str()]);
            assert!(ratio >= 4.5, "{name}: {ink} on {ground} has {ratio:.2} (WCAG AA wants 4.5)");
        }
        // What shows where the keyboard is needs 3.
        assert!(grounds.iter().all(|g| contrast(colours["focus"], colours[g]) >= 3.0), "{name}: focus");
    }
}

fn listing(kind: &str, more: &Value) -> Value {
    let mut properties = json!({"q": {"type": kind, "description": HOSTILE}});
    properties.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    json!({"tools": [
        {"name": "find_room", "description": format!("Find a free room. {HOSTILE}"), "inputSchema": {"type": "object", "properties": properties}},
        {"name": "book_room", "description": "Book a room for one night.", "inputSchema": {"type": "object", "required": ["night"],
            "properties": {"night": {"type": "string", "format": "date", "description": "The night."}}}}]})
}

fn two_releases(folder: &Path) {
    fs::write(folder.join("old.json"), listing("string", &json!({})).to_string()).unwrap();
    fs::write(folder.join("new.json"), listing("integer", &json!({HOSTILE: {"type": "string"}})).to_string())
        .unwrap();
}

#[test]
fn the_pages_of_gate_and_diff_in_a_browser() {
    let folder = tempfile::tempdir().unwrap();
    two_releases(folder.path());
    for (name, args, title) in [
        (
            "diff",
            ["diff", "old.json", "new.json", "--format=html=page.html"],
            "verity diff: old.json → new.json",
        ),
        (
            "gate",
            ["gate", "new.json", "--old=old.json", "--format=html=page.html"],
            "verity gate: not ready to release",
        ),
    ] {
        let out = verity().args(args).current_dir(folder.path()).output().unwrap();
        assert_eq!(out.status.code(), Some(1), "{name}: {}", String::from_utf8_lossy(&out.stderr));
        let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
        stays_text(&page);
        let Some(browser) = browser() else { continue };
        let dom = dom(&browser, folder.path(), &page);
        let (_, shown) = dom.split_once("<title>").unwrap();
        assert!(
            shown.starts_with(&format!("{title}</title>")),
            "{name}: no script of a listing ran: {}",
            &shown[..60]
        );
        assert_eq!(dom.matches("<article").count(), page.matches("<article").count(), "{name}");
        assert!(!dom.contains("<img"), "{name}: nothing is there that could ask the network");
        screenshots(&browser, folder.path(), &page, name);
    }
}
