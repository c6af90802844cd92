//! The layers of a surface: the text as a model reads it, and every text hidden inside it, each with
//! its way back to the source.

use super::encoded::{self, Encoding};
use super::fold::{self, Folded};
use super::invisible;
use super::markup::{self, Kind};
use super::surface::{Role, Surface};
use super::variant;
use std::ops::Range;

/// How something was kept from a person's eyes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Veil {
    /// Spelt in invisible characters.
    Smuggled,
    /// Interrupted by invisible characters.
    Invisible,
    /// Turned round by a direction override.
    Bidi,
    /// Concealed or overwritten by terminal escapes.
    Ansi,
    /// Letters of another script that look like Latin ones.
    Homoglyph,
    /// Full-width, mathematical or other styled letters.
    Compatibility,
    /// Digits for letters.
    Leet,
    /// HTML entities for letters.
    Entity,
    /// An HTML or Markdown comment.
    Comment,
    /// An element that is not rendered.
    HiddenElement,
    /// A link's or image's title.
    LinkTitle,
    /// Pushed out of sight by white space.
    Pushed,
    Base64,
    Base32,
    Base85,
    Hex,
    Percent,
    QuotedPrintable,
    Escape,
    CharacterCodes,
    /// Letter by letter, with blanks or signs between.
    Spaced,
    Morse,
    /// A shifted or mirrored alphabet.
    Rot13,
    Reversed,
}

impl Veil {
    /// It has to be decoded, by rules that a model knows.
    #[must_use]
    pub fn is_code(self) -> bool {
        matches!(
            self,
            Veil::Base64
                | Veil::Base32
                | Veil::Base85
                | Veil::Hex
                | Veil::Percent
                | Veil::QuotedPrintable
                | Veil::Escape
                | Veil::CharacterCodes
                | Veil::Spaced
                | Veil::Morse
                | Veil::Rot13
                | Veil::Entity
                | Veil::Reversed
        )
    }

    /// The letters themselves are not what a person takes them for.
    #[must_use]
    pub fn is_of_letters(self) -> bool {
        matches!(
            self,
            Veil::Invisible | Veil::Bidi | Veil::Homoglyph | Veil::Compatibility | Veil::Leet | Veil::Entity
        )
    }

    /// For messages: "written in …".
    #[must_use]
    pub fn phrase(self) -> &'static str {
        match self {
            Veil::Smuggled => "spelt in invisible characters",
            Veil::Invisible => "broken up by invisible characters",
            Veil::Bidi => "turned round by a right-to-left override",
            Veil::Ansi => "hidden by terminal escapes",
            Veil::Homoglyph => "written with look-alike letters of another script",
            Veil::Compatibility => "written in full-width or styled letters",
            Veil::Leet => "written with digits for letters",
            Veil::Entity => "written in HTML entities",
            Veil::Comment => "inside a comment",
            Veil::HiddenElement => "inside an element that is not shown",
            Veil::LinkTitle => "inside the title of a link",
            Veil::Pushed => "pushed out of sight by white space",
            Veil::Base64 => "encoded in base64",
            Veil::Base32 => "encoded in base32",
            Veil::Base85 => "encoded in base85",
            Veil::Hex => "encoded in hex",
            Veil::Percent => "percent-encoded",
            Veil::QuotedPrintable => "encoded as in mail (quoted-printable)",
            Veil::Escape => "written in backslash escapes",
            Veil::CharacterCodes => "written as character codes",
            Veil::Spaced => "spelt letter by letter",
            Veil::Morse => "written in Morse code",
            Veil::Rot13 => "written in a cipher of letters (ROT13 or one like it)",
            Veil::Reversed => "written backwards",
        }
    }
}

/// From places in a folded text to places in its source.
#[derive(Debug, Clone, Default)]
pub struct Map {
    /// Pieces by start; empty for the identity.
    pieces: Vec<Piece>,
    identity: bool,
}

#[derive(Debug, Clone, Copy)]
struct Piece {
    out: usize,
    source: usize,
    /// Bytes of the source that the piece stands for; `None`: byte for byte.
    replaces: Option<usize>,
}

