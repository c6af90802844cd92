//! What a person would send: word lists of our own, chosen by the name of the parameter. Version 1;
//! changing a list changes reference solutions, so it goes into the changelog.

use super::facts::Facts;
use super::rng::Key;
use super::solver::{Place, Solver};
use serde_json::{Value, json};

/// The words of a parameter name: `pageSize`, `page_size` and `PAGE-SIZE` are `page`, `size`.
pub(crate) fn tokens(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let chars: Vec<char> = name.chars().collect();
    for (i, c) in chars.iter().copied().enumerate() {
        if !c.is_alphanumeric() {
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            continue;
        }
        let before = i.checked_sub(1).and_then(|j| chars.get(j)).copied();
        let after = chars.get(i + 1).copied();
        let starts = c.is_uppercase()
            && (before.is_some_and(|b| b.is_lowercase() || b.is_numeric())
                || before.is_some_and(char::is_uppercase) && after.is_some_and(char::is_lowercase));
        if starts && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// Values for string parameters whose name ends with, or holds, one of the words. The first row that
/// fits wins: more telling words stand higher.
const STRINGS: &[(&[&str], &[&str])] = &[
    (
        &["email", "mail", "recipient", "recipients", "cc", "bcc"],
        &["maria.jensen@example.com", "sam.okafor@example.org", "li.wei@example.com"],
    ),
    (&["city", "town", "destination", "origin"], &["Lisbon", "Toronto", "Nairobi", "Osaka"]),
    (&["country", "nation"], &["Portugal", "Canada", "Kenya", "Japan"]),
    (&["currency"], &["EUR", "USD", "JPY", "GBP"]),
    (&["locale"], &["en-US", "de-DE", "pt-BR"]),
    (&["timezone", "tz", "zone"], &["Europe/Lisbon", "America/Toronto", "UTC"]),
    (&["lang", "language", "languages"], &["en", "de", "pt", "ja"]),
    (&["symbol", "ticker", "tickers", "symbols"], &["AAPL", "MSFT", "NVDA"]),
    (&["uuid", "guid"], &["3f2b8c1e-7d4a-4e9b-9c6f-2a1d5e8b7c30", "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d"]),
    (
        &["query", "search", "q", "keyword", "keywords", "term", "terms", "question"],
        &["wireless headphones", "annual report", "open invoices", "release notes"],
    ),
    (
        &["sql", "statement"],
        &["SELECT id, name FROM customers WHERE active = true LIMIT 10", "SELECT count(*) FROM orders"],
    ),
    (
        &["url", "uri", "link", "href", "endpoint", "website", "webhook", "urls"],
        &[
            "https://example.com/articles/42",
            "https://docs.example.net/guide",
            "https://shop.example.org/orders",
        ],
    ),
    (&["host", "hostname", "domain", "server"], &["example.com", "api.example.com", "shop.example.org"]),
    (&["ip"], &["192.0.2.10", "198.51.100.7"]),
    (&["filename"], &["report.pdf", "notes.txt", "summary.csv"]),
    (&["path", "file", "filepath", "files", "paths"], &["docs/report.md", "src/main.py", "data/orders.csv"]),
    (&["directory", "dir", "folder", "workspace", "cwd", "root"], &["projects/website", "docs", "data/2025"]),
    (&["branch"], &["main", "develop", "feature/login"]),
    (
        &["sha", "commit", "hash", "digest"],
        &["7fd1a60b01f91b314f59955a4e4d4e80d8edf11d", "553c2077f0edc3d5dc5d17262f6aa498e69d6f8e"],
    ),
    (&["repo", "repository"], &["website", "hello-world", "inventory-api"]),
    (&["owner", "org", "organization", "organisation"], &["acme", "octo-labs", "northwind"]),
    (&["phone", "tel", "mobile", "fax"], &["+351210000000", "+14165550123"]),
    (&["datetime", "timestamp"], &["2025-03-14T09:30:00Z", "2025-06-30T14:00:00Z"]),
    (&["date", "day", "since", "until", "birthday"], &["2025-03-14", "2025-06-30", "2025-09-01"]),
    (&["time"], &["09:30:00", "14:00:00"]),
    (&["month"], &["2025-03", "2025-06"]),
    (&["year"], &["2025", "2024"]),
    (&["duration", "interval", "period", "ttl"], &["1h", "30m", "7d"]),
    (&["color", "colour", "fill", "stroke"], &["#3366cc", "#22aa66", "#ff9900"]),
    (&["latitude", "lat"], &["38.7223", "43.6532"]),
    (&["longitude", "lng", "lon"], &["-9.1393", "-79.3832"]),
    (&["address", "street"], &["12 Harbour Street", "48 King Street West"]),
    (&["zip", "postal", "postcode"], &["1100-148", "94107"]),
    (&["password", "secret", "passphrase"], &["correct-horse-battery", "quiet-river-42"]),
    (&["token", "apikey"], &["tok_4f9a2c7e", "tok_b81d03aa"]),
    (&["cursor"], &["eyJwYWdlIjoyfQ"]),
    (&["username", "user", "login", "author", "assignee", "creator"], &["maria.jensen", "sam", "li.wei"]),
    (&["firstname", "given"], &["Maria", "Sam", "Li"]),
    (&["lastname", "surname", "family"], &["Jensen", "Okafor", "Wei"]),
    (&["company", "employer", "vendor", "customer"], &["Northwind Traders", "Acme Corp"]),
    (
        &["title", "subject", "headline", "heading"],
        &["Quarterly planning", "Release checklist", "Team offsite"],
    ),
    (
        &[
            "message",
            "text",
            "comment",
            "body",
            "note",
            "notes",
            "content",
            "reply",
            "prompt",
            "instruction",
            "instructions",
        ],
        &[
            "The delivery arrived this morning, thank you.",
            "Please review the attached draft by Friday.",
            "The build is green again.",
        ],
    ),
    (
        &["description", "summary", "details", "reason", "bio"],
        &[
            "Monthly overview of open orders",
            "Short summary of the last meeting",
            "Replaces the old settings page",
        ],
    ),
    (
        &["label", "labels", "tag", "tags", "category", "categories", "topic"],
        &["urgent", "billing", "documentation"],
    ),
    (&["status", "state"], &["open", "active", "closed"]),
    (&["priority", "severity", "importance"], &["high", "medium", "low"]),
    (&["sort", "orderby", "order"], &["name", "created"]),
    (&["direction"], &["asc", "desc"]),
    (&["filter", "where", "condition"], &["status = 'open'", "name = 'Lisbon'"]),
    (
        &["field", "fields", "column", "columns", "select", "property", "attribute"],
        &["name", "status", "created_at"],
    ),
    (&["table", "collection", "dataset", "database", "schema"], &["customers", "orders", "inventory"]),
    (&["namespace"], &["default", "production"]),
    (&["region"], &["eu-west-1", "us-east-1"]),
    (&["environment", "env", "stage"], &["staging", "production"]),
    (&["version", "revision"], &["1.4.2", "2.0.0"]),
    (&["model"], &["standard", "large"]),
    (&["command", "cmd"], &["ls -la", "git status"]),
    (&["code", "script", "snippet", "expression"], &["print('hello')", "x = 1 + 2"]),
    (&["selector"], &["#submit", ".result a"]),
    (&["format", "extension"], &["json", "csv"]),
    (&["mime", "mimetype", "contenttype"], &["application/json", "text/plain"]),
    (
        &["image", "picture", "photo", "avatar", "icon"],
        &["https://example.com/photo.jpg", "https://example.com/logo.png"],
    ),
    (&["unit", "units"], &["metric", "celsius"]),
    (&["role"], &["member", "admin"]),
    (&["type", "kind"], &["standard", "basic"]),
    (&["channel", "room"], &["general", "support"]),
    (&["team", "group", "project", "board"], &["platform", "website-relaunch", "design"]),
    (&["location", "place", "venue"], &["Lisbon", "Toronto"]),
    (&["device"], &["kitchen-lamp", "pixel-8"]),
    (&["id", "ids", "key", "uid", "ref", "identifier", "number", "slug"], &["a1b2c3", "ord-1042", "7f3k9q"]),
    (&["name", "names"], &["Maria Jensen", "Harbour Lights", "Northwind"]),
];

/// Plain words, for parameters that say nothing.
const WORDS: [&str; 12] = [
    "harbour", "lantern", "meadow", "orchard", "summit", "willow", "compass", "cedar", "ember", "granite",
    "juniper", "marble",
];

/// Keys for what no schema names.
const EXTRA_KEYS: [&str; 8] = ["note", "extra", "label", "source", "detail", "origin", "context", "remark"];

/// Plausible strings for the place, the one whose turn it is first.
pub(crate) fn strings(_key: &Key, _facts: &Facts<'_>, place: &Place<'_>, turn: usize) -> Vec<String> {
    let words = tokens(place.name);
    let mut out = Vec::new();
    for row in rows(&words) {
        for i in 0..row.len() {
            out.extend(row.get((turn + i) % row.len()).map(|s| (*s).to_string()));
        }
    }
    out.extend(WORDS.get(turn % WORDS.len()).map(|s| (*s).to_string()));
    out
}

/// Rows for a name, the one for its last word first: `user_email` is an e-mail, `email_subject` a subject.
fn rows(words: &[String]) -> Vec<&'static [&'static str]> {
    let mut out: Vec<&'static [&'static str]> = Vec::new();
    for word in words.iter().rev() {
        let singular = word.strip_suffix('s').unwrap_or(word);
        for (names, row) in STRINGS {
            if names.contains(&word.as_str()) || names.contains(&singular) {
                out.push(row);
            }
        }
    }
    out
}

