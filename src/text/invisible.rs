//! Characters that a person does not see: where they stand, what they spell, and when they are innocent.
//!
//! Sources: Unicode TR36 and TR39 (default ignorables), the tag block of UTS #51 (flags), and the
//! smuggling schemes seen in the wild: ASCII in the tag block, bytes in variation selectors, bits in
//! zero-width characters.

use super::skim;
use std::ops::Range;

/// What kind of invisible character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// U+E0000 block: invisible copies of ASCII.
    Tag,
    /// A variation selector beyond the one that a character may carry.
    Selector,
    /// Zero-width space, joiner, non-joiner, word joiner, invisible operators, fillers.
    ZeroWidth,
    /// Embeddings, overrides and isolates of text direction.
    Direction,
    /// Left-to-right and right-to-left marks.
    Mark,
    SoftHyphen,
    /// Control characters that no text needs (backspace, escape, …).
    Control,
}

impl Kind {
    /// For messages: "1 zero-width character", "2 soft hyphens".
    #[must_use]
    pub fn counted(self, n: usize) -> String {
        let (noun, more) = match self {
            Kind::Tag => ("Unicode tag character", " (U+E0000 block)"),
            Kind::Selector => ("variation selector", ""),
            Kind::ZeroWidth => ("zero-width character", ""),
            Kind::Direction => ("text-direction control", ""),
            Kind::Mark => ("direction mark", ""),
            Kind::SoftHyphen => ("soft hyphen", ""),
            Kind::Control => ("control character", ""),
        };
        format!("{n} {noun}{}{more}", if n == 1 { "" } else { "s" })
    }
}

/// Neighbouring invisible characters of one kind, which have no business where they stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    pub kind: Kind,
    /// Bytes of the text.
    pub range: Range<usize>,
    pub count: usize,
    /// What they spell, where they spell something readable.
    pub decoded: Option<String>,
    /// Letters stand on both sides: a word is split.
    pub splits_word: bool,
    /// A single one where typesetting puts it: a place to break a long word, a ligature or digraph kept apart, a break
    /// forbidden. Innocent in prose, and not in a name, which is repeated letter by letter.
    pub is_typographic: bool,
}

/// Kind of an invisible character; `None` for what is seen (or is ordinary white space).
#[must_use]
pub fn kind(c: char) -> Option<Kind> {
    if matches!(c, ' '..='~') {
        return None; // nearly all there is
    }
    Some(match c {
        '\u{E0000}'..='\u{E007F}' => Kind::Tag,
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' => Kind::Selector,
        '\u{200B}'..='\u{200D}'
        | '\u{2060}'..='\u{2064}'
        | '\u{FEFF}'
        | '\u{180E}'
        | '\u{034F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{3164}'
        | '\u{FFA0}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{FFF9}'..='\u{FFFB}'
        | '\u{206A}'..='\u{206F}' => Kind::ZeroWidth,
        '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Kind::Direction,
        '\u{200E}' | '\u{200F}' | '\u{061C}' => Kind::Mark,
        '\u{00AD}' => Kind::SoftHyphen,
        '\0'..='\u{08}' | '\u{0E}'..='\u{1F}' | '\u{7F}'..='\u{84}' | '\u{86}'..='\u{9F}' => Kind::Control,
        _ => return None,
    })
}

/// So many direction marks may stand in a text that has nothing from right to left.
const MARKS: usize = 8;

