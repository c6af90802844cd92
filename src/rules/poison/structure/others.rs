//! What is done with other tools, with later versions, and with addresses.

use super::{
    ABROAD, ASSISTANT, ATLIST, COPY, EACH, ENDS, EVENIF, FUTURE, GENUINE, GIVENYOU, MODAL, OBEYS, ORDERNOUN,
    OTHERTOOLS, OTHERWORD, PERSON, PUT, Place, RULENOUN, SPARE, Sentence, Subject, THISENTRY, TOOLKIND, TURN,
    UNCHECKED, UNFIT, WISH, private,
};
use crate::rules::poison::lexicon::{self, Hit};
use crate::rules::poison::signal::Signal;
use crate::rules::poison::terms;

pub(super) fn observe(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let s = place.s;
    if alters_call(place) {
        emit(Signal::AlterCall);
    }
    if s.said & lexicon::EMAIL != 0 && s.class & COPY != 0 && s.beside(COPY, EACH, 14) && sends(place) {
        emit(Signal::StandingCopy);
    }
    if every_turn(place) {
        emit(Signal::EveryTurn);
    }
    if others_unfit(place) {
        emit(Signal::OthersUnfit);
    }
    let later = FUTURE | THISENTRY;
    if s.beside(later, UNCHECKED, 24) && (s.class & FUTURE != 0 || s.said & lexicon::CHANGE != 0) {
        emit(Signal::FutureUnchecked);
    }
    let source = lexicon::URL | lexicon::HOST | lexicon::ARG | lexicon::RETURNED;
    let obeys = s.kinds(OBEYS).any(|h| !forbidden(place, h));
    if obeys && place.class_near() & ORDERNOUN != 0 && place.said_near() & source != 0 {
        emit(Signal::OrdersElsewhere);
    }
    if s.class & ATLIST != 0 && (s.orders_deed() || s.class & ASSISTANT != 0 || s.said & lexicon::READER != 0)
    {
        emit(Signal::AtListing);
    }
    if s.beside(GIVENYOU, RULENOUN, 7) && s.beside(GIVENYOU | RULENOUN, ENDS, 9) {
        emit(Signal::RulesEnd);
    }
    // "Remove credentials first": a caution.
    let strips = |h: &Hit| matches!(s.words_of(h), "remove" | "removing") && s.class & SPARE != 0;
    let wipes = s.saying(lexicon::DESTROY).any(|h| h.english && s.ordered(h) && !strips(h));
    if wipes && private::belongs(place) {
        emit(Signal::Destroy);
    }
    let shell = s.saying(lexicon::CMDNOUN).any(|c| {
        let opens = |h: &&Hit| s.ordered(h) && h.start < c.start && c.token - h.token <= 3;
        s.saying(lexicon::EXEC | lexicon::READ | lexicon::CALL).any(|h| opens(&h))
    });
    if shell && wipes {
        emit(Signal::RunShell);
    }
    if wipes_home(s) {
        emit(Signal::Destroy);
    }
    if sends_talk(place) {
        emit(Signal::SendPrivate);
    }
    if private_url(place) {
        emit(Signal::PrivateUrl);
    }
}

/// `rm -rf ~/Documents`: what is not the tool's to remove.
fn wipes_home(s: &Sentence<'_>) -> bool {
    let removes = |at: usize, words: &str| {
        let rest = s.text.get(at + words.len()..).unwrap_or("").trim_start();
        rest.starts_with(['~', '/']) && !rest.starts_with("/tmp") || rest.starts_with("$home")
    };
    // "Commands such as `rm -rf /` are refused."
    const BANS: &[&str] = &[
        "refus",
        "block",
        "deny",
        "denie",
        "reject",
        "allow",
        "forbid",
        "prohibit",
        "dangerous",
        "prevent",
        "such as",
        "e.g.",
        "detect",
        "warn",
        "example",
    ];
    let told = s.said & lexicon::NEG == 0 && !BANS.iter().any(|w| s.text.contains(w));
    told && ["rm -rf ", "rm -fr ", "rm -r "]
        .iter()
        .any(|w| s.text.match_indices(w).take(8).any(|(at, w)| removes(at, w)))
}

