//! The page of `verity grade` and `verity replay`: each call in its order, with the checks that judge it beside it.

use super::difference::difference;
use super::text::{json, visible, visible_up_to};
use super::{count, framed, tally};
use crate::error::InputError;
use crate::grade::mutate::Mutation;
use crate::grade::verdict::{Check, Diagnostic, Outcome, Severity, Status};
use crate::report::grade::Graded;
use crate::trace::{Arguments, Call, Said, Trace, result_kind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Calls and texts of all recordings that are shown, and the bytes of what they hold.
const MOST_EVENTS: usize = 3_000;
const MOST_BYTES: usize = 6 << 20;
/// Characters of a value, and of a message.
const LONG: usize = 4_000;
const MESSAGE: usize = 1_000;
/// Checks of one kind beside each other.
const MOST_CHECKS: usize = 500;

/// One recording on the page.
#[derive(Debug)]
pub struct Sheet<'s> {
    /// The recording or attempt, as the user named it.
    pub name: &'s str,
    /// The judgement and the recording; or why there is none.
    pub judged: Result<(Graded<'s>, &'s Trace), &'s InputError>,
    /// What else there is to say: whether that is good, and what it is.
    pub remarks: Vec<(bool, String)>,
}

/// The report.
#[must_use]
pub fn grade(command: &str, sheets: &[Sheet<'_>]) -> String {
    let title = match sheets {
        [one] => one.name.to_string(),
        many => count(many.len(), "attempt"),
    };
    let worst = sheets.iter().map(outcome).max().unwrap_or(Outcome::Error);
    let verdicts = match sheets {
        [one] => pills(one),
        _ => format!("<p class=\"verdict {}\">{}</p>", class(worst), word(worst)),
    };
    let mut body = format!(
        "<header><p class=\"brand\">{command}</p><h1>{}</h1>{verdicts}</header>\n<main id=\"main\">\n",
        visible_up_to(&title, 200)
    );
    if sheets.len() > 1 {
        overview(&mut body, sheets);
    }
    let mut left = Left { events: MOST_EVENTS, bytes: MOST_BYTES };
    for (i, sheet) in sheets.iter().enumerate() {
        self::sheet(&mut body, i + 1, sheet, sheets.len() > 1, &mut left);
    }
    body.push_str("</main>\n");
    framed(
        &format!("{command}: {title}"),
        &body,
        "a passed check says what it shows, and what it does not; <code>docs/recordings.md</code> has the rules.",
    )
}

/// What may still be written.
struct Left {
    events: usize,
    bytes: usize,
}

impl Left {
    /// How many characters of a value may be shown, and counts them.
    fn take(&mut self, text: usize) -> usize {
        let most = LONG.min(self.bytes);
        self.bytes -= text.min(most);
        most
    }
}

fn outcome(sheet: &Sheet<'_>) -> Outcome {
    let own = match &sheet.judged {
        Ok((graded, _)) => graded.verdict.outcome(),
        Err(_) => Outcome::Error,
    };
    let remark = if sheet.remarks.iter().all(|(good, _)| *good) { Outcome::Passed } else { Outcome::Failed };
    own.max(remark)
}

fn class(outcome: Outcome) -> &'static str {
    if outcome == Outcome::Passed { "passed" } else { "failed" }
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Passed => "Passed",
        Outcome::Failed => "Failed",
        Outcome::Error => "Not judged",
    }
}

/// Both verdicts.
fn pills(sheet: &Sheet<'_>) -> String {
    let ended = outcome(sheet);
    let own = format!("<p class=\"verdict {}\">{}</p>", class(ended), word(ended));
    let Ok((graded, _)) = &sheet.judged else { return own };
    let quality = graded.verdict.quality.word();
    let class = match quality {
        "clean" => "passed",
        "warning" => "warning",
        _ => "failed",
    };
    format!("{own} <p class=\"verdict {class}\">Call quality: {quality}</p>")
}

