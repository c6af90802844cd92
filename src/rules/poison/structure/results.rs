//! Results whose text is to be carried out as though the user had said it.

use super::{EVENIF, NOASK, OBEYS, ORDERNOUN, Place, RESULTWORD, THISENTRY};
use crate::rules::poison::lexicon::{self, Hit};

/// What comes back is to be done as though the user had said it.
pub(super) fn obeyed(place: &Place<'_>) -> bool {
    let s = place.s;
    let forbids = |h: &Hit| {
        s.saying(lexicon::NEG).any(|n| {
            if n.english {
                n.token <= h.token && h.token - n.token <= 4
            } else {
                n.token.abs_diff(h.token) <= 6
            }
        })
    };
    let result = place.class_near() & RESULTWORD != 0 || s.said & lexicon::RETURNED != 0;
    let orders = s.class & ORDERNOUN != 0 || s.said & lexicon::INSTR != 0;
    let above = s.class & THISENTRY != 0 && s.said & lexicon::SUPERSEDE != 0
        || ["above this text", "above this description", "over this text", "over this description"]
            .iter()
            .any(|w| s.text.contains(w));
    let does = |h: &Hit| {
        let word = s.words_of(h);
        !forbids(h)
            && (h.mask() & (OBEYS) != 0
                || ["execute", "executes", "perform", "performs", "carry out", "carries out", "run"]
                    .contains(&word))
    };
    let acts = s.kinds(OBEYS).any(does)
        || s.saying(lexicon::FOLLOW | lexicon::EXEC | lexicon::CALL).any(|h| {
            let word = s.words_of(h);
            !forbids(h)
                && (h.mask() & lexicon::FOLLOW != 0
                    || word.starts_with("execut")
                    || word.starts_with("perform")
                    || !h.english)
        });
    let near = |text: &str, list: &[&str]| list.iter().any(|w| text.contains(w));
    let both = |list: &[&str]| near(s.text, list) || place.after.is_some_and(|a| near(a.text, list));
    // Without asking, before the user's own wishes, whatever it says, with all tools, and unseen.
    let hard = s.class & (NOASK | EVENIF) != 0
        || s.said & lexicon::REGARDLESS != 0
        || both(&[
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
        ]);
    let earlier = place.before.map_or("", |b| b.text);
    let earlier_orders =
        place.before.is_some_and(|b| b.class & ORDERNOUN != 0 || b.said & lexicon::INSTR != 0);
    let nearby = |list: &[&str]| near(s.text, list) || near(earlier, list);
    let task = orders
        || earlier_orders
        || nearby(&[
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
        ]);
    let done = acts
        || near(
            s.text,
            &[
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
            ],
        );
    let place_of_data = result
        || s.said & lexicon::ARG != 0
        || nearby(&[
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
        ]);
    let refused = s.kinds(OBEYS).any(forbids)
        || near(
            s.text,
            &[
                "do not follow",
                "never follow",
                "don't follow",
                "do not execute",
                "never execute",
                "untrusted",
            ],
        );
    if place_of_data && task && done && hard && !refused {
        return true;
    }
    let as_user = [
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
    ]
    .iter()
    .any(|w| s.text.contains(w));
    let linked = s.said & (lexicon::URL | lexicon::HOST) != 0
        || place.before.is_some_and(|b| b.said & (lexicon::URL | lexicon::HOST) != 0);
    let outranks = orders && s.said & lexicon::SUPERSEDE != 0 && s.said & lexicon::USER != 0 && linked;
    outranks
        || (place_of_data && as_user && hard)
        || (result && above && acts)
        || (result && orders && acts && as_user)
        || (result && acts && as_user && s.said & lexicon::FOLLOW != 0)
}
