//! Server-sent events, as they arrive: bytes in, the data of whole events out
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::time::Duration;

/// Reads a stream piece by piece.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<Vec<u8>>,
    /// The last byte was a carriage return: a line feed after it ends no second line.
    after_return: bool,
    started: bool,
    id: Option<String>,
    retry: Option<u64>,
    /// The event that is being read is of another type than `message`: no client of MCP hears it.
    is_other: bool,
}

impl Events {
    /// Take `bytes`; the data of every event that is whole now.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut whole = Vec::new();
        for byte in bytes {
            match byte {
                b'\n' if self.after_return => {}
                b'\n' | b'\r' => whole.extend(self.end_line()),
                _ => self.line.push(*byte),
            }
            self.after_return = *byte == b'\r';
        }
        whole
    }

    /// The id of the last event that had one.
    pub fn last_id(&self) -> Option<String> {
        self.id.clone().filter(|id| !id.is_empty())
    }

    /// How long the server wants to be left alone before it is asked to go on.
    pub fn retry(&self) -> Option<Duration> {
        self.retry.map(Duration::from_millis)
    }

    /// The stream has ended: an event that lacks only its last blank line counts.
    pub fn end(mut self) -> Option<Vec<u8>> {
        let last = self.end_line();
        last.or(self.data.filter(|_| !self.is_other))
    }

    fn end_line(&mut self) -> Option<Vec<u8>> {
        let mut line = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.started, true) && line.starts_with("\u{feff}".as_bytes()) {
            line.drain(..3);
        }
        if line.is_empty() {
            let is_other = std::mem::take(&mut self.is_other);
            return self.data.take().filter(|data| !data.is_empty() && !is_other);
        }
        let (name, value) = match line.iter().position(|b| *b == b':') {
            Some(at) => line.split_at(at),
            None => (line.as_slice(), &[][..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        let text = || std::str::from_utf8(value).ok();
        match (name, &mut self.data) {
            (b"data", Some(data)) => {
                data.push(b'\n');
                data.extend_from_slice(value);
            }
            (b"data", None) => self.data = Some(value.to_vec()),
            (b"event", _) => self.is_other = !matches!(value, b"" | b"message"),
            // It goes into a header again.
            (b"id", _) if value.len() <= 1024 && value.iter().all(|b| (0x20..0x7f).contains(b)) => {
                self.id = text().map(str::to_string);
            }
            (b"retry", _) => self.retry = text().and_then(|t| t.parse().ok()).or(self.retry),
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(found: Vec<Vec<u8>>) -> Vec<String> {
        found.into_iter().map(|t| String::from_utf8(t).unwrap()).collect()
    }

    #[test]
    fn events_in_pieces() {
        let stream = "\u{feff}: hi\r\nevent: message\r\nid: 1\r\ndata: {\"a\":\r\ndata:1}\r\n\r\ndata\n\nretry: 5\n\ndata: é\r\rdata: last";
        for size in [1, 2, 3, 7, 1000] {
            let mut events = Events::default();
            let mut found = Vec::new();
            for piece in stream.as_bytes().chunks(size) {
                found.extend(events.feed(piece));
            }
            let (events_id, retry) = (events.last_id(), events.retry());
            found.extend(events.end());
            assert_eq!((events_id.as_deref(), retry), (Some("1"), Some(Duration::from_millis(5))));
            assert_eq!(texts(found), ["{\"a\":\n1}", "é", "last"], "in pieces of {size}");
        }
    }

    #[test]
    fn events_of_other_types_are_not_heard() {
        let stream = b"event: ping\ndata: keep alive\n\ndata: a\n\ndata: b\nevent: message\n\nevent:\ndata: c\n\nid: 7\nevent: endpoint\ndata: /x";
        let mut events = Events::default();
        assert_eq!(texts(events.feed(stream)), ["a", "b", "c"]);
        assert_eq!(events.last_id().as_deref(), Some("7"));
        assert_eq!(events.end(), None);
    }

    #[test]
    fn streams_without_events() {
        assert_eq!(Events::default().end(), None);
        let mut events = Events::default();
        assert_eq!(texts(events.feed(b"<html>\n\n: comment\n\nevent: x\n\n")), Vec::<String>::new());
        assert_eq!(events.end(), None);
    }
}
