//! Which arguments cap the number of results: by name where it can mean little else, else by name and description.

use crate::manifest::Tool;
use crate::rules::name::words;
use crate::schema::references;
use serde_json::Value;

/// Caps of a tool that are tried.
const MOST: usize = 2;

/// What caps are counted in. `page_size`, `per_page` and `limit` name no unit, and need none.
const UNITS: [&str; 12] = [
    "results",
    "result",
    "items",
    "hits",
    "rows",
    "records",
    "entries",
    "matches",
    "count",
    "objects",
    "documents",
    "elements",
];
/// What makes a unit a cap.
const BOUNDS: [&str; 7] = ["max", "maximum", "top", "num", "number", "n", "limit"];
/// Words that change nothing about that.
const FILLERS: [&str; 9] = ["of", "to", "return", "returned", "query", "search", "list", "total", "output"];
/// Names that are a cap as often as something else: the description has to say it.
const OPEN: [&str; 14] = [
    "limit", "max", "maximum", "top", "num", "number", "n", "k", "count", "size", "take", "first", "rows",
    "amount",
];

/// Descriptions that say how many.
const QUANTITIES: [&str; 14] = [
    "maximum number of",
    "max number of",
    "max. number of",
    "number of",
    "at most",
    "up to",
    "no more than",
    "how many",
    "limit",
    "maximum",
    "max ",
    "page size",
    "per page",
    "top ",
];
/// That they come back.
const RETURNS: [&str; 13] = [
    "return",
    "fetch",
    "retrieve",
    "to list",
    "to show",
    "to include",
    "to get",
    "to display",
    "result",
    "hits",
    "per page",
    "page size",
    "response",
];
/// That something else is counted, each of several things, or nobody is bound by it.
const OTHERWISE: [&str; 76] = [
    "character",
    "char",
    "chars",
    "characters",
    "byte",
    "bytes",
    "kb",
    "mb",
    "gb",
    "kilobytes",
    "megabytes",
    "token",
    "tokens",
    "word",
    "words",
    "letters",
    "digits",
    "second",
    "seconds",
    "ms",
    "milliseconds",
    "minute",
    "minutes",
    "hour",
    "hours",
    "day",
    "days",
    "weeks",
    "months",
    "years",
    "depth",
    "level",
    "levels",
    "length",
    "width",
    "height",
    "pixels",
    "price",
    "budget",
    "cost",
    "memory",
    "retry",
    "retries",
    "attempts",
    "redirects",
    "threads",
    "workers",
    "concurrent",
    "parallel",
    "rate",
    "distance",
    "radius",
    "meters",
    "km",
    "miles",
    "lines",
    "pages",
    "each",
    "scan",
    "scanned",
    "inspect",
    "check",
    "crawl",
    "visit",
    "traverse",
    "hint",
    "approximate",
    "approximately",
    "ignored",
    "advisory",
    "generate",
    "create",
    "follow",
    "followed",
    "considered",
    "examine",
];
/// `per X` is a cap of each X; these are the whole answer.
const WHOLE: [&str; 9] =
    ["page", "call", "request", "response", "query", "search", "batch", "fetch", "invocation"];

/// Where a phrase about a number of things ends.
const ENDS: [&str; 14] = [
    "to", "that", "which", "returned", "per", "in", "from", "for", "on", "default", "max", "at", "will",
    "shown",
];

/// The arguments of a tool that cap how many results come back.
pub(in crate::probe) fn caps(tool: &Tool) -> Vec<String> {
    let Some(schema) = tool.input_schema() else { return Vec::new() };
    let declared = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let caps = declared.filter(|(name, property)| is_count(schema, property, 4) && is_told(name, property));
    caps.map(|(name, _)| name.clone()).take(MOST).collect()
}

