//! Bytes → [`Document`]: strict JSON values with their places in the file.
//!
//! A document may hold several JSON texts (JSON lines, SSE events, a log with answers in it); each
//! is a [`Segment`]. Wherever a text must be made readable (SSE prefixes, lone surrogates, numbers
//! that no f64 holds), bytes are replaced by *as many* other bytes, so every offset stays true.

mod decode;
mod edit;
mod frame;
mod index;
mod lines;
mod looks;
mod repair;
mod survey;

pub use edit::Replacement;

use crate::error::{ErrorCode, InputError};
use crate::finding::{Part, Span};
use frame::{Fault, FaultKind};
use index::Index;
use lines::LineMap;
use repair::Substitution;
use serde_json::Value;
use std::ops::Range;
use std::sync::OnceLock;

/// The largest file that is read: the largest known real listing has 0.7 MB.
pub const MAX_BYTES: usize = 32 << 20;
/// The most values of one file; in memory, one takes 80 bytes, and an object some 500 more. The largest
/// known real listing has 25,000.
pub const MAX_VALUES: usize = 1_000_000;
/// Bound on the pointers of all values of a file, added up: keys as long as pages, nested, make work
/// that grows with the square of the file.
const MAX_PATH_BYTES: usize = 256 << 20;
/// The most values of a file that cannot be held as written, or keys that occur twice.
const MAX_LOSSES: usize = 20_000;

/// How the file was encoded on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    /// UTF-8 with a byte order mark, which counts in offsets.
    Utf8Bom,
    Utf16Le,
    Utf16Be,
}

/// One input file, decoded and parsed.
#[derive(Debug, Clone)]
pub struct Document {
    /// As the user named it; `<stdin>` for standard input.
    pub path: String,
    /// The decoded text, without a byte order mark.
    pub text: String,
    pub encoding: Encoding,
    pub segments: Vec<Segment>,
    /// How the segments were found.
    pub framing: Framing,
    /// Lines that are no JSON (a server's log), by number; they are said, not lost.
    pub skipped_lines: Vec<usize>,
    /// The text with substitutions made, where there are any; as long as `text`.
    readable: Option<String>,
    /// Bytes of the file before `text`: the byte order mark.
    prefix: usize,
    lines: OnceLock<LineMap>,
}

/// How JSON texts stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// The whole file is one JSON text.
    Whole,
    /// A JSON text a line, or several one after the other.
    Lines,
    /// `data:` lines of server-sent events.
    Sse,
}

/// One JSON text of a document.
#[derive(Debug, Clone)]
pub struct Segment {
    /// Byte range in [`Document::text`].
    pub range: Range<usize>,
    pub value: Value,
    /// What could not be held as written.
    pub defects: Vec<Defect>,
    /// Pointers of object members whose key occurs more than once, with the number of times.
    pub duplicate_keys: Vec<(String, usize)>,
    index: OnceLock<Option<Index>>,
}

/// Something in the text that a JSON value in memory cannot hold exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Defect {
    pub kind: DefectKind,
    /// Byte offset in [`Document::text`].
    pub offset: usize,
    /// Pointer of the value (or of the member whose key it is) in the segment.
    pub pointer: String,
    /// As written.
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DefectKind {
    /// `\ud800` without its other half: no Unicode text has it.
    LoneSurrogate,
    /// `1e999`: no double holds it.
    NumberOutOfRange,
    /// An integer that neither i64, u64 nor f64 holds exactly; it was rounded.
    InexactInteger,
}

/// Decode and parse `bytes`; `path` is only shown.
///
/// # Errors
/// `NotJson` with line and column, `TooLarge`, `Unreadable` for binary data.
pub fn parse(path: &str, bytes: Vec<u8>) -> Result<Document, InputError> {
    read(bytes, path).map_err(|e| e.at(path))
}

