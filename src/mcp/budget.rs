//! The one time budget of a session, and the way to end it from outside. The only place of the library that reads a
//! clock; nothing that is written depends on it.

use crate::probe::{Fault, FaultCode};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// Asked while a session waits: whether somebody wants it to end.
pub type Abort = fn() -> bool;

/// How often a waiting session looks whether it is to end.
const LOOK: Duration = Duration::from_millis(25);

/// Time that runs out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Budget {
    start: Instant,
    total: Duration,
    abort: Abort,
}

impl Budget {
    pub fn start(total: Duration, abort: Abort) -> Budget {
        Budget { start: Instant::now(), total, abort }
    }

    /// What is left, or why it is over.
    pub fn left(&self) -> Result<Duration, Fault> {
        if (self.abort)() {
            return Err(Fault::new(FaultCode::Aborted, "interrupted; the server was ended"));
        }
        match self.total.checked_sub(self.start.elapsed()) {
            Some(left) if !left.is_zero() => Ok(left),
            _ => Err(self.over()),
        }
    }

    pub fn over(&self) -> Fault {
        let detail = format!("the server did not finish within {}", seconds(self.total));
        Fault::new(FaultCode::BudgetExhausted, detail)
            .help("Give it more time with --timeout SECONDS; a first `npx -y …` or `uvx …` downloads first.")
    }

    /// The next of `events`; `None` when nobody can send one any more.
    pub fn receive<T>(&self, events: &Receiver<T>) -> Result<Option<T>, Fault> {
        loop {
            // What has arrived counts, even where the time is just over.
            if let Ok(event) = events.try_recv() {
                return Ok(Some(event));
            }
            let left = self.left()?;
            match events.recv_timeout(left.min(LOOK)) {
                Ok(event) => return Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }
}

/// Wait at most so long for an event that `wanted` accepts.
pub(super) fn wait_for<T>(events: &Receiver<T>, most: Duration, wanted: impl Fn(&T) -> bool) -> bool {
    let start = Instant::now();
    loop {
        let Some(left) = most.checked_sub(start.elapsed()) else { return false };
        match events.recv_timeout(left) {
            Ok(event) if wanted(&event) => return true,
            Ok(_) => {}
            Err(RecvTimeoutError::Disconnected) => return true,
            Err(RecvTimeoutError::Timeout) => return false,
        }
    }
}

fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn time_and_interruptions_end_the_wait() {
        let (_sender, events) = mpsc::channel::<u8>();
        let short = Budget::start(Duration::from_millis(30), || false);
        assert_eq!(short.receive(&events).unwrap_err().code, FaultCode::BudgetExhausted);
        let aborted = Budget::start(Duration::from_secs(60), || true);
        assert_eq!(aborted.receive(&events).unwrap_err().code, FaultCode::Aborted);
    }

    #[test]
    fn nobody_left_is_no_fault() {
        let (sender, events) = mpsc::channel();
        sender.send(7).unwrap();
        drop(sender);
        let budget = Budget::start(Duration::from_secs(60), || false);
        assert_eq!(budget.receive(&events).unwrap(), Some(7));
        assert_eq!(budget.receive(&events).unwrap(), None);
    }

    #[test]
    fn budgets_are_said_as_they_were_given() {
        assert_eq!(seconds(Duration::from_secs(30)), "30 s");
        assert_eq!(seconds(Duration::from_millis(1500)), "1500 ms");
    }
}
