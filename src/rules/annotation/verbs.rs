//! English verbs that tool names and descriptions are made of, by what they do to the world.

/// What a verb does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    /// Looks, and leaves everything as it is.
    Reads,
    /// Makes something new beside what is there.
    Adds,
    /// Alters what is there.
    Changes,
    /// Takes away what is there.
    Destroys,
    /// Leaves the house: a message, a payment.
    Sends,
    /// Does whatever it is told.
    Runs,
}

impl Act {
    pub fn writes(self) -> bool {
        self != Act::Reads
    }

    /// The end of a sentence about the tool.
    pub fn says(self) -> &'static str {
        match self {
            Act::Reads => "only reads",
            Act::Adds => "adds something",
            Act::Changes => "changes something",
            Act::Destroys => "takes something away",
            Act::Sends => "sends something out",
            Act::Runs => "runs what it is given",
        }
    }
}

/// How much a verb says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// Hardly ever means anything else: delete, send.
    Strong,
    /// Means it most of the time: add, set, start.
    Weak,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Verb {
    pub word: &'static str,
    pub act: Act,
    pub weight: Weight,
    /// As often a noun (list, post, run): in the middle of a name it is likely no verb.
    pub noun: bool,
}

const fn verb(word: &'static str, act: Act, weight: Weight, noun: bool) -> Verb {
    Verb { word, act, weight, noun }
}

use Act::{Adds, Changes, Destroys, Reads, Runs, Sends};
use Weight::{Strong, Weak};

/// Sorted by act; looked up by word.
static VERBS: &[Verb] = &[
    verb("get", Reads, Strong, false),
    verb("list", Reads, Strong, true),
    verb("read", Reads, Strong, false),
    verb("search", Reads, Strong, true),
    verb("find", Reads, Strong, false),
    verb("fetch", Reads, Strong, false),
    verb("retrieve", Reads, Strong, false),
    verb("describe", Reads, Strong, false),
    verb("show", Reads, Strong, true),
    verb("display", Reads, Weak, true),
    verb("view", Reads, Strong, true),
    verb("lookup", Reads, Strong, false),
    verb("query", Reads, Strong, true),
    verb("count", Reads, Strong, true),
    verb("inspect", Reads, Strong, false),
    verb("browse", Reads, Strong, false),
    verb("enumerate", Reads, Strong, false),
    verb("return", Reads, Strong, true),
    verb("provide", Reads, Weak, false),
    verb("check", Reads, Weak, true),
    verb("resolve", Reads, Weak, false),
    verb("analyze", Reads, Weak, false),
    verb("calculate", Reads, Weak, false),
    verb("compare", Reads, Weak, false),
    verb("detect", Reads, Weak, false),
    verb("estimate", Reads, Weak, true),
    verb("explain", Reads, Weak, false),
    verb("look", Reads, Weak, true),
    verb("monitor", Reads, Weak, true),
    verb("preview", Reads, Weak, true),
    verb("report", Reads, Weak, true),
    verb("tell", Reads, Weak, false),
    verb("trace", Reads, Weak, true),
    verb("validate", Reads, Weak, false),
    verb("verify", Reads, Weak, false),
    verb("summarize", Reads, Weak, false),
    verb("summarise", Reads, Weak, false),
    verb("create", Adds, Strong, false),
    verb("add", Adds, Strong, false),
    verb("insert", Adds, Strong, false),
    verb("append", Adds, Strong, false),
    verb("register", Adds, Strong, true),
    verb("invite", Adds, Strong, false),
    verb("upload", Adds, Strong, true),
    verb("provision", Adds, Strong, false),
    verb("submit", Adds, Strong, false),
    verb("book", Adds, Weak, true),
    verb("schedule", Adds, Weak, true),
    verb("post", Adds, Weak, true),
    verb("comment", Adds, Weak, true),
    verb("save", Adds, Weak, false),
    verb("store", Adds, Weak, true),
    verb("import", Adds, Weak, true),
    verb("copy", Adds, Weak, true),
    verb("clone", Adds, Weak, true),
    verb("duplicate", Adds, Weak, true),
    verb("attach", Adds, Weak, false),
    verb("subscribe", Adds, Weak, false),
    verb("install", Adds, Weak, true),
    verb("update", Changes, Strong, true),
    verb("edit", Changes, Strong, true),
    verb("modify", Changes, Strong, false),
    verb("rename", Changes, Strong, false),
    verb("increment", Changes, Strong, true),
    verb("replace", Changes, Strong, false),
    verb("write", Changes, Strong, false),
    verb("upsert", Changes, Strong, false),
    verb("alter", Changes, Strong, false),
    verb("approve", Changes, Strong, false),
    verb("reject", Changes, Strong, false),
    verb("cancel", Changes, Strong, false),
    verb("assign", Changes, Strong, false),
    verb("unassign", Changes, Strong, false),
    verb("disable", Changes, Strong, false),
    verb("enable", Changes, Strong, false),
    verb("restart", Changes, Strong, true),
    verb("reboot", Changes, Strong, true),
    verb("shutdown", Changes, Strong, true),
    verb("rotate", Changes, Weak, false),
    verb("move", Changes, Weak, true),
    verb("set", Changes, Weak, true),
    verb("put", Changes, Weak, true),
    verb("patch", Changes, Weak, true),
    verb("change", Changes, Weak, true),
    verb("toggle", Changes, Weak, true),
    verb("merge", Changes, Weak, true),
    verb("close", Changes, Weak, true),
    verb("archive", Changes, Weak, true),
    verb("restore", Changes, Weak, true),
    verb("apply", Changes, Weak, false),
    verb("deploy", Changes, Weak, true),
    verb("commit", Changes, Weak, true),
    verb("push", Changes, Weak, true),
    verb("start", Changes, Weak, true),
    verb("stop", Changes, Weak, true),
    verb("pause", Changes, Weak, true),
    verb("resume", Changes, Weak, true),
    verb("reset", Changes, Weak, true),
    verb("clear", Changes, Weak, true),
    verb("lock", Changes, Weak, true),
    verb("unlock", Changes, Weak, false),
    verb("grant", Changes, Weak, true),
    verb("configure", Changes, Weak, false),
    verb("delete", Destroys, Strong, false),
    verb("remove", Destroys, Strong, false),
    verb("destroy", Destroys, Strong, false),
    verb("erase", Destroys, Strong, false),
    verb("wipe", Destroys, Strong, false),
    verb("purge", Destroys, Strong, false),
    verb("truncate", Destroys, Strong, false),
    verb("drop", Destroys, Strong, true),
    verb("uninstall", Destroys, Strong, false),
    verb("revoke", Destroys, Strong, false),
    verb("terminate", Destroys, Strong, false),
    verb("kill", Destroys, Strong, true),
    verb("overwrite", Destroys, Strong, false),
    verb("unlink", Destroys, Strong, false),
    verb("discard", Destroys, Weak, false),
    verb("send", Sends, Strong, false),
    verb("publish", Sends, Strong, false),
    verb("broadcast", Sends, Strong, true),
    verb("tweet", Sends, Strong, true),
    verb("notify", Sends, Strong, false),
    verb("reply", Sends, Strong, true),
    verb("forward", Sends, Weak, true),
    verb("share", Sends, Weak, true),
    verb("transfer", Sends, Weak, true),
    verb("pay", Sends, Weak, false),
    verb("charge", Sends, Weak, true),
    verb("refund", Sends, Weak, true),
    verb("execute", Runs, Strong, false),
    verb("exec", Runs, Strong, false),
    verb("invoke", Runs, Strong, false),
    verb("run", Runs, Weak, true),
    verb("eval", Runs, Weak, true),
    verb("trigger", Runs, Weak, true),
    verb("dispatch", Runs, Weak, true),
    verb("call", Runs, Weak, true),
];

