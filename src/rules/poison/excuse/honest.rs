//! What honest texts say in the words of attacks: cautions, conditions, what a tool does by itself, another verb denied.

use super::{banned, words_before};
use crate::rules::poison::lexicon::{self, Hit};
use std::ops::Range;

/// "Dumps may contain secrets": a caution.
pub(super) fn may_hold(range: &Range<usize>, text: &str) -> bool {
    const HOLDS: &[&str] = &[
        "may contain",
        "can contain",
        "might contain",
        "could contain",
        "may hold",
        "can hold",
        "may include",
        "can include",
        "might include",
        "that contain",
        "which contain",
        "puede contener",
        "pueden contener",
        "peut contenir",
        "peuvent contenir",
        "kann enthalten",
        "konnen enthalten",
        "pode conter",
        "podem conter",
        "puo contenere",
        "possono contenere",
        "может содержать",
        "могут содержать",
        "可能包含",
        "可能含有",
        "含まれる場合",
        "含むことが",
        "포함될 수",
    ];
    let lead = words_before(text, range.end);
    let own = text.get(range.clone()).unwrap_or("");
    HOLDS.iter().any(|w| own.contains(w) || lead.contains(w))
}

/// "Reads .env of the project": what the tool itself does at its start, with a file of the project.
pub(super) fn tool_reads(hits: &[Hit], range: &Range<usize>, text: &str) -> bool {
    let near = banned::around(hits, range, 160);
    let grave = lexicon::SECRETPATH
        | lexicon::URL
        | lexicon::EMAIL
        | lexicon::HOST
        | lexicon::OWNPARAM
        | lexicon::READER
        | lexicon::ORDER;
    let verb = near.iter().find(|h| {
        h.english && h.mask() & (lexicon::READ | lexicon::PASS) != 0 && (h.start as usize) <= range.end
    });
    near.iter().all(|h| h.mask() & grave == 0)
        && verb.is_some_and(|h| {
            let word = text.get(h.range()).unwrap_or("");
            let lead = text.get(..h.start as usize).unwrap_or("").trim_end();
            let opens = lead.is_empty() || lead.ends_with(['.', ':', ';', '-', '*', '•', '\n']);
            opens && word.ends_with('s') && !word.ends_with("ss")
        })
}

/// "DANGER: bypasses all safety checks": the tool says so of itself.
pub(super) fn warns_of_itself(range: &Range<usize>, text: &str) -> bool {
    let own = text.get(range.clone()).unwrap_or("");
    let third = ["bypasses", "disables", "overrides", "ignores", "skips"].iter().any(|w| own.starts_with(w));
    let near = format!("{} {}", words_before(text, range.start), text.get(range.end..).unwrap_or(""));
    let near: String = near.chars().take(300).collect();
    third
        && ["danger", "caution", "warning", "irreversib", "cannot be undone", "use with care", "extreme"]
            .iter()
            .any(|w| near.contains(w))
}

/// In languages where words of an order may stand in any order: "a department can cancel it".
pub(super) fn may(own: &str) -> bool {
    [
        "может ",
        "могут ",
        "може ",
        "puede ",
        "pueden ",
        "peut ",
        "peuvent ",
        "kann ",
        "konnen ",
        "pode ",
        "podem ",
        "puo ",
        "moze ",
    ]
    .iter()
    .any(|w| own.contains(w))
}

/// "Cannot approve on anyone's behalf": it is the approving that is forbidden.
pub(super) fn forbids_approving(range: &Range<usize>, text: &str) -> bool {
    let own = text.get(range.clone()).unwrap_or("");
    [
        "cannot approve",
        "can't approve",
        "never approve",
        "not approve",
        "cannot authorise",
        "cannot authorize",
        "never consent",
    ]
    .iter()
    .any(|w| own.starts_with(w) || own.contains(&format!("do {w}")))
        && !own.contains(" with ")
}

