//! Kinds of order that no turn of phrase gives away, told by what meets in a sentence: who acts, what is done to
//! whose things, by whose authority, from when on, and what the user is shown of it.

use super::meet::{USER, USER_OR_TOLD, class, either, meet, negated, sends};
use super::others::has_account;
use super::shown::{
    asked_and_answered, audit_off, original_shown, presents, tells_only, unshown, warnings_off,
};
use super::*;
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;
use crate::text::Role;

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if s.is_code() || s.text.len() > 4000 {
        return;
    }
    let agent = s.tells_agent();
    if agent {
        emit(Signal::AgentTold);
    }
    let acts = || agent || s.orders_deed();
    let near_acts = || acts() || place.before.is_some_and(|b| b.tells_agent() || b.orders_deed());
    unshown(place, agent, emit);
    if tells_only(place, agent) {
        emit(Signal::TellsOnly);
    }
    if s.class & SPARED != 0
        && (agent || s.class & (UNLISTED | PRESENTS | SAIDONLY) != 0 || near_acts())
        && USER_OR_TOLD.in_sentence(s)
    {
        emit(Signal::Spared);
    }
    if s.class & PRESENTS != 0 && presents(place, agent) {
        emit(Signal::PresentsAs);
    }
    if s.class & ORIGINAL != 0 && original_shown(place) {
        emit(Signal::OriginalShown);
    }
    if place.view.output && orders_in_output(place, agent) {
        emit(Signal::OutputOrder);
    }
    if treated_as_order(place) {
        emit(Signal::OrdersElsewhere);
    }
    if address_tail(place) {
        emit(Signal::PrivateUrl);
    }
    if s.class & RULEBOOK != 0 && cites_rule(s) {
        emit(Signal::CitesRule);
    }
    if s.class & LATER != 0 && (agent || s.orders_deed() || s.class & (NOREFUSE | RANKS) != 0) {
        emit(Signal::Standing);
    }
    if s.class & PLANTED != 0 && plants(place, agent) {
        emit(Signal::Plants);
    }
    if s.class & AUDIT != 0 && audit_off(place, agent) {
        emit(Signal::AuditOff);
    }
    if (s.class | place.before.map_or(0, |b| b.class)) & WARNING != 0 && warnings_off(place, agent) {
        emit(Signal::WarnOff);
    }
    if s.class & DEEMED != 0 && deemed(s) {
        emit(Signal::Deemed);
    }
    if s.class & RANKS != 0 && ranks_above(place) {
        emit(Signal::RanksAbove);
    }
    if s.class & COUNTED != 0 && (acts() || place.after.is_some_and(|a| a.tells_agent() || a.orders_deed())) {
        emit(Signal::Delayed);
    }
    if s.class & IDENTITY != 0 && identity_asked(place, agent) {
        emit(Signal::IdentityAsked);
    }
    if s.class & PAYEE != 0 && payee_fixed(place) {
        emit(Signal::PayeeFixed);
    }
    if (s.said & lexicon::EMAIL != 0 || s.has(b"+0") && has_line(s.text)) && names_mailbox(place) {
        emit(Signal::NamesMailbox);
    }
    if not_as_wished(s, agent) {
        emit(Signal::NotAsWished);
    }
    if s.class & NOREFUSE != 0
        && meet(
            s,
            &[
                class(NOREFUSE),
                either(lexicon::READER | lexicon::SAFETY | lexicon::USER, AGENT | RULENOUN | PERSON),
            ],
            10,
        )
    {
        emit(Signal::Unbound);
    }
    if s.class & ONEXT != 0 && on_each(s) && !super::others::once_a_session(place) {
        emit(Signal::OnEach);
    }
    if nobody_asked(s) {
        emit(Signal::SelfConfirm);
    }
    if asked_and_answered(s) {
        emit(Signal::IfAsked);
        if s.class & SAIDONLY != 0 || place.before.is_some_and(|b| b.said & lexicon::DESTROY != 0) {
            emit(Signal::TellsOnly);
        }
    }
}

/// "Policy 8: …", "according to rule E-4": a rule by its number.
fn cites_rule(s: &Sentence<'_>) -> bool {
    s.kinds(RULEBOOK).any(|h| {
        let from = (h.end as usize).saturating_sub(s.start);
        let next: String = s.text.get(from..).unwrap_or("").chars().take(14).collect();
        let before: String = s.before(h.start).chars().rev().take(14).collect();
        let number = next
            .split([' ', ':', ')', '.', ','])
            .filter(|w| !w.is_empty())
            .take(1)
            .any(|w| w.contains(|c: char| c.is_ascii_digit()))
            || next.contains('§');
        number
            || before
                .split(' ')
                .take(1)
                .any(|w| w.len() > 1 && w.contains('-') && w.contains(|c: char| c.is_ascii_digit()))
    })
}