/// Sensible numbers by name.
const NUMBERS: &[(&[&str], &[i64])] = &[
    (&["limit", "size", "top", "count", "take", "results", "max", "rows", "perpage", "first"], &[10, 20, 25]),
    (&["page"], &[1, 2]),
    (&["offset", "skip", "start", "index", "from", "cursor"], &[0, 10, 20]),
    (&["year"], &[2025, 2024]),
    (&["month"], &[3, 6]),
    (&["day"], &[14, 7]),
    (&["hour", "hours"], &[9, 14]),
    (&["minute", "minutes"], &[30, 15]),
    (&["days"], &[7, 30]),
    (&["seconds", "timeout", "delay", "ttl"], &[30, 60]),
    (&["ms", "milliseconds"], &[500, 1000]),
    (&["timestamp", "epoch", "time"], &[1_741_944_600, 1_751_292_000]),
    (&["width"], &[800, 1280]),
    (&["height"], &[600, 720]),
    (&["port"], &[8080, 443]),
    (&["age"], &[34, 27]),
    (&["quantity", "qty", "amount", "number", "guests", "adults", "people"], &[2, 3, 5]),
    (&["price", "cost", "total", "budget"], &[25, 40, 100]),
    (&["id", "iid", "number", "no"], &[42, 1042, 7]),
    (&["percent", "percentage", "quality"], &[50, 80]),
    (&["depth", "level", "levels"], &[2, 3]),
    (&["line", "row", "column", "col"], &[12, 3]),
    (&["zoom", "scale"], &[2, 4]),
    (&["x", "y", "left", "top"], &[120, 80]),
];

