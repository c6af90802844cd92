//! The calendar, as far as dates are checked: which days there are.

/// Whether there is such a day (the Gregorian calendar, as RFC 3339 has it).
pub(crate) fn is_day(year: u32, month: u32, day: u32) -> bool {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// Whether `text` is a date as RFC 3339 writes it, `2027-01-31`, of a day that there is.
pub(crate) fn is_date(text: &str) -> bool {
    let digits = |part: Option<&str>| part.is_some_and(|p| p.bytes().all(|b| b.is_ascii_digit()));
    let parts = [text.get(..4), text.get(5..7), text.get(8..10)];
    let dashed = text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let is_written = text.len() == 10 && dashed && parts.into_iter().all(digits);
    let [year, month, day] = parts.map(|p| p.and_then(|p| p.parse::<u32>().ok()).unwrap_or(0));
    is_written && is_day(year, month, day)
}
