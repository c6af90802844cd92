//! Concepts that are known by their shape: addresses, identifiers, quotations.

use super::lexicon::{self, Hit, Mask};
use super::names::Names;
use super::quotation;

/// Append what is found in `flat` to `hits`.
pub fn scan(flat: &str, names: &Names, is_sibling: &dyn Fn(&str) -> bool, hits: &mut Vec<Hit>) {
    let mut at = 0;
    let mut previous = "";
    while let Some(piece) = first_piece(flat.get(at..).unwrap_or("")) {
        at += piece.len();
        // Nearly all pieces are a word and a space.
        let (tail, word) = match (piece.as_bytes(), piece.strip_suffix(' ')) {
            ([first, .., last, b' '], Some(word))
                if first.is_ascii_alphanumeric() && last.is_ascii_alphanumeric() =>
            {
                (piece, word)
            }
            _ => {
                let tail = piece.trim_start_matches(is_around);
                (tail, tail.trim_end_matches(is_around))
            }
        };
        if word.len() < 2 {
            continue;
        }
        let from = at - tail.len();
        let (before, after) = (flat.get(..from).unwrap_or(""), flat.get(from + word.len()..).unwrap_or(""));
        if let Some(concept) = classify(word, previous, names, is_sibling, before, after) {
            let address = concept & (lexicon::URL | lexicon::HOST | lexicon::EMAIL) != 0;
            if !(address && is_example(before)) {
                push(hits, concept, from, from + word.len());
            }
        }
        previous = word;
    }
    for place in quotation::sentences(flat) {
        push(hits, lexicon::QUOTED, place.start, place.end);
    }
    if let Some(range) = beacon(flat, names) {
        push(hits, lexicon::BEACON, range.start, range.end);
    }
}

/// No part of a name.
fn is_around(c: char) -> bool {
    lexicon::is_unspaced(c) || !(c.is_alphanumeric() || matches!(c, '_' | '/' | '@'))
}

/// What `rest` begins with, up to the first character that parts names, which it ends with; `None` at the end. Where a
/// script writes no spaces, its letters part the names among them.
fn first_piece(rest: &str) -> Option<&str> {
    let parts = |c: char| {
        c.is_whitespace() || lexicon::is_unspaced(c) || matches!(c, ',' | '(' | ')' | '<' | '>' | ';')
    };
    // Nearly all is ASCII: bytes are looked at, and characters made of others alone.
    let may = |b: &u8| matches!(b, b' ' | b'\t'..=b'\r' | b',' | b'(' | b')' | b'<' | b'>' | b';' | 0x80..);
    let mut end = 0;
    while let Some(next) = rest.as_bytes().get(end..).and_then(|bytes| bytes.iter().position(may)) {
        let c = rest.get(end + next..).and_then(|tail| tail.chars().next())?;
        end += next + c.len_utf8();
        if parts(c) {
            return rest.get(..end);
        }
    }
    Some(rest).filter(|rest| !rest.is_empty())
}

/// Whether an address has room for nothing but the tool's own parameters: `?lat={lat}&lon={lon}`.
fn takes_own_parameters(url: &str, names: &Names) -> bool {
    let mut places =
        url.split(['{', '<']).skip(1).filter_map(|rest| rest.split(['}', '>']).next()).peekable();
    let own = |place: &str| {
        let harmless = |name: &str| {
            lexicon::scan(&name.replace('_', " ")).iter().all(|h| h.mask() & lexicon::KEPT_OR_SAID == 0)
        };
        names.parameters.contains(place) && harmless(place)
    };
    places.peek().is_some() && places.all(own)
}

/// An address with room for data: an image's, or one that ends in `=`.
fn beacon(flat: &str, names: &Names) -> Option<std::ops::Range<usize>> {
    if !flat.contains("http") {
        return None;
    }
    for (at, _) in flat.match_indices("http").take(64) {
        let rest = flat.get(at..).unwrap_or("");
        let end = rest.find([' ', '\n', '"', '`', ')']).unwrap_or(rest.len());
        let url = rest.get(..end).unwrap_or("");
        let image = flat.get(..at).is_some_and(|before| before.ends_with("]("));
        let filled = rest.find(')').and_then(|close| rest.get(..close)).is_some_and(|whole| {
            whole.contains('?') && (whole.contains(['<', '{', '[']) || whole.ends_with('='))
        });
        if takes_own_parameters(url, names) {
            continue;
        }
        if (image && filled)
            || (url.contains('?') && url.trim_end_matches(['.', ',', ';', '\'', ']']).ends_with('='))
        {
            return Some(at..at + end);
        }
    }
    None
}