const FRACTIONS: &[(&[&str], &[f64])] = &[
    (&["latitude", "lat"], &[38.7223, 43.6532]),
    (&["longitude", "lng", "lon", "long"], &[-9.1393, -79.3832]),
    (&["price", "amount", "cost", "total", "balance"], &[24.5, 99.25]),
    (
        &[
            "temperature",
            "probability",
            "confidence",
            "threshold",
            "score",
            "weight",
            "opacity",
            "alpha",
            "ratio",
        ],
        &[0.5, 0.75],
    ),
    (&["rate"], &[0.25, 1.5]),
];

/// Numbers that a person would send here.
pub(crate) fn numbers(
    solver: &Solver<'_>,
    _facts: &Facts<'_>,
    integral: bool,
    place: &Place<'_>,
) -> Vec<Value> {
    let words = tokens(place.name);
    let turn = solver.key.below(place.hash, 6, 1 << 16) + solver.policy.variant as usize + place.index;
    let mut out: Vec<Value> = Vec::new();
    for word in words.iter().rev() {
        if !integral {
            for (names, row) in FRACTIONS {
                if names.contains(&word.as_str()) {
                    out.extend(
                        (0..row.len()).filter_map(|i| row.get((turn + i) % row.len())).map(|f| json!(f)),
                    );
                }
            }
        }
        for (names, row) in NUMBERS {
            if names.contains(&word.as_str()) {
                out.extend((0..row.len()).filter_map(|i| row.get((turn + i) % row.len())).map(|n| json!(n)));
            }
        }
    }
    let usual = [3, 5, 12, 8, 20, 2];
    out.extend((0..usual.len()).filter_map(|i| usual.get((turn + i) % usual.len())).map(|n| json!(n)));
    out
}

