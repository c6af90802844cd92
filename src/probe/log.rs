//! The log of a probe: a line before each call, a line once it is answered. A probe that was ended early goes on from it:
//! what was answered is not asked again, and a call that changes something and has no answer counts as made, since nobody
//! knows whether it was carried out.
//!
//! ```json
//! {"verity_probe_log":1,"listing":"sha256:…"}
//! {"call":1,"tool":"get_note","arguments":{"id":3}}
//! {"call":1,"result":{"content":[]}}
//! ```
//! Instead of `result`: `error` (of the protocol) or `fault` (`{"code", "detail"}`, and the `status` of HTTP where that refused).

use super::port::{CallRequest, Fault, FaultCode, Observation, Port, Server};
use crate::contract::canonical;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};

const FORMAT: u64 = 1;

/// What came of a call.
type Answer = Result<Observation, Fault>;

/// The calls of an earlier run.
#[derive(Debug, Clone, Default)]
pub struct Log {
    /// Digest of the listing that was probed.
    pub listing: String,
    /// Bytes up to the end of the last whole line: a run that was killed leaves half a line.
    pub whole: usize,
    /// Answers by tool and arguments; the same call may have been made more than once.
    answered: BTreeMap<(String, String), VecDeque<Answer>>,
    /// Calls without an answer, by tool.
    open: BTreeMap<String, usize>,
    calls: u64,
}

impl Log {
    /// Read a log; `Err` holds the line (from 1) and what is wrong with it.
    ///
    /// # Errors
    /// It is none, or of another format.
    pub fn read(text: &str) -> Result<Log, (usize, String)> {
        let mut log = Log::default();
        let mut begun: BTreeMap<u64, (String, String)> = BTreeMap::new();
        for (i, line) in text.split_inclusive('\n').enumerate() {
            if !line.ends_with('\n') {
                break;
            }
            let wrong = |what: &str| (i + 1, what.to_string());
            let value: Value =
                serde_json::from_str(line).map_err(|e| wrong(&format!("this is no JSON: {e}")))?;
            if i == 0 {
                if value.get("verity_probe_log") != Some(&json!(FORMAT)) {
                    return Err(wrong("this is no log of a probe, or one of another version of verity"));
                }
                log.listing = text_of(&value, "listing").ok_or_else(|| wrong("`listing` is missing"))?;
            } else {
                log.line(&value, &mut begun)
                    .ok_or_else(|| wrong("this line is no call and no answer to one"))?;
            }
            log.whole += line.len();
        }
        if log.listing.is_empty() {
            return Err((1, "the log has no first line".to_string()));
        }
        for (tool, _) in begun.into_values() {
            *log.open.entry(tool).or_default() += 1;
        }
        Ok(log)
    }

    fn line(&mut self, value: &Value, begun: &mut BTreeMap<u64, (String, String)>) -> Option<()> {
        let call = value.get("call")?.as_u64()?;
        self.calls = self.calls.max(call);
        if let Some(arguments) = value.get("arguments").filter(|a| a.is_object()) {
            begun.insert(call, (text_of(value, "tool")?, canonical::text(arguments)));
            return Some(());
        }
        let answer = if let Some(result) = value.get("result") {
            Ok(Observation::of_result(result.clone()))
        } else if let Some(error) = value.get("error") {
            Ok(Observation::of_error(error.clone()))
        } else {
            Err(fault_of(value.get("fault")?)?)
        };
        self.answered.entry(begun.remove(&call)?).or_default().push_back(answer);
        Some(())
    }

    /// A log of this listing without a call.
    #[must_use]
    pub fn new(listing: &str) -> Log {
        Log { listing: listing.to_string(), ..Log::default() }
    }

    /// Its first line.
    #[must_use]
    pub fn head(&self) -> String {
        format!("{}\n", json!({"verity_probe_log": FORMAT, "listing": self.listing}))
    }

    /// How many calls are answered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.answered.values().map(VecDeque::len).sum()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Calls without an answer, by tool.
    #[must_use]
    pub fn open(&self) -> &BTreeMap<String, usize> {
        &self.open
    }

    /// The next answer that is known to this call.
    fn take(&mut self, request: &CallRequest) -> Option<Answer> {
        let arguments = canonical::text(&Value::Object(request.arguments.clone()));
        self.answered.get_mut(&(request.tool.clone(), arguments))?.pop_front()
    }
}

fn fault_of(value: &Value) -> Option<Fault> {
    let code = FaultCode::of_name(value.get("code")?.as_str()?)?;
    let status = value.get("status").and_then(Value::as_u64).and_then(|status| u16::try_from(status).ok());
    Some(Fault { status, ..Fault::new(code, text_of(value, "detail")?) })
}

fn fault_json(fault: &Fault) -> Value {
    let mut json = json!({"code": fault.code.name(), "detail": fault.detail});
    if let (Some(status), Some(members)) = (fault.status, json.as_object_mut()) {
        members.insert("status".to_string(), json!(status));
    }
    json
}

fn text_of(value: &Value, key: &str) -> Option<String> {
    value.get(key)?.as_str().map(str::to_string)
}

/// A server whose calls are written to a log, and answered from it where they can be.
pub struct Logged<'s> {
    server: &'s mut dyn Server,
    log: Log,
    write: Write<'s>,
}

/// Takes whole lines; says what went wrong.
pub type Write<'w> = Box<dyn FnMut(&str) -> Result<(), String> + 'w>;

impl<'s> Logged<'s> {
    #[must_use]
    pub fn new(server: &'s mut dyn Server, log: Log, write: Write<'s>) -> Logged<'s> {
        Logged { server, log, write }
    }

    fn line(&mut self, line: &Value) -> Result<(), Fault> {
        let written = (self.write)(&format!("{line}\n"));
        // A probe that cannot be gone on with would not be what was asked for.
        written.map_err(|why| Fault::new(FaultCode::Aborted, format!("the log cannot be written: {why}")))
    }
}

