//! Lines of a file → JSON texts → the reader of their format. A file is one JSON text, one a line, or server-sent
//! events; only one line of it is in memory, unless the file is one text.

mod faults;

use super::build::Builder;
use super::{Fixtures, Format, Trace};
use super::{
    anthropic, atif, claude, inspect, langchain, mcp, numbers, openai, otlp, promptfoo, responses, rows,
    simulator, tooltrace,
};
use crate::error::{ErrorCode, InputError, cut};
use faults::{known, plain, seen, too_long, whole_fault};
use serde_json::Value;

/// Bytes of one line, and of a file that is one JSON text.
pub const MAX_LINE: usize = 64 << 20;

/// Turns the JSON texts of one format into events.
pub(super) trait Reader {
    /// The next JSON text; its line is the builder's.
    ///
    /// # Errors
    /// What is wrong with it.
    fn value(&mut self, value: &Value, b: &mut Builder) -> Result<(), InputError>;

    /// There are no more.
    ///
    /// # Errors
    /// What is wrong with all of them.
    fn end(&mut self, _b: &mut Builder) -> Result<(), InputError> {
        Ok(())
    }
}

/// The reader of `format`.
pub(super) fn reader(format: Format, fixtures: Fixtures) -> Box<dyn Reader> {
    match format {
        Format::McpJsonRpc => Box::<mcp::Mcp>::default(),
        Format::OpenAiChat => Box::<openai::OpenAi>::default(),
        Format::OpenAiResponses => Box::<responses::Responses>::default(),
        Format::LangChain => Box::<langchain::LangChain>::default(),
        Format::AnthropicMessages => Box::<anthropic::Anthropic>::default(),
        Format::ClaudeStream => Box::<claude::Claude>::default(),
        Format::Otlp => Box::<otlp::Otlp>::default(),
        Format::Promptfoo => Box::new(promptfoo::Promptfoo),
        Format::Inspect => Box::new(inspect::Inspect),
        Format::Atif => Box::new(atif::Atif),
        Format::Tooltrace => Box::<tooltrace::Tooltrace>::default(),
        Format::Simulator => Box::new(simulator::Simulator::new(fixtures)),
        Format::Rows => Box::<rows::Rows>::default(),
    }
}

/// A recording that is read line by line.
pub struct Recording {
    path: String,
    fixtures: Fixtures,
    line: usize,
    state: State,
    /// Lines that are no JSON (a server's log) or none of the format.
    skipped: Vec<usize>,
    more_skipped: usize,
    /// The first integer that was taken as text, and its line.
    large: Option<(String, usize)>,
}

enum State {
    /// Nothing but blank lines so far.
    Start,
    /// The first line is a JSON text: the whole file, or the first of many.
    One(Value, String, usize),
    /// Not a JSON text a line: the file is one.
    Whole(String),
    Lines(Box<Lines>),
}

struct Lines {
    format: Format,
    reader: Box<dyn Reader>,
    builder: Builder,
    is_events: bool,
}

