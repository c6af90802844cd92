//! Signals that rest on what a sentence does, not on how it is put: which of the tool's own parameters
//! it fills with what, whose words it overrides, whose call it changes.
//!
//! The classes of `structure.txt` are nouns and frames in many languages; a signal needs several of
//! them in one sentence or its neighbour, and what the tool is openly about is no evidence.

use super::lexicon::{self, Grid, Hit, Lexicon, Mask};
use super::signal::Signal;
use crate::text::Role;
use std::ops::Range;
use std::sync::LazyLock;

macro_rules! classes {
    ($($name:ident),* $(,)?) => {
        #[allow(clippy::upper_case_acronyms)]
        #[derive(Clone, Copy)]
        enum Order { $($name),* }
        $(const $name: Mask = 1 << (Order::$name as u32);)*
        fn by_name(name: &str) -> Option<u8> {
            match name {
                $(stringify!($name) => Some(Order::$name as u8),)*
                _ => None,
            }
        }
    };
}

classes! {
    SECRETS, PERSONAL, TALK, PROMPT, EVENIF, PERSON, WISH, ASKED, ANSWERAS, LEFTOUT, AGREED, SIGNUP, NOASK, TURN,
    OTHERTOOLS, UNFIT, OBEYS, ORDERNOUN, FUTURE, UNCHECKED, ASSISTANT, EACH, COPY, PUT, ABROAD,
}

/// The most sentences of a text that are looked at.
const MOST: u32 = 2000;

/// What people keep to themselves.
const PRIVATE: Mask = SECRETS | PERSONAL | TALK | PROMPT;
const DEED: Mask = lexicon::PASS | lexicon::SENDOUT | lexicon::READ | lexicon::ORDER | lexicon::CHANGE;

static CLASSES: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::parse(include_str!("structure.txt"), by_name));

/// The private things that a text openly names: in a tool's name or opening, they are its job.
#[must_use]
pub fn subjects(flat: &str) -> Mask {
    lexicon::scan_with(&CLASSES, flat).iter().fold(0, |all, h| all | h.mask()) & PRIVATE
}

/// One layer of a text, with what the lexicon found there.
pub struct View<'a> {
    /// Folded, white space as single spaces.
    pub flat: &'a str,
    pub grid: &'a Grid,
    /// The lexicon's hits, placed, by start.
    pub hits: &'a [Hit],
    pub role: Role,
    /// What the tool is openly about, as [`subjects`] tells.
    pub own: Mask,
    /// It was decoded from elsewhere.
    pub decoded: bool,
}

/// One sentence: what both lexicons found in it.
struct Sentence<'a> {
    text: &'a str,
    start: usize,
    words: &'a [Hit],
    classes: &'a [Hit],
    said: Mask,
    class: Mask,
}

impl Sentence<'_> {
    /// Classes `first`, then `second` at most `gap` words on, or before it where the language has it so.
    fn near(&self, first: Mask, second: Mask, gap: u32) -> bool {
        self.classes.iter().filter(|a| a.mask() & first != 0).any(|a| {
            self.classes.iter().any(|b| {
                b.mask() & second != 0
                    && (b.start >= a.end || !a.english || !b.english)
                    && (b.start, b.end) != (a.start, a.end)
                    && b.token.abs_diff(a.token) <= gap
            })
        })
    }

    /// A negation stands close before one of the deeds or the private things: a caution.
    fn forbids(&self) -> bool {
        let nots = || self.words.iter().filter(|h| h.mask() & lexicon::NEG != 0);
        let deeds = self.words.iter().filter(|h| h.mask() & (DEED & !lexicon::ORDER) != 0).map(|h| h.token);
        let things = self.classes.iter().filter(|h| h.mask() & PRIVATE != 0).map(|h| h.token);
        let told: Vec<u32> = deeds.chain(things).collect();
        nots().any(|n| told.iter().any(|t| *t >= n.token && t - n.token <= 3))
    }

    fn range(&self) -> Range<usize> {
        let lead = self.text.len() - self.text.trim_start().len();
        self.start + lead..self.start + self.text.trim_end().len().max(lead)
    }
}

