//! One pass over a tool's texts: which signals stand where, in which layer.

use super::excuse;
use super::lexicon::{self, Grid, Hit, Mask};
use super::shape;
use super::signal::{Flow, PATTERNS, Pattern, Signal};
use super::structure;
use crate::text::layer::{self, Budget, Layer, Layers};
use crate::text::{Role, Surface, Veil};
use std::collections::BTreeSet;
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

/// What the extractor must know of the tool and its neighbours.
#[derive(Debug, Default, Clone)]
pub struct Names {
    /// The tool's own name, folded.
    pub own: String,
    /// Names of its parameters, folded.
    pub parameters: BTreeSet<String>,
    /// Values that its parameters take, folded: no names of tools.
    pub values: BTreeSet<String>,
}

/// The most observations of one signal that are kept for a layer.
const MAX_PER_SIGNAL: usize = 12;

/// Everything observed in one tool, with the layers in which it was.
#[derive(Debug, Default)]
pub struct Evidence {
    pub layers: Vec<Layers>,
    pub observations: Vec<Observation>,
    /// Something was not decoded: too deep or too much.
    pub exhausted: bool,
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
                role => role,
            };
            observe_layer(layer, (i, j), role, (names, &own), is_sibling, &mut evidence.observations);
        }
    }
    evidence.exhausted = budget.exhausted;
    evidence
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
        // A path is no statement of purpose.
        let said: Vec<&str> = text.split_whitespace().filter(|w| !w.contains(['/', '~'])).collect();
        subject.add(&said.join(" ").replace('_', " "), parameter);
    }
    subject
}

/// The conversation is asked for: what a tool about conversations is for.
fn is_talk(signal: Signal) -> bool {
    matches!(signal, Signal::HarvestTalk | Signal::FullTalk | Signal::SendTalk)
}