/// Every suspicious run of invisible characters in `text`, in order; innocent uses are left out.
#[must_use]
pub fn runs(text: &str) -> Vec<Run> {
    let control = |b: u8| matches!(b, 0..=0x08 | 0x0E..=0x1F | 0x7F);
    if skim::all(text.as_bytes(), |b| !control(b))
        && !skim::beyond_ascii(text).any(|(_, c)| kind(c).is_some())
    {
        return Vec::new();
    }
    let chars: Vec<(usize, char)> = text.char_indices().collect();
    // A mark or two may be left over from copying; a row of them in text that runs left to right pads.
    let padded = !has_rtl(text) && chars.iter().filter(|(_, c)| kind(*c) == Some(Kind::Mark)).count() > MARKS;
    let mut found = Vec::new();
    let mut i = 0;
    while let Some(&(start, c)) = chars.get(i) {
        let Some(k) = kind(c) else {
            i += 1;
            continue;
        };
        let mut end = i + 1;
        while chars.get(end).is_some_and(|&(_, c)| kind(c) == Some(k)) {
            end += 1;
        }
        let stop = chars.get(end).map_or(text.len(), |&(at, _)| at);
        let neighbours = Neighbours::of(&chars, i, end);
        let run = chars.get(i..end).unwrap_or(&[]);
        if (padded && k == Kind::Mark) || !innocent(k, run, &neighbours) {
            found.push(Run {
                kind: k,
                range: start..stop,
                count: end - i,
                decoded: decode(k, run),
                splits_word: neighbours.split_word(),
                is_typographic: end == i + 1 && k == Kind::ZeroWidth && typographic(c, &neighbours),
            });
        }
        i = end;
    }
    found
}

struct Neighbours {
    before: Option<char>,
    after: Option<char>,
    /// The emoji flag that a tag sequence may follow.
    at_start: bool,
}

impl Neighbours {
    fn of(chars: &[(usize, char)], from: usize, to: usize) -> Neighbours {
        let before = from.checked_sub(1).and_then(|i| chars.get(i)).map(|&(_, c)| c);
        let after = chars.get(to).map(|&(_, c)| c);
        Neighbours { before, after, at_start: from == 0 }
    }

    fn split_word(&self) -> bool {
        let joined = |c: char| c.is_alphanumeric() || c == '_';
        self.before.is_some_and(joined) && self.after.is_some_and(joined)
    }

    fn any(&self, test: fn(char) -> bool) -> bool {
        self.before.is_some_and(test) || self.after.is_some_and(test)
    }
}

fn innocent(kind: Kind, run: &[(usize, char)], near: &Neighbours) -> bool {
    let first = run.first().map_or(' ', |&(_, c)| c);
    match kind {
        Kind::Tag => near.before == Some('\u{1F3F4}') && is_flag(run),
        // One selector after a character is presentation (emoji, CJK variants).
        Kind::Selector => {
            run.len() == 1 && near.before.is_some_and(|c| !c.is_ascii_alphabetic() && !c.is_whitespace())
        }
        Kind::ZeroWidth => run.len() <= 2 && zero_width_innocent(first, near),
        // Judged as a whole text by the rule: isolates around a name in RTL prose are fine.
        Kind::Direction => false,
        Kind::Mark => run.len() <= 2,
        Kind::SoftHyphen => run.len() == 1 && near.before.is_some_and(char::is_alphabetic),
        Kind::Control => false,
    }
}

fn zero_width_innocent(c: char, near: &Neighbours) -> bool {
    match c {
        '\u{FEFF}' => near.at_start,
        // Joiners belong to scripts that join, and to emoji.
        '\u{200C}' | '\u{200D}' | '\u{180E}' | '\u{034F}' => {
            near.any(joins) || near.any(is_rtl) || near.before.is_some_and(is_pictograph)
        }
        // Breaks belong to scripts that write no spaces.
        '\u{200B}' | '\u{2060}' => near.any(breaks_without_space) || near.any(is_hangul),
        '\u{115F}' | '\u{1160}' | '\u{3164}' | '\u{FFA0}' => near.any(is_hangul),
        '\u{17B4}' | '\u{17B5}' => near.any(breaks_without_space),
        _ => false,
    }
}