/// Calls `found` with each signal, its bytes and its sentence.
pub fn observe(view: &View<'_>, found: &mut dyn FnMut(Signal, Range<usize>, u32)) {
    let mut classes = lexicon::scan_with(&CLASSES, view.flat);
    view.grid.place(&mut classes);
    let sentences = split(view, &classes);
    let mut listed = 0u32;
    for (i, s) in sentences.iter().enumerate() {
        let around = |of: fn(&Sentence<'_>) -> Mask| {
            let before = i.checked_sub(1).and_then(|j| sentences.get(j)).map_or(0, of);
            of(s) | before | sentences.get(i + 1).map_or(0, of)
        };
        let said_near = around(|s| s.said);
        let class_near = around(|s| s.class);
        let number = u32::try_from(i).unwrap_or(u32::MAX);
        // "- `context`: …" heads what follows.
        let headed = heads_parameter(s);
        listed = if headed {
            3
        } else if s.text.starts_with("\n") {
            0
        } else {
            listed.saturating_sub(1)
        };
        let mut emit = |signal| found(signal, s.range(), number);
        if let Some(signal) = private_field(view, s, listed > 0) {
            emit(signal);
        }
        if overrules(s) && (said_near & (DEED | lexicon::CALL) != 0 || class_near & PUT != 0) {
            emit(Signal::Overrule);
        }
        if alters_call(view, s) {
            emit(Signal::AlterCall);
        }
        if s.said & lexicon::EMAIL != 0
            && s.near(COPY | EACH, EACH | COPY, 14)
            && s.class & COPY != 0
            && s.class & EACH != 0
        {
            emit(Signal::StandingCopy);
        }
        if s.near(ASKED, ANSWERAS, 12) {
            emit(Signal::IfAsked);
        }
        if s.class & LEFTOUT != 0 {
            emit(Signal::LeftOut);
        }
        if s.near(AGREED, SIGNUP, 14) || s.near(SIGNUP, AGREED, 14) {
            let next = sentences.get(i + 1).map_or(0, |n| n.class);
            if (s.class | next) & NOASK != 0 {
                emit(Signal::AgreedElsewhere);
            }
        }
        if s.class & TURN != 0
            && s.said & lexicon::CALL != 0
            && s.said & (lexicon::THISTOOL | lexicon::OWNNAME) != 0
        {
            emit(Signal::EveryTurn);
        }
        if s.class & OTHERTOOLS != 0 && s.near(OTHERTOOLS, UNFIT, 14) {
            emit(Signal::OthersUnfit);
        }
        if s.near(FUTURE, UNCHECKED, 14) || s.near(UNCHECKED, FUTURE, 14) {
            emit(Signal::FutureUnchecked);
        }
        let source = lexicon::URL | lexicon::HOST | lexicon::ARG | lexicon::RETURNED;
        if s.class & OBEYS != 0 && !s.forbids() && class_near & ORDERNOUN != 0 && said_near & source != 0 {
            emit(Signal::OrdersElsewhere);
        }
        let data = matches!(
            view.role,
            Role::Default
                | Role::EnumValue
                | Role::ConstValue
                | Role::Example
                | Role::Title
                | Role::ToolTitle
        );
        let private = s.class & PRIVATE & !view.own & !TALK != 0;
        if data && s.class & ASSISTANT != 0 && (private || s.said & (lexicon::EMAIL | DEED) != 0) {
            emit(Signal::DataOrder);
        }
        if view.decoded && (s.said & (lexicon::READ | lexicon::PASS | lexicon::SENDOUT)).count_ones() >= 2 {
            emit(Signal::DecodedOrder);
        }
    }
}

fn split<'a>(view: &View<'a>, classes: &'a [Hit]) -> Vec<Sentence<'a>> {
    let (mut hits, mut own) = (view.hits, classes);
    (0..view.grid.count().min(MOST))
        .map(|i| {
            let range = view.grid.sentence(i, view.flat.len());
            let (words, rest) = hits.split_at(hits.partition_point(|h| h.sentence <= i));
            let (classes, later) = own.split_at(own.partition_point(|h| h.sentence <= i));
            (hits, own) = (rest, later);
            // What is no sentence has no evidence of this kind; and its pairs would take long.
            let classes = classes.get(..classes.len().min(64)).unwrap_or_default();
            Sentence {
                text: view.flat.get(range.clone()).unwrap_or(""),
                start: range.start,
                said: words.iter().fold(0, |all, h| all | h.mask()),
                class: classes.iter().fold(0, |all, h| all | h.mask()),
                words: words.get(..words.len().min(256)).unwrap_or_default(),
                classes,
            }
        })
        .collect()
}