/// What one line of text is.
enum Line<'l> {
    Blank,
    /// `data:` of a server-sent event.
    Event(&'l str),
    Json(&'l str),
    Other,
}

impl Recording {
    /// `path` is only shown; `fixtures` are files that recorded calls refer to.
    #[must_use]
    pub fn new(path: &str, fixtures: Fixtures) -> Recording {
        let path = path.to_string();
        Recording {
            path,
            fixtures,
            line: 0,
            state: State::Start,
            skipped: Vec::new(),
            more_skipped: 0,
            large: None,
        }
    }

    /// The next line, with or without its line feed.
    ///
    /// # Errors
    /// With the line: what is no JSON, no recording that is known, or contradicts itself.
    pub fn line(&mut self, bytes: &[u8]) -> Result<(), InputError> {
        self.line += 1;
        let result = if bytes.len() > MAX_LINE {
            Err(self.fault(ErrorCode::TooLarge, format!("the line is longer than {} MiB", MAX_LINE >> 20)))
        } else {
            match std::str::from_utf8(bytes) {
                Ok(text) => {
                    self.text(if self.line == 1 { text.trim_start_matches('\u{feff}') } else { text })
                }
                Err(_) => Err(self.not_utf8(bytes)),
            }
        };
        result.map_err(|e| e.at(&self.path))
    }

    fn fault(&self, code: ErrorCode, message: impl Into<String>) -> InputError {
        let error = InputError::new(code, message);
        if self.line > 0 { error.line_column(self.line, 1) } else { error }
    }

    fn not_utf8(&self, bytes: &[u8]) -> InputError {
        if self.line == 1 && (bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff])) {
            return self.fault(ErrorCode::NotJson, "the recording is UTF-16").help("Save it as UTF-8.");
        }
        self.fault(ErrorCode::NotJson, "the line is not UTF-8")
    }

    fn text(&mut self, text: &str) -> Result<(), InputError> {
        match &mut self.state {
            State::Whole(whole) => {
                if whole.len() + text.len() > MAX_LINE {
                    return Err(too_long());
                }
                whole.push_str(text);
                Ok(())
            }
            State::Start => self.start(text),
            State::One(..) => match classify(text, false) {
                Line::Blank => Ok(()),
                _ => self.second(text),
            },
            State::Lines(_) => self.next(text),
        }
    }

    /// The first line that is not blank decides how the file is read.
    fn start(&mut self, text: &str) -> Result<(), InputError> {
        match classify(text, true) {
            Line::Blank => Ok(()),
            Line::Event(data) => {
                let value =
                    if data.is_empty() || data == "[DONE]" { return Ok(()) } else { self.parse(data)? };
                let lines = self.lines(&value, true)?;
                self.state = State::Lines(Box::new(lines));
                self.feed(&value, data)
            }
            Line::Json(json) => {
                self.state = match self.value(json) {
                    Ok(value) => State::One(value, json.to_string(), self.line),
                    Err(_) => State::Whole(format!("{}{text}", "\n".repeat(self.line - 1))),
                };
                Ok(())
            }
            Line::Other if text.trim_start().starts_with('"') => Err(self.fault(
                ErrorCode::NotARecording,
                "the file is no list of calls: it begins with a JSON string",
            )),
            // A server's log before the first message.
            Line::Other => {
                self.skip();
                if self.skipped.len() + self.more_skipped >= 1000 {
                    return Err(self.unknown_text(text));
                }
                Ok(())
            }
        }
    }

    fn unknown_text(&self, text: &str) -> InputError {
        let message = format!("no JSON was found: line {} reads `{}`", self.line, cut(text.trim()));
        self.fault(ErrorCode::NotARecording, message).help(known())
    }

    /// The file has a second JSON text: it is one a line.
    fn second(&mut self, text: &str) -> Result<(), InputError> {
        let State::One(value, raw, line) = std::mem::replace(&mut self.state, State::Start) else {
            return Ok(());
        };
        let here = std::mem::replace(&mut self.line, line);
        let lines = self.lines(&value, false)?;
        self.state = State::Lines(Box::new(lines));
        self.feed(&value, &raw)?;
        self.line = here;
        self.next(text)
    }

    /// The reader for the format of `value`.
    fn lines(&self, value: &Value, is_events: bool) -> Result<Lines, InputError> {
        let Some(format) = Format::of(value) else {
            let message = format!("this is no recording that is known: {}", seen(value));
            return Err(self.fault(ErrorCode::NotARecording, message).help(known()));
        };
        let reader = reader(format, self.fixtures.clone());
        Ok(Lines { format, reader, builder: Builder::new(format), is_events })
    }

    fn next(&mut self, text: &str) -> Result<(), InputError> {
        let State::Lines(lines) = &self.state else { return Ok(()) };
        match classify(text, lines.is_events) {
            Line::Blank => Ok(()),
            Line::Event("" | "[DONE]") => Ok(()),
            Line::Event(json) | Line::Json(json) => {
                let value = self.parse(json)?;
                self.feed(&value, json)
            }
            Line::Other => {
                self.skip();
                Ok(())
            }
        }
    }

    /// The value of a JSON text, no integer of it rounded.
    fn value(&mut self, json: &str) -> Result<Value, serde_json::Error> {
        let (value, large) = numbers::parse(json)?;
        if let (Some(large), None) = (large, &self.large) {
            self.large = Some((large, self.line));
        }
        Ok(value)
    }

    fn parse(&mut self, json: &str) -> Result<Value, InputError> {
        self.value(json).map_err(|e| {
            let column =
                json.get(..e.column().saturating_sub(1)).map_or(1, |before| before.chars().count() + 1);
            let message = match e.is_eof() {
                true => "the JSON ends in the middle: the recording is cut off here".to_string(),
                false => format!("not JSON: {}", plain(&e)),
            };
            let error = InputError::new(ErrorCode::NotJson, message).line_column(self.line, column);
            error.help("Record again, or leave the line out if it is none of the recording's.")
        })
    }

    fn feed(&mut self, value: &Value, raw: &str) -> Result<(), InputError> {
        let line = self.line;
        let State::Lines(lines) = &mut self.state else { return Ok(()) };
        match Format::of(value) {
            Some(format) if format != lines.format && !lines.format.takes(format, value) => {
                let message = format!(
                    "the formats are mixed: this line is {}, and those before it are {}",
                    format.name(),
                    lines.format.name()
                );
                let help = "Put what was recorded in each format in a file of its own.";
                return Err(self.fault(ErrorCode::NotARecording, message).help(help));
            }
            _ => {}
        }
        lines.builder.text(line, raw);
        lines.reader.value(value, &mut lines.builder)
    }

    fn skip(&mut self) {
        if self.skipped.len() < 3 { self.skipped.push(self.line) } else { self.more_skipped += 1 }
    }

    /// There are no more lines.
    ///
    /// # Errors
    /// As for lines; and where the file holds no recording.
    pub fn finish(mut self) -> Result<Trace, InputError> {
        let path = std::mem::take(&mut self.path);
        self.end().map_err(|e| e.at(path))
    }

    fn end(mut self) -> Result<Trace, InputError> {
        match std::mem::replace(&mut self.state, State::Start) {
            State::Start if self.skipped.is_empty() => {
                Err(InputError::new(ErrorCode::NotARecording, "the file is empty").help(known()))
            }
            State::Start => {
                let message = format!("no JSON was found in {} lines", self.line);
                Err(InputError::new(ErrorCode::NotARecording, message).help(known()))
            }
            State::One(value, raw, line) => {
                self.line = line;
                self.state = State::Lines(Box::new(self.lines(&value, false)?));
                self.feed(&value, &raw)?;
                self.close()
            }
            State::Whole(text) => {
                let value = self.value(&text).map_err(|e| whole_fault(&text, &e))?;
                // Its lines are those of a writer of JSON; pointers say where things are.
                self.line = 0;
                self.state = State::Lines(Box::new(self.lines(&value, false)?));
                self.feed(&value, &text)?;
                self.close()
            }
            lines @ State::Lines(_) => {
                self.state = lines;
                self.close()
            }
        }
    }

    fn close(mut self) -> Result<Trace, InputError> {
        let State::Lines(mut lines) = std::mem::replace(&mut self.state, State::Start) else {
            return Err(InputError::new(ErrorCode::NotARecording, "the file is empty"));
        };
        lines.reader.end(&mut lines.builder)?;
        if let Some((number, line)) = self.large {
            let message = format!(
                "integers beyond 64 bits are taken as text, so that none is rounded; the first is {}",
                cut(&number)
            );
            lines.builder.text(line, "");
            lines.builder.find("integer-as-text", message, None);
        }
        if let Some(first) = self.skipped.first() {
            let all = self.skipped.len() + self.more_skipped;
            let message = format!("{all} lines are no JSON and were skipped, the first of them line {first}");
            lines.builder.text(*first, "");
            lines.builder.find("lines-skipped", message, None);
        }
        Ok(lines.builder.finish())
    }
}