impl Port for Logged<'_> {
    fn call(&mut self, request: &CallRequest) -> Answer {
        if let Some(known) = self.log.take(request) {
            return known;
        }
        self.log.calls += 1;
        let call = self.log.calls;
        self.line(&json!({"call": call, "tool": request.tool, "arguments": request.arguments}))?;
        let answer = self.server.call(request);
        let (what, value) = match &answer {
            Ok(seen) if seen.is_protocol_error => ("error", seen.envelope.clone()),
            Ok(seen) => ("result", seen.envelope.clone()),
            // What was interrupted is open, and what ended the probe is to be asked again.
            Err(fault) if matches!(fault.code, FaultCode::Aborted | FaultCode::ForbiddenTarget) => {
                return answer;
            }
            Err(fault) => ("fault", fault_json(fault)),
        };
        let mut line = Map::from_iter([("call".to_string(), json!(call))]);
        line.insert(what.to_string(), value);
        self.line(&Value::Object(line))?;
        answer
    }
}

impl Server for Logged<'_> {
    fn ready(&mut self) -> Result<(), Fault> {
        self.server.ready()
    }

    fn listing(&mut self) -> Result<String, Fault> {
        self.server.listing()
    }

    fn has_announced_changes(&self) -> bool {
        self.server.has_announced_changes()
    }

    fn is_over(&self) -> bool {
        self.server.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers with the number of the call; the fourth is interrupted.
    struct Counting(usize);

    impl Port for Counting {
        fn call(&mut self, request: &CallRequest) -> Answer {
            self.0 += 1;
            match (self.0, request.tool.as_str()) {
                (4.., _) => Err(Fault::new(FaultCode::Aborted, "interrupted")),
                (_, "dies") => {
                    Err(Fault { status: Some(500), ..Fault::new(FaultCode::PortFailure, "it ended") })
                }
                (_, "refuses") => Ok(Observation::of_error(json!({"code": -32602}))),
                (n, _) => Ok(Observation::of_result(json!({"content": [], "n": n}))),
            }
        }
    }

    impl Server for Counting {
        fn ready(&mut self) -> Result<(), Fault> {
            Ok(())
        }

        fn listing(&mut self) -> Result<String, Fault> {
            Ok(String::new())
        }

        fn has_announced_changes(&self) -> bool {
            false
        }
    }

    fn request(tool: &str) -> CallRequest {
        let arguments = Map::from_iter([("b".to_string(), json!(1)), ("a".to_string(), json!(2))]);
        CallRequest { interface: String::new(), tool: tool.to_string(), arguments, is_read: true }
    }

    /// What came of calls of these tools, and what the log holds then.
    fn run(log: Log, tools: &[&str], server: &mut Counting) -> (Vec<Answer>, String) {
        let mut text = log.head();
        let write = |line: &str| {
            text.push_str(line);
            Ok(())
        };
        let mut logged = Logged::new(server, log, Box::new(write));
        let answers = tools.iter().map(|tool| logged.call(&request(tool))).collect();
        drop(logged);
        (answers, text)
    }

    #[test]
    fn what_was_answered_is_not_asked_again() {
        let mut server = Counting(0);
        let (first, text) = run(Log::new("sha256:0"), &["dies", "refuses", "writes", "writes"], &mut server);
        assert!(matches!(&first[3], Err(fault) if fault.code == FaultCode::Aborted));
        let log = Log::read(&text).unwrap();
        assert_eq!((log.listing.as_str(), log.len(), log.whole), ("sha256:0", 3, text.len()));
        assert_eq!(log.open(), &BTreeMap::from([("writes".to_string(), 1)]), "who knows whether it was done");
        let mut server = Counting(0);
        let (second, more) = run(log, &["dies", "refuses", "writes", "new"], &mut server);
        assert_eq!(second[..3], first[..3]);
        assert_eq!(server.0, 1);
        assert!(more.contains("{\"call\":5,\"tool\":\"new\",\"arguments\":{\"b\":1,\"a\":2}}\n"), "{more}");
    }

    #[test]
    fn half_a_line_is_none() {
        let (_, text) = run(Log::new("sha256:0"), &["a"], &mut Counting(0));
        let cut = text.strip_suffix("\"}\n").or(text.strip_suffix("}}\n")).unwrap();
        let log = Log::read(cut).unwrap();
        assert_eq!((log.len(), log.open().len()), (0, 1));
        assert!(cut.get(..log.whole).unwrap().ends_with("}\n"));
    }

    #[test]
    fn what_is_no_log() {
        for (text, line) in [
            ("", 1),
            ("{\"verity_probe_log\":2,\"listing\":\"x\"}\n", 1),
            ("{\"verity_probe_log\":1}\n", 1),
            ("{\"verity_probe_log\":1,\"listing\":\"x\"}\n{\"call\":1,\"result\":{}}\n", 2),
            ("{\"verity_probe_log\":1,\"listing\":\"x\"}\nnonsense\n", 2),
        ] {
            assert_eq!(Log::read(text).unwrap_err().0, line, "{text}");
        }
    }

    #[test]
    fn a_log_that_cannot_be_written_ends_the_probe() {
        let mut server = Counting(0);
        let mut logged = Logged::new(&mut server, Log::new("x"), Box::new(|_| Err("disk full".to_string())));
        let fault = logged.call(&request("a")).unwrap_err();
        assert_eq!(fault.code, FaultCode::Aborted);
        assert!(fault.detail.contains("disk full"));
        drop(logged);
        assert_eq!(server.0, 0, "nothing is called that is not logged");
    }
}