/// A command or query that breaks out of the value it stands in.
#[must_use]
pub fn smuggled(flat: &str) -> Option<std::ops::Range<usize>> {
    const BREAKS: &[&str] = &[
        "; drop ",
        ";drop ",
        "; delete from",
        ";delete from",
        "; truncate ",
        "; update ",
        "' or 1=1",
        "' or '1'='1",
        "\" or \"1\"=\"1",
        "union select",
        "$(curl",
        "$(wget",
        "`curl",
        "`wget",
        "$(cat",
        "`cat",
        "| sh",
        "|sh",
        "| bash",
        "|bash",
        "&& rm ",
        "; rm -",
        "| rm ",
        "; curl ",
        "; wget ",
        "&& curl ",
        "&& wget ",
        "; nc ",
        "; bash",
        "; cat /",
        "&& cat /",
        "../../etc/",
        "{{7*7}}",
        "sh -c '",
        "sh -c \"",
        "-e /bin/sh",
        "-e /bin/bash",
        "/dev/tcp/",
        "|sh)",
        "base64 -d|",
        "base64 -d |",
        "checkpoint-action=exec",
    ];
    BREAKS.iter().filter_map(|b| flat.find(b).map(|at| at..at + b.len())).min_by_key(|r| r.start)
}

fn push(hits: &mut Vec<Hit>, mask: Mask, start: usize, end: usize) {
    let concept = u8::try_from(mask.trailing_zeros()).unwrap_or(0);
    if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
        hits.push(Hit { concept, start, end, token: 0, last: 0, sentence: 0, english: true });
    }
}

fn classify(
    word: &str,
    previous: &str,
    names: &Names,
    is_sibling: &dyn Fn(&str) -> bool,
    flat_before: &str,
    after: &str,
) -> Option<Mask> {
    // Nearly all words are of letters alone: no address, and no path.
    let plain = word.bytes().all(|b| b.is_ascii_alphanumeric());
    if !plain {
        if let Some(address) = address(word) {
            return Some(address);
        }
        if !word.is_ascii() || word.contains('/') {
            return None;
        }
    }
    let joined = !plain && word.contains(['_', '-']);
    let called = || {
        matches!(
            previous,
            "use" | "call" | "usa" | "utilise" | "par" | "verwende" | "nutze" | "through" | "via"
        )
    };
    if word == names.own && (joined || marked(previous, after) || (word.len() >= 5 && called())) {
        return Some(lexicon::OWNNAME);
    }
    if names.parameters.contains(word) {
        return Some(lexicon::OWNPARAM);
    }
    if names.values.contains(word) {
        return None;
    }
    if (joined || marked(previous, after)) && is_sibling(word) {
        return Some(lexicon::SIBLING);
    }
    if (named_singly(previous, flat_before, after)
        || (previous == "the" && is_common_tool(word) && said_to_be_tool(after)))
        && word.bytes().all(|b| b.is_ascii_lowercase())
    {
        return Some(if word == names.own { lexicon::OWNNAME } else { lexicon::FOREIGN });
    }
    // `fetch_all=true` is an argument.
    if !joined || after.starts_with('=') {
        return None;
    }
    let led = matches!(
        previous,
        "through" | "via" | "call" | "use" | "with" | "from" | "by" | "invoke" | "uses" | "using"
    );
    if led && word.split('_').count() >= 3 && word.split_once('_').is_some_and(|(_, rest)| is_tool_like(rest))
    {
        return Some(lexicon::FOREIGN);
    }
    let called = || {
        said_to_be_tool(after)
            || matches!(previous, "tool" | "function")
            || named_singly(previous, flat_before, after)
    };
    let tool = is_tool_like(word) || called();
    let of_another = matches!(previous, "built-in" | "builtin" | "native" | "genuine" | "original" | "stock");
    tool.then(
        || if !of_another && is_own_past(word, &names.own) { lexicon::SIBLING } else { lexicon::FOREIGN },
    )
}

