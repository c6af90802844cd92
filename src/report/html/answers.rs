//! The page of `verity grade --pack`: what each agent scored on each task, and why an answer is wrong.

use super::text::visible_up_to;
use super::{count, framed};
use crate::grade::answers::{Scored, Task};
use crate::grade::assertion::Outcome;
use crate::report::answers::{Answered, number, status_of, summary};
use crate::rules::say::count_are;
use std::fmt::Write as _;

/// Tasks of the table, and answers that are explained below it.
const MOST: usize = 1_000;
/// Characters of a reason.
const LONG: usize = 1_000;

/// The report.
#[must_use]
pub fn answers(answered: &Answered) -> String {
    let (class, word) = match answered.status() {
        "passed" => ("passed", "Every answer is right"),
        "failed" => ("failed", "Not every answer is right"),
        _ => ("failed", "Not judged, or not wholly"),
    };
    let mut body = format!(
        "<header><p class=\"brand\">verity grade</p><h1>{}</h1><p class=\"verdict {class}\">{word}</p></header>\n<main id=\"main\">\n<p class=\"facts\">{}, {}</p><ul>",
        visible_up_to(&answered.pack, 200),
        count(answered.tasks.len(), "task"),
        count(answered.agents.len(), "agent")
    );
    for agent in &answered.agents {
        let _ = writeln!(body, "<li>{}</li>", visible_up_to(&summary(answered, agent), LONG));
    }
    body.push_str("</ul>\n");
    for note in &answered.notes {
        let _ = writeln!(body, "<p class=\"facts\">note: {}</p>", visible_up_to(note, LONG));
    }
    table(&mut body, answered);
    body.push_str("<h2>Answers that are not right</h2>\n");
    let wrong = answered.agents.iter().flat_map(|agent| {
        answered
            .tasks
            .iter()
            .zip(&agent.scores)
            .filter(|(_, s)| !s.passed())
            .map(|(t, s)| (agent.name.as_str(), t, s))
    });
    let mut shown = 0;
    for (agent, task, scored) in wrong {
        shown += 1;
        if shown <= MOST {
            explained(&mut body, agent, task, scored);
        }
    }
    match shown {
        0 => body.push_str("<p class=\"clean\">There is none.</p>\n"),
        n if n > MOST => {
            let _ = writeln!(
                body,
                "<p class=\"notice\">{} left out here; <code>--format json</code> has them all.</p>",
                count_are(n - MOST, "more answer")
            );
        }
        _ => {}
    }
    body.push_str("</main>\n");
    let hint = "scores are those of the pack's runner: 1.000 a right answer, 0.333 a wrong one, 0.000 none.";
    framed(&format!("verity grade: {}", answered.pack), &body, hint)
}

fn table(body: &mut String, answered: &Answered) {
    body.push_str("<div class=\"scroll\"><table><thead><tr><th scope=\"col\">Task</th>");
    for agent in &answered.agents {
        let _ = write!(body, "<th scope=\"col\">{}</th>", visible_up_to(&agent.name, 80));
    }
    body.push_str("</tr></thead><tbody>\n");
    for (i, task) in answered.tasks.iter().enumerate().take(MOST) {
        let _ = write!(body, "<tr><th scope=\"row\">{}</th>", visible_up_to(task.name(), 120));
        for agent in &answered.agents {
            let (class, shown) = match agent.scores.get(i) {
                Some(s) if s.passed() => ("passed", number(s.score)),
                Some(s) if !s.is_answered => ("skipped", "none".to_string()),
                other => ("failed", number(other.and_then(|s| s.score))),
            };
            let _ = write!(body, "<td class=\"{class}\"><span class=\"badge\">{shown}</span></td>");
        }
        body.push_str("</tr>\n");
    }
    body.push_str("</tbody></table></div>\n");
    if answered.tasks.len() > MOST {
        let _ = writeln!(
            body,
            "<p class=\"notice\">{} left out here.</p>",
            count_are(answered.tasks.len() - MOST, "more task")
        );
    }
}

fn explained(body: &mut String, agent: &str, task: &Task, scored: &Scored) {
    let level = if scored.score.is_none() { "warning" } else { "error" };
    let _ = write!(
        body,
        "<section class=\"tool\"><div class=\"findings\"><article class=\"finding {level}\"><h4><span class=\"badge\">{}</span> <code>{}</code> <span class=\"of\">{}, score {}</span></h4>",
        status_of(scored),
        visible_up_to(&task.id, 120),
        visible_up_to(agent, 80),
        number(scored.score)
    );
    for judged in &scored.assertions {
        let (word, why) = match &judged.outcome {
            Outcome::Passed => ("passed", None),
            Outcome::Failed(why) => ("failed", Some(why)),
            Outcome::NotJudged(why) => ("not judged", Some(why)),
        };
        let why = why.map_or(String::new(), |why| format!(": {}", visible_up_to(why, LONG)));
        let _ = write!(
            body,
            "<p class=\"message\" dir=\"auto\"><code>{}</code> {word}{why}</p>",
            visible_up_to(&judged.label, 200)
        );
    }
    body.push_str("</article></div></section>\n");
}
