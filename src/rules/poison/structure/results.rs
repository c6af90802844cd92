//! Results whose text is to be carried out as though the user had said it.

use super::{EVENIF, NOASK, OBEYS, ORDERNOUN, Place, RESULTWORD, Sentence, THISENTRY};
use crate::rules::poison::lexicon::{self, Hit};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::sync::LazyLock;

const ABOVE: &[&str] =
    &["above this text", "above this description", "over this text", "over this description"];
const DOES: &[&str] = &["execute", "executes", "perform", "performs", "carry out", "carries out", "run"];
/// Without asking, before the user's own wishes, whatever it says, with all tools, and unseen.
const HARD: &[&str] = &[
    "without checking",
    "without asking",
    "isn't sought",
    "is not sought",
    "tools at hand",
    "with all tools",
    "shell included",
    "straight away",
    "priority over",
    "priorite sur",
    "prioridad sobre",
    "vorrang vor",
    "prioridade sobre",
    "priorita su",
    "outrank",
    "above the user",
    "over the user",
    "onay isteme",
    "onay almadan",
    "sin consultar",
    "sans consulter",
    "ohne ruckfrage",
    "не спрашивая",
    "无需确认",
    "確認なし",
    "from memory",
    "ne pas les citer",
];
const TASK: &[&str] = &[
    "task",
    "asks for something",
    "what it asks",
    "shell line",
    "command line",
    "work order",
    "yazani",
    "tarea",
    "tache",
    "aufgabe",
    "задани",
    "任务",
    "タスク",
    "작업",
];
const DONE: &[&str] = &[
    "carry that",
    "carry it",
    "carry them",
    "executes it",
    "execute it",
    "perform it",
    "done straight away",
    "fulfil",
    "yerine getir",
    "les appliquer",
    "l'appliquer",
    "fuhre sie aus",
    "fuhre ihn aus",
    "cumplela",
    "выполни",
    "выполняй",
];
const DATA: &[&str] = &[
    "page",
    "comment",
    "issue",
    "mail",
    "alani",
    "campo",
    "champ",
    "feld",
    "supplied by",
    "it contains",
    "it arrives",
];
const REFUSED: &[&str] =
    &["do not follow", "never follow", "don't follow", "do not execute", "never execute", "untrusted"];
const AS_USER: &[&str] = &[
    "as though the",
    "as if the",
    "as if you",
    "como si",
    "comme si",
    "als ob",
    "als hatte",
    "como se",
    "come se",
    "coming from the developer",
    "coming from the user",
    "istegiymis gibi",
    "будто",
    "как если бы",
    "当作",
    "視為",
    "jakby",
];

/// The phrases of `DONE` and `AS_USER`: nearly no sentence holds one, so they are looked for in one go.
static DONE_OR_AS_USER: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let mut builder = AhoCorasick::builder();
    // Small, and quickly made: a short run needs it once or twice. Only with leftmost matches are the phrases sought
    // sixteen bytes at a time.
    builder.kind(Some(AhoCorasickKind::ContiguousNFA)).match_kind(MatchKind::LeftmostFirst);
    builder.build(DONE.iter().chain(AS_USER)).ok()
});

/// What comes back is to be done as though the user had said it. The words of a list are looked for when all that is
/// known already allows it.
pub(super) fn obeyed(place: &Place<'_>) -> bool {
    let s = place.s;
    let near = |text: &str, list: &[&str]| list.iter().any(|w| text.contains(w));
    let nearby = |list: &[&str]| near(s.text, list) || place.before.is_some_and(|b| near(b.text, list));
    let orders = s.class & ORDERNOUN != 0 || s.said & lexicon::INSTR != 0;
    let linked = || {
        let address = lexicon::URL | lexicon::HOST;
        s.said & address != 0 || place.before.is_some_and(|b| b.said & address != 0)
    };
    if orders && s.said & lexicon::SUPERSEDE != 0 && s.said & lexicon::USER != 0 && linked() {
        return true;
    }
    let result = place.class_near() & RESULTWORD != 0 || s.said & lexicon::RETURNED != 0;
    let of_data = || result || s.said & lexicon::ARG != 0 || nearby(DATA);
    let hard = || {
        s.class & (NOASK | EVENIF) != 0
            || s.said & lexicon::REGARDLESS != 0
            || near(s.text, HARD)
            || place.after.is_some_and(|a| near(a.text, HARD))
    };
    let earlier = |b: &Sentence<'_>| b.class & ORDERNOUN != 0 || b.said & lexicon::INSTR != 0;
    let task = || orders || place.before.is_some_and(earlier) || nearby(TASK);
    let refused = || s.kinds(OBEYS).any(|h| forbids(s, h)) || near(s.text, REFUSED);
    let acts = acts(s);
    if !acts && DONE_OR_AS_USER.as_ref().is_some_and(|phrases| !phrases.is_match(s.text)) {
        return false;
    }
    if (acts || near(s.text, DONE)) && of_data() && task() && hard() && !refused() {
        return true;
    }
    let above = || s.class & THISENTRY != 0 && s.said & lexicon::SUPERSEDE != 0 || near(s.text, ABOVE);
    (result && acts && above())
        || near(s.text, AS_USER)
            && (result && acts && (orders || s.said & lexicon::FOLLOW != 0) || of_data() && hard())
}

/// A negation stands where it governs `hit`.
fn forbids(s: &Sentence<'_>, hit: &Hit) -> bool {
    s.saying(lexicon::NEG).any(|n| {
        if n.english {
            n.token <= hit.token && hit.token - n.token <= 4
        } else {
            n.token.abs_diff(hit.token) <= 6
        }
    })
}

/// Something is followed, executed or performed.
fn acts(s: &Sentence<'_>) -> bool {
    let does = |h: &Hit| !forbids(s, h) && (h.mask() & OBEYS != 0 || DOES.contains(&s.words_of(h)));
    let follows = |h: &Hit| {
        let word = s.words_of(h);
        !forbids(s, h)
            && (h.mask() & lexicon::FOLLOW != 0
                || word.starts_with("execut")
                || word.starts_with("perform")
                || !h.english)
    };
    s.kinds(OBEYS).any(does) || s.saying(lexicon::FOLLOW | lexicon::EXEC | lexicon::CALL).any(follows)
}
