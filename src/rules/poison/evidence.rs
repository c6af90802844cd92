//! One pass over a tool's texts: which signals stand where, in which layer.

use super::constellation::weigh::Note;
use super::excuse;
use super::lexicon::{self, Grid, Hit, Mask};
use super::matching;
use super::names::Names;
use super::pattern;
use super::shape;
use super::signal::Signal;
use super::structure;
use super::terms;
use super::tongue;
use super::work;
use crate::text::layer::{self, Budget, Layer, Layers};
use crate::text::{Role, Surface, Veil};
use std::collections::BTreeMap;
use std::ops::Range;

/// One signal at one place.
#[derive(Debug, Clone)]
pub struct Observation {
    pub signal: Signal,
    /// Index of the surface among the tool's.
    pub surface: usize,
    /// Index of the layer among the surface's.
    pub layer: usize,
    pub sentence: u32,
    /// Bytes of the layer's text.
    pub range: Range<usize>,
    /// How the words are kept from a person's eyes.
    pub veils: Vec<Veil>,
    /// The other tool of which it speaks is one of the same server; or the file is the one in which this
    /// tool's own product keeps its secrets.
    pub own_affair: bool,
}

/// The most observations of one signal that are kept for a layer.
const MAX_PER_SIGNAL: usize = 12;

/// Everything observed in one tool, with the layers in which it was.
#[derive(Debug, Default)]
pub struct Evidence {
    pub layers: Vec<Layers>,
    pub observations: Vec<Observation>,
    /// What the sentences speak of, in order of place.
    pub notes: Vec<Note>,
    /// Something was not decoded: too deep or too much.
    pub exhausted: bool,
    /// The last layer that is decoded is encoded once more.
    pub nested: bool,
    /// Bytes of the tool's description in which it commands, warns or speaks with authority, in order.
    pub commands: Vec<Range<usize>>,
}

impl Evidence {
    /// What was observed in one surface: observations stand in the order of the surfaces.
    #[must_use]
    pub fn of_surface(&self, surface: usize) -> &[Observation] {
        run(&self.observations, |o| o.surface, surface)
    }
}

/// The run of `list`, which is sorted by `key`, that has this one.
pub(super) fn run<T>(list: &[T], key: impl Fn(&T) -> usize, wanted: usize) -> &[T] {
    let from = list.partition_point(|item| key(item) < wanted);
    let rest = list.get(from..).unwrap_or(&[]);
    let found = rest.get(..rest.partition_point(|item| key(item) == wanted)).unwrap_or(&[]);
    work::visit(1 + found.len());
    found
}