/// Every attempt on a line.
fn overview(body: &mut String, sheets: &[Sheet<'_>]) {
    body.push_str("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Attempt</th><th scope=\"col\">Correct</th><th scope=\"col\">Call quality</th><th scope=\"col\">Checks passed</th><th scope=\"col\">Calls</th></tr></thead><tbody>\n");
    for (i, sheet) in sheets.iter().enumerate() {
        let ended = outcome(sheet);
        let cells = match &sheet.judged {
            Ok((graded, _)) => format!(
                "<td>{}</td><td>{} of {}</td><td>{}</td>",
                graded.verdict.quality.word(),
                graded.verdict.count(Status::Passed),
                graded.verdict.checks.len(),
                graded.calls
            ),
            Err(_) => "<td>–</td><td>–</td><td>–</td>".to_string(),
        };
        let _ = writeln!(
            body,
            "<tr class=\"{}\"><th scope=\"row\"><a href=\"#a{}\">{}</a></th><td><span class=\"badge\">{}</span></td>{cells}</tr>",
            class(ended),
            i + 1,
            visible_up_to(sheet.name, 200),
            word(ended).to_lowercase()
        );
    }
    body.push_str("</tbody></table></div>\n");
}

fn sheet(body: &mut String, number: usize, sheet: &Sheet<'_>, several: bool, left: &mut Left) {
    let _ = writeln!(body, "<section class=\"manifest\" id=\"a{number}\">");
    if several {
        let _ = writeln!(body, "<h2>{}</h2>{}", visible_up_to(sheet.name, 200), pills(sheet));
    }
    for (good, text) in &sheet.remarks {
        let class = if *good { "clean" } else { "notice" };
        let _ = writeln!(body, "<p class=\"{class}\">{}</p>", visible_up_to(text, MESSAGE));
    }
    match &sheet.judged {
        Ok((graded, trace)) => self::judged(body, number, graded, trace, left),
        Err(e) => {
            let _ = writeln!(
                body,
                "<p class=\"notice\"><strong>No verdict on the recording:</strong> {}</p>",
                visible_up_to(&e.to_string(), MESSAGE)
            );
        }
    }
    body.push_str("</section>\n");
}

fn judged(body: &mut String, number: usize, graded: &Graded<'_>, trace: &Trace, left: &mut Left) {
    let verdict = graded.verdict;
    let _ = writeln!(
        body,
        "<p class=\"facts\">{} · {}</p>\n<ul class=\"tallies\">{}{}{}<li><b>{}</b> passed</li></ul>",
        visible_up_to(graded.format, 40),
        count(graded.calls, "call"),
        tally("error", verdict.count(Status::Failed), "failed check"),
        tally("warning", verdict.count(Status::Inconclusive), "undecided check"),
        tally("info", verdict.count(Status::Skipped), "skipped check"),
        verdict.count(Status::Passed)
    );
    for note in graded.notes.iter().chain(&verdict.notes).take(20) {
        let _ = writeln!(body, "<p class=\"facts\">note: {}</p>", visible_up_to(note, MESSAGE));
    }
    if let Some(mutation) = graded.mutation {
        self::mutation(body, mutation);
    }
    let beside = Beside::new(graded);
    let (own, other): (Vec<&Check>, Vec<&Check>) = verdict.checks.iter().partition(|c| c.calls.is_empty());
    let failed: Vec<&&Check> = other.iter().filter(|c| c.status >= Status::Inconclusive).collect();
    if !failed.is_empty() {
        body.push_str("<h3 class=\"part\">What did not pass</h3><ul class=\"failed-list\">\n");
        for check in failed.iter().take(MOST_CHECKS) {
            let at = check.calls.first().copied().unwrap_or_default();
            let _ = writeln!(
                body,
                "<li><a href=\"#a{number}-c{at}\">call {at}</a> <code>{}</code>: {}</li>",
                visible_up_to(&check.full_name(), 200),
                visible_up_to(&check.message, 300)
            );
        }
        more(body, failed.len(), MOST_CHECKS, "checks");
        body.push_str("</ul>\n");
    }
    if !own.is_empty() {
        body.push_str("<h3 class=\"part\">Checks of the whole</h3><div class=\"findings\">\n");
        own.iter().take(MOST_CHECKS).for_each(|c| check(body, number, c, None));
        more(body, own.len(), MOST_CHECKS, "checks");
        body.push_str("</div>\n");
    }
    timeline(body, number, trace, &beside, left);
}

/// Checks and diagnostics by the number of the first call that they are about.
struct Beside<'g> {
    checks: BTreeMap<usize, Vec<&'g Check>>,
    diagnostics: BTreeMap<usize, Vec<&'g Diagnostic>>,
}

