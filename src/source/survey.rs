//! One pass over the bytes of a text, before it is parsed: is it within bounds, and does it hold
//! anything that a JSON value in memory would lose? Knows strings and brackets, nothing more.

/// What one pass over a text tells. For text that is not JSON the figures mean little, and are
/// upper bounds of what a parser could build.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) struct Survey {
    /// Object members: colons outside strings.
    pub members: usize,
    pub values: usize,
    /// Lengths of the pointers of all values, added up.
    pub path_bytes: usize,
    /// Whether there is a run of digits that may be an integer beyond 64 bits.
    pub long_digits: bool,
}

/// Shortest digits of an integer that i64 does not hold (9223372036854775809).
const LONG: usize = 19;
/// Deeper paths are refused by the parser; they are not followed here.
const MAX_TRACKED: usize = 256;

pub(super) fn survey(text: &str) -> Survey {
    let mut survey = Survey { values: 1, ..Survey::default() };
    let mut paths: Vec<usize> = Vec::new();
    let mut untracked = 0_usize;
    let (mut path, mut key, mut last_string, mut digits) = (0_usize, 0_usize, 0_usize, 0_usize);
    let mut opened = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        // A container holds one value more than it has commas, unless nothing stands in it.
        if opened && !byte.is_ascii_whitespace() {
            survey.values += usize::from(!matches!(byte, b'}' | b']'));
            opened = false;
        }
        if byte.is_ascii_digit() {
            digits += 1;
            survey.long_digits |= digits >= LONG;
            continue;
        }
        digits = 0;
        match byte {
            b'"' => last_string = skip_string(&mut bytes),
            b'{' | b'[' => {
                opened = true;
                if paths.len() < MAX_TRACKED {
                    paths.push(path);
                    path += key + 1;
                } else {
                    untracked += 1;
                }
                key = 0;
            }
            b'}' | b']' if untracked > 0 => untracked -= 1,
            b'}' | b']' => path = paths.pop().unwrap_or(0),
            b':' => {
                survey.members += 1;
                key = last_string;
                survey.path_bytes = survey.path_bytes.saturating_add(path + key);
            }
            b',' => {
                survey.values += 1;
                key = 0;
                survey.path_bytes = survey.path_bytes.saturating_add(path);
            }
            _ => {}
        }
    }
    survey
}

/// Reads to the end of a string (or of its line: a JSON string holds no raw line break, and a log
/// line with one quote must not turn the rest inside out); returns its length.
fn skip_string(bytes: &mut std::str::Bytes<'_>) -> usize {
    let mut length = 0;
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' | b'\n' => break,
            b'\\' => {
                bytes.next();
                length += 1;
            }
            _ => {}
        }
        length += 1;
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_outside_strings() {
        let s = survey(r#"{"a:,{": [1, {"b\"": "x:y"}], "n": 1234567890123456789}"#);
        assert_eq!((s.members, s.long_digits), (3, true));
        // the object, the array, 1, the inner object, its string, n
        assert_eq!(s.values, 6);
        assert_eq!(survey("[[], {}, [ ] ,{\n}]").values, 5);
        assert!(!survey("[123456789012345678]").long_digits);
    }

    #[test]
    fn adds_up_paths() {
        // "/aa", "/aa/b", "/aa/c" are 3 + 5 + 5 long; without the slash of the last token 2 + 4 + 4 ...
        let s = survey(r#"{"aa": {"b": 1, "c": 2}}"#);
        assert!((9..=18).contains(&s.path_bytes), "{}", s.path_bytes);
        let long = format!(r#"{{"{}": [{}1]}}"#, "k".repeat(1000), "1,".repeat(1000));
        assert!(survey(&long).path_bytes > 1_000_000);
    }

    #[test]
    fn a_stray_quote_ends_with_its_line() {
        assert_eq!(survey("the \" of a log\n{\"a\": 1}").members, 1);
    }
}