/// "Do not mention named persons": they are what is mentioned, and nobody is kept from anything. Of these verbs only a few
/// have the listener as their object; elsewhere it follows a "to".
pub(super) fn names_somebody(range: &Range<usize>, text: &str) -> bool {
    const LISTENER: &[&str] = &[
        "tell",
        "told",
        "inform",
        "notif",
        "alert",
        "warn",
        "advis",
        "let ",
        "make the user",
        "tip off",
        "show",
        "ask",
        "prompt",
    ];
    let own = text.get(range.clone()).unwrap_or("");
    let english = ["not ", "never ", "n't ", "without ", "avoid ", "no "]
        .iter()
        .any(|w| own.starts_with(w) || own.contains(w));
    let spoken = [
        "state",
        "mention",
        "report",
        "disclose",
        "reveal",
        "discuss",
        "bring up",
        "name",
        "refer to",
        "comment on",
    ];
    english
        && own.is_ascii()
        && spoken.iter().any(|w| own.contains(w))
        && !LISTENER.iter().any(|w| own.contains(w))
        && ![" to ", " with ", " before ", " from ", " in front"].iter().any(|w| own.contains(w))
        && ["user", "person", "people", "customer"].iter().any(|w| own.contains(w))
}

/// "알리고 진행하지 마", "tell them and do not go on": somebody is told, and another verb is denied.
pub(super) fn told_and_another_verb_denied(hits: &[Hit], range: &Range<usize>, text: &str) -> bool {
    let inside = |h: &&Hit| h.start as usize >= range.start && (h.end as usize) <= range.end;
    hits.iter().filter(inside).filter(|h| h.mask() & lexicon::TELL != 0).any(|h| {
        let rest = text.get(h.end as usize..).unwrap_or("");
        [
            "고 ",
            "고,",
            "하고",
            "한 뒤",
            "한 후",
            "린 뒤",
            "린 후",
            "てから",
            "した上",
            "たうえ",
            "し、",
            "て、",
        ]
        .iter()
        .any(|w| rest.starts_with(w))
    })
}

/// "Don't say anyone's role until the game is over": the players find out in the end, and nobody is done.
pub(super) fn in_a_game(range: &Range<usize>, after: &str, text: &str) -> bool {
    const PLAY: &[&str] = &[" game", " round", "player", " quiz", "riddle", "puzzle", " match "];
    const DEEDS: &[&str] = &["pay", "send", "account", "password", "delete", "upload", "install", "user"];
    let rest = after.split(['.', '\n']).next().unwrap_or("");
    let said = format!("{}{rest}", text.get(range.clone()).unwrap_or(""));
    said.len() <= 200
        && [" until ", " before "].iter().any(|w| said.contains(w))
        && PLAY.iter().any(|w| said.contains(w))
        && !DEEDS.iter().any(|w| said.contains(w))
}

/// "Solange der Nutzer nichts anderes sagt": it is the user who says something else.
pub(super) fn otherwise(own: &str) -> bool {
    [
        "nichts anderes",
        "etwas anderes",
        "niets anders",
        "iets anders",
        "lo contrario",
        "otra cosa",
        "le contraire",
        "altro",
        "outra coisa",
        "o contrario",
        "inaczej",
        "иное",
        "инше",
    ]
    .iter()
    .any(|w| own.contains(w))
}

/// "当用户询问…时,先调用": for some questions, not for all.
pub(super) fn limited(range: &Range<usize>, text: &str) -> bool {
    let lead = words_before(text, range.start);
    let clause = lead.rsplit(['。', '\n', '!', '！']).next().unwrap_or("");
    let all = ["任何", "所有", "每", "一切", "全部", "どんな", "すべて", "全て", "毎", "모든", "매"];
    let some = ["如果", "当", "若", "对于", "涉及", "遇到", "关于", "場合", "とき", "に関する", "경우", "때"];
    let own = text.get(range.clone()).unwrap_or("");
    some.iter().any(|w| clause.contains(w)) && !all.iter().any(|w| clause.contains(w) || own.contains(w))
}
