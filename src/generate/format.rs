//! Values of the known formats, and the languages (subsets, rather than wide) in which they lie.

/// Fixed dates: the clock never enters a value.
const DATES: [&str; 6] = ["2025-03-14", "2025-06-30", "2025-09-01", "2025-01-15", "2025-11-20", "2025-04-22"];
const TIMES: [&str; 5] = ["09:30:00", "14:00:00", "16:45:00", "08:15:00", "11:20:00"];
const UUIDS: [&str; 4] = [
    "3f2b8c1e-7d4a-4e9b-9c6f-2a1d5e8b7c30",
    "9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d",
    "c56a4180-65aa-42ec-a945-5fd21dec0538",
    "6ecd8c99-4036-403d-bf84-cf8400f67836",
];
const HOSTS: [&str; 4] = ["example.com", "api.example.com", "shop.example.org", "docs.example.net"];
const EMAILS: [&str; 4] =
    ["maria.jensen@example.com", "sam.okafor@example.org", "li.wei@example.com", "ana@example.net"];
const URLS: [&str; 4] = [
    "https://example.com/articles/42",
    "https://shop.example.org/orders?page=2",
    "https://docs.example.net/guide",
    "https://example.com",
];

/// Whether values of the format are known here.
pub(crate) fn is_known(format: &str) -> bool {
    !samples(format, 0).is_empty()
}

fn pick<'l>(list: &[&'l str], turn: usize) -> &'l str {
    list.get(turn % list.len().max(1)).copied().unwrap_or("")
}

/// Strings of the format, the one whose turn it is first.
pub(crate) fn samples(format: &str, turn: usize) -> Vec<String> {
    let rotated =
        |list: &[&str]| (0..list.len()).map(|i| pick(list, turn + i).to_string()).collect::<Vec<_>>();
    match format {
        "date" => rotated(&DATES),
        "time" => rotated(&TIMES).into_iter().map(|t| format!("{t}Z")).collect(),
        "date-time" => (0..DATES.len())
            .map(|i| format!("{}T{}Z", pick(&DATES, turn + i), pick(&TIMES, turn + i)))
            .collect(),
        "duration" => rotated(&["PT30M", "P1D", "PT1H30M", "P7D"]),
        "email" | "idn-email" => rotated(&EMAILS),
        "hostname" | "idn-hostname" => rotated(&HOSTS),
        "ipv4" => rotated(&["192.0.2.10", "198.51.100.7", "203.0.113.25"]),
        "ipv6" => rotated(&["2001:db8::1", "2001:db8:0:1::42", "2001:db8::ff00:42:8329"]),
        "uri" | "iri" | "url" => rotated(&URLS),
        "uri-reference" | "iri-reference" => {
            let mut all = rotated(&URLS);
            all.push("/articles/42".to_string());
            all
        }
        "uri-template" => rotated(&["https://example.com/orders/{id}", "/users/{user}/items"]),
        "uuid" => rotated(&UUIDS),
        "json-pointer" => rotated(&["/items/0/name", "/title", ""]),
        "relative-json-pointer" => rotated(&["0/name", "1", "2/items/0"]),
        "regex" => rotated(&["^[a-z]+$", "^\\d{4}$"]),
        _ => Vec::new(),
    }
}