impl<'g> Beside<'g> {
    fn new(graded: &'g Graded<'_>) -> Beside<'g> {
        let mut beside = Beside { checks: BTreeMap::new(), diagnostics: BTreeMap::new() };
        for check in &graded.verdict.checks {
            if let Some(first) = check.calls.first() {
                beside.checks.entry(*first).or_default().push(check);
            }
        }
        for diagnostic in &graded.verdict.quality.diagnostics {
            if let Some(first) = diagnostic.calls.first() {
                beside.diagnostics.entry(*first).or_default().push(diagnostic);
            }
        }
        beside
    }

    fn checks(&self, call: usize) -> &[&'g Check] {
        self.checks.get(&call).map_or(&[], Vec::as_slice)
    }

    fn diagnostics(&self, call: usize) -> &[&'g Diagnostic] {
        self.diagnostics.get(&call).map_or(&[], Vec::as_slice)
    }

    /// Calls that something grave is said of.
    fn grave(&self) -> BTreeSet<usize> {
        let checks =
            self.checks.iter().filter(|(_, all)| all.iter().any(|c| c.status >= Status::Inconclusive));
        let diagnostics =
            self.diagnostics.iter().filter(|(_, all)| all.iter().any(|d| d.severity >= Severity::Warning));
        checks.map(|(n, _)| *n).chain(diagnostics.map(|(n, _)| *n)).collect()
    }
}

