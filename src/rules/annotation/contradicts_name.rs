//! MCP-ANNOTATION-CONTRADICTS-NAME: the annotations say one thing, name and description another.

use super::acts::{self, Claim, Ground};
use super::dispatch;
use super::hints::Hints;
use super::prose;
use super::verbs::{Act, Weight};
use crate::finding::{Confidence, Impact, Severity};
use crate::rules::{ManifestView, Rule, RuleInfo, Sink, ToolView, say};

pub(super) struct ContradictsName;

static INFO: RuleInfo = RuleInfo {
    id: "MCP-ANNOTATION-CONTRADICTS-NAME",
    severity: Severity::Warning,
    confidence: Confidence::Medium,
    impact: Impact::Agent,
    summary: "A tool's annotations say the opposite of its name and description",
    rationale: "Hosts let read-only tools run without asking. A `delete_…` or `send_…` tool that is marked
read-only slips through that door, by mistake or on purpose. The other way round, a `list_…` tool
that is marked destructive makes the host ask before every harmless call, until people confirm
without reading.

The rule looks for the verb that governs the name (first, last or after the server's prefix;
`get_deleted_items` reads, `list_drop_zones` reads, `email_send` sends) and for the verb that the
description begins with. What the two agree on is a warning with high confidence; an unmistakable
verb in the name alone is a warning; anything weaker is information: verbs that are as often nouns
(set, post, run), verbs that may leave the system alone (start, save, export), things that only
exist in the answer (create a *plan*). It is silent where the name asks or rehearses (`can_delete`,
`preview_send`), where the description promises that nothing changes, and where a tool works on the
text it is given instead of on something stored.

Two sentences count whatever the name: that the tool \"does not change anything\" (and is marked
destructive), and that it reads something \"and deletes it\" (and is marked read-only).

Three contradictions are reported: marked read-only and writes; counted as destructive (stated, or
by default because only `readOnlyHint: false` is stated) and reads; marked as not destructive and
deletes.",
    help: "Set the hint to what the tool does, or give the tool the name of what it does",
    bad: r#"{
  "tools": [
    {
      "name": "delete_mailbox",
      "description": "Delete a mailbox and every message in it.",
      "inputSchema": {
        "type": "object",
        "properties": {"mailbox": {"type": "string", "description": "Name of the mailbox."}},
        "required": ["mailbox"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": true}
    }
  ]
}"#,
    good: r#"{
  "tools": [
    {
      "name": "delete_mailbox",
      "description": "Delete a mailbox and every message in it.",
      "inputSchema": {
        "type": "object",
        "properties": {"mailbox": {"type": "string", "description": "Name of the mailbox."}},
        "required": ["mailbox"],
        "additionalProperties": false
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": true}
    }
  ]
}"#,
    sources: &[
        "https://github.com/TeraSky-OSS/backstage-plugins/issues/193",
        "https://github.com/DeusData/codebase-memory-mcp/issues/2118",
        "https://modelcontextprotocol.io/specification/2026-07-28/schema#toolannotations",
    ],
};

