//! Ways to hide a text from people, none of which changes what a model reads.

use base64::Engine as _;

pub type Disguise = (&'static str, fn(&str) -> String);

fn each(text: &str, f: impl Fn(char) -> String) -> String {
    text.chars().map(f).collect()
}

/// Disguises that may follow one another.
pub const ALL: &[Disguise] = &[
    ("zero-width between letters", |t| each(t, |c| format!("{c}\u{200B}"))),
    ("word joiner inside words", |t| t.replace('e', "e\u{2060}").replace("的", "的\u{2060}")),
    ("soft hyphens", |t| t.replace("ion", "i\u{AD}on").replace("ser", "s\u{AD}er")),
    ("tag block", |t| {
        let tags =
            |c: char| char::from_u32(0xE0000 + u32::from(c)).filter(|_| c.is_ascii() && !c.is_control());
        if t.is_ascii() { t.chars().filter_map(tags).collect() } else { t.to_string() }
    }),
    ("variation selectors", |t| {
        let byte =
            |b: u8| char::from_u32(if b < 16 { 0xFE00 + u32::from(b) } else { 0xE0100 + u32::from(b) - 16 });
        format!("😀{}", t.bytes().filter_map(byte).collect::<String>())
    }),
    ("look-alike letters", |t| {
        each(t, |c| match c {
            'a' => "а".into(),
            'e' => "е".into(),
            'o' => "о".into(),
            'c' => "с".into(),
            'i' => "і".into(),
            c => c.to_string(),
        })
    }),
    ("full width", |t| {
        each(t, |c| match c {
            '!'..='~' => char::from_u32(u32::from(c) + 0xFEE0).map(String::from).unwrap_or_default(),
            c => c.to_string(),
        })
    }),
    ("bold mathematical letters", |t| {
        each(t, |c| match c {
            'a'..='z' => {
                char::from_u32(0x1D41A + u32::from(c) - u32::from('a')).map(String::from).unwrap_or_default()
            }
            c => c.to_string(),
        })
    }),
    ("character references", |t| each(t, |c| format!("&#{};", u32::from(c)))),
    ("base64", |t| base64::engine::general_purpose::STANDARD.encode(t)),
    ("hex", |t| t.bytes().map(|b| format!("{b:02x} ")).collect()),
    ("percent", |t| t.bytes().map(|b| format!("%{b:02X}")).collect()),
    ("HTML comment", |t| format!("<!-- {t} -->")),
    ("hidden element", |t| format!("<span style=\"display:none\">{t}</span>")),
    ("pushed by spaces", |t| format!("{}{t}", " ".repeat(300))),
    ("pushed by lines", |t| format!("{}{t}", "\n".repeat(60))),
    ("concealed in the terminal", |t| format!("\u{1b}[8m{t}\u{1b}[0m")),
    ("right-to-left override", |t| format!("\u{202E}{}\u{202C}", t.chars().rev().collect::<String>())),
    ("decimal codes", |t| t.bytes().map(|b| format!("{b} ")).collect()),
    ("binary codes", |t| t.bytes().map(|b| format!("{b:08b} ")).collect()),
    ("backslash escapes", |t| {
        each(t, |c| c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect())
    }),
    ("zero-width bits", |t| {
        let bits = t.bytes().flat_map(|b| (0..8).rev().map(move |i| b >> i & 1 == 1));
        bits.map(|one| if one { '\u{200C}' } else { '\u{200B}' }).collect()
    }),
    ("link title", |t| format!("[help](https://docs.example \"{}\")", t.replace('"', "'"))),
    ("attribute", |t| format!("<img alt=\"{}\" src=\"x.png\">", t.replace('"', "'"))),
    ("code block", |t| format!("```\n{t}\n```")),
    ("bold", |t| t.split(' ').map(|w| format!("**{w}** ")).collect()),
    ("small type", |t| format!("<sub><sup>{t}</sup></sub>")),
    ("in the middle of a long text", |t| {
        let filler = "The result lists each entry with its date. ".repeat(12);
        format!("{filler}{t} {filler}")
    }),
    ("tabs for spaces", |t| t.replace(' ', "\t")),
    ("no-break spaces", |t| t.replace(' ', "\u{A0}")),
    ("combining marks", |t| {
        each(t, |c| if c.is_ascii_lowercase() { format!("{c}\u{0301}") } else { c.to_string() })
    }),
    ("circled letters", |t| {
        each(t, |c| match c {
            'a'..='z' => {
                char::from_u32(0x24D0 + u32::from(c) - u32::from('a')).map(String::from).unwrap_or_default()
            }
            c => c.to_string(),
        })
    }),
    ("erased in the terminal", |t| format!("{t}\u{1b}[2K\u{1b}[1GLooks up.")),
    ("one word a line", |t| t.replace(' ', "\n")),
    ("capitals", |t| if t.contains("/.") { t.to_string() } else { t.to_uppercase() }),
];