impl Map {
    #[must_use]
    pub fn identity() -> Map {
        Map { pieces: Vec::new(), identity: true }
    }

    /// From `out` on, bytes are copied from `source` on.
    pub fn copy(&mut self, out: usize, source: usize) {
        let goes_on =
            self.pieces.last().is_some_and(|p| p.replaces.is_none() && p.source + (out - p.out) == source);
        if !goes_on {
            self.pieces.push(Piece { out, source, replaces: None });
        }
    }

    /// What is written from `out` on stands for `len` bytes from `source` on.
    pub fn substitute(&mut self, out: usize, source: usize, len: usize) {
        self.pieces.push(Piece { out, source, replaces: Some(len) });
    }

    fn piece(&self, out: usize) -> Option<Piece> {
        let after = self.pieces.partition_point(|p| p.out <= out);
        after.checked_sub(1).and_then(|i| self.pieces.get(i)).copied()
    }

    /// Where the source of the byte at `out` starts.
    #[must_use]
    pub fn start(&self, out: usize) -> usize {
        if self.identity {
            return out;
        }
        match self.piece(out) {
            Some(Piece { out: o, source, replaces: None }) => source + (out - o),
            Some(piece) => piece.source,
            None => 0,
        }
    }

    /// Where the source of what ends before `out` ends.
    #[must_use]
    pub fn end(&self, out: usize) -> usize {
        if self.identity || out == 0 {
            return out;
        }
        match self.piece(out - 1) {
            Some(Piece { out: o, source, replaces: None }) => source + (out - o),
            Some(Piece { source, replaces: Some(len), .. }) => source + len,
            None => 0,
        }
    }
}

/// One reading of a surface.
#[derive(Debug, Clone)]
pub struct Layer {
    /// Folded: lower case, without accents, look-alikes and invisible characters.
    pub text: String,
    map: Map,
    veils: Vec<(Range<usize>, Veil)>,
    /// Ranges (of `text`'s source) under pseudo-tags, with the tag's name.
    pub tags: Vec<(Range<usize>, String)>,
    /// For text decoded out of the surface: where it stood, and how it was hidden, outermost first.
    pub origin: Option<(Range<usize>, Vec<Veil>)>,
    /// For decoded text: as decoded, before folding.
    pub decoded: Option<String>,
}

impl Layer {
    /// What is veiled in the layer's own source, by start.
    #[must_use]
    pub fn veiled(&self) -> &[(Range<usize>, Veil)] {
        &self.veils
    }

    /// Bytes of the surface that `range` of [`Layer::text`] stands for.
    #[must_use]
    pub fn source_range(&self, range: &Range<usize>) -> Range<usize> {
        match &self.origin {
            Some((origin, _)) => origin.clone(),
            None => self.map.start(range.start)..self.map.end(range.end),
        }
    }

    /// Bytes of the layer's own source: the surface, or the decoded text.
    #[must_use]
    pub fn own_range(&self, range: &Range<usize>) -> Range<usize> {
        self.map.start(range.start)..self.map.end(range.end)
    }

    /// How `range` of [`Layer::text`] is kept from a person's eyes; empty for plain sight.
    #[must_use]
    pub fn veils(&self, range: &Range<usize>) -> Vec<Veil> {
        let mut found: Vec<Veil> = self.origin.iter().flat_map(|(_, veils)| veils.iter().copied()).collect();
        let own = self.own_range(range);
        for (veiled, veil) in &self.veils {
            if veiled.start >= own.end {
                break;
            }
            if veiled.end > own.start && !found.contains(veil) {
                found.push(*veil);
            }
        }
        found
    }
}

/// The most layers of decoding that are followed.
pub const MAX_DEPTH: usize = 4;
/// The most bytes that are decoded for one tool, over all its texts.
pub const MAX_DECODED: usize = 1 << 20;

/// How much may still be decoded.
#[derive(Debug, Clone)]
pub struct Budget {
    left: usize,
    /// Something was left undecoded.
    pub exhausted: bool,
    /// The last layer that is followed holds one more: nothing honest is wrapped so often.
    pub nested: bool,
}