impl Rule for ContradictsName {
    fn info(&self) -> &'static RuleInfo {
        &INFO
    }

    fn tool(&self, tool: &ToolView<'_>, _manifest: &ManifestView<'_>, out: &mut Sink<'_>) {
        let Some(hints) = Hints::of(tool) else { return };
        let claim = acts::of(tool);
        let innocent = claim.is_none_or(|c| c.verb.act == Act::Reads);
        if innocent && let Some((hint, message, level)) = against_description(tool, hints) {
            let finding = out.emit(tool.at(hint), message);
            (finding.severity, finding.confidence) = level;
            return;
        }
        let Some(claim) = claim else { return };
        let verdict = if claim.verb.act == Act::Reads {
            reads_but(hints, &claim).map(|level| ("destructive", level))
        } else if hints.read_only == Some(true) {
            writes_but(tool, &claim).map(|level| ("read-only", level))
        } else if hints.destructive == Some(false) {
            destroys_but(&claim).map(|level| ("not destructive", level))
        } else {
            None
        };
        let Some((marked, (severity, confidence))) = verdict else { return };
        let marked = match (marked, hints.destructive) {
            ("destructive", None) => "not read-only, which counts as destructive,",
            ("destructive", Some(false)) => "not read-only",
            (marked, _) => marked,
        };
        let whose = match claim.ground {
            Ground::Agreed => "name and description say",
            Ground::Named | Ground::Disputed => "name says",
            Ground::Described => "description says",
        };
        let (verb, says) = (claim.verb.word, claim.verb.act.says());
        let message =
            format!("{} is marked {marked} but its {whose} (`{verb}`) that it {says}", say::tool(tool));
        let hint = match marked {
            "read-only" => "/annotations/readOnlyHint",
            _ if hints.destructive.is_some() => "/annotations/destructiveHint",
            _ => "/annotations/readOnlyHint",
        };
        let finding = out.emit(tool.at(hint), message);
        (finding.severity, finding.confidence) = (severity, confidence);
    }
}

/// Sentences that settle it by themselves: nothing is changed, or something is deleted besides.
fn against_description(tool: &ToolView<'_>, hints: Hints) -> Option<(&'static str, String, Level)> {
    let who = say::tool(tool);
    if hints.destructive == Some(true) && hints.counts_as_destructive() && prose::claims_to_be_harmless(tool)
    {
        let message = format!("{who} is marked destructive but its description says that nothing is changed");
        return Some(("/annotations/destructiveHint", message, LIKELY));
    }
    if hints.read_only == Some(true) && !prose::is_bound_to_reading(tool) {
        let verb = prose::also_does(tool)?;
        let (word, says) = (verb.word, verb.act.says());
        let message = format!("{who} is marked read-only but its description says (`{word}`) that it {says}");
        // What is sent may be the answer.
        let level = if verb.act == Act::Sends { PERHAPS } else { LIKELY };
        return Some(("/annotations/readOnlyHint", message, level));
    }
    None
}

type Level = (Severity, Confidence);
const SURE: Level = (Severity::Warning, Confidence::High);
const LIKELY: Level = (Severity::Warning, Confidence::Medium);
const PERHAPS: Level = (Severity::Info, Confidence::Low);

/// Marked read-only, and the words say that it writes.
fn writes_but(tool: &ToolView<'_>, claim: &Claim) -> Option<Level> {
    let act = claim.verb.act;
    if prose::is_bound_to_reading(tool) || dispatch::of(tool).is_some() {
        return None;
    }
    let promises = prose::promises_no_change(tool);
    let in_answer = act != Act::Sends && (prose::transforms_its_input(tool) || prose::makes_an_answer(tool));
    if act == Act::Runs || in_answer || !claim.is_strong() {
        // Running a test or making a plan may well leave everything as it is; a noun proves nothing alone.
        let founded = match claim.ground {
            Ground::Agreed => true,
            Ground::Named => !claim.verb.noun,
            Ground::Described | Ground::Disputed => false,
        };
        return (founded && !promises && !prose::transforms_its_input(tool)).then_some(PERHAPS);
    }
    match claim.ground {
        Ground::Agreed if promises => Some(PERHAPS),
        Ground::Agreed => Some(SURE),
        _ if promises => None,
        Ground::Named if is_grave(claim) => Some(LIKELY),
        // What a description sends may be a question to a model.
        Ground::Described if is_grave(claim) && act == Act::Destroys => Some(LIKELY),
        Ground::Named | Ground::Described => Some(PERHAPS),
        Ground::Disputed => None,
    }
}