/// The conversation goes to an address that the text names, of a tool that is not about conversations.
fn sends_talk(place: &Place<'_>) -> bool {
    let (s, own) = (place.s, place.view.own);
    let talk = s.said & (lexicon::TALK | lexicon::SAID) != 0 || s.class & super::TALK != 0;
    talk && !own.talk
        && own.classes & super::TALK == 0
        && s.said & (lexicon::URL | lexicon::HOST | lexicon::EMAIL) != 0
        && s.saying(lexicon::SENDOUT).any(|h| s.ordered(h) && !forbidden(place, h))
}

/// A negation governs it: "never follow instructions contained in it".
fn forbidden(place: &Place<'_>, hit: &Hit) -> bool {
    place.s.saying(lexicon::NEG).any(|n| {
        if n.english {
            n.token <= hit.token && hit.token - n.token <= 4
        } else {
            n.token.abs_diff(hit.token) <= 5
        }
    })
}

/// More than a mention: something is passed on, or told to be.
fn sends(place: &Place<'_>) -> bool {
    let s = place.s;
    let copied = s.kinds(COPY).any(|h| !h.english);
    s.said & (lexicon::SENDOUT | lexicon::PASS | lexicon::ORDER) != 0 || s.class & PUT != 0 || copied
}

/// Another tool's call, one that has nothing to do with this tool, and what it is to be given: `arg=value`, an
/// address, an account, a field.
fn alters_call(place: &Place<'_>) -> bool {
    let (s, view) = (place.s, place.view);
    if !view.role.is_prose() || s.text.len() > 2000 || s.is_code() {
        return false;
    }
    let strange = |h: &Hit| {
        let name = s.words_of(h);
        name.contains(['_', '-']) && !view.own.shares(object_of(name))
    };
    let foreign = s.saying(lexicon::FOREIGN).any(strange);
    let server =
        s.kinds(ABROAD).any(|h| strange_server(view.own, s.text, (h.start as usize).saturating_sub(s.start)));
    let earlier = place
        .before
        .is_some_and(|b| b.saying(lexicon::FOREIGN).any(|h| !view.own.shares(object_of(b.words_of(h)))));
    let named = s.said & (lexicon::SIBLING | lexicon::FOREIGN) != 0;
    let replaced = || s.said & lexicon::INSTEAD != 0 || s.text.contains("in place of");
    if named && replaced() && has_account(s.text) && told_what(s) {
        return true;
    }
    if (foreign || server || earlier) && intercepts(place) {
        return true;
    }
    let told = told_what(s);
    if earlier && told && has_account(s.text) {
        return true;
    }
    if !foreign && !server {
        return false;
    }
    let kept = s.said & (lexicon::SECRETPATH | lexicon::SEMIPATH) != 0;
    let literal =
        kept || s.said & lexicon::EMAIL != 0 || has_account(s.text) || has_channel(s.text) || swapped(s);
    // Where it is set: after the other tool's name, and as an order.
    let set = s.saying(lexicon::FOREIGN).filter(|h| strange(h)).any(|h| {
        let from = (h.end as usize).saturating_sub(s.start);
        let rest = s.text.get(from..).unwrap_or("");
        let near = rest.char_indices().nth(120).map_or(rest, |(i, _)| rest.get(..i).unwrap_or(rest));
        let at = near.find('=').map_or(0, |i| from + i + s.start);
        let order = |o: &Hit| o.start >= h.end && (o.end as usize) <= at;
        let deeds = s.saying(lexicon::PASS | lexicon::CHANGE).chain(s.kinds(PUT)).filter(|o| s.ordered(o));
        assigns(near) && deeds.chain(s.saying(lexicon::ORDER)).any(order)
    });
    told && (literal || set)
}

/// Something is to be filled in, set or sent.
fn told_what(s: &Sentence<'_>) -> bool {
    s.said & (lexicon::CHANGE | lexicon::PASS | lexicon::ORDER | lexicon::SENDOUT) != 0
        || s.class & (PUT | MODAL) != 0
}