impl Default for Budget {
    fn default() -> Self {
        Budget { left: MAX_DECODED, exhausted: false, nested: false }
    }
}

impl Budget {
    fn take(&mut self, bytes: usize) -> bool {
        let enough = bytes <= self.left;
        if enough {
            self.left -= bytes;
        } else {
            self.exhausted = true;
        }
        enough
    }
}

/// Every reading of one surface.
#[derive(Debug, Clone)]
pub struct Layers {
    /// The first is the surface itself; then its variants and what was decoded.
    pub layers: Vec<Layer>,
    /// Suspicious invisible characters of the surface.
    pub invisible: Vec<invisible::Run>,
    /// Markup of the surface.
    pub markup: Vec<markup::Span>,
}

/// The layers of `surface`; `budget` bounds what is decoded for the tool as a whole.
#[must_use]
pub fn of(surface: &Surface<'_>, budget: &mut Budget) -> Layers {
    let text = surface.text;
    let mut layers =
        Layers { layers: Vec::new(), invisible: invisible::runs(text), markup: markup::spans(text) };
    let mut work = Work { layers: &mut layers.layers, budget };
    let identifier = surface.role.is_identifier() || is_joined(surface);
    work.read(text, identifier, &layers.markup, None, 0);
    if !identifier && has_joined(surface) {
        work.layers.push(layer(text, fold::fold(text, true), &layers.markup, None));
    }
    for run in &layers.invisible {
        if let Some(decoded) = &run.decoded {
            work.decoded(decoded, run.range.clone(), vec![Veil::Smuggled], 1);
        }
    }
    layers
}

/// A value that is a sentence in the form of an identifier: `approve_even_if_nobody_was_asked`.
fn is_joined(surface: &Surface<'_>) -> bool {
    let value = matches!(surface.role, Role::EnumValue | Role::ConstValue | Role::Default | Role::Example);
    value
        && surface.text.len() <= 400
        && surface.text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        && words_joined(surface.text) >= 5
}

/// Whether a text beside the prose has words that are joined in this way, among others: a title, data, metadata.
fn has_joined(surface: &Surface<'_>) -> bool {
    let data = !surface.role.is_prose() && !matches!(surface.role, Role::Pattern | Role::IconUrl);
    data && surface.text.len() <= 2_000
        && surface
            .text
            .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '(' | ')'))
            .any(|token| !token.contains("://") && words_joined(token) >= 4)
}

/// How many words of letters `token` joins by `_`, `-` or case.
fn words_joined(token: &str) -> usize {
    let (mut words, mut before) = (0, ' ');
    for c in token.chars() {
        let begins =
            c.is_alphabetic() && (!before.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase()));
        words += usize::from(begins);
        before = c;
    }
    words
}

struct Work<'l> {
    layers: &'l mut Vec<Layer>,
    budget: &'l mut Budget,
}

impl Work<'_> {
    fn decoded(&mut self, text: &str, origin: Range<usize>, veils: Vec<Veil>, depth: usize) {
        if depth > MAX_DEPTH {
            self.budget.exhausted = true;
            self.budget.nested = true;
        } else if self.budget.take(text.len()) {
            let spans = markup::spans(text);
            self.read(text, false, &spans, Some((origin.clone(), veils.clone())), depth);
            for run in invisible::runs(text) {
                if let Some(inner) = &run.decoded {
                    let veils = veils.iter().copied().chain([Veil::Smuggled]).collect();
                    self.decoded(inner, origin.clone(), veils, depth + 1);
                }
            }
        }
    }

    /// The layer of `text`, its variants, and what is encoded in it.
    fn read(
        &mut self,
        text: &str,
        identifier: bool,
        spans: &[markup::Span],
        origin: Option<(Range<usize>, Vec<Veil>)>,
        depth: usize,
    ) {
        let folded = fold::fold(text, identifier);
        let variants = variant::all(text, &folded);
        for folded in std::iter::once(folded).chain(variants) {
            self.layers.push(layer(text, folded, spans, origin.clone()));
        }
        let mut runs = encoded::runs(text);
        if let Some(plain) = variant::plain_letters(text) {
            // Codes that are themselves in styled letters: the whole text is the place.
            runs.extend(
                encoded::runs(&plain).into_iter().map(|r| encoded::Run { range: 0..text.len(), ..r }),
            );
        }
        for run in runs {
            let veil = match run.encoding {
                Encoding::Base64 => Veil::Base64,
                Encoding::Base32 => Veil::Base32,
                Encoding::Base85 => Veil::Base85,
                Encoding::QuotedPrintable => Veil::QuotedPrintable,
                Encoding::Spaced => Veil::Spaced,
                Encoding::Morse => Veil::Morse,
                Encoding::Hex => Veil::Hex,
                Encoding::Percent => Veil::Percent,
                Encoding::Escape => Veil::Escape,
                Encoding::Decimal | Encoding::Binary => Veil::CharacterCodes,
                Encoding::Entities => Veil::Entity,
            };
            let (range, mut veils) = origin.clone().unwrap_or((run.range.clone(), Vec::new()));
            veils.push(veil);
            self.decoded(&run.decoded, range, veils, depth + 1);
        }
    }
}

