//! What agents scored on a pack: for people, for programs, for CI.

use super::human::Look;
use super::json::SCHEMA_VERSION;
use super::junit::xml;
use super::screen::{safe, without_commands};
use crate::grade::answers::{Judged, Scored, Task};
use crate::grade::assertion::Outcome;
use crate::markdown::{text, text_up_to};
use crate::pack::floor::Floor;
use crate::rules::say::count;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters of a reason.
const LONG: usize = 300;
/// Rows of a table, and reasons below it; the JSON report has all.
const MOST: usize = 200;

/// Agents and what they scored.
#[derive(Debug)]
pub struct Answered {
    /// The pack, as the user named it.
    pub pack: String,
    pub tasks: Vec<Task>,
    pub agents: Vec<Agent>,
    /// What agents that read nothing score.
    pub floor: Floor,
    pub notes: Vec<String>,
}

/// One agent.
#[derive(Debug)]
pub struct Agent {
    pub name: String,
    /// In the order of the tasks.
    pub scores: Vec<Scored>,
}

impl Agent {
    /// Tasks that it passes.
    #[must_use]
    pub fn passed(&self) -> usize {
        self.scores.iter().filter(|s| s.passed()).count()
    }

    fn not_judged(&self) -> usize {
        self.scores.iter().filter(|s| s.score.is_none()).count()
    }

    fn missing(&self) -> usize {
        self.scores.iter().filter(|s| !s.is_answered).count()
    }

    /// The mean of the scores; `None` where one is missing.
    fn mean(&self) -> Option<f64> {
        let all: Option<Vec<f64>> = self.scores.iter().map(|s| s.score).collect();
        all.filter(|s| !s.is_empty()).map(|s| s.iter().sum::<f64>() / s.len() as f64)
    }
}

impl Answered {
    /// `passed`, `failed`, or `error` where something was not judged.
    #[must_use]
    pub fn status(&self) -> &'static str {
        let all = || self.agents.iter().flat_map(|a| &a.scores);
        if all().any(|s| s.score.is_some_and(|score| score < 1.0)) {
            "failed"
        } else if all().any(|s| s.score.is_none()) {
            "error"
        } else {
            "passed"
        }
    }
}

/// A score as the runner prints it.
pub(super) fn number(score: Option<f64>) -> String {
    score.map_or("?".to_string(), |s| format!("{s:.3}"))
}

/// How an answer did.
pub(super) fn status_of(scored: &Scored) -> &'static str {
    match (scored.score, scored.passed(), scored.is_answered) {
        (None, _, _) => "not-judged",
        (_, true, _) => "passed",
        (_, _, true) => "failed",
        (_, _, false) => "missing",
    }
}

/// `grade --pack … --format json`, as `schemas/answers-report.schema.json` describes it, with a final line feed.
#[must_use]
pub fn json(answered: &Answered) -> String {
    let assertion = |j: &Judged| {
        let (status, reason) = match &j.outcome {
            Outcome::Passed => ("passed", None),
            Outcome::Failed(why) => ("failed", Some(why)),
            Outcome::NotJudged(why) => ("not-judged", Some(why)),
        };
        json!({ "type": j.kind, "description": j.label, "weight": j.weight, "score": j.outcome.score(), "status": status, "reason": reason })
    };
    let task = |(task, scored): (&Task, &Scored)| {
        json!({ "task": task.id, "tool": task.tool, "status": status_of(scored), "score": scored.score,
            "assertions": scored.assertions.iter().map(assertion).collect::<Vec<_>>() })
    };
    let agent = |agent: &Agent| {
        json!({ "name": agent.name, "passed": agent.passed(), "not_judged": agent.not_judged(), "missing": agent.missing(),
            "score": agent.mean(), "above_floor": agent.passed() > answered.floor.best(),
            "tasks": answered.tasks.iter().zip(&agent.scores).map(task).collect::<Vec<_>>() })
    };
    let report = json!({ "schema_version": SCHEMA_VERSION, "verity": env!("CARGO_PKG_VERSION"), "pack": answered.pack,
        "status": answered.status(), "task_count": answered.tasks.len(), "floor": answered.floor,
        "agents": answered.agents.iter().map(agent).collect::<Vec<_>>(), "notes": answered.notes, "error": Value::Null });
    format!("{report:#}\n")
}

/// One line an agent: how it did, and what that is against the floor.
pub(super) fn summary(answered: &Answered, agent: &Agent) -> String {
    let (passed, tasks, floor) = (agent.passed(), answered.tasks.len(), answered.floor.best());
    let mut line = format!(
        "{}: {passed} of {} passed, mean score {}",
        agent.name,
        count(tasks, "task"),
        number(agent.mean())
    );
    for (n, what) in [(agent.missing(), "without an answer"), (agent.not_judged(), "not judged")] {
        if n > 0 {
            let _ = write!(line, ", {n} {what}");
        }
    }
    let _ = match passed {
        p if p > floor => write!(line, "; agents that read nothing pass {floor}"),
        _ => write!(line, "; that is no more than agents that read nothing pass ({floor})"),
    };
    line
}

