//! Does a run record bear out what it says?

use super::super::canonical;
use super::super::record::{Recorded, RunRecord};
use super::defects;
use serde_json::Value;
use std::collections::BTreeSet;

/// Quotations of one finding, times the calls that it cites.
const MOST_QUOTED: usize = 10_000;

/// What a record says and does not bear out.
pub(super) fn disagreements(record: &RunRecord) -> Vec<String> {
    let mut out = Vec::new();
    let twice = |what: &str, ids: Vec<&String>| {
        let mut seen = BTreeSet::new();
        let again: Vec<String> = ids
            .into_iter()
            .filter(|id| !seen.insert((*id).clone()))
            .map(|id| format!("the {what} {id} occurs twice"))
            .collect();
        again
    };
    out.extend(twice("observation", record.calls.iter().map(|c| &c.id).collect()));
    out.extend(twice("finding", record.findings.iter().map(|f| &f.id).collect()));
    out.extend(twice("disposition of", record.dispositions.iter().map(|d| &d.oracle).collect()));
    out.extend(record.judged_without_score.iter().map(|id| format!("the judge gave {id} no score")));
    let findings = record.findings.iter().map(|f| (&f.id, &f.observations));
    for (who, cited) in findings.chain(record.dispositions.iter().map(|d| (&d.oracle, &d.observations))) {
        let dangling = cited.iter().filter(|id| record.call(id).is_none());
        out.extend(
            dangling.map(|id| format!("{who} cites the observation {id}, which is not in the record")),
        );
    }
    for finding in defects(record) {
        if finding.quotes.len().saturating_mul(finding.observations.len()) > MOST_QUOTED {
            out.push(format!("{} quotes more from more calls than can be looked up", finding.id));
            continue;
        }
        for (quote, channel) in &finding.quotes {
            let calls = finding.observations.iter().filter_map(|id| record.call(id));
            if !calls.into_iter().any(|call| is_quoted(quote, channel, call)) {
                out.push(format!(
                    "{} quotes `{}`, which stands in no call that it cites",
                    finding.id,
                    crate::error::cut(quote)
                ));
            }
        }
    }
    out
}

/// Whether a channel of a call holds the text: in one of its strings, or in its canonical text.
fn is_quoted(quote: &str, channel: &str, call: &Recorded) -> bool {
    let value = match channel {
        "response-body" => call.call.body.as_ref(),
        "response-status" => Some(&call.call.status),
        "call-inputs" => Some(&call.call.arguments),
        _ => None,
    };
    let in_strings = |value: &Value| {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::String(text) if text.contains(quote) => return true,
                Value::Array(items) => open.extend(items),
                Value::Object(members) => open.extend(members.values()),
                _ => {}
            }
        }
        false
    };
    value.is_some_and(|value| in_strings(value) || canonical::text(value).contains(quote))
}
