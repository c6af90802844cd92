//! Byte offset in the text → line, column and byte offset in the file.
//!
//! A minified manifest is one line of 700 kB with thousands of findings, so lines alone are no
//! index: checkpoints stand every [`STRIDE`] bytes, and a lookup reads at most that much.

/// How much text a lookup reads at most.
const STRIDE: usize = 1024;

#[derive(Debug, Clone, Copy)]
struct Checkpoint {
    /// In the text.
    offset: usize,
    line: usize,
    column: usize,
    /// Bytes of the file that encode the text up to here.
    file: usize,
}

/// Where an offset stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// Bytes of the encoded text before it (a byte order mark not counted).
    pub file: usize,
}

#[derive(Debug, Clone)]
pub(super) struct LineMap {
    checkpoints: Vec<Checkpoint>,
    /// Bytes of a UTF-16 code unit in the file, or 1 for UTF-8.
    unit: usize,
}

impl LineMap {
    /// `unit`: 1 for UTF-8, 2 for UTF-16.
    pub fn new(text: &str, unit: usize) -> LineMap {
        let mut at = Checkpoint { offset: 0, line: 1, column: 1, file: 0 };
        let mut checkpoints = vec![at];
        let mut next = STRIDE;
        for c in text.chars() {
            if at.offset >= next {
                checkpoints.push(at);
                next = at.offset + STRIDE;
            }
            step(&mut at, c, unit);
        }
        LineMap { checkpoints, unit }
    }

    /// The place of `offset` (rounded down to a character) in `text`, the text this map was made of.
    pub fn place(&self, text: &str, offset: usize) -> Place {
        let i = self.checkpoints.partition_point(|c| c.offset <= offset).saturating_sub(1);
        let mut at =
            self.checkpoints.get(i).copied().unwrap_or(Checkpoint { offset: 0, line: 1, column: 1, file: 0 });
        for c in text.get(at.offset..).unwrap_or_default().chars() {
            if at.offset + c.len_utf8() > offset {
                break;
            }
            step(&mut at, c, self.unit);
        }
        Place { line: at.line, column: at.column, file: at.file }
    }
}

fn step(at: &mut Checkpoint, c: char, unit: usize) {
    at.offset += c.len_utf8();
    at.file += if unit == 1 { c.len_utf8() } else { unit * c.len_utf16() };
    if c == '\n' {
        (at.line, at.column) = (at.line + 1, 1);
    } else {
        at.column += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, unit: usize, offset: usize, line: usize, column: usize, file: usize) {
        assert_eq!(LineMap::new(text, unit).place(text, offset), Place { line, column, file });
    }

    #[test]
    fn counts_characters_and_bytes() {
        check("a\né😀x", 1, 0, 1, 1, 0);
        check("a\né😀x", 1, 2, 2, 1, 2);
        check("a\né😀x", 1, 8, 2, 3, 8);
        check("a\né😀x", 2, 8, 2, 3, 10); // a, \n, é: 2 bytes each; the emoji is a pair: 4
        check("a\né😀x", 1, 9, 2, 4, 9); // the end
        check("a\r\nb", 1, 3, 2, 1, 3);
        check("é", 1, 1, 1, 1, 0); // inside a character: its start
        check("", 1, 0, 1, 1, 0);
    }

    #[test]
    fn agrees_with_a_plain_count_beyond_the_first_checkpoints() {
        let text: String = (0..9000).map(|i| if i % 97 == 0 { '\n' } else { 'ü' }).collect();
        let map = LineMap::new(&text, 2);
        let (mut line, mut column) = (1, 1);
        for (i, (offset, c)) in text.char_indices().enumerate() {
            assert_eq!(map.place(&text, offset), Place { line, column, file: 2 * i });
            (line, column) = if c == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
    }
}
