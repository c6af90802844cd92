//! The written forms of identifiers, digests, money and instants in contracts.

use crate::calendar::is_day;

/// `[a-z0-9]+(-[a-z0-9]+)*`: can stand in a pointer without escapes.
pub fn is_identifier(text: &str) -> bool {
    text.split('-')
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
}

/// `B-001` and its kin: a prefix, and at least three digits.
pub fn is_numbered(text: &str, prefix: &str) -> bool {
    let digits = text.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-'));
    digits.is_some_and(|digits| digits.len() >= 3 && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// `sha256:` and 64 lower-case hexadecimal digits.
pub fn is_digest(text: &str) -> bool {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    text.strip_prefix("sha256:").is_some_and(|rest| rest.len() == 64 && rest.bytes().all(hex))
}

/// A tool's name as servers spell it: nothing in it can be a URL, a host or a path.
pub fn is_tool_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// A decimal without sign, exponent or leading zeros.
pub fn is_unsigned_decimal(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, rest)| (whole, Some(rest)));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && fraction.is_none_or(digits)
}

/// RFC 3339, in UTC and spelled with `Z`; seconds may be left out, a day has to exist.
pub fn is_utc_instant(text: &str) -> bool {
    let Some((date, time)) = text.strip_suffix('Z').and_then(|t| t.split_once('T')) else { return false };
    let number = |s: &str, digits: usize| {
        (s.len() == digits && s.bytes().all(|b| b.is_ascii_digit())).then(|| s.parse::<u32>().unwrap_or(0))
    };
    let date: Vec<&str> = date.split('-').collect();
    let [year, month, day] = date.as_slice() else { return false };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2)) else {
        return false;
    };
    let (clock, fraction) = time.split_once('.').map_or((time, None), |(clock, rest)| (clock, Some(rest)));
    let clock: Vec<&str> = clock.split(':').collect();
    let below = |s: &str, end: u32| number(s, 2).is_some_and(|n| n < end);
    let is_clock = match clock.as_slice() {
        [h, m] => fraction.is_none() && below(h, 24) && below(m, 60),
        [h, m, s] => below(h, 24) && below(m, 60) && below(s, 60),
        _ => false,
    };
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    is_day(year, month, day) && is_clock && fraction.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(accepts: fn(&str) -> bool, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(accepts(text), "{text}");
        }
        for text in bad {
            assert!(!accepts(text), "{text}");
        }
    }

    #[test]
    fn written_forms() {
        check(is_identifier, &["a", "a-1-b", "0"], &["", "-a", "a-", "a--b", "A", "a_b", "a/b", "é"]);
        check(|t| is_numbered(t, "B"), &["B-001", "B-1234"], &["B-01", "b-001", "B-", "RB-001", "B-00a"]);
        check(|t| is_numbered(t, "RC"), &["RC-001"], &["R-001", "C-001"]);
        let hex = "0123456789abcdef".repeat(4);
        check(
            is_digest,
            &[&format!("sha256:{hex}")],
            &[&hex, &format!("sha256:{}", hex.to_uppercase()), "sha256:00"],
        );
        check(is_tool_name, &["search_notes", "A-b"], &["", "a b", "a/b", "http://x", "a.b", "a:1"]);
        check(is_unsigned_decimal, &["0", "0.25", "10.0"], &["", "-1", "01", "1.", ".5", "1e3", "1,5"]);
        check(
            is_utc_instant,
            &["2027-01-31T00:00:00Z", "2024-02-29T23:59Z", "2027-01-01T00:00:00.125Z"],
            &[
                "2027-02-29T00:00:00Z",
                "2027-01-01",
                "2027-01-01T00:00:00+00:00",
                "2027-13-01T00:00:00Z",
                "2027-01-01T24:00:00Z",
                "2027-01-01T00:00.5Z",
                "2027-00-01T00:00:00Z",
                "2027-01-01T00:00:60Z",
            ],
        );
    }
}
