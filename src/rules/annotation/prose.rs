//! What a description says of the tool: the verb that it begins with, promises, second halves.

use super::verbs::{self, Act, Verb, Weight};
use crate::rules::ToolView;
use crate::rules::name::words;
use serde_json::Value;

/// Words before the verb of a description: "This tool permanently deletes …".
const PREAMBLE: &[&str] = &[
    "a",
    "all",
    "allow",
    "allows",
    "also",
    "an",
    "and",
    "be",
    "bulk",
    "can",
    "easily",
    "enables",
    "function",
    "helps",
    "immediately",
    "irreversibly",
    "it",
    "lets",
    "mcp",
    "now",
    "permanently",
    "quickly",
    "safely",
    "soft",
    "that",
    "the",
    "this",
    "to",
    "tool",
    "use",
    "used",
    "utility",
    "will",
    "you",
    "your",
    "admin",
    "only",
];

/// The verb that a description begins with, if it begins with one.
pub(super) fn lead(description: &str) -> Option<Verb> {
    let start: String = description.chars().take(160).collect();
    let words = words::of(&start);
    let first = words.iter().take(10).find(|w| !PREAMBLE.contains(&w.as_str()))?;
    let after = words.iter().skip_while(|w| *w != first).nth(1);
    let verb = verbs::inflected(first)?;
    // "View of …", "Drop rate …": a noun after all. A list of things is looked at either way.
    let after = after.map_or("", String::as_str);
    let is_noun =
        verb.noun && (NOUN_FOLLOWERS.contains(&after) || verb.word == first && verbs::FACTS.contains(&after));
    (!is_noun || verb.act == Act::Reads && verb.word == "list").then_some(verb)
}

/// Words after a noun rather than after a verb: "Posts from a blog", "View of the map".
const NOUN_FOLLOWERS: &[&str] = &["of", "from", "about", "by", "is", "are"];

/// A verb of deletion or sending that the description joins to what comes before: "Reads a mailbox and
/// deletes it". Looked for in the first sentence only; further on, descriptions speak of other tools.
pub(super) fn also_does(tool: &ToolView<'_>) -> Option<Verb> {
    let description = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
    let start: String = description.chars().take(300).collect();
    let sentence =
        start.split_inclusive(['.', '!', '?', '\n']).find(|s| s.trim().len() > 3).unwrap_or_default();
    let mut joined = false;
    // Blanks part the words here: `update-item and delete-item` are names of tools.
    for word in sentence.split_whitespace() {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
        let grave = verbs::inflected(&word)
            .filter(|v| v.weight == Weight::Strong && !v.noun && matches!(v.act, Act::Destroys | Act::Sends))
            // duplicates are removed and long texts truncated in answers
            .filter(|v| !matches!(v.word, "remove" | "truncate"));
        if joined && grave.is_some() {
            return grave;
        }
        let adverb = matches!(
            word.as_str(),
            "then" | "also" | "afterwards" | "finally" | "immediately" | "permanently" | "silently"
        );
        joined = matches!(word.as_str(), "and" | "then") || joined && adverb;
    }
    None
}

/// Whether the description promises that nothing changes.
pub(super) fn promises_no_change(tool: &ToolView<'_>) -> bool {
    let text = read(tool);
    NO_CHANGE.iter().any(|phrase| contains_words(&text, phrase))
}

/// Whether the description states of the tool as a whole that it changes nothing.
pub(super) fn claims_to_be_harmless(tool: &ToolView<'_>) -> bool {
    let text = read(tool);
    HARMLESS.iter().any(|phrase| contains_words(&text, phrase))
}

const HARMLESS: &[&str] = &[
    "does not change anything",
    "does not modify anything",
    "does not alter anything",
    "doesnt change anything",
    "doesnt modify anything",
    "does not change any",
    "does not modify any",
    "does not make any changes",
    "makes no changes",
    "never changes anything",
    "never modifies anything",
    "has no side effects",
    "is read only",
    "read only operation",
    "read only tool",
];

/// Whether the description says that it is a rehearsal, or bound to reading by the system behind it.
pub(super) fn is_bound_to_reading(tool: &ToolView<'_>) -> bool {
    let text = read(tool);
    [
        "read only",
        "readonly",
        "dry run",
        "select only",
        "only select",
        "select queries",
        "select statements",
        "sandbox",
        "sandboxed",
    ]
    .iter()
    .any(|phrase| contains_words(&text, phrase))
}

const NO_CHANGE: &[&str] = &[
    "read only",
    "readonly",
    "dry run",
    "does not modify",
    "does not change",
    "does not alter",
    "does not write",
    "does not delete",
    "does not send",
    "does not execute",
    "does not create",
    "does not apply",
    "doesnt modify",
    "doesnt change",
    "never modifies",
    "without modifying",
    "without changing",
    "without deleting",
    "without sending",
    "without executing",
    "without applying",
    "no side effects",
    "no changes are made",
    "nothing is changed",
    "nothing is deleted",
    "nothing is sent",
    "nothing is written",
];

