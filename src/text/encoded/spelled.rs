//! Words taken apart: `i g n o r e   a l l`, `i.g.n.o.r.e a.l.l`, and Morse.

use super::{Encoding, Run};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

/// So many letters in a row make a text; a heading in wide letters has fewer.
const LETTERS: usize = 12;

/// What parts the letters of a word, beside a space.
const SIGNS: &[char] =
    &['.', '-', '_', '*', '|', '·', '•', '~', '+', ',', '/', ':', '=', '^', '\u{2022}', '\u{30FB}'];

pub(super) fn letters(text: &str, found: &mut Vec<Run>) {
    let tokens: Vec<(usize, &str)> = tokens(text);
    apart(text, &tokens, found);
    joined(&tokens, found);
    morse(&tokens, found);
}

/// What stands between white space, with its place.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    // Nearly all texts have no two single characters in a row, and no sign after every letter.
    let mut at = 0;
    text.split_inclusive(char::is_whitespace)
        .filter_map(|piece| {
            let start = at;
            at += piece.len();
            let token = piece.trim_end();
            (!token.is_empty()).then_some((start, token))
        })
        .collect()
}

/// Single characters with single spaces between; more white space, or a sign among spaces, parts words.
fn apart(text: &str, tokens: &[(usize, &str)], found: &mut Vec<Run>) {
    let single = |t: &str| t.chars().nth(1).is_none();
    let mut i = 0;
    while i < tokens.len() {
        let row: Vec<&(usize, &str)> = tokens.iter().skip(i).take_while(|(_, t)| single(t)).collect();
        i += row.len().max(1);
        if row.iter().filter(|(_, t)| t.chars().all(char::is_alphanumeric)).count() < LETTERS {
            continue;
        }
        let (Some((from, _)), Some((last, end))) = (row.first(), row.last()) else { continue };
        let (mut decoded, mut to) = (String::new(), *from);
        for (start, token) in &row {
            if start.saturating_sub(to) > 1 || text.get(to..*start).is_some_and(|gap| gap.contains('\n')) {
                decoded.push(' ');
            }
            decoded.push_str(if matches!(*token, "/" | "|") && start.saturating_sub(to) == 1 {
                "/"
            } else {
                token
            });
            to = start + token.len();
        }
        push(decoded, *from..last + end.len(), found);
    }
}

/// Tokens in which one sign stands after every character, some of them in a row.
fn joined(tokens: &[(usize, &str)], found: &mut Vec<Run>) {
    let mut i = 0;
    while i < tokens.len() {
        let row: Vec<(usize, usize, String)> = tokens
            .iter()
            .skip(i)
            .map_while(|(at, token)| Some((*at, token.len(), unjoined(token)?)))
            .collect();
        i += row.len().max(1);
        let letters: usize = row.iter().map(|(_, _, word)| word.chars().count()).sum();
        // Single characters between are words of one letter.
        if letters >= LETTERS
            && row.iter().any(|(_, len, word)| *len > word.len())
            && let (Some((from, _, _)), Some((last, len, _))) = (row.first(), row.last())
        {
            let decoded = row.iter().map(|(_, _, word)| word.as_str()).collect::<Vec<_>>().join(" ");
            push(decoded, *from..last + len, found);
        }
    }
}

/// `ignore` of `i.g.n.o.r.e`, `a` of `a`; `None` for other tokens.
fn unjoined(token: &str) -> Option<String> {
    let trimmed = token.trim_matches(SIGNS);
    let mut chars = trimmed.chars();
    let first = chars.next()?;
    let Some(sign) = chars.next() else { return Some(first.to_string()) };
    if !SIGNS.contains(&sign) {
        return None;
    }
    let mut word = first.to_string();
    while let Some(c) = chars.next() {
        word.push(c);
        match chars.next() {
            None => return Some(word),
            Some(s) if s == sign => {}
            Some(_) => return None,
        }
    }
    None
}

fn push(decoded: String, range: Range<usize>, found: &mut Vec<Run>) {
    let parted = decoded.split(char::is_whitespace).map(segmented).collect::<Vec<_>>().join(" ");
    found.push(Run { encoding: Encoding::Spaced, range, decoded: parted });
}

/// Words of orders and the small words between them: where letters run on without a border, these are looked for.
const WORDS: &str = "a about access account across add address after agent all allow already also always am an and another answer any api append \
    approve are argument arguments as ask asking assistant at auto aws be because been before begin being body both but by call can card chat check code \
    command commands complete config confirm confirmation consent content contents context conversation copy credential credentials current customer data \
    default delete do does done dont each email env environment every everything except execute exfiltrate field file files fill first follow following for \
    forget forward from full get give has have he here hidden hide history home http https id if ignore in include including information input inside \
    instead instruction instructions into is it its just keep key keys know last later leave let like list local log login mail make mention message messages \
    model must my name names never new next no not note notes notice nothing now of on once one only open or order original other our out output over own \
    parameter pass password passwords path permission phrase please post prior private private prompt put query quietly read recipient record remember remove \
    reply report request require response result results return root rules run safety same save say secret secrets security see send server session set \
    shell show silently so ssh step steps store system take task tell text that the their them then there these they thing this those through to token tokens \
    tool tools transfer type upload url use user users using value values via wallet want was we what when where which who whole will with without word \
    words work write you your";