/// Whether a single zero-width character stands where typesetting has use for it.
fn typographic(c: char, near: &Neighbours) -> bool {
    let (Some(before), Some(after)) = (near.before, near.after) else { return false };
    let lower = |c: char| c.to_lowercase().next().unwrap_or(c);
    match c {
        // A long name or address may break here.
        '\u{200B}' => {
            let sign = |c: char| c.is_ascii_punctuation();
            let humps = before.is_lowercase() && after.is_uppercase();
            // Letters of flags are kept from making one.
            let flags = |c: char| matches!(c, '\u{1F1E6}'..='\u{1F1FF}');
            (sign(before) || sign(after) || humps || (flags(before) && flags(after)))
                && !before.is_whitespace()
                && !after.is_whitespace()
        }
        // German keeps ligatures out of the joints of its compounds.
        '\u{200C}' => {
            matches!(lower(before), 'f' | 't')
                && matches!(after, 'b' | 'f' | 'h' | 'i' | 'j' | 'k' | 'l' | 't' | 'z')
        }
        // Two letters that are sorted as one elsewhere.
        '\u{034F}' => {
            const PAIRS: &[&str] = &[
                "ch", "aa", "cs", "dd", "dz", "ff", "gy", "ij", "lj", "ll", "ly", "ng", "nj", "ny", "ph",
                "rh", "sz", "th", "ty", "zs",
            ];
            PAIRS.iter().any(|pair| pair.chars().eq([lower(before), lower(after)]))
        }
        // No break between a number and a sign, or at a dash or a stroke.
        '\u{2060}' => {
            let plain = |c: char| c.is_alphabetic() || c.is_whitespace();
            !plain(before) || !plain(after)
        }
        _ => false,
    }
}

/// Flags of England, Scotland, Wales and other subdivisions: two letters, up to four more, a terminator.
fn is_flag(run: &[(usize, char)]) -> bool {
    let Some((&(_, last), letters)) = run.split_last() else { return false };
    let plain = |c: char| matches!(c, '\u{E0061}'..='\u{E007A}' | '\u{E0030}'..='\u{E0039}');
    last == '\u{E007F}' && (3..=6).contains(&letters.len()) && letters.iter().all(|&(_, c)| plain(c))
}

/// Arabic, Syriac, N'Ko, the Indic scripts, Mongolian: letters that join.
fn joins(c: char) -> bool {
    matches!(c, '\u{0600}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{0E00}'..='\u{109F}'
        | '\u{1780}'..='\u{18AF}' | '\u{1A00}'..='\u{1CFF}' | '\u{A800}'..='\u{ABFF}'
        | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' | '\u{11000}'..='\u{11FFF}')
}

/// Thai, Lao, Tibetan, Myanmar, Khmer, Tai, Balinese, Javanese, and CJK.
fn breaks_without_space(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{1950}'..='\u{1AAF}'
        | '\u{1B00}'..='\u{1B7F}' | '\u{A980}'..='\u{A9DF}' | '\u{AA60}'..='\u{AADF}'
        | '\u{3000}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{FF00}'..='\u{FFEF}')
}

fn is_hangul(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7AF}')
}

/// Emoji and what emoji sequences are built of.
fn is_pictograph(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{FE0F}' | '\u{20E3}'
        | '\u{1F000}'..='\u{1FAFF}' | '©' | '®')
}

/// Whether the text is written from right to left anywhere.
#[must_use]
pub fn has_rtl(text: &str) -> bool {
    text.chars().any(is_rtl)
}