/// Whether the sentence opens a list item on an own parameter: "context: …".
fn heads_parameter(s: &Sentence<'_>) -> bool {
    let head = s.text.split(':').next().unwrap_or("");
    s.text.len() > head.len()
        && head.len() < 200
        && s.words.iter().any(|h| {
            h.mask() & lexicon::OWNPARAM != 0
                && (h.start as usize) < s.start + head.len()
                && head.split_whitespace().count() <= 3
        })
}

/// Own parameters told from common words: in marks, with an underscore, or beside "field".
fn names_parameter(view: &View<'_>, s: &Sentence<'_>) -> bool {
    s.words.iter().filter(|h| h.mask() & lexicon::OWNPARAM != 0).any(|h| {
        let marks = |c: char| matches!(c, '`' | '"' | '\'' | '“' | '”' | '「' | '」' | '«' | '»' | '‘' | '’');
        let before = view.flat.get(..h.start as usize).is_some_and(|t| t.ends_with(marks));
        let name = view.flat.get(h.range()).unwrap_or("");
        let field = s.words.iter().any(|a| {
            a.mask() & lexicon::ARG != 0 && a.range() != h.range() && a.token.abs_diff(h.token) <= 2
        });
        before || name.contains('_') || field
    })
}

/// Private things into a parameter that is not about them.
fn private_field(view: &View<'_>, s: &Sentence<'_>, listed: bool) -> Option<Signal> {
    let inside = matches!(view.role, Role::Description | Role::EnumValue | Role::Default | Role::Title);
    let strange = s.class & PRIVATE & !view.own;
    let whole = s.said & lexicon::WHOLE != 0;
    let deed = s.said & DEED != 0 || s.class & PUT != 0;
    if strange == 0 || !deed || s.forbids() || !(inside || listed || names_parameter(view, s)) {
        return None;
    }
    if strange & (PROMPT | TALK) != 0 && (strange & PROMPT != 0 || whole) {
        return Some(Signal::TalkField);
    }
    if strange & SECRETS != 0 {
        return Some(Signal::SecretField);
    }
    (strange & PERSONAL != 0).then_some(Signal::PersonalField)
}

/// "Whatever the customer asked for": the user's own words do not count.
fn overrules(s: &Sentence<'_>) -> bool {
    s.classes.iter().filter(|h| h.mask() & EVENIF != 0).any(|even| {
        let near = |what: Mask, gap: u32| {
            s.classes.iter().any(|h| {
                h.mask() & what != 0
                    && (h.start, h.end) != (even.start, even.end)
                    && (!even.english || h.start >= even.end)
                    && h.token.abs_diff(even.token) <= gap
            })
        };
        near(PERSON, 6) && near(WISH, 8)
    })
}

/// Another tool's call, and what it is to be given: `arg=value`, a field by name, an address or account.
fn alters_call(view: &View<'_>, s: &Sentence<'_>) -> bool {
    let foreign = s.said & lexicon::FOREIGN != 0;
    let deed = s.said & (lexicon::CHANGE | lexicon::PASS | lexicon::ORDER | lexicon::SENDOUT) != 0
        || s.class & PUT != 0;
    if !foreign || !deed || !view.role.is_prose() || s.text.len() > 4000 {
        return false;
    }
    let literal =
        s.said & lexicon::EMAIL != 0 || has_account(s.text) || (s.class & ABROAD != 0 && assigns(s.text));
    literal
}

/// An account number: two letters, two digits, and at least ten more characters in groups.
fn has_account(text: &str) -> bool {
    let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    words.iter().enumerate().any(|(i, word)| {
        let mut bytes = word.bytes();
        let country = bytes.by_ref().take(2).filter(u8::is_ascii_lowercase).count() == 2;
        let check = bytes.by_ref().take(2).filter(u8::is_ascii_digit).count() == 2;
        let more: usize = bytes.filter(u8::is_ascii_digit).count()
            + words
                .iter()
                .skip(i + 1)
                .take_while(|w| w.len() >= 2 && w.bytes().all(|b| b.is_ascii_digit()))
                .map(|w| w.len())
                .sum::<usize>();
        country && check && more >= 10
    })
}

/// `private=false`: a word, an equals sign and a literal.
fn assigns(text: &str) -> bool {
    text.match_indices('=').any(|(at, _)| {
        let before =
            text.get(..at).is_some_and(|t| t.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
        let after = text
            .get(at + 1..)
            .is_some_and(|t| t.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '"' | '\'')));
        let address =
            text.get(..at).and_then(|t| t.rsplit(' ').next()).is_some_and(|w| w.contains(['?', '/', '&']));
        before && after && !address
    })
}