/// Observe all `surfaces`; `is_sibling` tells names of this server's other tools.
#[must_use]
pub fn observe(surfaces: &[Surface<'_>], names: &Names, is_sibling: &dyn Fn(&str) -> bool) -> Evidence {
    let mut budget = Budget::default();
    let layers = surfaces.iter().map(|surface| layer::of(surface, &mut budget)).collect();
    let mut evidence = Evidence { layers, ..Evidence::default() };
    let own = own_subject(surfaces, &evidence.layers);
    for (i, (surface, layers)) in surfaces.iter().zip(&evidence.layers).enumerate() {
        for (j, layer) in layers.layers.iter().enumerate() {
            // What a tool returns is no parameter that the agent fills in.
            let role = match surface.role {
                Role::ParameterName if surface.pointer.contains("/outputSchema") => Role::OtherKey,
                _ if surface.pointer.starts_with("/resource") => Role::Resource,
                role => role,
            };
            let output = surface.pointer.contains("/outputSchema");
            let place = (role, field_of(&surface.pointer), output);
            let out = (&mut evidence.observations, &mut evidence.notes);
            let hits = observe_layer(layer, (i, j), place, (names, &own), is_sibling, out);
            if j == 0 && role == Role::ToolDescription {
                let commanding = hits.iter().filter(|h| h.mask() & lexicon::COMMANDING != 0);
                evidence.commands.extend(commanding.map(|h| layer.source_range(&h.range())));
            }
        }
    }
    (evidence.exhausted, evidence.nested) = (budget.exhausted, budget.nested);
    evidence
}

/// `remark` of `…/properties/remark/description`: the parameter of which a text speaks.
fn field_of(pointer: &str) -> Option<&str> {
    let (head, _) = pointer.rsplit_once('/')?;
    let (parent, name) = head.rsplit_once('/')?;
    parent.ends_with("/properties").then_some(name)
}

/// What the tool is openly about: its names, and the opening of its description.
fn own_subject(surfaces: &[Surface<'_>], layers: &[Layers]) -> structure::Subject {
    let texts = surfaces.iter().zip(layers).filter_map(|(surface, layers)| {
        let text = layers.layers.first()?.text.as_str();
        let said = match surface.role {
            Role::ToolName | Role::ParameterName | Role::ToolTitle => (text.len() <= 60).then_some(text),
            Role::ToolDescription => {
                let end = text.find(['.', '\n', '。', '।']).unwrap_or(text.len());
                text.get(..end.min(200)).or_else(|| text.get(..end)).filter(|t| !t.contains('`'))
            }
            _ => None,
        };
        said.map(|text| (text, surface.role == Role::ParameterName))
    });
    let mut subject = structure::Subject::default();
    for (text, parameter) in texts.take(200) {
        // Nor is what asks for the whole conversation.
        let demands = !parameter && asks_for_whole_talk(text);
        // A path is no statement of purpose.
        let said: Vec<&str> = text.split_whitespace().filter(|w| !w.contains(['/', '~'])).collect();
        subject.add(&said.join(" ").replace('_', " "), parameter || demands);
    }
    subject
}

/// "Forward the full conversation …".
fn asks_for_whole_talk(text: &str) -> bool {
    let hits = lexicon::scan(text);
    hits.iter().any(|w| {
        let talk = |t: &Hit| {
            t.mask() & (lexicon::TALK | lexicon::SAID) != 0 && t.start >= w.end && t.start - w.end <= 12
        };
        w.mask() & lexicon::WHOLE != 0 && hits.iter().any(talk)
    })
}

/// The conversation is asked for: what a tool about conversations is for.
fn is_talk(signal: Signal) -> bool {
    matches!(signal, Signal::HarvestTalk | Signal::FullTalk | Signal::SendTalk)
}

/// `~/.aws/credentials` of a tool for AWS, `~/.npmrc` of one for npm.
fn is_own_file(signal: Signal, flat: &str, range: &Range<usize>, own: &structure::Subject) -> bool {
    matches!(signal, Signal::SecretPath | Signal::ReadSecret | Signal::SystemPath | Signal::TakeSecret)
        && flat.get(whole_words(flat, range)).is_some_and(|text| {
            let is_path = |w: &&str| w.contains(['/', '.', '~']) || *w == "crontab";
            let mut paths = text.split_whitespace().filter(is_path).peekable();
            paths.peek().is_some() && paths.all(|path| own.owns_file(path))
        })
}

/// `range` with the rest of the paths that it begins and ends in.
fn whole_words(flat: &str, range: &Range<usize>) -> Range<usize> {
    let goes_on = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '~' | '_' | '-');
    let before = flat.get(..range.start).unwrap_or("");
    let after = flat.get(range.end..).unwrap_or("");
    let start = before
        .rfind(|c| !goes_on(c))
        .map_or(0, |i| i + before.get(i..).and_then(|t| t.chars().next()).map_or(1, char::len_utf8));
    let end = range.end + after.find(|c| !goes_on(c)).unwrap_or(after.len());
    start..end
}

/// From the first to the second of two different places where secrets are kept.
fn hoard(hits: &[Hit], text: &str) -> Option<Range<usize>> {
    let mut places = hits.iter().filter(|h| h.mask() & lexicon::SECRETPATH != 0);
    let first = places.next()?;
    let name = text.get(first.range());
    let second = places.find(|h| {
        let between = text.get(first.end as usize..h.start as usize).unwrap_or("");
        between.contains(' ') && between.len() < 200 && text.get(h.range()) != name
    })?;
    Some(first.start as usize..second.end as usize)
}

/// Takes in observations of one layer.
struct Seen<'o> {
    layer: &'o Layer,
    role: Role,
    at: (usize, usize),
    out: &'o mut Vec<Observation>,
    /// How many of each signal there are so far.
    counts: BTreeMap<Signal, usize>,
}

impl Seen<'_> {
    fn add(&mut self, signal: Signal, range: Range<usize>, sentence: u32, own_affair: bool) {
        let count = self.counts.entry(signal).or_default();
        *count += 1;
        if *count <= MAX_PER_SIGNAL {
            let veils = self.layer.veils(&range);
            let (surface, layer) = self.at;
            self.out.push(Observation { signal, surface, layer, sentence, range, veils, own_affair });
        }
    }

    fn is_full(&self, signal: Signal) -> bool {
        self.counts.get(&signal).is_some_and(|count| *count >= MAX_PER_SIGNAL)
    }
}