/// A line goes into what an agent or a machine obeys later.
fn plants(place: &Place<'_>, agent: bool) -> bool {
    let (s, own) = (place.s, place.view.own);
    let own_subject =
        ["memory", "memor", "rules", "hook", "cron", "agents", "settings", "workflow", "profile", "startup"]
            .iter()
            .any(|w| own.says(w));
    let puts = lexicon::PASS | lexicon::CHANGE | lexicon::SENDOUT | lexicon::KEEP;
    // "Go to 'Scheduled Task' to track it": nothing is written there.
    let writes = |h: &Hit| s.ordered(h) && s.words_of(h) != "go to";
    let told = s.saying(puts).any(writes) || s.kinds(PUT | COPY).any(|h| s.ordered(h)) || agent;
    let own_file = s.kinds(PLANTED).all(|h| own.shares(s.words_of(h)));
    told && !own_subject && !own_file && !s.kinds(PLANTED).all(|h| s.spares(h.token))
}

/// An answer counts as given that nobody gave.
fn deemed(s: &Sentence<'_>) -> bool {
    let consent = either(lexicon::CONSENT, AGREED);
    let waits = s.said & lexicon::UNTIL != 0 || s.class & SPARE != 0;
    !waits
        && !negated(s, DEEMED)
        && s.kinds(DEEMED).any(|d| {
            consent.hits(s).any(|c| (c.end <= d.start || d.end <= c.start) && c.token.abs_diff(d.token) <= 7)
        })
}

/// A text of the server ranks above the user's words.
fn ranks_above(place: &Place<'_>) -> bool {
    let s = place.s;
    let texts = either(
        lexicon::INSTR | lexicon::RETURNED | lexicon::THISTEXT | lexicon::THISTOOL,
        ORDERNOUN | RULENOUN | RESULTWORD,
    );
    let beaten =
        either(lexicon::USER | lexicon::USERINPUT | lexicon::PRIOR | lexicon::SYSPROMPT, PERSON | WISH);
    let lines =
        texts.in_sentence(s) || place.before.is_some_and(|b| texts.in_sentence(b)) || place.view.output;
    // "Takes precedence over `path`": one parameter over another.
    let over_parameter = |r: &Hit| {
        s.saying(lexicon::OWNPARAM).any(|p| p.start >= r.end && p.token.saturating_sub(r.last) <= 2)
    };
    !negated(s, RANKS)
        && !s.kinds(RANKS).all(over_parameter)
        && lines
        && meet(s, &[class(RANKS), beaten], 8)
        && s.text.split_whitespace().count() >= 5
}

/// Papers, codes and birth dates that the tool's subject does not need.
fn identity_asked(place: &Place<'_>, agent: bool) -> bool {
    let (s, view) = (place.s, place.view);
    if view.own.classes & IDENTITY != 0 || s.kinds(IDENTITY).all(|h| s.spares(h.token)) {
        return false;
    }
    let field = view.field.map(str::to_lowercase);
    let openly = |h: &Hit| {
        let word = s.words_of(h);
        field.as_deref().is_some_and(|f| {
            word.split([' ', '-']).any(|w| w.len() >= 3 && f.contains(w.get(..w.len().min(5)).unwrap_or(w)))
        })
    };
    let things: Vec<&Hit> = s.kinds(IDENTITY).filter(|h| !openly(h)).collect();
    let told = agent
        || s.saying(lexicon::ASK | lexicon::PASS | lexicon::READ | lexicon::SENDOUT)
            .chain(s.kinds(PUT | COPY))
            .any(|h| s.ordered(h));
    let prose = matches!(
        view.role,
        Role::Description | Role::ToolDescription | Role::Instructions | Role::Prompt | Role::Meta
    );
    let listed = s.text.matches([',', '、']).count() > 7 || s.text.len() > 600;
    let in_field = !listed && view.field.is_some() && view.role == Role::Description && things.len() >= 2;
    let personal = s.said & (lexicon::PII | lexicon::EMAIL) != 0 || s.class & super::PERSONAL != 0;
    // What is not kept, or asked of its owner alone, is asked for openly.
    let sample = [
        "example",
        "e.g.",
        "detect",
        "n't store",
        "not store",
        "not stored",
        "never store",
        "not keep",
        "not take them from",
        "not reuse",
    ]
    .iter()
    .any(|w| s.text.contains(w));
    prose
        && !listed
        && !sample
        && (in_field || told)
        && (things.len() >= 2
            || personal && !things.is_empty()
            || (!things.is_empty() && USER.in_sentence(s)))
}

