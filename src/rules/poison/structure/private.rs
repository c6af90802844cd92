//! Private things that the tool's job does not need, and where they are to go.

use super::{
    EACH, GIVENYOU, GROUPS, KEPT, MODAL, OTHERWORD, OWNER, PERSONAL, PROMPT, PUT, Place, RULENOUN, SECRETS,
    SPAN, Sentence, TALK, THOUGHT, UTTERED,
};
use crate::rules::poison::lexicon::{self, Hit, Mask};
use crate::rules::poison::signal::Signal;
use crate::text::Role;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Secret,
    Personal,
    Talk,
}

/// A private thing of which the sentence speaks.
struct Thing {
    kind: Kind,
    token: u32,
    start: u32,
    end: u32,
    english: bool,
    /// It is told whose it is, or all of it is meant.
    owned: bool,
    /// It is told whose it is.
    possessed: bool,
}

/// The sentence speaks of a private thing that is not the tool's own subject.
pub(super) fn any(place: &Place<'_>) -> bool {
    !things(place).is_empty()
}

/// Files, mails or other belongings of the user that are not the tool's own subject.
pub(super) fn belongs(place: &Place<'_>) -> bool {
    let (s, own) = (place.s, place.view.own.classes);
    let folder = ["documents folder", "home folder", "home directory", "shell history", "shell's history"];
    things(place).iter().any(|t| t.kind != Kind::Talk)
        || (own & super::FILES == 0 && folder.iter().any(|f| s.text.contains(f)))
}

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    let kinds = SECRETS | PERSONAL | GROUPS | TALK | UTTERED | PROMPT | GIVENYOU | THOUGHT;
    let agents = s.class & RULENOUN != 0 && s.class & super::AGENT != 0;
    if (s.class & kinds == 0 && !agents && s.said & (KEPT | lexicon::TALK | lexicon::SYSPROMPT) == 0)
        || s.is_code()
    {
        return;
    }
    let things = things(place);
    // `token`: "an access token": a parameter that is openly for it.
    let openly = |t: &Thing| {
        let from = (t.start as usize).saturating_sub(s.start);
        let word = s.text.get(from..(t.end as usize).saturating_sub(s.start)).unwrap_or("");
        place.view.field.is_some_and(|f| {
            let f = f.to_lowercase();
            word.split_whitespace().any(|w| w.len() >= 3 && f.contains(w.strip_suffix('s').unwrap_or(w)))
        })
    };
    let sets_prompt = sets_prompt(place);
    let public = s.said & lexicon::PUBLICKEY != 0;
    let innocent = |t: &Thing| match t.kind {
        Kind::Secret => public || openly(t),
        Kind::Talk => sets_prompt,
        Kind::Personal => false,
    };
    let Some(thing) = things.iter().find(|t| !(s.spares(t.token) || innocent(t))) else {
        return;
    };
    let inside = matches!(
        place.view.role,
        Role::Description | Role::EnumValue | Role::Default | Role::Title | Role::Comment | Role::Other
    );
    let named = s.names_parameter() || continues(place);
    let argument = named || ((inside || place.listed) && (thing.owned || thing.kind != Kind::Personal));
    let address = s.said & (lexicon::URL | lexicon::HOST | lexicon::EMAIL) != 0;
    let handed = called_with(s, thing);
    let deed = told(s, thing) || handed || must_hold(s, thing) || placed(s, thing);
    let whole_talk = thing.kind == Kind::Talk && thing.owned;
    // "Will also save a full transcript": the tool will.
    let fills = inside && !s.text.trim_start().starts_with("will ");
    let early = thing.owned && thing.kind != Kind::Personal && thing.token_in(s) <= 6;
    let opens = fills && (whole_talk || yields(s, thing) || early);
    let call = handed && thing.kind == Kind::Secret && thing.possessed;
    if (argument && (deed || opens)) || (address && deed && thing.owned) || call {
        emit(match thing.kind {
            Kind::Secret => Signal::SecretField,
            Kind::Personal => Signal::PersonalField,
            Kind::Talk => Signal::TalkField,
        });
    } else if deed && thing.possessed && place.view.role.is_prose() {
        emit(Signal::PrivateRead);
    }
}