/// Characters of a description that are looked at; the rest, if any, is not where promises stand.
const READ: usize = 20_000;

/// The words of the description, with single blanks between them.
fn read(tool: &ToolView<'_>) -> String {
    let description = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
    let end = description.char_indices().nth(READ).map_or(description.len(), |(at, _)| at);
    words::of(description.get(..end).unwrap_or_default()).join(" ")
}

fn contains_words(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let before = text.get(..at).is_none_or(|s| s.is_empty() || s.ends_with(' '));
        let after = text.get(at + phrase.len()..).is_none_or(|s| s.is_empty() || s.starts_with(' '));
        before && after
    })
}

/// Whether the tool works on what it is given rather than on what is stored: a parameter for the
/// thing itself (`text`, `items`), and none that says where something is kept.
pub(super) fn transforms_its_input(tool: &ToolView<'_>) -> bool {
    let properties = tool.tool.input_schema().and_then(|s| s.get("properties")).and_then(Value::as_object);
    let names: Vec<String> =
        properties.into_iter().flatten().filter_map(|(name, _)| words::of(name).pop()).collect();
    let any = |list: &[&str]| names.iter().any(|n| list.contains(&n.as_str()));
    any(PAYLOADS) && !any(LOCATORS)
}

/// Whether what the tool makes exists only in its answer: a plan, a diagram, an embedding.
pub(super) fn makes_an_answer(tool: &ToolView<'_>) -> bool {
    let name = words::of(tool.tool.name().unwrap_or_default());
    name.iter().any(|w| ANSWERS.contains(&w.as_str()))
}

const ANSWERS: &[&str] = &[
    "chart",
    "charts",
    "completion",
    "completions",
    "diagram",
    "diagrams",
    "diff",
    "embedding",
    "embeddings",
    "estimate",
    "graph",
    "hash",
    "link",
    "outline",
    "plan",
    "plans",
    "preview",
    "prompt",
    "qr",
    "query",
    "quote",
    "report",
    "sql",
    "summary",
    "uuid",
];

const PAYLOADS: &[&str] = &[
    "array",
    "code",
    "content",
    "csv",
    "dataframe",
    "html",
    "image",
    "input",
    "items",
    "json",
    "list",
    "markdown",
    "numbers",
    "sentence",
    "source",
    "string",
    "strings",
    "text",
    "value",
    "values",
    "words",
    "xml",
];
const LOCATORS: &[&str] = &[
    "account",
    "bucket",
    "database",
    "directory",
    "email",
    "file",
    "filename",
    "folder",
    "id",
    "ids",
    "key",
    "name",
    "path",
    "paths",
    "project",
    "recipient",
    "recipients",
    "repo",
    "repository",
    "table",
    "to",
    "uri",
    "url",
    "user",
    "username",
    "uuid",
    "workspace",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_begin_with_their_verb_or_not_at_all() {
        let lead = |text: &str| lead(text).map(|v| v.word);
        assert_eq!(lead("Use this tool to permanently delete a user"), Some("delete"));
        assert_eq!(lead("**Lists** all users"), Some("list"));
        assert_eq!(lead("List of all users"), Some("list"));
        assert_eq!(lead("View of all users"), None);
        assert_eq!(lead("Posts from a blog"), None);
        assert_eq!(lead("Posts a message"), Some("post"));
        assert_eq!(lead("Update feed of a project"), Some("update"));
        assert_eq!(lead("Deleted items of a mailbox"), None);
        assert_eq!(lead("Users that can delete things"), None);
        assert_eq!(lead(""), None);
    }

    #[test]
    fn second_halves_of_sentences() {
        use crate::rules::testing::manifest;
        let also = |description: &str| {
            let manifest = manifest(&serde_json::json!({"name": "a", "description": description}));
            also_does(&ToolView::new(&manifest.tools[0])).map(|v| v.word)
        };
        assert_eq!(also("Reads the inbox and then permanently deletes it."), Some("delete"));
        assert_eq!(also("Summarize a file and send the summary to the archive"), Some("send"));
        assert_eq!(also("Reads a file. It never deletes anything and does not send mail"), None);
        assert_eq!(also("List additions, updates and deleted items"), None);
        assert_eq!(also("Lists tags and removes duplicates"), None);
        assert_eq!(also("Needed for update-item and delete-item."), None);
        assert_eq!(also("Reads a file. Call it and delete the file afterwards."), None);
        assert_eq!(also("Delete a file"), None);
    }

    #[test]
    fn phrases_end_at_words() {
        assert!(contains_words("it does not change anything", "does not change"));
        assert!(!contains_words("thread only", "read only"));
        assert!(!contains_words("does not changeling", "does not change"));
    }
}