/// For people at a screen.
#[must_use]
pub fn human(answered: &Answered, look: Look) -> String {
    let mut out = String::new();
    let name_width =
        answered.tasks.iter().take(MOST).map(|t| t.name().chars().count()).max().unwrap_or(0).clamp(4, 40);
    let heads: Vec<String> = answered.agents.iter().map(|a| a.name.chars().take(16).collect()).collect();
    let widths: Vec<usize> = heads.iter().map(|h| h.chars().count().max(5)).collect();
    let _ = write!(out, "{:name_width$}", "task");
    for (head, width) in heads.iter().zip(&widths) {
        let _ = write!(out, "  {:>width$}", safe(head));
    }
    out.push('\n');
    for (i, task) in answered.tasks.iter().enumerate().take(MOST) {
        let name: String = task.name().chars().take(name_width).collect();
        let _ = write!(out, "{:name_width$}", safe(&name));
        for (agent, width) in answered.agents.iter().zip(&widths) {
            let scored = agent.scores.get(i);
            let shown = match scored {
                Some(s) if !s.is_answered => "none".to_string(),
                other => number(other.and_then(|s| s.score)),
            };
            let _ = write!(out, "  {shown:>width$}");
        }
        out.push('\n');
    }
    if answered.tasks.len() > MOST {
        let _ = writeln!(
            out,
            "… and {} (--format json has all)",
            count(answered.tasks.len() - MOST, "more task")
        );
    }
    out.push('\n');
    for agent in &answered.agents {
        for (task, scored) in reasons(answered, agent) {
            let line = format!("{}, {}: {}", agent.name, task.name(), scored);
            let _ = writeln!(out, "{}", look.wrap("× ", "  ", &safe(&line)));
        }
    }
    for agent in &answered.agents {
        let _ = writeln!(out, "{}", look.wrap("", "  ", &safe(&summary(answered, agent))));
    }
    for note in &answered.notes {
        let _ = writeln!(out, "{}", look.wrap("note: ", "  ", &safe(note)));
    }
    without_commands(out)
}

/// Why answers did not pass.
fn reasons<'a>(answered: &'a Answered, agent: &'a Agent) -> impl Iterator<Item = (&'a Task, String)> {
    let one = |(task, scored): (&'a Task, &'a Scored)| {
        let why = scored.reason().filter(|_| !scored.passed() && scored.is_answered)?;
        Some((task, why.chars().take(LONG).collect()))
    };
    answered.tasks.iter().zip(&agent.scores).filter_map(one).take(MOST)
}

/// For a comment or a job's summary.
#[must_use]
pub fn markdown(answered: &Answered) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "## {}: {}\n", text(&answered.pack), answered.status());
    for agent in &answered.agents {
        let _ = writeln!(out, "- {}", text_up_to(&summary(answered, agent), LONG));
    }
    let heads: String = answered.agents.iter().map(|a| format!(" {} |", text(&a.name))).collect();
    let _ = writeln!(out, "\n| task |{heads}\n|---|{}", "---:|".repeat(answered.agents.len()));
    for (i, task) in answered.tasks.iter().enumerate().take(MOST) {
        let cells: String = answered
            .agents
            .iter()
            .map(|a| format!(" {} |", number(a.scores.get(i).and_then(|s| s.score))))
            .collect();
        let _ = writeln!(out, "| {} |{cells}", text(task.name()));
    }
    if answered.tasks.len() > MOST {
        let _ = writeln!(out, "\n… and {}", count(answered.tasks.len() - MOST, "more task"));
    }
    out
}

/// For CI systems: a suite an agent, a case a task.
#[must_use]
pub fn junit(answered: &Answered) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"verity\">\n");
    for agent in &answered.agents {
        let (tests, skipped) = (agent.scores.len(), agent.not_judged());
        let failures = tests - skipped - agent.passed();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">",
            xml(&agent.name)
        );
        for (task, scored) in answered.tasks.iter().zip(&agent.scores) {
            let head = format!("    <testcase classname=\"{}\" name=\"{}\"", xml(&agent.name), xml(&task.id));
            let why = xml(if scored.is_answered { scored.reason().unwrap_or_default() } else { "no answer" });
            let _ = match status_of(scored) {
                "passed" => writeln!(out, "{head}/>"),
                "not-judged" => {
                    writeln!(out, "{head}>\n      <skipped message=\"not judged: {why}\"/>\n    </testcase>")
                }
                _ => writeln!(
                    out,
                    "{head}>\n      <failure message=\"score {}: {why}\"/>\n    </testcase>",
                    number(scored.score)
                ),
            };
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}