fn read(bytes: Vec<u8>, path: &str) -> Result<Document, InputError> {
    if bytes.len() > MAX_BYTES {
        return Err(too_large());
    }
    let decode::Decoded { text, encoding, prefix, halves } = decode::decode(bytes)?;
    let survey = survey::survey(&text);
    check_bounds(&text, &survey)?;
    let framed = frame::frame(&text).map_err(|fault| not_json(&text, &fault))?;
    let mut substitutions = framed.substitutions;
    if !halves.is_empty() {
        let half = |offset| Substitution { kind: DefectKind::LoneSurrogate, offset, length: 3 };
        substitutions.extend(halves.into_iter().map(half));
        substitutions.sort_by_key(|s| s.offset);
    }
    let mut document = Document {
        path: path.to_string(),
        text,
        encoding,
        segments: Vec::with_capacity(framed.segments.len()),
        framing: framed.framing,
        skipped_lines: framed.skipped_lines,
        readable: framed.readable,
        prefix,
        lines: OnceLock::new(),
    };
    for (range, value) in framed.segments {
        let segment = document.segment(range, value, &substitutions, survey.long_digits)?;
        document.segments.push(segment);
    }
    Ok(document)
}

/// The error for a file above [`MAX_BYTES`].
#[must_use]
pub fn too_large() -> InputError {
    InputError::new(ErrorCode::TooLarge, format!("the file is larger than {} MiB", MAX_BYTES >> 20))
        .help("A listing of tools has some kilobytes; is this the right file?")
}

/// Refuses what would take too much memory before a parser builds it.
fn check_bounds(text: &str, survey: &survey::Survey) -> Result<(), InputError> {
    if survey.values > MAX_VALUES {
        let message =
            format!("the file holds {} JSON values; verity reads at most {MAX_VALUES}", survey.values);
        return Err(
            InputError::new(ErrorCode::TooLarge, message).help("Split the listing into several files.")
        );
    }
    if survey.path_bytes > MAX_PATH_BYTES {
        // Paths are long where keys are, or where there are too many levels, which says more.
        if let Some(fault) = frame::too_deep(text) {
            return Err(not_json(text, &fault));
        }
        return Err(InputError::new(
            ErrorCode::TooLarge,
            "the file nests very long keys (their paths add up to more than 256 MiB)",
        )
        .help("Shorten the property names."));
    }
    Ok(())
}

fn not_json(text: &str, fault: &Fault) -> InputError {
    let place = LineMap::new(text, 1).place(text, fault.offset);
    if fault.kind == FaultKind::TooDeep {
        return InputError::new(ErrorCode::TooLarge, "the JSON text nests more than 127 levels deep")
            .line_column(place.line, place.column)
            .help("No client needs a schema this deep; name the nested part with $defs and $ref.");
    }
    if text.contains('\0') {
        return decode::binary("this is binary data");
    }
    let (message, help) = looks::explain(text, fault);
    let error = InputError::new(ErrorCode::NotJson, message).line_column(place.line, place.column);
    match help {
        Some(help) => error.help(help),
        None => error,
    }
}

impl Document {
    /// A text without any JSON in it: for excerpts of what is shown beside a manifest.
    #[must_use]
    pub fn of_text(path: &str, text: &str) -> Document {
        Document {
            path: path.to_string(),
            text: text.to_string(),
            encoding: Encoding::Utf8,
            segments: Vec::new(),
            framing: Framing::Whole,
            skipped_lines: Vec::new(),
            readable: None,
            prefix: 0,
            lines: OnceLock::new(),
        }
    }

