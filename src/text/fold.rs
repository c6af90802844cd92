//! One text as a model reads it: invisible characters out, look-alike letters folded to the letters
//! they pass for, accents and case dropped, entities resolved; with a map back to the source.

mod letters;

pub(super) use letters::enclosed;
pub use letters::{is_foreign, passes_for, reference};

use super::ansi::{self, Effect};
use super::invisible;
use super::layer::{Map, Veil};
use super::skim;
use letters::{is_latin, is_mark, small_capital, without_stroke};
use std::cell::OnceCell;
use std::ops::Range;
use unicode_normalization::char::{decompose_canonical, decompose_compatible};

/// A folded text.
#[derive(Debug, Clone, Default)]
pub struct Folded {
    pub text: String,
    pub map: Map,
    /// Source ranges that a person does not see as the model does; by start.
    pub veils: Vec<(Range<usize>, Veil)>,
}

/// So much white space in a row pushes what follows out of sight.
pub const PUSH: usize = 100;
/// So many empty lines do it too.
pub const PUSH_LINES: usize = 12;

/// Fold `text`; identifiers are taken apart at `_`, `-` and case.
#[must_use]
pub fn fold(text: &str, identifier: bool) -> Folded {
    let stays = |b| matches!(b, b'\n' | b'\r' | 0x20..=0x7E) && b != b'&';
    if !identifier && skim::all(text.as_bytes(), stays) && !has_gap(text) {
        return Folded { text: text.to_ascii_lowercase(), map: Map::identity(), veils: Vec::new() };
    }
    let mut folder = Folder {
        source: text,
        identifier,
        mostly_latin: OnceCell::new(),
        out: String::with_capacity(text.len()),
        map: Map::default(),
        veils: Vec::new(),
    };
    folder.run();
    folder.veils.sort_by_key(|(range, _)| (range.start, range.end));
    Folded { text: folder.out, map: folder.map, veils: folder.veils }
}

/// How many bytes from the start on stay as they are, but for their case: printing ASCII but `&`, and single spaces and
/// line breaks between.
fn plain_prefix(bytes: &[u8]) -> usize {
    let stays = |b: &u8| matches!(b, 0x21..=0x7E) && *b != b'&';
    let mut end = 0;
    loop {
        let rest = bytes.get(end..).unwrap_or(&[]);
        end += rest.iter().position(|b| !stays(b)).unwrap_or(rest.len());
        let single = end > 0 && matches!(bytes.get(end), Some(b' ' | b'\n'));
        if !(single && bytes.get(end + 1).is_some_and(stays)) {
            return end;
        }
        end += 1;
    }
}

/// White space that is more than one space or line break.
fn has_gap(text: &str) -> bool {
    text.as_bytes().windows(2).any(|pair| pair.iter().all(u8::is_ascii_whitespace))
}

fn mostly_latin(text: &str) -> bool {
    let (mut latin, mut other) = (0usize, 0usize);
    for c in text.chars() {
        if is_latin(c) {
            latin += 1;
        } else if !c.is_ascii() && c.is_alphabetic() {
            other += 1;
        }
    }
    latin > other
}

struct Folder<'t> {
    source: &'t str,
    identifier: bool,
    /// See [`mostly_latin`]: asked where a word has letters of another script.
    mostly_latin: OnceCell<bool>,
    out: String,
    map: Map,
    veils: Vec<(Range<usize>, Veil)>,
}

