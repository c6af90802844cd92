//! Numbers that people send, by the words of the parameter's name. Version 1.

use super::tokens;

type Row = (&'static [&'static str], &'static [f64]);

/// Rows for a unit or pair of words anywhere in the name.
const PAIRS: &[Row] = &[
    (&["weight kg", "mass kg", "weight kilograms"], &[68.5, 72.0]),
    (&["height m", "height meters", "height metres"], &[1.75, 1.68]),
    (&["height cm"], &[175.0, 168.0]),
    (&["page number"], &[1.0, 2.0]),
    (&["page size", "per page", "max results", "max items", "max count", "num results"], &[10.0, 20.0, 25.0]),
    (&["line number", "start line"], &[12.0, 3.0]),
    (&["end line"], &[24.0, 18.0]),
    (&["issue number", "pull number", "pr number"], &[42.0, 17.0]),
    (&["start year", "year from"], &[2020.0]),
    (&["end year", "year to"], &[2025.0]),
    (&["max tokens"], &[512.0, 1024.0]),
    (&["total thoughts"], &[5.0]),
    (&["thought number"], &[1.0]),
    (&["font size"], &[14.0, 18.0]),
    (&["max price", "price max"], &[100.0]),
    (&["min price", "price min"], &[20.0]),
];

/// Rows for one word, the last of the name first.
const WORDS: &[Row] = &[
    (&["latitude", "lat"], &[38.7223, 43.6532]),
    (&["longitude", "lng", "lon", "long"], &[-9.1393, -79.3832]),
    (&["price", "cost", "fee", "salary"], &[24.5, 99.25, 40.0, 25.0]),
    (
        &["temperature", "probability", "confidence", "threshold", "similarity", "opacity", "alpha", "ratio"],
        &[0.7, 0.5, 20.0],
    ),
    (&["rate"], &[4.5, 0.25, 5.0]),
    (
        &["limit", "size", "top", "count", "take", "results", "max", "rows", "first", "num"],
        &[10.0, 20.0, 25.0],
    ),
    (&["page"], &[1.0, 2.0]),
    (&["offset", "skip"], &[10.0, 20.0, 0.0]),
    (&["start", "from", "index", "begin"], &[1.0, 10.0, 0.0]),
    (&["end", "to"], &[20.0, 50.0]),
    (&["year"], &[2025.0, 2024.0]),
    (&["month"], &[3.0, 6.0]),
    (&["day"], &[14.0, 7.0]),
    (&["hour", "hours"], &[9.0, 14.0]),
    (&["minute", "minutes"], &[30.0, 15.0]),
    (&["days"], &[7.0, 30.0]),
    (&["seconds", "timeout", "delay", "ttl", "wait"], &[30.0, 60.0]),
    (&["ms", "milliseconds", "millis"], &[500.0, 1000.0]),
    (&["timestamp", "epoch", "time", "date"], &[1_741_944_600.0, 1_751_292_000.0]),
    (&["width"], &[800.0, 1280.0]),
    (&["height"], &[600.0, 720.0]),
    (&["port"], &[8080.0, 443.0]),
    (&["age"], &[34.0, 27.0]),
    (&["weight"], &[68.5, 1.0, 72.0]),
    (&["quantity", "qty", "guests", "adults", "people", "nights"], &[2.0, 3.0, 5.0]),
    (&["amount", "total", "budget", "balance", "value"], &[120.0, 75.5, 40.0]),
    (&["id", "iid", "number", "no", "pid"], &[42.0, 1042.0, 7.0]),
    (&["percent", "percentage", "quality", "volume", "brightness"], &[50.0, 80.0]),
    (&["depth", "level", "levels"], &[2.0, 3.0]),
    (&["line", "row", "column", "col"], &[12.0, 3.0]),
    (&["zoom", "scale"], &[2.0, 4.0]),
    (&["x", "y", "left", "top"], &[120.0, 80.0]),
    (&["radius", "distance"], &[5.0, 10.0]),
    (&["score", "rating"], &[4.0, 5.0]),
    (&["seed"], &[42.0]),
];

/// Numbers for the name, the one whose turn it is first.
pub(super) fn for_name(name: &str, turn: usize) -> Vec<f64> {
    let words = tokens(name);
    let mut out = Vec::new();
    let mut row = |row: &'static [f64]| {
        out.extend((0..row.len()).filter_map(|i| row.get((turn + i) % row.len())).copied());
    };
    for pair in words.windows(2) {
        let pair = pair.join(" ");
        PAIRS.iter().filter(|(names, _)| names.contains(&pair.as_str())).for_each(|(_, r)| row(r));
    }
    for word in words.iter().rev() {
        WORDS.iter().filter(|(names, _)| names.contains(&word.as_str())).for_each(|(_, r)| row(r));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_decide_before_words() {
        assert_eq!(for_name("heightM", 0).first(), Some(&1.75));
        assert_eq!(for_name("weight_kg", 0).first(), Some(&68.5));
        assert_eq!(for_name("page_size", 0).first(), Some(&10.0));
        assert_eq!(for_name("maxWidth", 0).first(), Some(&800.0));
        assert!(for_name("flurb", 0).is_empty());
    }
}