/// `~/.aws/credentials` of a tool for AWS, `~/.npmrc` of one for npm.
fn is_own_file(signal: Signal, flat: &str, range: &Range<usize>, own: &structure::Subject) -> bool {
    matches!(signal, Signal::SecretPath | Signal::ReadSecret | Signal::SystemPath | Signal::TakeSecret)
        && flat.get(range.clone()).is_some_and(|text| {
            let mut paths = text.split_whitespace().filter(|w| w.contains(['/', '.', '~'])).peekable();
            paths.peek().is_some() && paths.all(|path| own.owns_file(path))
        })
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

fn observe_layer(
    layer: &Layer,
    at: (usize, usize),
    role: Role,
    (names, own): (&Names, &structure::Subject),
    is_sibling: &dyn Fn(&str) -> bool,
    out: &mut Vec<Observation>,
) {
    let flat = layer.text.replace('\n', " ");
    let mut hits = lexicon::scan(&flat);
    shape::scan(&flat, names, is_sibling, &mut hits);
    if matches!(role, Role::Default | Role::EnumValue | Role::ConstValue | Role::Example)
        && let Some(range) = shape::smuggled(&flat)
    {
        let (surface, layer) = at;
        let signal = Signal::Smuggled;
        out.push(Observation {
            signal,
            surface,
            layer,
            sentence: 0,
            range,
            veils: Vec::new(),
            own_affair: false,
        });
    }
    hits.sort_by_key(|h| (h.start, std::cmp::Reverse(h.end), h.concept));
    let grid = Grid::of(&layer.text);
    grid.place(&mut hits);
    let from = out.len();
    for sentence in hits.chunk_by(|a, b| a.sentence == b.sentence) {
        let present: Mask = sentence.iter().fold(0, |mask, hit| mask | hit.mask());
        for pattern in PATTERNS {
            let public = present & lexicon::PUBLICKEY != 0
                && matches!(pattern.signal, Signal::SecretPath | Signal::ReadSecret);
            if !public && pattern.steps.iter().all(|step| present & step != 0) {
                match_pattern(pattern, sentence, &flat, &mut |range, hit| {
                    let signal = pattern.signal;
                    let seen = out.iter().skip(from).filter(|o| o.signal == signal).count();
                    if seen < MAX_PER_SIGNAL {
                        let veils = layer.veils(&range);
                        let named = |mask: Mask| {
                            let inside = |h: &&Hit| range.contains(&(h.start as usize));
                            sentence.iter().filter(inside).any(|h| h.mask() & mask != 0)
                        };
                        let own_server = named(lexicon::SIBLING) && !named(lexicon::FOREIGN);
                        let own_affair = own_server
                            || is_own_file(signal, &flat, &range, own)
                            || (own.talk && is_talk(signal));
                        out.push(Observation {
                            signal,
                            surface: at.0,
                            layer: at.1,
                            sentence: hit.sentence,
                            range,
                            veils,
                            own_affair,
                        });
                    }
                });
            }
        }
    }
    if !matches!(role, Role::ToolName | Role::ParameterName | Role::OtherKey) {
        let decoded = layer.decoded.is_some();
        let view = structure::View { flat: &flat, grid: &grid, hits: &hits, role, own, decoded };
        structure::observe(&view, &mut |signal, range, sentence| {
            let veils = layer.veils(&range);
            let (surface, layer) = at;
            out.push(Observation { signal, surface, layer, sentence, range, veils, own_affair: false });
        });
    }
    if let Some(range) = hoard(&hits, &flat) {
        let veils = layer.veils(&range);
        let (surface, layer) = at;
        let sentence = hits.iter().find(|h| h.start as usize == range.start).map_or(0, |h| h.sentence);
        out.push(Observation {
            signal: Signal::Hoard,
            surface,
            layer,
            sentence,
            range,
            veils,
            own_affair: false,
        });
    }
    if role.is_identifier() && flat.split_whitespace().count() >= 10 {
        let orders = lexicon::ORDER
            | lexicon::NEG
            | lexicon::BEFORE
            | lexicon::PASS
            | lexicon::SENDOUT
            | lexicon::IGNORE
            | lexicon::READ;
        let different = hits.iter().fold(0, |mask, h| mask | h.mask()) & orders;
        if different.count_ones() >= 3 {
            let (surface, layer) = at;
            let signal = Signal::SentenceName;
            out.push(Observation {
                signal,
                surface,
                layer,
                sentence: 0,
                range: 0..flat.len(),
                veils: Vec::new(),
                own_affair: false,
            });
        }
    }
    if let Some((first, last)) = demanded(role, &hits) {
        let range = first.start as usize..last.end as usize;
        let veils = layer.veils(&range);
        let (surface, layer) = at;
        let signal = Signal::SecretInto;
        let sentence = first.sentence;
        out.push(Observation { signal, surface, layer, sentence, range, veils, own_affair: false });
    }
    if role == Role::ParameterName {
        let telling = lexicon::TALK | lexicon::SYSPROMPT;
        // The name says little else: `conversation_history`, not `visible_history_start_date`.
        let says = |h: &&Hit| {
            let words = flat.get(h.range()).unwrap_or("").split_whitespace().count();
            let whole = hits.iter().any(|w| w.mask() & lexicon::WHOLE != 0 && w.end <= h.start);
            let covered = h.range().len() * 10 >= flat.trim().len() * 6;
            let verbatim = hits.iter().any(|w| w.mask() & lexicon::WHOLE != 0);
            h.mask() & telling != 0
                && ((words >= 2 && (covered || verbatim)) || (whole && flat.split_whitespace().count() <= 3))
        };
        if let Some(hit) = hits.iter().find(says) {
            let prompt = hit.mask() & lexicon::SYSPROMPT != 0;
            let range = hit.range();
            let veils = layer.veils(&range);
            let (surface, layer) = at;
            out.push(Observation {
                signal: if prompt { Signal::HarvestPromptName } else { Signal::HarvestName },
                surface,
                layer,
                sentence: hit.sentence,
                range,
                veils,
                own_affair: false,
            });
        }
    }
}

/// A parameter that is itself the demand: `contents_of_private_key`, or "every variable of the environment".
fn demanded(role: Role, hits: &[Hit]) -> Option<(&Hit, &Hit)> {
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

/// Calls `found` for each place where the pattern's steps follow each other closely enough.
fn match_pattern(pattern: &Pattern, hits: &[Hit], text: &str, found: &mut dyn FnMut(Range<usize>, &Hit)) {
    let Some((first, rest)) = pattern.steps.split_first() else { return };
    for (i, start) in hits.iter().enumerate() {
        let opens = match pattern.flow {
            Flow::Strict => start.mask() & first != 0,
            Flow::Natural if start.english && start.mask() & first != 0 => true,
            _ => pattern.steps.iter().any(|step| start.mask() & step != 0),
        };
        if !opens {
            continue;
        }
        let free = pattern.flow == Flow::Any;
        let chain = if rest.is_empty() {
            Some(start.end)
        } else if free || (pattern.flow == Flow::Natural && start.mask() & first == 0) {
            any_order(pattern, hits, i, free)
        } else {
            in_order(pattern, hits, i, text).or_else(|| {
                (pattern.flow == Flow::Natural && !start.english)
                    .then(|| any_order(pattern, hits, i, false))
                    .flatten()
            })
        };
        let Some(end) = chain else { continue };
        let range = start.start as usize..end as usize;
        if pattern.negatable
            && (excuse::negated(hits, i, pattern) || excuse::negated_inside(hits, i, end, pattern))
        {
            continue;
        }
        if excuse::quoted_by_detector(hits, i, text)
            || excuse::is_caution(hits, start, end, pattern)
            || excuse::innocent(pattern, hits, i, &range, text)
        {
            continue;
        }
        // In Chinese the negation comes first; elsewhere it may come last (German, Japanese, Korean).
        let last_negates = || hits.iter().skip(i + 1).any(|h| h.mask() & lexicon::NEG != 0 && h.end == end);
        if pattern.flow == Flow::Natural
            && first & lexicon::NEG != 0
            && start.mask() & first == 0
            && last_negates()
            && excuse::is_chinese(text.get(range.clone()).unwrap_or(""))
        {
            continue;
        }
        found(range, start);
    }
}

/// The steps one after the other; returns the end of the last.
fn in_order(pattern: &Pattern, hits: &[Hit], from: usize, text: &str) -> Option<u32> {
    let mut last = hits.get(from)?;
    let mut next = from + 1;
    for step in pattern.steps.iter().skip(1) {
        let found = hits
            .iter()
            .enumerate()
            .skip(next)
            .take(64)
            .find(|(_, h)| h.start >= last.end && h.mask() & step != 0);
        let (at, hit) = found?;
        // A negation governs what follows it at once, within its clause.
        if next == from + 1
            && last.mask() & lexicon::NEG != 0
            && (hit.token.saturating_sub(last.last) > 3 || crosses_clause(text, last.end, hit.start))
        {
            return None;
        }
        if hit.token.saturating_sub(last.last) > pattern.gap + 1 {
            return None;
        }
        last = hit;
        next = at + 1;
    }
    Some(last.end)
}

fn crosses_clause(text: &str, from: u32, to: u32) -> bool {
    text.get(from as usize..to as usize).is_some_and(|between| between.contains([',', ';', ':', '(', ')']))
}

/// All steps within the pattern's reach, in whatever order. In a language whose order is not ours,
/// every hit is of such a language, but for names and addresses.
fn any_order(pattern: &Pattern, hits: &[Hit], from: usize, free: bool) -> Option<u32> {
    let first = hits.get(from)?;
    let mut open: Vec<Mask> = pattern.steps.to_vec();
    let (mut last, mut end, mut foreign) = (first.last, first.end, true);
    let mut taken_to = 0;
    for hit in hits.iter().skip(from).take(64) {
        if hit.token.saturating_sub(last) > pattern.gap + 1 {
            return None;
        }
        if hit.start < taken_to {
            continue;
        }
        if let Some(i) = open.iter().position(|step| hit.mask() & step != 0) {
            open.remove(i);
            last = hit.last;
            end = end.max(hit.end);
            taken_to = hit.end;
            foreign &= !hit.english || hit.mask() & lexicon::NAMES != 0;
            if open.is_empty() {
                return (free || foreign).then_some(end);
            }
        }
    }
    None
}
