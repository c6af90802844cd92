//! What a tool does, as its name and the start of its description say.
//!
//! Names are short and English is full of words that are verbs and nouns, so one word proves little:
//! `get_deleted_items` reads, `list_drop_zones` reads, `deploy_plan_get` reads, `mailing_list_add`
//! adds. The reading of a name is held against the first verb of the description, and what the two
//! agree on is surer than either.

use super::prose;
use super::verbs::{self, Act, Verb, Weight};
use crate::rules::ToolView;
use crate::rules::name::words;
use serde_json::Value;

/// How well a claim is founded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ground {
    /// Name and description say opposite things.
    Disputed,
    /// The description alone says so.
    Described,
    /// The name alone says so.
    Named,
    /// Name and description agree.
    Agreed,
}

/// What a tool seems to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Claim {
    /// The verb of the name, or of the description where the name has none.
    pub verb: Verb,
    pub ground: Ground,
    /// The verb that the description begins with.
    pub lead: Option<Verb>,
}

impl Claim {
    /// Whether name or description use a word that hardly means anything else.
    pub fn is_strong(&self) -> bool {
        let strong = |v: &Verb| v.weight == Weight::Strong && v.act.writes() == self.verb.act.writes();
        strong(&self.verb) || self.lead.as_ref().is_some_and(strong)
    }
}

/// What name and description of the tool say it does, if they say anything.
pub(super) fn of(tool: &ToolView<'_>) -> Option<Claim> {
    let description = tool.tool.value.get("description").and_then(Value::as_str).unwrap_or_default();
    claim(tool.tool.name().unwrap_or_default(), description)
}