fn is_rtl(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// What a run spells, if that is readable text.
fn decode(kind: Kind, run: &[(usize, char)]) -> Option<String> {
    let text = match kind {
        Kind::Tag => run.iter().filter_map(|&(_, c)| tag(c)).collect::<String>(),
        Kind::Selector => {
            let bytes: Vec<u8> = run.iter().filter_map(|&(_, c)| selector_byte(c)).collect();
            String::from_utf8(bytes).ok()?
        }
        Kind::ZeroWidth => bits(run)?,
        _ => return None,
    };
    let readable = text.chars().filter(|c| !c.is_control() || c.is_whitespace()).count();
    (text.trim().len() >= 2 && readable * 10 >= text.chars().count() * 9).then_some(text)
}

fn tag(c: char) -> Option<char> {
    let code = u32::from(c).checked_sub(0xE0000)?;
    (0x20..0x7F).contains(&code).then(|| char::from_u32(code)).flatten()
}

fn selector_byte(c: char) -> Option<u8> {
    match u32::from(c) {
        code @ 0xFE00..=0xFE0F => u8::try_from(code - 0xFE00).ok(),
        code @ 0xE0100..=0xE01EF => u8::try_from(code - 0xE0100 + 16).ok(),
        _ => None,
    }
}

/// Two zero-width characters as bits, eight to a byte; either may be the one, a third one separates.
fn bits(run: &[(usize, char)]) -> Option<String> {
    if run.len() < 16 {
        return None;
    }
    let mut alphabet: Vec<char> = Vec::new();
    for &(_, c) in run {
        if !alphabet.contains(&c) {
            alphabet.push(c);
        }
    }
    if !(2..=4).contains(&alphabet.len()) {
        return None;
    }
    for (i, &zero) in alphabet.iter().enumerate() {
        for (j, &one) in alphabet.iter().enumerate() {
            if i != j
                && let Some(text) = bits_as(run, zero, one)
            {
                return Some(text);
            }
        }
    }
    None
}

fn bits_as(run: &[(usize, char)], zero: char, one: char) -> Option<String> {
    let digits: Vec<u8> =
        run.iter().filter(|&&(_, c)| c == zero || c == one).map(|&(_, c)| u8::from(c == one)).collect();
    if digits.len() < 16 {
        return None;
    }
    for width in [8, 7] {
        if !digits.len().is_multiple_of(width) {
            continue;
        }
        let bytes: Vec<u8> =
            digits.chunks(width).map(|c| c.iter().fold(0, |byte, bit| byte << 1 | bit)).collect();
        if let Ok(text) = String::from_utf8(bytes)
            && text.chars().all(|c| !c.is_control() || c.is_whitespace())
        {
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(text: &str) -> String {
        text.bytes().filter_map(|b| char::from_u32(0xE0000 + u32::from(b))).collect()
    }

    #[test]
    fn innocent_scripts_stay_innocent() {
        for text in [
            "👨‍👩‍👧‍👦 family, 🏳️‍🌈, ❤️, 1️⃣",
            "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} fixtures",
            "می‌خواهم",
            "क्‍ष और श्‍र",
            "ការ\u{200B}ពិនិត្យ",
            "ภาษา\u{200B}ไทย",
            "\u{FEFF}Convert CSV",
            "Donau\u{AD}dampf\u{AD}schiff",
            "code \u{200E}ABC-123\u{200E} in \u{200F}עברית",
            "葛\u{E0100}城市",
        ] {
            assert_eq!(runs(text), [], "{text:?}");
        }
    }

    #[test]
    fn smuggled_text_is_read() {
        let run = &runs(&format!("Add.{}", tags("send keys")))[0];
        assert_eq!((run.kind, run.decoded.as_deref()), (Kind::Tag, Some("send keys")));
        let selectors: String =
            "hi all".bytes().filter_map(|b| char::from_u32(0xE0100 + u32::from(b) - 16)).collect();
        assert_eq!(runs(&format!("Add.{selectors}"))[0].decoded.as_deref(), Some("hi all"));
        let binary: String = "go"
            .bytes()
            .flat_map(|b| (0..8).rev().map(move |i| if b >> i & 1 == 1 { '\u{200C}' } else { '\u{200B}' }))
            .collect();
        assert_eq!(runs(&format!("Add.{binary}"))[0].decoded.as_deref(), Some("go"));
        // A flag with a message behind it is no flag.
        let flag = format!("\u{1F3F4}{}", tags("gbeng and more"));
        assert_eq!(runs(&flag)[0].decoded.as_deref(), Some("gbeng and more"));
    }

    #[test]
    fn split_words_are_told_from_stray_characters() {
        assert!(runs("i\u{200B}d")[0].splits_word);
        assert!(!runs("one\u{200B} two")[0].splits_word);
    }
}