    /// `text` in the bytes of a file like this one: with its byte order mark. UTF-16 becomes UTF-8.
    #[must_use]
    pub fn encoded(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8Bom => ["\u{feff}", text].concat().into_bytes(),
            _ => text.as_bytes().to_vec(),
        }
    }

    /// A segment with what its text holds and its value does not.
    fn segment(
        &self,
        range: Range<usize>,
        value: Value,
        substitutions: &[Substitution],
        long_digits: bool,
    ) -> Result<Segment, InputError> {
        let first = substitutions.partition_point(|s| s.offset < range.start);
        let inside = substitutions.get(first).is_some_and(|s| s.offset < range.end);
        let text = self.readable();
        let members = || survey::survey(text.get(range.clone()).unwrap_or_default()).members;
        let (mut defects, mut duplicate_keys) = (Vec::new(), Vec::new());
        if inside || long_digits || members() != index::entries(&value) {
            let losses =
                index::losses(text, &self.text, &range, substitutions, MAX_LOSSES).ok_or_else(|| {
                    InputError::new(
                        ErrorCode::TooLarge,
                        format!(
                            "more than {MAX_LOSSES} keys occur twice or values cannot be held as written"
                        ),
                    )
                    .help("Look at how the file was made; a reader and another will see different tools.")
                })?;
            (defects, duplicate_keys) = (losses.defects, losses.duplicate_keys);
        }
        Ok(Segment { range, value, defects, duplicate_keys, index: OnceLock::new() })
    }

    /// The text that the segments were parsed from: as long as [`Document::text`], and the same but for
    /// substitutions.
    fn readable(&self) -> &str {
        self.readable.as_deref().unwrap_or(&self.text)
    }

    /// Where `pointer` (in segment `segment`) stands in the file; `None` if there is no such value.
    ///
    /// A range of the decoded string is rounded outwards to whole characters. [`Part::Key`] of a value
    /// without a key, and a range of a value that is no string, mean the whole value.
    #[must_use]
    pub fn locate(&self, segment: usize, pointer: &str, part: &Part) -> Option<Span> {
        let segment = self.segments.get(segment)?;
        let text = self.readable();
        let index = segment.index.get_or_init(|| Index::build(text, &segment.range)).as_ref()?;
        let node = index.find(pointer)?;
        let is_string = |range: &Range<usize>| text.as_bytes().get(range.start) == Some(&b'"');
        let range = match (part, &node.key) {
            (Part::Range(decoded), _) if is_string(&node.value) => {
                index.within_string(text, &node.value, decoded)
            }
            (Part::Key, Some(key)) => key.clone(),
            (Part::KeyRange(decoded), Some(key)) => index.within_string(text, key, decoded),
            _ => node.value.clone(),
        };
        Some(self.span(&range))
    }

    /// The place in the file of a byte range of [`Document::text`].
    #[must_use]
    pub fn span(&self, range: &Range<usize>) -> Span {
        let unit = match self.encoding {
            Encoding::Utf8 | Encoding::Utf8Bom => 1,
            Encoding::Utf16Le | Encoding::Utf16Be => 2,
        };
        let lines = self.lines.get_or_init(|| LineMap::new(&self.text, unit));
        let start = lines.place(&self.text, range.start);
        let end = lines.place(&self.text, range.end);
        Span {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            offset: self.prefix + start.file,
            length: end.file.saturating_sub(start.file),
        }
    }

    /// The byte range in [`Document::text`] of an offset and a length in the file, as in a [`Span`]; `None` for
    /// UTF-16, whose offsets are other ones.
    #[must_use]
    pub fn text_range(&self, offset: usize, length: usize) -> Option<Range<usize>> {
        if matches!(self.encoding, Encoding::Utf16Le | Encoding::Utf16Be) {
            return None;
        }
        let start = offset.checked_sub(self.prefix)?;
        Some(start..start.checked_add(length)?)
    }

    /// The byte offset in [`Document::text`] of a line (from 1) and a column (from 1, in characters).
    #[must_use]
    pub fn offset_of(&self, line: usize, column: usize) -> Option<usize> {
        let start = match line.checked_sub(1)? {
            0 => 0,
            n => self.text.match_indices('\n').nth(n - 1)?.0 + 1,
        };
        let rest = self.text.get(start..)?;
        Some(rest.char_indices().nth(column.checked_sub(1)?).map_or(self.text.len(), |(at, _)| start + at))
    }
}