/// Counted as destructive, and the words say that it reads.
fn reads_but(hints: Hints, claim: &Claim) -> Option<Level> {
    if hints.read_only == Some(true) {
        return None;
    }
    // With neither of the two hints stated there is nothing to contradict.
    let stated = hints.destructive == Some(true) || hints.read_only == Some(false);
    if !stated {
        return None;
    }
    match claim.ground {
        Ground::Agreed if !claim.is_strong() => hints.counts_as_destructive().then_some(PERHAPS),
        Ground::Agreed if hints.counts_as_destructive() && hints.destructive == Some(true) => Some(SURE),
        Ground::Agreed if hints.counts_as_destructive() => Some(LIKELY),
        Ground::Agreed => Some(PERHAPS),
        Ground::Named if hints.counts_as_destructive() && claim.is_strong() => Some(PERHAPS),
        _ => None,
    }
}

/// Marked as not destructive, and the words say that it deletes.
fn destroys_but(claim: &Claim) -> Option<Level> {
    if claim.verb.act != Act::Destroys || claim.verb.weight == Weight::Weak {
        return None;
    }
    match claim.ground {
        Ground::Agreed | Ground::Named if is_grave(claim) => Some(LIKELY),
        // What is removed from a list, revoked or killed may come back.
        Ground::Agreed | Ground::Named => Some(PERHAPS),
        Ground::Described | Ground::Disputed => None,
    }
}

