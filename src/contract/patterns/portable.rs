//! Legal words of ECMA-262 that the judge's engine does not take, in words that it does.

/// `pattern`, matching the same texts.
pub(super) fn portable(pattern: &str) -> String {
    let chars: Vec<char> = pattern.chars().collect();
    let at = |i: usize| chars.get(i).copied();
    // `\0` is NUL, unless a digit makes another word of it.
    let is_nul = |i: usize| at(i) == Some('0') && !at(i + 1).is_some_and(|c| c.is_ascii_digit());
    let is_class = |c: Option<char>| c.is_some_and(|c| "dDsSwW".contains(c));
    let mut out = String::with_capacity(pattern.len());
    let (mut i, mut in_class) = (0, false);
    while let Some(c) = at(i) {
        match c {
            '\\' if is_nul(i + 1) => {
                out.push_str("\\x00");
                i += 2;
            }
            '\\' if in_class && at(i + 1) == Some('b') => {
                out.push_str("\\x08");
                i += 2;
            }
            '\\' => {
                out.push(c);
                out.extend(at(i + 1));
                // Beside a class of characters a hyphen makes no range (Annex B).
                let is_hyphen = in_class && is_class(at(i + 1)) && at(i + 2) == Some('-');
                if is_hyphen {
                    out.push_str("\\-");
                }
                i += 2 + usize::from(is_hyphen);
            }
            '-' if in_class && at(i + 1) == Some('\\') && is_class(at(i + 2)) => {
                out.push_str("\\-");
                i += 1;
            }
            '[' if !in_class && at(i + 1) == Some(']') => {
                out.push_str("[^\\s\\S]");
                i += 2;
            }
            '[' if !in_class && at(i + 1) == Some('^') && at(i + 2) == Some(']') => {
                out.push_str("[\\s\\S]");
                i += 3;
            }
            _ => {
                in_class = c == '[' || (in_class && c != ']');
                out.push(c);
                i += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_engine_does_not_take_is_said_otherwise() {
        for (pattern, said) in [
            ("^[^]$", r"^[\s\S]$"),
            ("^[]$", r"^[^\s\S]$"),
            (r"^[\b]\b$", r"^[\x08]\b$"),
            (r"^\0[\0]$", r"^\x00[\x00]$"),
            (r"^[\d-x][a-\w]$", r"^[\d\-x][a\-\w]$"),
            // As they are.
            (r"^[a-z]-\d$", r"^[a-z]-\d$"),
            (r"^\[]$", r"^\[]$"),
            (r"^[\]-a[^]$", r"^[\]-a[^]$"),
            (r"^\\0$", r"^\\0$"),
            (r"^\d-\w$", r"^\d-\w$"),
        ] {
            assert_eq!(portable(pattern), said, "{pattern}");
        }
    }
}