/// `https://…`, `a@b.org`, `collect.example.com/log`.
fn address(word: &str) -> Option<Mask> {
    let schemes = ["http://", "https://", "ws://", "wss://", "ftp://"];
    let colon = word.as_bytes().contains(&b':');
    if (colon && schemes.iter().any(|scheme| word.contains(scheme))) || word.contains("hxxp") {
        return Some(lexicon::URL);
    }
    if let Some((_, host)) = word.split_once('@')
        && host.contains('.')
        && !word.starts_with('@')
    {
        return Some(lexicon::EMAIL);
    }
    is_host(word).then_some(lexicon::HOST)
}

/// `find_v1` beside `find_v2`: names that differ in their version alone.
fn is_own_past(word: &str, own: &str) -> bool {
    let version = |p: &&str| {
        let number = p.strip_prefix('v').unwrap_or(p);
        matches!(*p, "old" | "new" | "legacy" | "next" | "deprecated" | "alt" | "neu")
            || (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
    };
    let parts = |name: &'_ str| -> Vec<String> {
        name.split(['_', '-']).filter(|p| !version(p)).map(str::to_string).collect()
    };
    let marked = |name: &str| name.split(['_', '-']).any(|p| version(&p));
    word != own && (marked(word) || marked(own)) && parts(word) == parts(own)
}

/// Whether the neighbouring words say that this is a tool's name.
fn marked(previous: &str, after: &str) -> bool {
    after.starts_with(['`', '\'']) || matches!(previous, "tool" | "function") || said_to_be_tool(after)
}

fn said_to_be_tool(after: &str) -> bool {
    // Nearly always another word comes next, after a space.
    if let [b' ', first, ..] = after.as_bytes()
        && first.is_ascii_alphanumeric()
        && !matches!(first, b't' | b'f' | b'a')
    {
        return false;
    }
    let mut chars = after.char_indices().take(24).skip_while(|(_, c)| !c.is_alphanumeric());
    let first = chars.next().filter(|(_, c)| matches!(c, 't' | 'f' | 'a'));
    let Some(rest) = first.and_then(|(at, _)| after.get(at..)) else { return false };
    ["tool", "function", "api"]
        .iter()
        .any(|noun| rest.strip_prefix(noun).is_some_and(|tail| !tail.starts_with(char::is_alphanumeric)))
}

/// "call `fetch`": one word in quotes, after a verb that tools follow.
fn named_singly(previous: &str, before: &str, after: &str) -> bool {
    before.ends_with(['`', '\''])
        && after.starts_with(['`', '\''])
        && (TOOL_FOLLOWS.binary_search(&previous).is_ok())
}

/// Words that a tool's name in quotes follows: a call, or "tool". Sorted.
#[rustfmt::skip]
const TOOL_FOLLOWS: &[&str] = &[
    "appelant", "appeler", "appelez", "aufruf", "call", "calling", "chama", "chamar", "chiama", "chiamare", "chiamata",
    "ferramenta", "function", "herramienta", "invoca", "invocar", "invoke", "invoquez", "llama", "llamar", "narzedzia",
    "narzedzie", "outil", "outils", "roep", "rufe", "run", "strumento", "the", "to", "tool", "use", "using", "werkzeug",
    "with", "wywolaj", "wywolaniem", "вызова", "вызови", "вызовите", "вызовом", "инструмент", "инструмента",
];

fn is_common_tool(word: &str) -> bool {
    matches!(
        word,
        "search"
            | "fetch"
            | "bash"
            | "shell"
            | "browser"
            | "filesystem"
            | "email"
            | "mail"
            | "read"
            | "write"
            | "git"
            | "database"
            | "sql"
            | "payment"
            | "calendar"
            | "terminal"
            | "python"
    )
}