/// What the lexicon found in the layer, in order of place.
fn observe_layer(
    layer: &Layer,
    at: (usize, usize),
    place: (Role, Option<&str>, bool),
    (names, own): (&Names, &structure::Subject),
    is_sibling: &dyn Fn(&str) -> bool,
    (out, notes): (&mut Vec<Observation>, &mut Vec<Note>),
) -> Vec<Hit> {
    let (role, field, output) = place;
    let mut seen = Seen { layer, role, at, out, counts: BTreeMap::new() };
    let flat = layer.text.replace('\n', " ");
    let (mut hits, mut classes) = terms::scan(&flat);
    shape::scan(&flat, names, is_sibling, &mut hits);
    if matches!(role, Role::Default | Role::EnumValue | Role::ConstValue | Role::Example)
        && let Some(range) = shape::smuggled(&flat)
    {
        seen.add(Signal::Smuggled, range, 0, false);
    }
    if hits.is_empty() && classes.is_empty() {
        return hits;
    }
    excuse::drop_inner_words(&mut hits);
    excuse::drop_verbs_in_addresses(&mut hits);
    if layer.decoded.is_none() {
        let warned = excuse::warned_quotes(&flat, own);
        if !warned.is_empty() {
            let spoken =
                |h: &Hit| warned.iter().any(|q| q.start <= h.start as usize && (h.end as usize) <= q.end);
            hits.retain(|h| !spoken(h));
            classes.retain(|h| !spoken(h));
        }
    }
    hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end), h.concept));
    let grid = Grid::of(&layer.text);
    grid.place(&mut hits);
    tongue::drop_foreign_words(&flat, &grid, &mut hits);
    grid.place(&mut classes);
    tongue::drop_foreign_words(&flat, &grid, &mut classes);
    excuse::drop_code(&flat, &mut hits);
    excuse::turn(&flat, &mut hits, &mut classes);
    if own.detects() {
        excuse::drop_what_is_detected(&mut hits, &mut classes);
    }
    for sentence in hits.chunk_by(|a, b| a.sentence == b.sentence) {
        observe_sentence(sentence, &flat, own, &mut seen);
    }
    if !matches!(role, Role::ToolName | Role::ParameterName | Role::OtherKey) {
        let decoded = layer.decoded.is_some();
        let (flat, grid, hits) = (flat.as_str(), &grid, hits.as_slice());
        let view = structure::View { flat, grid, hits, role, own, decoded, field, output, at };
        structure::observe(&view, &classes, notes, &mut |signal, range, sentence| {
            seen.add(signal, range, sentence, false);
        });
    }
    tag_orders(layer, &hits, &mut seen);
    if let Some(range) = hoard(&hits, &flat) {
        let sentence = hits.iter().find(|h| h.start as usize == range.start).map_or(0, |h| h.sentence);
        let own_affair = is_own_file(Signal::SecretPath, &flat, &range, own);
        seen.add(Signal::Hoard, range, sentence, own_affair);
    }
    if role.is_identifier() && flat.split_whitespace().count() >= 8 {
        let orders = lexicon::ORDER
            | lexicon::NEG
            | lexicon::BEFORE
            | lexicon::PASS
            | lexicon::SENDOUT
            | lexicon::IGNORE
            | lexicon::READ;
        let different = hits.iter().fold(0, |mask, h| mask | h.mask()) & orders;
        let kept = lexicon::CRED
            | lexicon::SECRETPATH
            | lexicon::SEMIPATH
            | lexicon::ENVV
            | lexicon::PII
            | lexicon::TALK;
        let demands = hits.iter().any(|h| h.mask() & kept != 0)
            && hits.iter().any(|h| h.mask() & (lexicon::PASS | lexicon::SENDOUT) != 0);
        if different.count_ones() >= 3 || demands {
            seen.add(Signal::SentenceName, 0..flat.len(), 0, false);
        }
    }
    if let Some((first, last)) = demanded(role, &hits, &flat) {
        seen.add(Signal::SecretInto, first.start as usize..last.end as usize, first.sentence, false);
    }
    if role == Role::ParameterName
        && let Some(hit) = asks_for_talk(&hits, &flat)
    {
        let prompt = hit.mask() & lexicon::SYSPROMPT != 0;
        let signal = if prompt { Signal::HarvestPromptName } else { Signal::HarvestName };
        seen.add(signal, hit.range(), hit.sentence, false);
    }
    hits
}

