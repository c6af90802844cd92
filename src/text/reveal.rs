//! One text as a person sees it beside what an agent reads: for `verity lint --show-hidden`.

use super::ansi;
use super::layer::{self, Budget, Layer, Veil};
use super::surface::Surface;
use std::ops::Range;

/// A text that holds something which a person does not see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revealed {
    /// What stands in the way of seeing it, in the words of [`Veil::phrase`].
    pub how: Vec<&'static str>,
    /// What a person sees: without what is hidden; shortened.
    pub seen: String,
    /// What an agent is sent: raw, long white space counted; shortened. Not safe for a screen.
    pub sent: String,
    /// What the hidden parts say: how each was hidden, and its text. Not safe for a screen.
    pub says: Vec<(String, String)>,
    /// Something was left undecoded: too deep or too much.
    pub exhausted: bool,
}

/// So many characters of a text are shown.
const SHOWN: usize = 400;
/// So many hidden texts are shown of one surface.
const MOST: usize = 6;
/// White space from this length on is counted, not printed.
const BLANKS: usize = 20;

/// What `surface` hides; `None` where a person sees all that an agent reads.
#[must_use]
pub fn of(surface: &Surface<'_>) -> Option<Revealed> {
    let mut budget = Budget::default();
    let layers = layer::of(surface, &mut budget);
    let first = layers.layers.first()?;
    let mut hidden: Vec<(Range<usize>, Veil)> =
        first.veiled().iter().filter(|(_, v)| hides(*v)).cloned().collect();
    // Joiners of emoji and of scripts that need them are no hiding.
    hidden.retain(|(range, veil)| {
        *veil != Veil::Invisible
            || layers.invisible.iter().any(|run| run.range.start < range.end && range.start < run.range.end)
    });
    let mut says = Vec::new();
    for layer in &layers.layers {
        let told = if layer.origin.is_some() { layer.decoded.clone() } else { respelt(layer) };
        let whole = 0..layer.text.len();
        let how = layer.veils(&whole).iter().map(|v| v.phrase()).collect::<Vec<_>>().join(", ");
        if let Some(text) = told
            && says.len() < MOST
            && !says.iter().any(|(_, seen)| *seen == text)
        {
            says.push((how, shortened(&text, 0)));
        }
    }
    for (range, veil) in &hidden {
        let inside = surface.text.get(range.clone()).unwrap_or("");
        if matches!(veil, Veil::Comment | Veil::HiddenElement | Veil::Pushed | Veil::Ansi)
            && says.len() < MOST
            && inside.chars().filter(|c| c.is_alphanumeric()).count() > 1
        {
            says.push((veil.phrase().to_string(), shortened(inside, 0)));
        }
    }
    if hidden.is_empty() && says.is_empty() {
        return None;
    }
    let mut how: Vec<&'static str> = Vec::new();
    let of_layers = layers.layers.iter().flat_map(|l| l.veils(&(0..l.text.len())));
    for veil in hidden
        .iter()
        .map(|(_, v)| *v)
        .chain(of_layers.filter(|v| *v != Veil::LinkTitle && *v != Veil::Invisible))
    {
        if !how.contains(&veil.phrase()) {
            how.push(veil.phrase());
        }
    }
    let from = hidden.iter().map(|(range, _)| range.start).min().unwrap_or(0);
    Some(Revealed {
        how,
        seen: shortened(&visible(surface.text, &hidden), 0),
        sent: shortened(surface.text, from),
        says,
        exhausted: budget.exhausted,
    })
}

/// Veils under which a person sees nothing, or something else.
fn hides(veil: Veil) -> bool {
    matches!(
        veil,
        Veil::Smuggled
            | Veil::Invisible
            | Veil::Bidi
            | Veil::Ansi
            | Veil::Homoglyph
            | Veil::Comment
            | Veil::HiddenElement
            | Veil::Pushed
    )
}

/// The folded text of a layer whose letters are not what they look like.
fn respelt(layer: &Layer) -> Option<String> {
    let turned =
        |v: &Veil| matches!(v, Veil::Homoglyph | Veil::Bidi | Veil::Leet | Veil::Rot13 | Veil::Entity);
    layer.veiled().iter().any(|(_, v)| turned(v)).then(|| layer.text.clone())
}

/// `text` without the hidden ranges.
fn visible(text: &str, hidden: &[(Range<usize>, Veil)]) -> String {
    let mut out = String::new();
    let mut gone: Vec<&(Range<usize>, Veil)> =
        hidden.iter().filter(|(_, v)| !matches!(v, Veil::Homoglyph | Veil::Bidi)).collect();
    gone.sort_by_key(|(range, _)| range.start);
    let mut at = 0;
    for (range, _) in gone {
        if range.start > at {
            out.push_str(text.get(at..range.start).unwrap_or(""));
        }
        at = at.max(range.end);
    }
    out.push_str(text.get(at..).unwrap_or(""));
    without_escapes(&out)
}

/// A terminal swallows its escape sequences.
fn without_escapes(text: &str) -> String {
    let mut out = String::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let next = at + c.len_utf8();
        let escape = if c == '\u{1b}' || c == '\u{9b}' { ansi::escape_at(text, at) } else { None };
        match escape {
            Some(escape) => at = escape.range.end.max(next),
            None => {
                out.push(c);
                at = next;
            }
        }
    }
    out
}

/// At most [`SHOWN`] characters from a little before byte `from` on, long white space counted.
fn shortened(text: &str, from: usize) -> String {
    // From the last words before it: not from amid the white space that pushes it away.
    let from = text.get(..from).map_or(0, |before| before.trim_end().len());
    let mut start = from.saturating_sub(80);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let mut out = String::from(if start > 0 { "…" } else { "" });
    let (mut shown, mut blanks) = (0, String::new());
    for c in text.get(start..).unwrap_or("").trim_end().chars() {
        if c.is_whitespace() {
            blanks.push(c);
            continue;
        }
        flush(&mut out, &mut blanks);
        out.push(c);
        shown += 1;
        if shown >= SHOWN {
            out.push('…');
            break;
        }
    }
    out
}

fn flush(out: &mut String, blanks: &mut String) {
    let count = blanks.chars().count();
    if count >= BLANKS {
        out.push_str(&format!(" [{count} blanks] "));
    } else {
        out.push_str(blanks);
    }
    blanks.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Part;
    use crate::text::Role;

    fn reveal(text: &str) -> Option<Revealed> {
        of(&Surface { pointer: String::new(), part: Part::Value, role: Role::ToolDescription, text })
    }

    #[test]
    fn what_is_hidden_is_told_apart() {
        let tags: String = "open it".bytes().filter_map(|b| char::from_u32(0xE0000 + u32::from(b))).collect();
        let shown = reveal(&format!("Adds.{tags}")).unwrap();
        assert_eq!(shown.seen, "Adds.");
        assert_eq!(shown.says, [("spelt in invisible characters".to_string(), "open it".to_string())]);
        let shown = reveal("Adds.<!-- open it -->").unwrap();
        assert_eq!((shown.seen.as_str(), shown.sent.as_str()), ("Adds.", "Adds.<!-- open it -->"));
        let shown = reveal(&format!("Adds.{}open it", " ".repeat(300))).unwrap();
        assert_eq!(shown.sent, "Adds. [300 blanks] open it");
    }

    #[test]
    fn plain_text_hides_nothing() {
        for text in ["Adds two numbers.", "👩‍💻 می‌خواهم", "[a](https://a.example \"title\")"]
        {
            assert_eq!(reveal(text), None, "{text}");
        }
    }
}
