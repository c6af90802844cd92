//! MCP-PROBE-*: what a live server's answers show. No listing shows it: `crate::probe` finds it by calling the tools.

use super::{Rule, RuleInfo};
use crate::finding::{Confidence, Impact, Severity};

struct OfProbe(&'static RuleInfo);

impl Rule for OfProbe {
    fn info(&self) -> &'static RuleInfo {
        self.0
    }
}

macro_rules! rules {
    ($($name:ident $id:literal $severity:ident $confidence:ident $impact:ident $summary:literal $why:literal $help:literal)*) => {
        $(pub static $name: RuleInfo = RuleInfo {
            id: concat!("MCP-PROBE-", $id),
            severity: Severity::$severity,
            confidence: Confidence::$confidence,
            impact: Impact::$impact,
            summary: $summary,
            rationale: $why,
            help: $help,
            bad: "",
            good: "",
            sources: &["verity probe"],
        };)*
        /// For lists of rules and their pages.
        pub static RULES: &[&dyn Rule] = &[$(&OfProbe(&$name)),*];
    };
}

rules! {
    CRASH "CRASH" Error High Server
        "a call ends the session with the server"
        "The server went, or sent what is no message, instead of answering. Every tool of it is gone for the agent then, and whoever can choose \
         the arguments can do that at will. The witness holds the arguments."
        "Catch what the tool throws and answer with `isError: true` and what was wrong"
    HTTP_ERROR "HTTP-ERROR" Error High Tool
        "a call is answered by an error of HTTP"
        "The server is there, and answered with a status such as 500 and no message of the protocol. What went wrong in the tool ends in the \
         transport, where the model does not see it: clients take it for a broken connection, and try again or give up. Where the arguments broke \
         the inputSchema it is a warning."
        "Catch what the tool throws and answer with status 200 and a result with `isError: true` that says what was wrong"
    NO_ANSWER "NO-ANSWER" Error High Tool
        "a call is not answered in time"
        "Nothing came back within the time that a call has (`--timeout`). An agent waits as long, and a client may give up on the server."
        "Bound the tool's own work in time, and answer with an error when the bound is reached"
    RESULT_SHAPE "RESULT-SHAPE" Error High Tool
        "an answer is no result of a tool call"
        "A result of `tools/call` has an array `content`, even an empty one, of blocks that have what their `type` asks for (a `text`; `data` and a \
         `mimeType`; a `resource` with its `uri`), and `isError` is a boolean. An error of the protocol is an object with a number `code` and a text \
         `message`. SDKs of clients validate both, and refuse the whole answer."
        "Answer with `content`, a list of blocks that each have a `type` and the members that it asks for"
    OUTPUT_SCHEMA "OUTPUT-SCHEMA" Error High Tool
        "a result does not match the tool's outputSchema"
        "A tool that declares an outputSchema promises `structuredContent` that matches it in every answer that is no error, and clients have to validate it: \
         the official SDKs refuse the answer. The witness holds the call and what came back; the judge refused it."
        "Return what outputSchema promises, or correct the promise"
    OUTPUT_UNDECLARED "OUTPUT-UNDECLARED" Info High Tool
        "a tool returns data that no outputSchema describes"
        "The tool returns `structuredContent`, or a text that is one JSON object or array, and declares no outputSchema. Programs that read the result \
         cannot know what is in it, and nobody notices when it changes."
        "Declare the outputSchema and return the data as `structuredContent`"
    INVALID_ACCEPTED "INVALID-ACCEPTED" Warning High Constraint
        "a tool accepts arguments that its own inputSchema refuses"
        "The arguments break one keyword of the tool's inputSchema and the tool answered with success. The schema states a rule that nobody keeps: \
         what an agent gets wrong is acted on without a word. Only members that the schema forbids: an info, as most validators drop them."
        "Validate the arguments against the inputSchema before acting on them, and refuse with `isError: true`; or widen the schema"
    INVALID_INTERNAL "INVALID-INTERNAL" Warning High Tool
        "invalid arguments are answered with an internal error"
        "The answer is JSON-RPC's -32603: something broke, where the arguments were wrong. The agent cannot learn from it what to correct."
        "Validate the arguments first, and say in a result with `isError: true` which of them is wrong and why"
    INVALID_PROTOCOL_ERROR "INVALID-PROTOCOL-ERROR" Info High Tool
        "invalid arguments are refused by an error that the model may not see"
        "Since 2025-11-25 wrong arguments are to be refused in a result with `isError: true`, which the model reads and can act on. An error of the protocol \
         (-32602) goes to the client, and many end the turn with it."
        "Refuse with `isError: true` and say what was wrong"
    ARGUMENT_IGNORED "ARGUMENT-IGNORED" Warning Medium Constraint
        "an argument makes no difference"
        "Two calls that differ in this argument alone, tried with every value at hand, brought the same result, while another argument of the same tool made a \
         difference or the arguments are the author's own (`--args`, `examples`). An argument that is declared and never read lets an agent believe that it \
         asked for something."
        "Read the argument, or remove it from the inputSchema; if the calls only happened to agree, give better ones with --args"
    ALL_IGNORED "ALL-IGNORED" Warning Low Tool
        "no argument of the tool makes any difference"
        "Calls that differ in every declared argument brought the same successful result, word for word. Either the tool does not read its arguments, or \
         the arguments tried meet nothing (a search without hits): then give it some with --args."
        "Read the arguments; or probe again with arguments that meet something: --args FILE"
    UNSTABLE "UNSTABLE" Info High Tool
        "the same call brings another result"
        "A read-only tool was called twice with the same arguments, at once, and answered differently. That is right for a clock and for chance; \
         elsewhere nothing that was read can be relied on. Whether arguments matter cannot be told for such a tool."
        "Nothing, if the result is meant to change; else find out what it depends on"
    RESULT_POISON "RESULT-POISON" Error Medium Agent
        "a result gives orders to the agent"
        "An agent reads results as it reads descriptions. The POISON rules were run over every text that came back (blocks, embedded resources and links to \
         them, `structuredContent` with its keys, `_meta`, errors with their `data`; not the bytes of pictures, sounds and blobs), and one of them fired: the \
         message says which. Of several, the gravest is said. One megabyte of a tool's answers is searched; what is longer is no clean result. A tool that returns what others wrote (mail, pages, issues) can return such text without fault of its own."
        "Find out where the text comes from; mark or clean what others wrote before it is returned"
    RESULT_OUTSIZED "RESULT-OUTSIZED" Warning High Agent
        "a result is larger than agents take"
        "The texts of one answer hold more than 100,000 bytes, some 25,000 tokens, which is where clients cut off or refuse. The rest of the \
         conversation is pushed out of the context."
        "Return less by default, and take a limit and a cursor as arguments"
    LIMIT_EXCEEDED "LIMIT-EXCEEDED" Warning Medium Constraint
        "more results come back than a cap allows"
        "An argument says by its name (`limit`, `max_results`, `page_size`, `top_k`) or its description (\"how many notes to return\") how many results may come \
         back. One call brought more than a small cap; the same call with that cap brought a list that is longer than it. An agent that asks for three \
         gets all, and pays for them. It fires only where it is clear which list is meant: the one list of the result, or the one that became shorter."
        "Apply the cap to what is returned; or, if it caps something else, say in its description what"
    LISTING_CHANGED "LISTING-CHANGED" Error High Agent
        "the listing is another one after the tools were called"
        "A tool that was approved says something else later: a \"rug pull\". The listing was fetched before the first call and after the last one: tools, each as often \
         as it is listed, prompts, the instructions, and what is said of a resource that is listed both times. Where the server announced the change \
         (`notifications/tools/list_changed`) it is a warning."
        "Publish one listing; if tools come and go by design, announce it, and do not change what a tool says of itself"
}
