//! Two verdicts: are they one, and if not, what differs? Words may change from version to version; how a check ended, the
//! calls it is about and what the diagnostics are may not.

use serde_json::{Value, json};
use std::collections::BTreeMap;

/// One difference between a recorded verdict and a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// `status`, `call-quality`, `mutation`, or the id of a check.
    pub what: String,
    /// In words; what was recorded.
    pub was: String,
    /// What was found now.
    pub is: String,
}

impl Change {
    /// In one sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        format!("{} was {} and is {}", self.what, self.was, self.is)
    }

    #[must_use]
    pub fn to_json(&self) -> Value {
        json!({ "what": self.what, "was": self.was, "is": self.is })
    }
}

/// How the report `is` of a judgement differs from the report `was`, both as `grade --format json` has them.
#[must_use]
pub fn changes(was: &Value, is: &Value) -> Vec<Change> {
    let mut all = Vec::new();
    let mut say = |what: &str, was: String, is: String| {
        if was != is {
            all.push(Change { what: what.to_string(), was, is });
        }
    };
    let text = |report: &Value, at: &str| match report.pointer(at) {
        None | Some(Value::Null) => "absent".to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    say("status", text(was, "/status"), text(is, "/status"));
    let (before, after) = (checks(was), checks(is));
    for (id, ended) in &before {
        say(id, ended.clone(), after.get(id).cloned().unwrap_or_else(|| "absent".to_string()));
    }
    for (id, ended) in after.iter().filter(|(id, _)| !before.contains_key(*id)) {
        say(id, "absent".to_string(), ended.clone());
    }
    say("call-quality", quality(was), quality(is));
    for part in ["score", "killed", "total"] {
        let at = format!("/mutation/{part}");
        say("mutation", text(was, &at), text(is, &at));
    }
    all
}

fn items<'v>(value: &'v Value, at: &str) -> &'v [Value] {
    value.pointer(at).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn calls(value: &Value) -> String {
    let numbers: Vec<String> = items(value, "/calls").iter().map(Value::to_string).collect();
    if numbers.is_empty() { String::new() } else { format!(" (calls {})", numbers.join(", ")) }
}

/// How each check ended, by its name, with run and session where there are several.
fn checks(report: &Value) -> BTreeMap<String, String> {
    let word = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let one = |check: &Value| {
        let parts = [word(check, "run"), word(check, "session"), word(check, "id")];
        let name = parts.into_iter().filter(|p| !p.is_empty()).collect::<Vec<_>>().join(", ");
        (name, format!("{}{}", word(check, "status"), calls(check)))
    };
    items(report, "/checks").iter().map(one).collect()
}

fn quality(report: &Value) -> String {
    let word = |v: &Value, at: &str| v.pointer(at).and_then(Value::as_str).unwrap_or("absent").to_string();
    let one = |d: &Value| format!("{} {}{}", word(d, "/category"), word(d, "/severity"), calls(d));
    let all: Vec<String> = items(report, "/call_quality/diagnostics").iter().map(one).collect();
    let status = word(report, "/call_quality/status");
    if all.is_empty() { status } else { format!("{status}: {}", all.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(status: &str, checks: Value, diagnostics: Value) -> Value {
        json!({ "status": status, "checks": checks, "call_quality": { "status": "clean", "diagnostics": diagnostics }, "mutation": null })
    }

    #[test]
    fn words_may_change_and_nothing_else() {
        let check = |status: &str, message: &str, calls: Value| json!({ "id": "step-1", "status": status, "message": message, "calls": calls });
        let was = report("passed", json!([check("passed", "a", json!([1]))]), json!([]));
        let reworded = report("passed", json!([check("passed", "b", json!([1]))]), json!([]));
        assert_eq!(changes(&was, &reworded), []);
        let said = |is: &Value| changes(&was, is).iter().map(Change::sentence).collect::<Vec<_>>();
        assert_eq!(
            said(&report("failed", json!([check("failed", "a", json!([2]))]), json!([]))),
            ["status was passed and is failed", "step-1 was passed (calls 1) and is failed (calls 2)"]
        );
        assert_eq!(
            said(&report("passed", json!([]), json!([]))),
            ["step-1 was passed (calls 1) and is absent"]
        );
        let diagnostic = json!([{ "category": "repeated-call", "severity": "warning", "calls": [1, 2] }]);
        assert_eq!(
            said(&report("passed", json!([check("passed", "a", json!([1]))]), diagnostic)),
            ["call-quality was clean and is clean: repeated-call warning (calls 1, 2)"]
        );
    }
}