fn claim(name: &str, description: &str) -> Option<Claim> {
    let words = words::of(name);
    let lead = prose::lead(description);
    let same_side = |verb: &Verb| lead.map(|l| l.act.writes() == verb.act.writes());
    match named(&words) {
        Named::Nothing => {
            let verb = lead.filter(|l| l.weight == Weight::Strong)?;
            Some(Claim { verb, ground: Ground::Described, lead })
        }
        // `can_delete`, `preview_send`: whatever comes after is only asked about
        Named::Rehearsal => None,
        Named::Clearly(verb) => {
            let ground = match same_side(&verb) {
                Some(true) => Ground::Agreed,
                Some(false) => Ground::Disputed,
                None => Ground::Named,
            };
            Some(Claim { verb, ground, lead })
        }
        // The same word, or another one for the same thing, settles it.
        Named::Perhaps(verb) if lead.is_some_and(|l| l.act == verb.act) => {
            Some(Claim { verb, ground: Ground::Agreed, lead })
        }
        Named::Perhaps(verb) => match same_side(&verb) {
            Some(true) => Some(Claim { verb, ground: Ground::Named, lead }),
            Some(false) => Some(Claim { verb: lead?, ground: Ground::Described, lead }),
            None => None,
        },
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Named {
    Nothing,
    Rehearsal,
    Clearly(Verb),
    Perhaps(Verb),
}

/// The governing verb of a name.
fn named(words: &[String]) -> Named {
    let found: Vec<(usize, Verb)> = words
        .iter()
        .enumerate()
        .filter_map(|(i, word)| verbs::base(word).map(|verb| (i, verb)))
        // `git_fetch` writes, `check_in` and `check_out` do
        .filter(|(i, verb)| !is_idiom(words, *i, verb.word))
        .collect();
    let Some(&(first_at, first)) = found.first() else { return Named::Nothing };
    let rehearses = |w: &&String| verbs::REHEARSALS.contains(&w.as_str());
    if words.iter().take(first_at + 1).find(rehearses).is_some() {
        // `validate_config` reads; of `can_delete` and `dry_run` nothing is known.
        let only_reads = found.iter().all(|(_, verb)| verb.act == Act::Reads);
        return if only_reads { Named::Clearly(first) } else { Named::Rehearsal };
    }
    // `find_and_replace`, `get_or_create`: the second half is what matters.
    let joined = found.iter().find(|(i, verb)| {
        verb.act.writes()
            && i.checked_sub(1).and_then(|j| words.get(j)).is_some_and(|w| matches!(w.as_str(), "and" | "or"))
    });
    if let Some((_, verb)) = joined {
        return Named::Clearly(*verb);
    }
    // `mailing_list_add_member`: a noun in the middle gives way to a verb after it.
    let after = found.iter().skip(1).find(|(_, v)| !v.noun).copied();
    let (at, verb) = match after {
        Some(later) if first.noun && first_at > 0 => later,
        _ => (first_at, first),
    };
    // `deploy_plan_get`, `view_delete`: the verb stands last and the first word is its object.
    let last = found.last().copied().filter(|(i, v)| *i + 1 == words.len() && !v.noun);
    if let Some((last_at, tail)) = last
        && last_at != at
    {
        return if verb.noun { Named::Clearly(tail) } else { Named::Perhaps(verb) };
    }
    // A noun that stands alone, in the middle or at the end of a name is not known to be a verb.
    let is_compound = verb.act.writes()
        && words.len() > at + 1
        && words.last().is_some_and(|w| verbs::FACTS.contains(&w.as_str()));
    let is_noun = verb.noun && (at > 0 || words.len() == 1);
    if is_compound || is_noun { Named::Perhaps(verb) } else { Named::Clearly(verb) }
}

/// Whether the word at `i` means something else together with a neighbour.
fn is_idiom(words: &[String], i: usize, word: &str) -> bool {
    let next = words.get(i + 1).map_or("", String::as_str);
    let has = |w: &str| words.iter().any(|x| x == w);
    match word {
        "check" => matches!(next, "in" | "out"),
        "fetch" => has("git"),
        "read" => matches!(next, "receipt" | "only"),
        "set" => matches!(next, "of"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(name: &str, description: &str) -> Option<(Act, Ground)> {
        claim(name, description).map(|c| (c.verb.act, c.ground))
    }

    #[test]
    fn names_are_read_by_their_governing_verb() {
        use Act::*;
        for (name, expected) in [
            ("delete_user", Some(Destroys)),
            ("github_delete_repo", Some(Destroys)),
            ("file.delete", Some(Destroys)),
            ("communication_email_send", Some(Sends)),
            ("deleteUser", Some(Destroys)),
            ("remove-member", Some(Destroys)),
            ("get_deleted_items", Some(Reads)),
            ("list_drop_zones", Some(Reads)),
            ("get_merge_request_diffs", Some(Reads)),
            ("deploy_plan_get", Some(Reads)),
            ("deploy_app_logs_get", Some(Reads)),
            ("genai-simulation-get-scenario-set", Some(Reads)),
            ("mailing_list_add_member", Some(Adds)),
            ("view_delete", Some(Destroys)),
            ("search_and_replace", Some(Changes)),
            ("get_or_create_token", Some(Adds)),
            ("create-sharepoint-list", Some(Adds)),
            ("can_i_deploy", None),
            ("preview_delete", None),
            ("validate_update", None),
            ("validate_config", Some(Reads)),
            ("estimate_cost", Some(Reads)),
            ("dry_run_delete", None),
            ("drop_rate", None),
            ("kill_switch_status", None),
            ("run", None),
            ("weather", None),
            ("git_fetch", None),
            ("check_out", None),
            ("project_updates", None),
        ] {
            assert_eq!(act(name, "").map(|(act, _)| act), expected, "{name}");
        }
    }

    #[test]
    fn the_description_settles_what_the_name_leaves_open() {
        use Act::*;
        assert_eq!(act("delete_user", "Permanently deletes a user."), Some((Destroys, Ground::Agreed)));
        assert_eq!(act("delete_user", "The user."), Some((Destroys, Ground::Named)));
        assert_eq!(act("delete_user", "Shows the page."), Some((Destroys, Ground::Disputed)));
        assert_eq!(act("drop_rate", "Returns the drop rate."), Some((Reads, Ground::Described)));
        assert_eq!(
            act("cleanup", "This tool deletes all temporary files."),
            Some((Destroys, Ground::Described))
        );
        assert_eq!(act("weather", "Weather at a place."), None);
        assert_eq!(act("delete_log", "Deletes a log."), Some((Destroys, Ground::Agreed)));
        assert_eq!(act("server_edit_item", "Edits an item."), Some((Changes, Ground::Agreed)));
        assert_eq!(act("stop_task", "Cancels a running task").map(|x| x.1), Some(Ground::Agreed));
        assert!(claim("stop_task", "Cancels a running task").unwrap().is_strong());
    }
}