impl Format {
    /// Whether a recording of this format holds texts that look like `other` alone.
    fn takes(self, other: Format, value: &Value) -> bool {
        match self {
            // An id and a result are enough for a response; a transcript's message has neither tool nor call in it.
            Format::AnthropicMessages | Format::ClaudeStream => {
                matches!(other, Format::OpenAiChat | Format::AnthropicMessages)
                    && value.get("tool_calls").is_none()
            }
            Format::OpenAiResponses => other == Format::OpenAiChat && value.get("tool_calls").is_none(),
            _ => false,
        }
    }
}

fn classify(text: &str, takes_events: bool) -> Line<'_> {
    let trimmed = text.trim();
    let event_field = |rest: &str| rest.is_empty() || rest.starts_with([' ', ':']);
    if trimmed.is_empty() {
        Line::Blank
    } else if let Some(data) = trimmed.strip_prefix("data:") {
        Line::Event(data.trim())
    } else if takes_events
        && (trimmed.starts_with(':')
            || ["event", "id", "retry"]
                .iter()
                .any(|f| trimmed.strip_prefix(f).is_some_and(|r| r.starts_with(':') && event_field(r))))
    {
        Line::Blank
    } else if trimmed.starts_with(['{', '[']) {
        Line::Json(trimmed)
    } else {
        Line::Other
    }
}