/// What a cap counts, in words of its name or its description (`comment_limit`, "number of comments to fetch"); empty where
/// that is results, whatever they are.
pub(super) fn units(tool: &Tool, argument: &str) -> Vec<String> {
    let property = tool.input_schema().and_then(|s| s.get("properties")?.get(argument));
    let text = property.and_then(|p| p.get("description")?.as_str()).unwrap_or_default();
    let is_known = |word: &str| {
        [&BOUNDS[..], &UNITS, &FILLERS, &OPEN].iter().any(|all| all.contains(&word))
            || matches!(word, "page" | "per" | "pagesize" | "perpage" | "topk" | "hits")
    };
    let mut units = words::of(argument);
    let said = words::of(text);
    let counted = said.windows(2).position(
        |pair| matches!(pair, [a, b] if (a == "number" && b == "of") || (a == "how" && b == "many")),
    );
    if let Some(things) = counted.and_then(|at| said.get(at + 2..)) {
        let end = things.iter().take(5).position(|word| ENDS.contains(&word.as_str()));
        units.extend(end.and_then(|end| things.get(end.checked_sub(1)?)).cloned());
    }
    units.retain(|word| !is_known(word));
    units
}

/// Whether a property takes whole numbers, and no texts.
fn is_count(root: &Value, property: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else { return false };
    let is_number = |name: &Value| matches!(name.as_str(), Some("integer" | "number"));
    let is_null = |name: &Value| name.as_str() == Some("null");
    match property.get("type") {
        Some(Value::Array(names)) => {
            return names.iter().any(is_number) && names.iter().all(|n| is_number(n) || is_null(n));
        }
        Some(name) => return is_number(name),
        None => {}
    }
    let target = property.get("$ref").and_then(Value::as_str).and_then(|r| references::local(root, r));
    let branches = ["anyOf", "oneOf"].into_iter().filter_map(|k| property.get(k)?.as_array()).flatten();
    let branches: Vec<&Value> = branches.filter(|b| b.get("type").is_none_or(|t| !is_null(t))).collect();
    match target {
        Some(target) => is_count(root, target, depth),
        None => !branches.is_empty() && branches.iter().all(|branch| is_count(root, branch, depth)),
    }
}

fn is_told(name: &str, property: &Value) -> bool {
    let name = words::of(name);
    let text = property.get("description").and_then(Value::as_str).unwrap_or_default().to_lowercase();
    if is_about_something_else(&words::of(&text)) || is_about_something_else(&name) {
        return false;
    }
    let says = |phrases: &[&str]| phrases.iter().any(|phrase| text.contains(phrase));
    is_telling(&name) || (is_open(&name) && says(&QUANTITIES) && says(&RETURNS))
}

fn is_about_something_else(words: &[String]) -> bool {
    let is_of_each = |pair: &[String]| match pair {
        [per, what] => per == "per" && !WHOLE.contains(&what.as_str()),
        _ => false,
    };
    words.iter().any(|word| OTHERWISE.contains(&word.as_str())) || words.windows(2).any(is_of_each)
}

/// Names that are a cap whatever the description says: `limit`, `max_results`, `page_size`, `top_k`.
fn is_telling(name: &[String]) -> bool {
    let words: Vec<&str> = name.iter().map(String::as_str).filter(|word| !FILLERS.contains(word)).collect();
    let all = |kinds: &[&[&str]]| words.iter().all(|word| kinds.iter().any(|kind| kind.contains(word)));
    match words.as_slice() {
        ["limit"]
        | ["page", "size"]
        | ["pagesize"]
        | ["per", "page"]
        | ["perpage"]
        | ["top", "k" | "n"]
        | ["topk"] => true,
        [unit, "per", "page"] => UNITS.contains(unit),
        [_, _, ..] => {
            all(&[&BOUNDS, &UNITS])
                && words.iter().any(|word| UNITS.contains(word))
                && words.iter().any(|word| BOUNDS.contains(word))
        }
        _ => false,
    }
}