/// The verb with this base form.
pub(super) fn base(word: &str) -> Option<Verb> {
    VERBS.iter().copied().find(|v| v.word == word)
}

/// The verb of which `word` is the base form, the third person or the -ing form: what a description
/// begins with. Past forms are not taken: they are adjectives more often ("Deleted items").
pub(super) fn inflected(word: &str) -> Option<Verb> {
    if let Some(found) = base(word) {
        return Some(found);
    }
    let stems = ["s", "es", "ing"].iter().filter_map(|end| word.strip_suffix(end));
    let whole = stems.flat_map(|stem| {
        let doubled = stem.chars().last().map(|c| stem.trim_end_matches(c).to_string() + &c.to_string());
        [Some(stem.to_string()), Some(format!("{stem}e")), doubled]
    });
    let ies = word.strip_suffix("ies").map(|stem| format!("{stem}y"));
    whole.flatten().chain(ies).find_map(|stem| base(&stem))
}

/// Words that make a harmless question or a rehearsal of the verb after them.
pub(super) const REHEARSALS: &[&str] = &[
    "analyse",
    "analyze",
    "ask",
    "calculate",
    "can",
    "compare",
    "compute",
    "confirm",
    "convert",
    "diff",
    "dry",
    "estimate",
    "explain",
    "format",
    "has",
    "how",
    "is",
    "learn",
    "parse",
    "plan",
    "prepare",
    "preview",
    "recommend",
    "render",
    "should",
    "simulate",
    "suggest",
    "validate",
    "verify",
    "what",
    "when",
    "why",
];

/// Nouns at the end of a name that turn the verb before them into one half of a compound: a *drop
/// rate* is looked at, not dropped.
pub(super) const FACTS: &[&str] = &[
    "count",
    "counts",
    "details",
    "events",
    "guide",
    "help",
    "history",
    "info",
    "instructions",
    "limit",
    "limits",
    "log",
    "logs",
    "metrics",
    "options",
    "permission",
    "permissions",
    "plan",
    "point",
    "points",
    "policies",
    "policy",
    "preview",
    "queue",
    "rate",
    "rates",
    "report",
    "reports",
    "request",
    "requests",
    "schedule",
    "schema",
    "stats",
    "statistics",
    "status",
    "summary",
    "switch",
    "template",
    "templates",
    "types",
    "zone",
    "zones",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_once() {
        for (i, verb) in VERBS.iter().enumerate() {
            assert!(VERBS.iter().skip(i + 1).all(|other| other.word != verb.word), "{}", verb.word);
        }
    }

    #[test]
    fn forms_of_a_verb() {
        for (form, word) in [
            ("delete", "delete"),
            ("deletes", "delete"),
            ("deleting", "delete"),
            ("searches", "search"),
            ("queries", "query"),
            ("modifies", "modify"),
            ("getting", "get"),
            ("gets", "get"),
            ("dropping", "drop"),
            ("summarises", "summarise"),
            ("kills", "kill"),
        ] {
            assert_eq!(inflected(form).map(|v| v.word), Some(word), "{form}");
        }
        for no_verb in ["deleted", "lists2", "news", "ing", "s", "thing", "settings", ""] {
            assert_eq!(inflected(no_verb), None, "{no_verb}");
        }
    }
}
