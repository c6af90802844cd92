//! Bounds on the calls, over a server that is none.

use super::*;
use crate::probe::{CallRequest, Port};
use serde_json::json;

/// Answers the tools that are named so, and lets the time of all others run out.
struct Silent {
    /// Its time is over once it has taken so many calls.
    patience: usize,
    calls: Vec<String>,
}

impl Port for Silent {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        self.calls.push(request.tool.clone());
        match request.tool.starts_with("says") {
            true => Ok(Observation::of_result(json!({"content": []}))),
            false => Err(Fault::new(FaultCode::BudgetExhausted, "out of time")),
        }
    }
}

impl Server for Silent {
    fn ready(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn listing(&mut self) -> Result<String, Fault> {
        Ok(String::new())
    }

    fn has_announced_changes(&self) -> bool {
        false
    }

    fn is_over(&self) -> bool {
        self.calls.len() >= self.patience
    }
}

fn probed(tools: &[&str]) -> (Vec<String>, Vec<ToolRun>) {
    probed_for(tools, usize::MAX)
}

fn probed_for(tools: &[&str], patience: usize) -> (Vec<String>, Vec<ToolRun>) {
    let tool = |name: &&str| {
        let schema = json!({"type": "object", "required": ["q"], "properties": {"q": {"type": "string"}}});
        json!({"name": name, "inputSchema": schema, "annotations": {"readOnlyHint": true}})
    };
    let manifest = Manifest::of_tools(tools.iter().map(tool));
    let settings = Settings {
        seed: String::new(),
        max_calls: 200,
        writes: BTreeMap::new(),
        given: BTreeMap::new(),
        begun: BTreeMap::new(),
    };
    let mut server = Silent { patience, calls: Vec::new() };
    let runs = run(&manifest, &mut server, &settings, &mut |_, _| {}).unwrap();
    (server.calls, runs)
}

#[test]
fn a_server_that_does_not_answer_is_asked_no_more() {
    let (calls, runs) = probed(&["a", "b", "c", "says", "d"]);
    assert_eq!(calls, ["a", "a", "b", "b"], "each tool twice, four in a row");
    let why = |run: &ToolRun| run.stopped.get(&Round::First).copied();
    assert_eq!(
        runs.iter().map(why).collect::<Vec<_>>(),
        [Some(Stop::Hurts), Some(Stop::Hurts), Some(Stop::Silent), Some(Stop::Silent), Some(Stop::Silent)]
    );
    // One that answers between them is there: only the tools that do not are let be.
    let (calls, runs) = probed(&["a", "says", "b", "says_more", "c"]);
    let of = |name: &str| calls.iter().filter(|call| *call == name).count();
    assert_eq!((of("a"), of("b"), of("c")), (2, 2, 2));
    assert!(of("says") > 2 && of("says_more") > 2);
    assert!(runs.iter().all(|run| !run.is_cut()));
}

#[test]
fn no_call_begins_when_the_time_of_all_is_over() {
    let (calls, runs) = probed_for(&["says_a", "says_b"], 3);
    assert_eq!(calls.len(), 3);
    assert_eq!(
        runs[0].stopped.values().chain(runs[1].stopped.values()).find(|stop| **stop != Stop::Time),
        None
    );
    assert!(runs.iter().all(ToolRun::is_cut), "what was not asked is open");
}