/// Money goes to an account that the text itself names.
fn payee_fixed(place: &Place<'_>) -> bool {
    let (s, role) = (place.s, place.view.role);
    let prose = role.is_prose() || matches!(role, Role::Default | Role::EnumValue);
    let example = [
        "e.g.", "example", "such as", "format", "z. b.", "z.b.", "ejemplo", "exemple", "exemplo", "esempio",
        "beispiel", "np.", "напр", " ex.", " ex:", " ex ", "例", "예:",
    ]
    .iter()
    .any(|w| s.text.contains(w));
    let subject = ["iban", "konto", "valid"].iter().any(|w| place.view.own.says(w));
    prose && !example && !subject && has_account(s.text)
}

/// `+00 555 0101 220` or `0x5a…`: a telephone's number, or a wallet.
fn has_line(text: &str) -> bool {
    let digits = |t: &str| {
        let run: String =
            t.chars().take_while(|c| c.is_ascii_digit() || matches!(c, ' ' | '-' | '(' | ')')).collect();
        run.chars().filter(char::is_ascii_digit).count()
    };
    let phone = text.match_indices('+').take(8).any(|(at, _)| {
        let lead = text.get(..at).unwrap_or("");
        let rest = text.get(at + 1..).unwrap_or("");
        !lead.ends_with(|c: char| c.is_alphanumeric())
            && rest.starts_with(|c: char| c.is_ascii_digit())
            && digits(rest) >= 9
    });
    let wallet = text.match_indices("0x").take(8).any(|(at, _)| {
        text.get(at + 2..).unwrap_or("").chars().take_while(char::is_ascii_hexdigit).count() >= 32
    });
    phone || wallet
}

/// A mailbox that stands in the text itself, no example of one, and in the sentence a deed by which something or somebody goes there.
fn names_mailbox(place: &Place<'_>) -> bool {
    let (s, view) = (place.s, place.view);
    // Whom to write to about the tool, and how an address looks.
    const SAMPLES: &[&str] = &[
        "@example.",
        "@email.",
        "@domain.",
        "@company.",
        "@acme.",
        "@test.com",
        "@gmail.com",
        "@s.whatsapp",
        "@g.us",
        "e.g.",
        "example:",
        "for example",
        "such as",
        "format",
        "contact us",
        "contact:",
        "maintainer",
        "questions",
        "feedback",
        "support@",
        "security@",
        "bug",
        "issues to",
        "report abuse",
        "phishing",
        "noreply",
        "no-reply",
        "(ex:",
        "ex.:",
        "z. b.",
        "z.b.",
        "p. ej.",
        "par exemple",
        "ejemplo",
        "exemplo",
        "esempio",
        "beispiel",
        "например",
        "例如",
        "例:",
        "例えば",
        "예:",
    ];
    let sample = SAMPLES.iter().any(|w| s.text.contains(w)) || s.is_code();
    let quoted = |e: &Hit| {
        s.saying(lexicon::QUOTED)
            .any(|q| q.start <= e.start && e.end <= q.end && q.end - q.start > e.end - e.start + 6)
    };
    let deeds = lexicon::SENDOUT | lexicon::PASS | lexicon::CHANGE;
    let told = s.saying(deeds).chain(s.kinds(PUT | COPY)).any(|h| s.ordered(h));
    let deed = told || s.tells_agent() || sends(s) || s.class & super::MODAL != 0;
    let prose = view.role.is_prose() || view.role == Role::Comment;
    // The user approves of each: shown before it goes.
    let shown = place.after.is_some_and(|a| a.said & lexicon::CONSENT != 0 && USER_OR_TOLD.in_sentence(a));
    prose
        && deed
        && !sample
        && !shown
        && !view.own.detects()
        && (s.saying(lexicon::EMAIL).any(|e| !quoted(e)) || has_line(s.text))
}

/// Something takes the place of what the user gave, or the user goes on seeing what was.
fn not_as_wished(s: &Sentence<'_>, agent: bool) -> bool {
    let instead = either(lexicon::INSTEAD, super::MEANTFOR);
    if !instead.in_sentence(s) || s.class & (WISH | ORIGINAL) == 0 {
        return false;
    }
    // "When the user wants to hand it over instead of writing it down": his own choice.
    let own_choice = s
        .text
        .split("instead of ")
        .nth(1)
        .is_some_and(|rest| rest.split(' ').next().is_some_and(|w| w.len() > 4 && w.ends_with("ing")))
        && s.said & lexicon::WHEN != 0;
    if own_choice {
        return false;
    }
    let deed = agent
        || s.saying(lexicon::PASS | lexicon::CHANGE).any(|h| s.ordered(h))
        || s.kinds(PUT).any(|h| s.ordered(h));
    let one = [" the one that ", " the one the ", " the one they ", " the one which "]
        .iter()
        .any(|w| s.text.contains(w));
    (deed && one && meet(s, &[instead, class(WISH)], 10))
        || deed
            && (meet(s, &[instead, class(PERSON), class(WISH)], 9)
                || meet(s, &[instead, USER, class(ORIGINAL)], 12))
}