impl Folder<'_> {
    fn run(&mut self) {
        let source = self.source;
        let mut at = 0;
        let mut concealed: Option<usize> = None;
        // Whether the letters of the word that ends at `.0` are look-alikes.
        let mut word: (usize, bool) = (0, false);
        while let Some(c) = source.get(at..).and_then(|rest| rest.chars().next()) {
            let plain =
                if self.identifier { 0 } else { plain_prefix(source.as_bytes().get(at..).unwrap_or(&[])) };
            if plain > 0 {
                self.map.copy(self.out.len(), at);
                let from = self.out.len();
                self.out.push_str(source.get(at..at + plain).unwrap_or(""));
                self.out.get_mut(from..).unwrap_or_default().make_ascii_lowercase();
                at += plain;
                continue;
            }
            let next = at + c.len_utf8();
            if c == '\u{1b}' || c == '\u{9b}' {
                at = self.escape(at, &mut concealed).max(next);
            } else if c == '&' {
                at = self.entity(at);
            } else if c == '\u{202E}' {
                at = self.reversed(at);
            } else if invisible::kind(c).is_some() {
                self.veils.push((at..next, Veil::Invisible));
                at = next;
            } else if c.is_whitespace() {
                at = self.gap(at);
            } else {
                if !c.is_ascii() && at >= word.0 {
                    word = self.word_at(at);
                }
                let lookalike = at < word.0 && word.1;
                self.letter(c, at..next, lookalike);
                at = next;
            }
        }
        if let Some(from) = concealed {
            self.veils.push((from..source.len(), Veil::Ansi));
        }
    }

    /// An escape sequence; returns where the text goes on.
    fn escape(&mut self, at: usize, concealed: &mut Option<usize>) -> usize {
        let Some(escape) = ansi::escape_at(self.source, at) else { return at };
        match escape.effect {
            Effect::Conceals => *concealed = concealed.or(Some(escape.range.end)),
            Effect::Styles => {
                if let Some(from) = concealed.take() {
                    self.veils.push((from..at, Veil::Ansi));
                }
            }
            Effect::Erases => {
                let line = self.source.get(..at).and_then(|t| t.rfind('\n')).map_or(0, |i| i + 1);
                self.veils.push((line..at, Veil::Ansi));
            }
            Effect::Other => self.veils.push((escape.range.clone(), Veil::Ansi)),
        }
        if !self.out.ends_with(char::is_alphanumeric) {
            self.push(' ', escape.range.clone(), false);
        }
        escape.range.end
    }

    /// A character reference or a plain ampersand.
    fn entity(&mut self, at: usize) -> usize {
        let decoded = reference(self.source.get(at..).unwrap_or(""));
        match decoded {
            Some((c, len)) => {
                let range = at..at + len;
                if c.is_alphanumeric() {
                    self.veils.push((range.clone(), Veil::Entity));
                }
                if c.is_whitespace() {
                    self.push(' ', range, false);
                } else {
                    self.letter(c, range, false);
                }
                at + len
            }
            None => {
                self.push('&', at..at + 1, true);
                at + 1
            }
        }
    }

    /// Text under a right-to-left override reads backwards, up to its end or the line's.
    fn reversed(&mut self, at: usize) -> usize {
        let body_start = at + '\u{202E}'.len_utf8();
        let body = self.source.get(body_start..).unwrap_or("");
        let len = body.find(['\u{202C}', '\u{202E}', '\n']).unwrap_or(body.len());
        let range = at..body_start + len;
        self.veils.push((range.clone(), Veil::Bidi));
        let turned: String = body.get(..len).unwrap_or("").chars().rev().collect();
        let folded = fold(&turned, self.identifier);
        self.map.substitute(self.out.len(), range.start, range.len());
        self.out.push_str(&folded.text);
        range.end
    }

    /// White space: one run, kept short; a very long one pushes the rest out of sight.
    fn gap(&mut self, at: usize) -> usize {
        let rest = self.source.get(at..).unwrap_or("");
        let len = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
        let run = rest.get(..len).unwrap_or("");
        let lines = run.bytes().filter(|&b| b == b'\n').count();
        let end = at + len;
        if (run.chars().count() - lines >= PUSH || lines >= PUSH_LINES)
            && end < self.source.len()
            && !self.out.is_empty()
        {
            self.veils.push((end..self.source.len(), Veil::Pushed));
            self.map.substitute(self.out.len(), at, len);
            self.out.push_str("\n\n");
        } else {
            self.map.substitute(self.out.len(), at, len);
            self.out.push_str(match lines {
                0 => " ",
                1 => "\n",
                _ => "\n\n",
            });
        }
        end
    }

    /// Where the word that starts at `at` ends, and whether its foreign letters pass for Latin ones.
    fn word_at(&self, at: usize) -> (usize, bool) {
        let before = self.source.get(..at).unwrap_or("");
        let head = before.chars().rev().take(80).take_while(|c| c.is_alphanumeric() || is_mark(*c));
        let mut latin = head.filter(|c| is_latin(*c)).count();
        let (mut foreign, mut passing, mut end) = (0usize, 0usize, at);
        for c in self.source.get(at..).unwrap_or("").chars() {
            if !(c.is_alphanumeric() || is_mark(c) || invisible::kind(c).is_some()) {
                break;
            }
            end += c.len_utf8();
            if is_latin(c) {
                latin += 1;
            } else if is_foreign(c) {
                foreign += 1;
                passing += usize::from(passes_for(c).is_some());
            }
        }
        let lookalike =
            foreign > 0 && (latin > 0 || (passing == foreign && foreign > 1 && self.is_mostly_latin()));
        (end.max(at + 1), lookalike)
    }

    /// Whether `c`, at `at`, is one of two letters that make a flag.
    fn is_flag(&self, c: char, at: usize) -> bool {
        let is = |c: &char| matches!(c, '\u{1F1E6}'..='\u{1F1FF}');
        if !is(&c) {
            return false;
        }
        let (before, after) = self.source.split_at_checked(at).unwrap_or_default();
        before.chars().rev().take(3).take_while(is).count() + after.chars().take(3).take_while(is).count()
            == 2
    }

    fn is_mostly_latin(&self) -> bool {
        *self.mostly_latin.get_or_init(|| mostly_latin(self.source))
    }

    fn letter(&mut self, c: char, range: Range<usize>, lookalike: bool) {
        if c.is_ascii() {
            return self.ascii(c, range);
        }
        if let Some(plain) = lookalike.then(|| passes_for(c)).flatten() {
            self.veils.push((range.clone(), Veil::Homoglyph));
            return self.push(plain, range, false);
        }
        if let Some(plain) = small_capital(c) {
            self.veils.push((range.clone(), Veil::Compatibility));
            return self.push(plain, range, false);
        }
        if let Some(plain) = enclosed(c).filter(|_| !self.is_flag(c, range.start)) {
            self.veils.push((range.clone(), Veil::Compatibility));
            return self.push(plain, range, false);
        }
        match c {
            // Syllables and kana would fall apart.
            '\u{AC00}'..='\u{D7A3}' | '\u{3040}'..='\u{30FF}' => self.push(c, range, true),
            '\u{FF01}'..='\u{FF5E}'
            | '\u{1D400}'..='\u{1D7FF}'
            | '\u{02B0}'..='\u{02B8}'
            | '\u{02E0}'..='\u{02E4}'
            | '\u{1D2C}'..='\u{1D6A}'
            | '\u{1D9B}'..='\u{1DBF}'
            | '\u{2070}'..='\u{214F}'
            | '\u{2460}'..='\u{24FF}'
            | '\u{FB00}'..='\u{FB06}' => {
                let mut plain = String::new();
                decompose_compatible(c, |d| plain.push(d));
                if plain.chars().all(|d| d.is_ascii_alphanumeric()) {
                    self.veils.push((range.clone(), Veil::Compatibility));
                }
                self.several(&plain, range);
            }
            _ => {
                let mut plain = String::new();
                decompose_canonical(c, |d| plain.push(d));
                self.several(&plain, range);
            }
        }
    }

    /// The base letters of a decomposed character.
    fn several(&mut self, plain: &str, range: Range<usize>) {
        for d in plain.chars().filter(|d| !is_mark(*d)) {
            for lower in d.to_lowercase() {
                self.push(without_stroke(lower), range.clone(), false);
            }
        }
    }

    fn ascii(&mut self, c: char, range: Range<usize>) {
        if self.identifier {
            if matches!(c, '_' | '-' | '.' | '/') {
                return self.push(' ', range, false);
            }
            let before = self.source.get(..range.start).and_then(|t| t.chars().next_back());
            if c.is_ascii_uppercase() && before.is_some_and(|b| b.is_lowercase()) {
                self.map.substitute(self.out.len(), range.start, 0);
                self.out.push(' ');
            }
        }
        self.push(c.to_ascii_lowercase(), range, true);
    }

    fn push(&mut self, c: char, range: Range<usize>, same_length: bool) {
        if same_length && c.len_utf8() == range.len() {
            self.map.copy(self.out.len(), range.start);
        } else {
            self.map.substitute(self.out.len(), range.start, range.len());
        }
        self.out.push(c);
    }
}

