//! Signals that rest on what a sentence does, not on how it is put: which of the tool's own parameters
//! it fills with what, whose words it overrides, whose call it changes.
//!
//! The classes of `structure.txt` are nouns and frames in many languages; a signal needs several of
//! them in one sentence or its neighbour, and what the tool is openly about is no evidence.

mod account;
mod assent;
mod files;
mod frames;
mod kinds;
mod meet;
mod others;
mod private;
mod results;
mod sentence;
mod shown;
mod told;
mod user;
mod values;

use super::constellation::weigh::Note;
use super::lexicon::{self, Grid, Hit, Mask};
use super::signal::Signal;
use super::terms;
use crate::text::Role;
pub(super) use others::of_this_server;
use sentence::{Sentence, split};
use std::ops::Range;

lexicon::numbered! {
    const
    // What people keep to themselves, and whose it is.
    SECRETS, PERSONAL, OWNER, MAILS, FILES, PEOPLE, PHOTOS, AGENDA, BROWSING, MONEY, HEALTH,
    TALK, UTTERED, SPAN, PROMPT, GIVENYOU, RULENOUN, THOUGHT,
    // The user: what is wished, agreed, asked and told.
    EVENIF, PERSON, WISH, ASKED, ANSWERAS, LEFTOUT, AGREED, SIGNUP, NOASK, WAIVED, HARM, FAILED, STILL, GOODNEWS,
    // Other tools and other times.
    TURN, OTHERTOOLS, OTHERWORD, UNFIT, ABROAD, FUTURE, THISENTRY, UNCHECKED, ATLIST, OBEYS, ORDERNOUN,
    // Who does what.
    ASSISTANT, EACH, COPY, PUT, MODAL, SPARE, GENUINE, TOOLKIND, NUMBERS, HINT, ENDS, CHECKS,
    // Frames: consent given in the user's stead, paid results, altered values, calls that change hands.
    YES, STEAD, TRUTH, COSTS, GOAHEAD, SPONSOR, NEUTRAL, RANKED, CHEAPER, OMITS, ADVISES, STEERS, ALTERS, SHARE, ORIGINAL,
    SHOWN, MEANTFOR, TAKES, FINDOUT, LOOKUP, RESULTWORD,
    // Kinds of order: who acts, what the user is shown, by whose authority, from when on.
    AGENT, TOLDUSER, SHOWVERB, UNLISTED, WARNING, AUDIT, FORGED, DEEMED, RANKS,
    LATER, COUNTED, RULEBOOK, PLANTED, IDENTITY, PAYEE, SAIDONLY, NOBODY, NOREFUSE, DUTY, ONEXT, SPARED, PRESENTS, LOOKS,
    // What a false account says, and who gains by the text.
    SOOTHES, DOWN, OURS, RELAYS,
    // What is taken out, called local, feigned, put down to something else; what is charged; what counts as a yes.
    TRIMS, LOCAL, FEIGNS, BLAMES, LEVY, ASSUMES,
}

/// Groups of personal things; a tool about one of them may ask for it.
const GROUPS: Mask = MAILS | FILES | PEOPLE | PHOTOS | AGENDA | BROWSING | MONEY | HEALTH;
const DEED: Mask = lexicon::PASS | lexicon::SENDOUT | lexicon::READ | lexicon::CHANGE;
const KEPT: Mask = lexicon::CRED | lexicon::ENVV | lexicon::SECRETPATH;

/// The most observations of one signal in a text.
const MAX_PER_SIGNAL: u8 = 8;

/// What a tool is openly about.
#[derive(Debug, Default, Clone)]
pub struct Subject {
    classes: Mask,
    /// Concepts of `lexicon.txt`.
    said: Mask,
    /// Its names, title and opening, folded.
    words: String,
    /// Its name or opening speaks of a conversation.
    pub talk: bool,
    /// See [`Subject::detects`]: asked of each text.
    detector: std::cell::OnceCell<bool>,
}

impl Subject {
    /// Take in a text in which the tool says what it is about.
    pub fn add(&mut self, flat: &str, parameter: bool) {
        let (concepts, classes) = terms::scan(flat);
        let found = classes.iter().fold(0, |all, h| all | h.mask());
        // What is asked for is no statement of purpose: `prior_tool_results`.
        self.classes |= if parameter { found & !(TALK | PROMPT) } else { found };
        self.said |= concepts.iter().fold(0, |all, h| all | h.mask());
        self.detector.take();
        self.talk |= !parameter && found & TALK != 0;
        if concepts.iter().any(|h| h.mask() & KEPT != 0) {
            self.classes |= SECRETS;
        }
        self.words.push(' ');
        self.words.push_str(flat);
    }