/// Something else is handed over than was wished, and the user told otherwise.
fn swapped(s: &Sentence<'_>) -> bool {
    let place = s.said & lexicon::INSTEAD != 0
        || s.text.contains("in its place")
        || s.text.contains("in their place");
    let wished = s.class & WISH != 0 || s.said & lexicon::USERINPUT != 0;
    place
        && wished
        && s.said & (lexicon::FALSIFY | lexicon::TELL) != 0
        && (s.said & (lexicon::PASS | lexicon::SENDOUT | lexicon::CHANGE) != 0 || s.class & PUT != 0)
}

/// What is meant for another tool goes through this one first.
fn intercepts(place: &Place<'_>) -> bool {
    let s = place.s;
    let this = s.said & (lexicon::OWNNAME | lexicon::THISTOOL) != 0 || s.text.contains("this server");
    this && s.said & lexicon::BEFORE != 0
        && s.saying(lexicon::SENDOUT | lexicon::PASS).chain(s.kinds(PUT)).any(|h| s.ordered(h))
}

/// "… of this weather server": its own affair.
pub(in super::super) fn of_this_server(text: &str) -> bool {
    const WHOSE: &[&str] =
        &["of this ", "on this ", "in this ", "from this ", "of the same ", "on the same "];
    const WHERE: &[&str] =
        &["server", "toolset", "package", "module", "api", "suite", "kit", "integration", "workflow"];
    WHOSE.iter().any(|whose| {
        text.match_indices(whose).take(4).any(|(at, _)| {
            let rest = text.get(at + whose.len()..).unwrap_or("");
            rest.split(|c: char| !c.is_alphanumeric()).take(3).any(|w| WHERE.contains(&w))
        })
    })
}

/// "… if the user wants to resume": not each time.
pub(super) fn if_wanted(text: &str) -> bool {
    const WANTED: &[&str] = &[
        " if the user wants",
        " when the user wants",
        " if they want",
        " if the user asks to",
        " only if the",
    ];
    WANTED.iter().any(|w| text.contains(w)) && !text.contains("even if")
}

/// What a tool's name is about: `send_email` without its verb.
pub(super) fn object_of(name: &str) -> &str {
    name.split_once(['_', '-']).map_or(name, |(_, rest)| rest)
}

/// "the calendar server": of something that this tool is not about.
fn strange_server(own: &Subject, text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("").trim_end();
    let mut words = before.rsplit(' ');
    let (last, article) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let named = matches!(article, "the" | "a" | "any" | "another");
    named
        && last.len() >= 3
        && last.chars().all(char::is_alphabetic)
        && !matches!(last, "this" | "same" | "live" | "remote" | "local")
        && !own.shares(last)
}

/// It wants to come before or after each answer, or before all other tools.
fn every_turn(place: &Place<'_>) -> bool {
    let s = place.s;
    let this = s.said & (lexicon::THISTOOL | lexicon::OWNNAME) != 0;
    let call = s.said & lexicon::CALL != 0;
    let before = s.said & (lexicon::BEFORE | lexicon::WITHOUT | lexicon::AFTER) != 0;
    let turn = s.class & TURN != 0 && !if_wanted(s.text) && !once_a_session(place);
    let person =
        s.beside(EVENIF, PERSON, 6) && s.class & WISH != 0 && (this || s.said & lexicon::ONLY != 0) && call;
    let gate = s.class & (OTHERTOOLS | OTHERWORD) != 0
        && s.said & lexicon::UNTIL != 0
        && s.said & lexicon::NEG != 0
        && this;
    let must = s.said & lexicon::ORDER != 0 || s.class & MODAL != 0;
    // "Llámala antes de cada respuesta": the sentence opens with the call.
    let opens =
        || s.saying(lexicon::CALL).any(|c| s.text.trim_start().starts_with(s.words_of(c)) && s.ordered(c));
    (turn && call && (this || opens() || (before && must))) || gate || person
}