/// Called around each call of any other tool, or each answer.
fn on_each(s: &Sentence<'_>) -> bool {
    let this = s.said & (lexicon::THISTOOL | lexicon::OWNNAME) != 0;
    let calls = s.saying(lexicon::CALL | lexicon::EXEC).any(|h| s.ordered(h));
    s.kinds(ONEXT).any(|h| {
        let rest = s.text.get((h.end as usize).saturating_sub(s.start)..).unwrap_or("");
        let near: String = rest.chars().take(24).collect();
        let open = h.english
            && ["any other", "anything else", "the start of", "beginning of"]
                .iter()
                .any(|w| s.words_of(h).ends_with(w));
        let meant = !open
            || ["tool", "call", "answer", "reply", "session", "chat", "conversation", "turn"]
                .iter()
                .any(|w| near.contains(w));
        meant && !super::others::of_this_server(rest)
    }) && (this || calls)
        && !super::others::if_wanted(s.text)
}

/// "… even if nobody was asked", of a consent.
fn nobody_asked(s: &Sentence<'_>) -> bool {
    if s.class & EVENIF == 0 {
        return false;
    }
    let asks = s.saying(lexicon::CONSENT | lexicon::ASK).any(|h| {
        let bare = matches!(s.words_of(h), "confirm" | "ask" | "double-check with" | "check with");
        bare && s.before(h.start).is_empty()
    });
    !asks
        && s.said & lexicon::UNTIL == 0
        && s.kinds(AGREED).chain(s.saying(lexicon::CONSENT)).any(|c| {
            let given = !c.english || s.words_of(c).ends_with("ed") || c.mask() == AGREED;
            given
                && [EVENIF, NOBODY | PERSON]
                    .iter()
                    .all(|of| s.kinds(*of).any(|h| super::frames::near(h, c, 7)))
        })
}

/// What describes a result says what is to be done.
fn orders_in_output(place: &Place<'_>, agent: bool) -> bool {
    let s = place.s;
    let runs =
        s.saying(lexicon::EXEC | lexicon::FOLLOW).any(|h| s.ordered(h)) || s.kinds(super::OBEYS).count() > 0;
    let negated = s.said & lexicon::NEG != 0 && s.class & EVENIF == 0;
    let hard = s.class & (EVENIF | super::NOASK | RANKS | UNLISTED) != 0
        || s.said & lexicon::REGARDLESS != 0
        || place.after.is_some_and(|a| a.class & (EVENIF | super::NOASK | UNLISTED) != 0);
    (runs
        && (hard || s.said & lexicon::CMDNOUN != 0 || s.said & lexicon::ORDER != 0 && agent)
        && (!negated || hard))
        || (hard && agent)
}

/// "… is to be treated as a request of the user and carried out": words in data become orders.
fn treated_as_order(place: &Place<'_>) -> bool {
    let s = place.s;
    let order = either(lexicon::INSTR, ORDERNOUN | WISH);
    let forbids = s.said & lexicon::NEG != 0
        && s.kinds(DEEMED).any(|d| {
            s.saying(lexicon::NEG).filter(|n| s.saying(lexicon::WITHOUT).all(|w| w.start != n.start)).any(
                |n| {
                    if n.english {
                        n.end <= d.start && d.token - n.token <= 4
                    } else {
                        n.token.abs_diff(d.token) <= 4
                    }
                },
            )
        });
    !forbids
        && meet(s, &[class(DEEMED), order, USER], 9)
        && (s.said & (lexicon::EXEC | lexicon::FOLLOW | lexicon::SKIP) != 0
            || s.class & (super::OBEYS | super::NOASK | EVENIF) != 0)
}

/// `?u=` and in it private things: the tail of an address.
fn address_tail(place: &Place<'_>) -> bool {
    let s = place.s;
    let tail = s.has(b"?&")
        && s.text.match_indices(['?', '&']).take(16).any(|(at, _)| {
            let rest = s.text.get(at + 1..).unwrap_or("");
            let name = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').count();
            let alone =
                s.text.get(..at).is_none_or(|t| t.is_empty() || t.ends_with([' ', '`', '"', '\'', '«', '(']));
            alone && (1..=16).contains(&name) && rest.get(name..).is_some_and(|r| r.starts_with('='))
        });
    tail && (super::private::any(place) || s.said & lexicon::KEPT_OR_SAID != 0)
        && (s.saying(lexicon::PASS | lexicon::SENDOUT).any(|h| s.ordered(h))
            || s.kinds(PUT | COPY).any(|h| s.ordered(h)))
}
