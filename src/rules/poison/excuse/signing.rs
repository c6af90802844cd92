//! How a server signs in to its own service, and samples of code: a key that goes where it belongs, and `process.env.X`,
//! which is neither a file nor a demand.

use super::banned::around;
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;
use crate::rules::poison::structure::Subject;
use std::ops::Range;

/// What holds variables in code: `.env` behind one of them is no file.
const HOLDERS: &[&str] =
    &["process", "import.meta", "meta", "deno", "bun", "globalthis", "globalthis.process"];

/// Drop what stands inside code: the `.env` of `process.env`, and the environment where one variable of it is named and nothing
/// is put anywhere. `hits` are placed and by start.
pub(in super::super) fn drop_code(flat: &str, hits: &mut Vec<Hit>) {
    let code = |h: &Hit| h.mask() & (lexicon::SEMIPATH | lexicon::ENVV) != 0 && in_code(flat, h);
    if !hits.iter().any(code) {
        return;
    }
    let goes =
        lexicon::OWNPARAM | lexicon::ARG | lexicon::URL | lexicon::EMAIL | lexicon::HOST | lexicon::COLLECTOR;
    let mut sentences: Vec<u32> = hits.iter().filter(|h| h.mask() & goes != 0).map(|h| h.sentence).collect();
    sentences.dedup();
    hits.retain(|h| {
        let kept = h.mask() & lexicon::ENVV != 0 && sentences.binary_search(&h.sentence).is_ok();
        kept || !code(h)
    });
}

/// `process.env`, `import.meta.env.X`, `os.environ["X"]`.
fn in_code(flat: &str, hit: &Hit) -> bool {
    let own = flat.get(hit.range()).unwrap_or("");
    let before = flat.get(..hit.start as usize).unwrap_or("");
    let after = flat.get(hit.end as usize..).unwrap_or("");
    let mut rest = after.chars();
    let named = match rest.next() {
        Some('.') => rest.next().is_some_and(|c| c.is_alphanumeric() || c == '_'),
        Some('[') => true,
        _ => false,
    };
    match own {
        ".env" => {
            let held = HOLDERS.iter().any(|holder| before.ends_with(holder));
            held || (named && before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
        }
        "process.env" | "os.environ" => named,
        _ => false,
    }
}

/// "The key is sent as a bearer token to https://api.acme.com": of a tool for Acme, or a key that is named after it. Nobody is told to
/// send anything.
pub(in super::super) fn authenticates(
    signal: Signal,
    hits: &[Hit],
    range: &Range<usize>,
    text: &str,
    own: &Subject,
) -> bool {
    use Signal as S;
    let sends = matches!(
        signal,
        S::TakeSecret
            | S::SendPrivate
            | S::SendUrl
            | S::ShadowSend
            | S::IntoArgument
            | S::SecretInto
            | S::FixedSink
    );
    if !sends {
        return false;
    }
    let near = around(hits, range, 120);
    let grave = lexicon::SECRETPATH
        | lexicon::OWNPARAM
        | lexicon::READER
        | lexicon::PII
        | lexicon::TALK
        | lexicon::COLLECTOR
        | lexicon::SYSPROMPT
        | lexicon::WHOLE;
    if near.iter().any(|h| h.mask() & grave != 0) {
        return false;
    }
    const SIGNS: &[&str] = &[
        "bearer",
        "authorization header",
        "authorisation header",
        "basic auth",
        "x-api-key",
        "authenticat",
        "to sign in",
        "to log in",
        "as a header",
        "in the header",
        "/login",
        "oauth",
    ];
    let from = near.first().map_or(range.start, |h| h.start as usize).min(range.start);
    let to = near.last().map_or(range.end, |h| h.end as usize).max(range.end);
    let rest = text.get(to..).and_then(|rest| rest.split(['.', ';', '\n']).next()).unwrap_or("");
    let rest = rest.char_indices().nth(50).map_or(rest, |(end, _)| rest.get(..end).unwrap_or(rest));
    let said = text.get(from..to + rest.len()).unwrap_or("");
    let signs = SIGNS.iter().any(|w| said.contains(w));
    // It is the server that sends, or it is said that it is sent.
    let verbs = near.iter().filter(|h| h.mask() & (lexicon::SENDOUT | lexicon::PASS) != 0);
    let told = verbs.filter(|h| h.english).any(|h| orders(text, h));
    let mut places = near.iter().filter(|h| h.mask() & (lexicon::URL | lexicon::HOST) != 0).peekable();
    signs
        && !told
        && places.peek().is_some()
        && places.all(|h| its_own(text.get(h.range()).unwrap_or(""), said, own))
}

/// "Send …" at the head of a clause, or "must send".
fn orders(text: &str, verb: &Hit) -> bool {
    let word = text.get(verb.range()).unwrap_or("");
    let before = text.get(..verb.start as usize).unwrap_or("").trim_end();
    let last = before.rsplit(' ').next().unwrap_or("");
    let bare = matches!(
        word,
        "send"
            | "post"
            | "upload"
            | "forward"
            | "transmit"
            | "submit"
            | "pass"
            | "include"
            | "add"
            | "put"
            | "attach"
    );
    bare && (before.is_empty()
        || before.ends_with(['.', ',', ';', ':', '!', '-', '*', '>'])
        || matches!(last, "and" | "then" | "please" | "always" | "must" | "you" | "also" | "to" | "should"))
}

/// Part of the address is a word of the tool's own, or of the key that goes there.
fn its_own(address: &str, said: &str, own: &Subject) -> bool {
    const COMMON: &[&str] =
        &["http", "https", "www", "api", "com", "net", "org", "dev", "app", "example", "auth", "login"];
    let host = address.split("://").last().unwrap_or("").split(['/', ':', '?']).next().unwrap_or("");
    let key = |label: &str| {
        said.split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| w.contains('_'))
            .any(|w| w.split('_').any(|part| part == label))
    };
    host.split('.')
        .filter(|l| l.len() >= 3 && !COMMON.contains(l))
        .any(|label| own.names(label) || key(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(text: &str) -> Vec<&str> {
        let mut hits = lexicon::scan(text);
        hits.sort_by_key(|h| h.start);
        lexicon::Grid::of(text).place(&mut hits);
        drop_code(text, &mut hits);
        let kept = hits.iter().filter(|h| h.mask() & (lexicon::SEMIPATH | lexicon::ENVV) != 0);
        kept.map(|h| text.get(h.range()).unwrap_or("")).collect()
    }

    #[test]
    fn code_holds_no_file_and_no_demand() {
        assert!(left("key = process.env.acme_key;").is_empty());
        assert!(left("the base is import.meta.env.vite_url.").is_empty());
        assert!(left("client(os.environ[\"acme\"])").is_empty());
        assert_eq!(left("reads .env of the project"), [".env"]);
        assert_eq!(left("reads ./.env.local"), ["./.env"]);
        assert_eq!(left("hands over process.env as it is"), ["process.env"]);
    }

    #[test]
    fn an_address_is_its_own_by_a_word() {
        let mut own = Subject::default();
        own.add("acme search", false);
        assert!(its_own("https://api.acme.com/v1", "the key is sent", &own));
        assert!(its_own("https://api.weather.example", "weather_api_key is sent", &own));
        assert!(!its_own("https://collect.example/k", "acme_key is sent", &own));
    }
}