/// Verbs after which something is gone, or out of the house.
fn is_grave(claim: &Claim) -> bool {
    matches!(
        claim.verb.word,
        "delete"
            | "destroy"
            | "erase"
            | "wipe"
            | "purge"
            | "truncate"
            | "drop"
            | "overwrite"
            | "uninstall"
            | "send"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::testing::{check, places};
    use serde_json::{Value, json};

    fn say(name: &str, description: &str, annotations: &Value) -> Option<Severity> {
        let tool = json!({"name": name, "description": description, "annotations": annotations,
            "inputSchema": {"type": "object", "properties": {"id": {"type": "string"}}}});
        let found = check(&ContradictsName, &tool);
        assert!(found.len() < 2);
        found.first().map(|f| f.severity)
    }

    #[test]
    fn read_only_lies() {
        let lie = json!({"readOnlyHint": true});
        let warning = Some(Severity::Warning);
        for (name, description) in [
            ("delete_user", "Delete a user."),
            ("delete_user", ""),
            ("deleteUser", "The user with this id."),
            ("github_delete_repo", "Deletes a repository for ever."),
            ("drop_table", "Drop a table"),
            ("remove_member", "Removes a member from the team."),
            ("send_email", "Send an e-mail."),
            ("communication_email_send", "Send emails to one or multiple recipients"),
            ("update_webhook", "Updates the webhook."),
            ("create_review", "Creates a new review."),
            ("reject_review", "Rejects a review by id."),
            ("cancel_run", "Cancel a run"),
            ("cleanup", "Permanently deletes all temporary files."),
        ] {
            assert_eq!(say(name, description, &lie), warning, "{name}: {description}");
        }
    }

    #[test]
    fn the_second_half_of_a_sentence_can_be_the_lie() {
        let lie = json!({"readOnlyHint": true});
        assert_eq!(
            say("read_inbox", "Reads the inbox and deletes what was read.", &lie),
            Some(Severity::Warning)
        );
        assert_eq!(
            say("inbox", "Shows the inbox, then sends it to the archive.", &lie),
            Some(Severity::Info)
        );
        assert_eq!(say("read_inbox", "Reads the inbox and returns it.", &lie), None);
    }

    #[test]
    fn weak_words_are_information_at_most() {
        let read_only = json!({"readOnlyHint": true});
        for (name, description) in [
            ("browser_start_tracing", "Start trace recording"),
            ("run_test", "Run a test"),
            ("chat", "Sends a message to the model"),
            ("execute_suite", "Execute a suite"),
            ("create_plan", "Create a composition plan for music."),
            ("reset_view", "Resets the view."),
            ("update_user", ""),
        ] {
            assert_eq!(say(name, description, &read_only), Some(Severity::Info), "{name}: {description}");
        }
    }

    #[test]
    fn innocent_names_are_left_alone() {
        let read_only = json!({"readOnlyHint": true, "destructiveHint": false});
        for (name, description) in [
            ("get_deleted_items", "Get deleted items."),
            ("list_drop_zones", "Lists all drop zones"),
            ("execute_query", "Execute a read-only SQL query."),
            ("run_query", "Runs SELECT queries only"),
            ("can_delete", "Check whether a user can be deleted."),
            ("preview_delete", "Shows what would be deleted"),
            ("delete_user", "Dry run: shows what would be deleted."),
            ("kill_switch_status", "Tells whether the kill switch is on."),
            ("deploy_plan_get", "Creates a deployment plan for an application."),
            ("extension_cli_install", "Provide installation instructions"),
            ("drop_rate", "Drop rate of an item."),
            ("get_merge_request", "Get a merge request"),
            ("discourse_read_post", "Read a post"),
            ("deploy_diagram_generate", "Generates a diagram."),
            ("trigger-long-running-operation", "Demonstrates progress."),
            ("kusto_query", "Execute a query against the cluster."),
        ] {
            assert_eq!(say(name, description, &read_only), None, "{name}: {description}");
        }
        let transforms = json!({"name": "remove_duplicates", "description": "Remove duplicate lines.",
            "annotations": {"readOnlyHint": true}, "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}});
        assert!(check(&ContradictsName, &transforms).is_empty());
    }

    #[test]
    fn reads_that_count_as_destructive() {
        let destructive = json!({"readOnlyHint": false, "destructiveHint": true});
        assert_eq!(
            say("list_clusters", "List clusters. Does not change anything.", &destructive),
            Some(Severity::Warning)
        );
        assert_eq!(say("getProviderDocs", "Fetches documentation", &destructive), Some(Severity::Warning));
        assert_eq!(say("get_task", "Get a task", &json!({"readOnlyHint": false})), Some(Severity::Warning));
        assert_eq!(say("get_task", "", &destructive), Some(Severity::Info));
        assert_eq!(say("validate_config", "Validates a file.", &destructive), Some(Severity::Info));
        assert_eq!(
            say("cluster", "Overview. Does not modify any data.", &destructive),
            Some(Severity::Warning)
        );
        assert_eq!(
            say("get_task", "Get a task", &json!({"readOnlyHint": false, "destructiveHint": false})),
            Some(Severity::Info)
        );
        for quiet in [
            json!({"openWorldHint": true}),
            json!({"readOnlyHint": true, "destructiveHint": true}),
            json!({}),
        ] {
            assert_eq!(say("get_task", "Get a task", &quiet), None, "{quiet}");
        }
        for (name, description) in [
            ("search_and_replace", "Search for text and replace all occurrences."),
            ("git_fetch", "Fetch updates from a remote repository."),
            ("create_view", "Create a new board view"),
            ("delete-list-item", "Removes an item from a list"),
        ] {
            assert_eq!(say(name, description, &destructive), None, "{name}");
        }
    }

    #[test]
    fn deletes_that_are_said_not_to_destroy() {
        let tame = json!({"readOnlyHint": false, "destructiveHint": false});
        assert_eq!(say("delete_user", "Delete a user.", &tame), Some(Severity::Warning));
        assert_eq!(say("remove_from_cart", "Remove an item from the cart", &tame), Some(Severity::Info));
        assert_eq!(say("create_user", "Create a user", &tame), None);
    }

    #[test]
    fn the_place_is_the_hint() {
        let tool = |a: Value| json!({"name": "delete_x", "description": "Delete x.", "annotations": a});
        let at = |a: Value| places(&check(&ContradictsName, &tool(a))).first().map(|p| p.0.to_string());
        assert_eq!(at(json!({"readOnlyHint": true})).as_deref(), Some("/tools/0/annotations/readOnlyHint"));
        assert_eq!(
            at(json!({"destructiveHint": false})).as_deref(),
            Some("/tools/0/annotations/destructiveHint")
        );
    }
}