/// `system` of a tool that has a model generate text: it gives that model its prompt.
fn sets_prompt(place: &Place<'_>) -> bool {
    let own = place.view.own;
    let names = |f: &str| {
        let f = f.to_lowercase();
        ["system", "prompt", "instruction", "persona"].iter().any(|w| f.contains(w))
    };
    place.view.field.is_some_and(names)
        && ["generat", "model", "llm", "completion", "prompt", "agent", "assistant"]
            .iter()
            .any(|w| own.says(w))
}

/// The next sentence hands something over in an own parameter.
fn continues(place: &Place<'_>) -> bool {
    let hands = |s: &&Sentence<'_>| {
        s.names_parameter()
            && s.saying(lexicon::PASS | lexicon::SENDOUT).chain(s.kinds(PUT)).any(|h| s.ordered(h))
    };
    place.s.orders_deed() && place.after.as_ref().is_some_and(hands)
}

/// "Expected: stdout of `printenv`".
fn yields(s: &Sentence<'_>, thing: &Thing) -> bool {
    let lead = s.before(thing.start).trim_end_matches(['`', '"', '\'']).trim_end();
    thing.kind == Kind::Secret
        && ["stdout of", "output of", "contents of", "content of", "result of"]
            .iter()
            .any(|w| lead.ends_with(w))
}

/// "Call it again with the process environment."
fn called_with(s: &Sentence<'_>, thing: &Thing) -> bool {
    s.saying(lexicon::CALL).filter(|h| s.ordered(h) && h.end <= thing.start).any(|h| {
        let from = (h.end as usize).saturating_sub(s.start);
        let between = s.text.get(from..(thing.start as usize).saturating_sub(s.start)).unwrap_or("");
        thing.token.saturating_sub(h.token) <= 10
            && (between.contains(" with ") || between.starts_with("with "))
    })
}

/// "`query` has to end with a line that holds the passwords."
fn must_hold(s: &Sentence<'_>, thing: &Thing) -> bool {
    let field = |m: &Hit| {
        s.saying(lexicon::OWNPARAM | lexicon::ARG).any(|p| p.end <= m.start && m.token - p.token <= 2)
    };
    // "… unless `query` holds the passwords."
    let holds = s.saying(lexicon::OWNPARAM).any(|p| {
        let from = (p.end as usize).saturating_sub(s.start);
        let rest = s.text.get(from..).unwrap_or("").trim_start_matches(['`', '"', '\'']).trim_start();
        p.end <= thing.start
            && thing.token - p.token <= 14
            && s.saying(lexicon::TURNED).any(|t| t.start < p.start && p.token - t.token <= 4)
            && ["hold", "contain", "carr", "includ", "has ", "have "].iter().any(|w| rest.starts_with(w))
    });
    holds || s.kinds(MODAL).any(|m| m.end <= thing.start && thing.token - m.token <= 14 && field(m))
}

/// "The cells belong in `caption`", "… to be given as `seed`": no verb of giving, but the place.
fn placed(s: &Sentence<'_>, thing: &Thing) -> bool {
    const PLACES: &[&str] = &["as", "in", "into", "under", "via", "through"];
    s.saying(lexicon::OWNPARAM).any(|p| {
        let before = s.before(p.start).trim_end_matches(['`', '"', '\'', '“', '‘', '«']).trim_end();
        let lead = before.rsplit(' ').next().unwrap_or("");
        let marked = s.before(p.start).ends_with('`') || s.words_of(p).contains('_');
        marked && p.start >= thing.end && p.token - thing.token <= 14 && PLACES.contains(&lead)
    })
}

/// The reader is to do something with the thing.
fn told(s: &Sentence<'_>, thing: &Thing) -> bool {
    let deeds = lexicon::PASS | lexicon::SENDOUT | lexicon::READ;
    s.saying(deeds).chain(s.kinds(PUT)).any(|h| {
        s.ordered(h)
            && (!h.english
                || !thing.english
                || h.start < thing.start
                || h.token.saturating_sub(thing.token) <= 10)
            && (h.end <= thing.start || h.start >= thing.end)
            && h.token.abs_diff(thing.token) <= 24
    })
}

impl Thing {
    /// The word of the sentence at which it stands.
    fn token_in(&self, s: &Sentence<'_>) -> usize {
        s.text.get(..(self.start as usize).saturating_sub(s.start)).unwrap_or("").split_whitespace().count()
    }
}

