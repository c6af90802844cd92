//! The floor: what three agents that read nothing of a tool's meaning score on a pack. A pack whose
//! floor is high measures little.

use super::task::Task;
use crate::schema::SchemaView;
use crate::threads;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// How many tasks a blind agent passes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Baseline {
    pub name: &'static str,
    pub passed: usize,
}

/// The floor of a pack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Floor {
    pub baselines: Vec<Baseline>,
    /// Number of tasks in the pack.
    pub tasks: usize,
}

impl Floor {
    /// Tasks that the best blind agent passes.
    #[must_use]
    pub fn best(&self) -> usize {
        self.baselines.iter().map(|b| b.passed).max().unwrap_or(0)
    }

    /// Whether a blind agent passes so much (a third) that the pack says little about others.
    #[must_use]
    pub fn is_high(&self) -> bool {
        self.tasks > 0 && self.best() * 3 >= self.tasks
    }

    /// What a high floor leaves of a score, as half a sentence; `None` where the floor is not high.
    #[must_use]
    pub fn meaning(&self) -> Option<String> {
        let left = self.tasks.saturating_sub(self.best());
        self.is_high().then(|| match left {
            0 => {
                "no score tells an agent that reads from one that does not; the schemas of the tools have to \
                  require more before it can"
                    .to_string()
            }
            1 => "a single task tells an agent that reads from one that does not".to_string(),
            left if left * 2 <= self.tasks => {
                format!("only {left} tasks tell an agent that reads from one that does not")
            }
            _ => "a score says little unless it is well above that".to_string(),
        })
    }
}

/// A blind agent: schema in, arguments out.
type Agent = fn(&Value) -> Value;

/// The agents, with what they do.
const AGENTS: [(&str, Agent); 3] =
    [("empty-object", empty_object), ("required-zero", required_zero), ("examples-defaults", own_examples)];

/// Let the blind agents answer every task.
#[must_use]
pub fn measure(tasks: &[Task]) -> Floor {
    of_answers(threads::each(tasks, |task| answer(&task.schema)))
}

/// As [`measure`], for tasks that were read: the schema that grades each.
#[must_use]
pub fn of_schemas(schemas: &[&Value]) -> Floor {
    of_answers(threads::each(schemas, |schema| answer(schema)))
}

/// Which of the agents pass the task that `schema` grades.
fn answer(schema: &Value) -> [usize; 3] {
    let view = SchemaView::new(schema);
    let judge = view.judge().ok();
    AGENTS.map(|(_, agent)| usize::from(judge.is_some_and(|j| j.accepts(&agent(schema)))))
}

fn of_answers(answers: Vec<[usize; 3]>) -> Floor {
    let passed = answers.iter().fold([0; 3], |[a, b, c], [x, y, z]| [a + x, b + y, c + z]);
    let baselines = AGENTS.iter().zip(passed).map(|((name, _), passed)| Baseline { name, passed }).collect();
    Floor { baselines, tasks: answers.len() }
}

fn empty_object(_schema: &Value) -> Value {
    json!({})
}

fn required_zero(schema: &Value) -> Value {
    let root = follow(schema, schema);
    let required = root.get("required").and_then(Value::as_array).into_iter().flatten();
    let properties = root.get("properties");
    let members = required.filter_map(Value::as_str).map(|key| {
        let sub = properties.and_then(|p| p.get(key)).map(|s| follow(schema, s));
        (key.to_string(), zero(sub))
    });
    Value::Object(members.collect::<Map<_, _>>())
}

/// The zero value of the type that `schema` names first; without a type, an empty string.
fn zero(schema: Option<&Value>) -> Value {
    let kind = schema.and_then(|s| s.get("type"));
    let first = match kind {
        Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
        Some(kind) => kind.as_str(),
        None => None,
    };
    match first {
        Some("integer" | "number") => json!(0),
        Some("boolean") => json!(false),
        Some("array") => json!([]),
        Some("object") => json!({}),
        Some("null") => Value::Null,
        _ => json!(""),
    }
}

fn own_examples(schema: &Value) -> Value {
    let root = follow(schema, schema);
    if let Some(whole @ Value::Object(_)) = example(root) {
        return whole.clone();
    }
    let properties = root.get("properties").and_then(Value::as_object).into_iter().flatten();
    let members = properties.filter_map(|(key, sub)| {
        let own = example(sub).or_else(|| example(follow(schema, sub)))?;
        Some((key.clone(), own.clone()))
    });
    Value::Object(members.collect::<Map<_, _>>())
}

fn example(schema: &Value) -> Option<&Value> {
    let first = schema.get("examples").and_then(Value::as_array).and_then(|e| e.first());
    first.or_else(|| schema.get("example")).or_else(|| schema.get("default"))
}

/// `schema`, or where its local `$ref`s lead (a few steps: these agents do not think).
fn follow<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let mut at = schema;
    for _ in 0..8 {
        let target = at.get("$ref").and_then(Value::as_str).and_then(|r| r.strip_prefix('#'));
        match target.and_then(|pointer| root.pointer(pointer)) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blind_agents_answer_without_reading() {
        let schema = json!({"type": "object", "required": ["a", "n", "r", "x"], "properties": {
            "a": {"type": "string", "default": "d"}, "n": {"type": ["integer", "null"]}, "r": {"$ref": "#/$defs/L"},
            "o": {"examples": [7]}}, "$defs": {"L": {"type": "array", "example": [1]}}});
        assert_eq!(empty_object(&schema), json!({}));
        assert_eq!(required_zero(&schema), json!({"a": "", "n": 0, "r": [], "x": ""}));
        assert_eq!(own_examples(&schema), json!({"a": "d", "r": [1], "o": 7}));
        assert_eq!(own_examples(&json!({"examples": [{"k": 1}]})), json!({"k": 1}));
    }

    #[test]
    fn a_high_floor_says_what_is_left_of_a_score() {
        let meaning = |passed, tasks| {
            let baselines = vec![Baseline { name: "empty-object", passed }];
            Floor { baselines, tasks }.meaning().unwrap_or_default()
        };
        assert_eq!(meaning(1, 4), "");
        assert_eq!(meaning(2, 5), "a score says little unless it is well above that");
        assert_eq!(meaning(5, 8), "only 3 tasks tell an agent that reads from one that does not");
        assert_eq!(meaning(3, 4), "a single task tells an agent that reads from one that does not");
        assert!(meaning(4, 4).starts_with("no score tells an agent that reads from one that does not"));
    }

    #[test]
    fn a_third_is_high() {
        let floor = |passed| Floor { baselines: vec![Baseline { name: "empty-object", passed }], tasks: 6 };
        assert!(floor(2).is_high());
        assert!(!floor(1).is_high());
    }
}