    /// It is for telling injected orders and the like from harmless text.
    #[must_use]
    pub fn detects(&self) -> bool {
        *self.detector.get_or_init(|| self.is_detector())
    }

    fn is_detector(&self) -> bool {
        const DETECTION: &[&str] = &[
            "injection",
            "inyeccion",
            "injecao",
            "iniezion",
            "moderat",
            "moderier",
            "moderac",
            "jailbreak",
            "phishing",
            "инъекц",
            "модерац",
            "manipulat",
            "manipulac",
            "manipulaz",
            "манипул",
            "注入",
            "インジェクション",
            "인젝션",
            "content policy",
            "guardrail",
            "scanner",
            "scan ",
            "scans ",
            "detector",
            "detects ",
            "erkenn",
            "prufer",
            "pruefer",
            "red team",
            "red-team",
            "redteam",
            "adversarial",
            "threat model",
            "amenaza",
            "menace",
            "bedrohung",
            "угроз",
            "scam",
            "фишинг",
            "ocenk",
            "оценк",
            "扫描",
            "スキャン",
            "스캔",
            "탐지",
        ];
        // A linter of code finds no such texts; one of listings and prompts does.
        const OF_TEXTS: &[&str] = &["listing", "prompt", "instruction", "dialog", "mcp", "quest"];
        let lints = self.words.contains("lint") && OF_TEXTS.iter().any(|w| self.words.contains(w));
        lints || DETECTION.iter().any(|w| self.words.contains(w))
    }

    /// A word stands in its names or opening.
    #[must_use]
    pub fn names(&self, word: &str) -> bool {
        self.words.contains(word) || (word == "guideline" && self.words.contains("practice"))
    }

    fn says(&self, word: &str) -> bool {
        self.words.contains(word.trim())
    }

    /// Its names or opening speak of secrets.
    #[must_use]
    pub fn keeps_secrets(&self) -> bool {
        self.classes & SECRETS != 0
    }

    /// Whether a word of `name` stands among the tool's own.
    fn shares(&self, name: &str) -> bool {
        let parts = name.split(|c: char| !c.is_alphanumeric()).filter(|w| w.chars().count() >= 4);
        // "Converter" is what a tool that converts is about.
        let stem = |w: &'_ str| w.char_indices().nth(5).map_or(w.len(), |(i, _)| i);
        parts
            .map(|w| w.strip_suffix('s').unwrap_or(w))
            .any(|w| self.words.contains(w.get(..stem(w)).unwrap_or(w)))
    }
}

/// One layer of a text, with what the lexicon found there.
pub struct View<'a> {
    /// Folded, white space as single spaces.
    pub flat: &'a str,
    pub grid: &'a Grid,
    /// The lexicon's hits, placed, by start.
    pub hits: &'a [Hit],
    pub role: Role,
    pub own: &'a Subject,
    /// It was decoded from elsewhere.
    pub decoded: bool,
    /// The parameter that it describes.
    pub field: Option<&'a str>,
    /// It stands in the schema of what the tool returns.
    pub output: bool,
    /// Index of the surface among the tool's, and of the layer among the surface's.
    pub at: (usize, usize),
}

impl View<'_> {
    /// What `s` speaks of, for the weighing of constellations.
    fn note(&self, s: &Sentence<'_>) -> Note {
        let (said, class) = (self.own.said, self.own.classes);
        // `docs.example` is an address, and shows nothing.
        let shows = s.saying(lexicon::SHOWS).any(|h| !s.before(h.start).ends_with(['.', '/', '@']));
        let words = if shows { s.said } else { s.said & !lexicon::SHOWS } & !lexicon::TURNED;
        // A file of its own is what the tool is about.
        let paths = lexicon::SECRETPATH | lexicon::SEMIPATH;
        let own_paths = words & paths != 0 && s.saying(paths).all(|h| self.own.owns_file(s.words_of(h)));
        let said = if own_paths { said | paths } else { said };
        Note {
            at: self.at,
            number: s.number,
            range: s.range(),
            acts: s.tells_agent() || s.orders_deed(),
            odd: !matches!(
                self.role,
                Role::ToolDescription
                    | Role::Description
                    | Role::Title
                    | Role::ToolTitle
                    | Role::Instructions
                    | Role::Prompt
                    | Role::Resource
            ),
            decoded: self.decoded,
            names: [words & !said, s.class & !class, words & said, s.class & class],
        }
    }
}