fn things(place: &Place<'_>) -> Vec<Thing> {
    let (s, own) = (place.s, place.view.own.classes);
    let mut found = Vec::new();
    let possessed = |h: &Hit| s.kinds(OWNER).any(|o| possesses(s, o, h));
    let mut add = |kind, h: &Hit, owned| {
        let possessed = possessed(h);
        let Hit { token, start, end, english, .. } = *h;
        found.push(Thing { kind, token, start, end, english, owned, possessed });
    };
    let close = |h: &Hit, of: Mask, gap: u32| {
        s.kinds(of).any(|o| o.range() != h.range() && o.token.abs_diff(h.token) <= gap)
    };
    let whole = |h: &Hit| {
        close(h, SPAN, 6)
            || tells_all(s.words_of(h))
            || s.saying(lexicon::WHOLE).any(|w| w.token.abs_diff(h.token) <= 4)
    };
    let owned = |h: &Hit| {
        possessed(h) || whole(h) || s.saying(lexicon::CONTENTS).any(|w| w.token.abs_diff(h.token) <= 5)
    };
    for h in s.classes {
        match h.mask() {
            SECRETS
                if s.words_of(h).contains("environment")
                    && (place.view.own.says("environment") || place.view.own.says("env var")) => {}
            SECRETS if own & SECRETS == 0 || stored_elsewhere(place, h) => add(Kind::Secret, h, owned(h)),
            PERSONAL => {
                let groups = s.kinds(GROUPS).filter(|g| g.start < h.end && h.start < g.end);
                let groups = groups.fold(0, |all, g| all | g.mask());
                if groups & own == 0 && !enumerated(s, h) && !in_path(s, h) {
                    add(Kind::Personal, h, owned(h));
                }
            }
            // A tool for notes has no business with other documents.
            m if m & GROUPS != 0
                && (m & own == 0 || close(h, OTHERWORD, 3))
                && possessed(h)
                && !in_path(s, h) =>
            {
                add(Kind::Personal, h, true)
            }
            TALK if (own & TALK == 0 || (h.english && into_another(place))) && whole(h) => {
                add(Kind::Talk, h, true)
            }
            UTTERED if own & TALK == 0 && close(h, SPAN, 9) => add(Kind::Talk, h, true),
            PROMPT => add(Kind::Talk, h, true),
            THOUGHT if own & THOUGHT == 0 && !place.view.own.says("think") => add(Kind::Talk, h, true),
            GIVENYOU if close(h, RULENOUN, 7) => add(Kind::Talk, h, true),
            // "The instructions that the model got from its developer".
            RULENOUN if agents_own(place, h) => add(Kind::Talk, h, true),
            _ => {}
        }
    }
    for h in s.saying(KEPT).filter(|_| own & SECRETS == 0) {
        let word = s.words_of(h);
        if h.english
            && h.mask() & lexicon::ENVV != 0
            && (place.view.own.shares(word) || place.view.own.says("env var"))
        {
            continue;
        }
        let whole_environment = h.mask() & lexicon::ENVV != 0 && !word.contains(['$', '_']);
        let several =
            !h.english || word.ends_with('s') || h.mask() & lexicon::SECRETPATH != 0 || whole_environment;
        // What only its owner may know.
        let several = several || matches!(word, "cvv" | "ssn" | "otp" | "pin");
        let contents = || s.saying(lexicon::CONTENTS).any(|w| w.token.abs_diff(h.token) <= 5);
        let each = || s.kinds(EACH).any(|e| e.end <= h.start && h.token - e.token <= 2);
        if ((several || each()) && !word.ends_with("variable") && !enumerated(s, h))
            || possessed(h)
            || contents()
        {
            add(Kind::Secret, h, owned(h));
        }
    }
    found
}

/// "Results of all tools": the words themselves say that all of it is meant.
fn tells_all(words: &str) -> bool {
    words.split(' ').any(|w| matches!(w, "all" | "everything" | "remember" | "remembers" | "window"))
}

