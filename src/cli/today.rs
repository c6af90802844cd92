//! The one place that reads the clock: whether something has expired depends on the day, nothing that is
//! written does.

use std::time::{SystemTime, UNIX_EPOCH};

/// Today in UTC as `2026-11-30`; SOURCE_DATE_EPOCH (seconds) stands in for the clock where it is set
/// (<https://reproducible-builds.org/specs/source-date-epoch/>).
pub(crate) fn today() -> String {
    let stated = std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|s| s.trim().parse::<u64>().ok());
    let now = || SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs());
    date(stated.unwrap_or_else(now) / 86_400)
}

/// The date so many days after 1970-01-01, by the civil calendar (Howard Hinnant, "chrono-compatible
/// low-level date algorithms").
fn date(days: u64) -> String {
    let z = days + 719_468;
    let era = z / 146_097;
    let day_of_era = z % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    format!("{:04}-{month:02}-{day:02}", year_of_era + era * 400 + carry)
}

/// Whether `day` (`2026-11-12`) lies more than a year before `today`.
pub(crate) fn is_a_year_old(day: &str, today: &str) -> bool {
    let year: Option<i32> = day.get(..4).and_then(|y| y.parse().ok());
    let next = year.zip(day.get(4..)).map(|(year, rest)| format!("{:04}{rest}", year + 1));
    next.is_some_and(|next| next.as_str() < today)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_787, "2026-11-30"),
            (20_818, "2026-12-31"),
        ] {
            assert_eq!(date(days), expected);
        }
    }

    #[test]
    fn a_year_and_not_a_day_less() {
        assert!(!is_a_year_old("2026-11-12", "2027-11-12"));
        assert!(is_a_year_old("2026-11-12", "2027-11-13"));
        assert!(!is_a_year_old("nonsense", "2027-11-13"));
    }
}