/// A language, in regexsolver's syntax, of strings that surely have the format.
pub(crate) fn language(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => r"20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])",
        "time" => {
            r"(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?(?:Z|[+\-](?:0[0-9]|1[0-2]):[0-5][0-9])"
        }
        "date-time" => {
            r"20[0-9]{2}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]{1,6})?(?:Z|[+\-](?:0[0-9]|1[0-2]):[0-5][0-9])"
        }
        "duration" => r"P(?:[1-9][0-9]?D|T[1-9][0-9]?[HMS]|[1-9][0-9]?[YMW])",
        "email" | "idn-email" => {
            r"[a-z][a-z0-9]*(?:[.+_\-][a-z0-9]+)*@[a-z][a-z0-9]*(?:\.[a-z][a-z0-9]*)*\.[a-z]{2,6}"
        }
        "hostname" | "idn-hostname" => {
            r"[a-z](?:[a-z0-9]{0,15}[a-z0-9])?(?:\.[a-z](?:[a-z0-9]{0,15}[a-z0-9])?)*"
        }
        "ipv4" => {
            r"(?:[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)(?:\.(?:[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]|0)){3}"
        }
        "ipv6" => r"(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|2001:db8::[0-9a-f]{1,4}|::1|::",
        "uri" | "iri" | "uri-reference" | "iri-reference" | "url" => {
            r"[a-z][a-z0-9+.\-]*:(?://[a-z0-9]+(?:[.\-][a-z0-9]+)*(?::[0-9]{2,4})?)?(?:/[A-Za-z0-9._~\-]*)*(?:\?[A-Za-z0-9=&._~\-]*)?(?:#[A-Za-z0-9._~\-]*)?"
        }
        "uuid" => r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}",
        "json-pointer" => r"(?:/[A-Za-z0-9_.\-]*)*",
        "relative-json-pointer" => r"(?:0|[1-9][0-9]{0,2})(?:#|(?:/[A-Za-z0-9_.\-]*)*)",
        _ => return None,
    })
}

/// A language, in regexsolver's syntax, of *all* strings that have the format, so that an empty meeting with it is
/// a proof.
pub(crate) fn whole_language(format: &str) -> Option<&'static str> {
    Some(match format {
        // RFC 3339: the 29th of February in leap years alone.
        "date" => concat!(
            r"[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)",
            r"|02-(?:0[1-9]|1[0-9]|2[0-8]))",
            r"|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29",
        ),
        "ipv4" => {
            r"(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])(?:\.(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])){3}"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::language::{Language, Wanted};
    use crate::generate::rng::Key;
    use crate::schema::Dialect;
    use crate::schema::judge::{Formats, Judge};
    use crate::schema::vocabulary;
    use serde_json::{Value, json};

    #[test]
    fn the_judge_accepts_every_sample_and_language() {
        // `color` is of draft 3, and no judge checks it.
        for format in vocabulary::FORMATS.into_iter().filter(|f| *f != "color") {
            let judge =
                Judge::compile(&json!({"format": format}), Dialect::Draft202012, Formats::Assert).unwrap();
            let mut texts = samples(format, 1);
            assert!(!texts.is_empty(), "{format}");
            if let Some(language) = language(format) {
                let wanted = Wanted { min: 0, max: Some(40), usual: 9, count: 50, seed: 3 };
                texts.extend(
                    Language::whole(language).unwrap().strings(&Key::new("t", "", ""), wanted).unwrap(),
                );
            }
            for text in texts {
                assert!(judge.accepts(&Value::from(text.as_str())), "{format}: {text}");
            }
        }
    }

    #[test]
    fn whole_languages_hold_what_the_judge_accepts_and_nothing_else() {
        let dates = ["2024-02-29", "2023-02-29", "1900-02-29", "2000-02-29", "2100-02-29", "0000-02-29"];
        let more =
            ["2024-04-31", "2024-12-31", "2024-13-01", "2024-00-10", "24-01-01", "2024-1-1", "2024-06-30"];
        let addresses =
            ["0.0.0.0", "255.255.255.255", "256.1.1.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "9.99.199.249"];
        for (format, texts) in [("date", [&dates[..], &more].concat()), ("ipv4", addresses.to_vec())] {
            let judge =
                Judge::compile(&json!({"format": format}), Dialect::Draft202012, Formats::Assert).unwrap();
            let language = Language::whole(whole_language(format).unwrap()).unwrap();
            for text in texts {
                assert_eq!(language.holds(text), judge.accepts(&json!(text)), "{format}: {text}");
            }
            // And what is surely of the format is of the whole.
            let part = Language::whole(super::language(format).unwrap()).unwrap().minus(&language).unwrap();
            let wanted = Wanted { min: 0, max: None, usual: 9, count: 1, seed: 3 };
            assert!(part.strings(&Key::new("t", "", ""), wanted).unwrap().is_empty());
        }
    }
}
