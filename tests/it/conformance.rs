//! The conformance suite: our own adapters pass all of it, and an adapter with one fault fails that assertion.

#[cfg(feature = "live")]
mod adapters;

use serde_json::json;
use std::cell::Cell;
use std::time::Duration;
use verity::conformance::{self, ASSERTIONS, Bench, INTERFACE, Scenario, Subject, TOOL};
use verity::probe::{CallRequest, Fault, FaultCode, Observation, Port};

/// The one thing that a fake adapter does wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    FaultWithoutType,
    CallsTwice,
    Retries,
    ComesBackLate,
    TakesAnything,
    SuccessAsError,
    ForgetsTheCall,
    LosesTheResultOfErrors,
    CallsAnyInterface,
    CallsAnyTool,
    Unescapes,
    DropsAMember,
    NoTimeLimit,
    NoSizeLimit,
}

struct Fake {
    scenario: Scenario,
    wrong: Wrong,
    calls: Cell<usize>,
}

fn fault(code: FaultCode) -> Result<Observation, Fault> {
    Err(Fault::new(code, "said why"))
}

impl Port for Fake {
    fn call(&mut self, request: &CallRequest) -> Result<Observation, Fault> {
        let (interface, tool) = (request.interface == INTERFACE, request.tool == TOOL);
        if !(interface || self.wrong == Wrong::CallsAnyInterface)
            || !(tool || self.wrong == Wrong::CallsAnyTool)
        {
            return fault(FaultCode::ForbiddenTarget);
        }
        let dies = self.scenario == Scenario::Dies;
        let made = match self.wrong {
            Wrong::CallsTwice if !dies => 2,
            Wrong::Retries if dies => 2,
            Wrong::ForgetsTheCall if request.arguments["text"] == "seen" => 0,
            _ => 1,
        };
        self.calls.set(self.calls.get() + made);
        let mut text = request.arguments["text"].as_str().unwrap().to_string();
        if self.wrong == Wrong::Unescapes {
            text = text.replace("\\n", "\n");
        }
        let mut result = json!({"echo": text, "length": text.chars().count()});
        if self.wrong == Wrong::DropsAMember {
            result.as_object_mut().unwrap().remove("length");
        }
        let mut is_error = self.scenario == Scenario::ToolError;
        match self.scenario {
            Scenario::Dies if self.wrong == Wrong::FaultWithoutType => return fault(FaultCode::Aborted),
            Scenario::Dies => return fault(FaultCode::PortFailure),
            Scenario::Malformed if self.wrong != Wrong::TakesAnything => {
                return fault(FaultCode::PortFailure);
            }
            Scenario::Slow if self.wrong != Wrong::NoTimeLimit => return fault(FaultCode::BudgetExhausted),
            Scenario::Floods if self.wrong != Wrong::NoSizeLimit => return fault(FaultCode::BudgetExhausted),
            Scenario::Answers if self.wrong == Wrong::SuccessAsError && text == "a" => is_error = true,
            _ => {}
        }
        let mut envelope = json!({"content": [], "structuredContent": result, "isError": is_error});
        if is_error && self.wrong == Wrong::LosesTheResultOfErrors {
            envelope.as_object_mut().unwrap().remove("structuredContent");
        }
        Ok(Observation::of_result(envelope))
    }
}

impl Subject for Fake {
    fn underlying_calls(&self) -> usize {
        self.calls.get()
    }

    fn allows(&self, interface: &str, tool: &str) -> bool {
        interface == INTERFACE && tool == TOOL
    }

    /// It need not wait for the abort: only who comes back too late is at fault.
    fn call_and_abort(&mut self, _: &CallRequest, after: Duration) -> Result<Observation, Fault> {
        if self.wrong == Wrong::ComesBackLate {
            std::thread::sleep(after + conformance::ABORT_BUDGET + Duration::from_millis(100));
        }
        fault(FaultCode::Aborted)
    }
}

struct Fakes(Wrong);

impl Bench for Fakes {
    fn subject(&self, scenario: Scenario) -> Box<dyn Subject + '_> {
        Box::new(Fake { scenario, wrong: self.0, calls: Cell::new(0) })
    }
}

fn failed(wrong: Wrong) -> Vec<&'static str> {
    let outcomes = conformance::run(&Fakes(wrong));
    assert_eq!(outcomes.len(), 14);
    let failed: Vec<_> = outcomes.iter().filter(|o| o.fault.is_some()).map(|o| o.assertion).collect();
    assert_eq!(conformance::is_certified(&outcomes), failed.is_empty(), "{wrong:?}");
    failed
}

#[test]
fn an_adapter_without_fault_is_certified() {
    assert_eq!(failed(Wrong::Nothing), Vec::<&str>::new());
}

#[test]
fn every_fault_fails_its_own_assertion() {
    let table: [(Wrong, &[&str]); 14] = [
        (Wrong::FaultWithoutType, &["typed-fault"]),
        // Whoever calls twice is seen wherever calls are counted.
        (Wrong::CallsTwice, &["one-call-on-success", "authorized-call-observed"]),
        (Wrong::Retries, &["one-call-on-failure"]),
        (Wrong::ComesBackLate, &["abort-within-budget"]),
        (Wrong::TakesAnything, &["invalid-response-refused"]),
        (Wrong::SuccessAsError, &["valid-response-on-success"]),
        (Wrong::ForgetsTheCall, &["authorized-call-observed"]),
        (Wrong::LosesTheResultOfErrors, &["tool-error-observed"]),
        (Wrong::CallsAnyInterface, &["unmapped-interface-denied"]),
        (Wrong::CallsAnyTool, &["unlisted-tool-denied"]),
        (Wrong::Unescapes, &["arguments-byte-for-byte"]),
        (Wrong::DropsAMember, &["declared-keys-carried"]),
        (Wrong::NoTimeLimit, &["elapsed-cap"]),
        (Wrong::NoSizeLimit, &["byte-cap"]),
    ];
    for (i, (wrong, expected)) in table.into_iter().enumerate() {
        assert_eq!(failed(wrong), expected, "{wrong:?}");
        assert!(expected.contains(&ASSERTIONS[i].0), "{wrong:?} is the fault of {}", ASSERTIONS[i].0);
    }
}

#[test]
fn a_short_list_certifies_nothing() {
    let mut outcomes = conformance::run(&Fakes(Wrong::Nothing));
    outcomes.pop();
    assert!(!conformance::is_certified(&outcomes));
    assert!(!conformance::is_certified(&[]));
}
