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
    ("one word a line", |t| t.replace(' ', "\n")),
    ("capitals", |t| if t.contains("/.") { t.to_string() } else { t.to_uppercase() }),
];