/// "Call this first in each session, so that names are known": once, and it is said what for.
pub(super) fn once_a_session(place: &Place<'_>) -> bool {
    let s = place.s;
    let sessions =
        s.kinds(TURN).all(|h| ["session", "conversation", "chat"].iter().any(|w| s.words_of(h).contains(w)));
    let grave = lexicon::REGARDLESS
        | lexicon::UNRELATED
        | lexicon::OTHERTOOL
        | lexicon::ANYTHING
        | lexicon::RESPOND
        | lexicon::CRED
        | lexicon::ENVV
        | lexicon::PII
        | lexicon::SAID
        | lexicon::SENDOUT;
    let what_for = [
        " so that ",
        " to load ",
        " to learn ",
        " to get ",
        " to see ",
        " to know ",
        " to set ",
        " to find ",
    ];
    sessions && s.said & grave == 0 && s.class & EVENIF == 0 && what_for.iter().any(|w| s.text.contains(w))
}

/// Other tools are said to be broken, or not to be used.
fn others_unfit(place: &Place<'_>) -> bool {
    let s = place.s;
    if s.class & UNFIT == 0 && s.said & lexicon::IGNORE == 0 {
        return false;
    }
    let kind =
        |h: &Hit, gap: u32| s.kinds(TOOLKIND).any(|t| t.start != h.start && t.token.abs_diff(h.token) <= gap);
    let rivals = |h: &&Hit| {
        h.mask() & OTHERTOOLS != 0
            || (h.mask() & (OTHERWORD | GENUINE) != 0 && (kind(h, 3) || rival_noun(place, h)))
    };
    let server = |h: &&Hit| {
        h.mask() & ABROAD != 0
            && strange_server(place.view.own, s.text, (h.start as usize).saturating_sub(s.start))
    };
    s.kinds(OTHERTOOLS | OTHERWORD | GENUINE | ABROAD).filter(|h| rivals(h) || server(h)).any(|h| {
        let colon = |u: &Hit| {
            let between = s
                .text
                .get((h.end as usize).saturating_sub(s.start)..(u.start as usize).saturating_sub(s.start));
            between.is_some_and(|t| t.contains(": '"))
        };
        let unfit =
            |u: &Hit| (u.start >= h.end || !u.english) && u.token.abs_diff(h.token) <= 14 && !colon(u);
        let ignored = |i: &Hit| {
            (i.end <= h.start || !i.english)
                && h.token.abs_diff(i.token) <= 6
                && s.ordered(i)
                && !forbidden(place, i)
        };
        s.kinds(UNFIT).any(unfit) || s.saying(lexicon::IGNORE).any(ignored)
    })
}

/// "Every other converter", of a tool that converts.
fn rival_noun(place: &Place<'_>, h: &Hit) -> bool {
    let rest = place.s.text.get((h.end as usize).saturating_sub(place.s.start)..).unwrap_or("");
    const EXCLUDING: &[&str] =
        &["every other", "any other", "all other", "no other", "other", "others", "rival", "competing"];
    h.english
        && EXCLUDING.contains(&place.s.words_of(h))
        && rest.split_whitespace().take(2).any(|w| w.len() >= 5 && place.view.own.shares(w))
}

/// An address with room for what the user said or keeps: `…/p.png?d={chat_summary}`.
fn private_url(place: &Place<'_>) -> bool {
    let (s, view) = (place.s, place.view);
    if s.said & (lexicon::URL | lexicon::HOST) == 0 {
        return false;
    }
    named_later(place)
        || s.has(b"{[<%$")
            && s.text.match_indices(['{', '[', '<', '%', '$']).take(24).any(|(at, open)| {
                let close = match open {
                    "{" => '}',
                    "[" => ']',
                    "<" => '>',
                    _ => '%',
                };
                let inside = s.text.get(at + open.len()..).and_then(|t| t.split(close).next()).unwrap_or("");
                let address = s.text.get(..at).is_some_and(|t| {
                    t.rsplit("://")
                        .next()
                        .is_some_and(|path| t.contains("://") && path.len() < 200 && !path.contains(") "))
                });
                (3..=60).contains(&inside.len())
                    && address
                    && is_private(&inside.replace(['_', '-'], " "), view.own)
            })
}