enum Event<'t> {
    Call(Call<'t>),
    Said(&'t Said),
}

/// What happened, in order: of very much, what something grave is said of and the beginning.
fn timeline(body: &mut String, number: usize, trace: &Trace, beside: &Beside<'_>, left: &mut Left) {
    let calls = trace.calls().map(|c| (c.made(), Event::Call(c)));
    let mut events: Vec<(u32, Event<'_>)> =
        calls.chain(trace.said.iter().map(|s| (s.at, Event::Said(s)))).collect();
    events.sort_by_key(|(at, _)| *at);
    let grave = beside.grave();
    let total = events.len();
    let is_grave = |event: &Event<'_>| matches!(event, Event::Call(c) if grave.contains(&c.number()));
    let graves = events.iter().filter(|(_, e)| is_grave(e)).count();
    let mut plain = left.events.saturating_sub(graves);
    let mut shown = 0;
    body.push_str("<h3 class=\"part\">What happened</h3><ol class=\"timeline\">\n");
    for (_, event) in &events {
        let fits = if is_grave(event) { left.events > 0 } else { plain > 0 };
        if !fits {
            continue;
        }
        if !is_grave(event) {
            plain -= 1;
        }
        left.events = left.events.saturating_sub(1);
        shown += 1;
        match event {
            Event::Call(call) => self::call(body, number, call, beside, grave.contains(&call.number()), left),
            Event::Said(said) => {
                let most = left.take(said.text.len());
                let _ = writeln!(
                    body,
                    "<li class=\"said\"><p class=\"label\">{}</p><p class=\"speech\" dir=\"auto\">{}</p></li>",
                    said.actor,
                    visible_up_to(&said.text, most)
                );
            }
        }
    }
    body.push_str("</ol>\n");
    if shown < total {
        let _ = writeln!(
            body,
            "<p class=\"notice\">{} more calls and texts are left out here; <code>verity trace</code> prints them all.</p>",
            total - shown
        );
    }
}

fn call(
    body: &mut String,
    number: usize,
    call: &Call<'_>,
    beside: &Beside<'_>,
    is_open: bool,
    left: &mut Left,
) {
    let kind = result_kind(call.outcome());
    let state = match call.outcome().word() {
        "ok" => "passed",
        "error" => "error",
        _ => "warning",
    };
    let of = |label: &str, text: Option<&str>| {
        text.filter(|t| !t.is_empty())
            .map_or(String::new(), |t| format!(" <span class=\"of\">{label} {}</span>", visible_up_to(t, 80)))
    };
    let _ = write!(
        body,
        "<li class=\"call\" id=\"a{number}-c{0}\"><details{1}><summary><b>{0}</b> <code>{2}</code> <span class=\"{state}\"><span class=\"badge\">{kind}</span></span>{3}{4}{5}</summary>",
        call.number(),
        if is_open { " open" } else { "" },
        visible_up_to(call.tool(), 120),
        of("on", call.server()),
        of("in", Some(call.session())),
        of("for", call.parent())
    );
    let length = call.arguments_text().len();
    let most = left.take(length);
    let arguments = match call.arguments() {
        Arguments::Value(value) => json(&value, most),
        Arguments::Text(text) => visible_up_to(text, most),
        Arguments::NotRecorded => "<em>not recorded</em>".to_string(),
    };
    let _ = write!(body, "<p class=\"label\">Arguments</p><pre tabindex=\"0\">{arguments}</pre>");
    let answer = match (call.structured(), call.text()) {
        (Some(value), _) => json(&value, left.take(value.to_string().len())),
        (None, "") => "<em>none</em>".to_string(),
        (None, text) => visible_up_to(text, left.take(text.len())),
    };
    let place = match call.line() {
        0 => String::new(),
        line => format!("<p class=\"place\">line {line}</p>"),
    };
    let _ = write!(
        body,
        "<p class=\"label\">Answer: {kind}</p><pre tabindex=\"0\">{answer}</pre>{place}</details><div class=\"findings\">"
    );
    for check in beside.checks(call.number()).iter().take(MOST_CHECKS) {
        self::check(body, number, check, Some(call.number()));
    }
    for diagnostic in beside.diagnostics(call.number()).iter().take(MOST_CHECKS) {
        let level = match diagnostic.severity {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Failure => "error",
        };
        let _ = write!(
            body,
            "<article class=\"finding {level}\"><h4><span class=\"badge\">{}</span> <code>{}</code> <span class=\"of\">call quality</span></h4><p class=\"message\" dir=\"auto\">{}</p></article>",
            diagnostic.severity.word(),
            diagnostic.category,
            visible_up_to(&diagnostic.reason, MESSAGE)
        );
    }
    body.push_str("</div></li>\n");
}

fn check(body: &mut String, number: usize, check: &Check, beside: Option<usize>) {
    let level = match check.status {
        Status::Passed => "passed",
        Status::Skipped => "skipped",
        Status::Inconclusive => "warning",
        Status::Failed => "error",
    };
    let step = check
        .step
        .as_deref()
        .map_or(String::new(), |s| format!(" <span class=\"of\">{}</span>", visible_up_to(s, 200)));
    let also: Vec<String> = check
        .calls
        .iter()
        .filter(|c| Some(**c) != beside)
        .map(|c| format!("<a href=\"#a{number}-c{c}\">{c}</a>"))
        .collect();
    let also = match also.is_empty() {
        true => String::new(),
        false => format!("<p class=\"place\">also calls {}</p>", also.join(", ")),
    };
    let _ = write!(
        body,
        "<article class=\"finding {level}\"><h4><span class=\"badge\">{}</span> <code>{}</code>{step}</h4><p class=\"message\" dir=\"auto\">{}</p>",
        check.status.word(),
        visible_up_to(&check.full_name(), 200),
        visible_up_to(&check.message, MESSAGE)
    );
    if check.status >= Status::Inconclusive {
        body.push_str(&difference(check.expected.as_ref(), check.actual.as_ref(), LONG));
    }
    let _ = writeln!(body, "{also}</article>");
}

fn mutation(body: &mut String, mutation: &Mutation) {
    let score = mutation.score().map_or("–".to_string(), |s| format!("{s:.3}"));
    let _ = writeln!(
        body,
        "<details class=\"part\"><summary>Can the grading fail? {} of {} changes to the recording were noticed (mutation score {score})</summary><ul>",
        mutation.killed,
        mutation.total()
    );
    let answer = mutation.answer.iter().flat_map(|a| &a.survivors);
    for survivor in mutation.survivors.iter().chain(answer).take(MOST_CHECKS) {
        let _ = writeln!(
            body,
            "<li>not noticed: <code>{}</code> {}</li>",
            visible(survivor.kind),
            visible_up_to(&survivor.detail, 300)
        );
    }
    more(body, mutation.survivors.len(), MOST_CHECKS, "changes");
    body.push_str("</ul></details>\n");
}

fn more(body: &mut String, all: usize, shown: usize, what: &str) {
    if all > shown {
        let _ = writeln!(
            body,
            "<p class=\"notice\">{} more {what} are left out here; <code>--format json</code> has them all.</p>",
            all - shown
        );
    }
}