/// "e.g. https://…", "such as a@b.org": an address that only shows the form.
fn is_example(before: &str) -> bool {
    let near: String = before.chars().rev().take(24).collect::<Vec<_>>().into_iter().rev().collect();
    // `docs.example` shows nothing.
    let near = near.replace(".example", "");
    ["e.g.", "eg.", "example", "such as", "like ", "format", "i.e."].iter().any(|w| near.contains(w))
}

/// `collect.example.com/log`: an address without a scheme.
fn is_host(word: &str) -> bool {
    const DOMAINS: &[&str] = &[
        "com", "net", "org", "io", "dev", "app", "example", "xyz", "ru", "cn", "info", "biz", "co", "ai",
        "cloud", "site", "top", "online", "me", "test", "invalid", "tk", "cc", "pw", "de", "uk", "eu",
        "evil",
    ];
    if !word.contains('.') {
        return false;
    }
    let host = word.split(['/', ':', '?']).next().unwrap_or("");
    let Some((_, last)) = host.rsplit_once('.') else { return false };
    let labels = host.split('.').count();
    DOMAINS.contains(&last)
        // `Mail.app` is a program.
        && (labels >= 3 || host.len() < word.len() || (last.len() > 2 && last != "app"))
        && host.split('.').all(|l| l.len() > 1 && l.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'))
}

/// What tools are called by first, in several languages: what they do, or what agents are given everywhere. Sorted.
#[rustfmt::skip]
const TOOLS_BEGIN: &[&str] = &[
    "add", "apagar", "append", "approve", "baca", "bash", "book", "borrar", "browse", "browser", "buat",
    "buscar", "buy", "calendar", "call", "cancel", "cargo", "cercare", "check", "chercher", "click", "copy",
    "crea", "crear", "creare", "create", "creer", "criar", "czytaj", "delete", "deploy", "disarm", "discord",
    "docker", "download", "ecrire", "edit", "ejecutar", "enviar", "envoyer", "erstellen", "escrever",
    "escribir", "exec", "executar", "execute", "executer", "export", "fetch", "file", "filesystem", "find",
    "forward", "get", "git", "gmail", "gonder", "grant", "http", "insert", "invia", "inviare", "invite",
    "invoice", "invoke", "kirim", "kubectl", "las", "leer", "lees", "leggere", "leggi", "ler", "lesen", "lire",
    "list", "load", "log", "maak", "mail", "make", "maps", "mcp", "memory", "merge", "mint", "move", "navigate",
    "npm", "obtener", "oku", "olustur", "open", "order", "otpravit", "pagamento", "paiement", "pay", "payment",
    "payroll", "pip", "playwright", "post", "process", "prochitat", "przelew", "publish", "push", "put",
    "query", "read", "refund", "remove", "reply", "report", "revoke", "run", "save", "schreiben", "schrijf",
    "scrivere", "search", "send", "senden", "set", "shell", "sign", "simulated", "skapa", "skicka", "slack",
    "sozdat", "start", "store", "stripe", "stuur", "submit", "suchen", "supprimer", "sync", "telegram",
    "terminal", "transfer", "twine", "unlock", "update", "upload", "utworz", "verify", "web", "whatsapp",
    "withdraw", "write", "wyslij", "zahlung", "zapisz", "zoek",
];

/// `send_email`, `read-file`: a verb that tools do, and what they do it to.
fn is_tool_like(word: &str) -> bool {
    // `fs.read_file`: a tool of a server.
    let word = match word.split_once('.') {
        Some((server, tool)) if server.bytes().all(|b| b.is_ascii_lowercase()) && server.len() >= 2 => tool,
        _ => word,
    };
    let verb = word.split(['_', '-']).next().unwrap_or("");
    let plain = word.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
    plain
        && word.contains('_')
        && word.len() >= 6
        && !word.starts_with('_')
        && TOOLS_BEGIN.binary_search(&verb).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_tools_begin_with_what_tools_do() {
        assert!(TOOLS_BEGIN.is_sorted() && TOOL_FOLLOWS.is_sorted(), "they are searched by halves");
        for name in ["send_email", "enviar_correo", "calendar_add", "zoek_bestand"] {
            assert!(is_tool_like(name), "{name}");
        }
        for name in ["max_results", "send-email", "get_x", "_send_mail", "sendmail"] {
            assert!(!is_tool_like(name), "{name}");
        }
    }
}
