//! MCP-DIFF-*: what a release changed. No single manifest shows it: `crate::diff` finds it between two.

use super::{Rule, RuleInfo};
use crate::finding::{Confidence, Impact, Severity};

struct OfDiff(&'static RuleInfo);

impl Rule for OfDiff {
    fn info(&self) -> &'static RuleInfo {
        self.0
    }
}

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $impact:ident $summary:literal $why:literal $help:literal)*) => {
        $(pub static $name: RuleInfo = RuleInfo {
            id: concat!("MCP-DIFF-", $id),
            severity: Severity::$severity,
            confidence: Confidence::High,
            impact: Impact::$impact,
            summary: $summary,
            rationale: $why,
            help: $help,
            bad: "",
            good: "",
            sources: &["verity diff"],
        };)*
        /// For lists of rules and their pages.
        pub static RULES: &[&dyn Rule] = &[$(&OfDiff(&$name)),*];
    };
}

rules! {
    TOOL_REMOVED "TOOL-REMOVED" Error Tool
        "a tool of the old release is gone"
        "Agents, prompts and allow-lists name tools. A call of a tool that is gone fails, whatever its arguments are."
        "Keep the tool for a release and say in its description what replaces it; else release a new major version"
    TOOL_RENAMED "TOOL-RENAMED" Error Tool
        "a tool has another name"
        "One tool is gone and another one with the same text or the same parameters is new: most likely a new name. Whoever \
         calls or allows the old name is left with an error."
        "Keep the old name beside the new one for a release; else release a new major version"
    TOOL_ADDED "TOOL-ADDED" Info Constraint
        "a tool is new"
        "Nothing that worked stops working. Every tool costs context in every request, and clients cap how many they take: the \
         message says how many there are now."
        "Nothing, if the tool is meant to be there"
    ARGUMENT_REMOVED "ARGUMENT-REMOVED" Error Tool
        "an argument that the old release declared is no longer declared"
        "A schema that leaves its object open tolerates the old argument and the server ignores it: the call succeeds and does something \
         else, which is worse than an error. A closed schema refuses the call; then there is a witness."
        "Keep the argument and honour it, or release a new major version"
    ARGUMENT_RENAMED "ARGUMENT-RENAMED" Error Tool
        "an argument has another name"
        "An argument is gone and another one with the same schema is new in the same object: most likely a new name. Calls under the old name \
         are refused, or their value is ignored without a word."
        "Accept the old name, too, or release a new major version"
    ARGUMENT_REQUIRED "ARGUMENT-REQUIRED" Error Tool
        "an argument must now be given"
        "The witness is a call that the old schema accepts and the new one refuses because something is missing."
        "Make the argument optional and say what its absence means, or release a new major version"
    ARGUMENT_ADDED "ARGUMENT-ADDED" Info Constraint
        "an optional argument is new"
        "Calls of the old release are accepted as before. (An open object accepted any value under that name; nobody was told to send one.)"
        "Nothing, if the argument is meant to be there"
    INPUT_NARROWED "INPUT-NARROWED" Error Tool
        "arguments that the old release accepts are refused"
        "Both inputSchemas are compared as sets of values, so that it does not matter how they are written. The witness uses only \
         what the old release declared; the old schema accepts it and the new one refuses it, by the keyword that is named."
        "Accept what was accepted, or release a new major version"
    INPUT_CLOSED "INPUT-CLOSED" Warning Tool
        "undeclared arguments are refused now, or in another way"
        "Only calls with keys that no release declared are refused. Agents do send such keys, but none that they were told of."
        "Nothing, if the server never used undeclared arguments; else declare them"
    INPUT_WIDENED "INPUT-WIDENED" Info Constraint
        "more arguments are accepted than before"
        "Every call of the old release is accepted as before."
        "Nothing"
    INPUT_UNDECIDED "INPUT-UNDECIDED" Warning Tool
        "the inputSchema changed, and nobody can say whether an old call is refused"
        "The comparison is bounded, and some schemas cannot be compared: too large, invalid, or with patterns beyond reason. No witness \
         was found, and no proof that there is none."
        "Look at the change yourself; simpler schemas can be compared"
    OUTPUT_REMOVED "OUTPUT-SCHEMA-REMOVED" Error Tool
        "results are no longer promised to have a structure"
        "The old release had an outputSchema. Readers of `structuredContent` are promised nothing any more."
        "Keep the outputSchema, or release a new major version"
    OUTPUT_ADDED "OUTPUT-SCHEMA-ADDED" Info Constraint
        "results are now promised to have a structure"
        "A promise that nobody relied on before. From this release on it can be broken."
        "Nothing, if the server keeps the promise"
    OUTPUT_FIELD_REMOVED "OUTPUT-FIELD-REMOVED" Error Tool
        "a field that results could have is no longer declared"
        "Readers of the old release look for the field. Where another field with the same schema is new, the message says so."
        "Keep the field, or release a new major version"
    OUTPUT_FIELD_ADDED "OUTPUT-FIELD-ADDED" Info Constraint
        "results can have a new field"
        "Readers that pass over what they do not know are not disturbed."
        "Nothing, if the field is meant to be there"
    OUTPUT_WIDENED "OUTPUT-WIDENED" Error Tool
        "results can now be what the old release ruled out"
        "Both outputSchemas are compared as sets of values. The witness is a result that the new schema allows and the old one refuses, made only \
         of fields that the old release declared: a reader that was written against the old schema may fail on it."
        "Keep to what was promised, or release a new major version"
    OUTPUT_OPENED "OUTPUT-OPENED" Warning Tool
        "results can now have fields that nobody declared"
        "The old release ruled undeclared fields out; strict readers refuse results that have them."
        "Declare the fields, or close the object again"
    OUTPUT_NARROWED "OUTPUT-NARROWED" Info Constraint
        "results are promised to be less varied than before"
        "Every result of the new release is one that readers of the old release know."
        "Nothing"
    OUTPUT_UNDECIDED "OUTPUT-UNDECIDED" Warning Tool
        "the outputSchema changed, and nobody can say whether an old reader fails"
        "As for MCP-DIFF-INPUT-UNDECIDED: neither a witness nor a proof was found."
        "Look at the change yourself; simpler schemas can be compared"
    DEFAULT "DEFAULT" Warning Tool
        "a default value changed"
        "A call that leaves the argument out is accepted as before and may do something else."
        "Say the change in the release notes, or keep the default"
    FORMAT "FORMAT" Warning Tool
        "the format of a text changed"
        "`format` and `contentEncoding` refuse nothing by themselves, and tell agents and readers how the text is written."
        "Say the change in the release notes, or keep the format"
    HEADER "HEADER" Error Tool
        "another HTTP header mirrors an argument"
        "`x-mcp-header` makes clients repeat an argument in a header; a server refuses a request without it. Clients that hold the old listing do \
         not send the new header. (A header that is no longer asked for is a warning: gateways may route by it.)"
        "Keep the header, or release a new major version"
    TASK_SUPPORT "TASK-SUPPORT" Error Tool
        "whether the tool can or must run as a task changed"
        "`required` shuts out clients without tasks, `forbidden` those that use them; `optional` serves both."
        "Move to `optional`, or release a new major version"
    HINT_ESCALATED "HINT-ESCALATED" Error Agent
        "an annotation says that the tool does more harm than before"
        "Hosts approve calls by the hints, after their defaults (not read-only, destructive, not idempotent, open world). Whoever allowed the \
         tool as it was has allowed something else now."
        "Make it another tool, or release a new major version"
    HINT_RELAXED "HINT-RELAXED" Error Agent
        "an annotation says that the tool does less harm than before"
        "A host that asked before each call may not ask any more. The hint may be right, and it is how a tool gets around a question: someone has to look at \
         what the tool does."
        "Review the implementation; release a new major version"
    DESCRIPTION "DESCRIPTION" Warning Agent
        "a text that agents choose the tool by changed"
        "Agents pick tools and fill arguments by descriptions and titles. A new text routes calls elsewhere, though every call is accepted as before."
        "Try the new text with the agents that use it"
    TEXT_POISONED "TEXT-POISONED" Error Agent
        "the new release gives orders to the agent"
        "A POISON rule fires on the new release that did not fire on the old one: the listing was approved once and says something else now (a \
         \"rug pull\")."
        "Do not install the release; `verity lint` shows the place"
    TEXT_INVISIBLE "TEXT-INVISIBLE" Error Agent
        "a text changed in a way that nobody sees"
        "Old and new text look the same on a screen and are not: invisible characters, or letters of another script that look alike. A model reads \
         the difference."
        "Find out who made the change and why; type the text again"
    CLIENT_REFUSES "CLIENT-REFUSES" Error Server
        "a client refuses or loses what it took before"
        "A limit of one of the profiles is broken by the new release and was not by the old one. Breaking where the client drops or refuses an \
         old tool, the server or the request; else a warning."
        "Stay below the limit: the message names the rule of the client"
    META "META" Warning Agent
        "a field that only some hosts read changed"
        "`_meta`, icons and fields of no specification tell hosts things that verity does not know: which page to show, which scope to ask for."
        "Look at the change yourself"
    LOCKED_CHANGED "LOCKED-CHANGED" Warning Tool
        "a part of the tool is not what was locked"
        "A lock file holds digests alone. It says that a part changed, and cannot say how."
        "Compare with the listing itself, such as `git:REV:tools.json`; write the lock anew once the change is understood"
}
