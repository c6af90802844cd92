//! Calls held small: a log has a million of them. Texts lie in blocks of memory, and a call holds places in them.

use super::numbers;
use serde_json::Value;
use std::sync::Arc;

/// Bytes of one block; a longer text has a block of its own.
const BLOCK: usize = 1 << 20;

/// Bits of a [`Piece`] that say where it begins in its block, and how long it is; the rest is the block's number.
const START: u32 = 20;
const LENGTH: u32 = 28;

/// A text in a [`Pool`]: block, start and length in one word, since a recording has millions of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Piece(u64);

impl Piece {
    /// `None` where the parts are too large: no text of a recording is, nor are its texts together.
    fn new(block: usize, start: usize, length: usize) -> Option<Piece> {
        let fits = start < 1 << START && length < 1 << LENGTH && block < 1 << (64 - START - LENGTH);
        fits.then_some(Piece((block as u64) << (START + LENGTH) | (start as u64) << LENGTH | length as u64))
    }

    fn parts(self) -> (usize, usize, usize) {
        let low = |value: u64, bits: u32| (value & ((1 << bits) - 1)) as usize;
        ((self.0 >> (START + LENGTH)) as usize, low(self.0 >> LENGTH, START), low(self.0, LENGTH))
    }
}

/// Texts, one after the other. Copies share what they have in common.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool {
    blocks: Vec<Arc<String>>,
    bytes: usize,
}

impl Pool {
    /// Keep `text`. Texts of more than 256 MiB cannot come up: nothing so long is read.
    pub(super) fn add(&mut self, text: &str) -> Piece {
        if text.is_empty() {
            return Piece::default();
        }
        self.bytes += text.len();
        let has_room =
            |last: &mut Arc<String>| Arc::get_mut(last).is_some_and(|last| last.len() + text.len() <= BLOCK);
        if !self.blocks.last_mut().is_some_and(has_room) {
            // A copy that adds a word to what it shares needs no room for a million.
            let room =
                if self.blocks.last().is_some_and(|last| Arc::strong_count(last) == 1) { BLOCK } else { 0 };
            self.blocks.push(Arc::new(String::with_capacity(text.len().max(room))));
        }
        let block = self.blocks.len() - 1;
        let Some(last) = self.blocks.last_mut().and_then(Arc::get_mut) else { return Piece::default() };
        let start = last.len();
        last.push_str(text);
        Piece::new(block, start, text.len()).unwrap_or_default()
    }

    pub(super) fn get(&self, piece: Piece) -> &str {
        let (block, start, length) = piece.parts();
        self.blocks.get(block).and_then(|b| b.get(start..start + length)).unwrap_or_default()
    }

    /// Bytes of all texts.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

/// What a recording says of the arguments of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kept {
    /// JSON text.
    Json,
    /// Text that is not JSON.
    Text,
    #[default]
    NotRecorded,
}

/// How a call ended, as far as the recording says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// Answered with success.
    Ok,
    /// Answered, and the answer says that the tool failed (`isError`, exit code 1).
    Refused,
    /// Answered by a protocol error instead of a result.
    Protocol,
    /// The caller refused to send it (exit code 4).
    Rejected,
    /// Sent, and the answer was lost: a transport error (exit code 5), or none came.
    #[default]
    Lost,
    /// The recording ends before an answer could be in it, or its format holds none.
    NotRecorded,
}

impl Outcome {
    /// `ok`, `error` or `missing`, as `verity trace` prints it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Refused | Outcome::Protocol | Outcome::Rejected => "error",
            Outcome::Lost | Outcome::NotRecorded => "missing",
        }
    }
}

/// One call, packed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed {
    pub(super) context: u32,
    pub(super) line: u32,
    pub(super) turn: u32,
    /// When it was made and when answered, among all events; 0: never.
    pub(super) made: u32,
    pub(super) answered: u32,
    pub(super) id: Piece,
    pub(super) arguments: Piece,
    pub(super) kept: Kept,
    pub(super) pointer: Piece,
    pub(super) outcome: Outcome,
    /// Text of the answer, or what is wrong.
    pub(super) text: Piece,
    /// JSON text of the answer's structured content.
    pub(super) structured: Piece,
}

/// What many calls have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct Context {
    pub(super) tool: String,
    pub(super) server: Option<String>,
    pub(super) session: String,
    /// Id of the call that started the sub-agent which makes this one.
    pub(super) parent: Option<String>,
    /// File in an archive.
    pub(super) member: Option<String>,
}

/// The value that a text of ours holds.
pub(super) fn value(text: &str) -> Option<Value> {
    if text.is_empty() { None } else { numbers::parse(text).ok().map(|(value, _)| value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back() {
        let mut pool = Pool::default();
        let long = "é".repeat(BLOCK);
        let texts = ["a", "", "größe", long.as_str(), "z"];
        let pieces: Vec<Piece> = texts.iter().map(|t| pool.add(t)).collect();
        for (text, piece) in texts.iter().zip(pieces) {
            assert_eq!(pool.get(piece), *text);
        }
        assert_eq!(pool.bytes(), texts.iter().map(|t| t.len()).sum::<usize>());
    }

    #[test]
    fn a_place_comes_back() {
        for parts in [(0, 0, 0), (65_535, BLOCK - 1, (1 << 28) - 1), (5, 7, 9)] {
            assert_eq!(Piece::new(parts.0, parts.1, parts.2).unwrap().parts(), parts);
        }
        assert_eq!(Piece::new(1 << 16, 0, 0), None);
    }

    #[test]
    fn a_call_is_small() {
        assert!(size_of::<Packed>() <= 64, "{}", size_of::<Packed>());
    }
}