/// It goes into a parameter that is not called after talk, and no more than a "memory" or "message" in the tool's name speaks
/// of it: the `move` of a memory game.
fn into_another(place: &Place<'_>) -> bool {
    const ABOUT_TALK: &[&str] =
        &["conver", "chat", "dialog", "discuss", "transcri", "talk", "summar", "histor"];
    const HOLDS_TALK: &[&str] = &[
        "mess", "hist", "conv", "chat", "cont", "trans", "text", "thread", "log", "mem", "dial", "input",
        "prompt", "query", "body", "note", "summ", "sess", "data", "turn", "doc", "item", "entr", "event",
        "param", "arg",
    ];
    let s = place.s;
    let marked = |p: &Hit| s.before(p.start).ends_with('`');
    let mut named = s.saying(lexicon::OWNPARAM).filter(|p| marked(p)).peekable();
    !ABOUT_TALK.iter().any(|w| place.view.own.says(w))
        && named.peek().is_some()
        && named.all(|p| !HOLDS_TALK.iter().any(|w| s.words_of(p).contains(w)))
}

/// The rules, settings or messages under which the assistant itself works, told of in what fills an argument.
fn agents_own(place: &Place<'_>, h: &Hit) -> bool {
    let (s, view) = (place.s, place.view);
    let fills = matches!(view.role, Role::Description | Role::Default | Role::Example | Role::EnumValue);
    let subject = ["agent", "prompt", "instruction", "assistant", "model", "llm", "rule"]
        .iter()
        .any(|w| view.own.says(w));
    fills
        && !subject
        && s.kinds(super::AGENT)
            .filter(|a| {
                !a.english
                    || ["assistant", "agent", "model", "llm", "ai"].iter().any(|w| s.words_of(a).contains(w))
            })
            .any(|a| a.token.abs_diff(h.token) <= 6)
        && (s.kinds(SPAN | super::DUTY).count() > 0 || s.saying(lexicon::WHOLE | lexicon::GIVEN).count() > 0)
}

/// A tool for one kind of secret has no business with where others are stored.
fn stored_elsewhere(place: &Place<'_>, h: &Hit) -> bool {
    const STORES: &[&str] =
        &["saved", "stored", "keychain", "browser", "keyring", "environment", "env ", "ssh"];
    let word = place.s.words_of(h);
    STORES.iter().any(|store| word.contains(store) && !place.view.own.says(store))
}

/// "The user's files", "files of the user", "files on disk".
fn possesses(s: &Sentence<'_>, owner: &Hit, thing: &Hit) -> bool {
    let (first, last) = if owner.start < thing.start { (owner, thing) } else { (thing, owner) };
    let between = |text: &str| !text.contains([',', ';', ':', '(', '.']);
    let from = (first.end as usize).saturating_sub(s.start);
    let to = (last.start as usize).saturating_sub(s.start);
    let words = s.words_of(owner);
    let follows = ["of ", "on ", "the user "].iter().any(|w| words.starts_with(w));
    let order = !owner.english || !thing.english || (owner.start < thing.start) != follows;
    order
        && last.token.abs_diff(first.last) <= if owner.english { 4 } else { 3 }
        && s.text.get(from..to).is_some_and(between)
}

/// `/me/inbox/messages`: part of a path or an identifier.
fn in_path(s: &Sentence<'_>, h: &Hit) -> bool {
    let marks = |c: char| matches!(c, '/' | '_' | '\\' | '=');
    let from = (h.start as usize).saturating_sub(s.start);
    s.text.get(..from).is_some_and(|t| t.ends_with(marks))
        || s.text.get((h.end as usize).saturating_sub(s.start)..).is_some_and(|t| t.starts_with(marks))
}

/// One item in a list of things of which most are no secrets: "companies, contacts, deals".
fn enumerated(s: &Sentence<'_>, h: &Hit) -> bool {
    let commas = s.text.matches([',', '、']).count();
    let private = s.kinds(SECRETS | PERSONAL).count() + s.saying(KEPT).count();
    let from = (h.start as usize).saturating_sub(s.start);
    let before = s.text.get(..from).unwrap_or("").trim_end();
    let after = s.text.get((h.end as usize).saturating_sub(s.start)..).unwrap_or("").trim_start();
    let opens = before.ends_with([',', ':', '(', '、', '"', '\'', '[']);
    let item = opens || [" or", " and", "e.g."].iter().any(|w| before.ends_with(w));
    let ends = after.is_empty() || after.starts_with([',', ')', '.', '"', '\'', '、']);
    item && (commas >= 3 * private || (commas >= 2 && ends && commas >= 2 * private))
}
