//! From observations to cases: what stands close together is weighed together, in the light of what
//! the tool itself says its job is.

use super::evidence::{Evidence, Observation, speaks_to_model};
use super::job::Job;
use super::signal::{Lead, Signal};
use super::work;
use crate::text::{Role, Surface, Veil};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{LazyLock, OnceLock};

/// A signal in or outside the tool's own job.
pub type Feature = (Signal, bool);

/// So many sentences are read together.
const WINDOW: u32 = 6;
/// The share of a signal's weight in a tool whose job it is, where none was fitted.
const UNSEEN: f64 = 0.3;
/// The sum from which a window is reported.
pub const THRESHOLD: f64 = 1.0;

static OTHER: OnceLock<String> = OnceLock::new();

/// Take other weights, in the form of `weights.txt`, for the rest of the process: for measuring.
/// Works before the first weighing only; says whether it did.
pub fn replace(source: String) -> bool {
    OTHER.set(source).is_ok()
}

static WEIGHTS: LazyLock<BTreeMap<Feature, f64>> = LazyLock::new(|| {
    let by_word = |word: &str| Signal::ALL.iter().copied().find(|s| s.word() == word);
    let mut weights = BTreeMap::new();
    let source = OTHER.get().map_or(include_str!("weights.txt"), String::as_str);
    for line in source.lines().filter(|l| !l.starts_with('#')) {
        if let Some((name, value)) = line.split_once(' ')
            && let Ok(value) = value.trim().parse::<f64>()
        {
            let (word, job) = name.strip_suffix("@job").map_or((name, false), |w| (w, true));
            if let Some(signal) = by_word(word) {
                weights.insert((signal, job), value);
            }
        }
    }
    weights
});

/// What a feature weighs.
#[must_use]
pub fn weight((signal, job): Feature) -> f64 {
    let of = |key: Feature| WEIGHTS.get(&key).copied();
    // Of a signal that no fitted tool had as its job, a share is left.
    of((signal, job)).or_else(|| of((signal, false)).map(|w| if job { w * UNSEEN } else { w })).unwrap_or(0.0)
}

/// Neighbouring sentences of one layer, with all that was seen there.
#[derive(Debug, Clone)]
pub struct Window {
    pub surface: usize,
    pub layer: usize,
    pub features: BTreeSet<Feature>,
    /// Indexes into the evidence's observations.
    pub observations: Vec<usize>,
    pub score: f64,
}

