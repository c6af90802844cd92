//! A server on standard input and output: a process in a group of its own, a message a line.

use super::budget::{self, Budget};
use super::group::Group;
use super::message::Outgoing;
use super::session::{Frame, Transport};
use super::target::{Command, Limits};
use crate::error::cut;
use crate::manifest::Revision;
use crate::probe::{Fault, FaultCode};
use std::io::{ErrorKind, Read, Write};
use std::process::{self, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a server whose standard input was closed may take to end by itself, before it is killed.
const GRACE: Duration = Duration::from_millis(100);
/// Messages that wait to be looked at. A server that sends more has to wait, and our memory does not grow with it.
const QUEUE: usize = 256;
/// The end of a server's log that is kept, to be quoted where the server fails.
const TAIL_BYTES: usize = 4096;

enum Event {
    Line(Vec<u8>),
    /// More bytes than allowed, on this stream.
    TooMuch(&'static str),
    /// The server closed its standard output.
    Ended,
}

pub(super) struct Process {
    group: Group,
    /// Dropped, standard input is closed.
    input: Option<Sender<Vec<u8>>>,
    events: Receiver<Event>,
    log: Arc<Mutex<Vec<u8>>>,
    /// Bytes that it has sent, and logged, since the budget began.
    counts: [Arc<AtomicUsize>; 2],
    ended: bool,
}

/// Start the server.
///
/// # Errors
/// `port-failure` where it cannot be started.
pub(super) fn start(command: &Command, limits: &Limits) -> Result<Process, Fault> {
    let mut child = spawn(command)?;
    let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // From here on, whatever fails, the group dies with this.
    let group = Group::of(child);
    let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
        return Err(Fault::new(FaultCode::PortFailure, "the server's standard streams cannot be had"));
    };
    let (input, to_write) = mpsc::channel::<Vec<u8>>();
    let (sender, events) = mpsc::sync_channel(QUEUE);
    let counts: [Arc<AtomicUsize>; 2] = Default::default();
    let [sent, logged] = counts.clone();
    let log = Arc::new(Mutex::new(Vec::new()));
    let (kept, of_log) = (Arc::clone(&log), sender.clone());
    let (most_output, most_log) = (limits.output_bytes, limits.log_bytes);
    // A server that reads nothing must not stop us: writing has a thread, too. All three end with the server's pipes.
    thread("mcp-in", move || write_all(stdin, &to_write))?;
    thread("mcp-out", move || read_lines(stdout, &sent, most_output, &sender))?;
    thread("mcp-log", move || drain(stderr, &logged, most_log, &of_log, &kept))?;
    Ok(Process { group, input: Some(input), events, log, counts, ended: false })
}

fn thread(name: &str, work: impl FnOnce() + Send + 'static) -> Result<(), Fault> {
    let started = std::thread::Builder::new().name(name.to_string()).spawn(work);
    started
        .map(drop)
        .map_err(|e| Fault::new(FaultCode::PortFailure, format!("no thread to talk to the server: {e}")))
}

#[cfg(unix)]
fn spawn(command: &Command) -> Result<process::Child, Fault> {
    use std::os::unix::process::CommandExt;
    let Some((program, arguments)) = command.argv.split_first() else {
        return Err(Fault::new(FaultCode::PortFailure, "the command is empty"));
    };
    let mut start = process::Command::new(program);
    start.args(arguments).env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    start.envs(command.env.iter().map(|(name, value)| (name, value)));
    if let Some(folder) = &command.folder {
        start.current_dir(folder);
    }
    start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    start.spawn().map_err(|e| not_started(program, command, &e))
}

#[cfg(not(unix))]
fn spawn(_command: &Command) -> Result<process::Child, Fault> {
    Err(Fault::new(FaultCode::PortFailure, "starting a server is not supported on this system yet")
        .help("Reach it over HTTP with --url, or capture it on Linux or macOS."))
}

#[cfg(unix)]
fn not_started(program: &str, command: &Command, error: &std::io::Error) -> Fault {
    let shown = cut(program);
    let missing = error.kind() == ErrorKind::NotFound;
    if let Some(folder) = command.folder.as_ref().filter(|folder| missing && !folder.is_dir()) {
        let detail = format!("there is no folder {} to start the server in", folder.display());
        return Fault::new(FaultCode::PortFailure, detail);
    }
    let (what, help) = match error.kind() {
        ErrorKind::NotFound => (
            format!("there is no command `{shown}`"),
            "Look at the spelling, and at PATH; a script in this folder begins with ./",
        ),
        ErrorKind::PermissionDenied => (
            format!("`{shown}` may not be run"),
            "Make the file executable, or name the program that runs it: python3 server.py",
        ),
        _ => (
            format!("`{shown}` cannot be started: {error}"),
            "No shell is used: name a program and its arguments.",
        ),
    };
    Fault::new(FaultCode::PortFailure, what).help(help)
}

fn write_all(mut stdin: process::ChildStdin, texts: &Receiver<Vec<u8>>) {
    for text in texts {
        // A server that does not read any more is found out by what it does not answer.
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() {
            return;
        }
    }
}

/// Lines of the server, until it sends too much or nothing more.
fn read_lines(mut stdout: impl Read, count: &AtomicUsize, most: usize, events: &SyncSender<Event>) {
    let is_blank = |line: &[u8]| line.iter().all(u8::is_ascii_whitespace);
    let mut line = Vec::new();
    let mut chunk = vec![0; 64 << 10];
    loop {
        let n = match stdout.read(&mut chunk) {
            Ok(0) => break,
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => break,
        };
        if count.fetch_add(n, Ordering::Relaxed) + n > most {
            let _ = events.send(Event::TooMuch("standard output"));
            return;
        }
        let mut parts = chunk.get(..n).unwrap_or_default().split(|b| *b == b'\n').peekable();
        while let Some(part) = parts.next() {
            line.extend_from_slice(part);
            if parts.peek().is_none() {
                continue; // the line goes on
            }
            let whole = std::mem::take(&mut line);
            // Nobody listens where the session has ended.
            if !is_blank(&whole) && events.send(Event::Line(whole)).is_err() {
                return;
            }
        }
    }
    // A last message without a line end counts.
    if !is_blank(&line) {
        let _ = events.send(Event::Line(line));
    }
    let _ = events.send(Event::Ended);
}

/// Read the log away, so that the server never waits for somebody to read it; keep its end.
fn drain(
    mut stderr: impl Read,
    count: &AtomicUsize,
    most: usize,
    events: &SyncSender<Event>,
    kept: &Mutex<Vec<u8>>,
) {
    let mut chunk = vec![0; 16 << 10];
    loop {
        let n = match stderr.read(&mut chunk) {
            Ok(0) => return,
            Ok(n) => n,
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        if count.fetch_add(n, Ordering::Relaxed) + n > most {
            let _ = events.send(Event::TooMuch("standard error"));
            return;
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(chunk.get(..n).unwrap_or_default());
        let surplus = kept.len().saturating_sub(TAIL_BYTES);
        kept.drain(..surplus);
    }
}

impl Transport for Process {
    fn send(&mut self, message: &Outgoing, _: Option<Revision>, _: &Budget) -> Result<(), Fault> {
        let text = format!("{}\n", message.text);
        if let Some(input) = &self.input {
            let _ = input.send(text.into_bytes()); // a server that has closed its input has ended, or will
        }
        Ok(())
    }

    fn receive(&mut self, budget: &Budget) -> Result<Frame, Fault> {
        match budget.receive(&self.events)? {
            Some(Event::Line(line)) => text(line).map(Frame::Message),
            Some(Event::TooMuch(stream)) => {
                let detail = format!("the server sent more on {stream} than it may");
                Err(Fault::new(FaultCode::BudgetExhausted, detail)
                    .help("If so much is right, allow it with --max-bytes."))
            }
            Some(Event::Ended) | None => Err(self.early_end()),
        }
    }

    fn advice(&self) -> &'static str {
        "Standard output is for messages alone; a server logs on standard error."
    }

    fn renew(&mut self) {
        self.counts.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    fn close(&mut self) {
        self.input = None;
        if !self.ended {
            budget::wait_for(&self.events, GRACE, |event| matches!(event, Event::Ended));
        }
    }

    fn log_tail(&self) -> String {
        let kept = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept).into_owned();
        // Where the beginning is gone, the first line has none: half a secret would not be known as one.
        match kept.len() < TAIL_BYTES {
            true => text,
            false => text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_string()),
        }
    }
}

impl Process {
    /// The server went before it had answered.
    fn early_end(&mut self) -> Fault {
        self.ended = true;
        let mut status = None;
        // Its output is closed; the rest of its end takes a moment, or it lives on without one.
        for _ in 0..20 {
            status = self.group.child().try_wait().ok().flatten();
            if status.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let how = match status {
            Some(status) => format!("the server ended{} before it answered", code(status)),
            None => "the server closed its standard output before it answered".to_string(),
        };
        Fault::new(FaultCode::PortFailure, how)
            .help("Start the command by itself to see what it says; it has to speak MCP on standard input and output.")
    }
}

fn code(status: ExitStatus) -> String {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return format!(" (signal {signal})");
    }
    status.code().map_or(String::new(), |code| format!(" (exit code {code})"))
}

fn text(line: Vec<u8>) -> Result<String, Fault> {
    String::from_utf8(line).map_err(|e| {
        let start = String::from_utf8_lossy(e.as_bytes().get(..120).unwrap_or(e.as_bytes())).into_owned();
        let detail = format!("the server sent bytes that are no UTF-8: {}", cut(&start));
        Fault::new(FaultCode::PortFailure, detail)
    })
}