#[cfg(test)]
#[allow(clippy::string_slice)] // a test may panic
mod tests {
    use super::*;

    fn folded(text: &str) -> String {
        fold(text, false).text
    }

    #[test]
    fn disguises_fall() {
        assert_eq!(folded("І\u{AD}gn\u{200B}оrе"), "ignore");
        assert_eq!(folded("Ｉｇｎｏｒｅ ｔｈｉｓ"), "ignore this");
        assert_eq!(folded("𝐈𝐠𝐧𝐨𝐫𝐞"), "ignore");
        assert_eq!(folded("&#73;gno&#x72;e"), "ignore");
        assert_eq!(folded("\u{202E}erongi\u{202C} it"), "ignore it");
        assert_eq!(folded("ig\u{1b}[0mnore"), "ignore");
        assert_eq!(folded("ɪɢɴᴏʀᴇ"), "ignore");
        assert_eq!(folded("Instrucción über Ångström"), "instruccion uber angstrom");
    }

    #[test]
    fn other_scripts_keep_their_letters() {
        assert_eq!(folded("Погода в городе"), "погода в городе");
        assert_eq!(folded("날씨 がぎ"), "날씨 がぎ");
        assert_eq!(fold("getUserName_byId", true).text, "get user name by id");
    }

    #[test]
    fn the_map_leads_back() {
        let text = "Add. І\u{200B}gnore ﬁles &#65;";
        let f = fold(text, false);
        let at = f.text.find("ignore").unwrap();
        assert_eq!(&text[f.map.start(at)..f.map.end(at + 6)], "І\u{200B}gnore");
        let at = f.text.find("files").unwrap();
        assert_eq!(&text[f.map.start(at)..f.map.end(at + 5)], "ﬁles");
        let at = f.text.rfind('a').unwrap();
        assert_eq!(&text[f.map.start(at)..f.map.end(at + 1)], "&#65;");
    }
}