/// Names that may be a cap: `count`, `max_articles`, `num`.
fn is_open(name: &[String]) -> bool {
    name.iter().any(|word| OPEN.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn is_cap(name: &str, description: &str) -> bool {
        let property = json!({"type": "integer", "description": description});
        let schema = json!({"type": "object", "properties": {name: property}});
        let tool = Tool { value: json!({"name": "t", "inputSchema": schema}), ..Tool::default() };
        caps(&tool) == [name]
    }

    #[test]
    fn caps_by_name() {
        for name in [
            "limit",
            "Limit",
            "max_results",
            "maxResults",
            "max-items",
            "page_size",
            "pageSize",
            "per_page",
            "perPage",
            "items_per_page",
            "hitsPerPage",
            "top_k",
            "topK",
            "num_results",
            "numResults",
            "number_of_results",
            "max_count",
            "max_query_results",
            "results_limit",
            "limit_results",
            "max_entries",
        ] {
            assert!(is_cap(name, ""), "{name}");
        }
        for name in [
            "count",
            "n",
            "max",
            "num",
            "number",
            "size",
            "offset",
            "page",
            "max_depth",
            "max_results_per_domain",
            "maxTokens",
        ] {
            assert!(!is_cap(name, ""), "{name}");
        }
    }

    #[test]
    fn caps_by_what_is_said_of_them() {
        for (name, said) in [
            ("count", "How many notes to return"),
            ("count", "Number of items to fetch (default 10, max 50)"),
            ("n", "Maximum number of notes to return."),
            ("k", "Number of ranked papers to return (default 40)."),
            ("top", "Page size (Graph $top). Start small."),
            ("max_articles", "At most so many articles are returned"),
            ("size", "How many hits to return"),
            ("limit", "Limit the number of results; all of them if left out"),
            ("limit", "Maximum number of jobs to return per page"),
        ] {
            assert!(is_cap(name, said), "{name}: {said}");
        }
        for (name, said) in [
            ("count", "Number of widgets to create"),
            ("count", "How many passwords to generate"),
            ("n", "The number of items to choose from."),
            ("limit", "Maximum number of characters to return"),
            ("limit", "Rate limit in requests"),
            ("limit", "Number of lines to return"),
            ("limit", "Limit of hits per file"),
            ("max_results", "A hint; more may come back"),
            ("limit", "Ignored: all notes are returned"),
            ("max_events", "Maximum turns to scan, newest first (default 1000)."),
            ("number", "Pull request number"),
            ("max_links", "Max number of links to follow per level of the tree (i.e., per page)"),
            ("amount", "Amount to send (in decimal)"),
            ("size", "Size of the variable in bytes"),
            ("num", "The number of nodes"),
            ("Page", "Page number of the results to fetch"),
            ("max_links_per_page", "Maximum number of links to follow per page (1-5, default 3)"),
        ] {
            assert!(!is_cap(name, said), "{name}: {said}");
        }
    }

    #[test]
    fn what_caps_count() {
        let of = |name: &str, description: &str| {
            let schema = json!({"type": "object", "properties": {name: {"type": "integer", "description": description}}});
            units(&Tool { value: json!({"name": "t", "inputSchema": schema}), ..Tool::default() }, name)
        };
        assert_eq!(of("comment_limit", "At most so many"), ["comment"]);
        assert_eq!(of("limit", "Maximum number of merge requests to fetch"), ["requests"]);
        assert_eq!(of("count", "How many notes to return."), ["notes"]);
        assert_eq!(of("maxArticles", "Number of articles returned"), ["articles", "articles"]);
        for (name, said) in [
            ("limit", ""),
            ("max_results", "Maximum number of results to return"),
            ("pageSize", "Number of items per page"),
            ("per_page", "Results per page"),
            ("top_k", "Number of things"),
        ] {
            assert_eq!(of(name, said), Vec::<String>::new(), "{name}: {said}");
        }
    }

    #[test]
    fn caps_are_numbers() {
        let is = |property| {
            let schema = json!({"type": "object", "properties": {"limit": property}, "$defs": {"n": {"type": "integer"}}});
            let tool = Tool { value: json!({"name": "t", "inputSchema": schema}), ..Tool::default() };
            !caps(&tool).is_empty()
        };
        assert!(is(json!({"type": "number"})) && is(json!({"type": ["integer", "null"]})));
        assert!(is(json!({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}], "default": null})));
        assert!(is(json!({"$ref": "#/$defs/n"})));
        for property in [
            json!({}),
            json!(true),
            json!({"type": "string"}),
            json!({"type": ["integer", "string"]}),
            json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}),
            json!({"$ref": "#/$defs/none"}),
        ] {
            assert!(!is(property.clone()), "{property}");
        }
    }
}
