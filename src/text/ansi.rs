//! Terminal escape sequences: a person at a terminal does not see what they hide; a model does.

use std::ops::Range;

/// One escape sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Escape {
    /// Bytes of the text.
    pub range: Range<usize>,
    pub effect: Effect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Concealed, black on black, zero-size: what follows is not seen.
    Conceals,
    /// Ends concealment, or only colours.
    Styles,
    /// Moves the cursor or erases: what came *before* is overwritten.
    Erases,
    /// Titles, links, clipboard and other commands.
    Other,
}

/// The sequence that starts at byte `at` of `text` (ESC or the one-byte CSI), if one does.
#[must_use]
pub fn escape_at(text: &str, at: usize) -> Option<Escape> {
    let rest = text.get(at..)?;
    let body_start = if rest.starts_with("\u{1b}[") {
        2
    } else if rest.starts_with('\u{9b}') {
        '\u{9b}'.len_utf8()
    } else if rest.starts_with("\u{1b}]") || rest.starts_with("\u{1b}P") {
        return Some(command(rest, at));
    } else if rest.starts_with('\u{1b}') {
        let len = rest.chars().take(2).map(char::len_utf8).sum::<usize>();
        return Some(Escape { range: at..at + len, effect: Effect::Other });
    } else {
        return None;
    };
    // Parameters are short; what goes on for ever is no sequence.
    let body: String =
        rest.get(body_start..)?.chars().take(64).take_while(|c| matches!(c, '0'..='?' | ' '..='/')).collect();
    let end = body_start + body.len();
    let last = rest.get(end..)?.chars().next().filter(|c| matches!(c, '@'..='~'));
    let len = end + last.map_or(0, char::len_utf8);
    let effect = match last {
        Some('m') => style(&body),
        Some('A'..='H' | 'J' | 'K' | 'd' | 'f' | 's' | 'u' | 'P' | 'X') => Effect::Erases,
        _ => Effect::Other,
    };
    Some(Escape { range: at..at + len, effect })
}

/// `ESC ] … BEL` or `ESC \`.
fn command(rest: &str, at: usize) -> Escape {
    let end = rest.char_indices().skip(2).take(4096).find(|&(_, c)| c == '\u{7}' || c == '\u{1b}');
    let len = match end {
        Some((i, '\u{7}')) => i + 1,
        Some((i, _)) if rest.get(i + 1..).is_some_and(|r| r.starts_with('\\')) => i + 2,
        Some((i, _)) => i,
        None => 2,
    };
    Escape { range: at..at + len, effect: Effect::Other }
}

/// SGR parameters: 8 conceals; equal foreground and background (30 on 40 …) conceals too.
fn style(parameters: &str) -> Effect {
    let codes: Vec<u16> = parameters.split([';', ':']).map(|p| p.parse().unwrap_or(0)).collect();
    let same = (0..8u16).any(|c| codes.contains(&(30 + c)) && codes.contains(&(40 + c)));
    let dark = codes.windows(3).any(|w| matches!(w, [38, 5, 16 | 0 | 232..=234]));
    if codes.contains(&8) || same || dark { Effect::Conceals } else { Effect::Styles }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects() {
        let effect = |t: &str| escape_at(t, 0).map(|e| (e.effect, e.range.len()));
        assert_eq!(effect("\u{1b}[8mhidden"), Some((Effect::Conceals, 4)));
        assert_eq!(effect("\u{1b}[30;40mhidden"), Some((Effect::Conceals, 8)));
        assert_eq!(effect("\u{1b}[31mred"), Some((Effect::Styles, 5)));
        assert_eq!(effect("\u{1b}[2K\u{1b}[1G"), Some((Effect::Erases, 4)));
        assert_eq!(effect("\u{1b}]0;title\u{7}rest"), Some((Effect::Other, 10)));
        assert_eq!(effect("plain"), None);
    }
}