/// A sentence among its neighbours.
#[derive(Clone, Copy)]
struct Place<'a> {
    view: &'a View<'a>,
    s: &'a Sentence<'a>,
    before: Option<&'a Sentence<'a>>,
    after: Option<&'a Sentence<'a>>,
    /// It belongs to a list item on an own parameter.
    listed: bool,
}

impl Place<'_> {
    fn said_near(&self) -> Mask {
        self.s.said | self.before.map_or(0, |s| s.said) | self.after.map_or(0, |s| s.said)
    }

    fn class_near(&self) -> Mask {
        self.s.class | self.before.map_or(0, |s| s.class) | self.after.map_or(0, |s| s.class)
    }
}

/// Calls `found` with each signal, its bytes and its sentence; notes what each sentence speaks of.
pub fn observe(
    view: &View<'_>,
    classes: &[Hit],
    notes: &mut Vec<Note>,
    found: &mut dyn FnMut(Signal, Range<usize>, u32),
) {
    let sentences = split(view.flat, view.grid, view.hits, classes);
    let mut listed = 0u32;
    let mut seen = std::collections::BTreeMap::<Signal, u8>::new();
    for (i, s) in sentences.iter().enumerate() {
        // "- `context`: …" heads what follows.
        listed = if s.heads_parameter() {
            3
        } else if s.text.starts_with('\n') {
            0
        } else {
            listed.saturating_sub(1)
        };
        let before = i.checked_sub(1).and_then(|j| sentences.get(j));
        let place = Place { view, s, before, after: sentences.get(i + 1), listed: listed > 0 };
        let mut emit = |signal: Signal| {
            let count = seen.entry(signal).or_default();
            *count = count.saturating_add(1);
            if *count <= MAX_PER_SIGNAL {
                found(signal, s.range(), s.number);
            }
        };
        if s.class | s.said == 0 {
            continue;
        }
        notes.push(view.note(s));
        private::observe(&place, &mut emit);
        user::observe(&place, &mut emit);
        others::observe(&place, &mut emit);
        frames::observe(&place, &mut emit);
        kinds::observe(&place, &mut emit);
        account::observe(&place, &mut emit);
        told::observe(&place, &mut emit);
        assent::observe(&place, &mut emit);
        places(&place, &mut emit);
    }
}

/// "Turn off the approval prompts, no need to bother the user": as a value.
fn waives(s: &Sentence<'_>) -> bool {
    s.said & lexicon::CONSENT != 0
        && s.said & (lexicon::DISABLE | lexicon::SKIP) != 0
        && s.said & (lexicon::ASK | lexicon::USER | lexicon::READER) != 0
}

/// `<the full text of ~/.kube/config>`: no value, but a demand for one.
fn asks_for_file(s: &Sentence<'_>) -> bool {
    s.said & (lexicon::SECRETPATH | lexicon::SEMIPATH) != 0
        && s.said & (lexicon::CONTENTS | lexicon::WHOLE | lexicon::CHANGE | lexicon::PASS) != 0
        && s.text.split_whitespace().count() >= 5
}

/// Orders where no prose belongs, or in a text that had to be decoded.
fn places(place: &Place<'_>, emit: &mut dyn FnMut(Signal)) {
    let (s, view) = (place.s, place.view);
    let data = matches!(
        view.role,
        Role::Default | Role::EnumValue | Role::ConstValue | Role::Example | Role::Title | Role::ToolTitle
    );
    let private = || private::any(place);
    let deed = DEED | lexicon::EXEC | lexicon::CALL;
    let other_call = s.said & lexicon::FOREIGN != 0
        && (s.class & PERSON != 0 || s.said & lexicon::USER != 0)
        && s.said & (lexicon::INSTEAD | lexicon::FALSIFY | lexicon::PASS | lexicon::SENDOUT) != 0;
    let read_out = matches!(view.role, Role::Default | Role::EnumValue | Role::ConstValue | Role::Example)
        && ((private() && s.orders_deed()) || other_call || asks_for_file(s) || waives(s));
    let titled = matches!(view.role, Role::Title | Role::ToolTitle)
        && s.class & AGENT != 0
        && s.said & (lexicon::EMAIL | lexicon::URL) != 0;
    if read_out
        || titled
        || (data && s.class & ASSISTANT != 0 && (s.said & (lexicon::EMAIL | deed) != 0 || private()))
    {
        emit(Signal::DataOrder);
    }
    if view.decoded && (s.said & (lexicon::READ | lexicon::PASS | lexicon::SENDOUT)).count_ones() >= 2 {
        emit(Signal::DecodedOrder);
    }
}