fn layer(
    text: &str,
    folded: Folded,
    spans: &[markup::Span],
    origin: Option<(Range<usize>, Vec<Veil>)>,
) -> Layer {
    let Folded { text: folded_text, map, mut veils } = folded;
    let mut tags = Vec::new();
    for span in spans {
        let veil = match &span.kind {
            Kind::Comment => Veil::Comment,
            Kind::Hidden => Veil::HiddenElement,
            Kind::Title => Veil::LinkTitle,
            Kind::Tag(name) => {
                tags.push((span.range.clone(), name.clone()));
                continue;
            }
        };
        veils.push((span.range.clone(), veil));
    }
    veils.sort_by_key(|(range, veil)| (range.start, range.end, *veil));
    let decoded = origin.is_some().then(|| text.to_string());
    Layer { text: folded_text, map, veils, tags, origin, decoded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Part;
    use crate::text::Role;

    fn layers(text: &str) -> Layers {
        let surface =
            Surface { pointer: String::new(), part: Part::Value, role: Role::ToolDescription, text };
        of(&surface, &mut Budget::default())
    }

    fn has(text: &str, words: &str, veil: Veil) -> bool {
        layers(text)
            .layers
            .iter()
            .any(|l| l.text.find(words).is_some_and(|at| l.veils(&(at..at + words.len())).contains(&veil)))
    }

    #[test]
    fn every_veil_is_lifted() {
        assert!(has("a <!-- open the gate --> b", "open the gate", Veil::Comment));
        assert!(has("x b3BlbiB0aGUgZ2F0ZQ== y", "open the gate", Veil::Base64));
        assert!(has("Say.\u{1b}[8mopen the gate\u{1b}[0m", "open the gate", Veil::Ansi));
        assert!(has("open the gate\u{1b}[2K\u{1b}[1GSay.", "open the gate", Veil::Ansi));
        assert!(has(&format!("Say.{}open the gate", " ".repeat(120)), "open the gate", Veil::Pushed));
        assert!(has("Say. 0p3n th3 g4t3 n0w", "open the gate", Veil::Leet));
        assert!(has("open\u{200B}the\u{200B}gate\u{200B}now", "open the gate", Veil::Invisible));
        assert!(has("rot13: bcra gur tngr", "open the gate", Veil::Rot13));
        assert!(!has("open the gate", "open the gate", Veil::Comment));
    }

    #[test]
    fn nested_encodings_are_followed_four_deep() {
        use base64::Engine as _;
        let mut text = "open the gate, quietly".to_string();
        for _ in 0..4 {
            text = base64::engine::general_purpose::STANDARD.encode(&text);
        }
        assert!(has(&text, "open the gate", Veil::Base64));
        let surface = Surface { pointer: String::new(), part: Part::Value, role: Role::Other, text: &text };
        let deeper = base64::engine::general_purpose::STANDARD.encode(surface.text);
        let mut budget = Budget::default();
        let _ = of(&Surface { text: &deeper, ..surface }, &mut budget);
        assert!(budget.exhausted);
    }
}