/// Whether a flag of this name is more plausibly set.
pub(crate) fn truth(name: &str, variant: u32) -> bool {
    let words = tokens(name);
    let risky =
        ["delete", "force", "destructive", "dry", "archived", "deleted", "hidden", "disabled", "skip", "no"];
    let usual = !words.iter().any(|w| risky.contains(&w.as_str()));
    usual == variant.is_multiple_of(2)
}

/// Whether an optional parameter says something about the call that a person would bother to say.
pub(crate) fn is_telling(name: &str, schema: &Value) -> bool {
    let words = tokens(name);
    let last = words.last().map_or("", String::as_str);
    let telling = [
        "query",
        "limit",
        "page",
        "size",
        "count",
        "title",
        "name",
        "description",
        "message",
        "status",
        "city",
        "date",
        "language",
        "format",
        "email",
        "subject",
        "text",
        "content",
        "category",
        "sort",
        "start",
        "end",
        "priority",
    ];
    telling.contains(&last) || schema.get("enum").is_some()
}

/// A text of exactly `length` characters.
pub(crate) fn text_of_length(turn: usize, length: usize) -> String {
    let mut out = String::with_capacity(length + 12);
    let mut at = turn;
    while out.len() < length {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(WORDS.get(at % WORDS.len()).copied().unwrap_or("word"));
        at += 1 + turn / WORDS.len();
    }
    out.truncate(length);
    // A cut may leave a blank at the end, which reads as a slip.
    if out.ends_with(' ') {
        out.pop();
        out.push('s');
    }
    out
}

/// The `i`-th of a row of different texts with a length between `min` and `max`.
pub(crate) fn numbered(i: usize, min: usize, max: usize) -> String {
    let mut digits = Vec::new();
    let mut rest = i;
    loop {
        let c = char::from_digit(u32::try_from(rest % 36).unwrap_or(0), 36).unwrap_or('a');
        digits.push(c);
        rest /= 36;
        if rest == 0 {
            break;
        }
    }
    while digits.len() < min {
        digits.push('x');
    }
    digits.truncate(max.max(1));
    digits.iter().rev().collect()
}

/// Different keys for members that no schema names.
pub(crate) fn extra_keys(count: usize) -> Vec<String> {
    let mut out: Vec<String> = EXTRA_KEYS.iter().map(|k| (*k).to_string()).collect();
    let mut round = 2;
    while out.len() < count {
        out.extend(EXTRA_KEYS.iter().map(|k| format!("{k}_{round}")));
        round += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_into_words() {
        assert_eq!(tokens("pageSize"), ["page", "size"]);
        assert_eq!(tokens("HTTPServer_port-2"), ["http", "server", "port", "2"]);
        assert_eq!(tokens("userID"), ["user", "id"]);
        assert!(tokens("").is_empty());
    }

    #[test]
    fn the_last_word_decides() {
        let first = |name: &str| rows(&tokens(name)).first().and_then(|r| r.first()).copied();
        assert_eq!(first("user_email"), Some("maria.jensen@example.com"));
        assert_eq!(first("emailSubject"), Some("Quarterly planning"));
        assert_eq!(first("flurb"), None);
    }

    #[test]
    fn lengths_are_exact() {
        for length in [0, 1, 7, 8, 9, 50] {
            assert_eq!(text_of_length(3, length).chars().count(), length);
        }
        assert_eq!(numbered(37, 4, 10), "xx11");
    }
}
