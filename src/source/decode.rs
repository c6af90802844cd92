//! Bytes → text: byte order marks, UTF-16, and a clear word about what is no text at all.

use super::Encoding;
use super::lines::LineMap;
use crate::error::{ErrorCode, InputError};

/// Text of a file, with what is needed to find a place of it in the file again.
pub(super) struct Decoded {
    pub text: String,
    pub encoding: Encoding,
    /// Bytes of the file before the text (the byte order mark).
    pub prefix: usize,
    /// Places in the text where half a UTF-16 surrogate pair stood; U+FFFD is there now.
    pub halves: Vec<usize>,
}

/// First bytes of formats that are passed by mistake, with their names.
const MAGIC: &[(&[u8], &str)] = &[
    (b"\x1f\x8b", "gzip data; unpack it first"),
    (b"PK\x03\x04", "a ZIP archive; unpack it first (an .mcpb or .dxt file is one: lint its manifest.json)"),
    (b"\x28\xb5\x2f\xfd", "zstd data; unpack it first"),
    (b"BZh", "bzip2 data; unpack it first"),
    (b"\xfd7zXZ\x00", "xz data; unpack it first"),
    (b"%PDF-", "a PDF"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x00asm", "a WebAssembly module"),
];

/// Decode `bytes`, by their byte order mark or by what they clearly are.
pub(super) fn decode(bytes: Vec<u8>) -> Result<Decoded, InputError> {
    if let Some((_, what)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(binary(&format!("this is {what}")));
    }
    match bytes.as_slice() {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
            Err(binary("this is UTF-32 text").help("Save the file as UTF-8."))
        }
        [0xff, 0xfe, rest @ ..] => utf16(rest, 2, Encoding::Utf16Le),
        [0xfe, 0xff, rest @ ..] => utf16(rest, 2, Encoding::Utf16Be),
        [0xef, 0xbb, 0xbf, ..] => {
            let mut bytes = bytes;
            bytes.drain(..3);
            utf8(bytes, 3, Encoding::Utf8Bom)
        }
        // JSON begins with ASCII characters: a zero byte beside each of the first two says UTF-16.
        [a, 0, b, 0, ..] if *a != 0 && *b != 0 => utf16(&bytes, 0, Encoding::Utf16Le),
        [0, a, 0, b, ..] if *a != 0 && *b != 0 => utf16(&bytes, 0, Encoding::Utf16Be),
        _ => utf8(bytes, 0, Encoding::Utf8),
    }
}

fn utf8(bytes: Vec<u8>, prefix: usize, encoding: Encoding) -> Result<Decoded, InputError> {
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Decoded { text, encoding, prefix, halves: Vec::new() }),
        Err(e) => {
            let valid = e.utf8_error().valid_up_to();
            let bytes = e.into_bytes();
            if looks_binary(&bytes) {
                return Err(binary("this is binary data"));
            }
            let text = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default());
            let place = LineMap::new(&text, 1).place(&text, text.len());
            let byte = bytes.get(valid).copied().unwrap_or_default();
            Err(InputError::new(ErrorCode::NotJson, format!("the text is not UTF-8 (byte 0x{byte:02X})"))
                .line_column(place.line, place.column)
                .help("Save the file as UTF-8."))
        }
    }
}

fn utf16(bytes: &[u8], prefix: usize, encoding: Encoding) -> Result<Decoded, InputError> {
    let unit = |pair: &[u8]| match *pair {
        [a, b] if encoding == Encoding::Utf16Be => u16::from_be_bytes([a, b]),
        [a, b] => u16::from_le_bytes([a, b]),
        _ => 0xfffd,
    };
    let mut text = String::with_capacity(bytes.len() / 2);
    let mut halves = Vec::new();
    for c in char::decode_utf16(bytes.chunks(2).map(unit)) {
        text.push(c.unwrap_or_else(|_| {
            halves.push(text.len());
            '\u{fffd}'
        }));
    }
    if halves.len() > 100 && halves.len() > text.len() / 50 {
        return Err(binary("this is binary data"));
    }
    Ok(Decoded { text, encoding, prefix, halves })
}

/// Whether bytes that are no UTF-8 are no text in another encoding either: control bytes among the first.
fn looks_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..4096).unwrap_or(bytes);
    head.iter().any(|b| matches!(b, 0..=8 | 14..=26 | 28..=31))
}

/// The error for data that is no text.
pub(super) fn binary(message: &str) -> InputError {
    InputError::new(ErrorCode::Unreadable, format!("{message}: no JSON text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_encoding() {
        let text = "{\"a\": \"é😀\"}";
        let le: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let be: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        let with = |bom: &[u8], rest: &[u8]| [bom, rest].concat();
        for (bytes, encoding, prefix) in [
            (text.as_bytes().to_vec(), Encoding::Utf8, 0),
            (with(b"\xef\xbb\xbf", text.as_bytes()), Encoding::Utf8Bom, 3),
            (le.clone(), Encoding::Utf16Le, 0),
            (with(b"\xff\xfe", &le), Encoding::Utf16Le, 2),
            (be.clone(), Encoding::Utf16Be, 0),
            (with(b"\xfe\xff", &be), Encoding::Utf16Be, 2),
        ] {
            let decoded = decode(bytes).unwrap();
            assert_eq!((decoded.text.as_str(), decoded.encoding, decoded.prefix), (text, encoding, prefix));
        }
    }

    #[test]
    fn says_what_is_no_text() {
        for (bytes, part) in [
            (&b"\x1f\x8b\x08\x00"[..], "gzip"),
            (b"PK\x03\x04aaa", "ZIP"),
            (b"\xff\xfe\x00\x00{\x00\x00\x00", "UTF-32"),
            (b"\x80\x01\x02\x03", "binary"),
        ] {
            let error = decode(bytes.to_vec()).err().unwrap();
            assert_eq!(error.code, ErrorCode::Unreadable);
            assert!(error.message.contains(part), "{}", error.message);
        }
        let latin1 = decode(b"{\n \"caf\xe9\": 1}".to_vec()).err().unwrap();
        assert_eq!((latin1.code, latin1.line, latin1.column), (ErrorCode::NotJson, Some(2), Some(6)));
    }

    #[test]
    fn half_a_pair_in_utf16_is_kept_in_mind() {
        let units = [u16::from(b'"'), 0xd800, u16::from(b'"')];
        let bytes: Vec<u8> =
            [0xff, 0xfe].into_iter().chain(units.into_iter().flat_map(u16::to_le_bytes)).collect();
        let decoded = decode(bytes).unwrap();
        assert_eq!((decoded.text.as_str(), decoded.halves), ("\"\u{fffd}\"", vec![1]));
    }
}
