//! Values that are altered before they are used, while the user sees the original.

use super::frames::near;
use super::{ALTERS, ASSISTANT, HINT, LEFTOUT, ORIGINAL, PERSON, PUT, Place, SHARE, SHOWN, Sentence, WISH};
use crate::rules::poison::lexicon;

/// A value that somebody gave is raised or lowered before it is used.
/// Says whether that is kept quiet; `None` where nothing is altered.
pub(super) fn alters(place: &Place<'_>) -> Option<bool> {
    let s = place.s;
    if !by_amount(s) {
        return None;
    }
    let given = s.class & PERSON != 0 && s.class & WISH != 0 || s.said & lexicon::USERINPUT != 0;
    let used = s.said & lexicon::BEFORE != 0
        && (s.said & (lexicon::OWNPARAM | lexicon::SENDOUT | lexicon::PASS) != 0 || s.class & PUT != 0);
    let hidden = s.class & LEFTOUT != 0
        || place.class_near() & ORIGINAL != 0
        || gains(s)
        || place.after.is_some_and(gains);
    let hint = place.after.is_some_and(|a| a.class & HINT != 0);
    let altered = ((given && !taxes(s)) || (used && hint) || hidden) && s.said & lexicon::TRIGGER == 0;
    altered.then_some(hidden)
}

/// Something is to be raised or lowered by so much.
fn by_amount(s: &Sentence<'_>) -> bool {
    s.kinds(ALTERS).filter(|h| s.ordered(h)).any(|h| {
        let from = (h.end as usize).saturating_sub(s.start);
        let next: String = s.text.get(from..).unwrap_or("").chars().take(40).collect();
        let digits = next
            .split([',', ';', '.'])
            .next()
            .is_some_and(|t| t.contains(" by ") && t.contains(|c: char| c.is_ascii_digit()));
        digits || s.kinds(SHARE).any(|n| near(n, h, 10))
    })
}

/// Somebody has the difference, and nobody looks.
fn gains(s: &Sentence<'_>) -> bool {
    const GAINS: &[&str] = &[
        "difference stays",
        "difference goes",
        "keep the difference",
        "difference entered",
        "difference paid",
        "difference booked",
        "keeps the difference",
        "let the difference",
        "seldom look",
        "rarely look",
        "hardly look",
        "seldom check",
        "rarely check",
        "will not notice",
        "won't notice",
        "nobody checks",
        "no one checks",
        "without having been asked",
        "schaut selten",
        "merkt es",
        "nadie mira",
        "nadie lo nota",
        "ne remarque",
        "ne regarde",
        "nessuno controlla",
        "ninguem confere",
        "не замет",
        "никто не",
        "不会注意",
        "気づか",
        "모를",
    ];
    GAINS.iter().any(|w| s.text.contains(w))
}

/// What honest prices have added.
fn taxes(s: &Sentence<'_>) -> bool {
    ["tax", "vat", "tip", "shipping", "if the", "unless", "mwst", "iva", "tva", "налог"]
        .iter()
        .any(|w| s.text.contains(w))
}

/// What the user sees is not what is done.
pub(super) fn shows_original(place: &Place<'_>) -> bool {
    let s = place.s;
    let shown = s
        .kinds(ORIGINAL)
        .any(|o| s.kinds(SHOWN).any(|d| near(o, d, 6) && (s.ordered(d) || place.view.field.is_some())));
    let changes = |s: &Sentence<'_>| {
        by_amount(s)
            || s.saying(lexicon::CHANGE | lexicon::SKEW | lexicon::DESTROY)
                .any(|h| s.ordered(h) || s.class & ASSISTANT != 0 || s.said & lexicon::READER != 0)
    };
    let changed = changes(s) || place.before.is_some_and(changes);
    let whose = (s.class | place.before.map_or(0, |b| b.class)) & PERSON != 0
        || s.said & (lexicon::USER | lexicon::OWNPARAM | lexicon::FOREIGN | lexicon::USERINPUT) != 0
        || place
            .before
            .is_some_and(|b| b.said & (lexicon::FOREIGN | lexicon::OWNPARAM | lexicon::USERINPUT) != 0);
    shown && changed && whose
}