/// All windows that hold at least one leading signal; the best ones only, where windows overlap.
#[must_use]
pub fn windows(evidence: &Evidence, surfaces: &[Surface<'_>], job: Job) -> Vec<Window> {
    let global = global_features(evidence, surfaces, job);
    let mut found = Vec::new();
    let place = |o: &Observation| (o.surface, o.layer);
    let mut indexed: Vec<(usize, &Observation)> = evidence.observations.iter().enumerate().collect();
    indexed.sort_by_key(|(i, o)| (place(o), o.sentence, *i));
    for group in indexed.chunk_by(|a, b| place(a.1) == place(b.1)) {
        let mut from = 0;
        while let Some((_, first)) = group.get(from) {
            let inside: Vec<(usize, &Observation)> = group
                .iter()
                .skip(from)
                .take_while(|(_, o)| o.sentence < first.sentence + WINDOW)
                .copied()
                .collect();
            work::visit(inside.len());
            found.push(window(&inside, surfaces, evidence, job, &global));
            from += group.iter().skip(from).take_while(|(_, o)| o.sentence == first.sentence).count().max(1);
        }
    }
    found.retain(|w| w.features.iter().any(|(s, _)| s.lead().is_some()));
    found
}

/// Signals of names and titles colour everything else that the tool says.
fn global_features(evidence: &Evidence, surfaces: &[Surface<'_>], job: Job) -> BTreeSet<Feature> {
    let mut features = BTreeSet::new();
    for o in &evidence.observations {
        let role = surfaces.get(o.surface).map(|s| s.role);
        let named = match (role, o.signal) {
            (Some(Role::ToolName | Role::ToolTitle), Signal::Praise | Signal::Prefer | Signal::Endorse) => {
                Some(Signal::PraiseName)
            }
            _ => None,
        };
        features.extend(named.map(|s| (s, job.covers(s))));
    }
    features
}

fn window(
    inside: &[(usize, &Observation)],
    surfaces: &[Surface<'_>],
    evidence: &Evidence,
    job: Job,
    global: &BTreeSet<Feature>,
) -> Window {
    let (surface, layer) = inside.first().map_or((0, 0), |(_, o)| (o.surface, o.layer));
    let role = surfaces.get(surface).map_or(Role::Other, |s| s.role);
    let mut features: BTreeSet<Feature> = inside
        .iter()
        .map(|(_, o)| (o.signal, job.covers(o.signal) || is_option(o.signal, role) || is_own_affair(o)))
        .collect();
    hand_over(&mut features);
    say_once(&mut features);
    let leads = |f: &BTreeSet<Feature>| f.iter().any(|(s, _)| s.lead().is_some());
    if praises(inside, evidence) >= 3 {
        features.insert((Signal::PraiseMuch, false));
    }
    if is_pressed(&features) {
        features.insert((Signal::Pressed, false));
    }
    if is_ousted(&features) {
        features.insert((Signal::Ousted, false));
    }
    if boasts(&features) >= 2 {
        features.insert((Signal::PraiseMix, false));
    }
    if kinds_meet(&features) {
        features.insert((Signal::KindsMeet, false));
    }
    let own_lead = leads(&features);
    if inside.iter().any(|(_, o)| o.signal.lead().is_some() && o.veils.iter().any(|v| is_strong(*v))) {
        features.insert((Signal::Veiled, false));
    }
    if leads(&features) && !role.is_prose() && !matches!(role, Role::ToolName | Role::ParameterName) {
        features.insert((Signal::OddPlace, false));
    }
    let mut tags = BTreeSet::new();
    if let Some(layers) = evidence.layers.get(surface)
        && let Some(layer) = layers.layers.get(layer)
    {
        // A system tag is itself a signal, and no wrapping of itself.
        let wrapped = |o: &Observation| o.signal.lead().is_some() && o.signal != Signal::Template;
        for (_, o) in inside.iter().filter(|(_, o)| wrapped(o)) {
            let own = layer.own_range(&o.range);
            for (range, name) in &layer.tags {
                // A scanner of such texts names the tags that it looks for.
                if range.start <= own.start && own.end <= range.end && !job.security {
                    tags.extend(tag_feature(name));
                }
            }
        }
    }
    features.extend(
        tags.into_iter().filter(|(tag, _)| *tag != Signal::Tag || is_grave(&features)).collect::<Vec<_>>(),
    );
    if own_lead {
        features.extend(global.iter().copied());
    }
    if role == Role::ParameterName {
        features.extend(said_of_parameter(surface, surfaces, evidence));
    }
    let score = features.iter().map(|f| weight(*f)).sum();
    Window { surface, layer, features, observations: inside.iter().map(|(i, _)| *i).collect(), score }
}

/// `<important>` alone says nothing: "ask before you delete" stands in such tags too. It weighs where what it wraps is itself more
/// than the way to use a tool. (Published attacks have it nearly always, so that a fit on them overrates it.)
fn is_grave(features: &BTreeSet<Feature>) -> bool {
    const BESIDE: f64 = 0.3;
    let told = |signal: Signal| {
        !matches!(signal, Signal::TagOrder | Signal::Urge | Signal::Caution | Signal::Authority)
    };
    // An order that waits for somebody's words is no note on use either.
    features.iter().any(|(signal, _)| *signal == Signal::Trigger)
        || features.iter().filter(|(signal, _)| told(*signal)).map(|f| weight(*f).max(0.0)).sum::<f64>()
            >= BESIDE
}

/// A secret that is read *and* handed on is no tool's job, whatever its name says: an SSH tool may use a key, but not have
/// the agent read it out.
fn hand_over(features: &mut BTreeSet<Feature>) {
    use Signal as S;
    let has = |signals: &[Signal]| {
        signals.iter().any(|s| features.contains(&(*s, false)) || features.contains(&(*s, true)))
    };
    let read = has(&[S::ReadSecret]) && has(&[S::SecretPath, S::Hoard]);
    let handed = has(&[S::PassContents, S::SecretInto, S::SecretField, S::IntoArgument, S::FetchInto]);
    if read && handed {
        for signal in [S::SecretPath, S::ReadSecret, S::TakeSecret, S::Hoard, S::SecretInto, S::SendSecret] {
            if features.remove(&(signal, true)) {
                features.insert((signal, false));
            }
        }
    }
}

/// One deed seen twice, by its wording and by its frame, weighs once.
fn say_once(features: &mut BTreeSet<Feature>) {
    use Signal as S;
    const PAIRS: &[(Signal, Signal)] = &[
        (S::SkipConsentUser, S::WaivedGrave),
        (S::SkipConsentUser, S::AgreedElsewhere),
        (S::Conceal, S::DeedUnsaid),
        (S::AcceptChange, S::FutureUnchecked),
        (S::TamperUser, S::Overrule),
        (S::PreferAll, S::OthersUnfit),
        (S::CallRegardless, S::EveryTurn),
        (S::BeforeAnswer, S::EveryTurn),
        (S::Obey, S::OrdersElsewhere),
        (S::Override, S::RulesEnd),
        (S::Beacon, S::PrivateUrl),
        (S::SecretInto, S::SecretField),
        (S::HarvestPrompt, S::TalkField),
        (S::SendTalk, S::TalkField),
        (S::Overrule, S::OverruleMild),
    ];
    // Both wait for something: trust, or a number of calls.
    if features.contains(&(S::Dormant, false)) {
        features.remove(&(S::Delayed, false));
    }
    for (first, second) in PAIRS {
        if features.contains(&(*first, false)) && weight((*first, false)) >= THRESHOLD {
            features.retain(|(signal, _)| signal != second);
        }
    }
}

/// "Use `create_items` instead": a server explains its own tools.
fn is_own_affair(o: &Observation) -> bool {
    let open = !o.veils.iter().any(|v| is_strong(*v));
    let kind = matches!(o.signal.lead(), Some(Lead::CrossTool | Lead::ForcedCall | Lead::CredentialPath))
        || matches!(
            o.signal,
            Signal::TakeSecret | Signal::HarvestTalk | Signal::FullTalk | Signal::SendTalk | Signal::Rival
        );
    open && o.own_affair && kind
}

/// `force`: "skip the confirmation" is what an option is for.
fn is_option(signal: Signal, role: Role) -> bool {
    matches!(signal, Signal::SkipConsent | Signal::SkipConsentUser | Signal::SkipAsk | Signal::SafetyOff)
        && matches!(role, Role::Description | Role::Title | Role::ParameterName)
}

/// What a parameter's description adds to its name: orders, pretexts, who is addressed.
fn said_of_parameter(surface: usize, surfaces: &[Surface<'_>], evidence: &Evidence) -> BTreeSet<Feature> {
    let Some(name) = surfaces.get(surface) else { return BTreeSet::new() };
    let place = format!("{}/description", name.pointer);
    // Document order: a parameter's texts follow its name.
    let described = surfaces.iter().enumerate().skip(surface).take(8).find(|(_, s)| s.pointer == place);
    let Some((i, _)) = described else { return BTreeSet::new() };
    let supports = |s: Signal| {
        matches!(
            s,
            Signal::Order
                | Signal::Pretext
                | Signal::Vague
                | Signal::ReaderOrder
                | Signal::AllRequests
                | Signal::FullTalk
                | Signal::PromptNamed
                | Signal::HarvestTalk
                | Signal::HarvestPrompt
        )
    };
    let seen = evidence.of_surface(i).iter().filter(|o| supports(o.signal));
    seen.map(|o| (o.signal, false)).collect()
}

/// How many different words of praise, endorsement and urgency there are.
fn praises(inside: &[(usize, &Observation)], evidence: &Evidence) -> usize {
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for (_, o) in
        inside.iter().filter(|(_, o)| matches!(o.signal, Signal::Praise | Signal::Endorse | Signal::Urge))
    {
        let layer = evidence.layers.get(o.surface).and_then(|l| l.layers.get(o.layer));
        words.extend(layer.and_then(|l| l.text.get(o.range.clone())));
    }
    words.len()
}

/// Another tool's call, an order to the reader, and a reason that explains nothing.
fn is_pressed(features: &BTreeSet<Feature>) -> bool {
    let has = |signal| features.contains(&(signal, false));
    // Where the other tool is one of this server, that is its own affair.
    let own =
        [Signal::Chain, Signal::ChainOwn, Signal::Redirect].iter().any(|s| features.contains(&(*s, true)));
    !own && (has(Signal::Chain) || has(Signal::ChainOwn) || has(Signal::Preflight))
        && (has(Signal::ReaderOrder) || has(Signal::EveryCall))
        && (has(Signal::Pretext) || has(Signal::Vague))
}

/// One tool is out of service, another is to be used, and the reason is maintenance, security or better service.
fn is_ousted(features: &BTreeSet<Feature>) -> bool {
    let has = |signals: &[Signal]| signals.iter().any(|s| features.contains(&(*s, false)));
    has(&[Signal::Disowned])
        && has(&[Signal::Redirect, Signal::Chain, Signal::Prefer, Signal::PreferAll])
        && has(&[Signal::Vague, Signal::Pretext, Signal::Authority])
}

/// Several kinds of what no honest tool needs, at least one of them more than a manner of speaking.
fn kinds_meet(features: &BTreeSet<Feature>) -> bool {
    use Signal as S;
    const KINDS: &[&[Signal]] = &[
        &[S::UnshownDeed, S::LeftOut, S::DeedUnsaid, S::Unaware, S::Conceal],
        &[S::TellsOnly, S::PresentsAs, S::IfAsked, S::Script, S::ScriptRegardless, S::FalseAccount],
        &[S::Profits],
        &[S::Spared],
        &[S::AuditOff, S::WarnOff],
        &[S::OriginalShown, S::NotAsWished, S::Overrule, S::OverruleMild, S::AlterValue, S::TamperUser],
        &[S::Deemed, S::ConsentGiven, S::SkipConsentUser, S::SelfConfirm],
        &[S::RanksAbove, S::Unbound, S::OutputOrder, S::OrdersElsewhere],
        &[S::Standing, S::Delayed, S::OnEach],
        &[S::IdentityAsked, S::TalkField, S::SecretField, S::PersonalField, S::PrivateRead],
        &[S::Plants, S::Destroy, S::RunShell, S::PayeeFixed],
    ];
    let has = |signal: Signal| features.contains(&(signal, false));
    let kinds = KINDS.iter().filter(|kind| kind.iter().any(|s| has(*s))).count();
    let manner = usize::from(has(S::AgentTold)) + usize::from(has(S::CitesRule) || has(S::Pretext));
    kinds >= 2 || (kinds == 1 && manner == 2)
}

/// How many different means of pushing itself a text has: praise, endorsement, urgency, rivals run down, demands.
fn boasts(features: &BTreeSet<Feature>) -> usize {
    let has = |signals: &[Signal]| signals.iter().any(|s| features.contains(&(*s, false)));
    [
        has(&[Signal::Praise, Signal::PraiseMuch]),
        has(&[Signal::Endorse]),
        has(&[Signal::Urge]),
        has(&[Signal::Rival, Signal::Disowned]),
        has(&[Signal::Prefer, Signal::PreferAll]),
    ]
    .into_iter()
    .filter(|b| *b)
    .count()
}

/// Veils that nobody puts on by accident.
fn is_strong(veil: Veil) -> bool {
    !matches!(veil, Veil::LinkTitle)
}

fn tag_feature(name: &str) -> Option<Feature> {
    let has = |list: &[&str]| list.iter().any(|w| name.contains(w));
    if has(&["hidden", "secret", "system", "override", "admin", "inject", "sys", "inst", "jailbreak"]) {
        Some((Signal::HiddenTag, false))
    } else if speaks_to_model(name) {
        Some((Signal::Tag, false))
    } else {
        None
    }
}

/// The leads of a window, gravest first: whose signals carry it.
#[must_use]
pub fn leads(window: &Window) -> Vec<(Lead, f64)> {
    let mut by: BTreeMap<Lead, f64> = BTreeMap::new();
    for feature in &window.features {
        if let Some(lead) = feature.0.lead() {
            *by.entry(lead).or_default() += weight(*feature);
        }
    }
    let mut list: Vec<(Lead, f64)> = by.into_iter().collect();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    list
}