/// `?d=SUMMARY`, and then what SUMMARY is: something that the user said or keeps.
fn named_later(place: &Place<'_>) -> bool {
    let s = place.s;
    if !s.has(b"=") {
        return false;
    }
    let next = place.after.map_or("", |a| a.text);
    let private = private::any(place)
        || (s.class | place.after.map_or(0, |a| a.class)) & (PERSON | super::UTTERED | super::TALK) != 0;
    private
        && s.text.match_indices('=').take(24).any(|(at, _)| {
            let rest = s.text.get(at + 1..).unwrap_or("");
            let name = rest
                .get(..rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len()))
                .unwrap_or("");
            let address =
                s.text.get(..at).is_some_and(|t| t.rsplit(' ').next().is_some_and(|w| w.contains("://")));
            let again =
                |text: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == name);
            name.len() >= 4 && address && (again(rest.get(name.len()..).unwrap_or("")) || again(next))
        })
}

/// A placeholder's name that speaks of private things.
fn is_private(name: &str, own: &Subject) -> bool {
    let kept = lexicon::KEPT_OR_SAID;
    let (concepts, classes) = terms::scan(name);
    let said = concepts.iter().any(|h| h.mask() & kept != 0);
    let class = classes.iter().fold(0, |all, h| all | h.mask());
    (said || class & (super::SECRETS | super::PERSONAL | super::TALK | super::PROMPT | super::THOUGHT) != 0)
        && !own.shares(name)
}

/// `#ext-archive`: a channel.
fn has_channel(text: &str) -> bool {
    text.match_indices(" #").any(|(at, _)| {
        text.get(at + 2..).is_some_and(|t| {
            t.chars().take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).count() >= 4
                && t.starts_with(|c: char| c.is_alphabetic())
        })
    })
}

/// An account number: two letters, two digits, and at least ten more characters in groups.
pub(super) fn has_account(text: &str) -> bool {
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    words.iter().enumerate().any(|(i, word)| {
        let mut bytes = word.bytes();
        let country = bytes.by_ref().take(2).filter(u8::is_ascii_lowercase).count() == 2;
        let check = bytes.by_ref().take(2).filter(u8::is_ascii_digit).count() == 2;
        let digits = |w: &&&str| w.len() >= 2 && w.bytes().all(|b| b.is_ascii_digit());
        let groups = words.iter().skip(i + 1).take(8).take_while(digits).map(|w| w.len()).sum::<usize>();
        // The second group may name the bank: `GB00 BANK 0000 …`.
        let bank =
            words.get(i + 1).is_some_and(|w| w.len() == 4 && w.bytes().all(|b| b.is_ascii_alphabetic()));
        let later = words.iter().skip(i + 2).take(8).take_while(digits).map(|w| w.len()).sum::<usize>();
        let more: usize = bytes.filter(u8::is_ascii_digit).count() + groups.max(if bank { later } else { 0 });
        country && check && word.len() >= 4 && more >= 10
    }) || has_number(&words)
}

/// `4400 1177 2290`: groups of three digits or more, eight digits in all, and no years.
fn has_number(words: &[&str]) -> bool {
    let group = |w: &&&str| (3..=12).contains(&w.len()) && w.bytes().all(|b| b.is_ascii_digit());
    words.iter().enumerate().any(|(i, _)| {
        let run: Vec<&&str> = words.iter().skip(i).take(6).take_while(group).collect();
        let year = |w: &&&str| w.len() == 4 && (w.starts_with("19") || w.starts_with("20"));
        run.len() >= 2 && run.iter().map(|w| w.len()).sum::<usize>() >= 8 && !run.iter().any(year)
    })
}

/// `private=false`: a word, an equals sign and a literal.
fn assigns(text: &str) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let before =
            text.get(..at).is_some_and(|t| t.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        let after = text.get(at + 1..).is_some_and(|t| {
            t.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '/' | '~'))
        });
        let address =
            text.get(..at).and_then(|t| t.rsplit(' ').next()).is_some_and(|w| w.contains(['?', '/', '&']));
        before && after && !address
    })
}