static KNOWN: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| WORDS.split_whitespace().collect());

/// The longest known word.
const LONGEST: usize = 14;
/// A text without borders longer than this is left as it is.
const MOST: usize = 4_000;

/// `word` with spaces where known words meet: the way that leaves the fewest letters over, of the fewest words.
fn segmented(word: &str) -> String {
    let chars: Vec<char> = word.chars().collect();
    let lower: Vec<char> = chars.iter().map(|c| c.to_ascii_lowercase()).collect();
    if !(LETTERS..=MOST).contains(&chars.len()) {
        return word.to_string();
    }
    // The cost of the best way to each place, and the length of its last word.
    let mut best: Vec<(usize, usize)> = vec![(0, 0)];
    for end in 1..=lower.len() {
        let over = best.last().map_or(0, |(cost, _)| cost + 10);
        let mut choice = (over, 0);
        let mut text = String::new();
        for start in (end.saturating_sub(LONGEST)..end).rev() {
            let Some(c) = lower.get(start) else { break };
            text.insert(0, *c);
            let before = best.get(start).map_or(usize::MAX, |(cost, _)| *cost);
            // Short words are found everywhere: one costs as much as half a letter left over.
            let cost = before.saturating_add(if end - start <= 2 { 5 } else { 2 });
            if cost < choice.0 && KNOWN.contains(text.as_str()) {
                choice = (cost, end - start);
            }
        }
        best.push(choice);
    }
    let mut borders = BTreeSet::new();
    let mut at = lower.len();
    while at > 0 {
        let length = best.get(at).map_or(0, |(_, length)| *length);
        if length > 0 {
            borders.insert(at);
            borders.insert(at - length);
        }
        at -= length.max(1);
    }
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        if i > 0 && borders.contains(&i) {
            out.push(' ');
        }
        out.push(*c);
    }
    out
}

/// Signals of dots and dashes with spaces between, words with strokes between.
fn morse(tokens: &[(usize, &str)], found: &mut Vec<Run>) {
    let is_signal = |t: &str| t.chars().all(|c| matches!(c, '.' | '-' | '/' | '|' | '•' | '·' | '−' | '–'));
    let mut i = 0;
    while i < tokens.len() {
        let row: Vec<&(usize, &str)> = tokens.iter().skip(i).take_while(|(_, t)| is_signal(t)).collect();
        i += row.len().max(1);
        let (Some((from, _)), Some((last, end))) = (row.first(), row.last()) else { continue };
        let decoded: String = row.iter().filter_map(|(_, token)| signal(token)).collect();
        // A ruler of dashes is no text.
        let different: BTreeSet<char> = decoded.chars().filter(|c| c.is_alphabetic()).collect();
        if decoded.len() >= LETTERS && different.len() >= 5 {
            found.push(Run { encoding: Encoding::Morse, range: *from..last + end.len(), decoded });
        }
    }
}

fn signal(token: &str) -> Option<char> {
    const SIGNALS: &str = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. \
        ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----. .-.-.- --..-- -..-. .--.-. ---...";
    const LETTERS: &str = "abcdefghijklmnopqrstuvwxyz0123456789.,/@:";
    if matches!(token, "/" | "|") {
        return Some(' ');
    }
    let plain: String = token
        .chars()
        .map(|c| match c {
            '•' | '·' => '.',
            '−' | '–' => '-',
            c => c,
        })
        .collect();
    SIGNALS.split_whitespace().position(|s| s == plain).and_then(|i| LETTERS.chars().nth(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        letters(text, &mut found);
        found.into_iter().map(|r| r.decoded).collect()
    }

    #[test]
    fn words_taken_apart_are_put_together() {
        for text in [
            "Note: o p e n  t h e  g a t e  n o w ok.",
            "o p e n   t h e   g a t e   n o w",
            "o p e n\nt h e\ng a t e\nn o w",
            "o.p.e.n t.h.e g.a.t.e n.o.w",
            "o-p-e-n t-h-e g-a-t-e n-o-w",
            "o|p|e|n| |t|h|e| |g|a|t|e| |n|o|w",
        ] {
            assert_eq!(decoded(text), ["open the gate now"], "{text}");
        }
        assert_eq!(decoded("n e v e r t e l l t h e u s e r"), ["never tell the user"]);
        assert_eq!(decoded("--- .--. . -. / - .... . / --. .- - . / -. --- .--"), ["open the gate now"]);
    }

    #[test]
    fn headings_and_lists_stay() {
        for text in [
            "I M P O R T A N T",
            "a b c d",
            "e.g. U.S.A. i.e. a.m.",
            "--- --- --- --- --- ---",
            "x-y 1.2.3.4",
        ] {
            assert_eq!(decoded(text), Vec::<String>::new(), "{text}");
        }
    }
}