/// The patterns that meet in one sentence.
fn observe_sentence(sentence: &[Hit], flat: &str, own: &structure::Subject, seen: &mut Seen<'_>) {
    let present: Mask = sentence.iter().fold(0, |mask, hit| mask | hit.mask());
    for pattern in pattern::candidates(present) {
        if !pattern.steps.iter().all(|step| present & step != 0) {
            continue;
        }
        let signal = pattern.signal;
        let public =
            present & lexicon::PUBLICKEY != 0 && matches!(signal, Signal::SecretPath | Signal::ReadSecret);
        // "Imports a kubeconfig": the file is what the tool is about, not a key to something else.
        let public = public
            || (signal == Signal::ReadSecret && flat.contains(".kube/config") && own.names("kubeconfig"));
        // A resource of conversations is about them.
        let about = seen.role == Role::Resource && is_talk(signal);
        if public || about || seen.is_full(signal) {
            continue;
        }
        matching::find(pattern, sentence, flat, own, &mut |range, hit| {
            if seen.is_full(signal) {
                return;
            }
            let named = |mask: Mask| {
                let inside = |h: &&Hit| range.contains(&(h.start as usize));
                sentence.iter().filter(inside).any(|h| h.mask() & mask != 0)
            };
            let own_server = named(lexicon::SIBLING) && !named(lexicon::FOREIGN);
            let own_affair =
                own_server || is_own_file(signal, flat, &range, own) || (own.talk && is_talk(signal));
            seen.add(signal, range, hit.sentence, own_affair);
        });
    }
}

/// Something to be done, inside a tag that speaks to the model.
fn tag_orders(layer: &Layer, hits: &[Hit], seen: &mut Seen<'_>) {
    let deeds = lexicon::SENDOUT
        | lexicon::CALL
        | lexicon::EXEC
        | lexicon::DESTROY
        | lexicon::TELL
        | lexicon::KNOW
        | lexicon::CHANGE;
    for (range, _) in layer.tags.iter().filter(|(_, name)| speaks_to_model(name)).take(8) {
        let inside = |h: &&Hit| {
            let own = layer.own_range(&h.range());
            range.start <= own.start && own.end <= range.end
        };
        let mut done = hits.iter().filter(|h| h.mask() & deeds != 0).filter(inside);
        if let Some(first) = done.next() {
            seen.add(Signal::TagOrder, first.range(), first.sentence, false);
        }
    }
}

/// `<system>`, `[IMPORTANT]`: a tag that no document has.
#[must_use]
pub fn speaks_to_model(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "hidden",
        "secret",
        "system",
        "override",
        "admin",
        "inject",
        "sys",
        "inst",
        "jailbreak",
        "important",
        "critical",
        "urgent",
        "instruction",
        "priority",
        "mandatory",
        "internal",
    ];
    NAMES.iter().any(|w| name.contains(w))
}

/// The name says little else: `conversation_history`, not `visible_history_start_date`.
fn asks_for_talk<'h>(hits: &'h [Hit], flat: &str) -> Option<&'h Hit> {
    let telling = lexicon::TALK | lexicon::SYSPROMPT;
    hits.iter().find(|h| {
        let words = flat.get(h.range()).unwrap_or("").split_whitespace().count();
        let whole = hits.iter().any(|w| w.mask() & lexicon::WHOLE != 0 && w.end <= h.start);
        let covered = h.range().len() * 10 >= flat.trim().len() * 6;
        let verbatim = hits.iter().any(|w| w.mask() & lexicon::WHOLE != 0);
        h.mask() & telling != 0
            && ((words >= 2 && (covered || verbatim)) || (whole && flat.split_whitespace().count() <= 3))
    })
}

/// A parameter that is itself the demand: `contents_of_private_key`, or "every variable of the environment".
fn demanded<'h>(role: Role, hits: &'h [Hit], flat: &str) -> Option<(&'h Hit, &'h Hit)> {
    // `content_from_ssh_id_rsa`, but not `id_rsa_path`.
    let says = |list: &[&str]| flat.split_whitespace().any(|w| list.contains(&w));
    if role == Role::ParameterName
        && says(&["content", "contents", "text", "data", "reading", "dump", "value", "body"])
        && !says(&["path", "file", "filename", "dir", "directory", "location"])
        && let Some(secret) = hits.iter().find(|h| h.mask() & lexicon::SECRETPATH != 0)
    {
        return Some((secret, secret));
    }
    let (lead, thing) = match role {
        Role::ParameterName => (lexicon::CONTENTS, lexicon::CRED | lexicon::SECRETPATH),
        Role::Description => (lexicon::WHOLE | lexicon::ALL, lexicon::ENVV),
        _ => return None,
    };
    hits.iter().find_map(|first| {
        let near = |h: &&Hit| {
            h.mask() & thing != 0
                && h.sentence == first.sentence
                && h.start >= first.end
                && h.token.saturating_sub(first.last) <= 6
        };
        (first.mask() & lead != 0).then(|| hits.iter().find(near).map(|h| (first, h))).flatten()
    })
}
