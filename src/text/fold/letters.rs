//! Letters and what they pass for: marks, boxes, other scripts, character references.

/// A mark upon the letter before it: an accent, a stroke through it.
pub(super) fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}')
}

/// The letter in a box, a circle or parentheses, or of a flag.
pub(in crate::text) fn enclosed(c: char) -> Option<char> {
    let first = match c {
        '\u{1F110}'..='\u{1F129}' => 0x1F110,
        '\u{1F130}'..='\u{1F149}' => 0x1F130,
        '\u{1F150}'..='\u{1F169}' => 0x1F150,
        '\u{1F170}'..='\u{1F189}' => 0x1F170,
        '\u{1F1E6}'..='\u{1F1FF}' => 0x1F1E6,
        '\u{249C}'..='\u{24B5}' => 0x249C,
        _ => return None,
    };
    u8::try_from(u32::from(c) - first).ok().map(|i| char::from(b'a' + i))
}

/// Letters that no decomposition takes to their base: Turkish, Vietnamese, Polish, Danish.
pub(super) fn without_stroke(c: char) -> char {
    match c {
        'ı' => 'i',
        'đ' => 'd',
        'ł' => 'l',
        'ø' => 'o',
        _ => c,
    }
}

/// A Latin letter, plain, full-width or mathematical.
pub(super) fn is_latin(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '\u{FF21}'..='\u{FF5A}' | '\u{1D400}'..='\u{1D7FF}')
}

/// Letters of scripts from which look-alikes are taken.
#[must_use]
pub fn is_foreign(c: char) -> bool {
    matches!(c, '\u{0370}'..='\u{058F}' | '\u{1F00}'..='\u{1FFF}' | '\u{13A0}'..='\u{13FF}' | '\u{AB70}'..='\u{ABBF}'
        | '\u{0250}'..='\u{02AF}' | '\u{1D00}'..='\u{1D7F}' | '\u{2C80}'..='\u{2CFF}' | '\u{A4D0}'..='\u{A4FF}')
        && c.is_alphabetic()
}

/// The ASCII letter that `c` passes for (Unicode TR39, and pairs that TR39 leaves out).
#[must_use]
pub fn passes_for(c: char) -> Option<char> {
    // Capital І passes for both I and l; its small letter is clear.
    let c = c.to_lowercase().next().unwrap_or(c);
    let own = match c {
        'т' => Some('t'),
        'м' => Some('m'),
        'к' | 'κ' => Some('k'),
        'н' | 'η' => Some('n'),
        'в' | 'β' => Some('b'),
        'г' => Some('r'),
        'п' => Some('n'),
        'и' => Some('u'),
        'ӏ' => Some('l'),
        'є' | 'ε' => Some('e'),
        'ʟ' => Some('l'),
        _ => None,
    };
    if own.is_some() {
        return own;
    }
    let mut skeleton =
        unicode_security::confusable_detection::skeleton(c.encode_utf8(&mut [0; 4])).collect::<Vec<_>>();
    skeleton.retain(|d| !matches!(d, '\u{0300}'..='\u{036F}'));
    match skeleton.as_slice() {
        [plain] if plain.is_ascii_alphabetic() => Some(plain.to_ascii_lowercase()),
        _ => None,
    }
}

pub(super) fn small_capital(c: char) -> Option<char> {
    const SMALL: &str = "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘꞯʀꜱᴛᴜᴠᴡ\u{0}ʏᴢ";
    if !matches!(c, '\u{0250}'..='\u{02AF}' | '\u{1D00}'..='\u{1D7F}' | '\u{A730}'..='\u{A7FF}') {
        return None;
    }
    SMALL.chars().position(|s| s == c).and_then(|i| char::from_u32(u32::from('a') + u32::try_from(i).ok()?))
}

/// The character reference that `rest` starts with: its character and length.
#[must_use]
pub fn reference(rest: &str) -> Option<(char, usize)> {
    let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(i, _)| i)?;
    Some((entity(rest.get(1..end)?)?, end + 1))
}

fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c == '\u{1b}' || !c.is_control() || c.is_whitespace());
    }
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" | "ensp" | "emsp" | "Tab" | "NewLine" => ' ',
        "period" => '.',
        "sol" => '/',
        "lowbar" => '_',
        "colon" => ':',
        "commat" => '@',
        _ => return None,
    })
}
