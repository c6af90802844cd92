//! How signals are recognised in the words of one sentence: as constellations of concepts.

use super::lexicon::*;
use super::signal::Signal;
use std::sync::LazyLock;

/// How the steps of a pattern follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// In this order, always.
    Strict,
    /// In this order in English; in any order where a term of another language takes part.
    Natural,
    /// In any order.
    Any,
}

/// Concepts that stand together in one sentence.
#[derive(Debug, Clone, Copy)]
pub struct Pattern {
    pub signal: Signal,
    pub steps: &'static [Mask],
    /// The most words between one step and the next.
    pub gap: u32,
    pub flow: Flow,
    /// Whether a negation before it undoes it ("never reads …").
    pub negatable: bool,
}

const fn p(signal: Signal, flow: Flow, gap: u32, negatable: bool, steps: &'static [Mask]) -> Pattern {
    Pattern { signal, steps, gap, flow, negatable }
}

use Flow::{Any, Natural, Strict};
use Signal as S;

const ACT: Mask = READ | SENDOUT | PASS | CALL | CHANGE | EXEC;
const PRIVATE: Mask = SYSPROMPT | CRED | ENVV | PII;
const ADDRESS: Mask = URL | HOST | EMAIL;
const OTHER: Mask = FOREIGN | SIBLING;

/// A bit for each pattern.
type Bits = [u64; 4];

/// For each concept the patterns whose first step has it, and those whose last step has it.
static ENDS: LazyLock<[Vec<Bits>; 2]> = LazyLock::new(|| {
    let with = |step: fn(&Pattern) -> Option<&Mask>| {
        let mut found = vec![Bits::default(); Mask::BITS as usize];
        for (i, pattern) in PATTERNS.iter().enumerate() {
            for concept in bits(step(pattern).copied().unwrap_or(Mask::MAX)) {
                if let Some(word) = found.get_mut(concept).and_then(|all| all.get_mut(i / 64)) {
                    *word |= 1 << (i % 64);
                }
            }
        }
        found
    };
    [with(|p| p.steps.first()), with(|p| p.steps.last())]
});

/// The numbers of the bits that are set, from the lowest on.
fn bits(mut mask: Mask) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lowest
    })
}

/// The patterns whose first and last step are among the concepts that are `present`, in their order: few of all, and
/// each sentence is asked.
pub fn candidates(present: Mask) -> impl Iterator<Item = &'static Pattern> {
    let [first, last] = &*ENDS;
    let any = |table: &Vec<Bits>| {
        let mut all = Bits::default();
        for found in bits(present).filter_map(|concept| table.get(concept)) {
            all.iter_mut().zip(found).for_each(|(all, found)| *all |= found);
        }
        all
    };
    let both = any(first).into_iter().zip(any(last)).enumerate();
    both.flat_map(|(word, (first, last))| bits(Mask::from(first & last)).map(move |bit| word * 64 + bit))
        .filter_map(|i| PATTERNS.get(i))
}

/// All patterns; a signal may have several.
pub static PATTERNS: &[Pattern] = &[
    p(S::Conceal, Natural, 5, false, &[NEG, TELL, USER]),
    p(S::NotShown, Natural, 5, false, &[NEG, DISPLAY, USER]),
    p(S::Unaware, Natural, 4, false, &[NEG, USER, ORDER, KNOW]),
    p(S::HideFrom, Natural, 6, true, &[HIDING, ONESELF, USER]),
    p(S::HideFrom, Natural, 6, true, &[HIDING, UNSAID]),
    p(S::Unaware, Natural, 4, true, &[USER, ORDER, KEEP, UNSAID]),
    p(S::Unaware, Natural, 4, true, &[KEEP, USER, UNSAID]),
    p(S::Unaware, Natural, 4, false, &[USER, ORDER, NEG, KNOW]),
    p(S::Unaware, Natural, 3, false, &[WITHOUT, USER, KNOW]),
    p(S::Unaware, Natural, 6, false, &[NEG, ONESELF, USER, ORDER, KNOW]),
    p(S::KeepQuiet, Natural, 3, true, &[KEEP, ONESELF, UNSAID]),
    p(S::KeepQuiet, Natural, 6, true, &[KEEP, UNSAID]),
    p(S::Unsaid, Natural, 2, false, &[NEG, TELL, ONESELF]),
    p(S::Unsaid, Natural, 4, false, &[TELL, USER, SKIP]),
    p(S::Unsaid, Natural, 5, false, &[NEG, TELL, REPLY]),
    p(S::Unsaid, Natural, 3, false, &[WITHOUT, UNSAID]),
    p(S::Hush, Any, 0, false, &[HUSH]),
    p(S::Quiet, Any, 5, true, &[QUIET, ACT]),
    p(S::Override, Natural, 4, true, &[IGNORE, PRIOR | ANY, INSTR | SAFETY]),
    p(S::Override, Natural, 4, true, &[IGNORE, INSTR, PRIOR]),
    p(S::Override, Natural, 5, true, &[IGNORE, INSTR | GIVEN, GIVEN | PRIOR]),
    p(S::Override, Natural, 3, true, &[IGNORE, INSTR, GIVEN]),
    p(S::Voided, Natural, 5, false, &[PRIOR, INSTR | GIVEN | SAFETY, VOID]),
    p(S::Voided, Natural, 5, false, &[INSTR | SAFETY | GIVEN, GIVEN | PRIOR, VOID]),
    p(S::Voided, Natural, 5, true, &[THISTEXT | INSTR | THISTOOL, SUPERSEDE, SYSPROMPT | PRIOR]),
    p(S::Override, Natural, 3, true, &[DISABLE, READER, SAFETY]),
    p(S::Voided, Natural, 4, false, &[SAFETY, VOID]),
    p(S::Voided, Natural, 6, true, &[PRIOR, SYSPROMPT, VOID]),
    p(S::ObeyThis, Natural, 4, true, &[FOLLOW, ONLY, THISTEXT]),
    p(S::ObeyThis, Natural, 4, true, &[ONLY, THISTEXT, FOLLOW]),
    p(S::ObeyThis, Natural, 4, true, &[ONLY, FOLLOW, THISTEXT]),
    p(S::ObeyThis, Natural, 5, false, &[FOLLOW, THISTEXT, NEG, USER]),
    p(S::ObeyThis, Natural, 5, true, &[FOLLOW, INSTR, INSTEAD, USER]),
    p(S::Supersede, Natural, 5, true, &[SUPERSEDE, PRIOR, INSTR]),
    p(S::Supersede, Natural, 8, true, &[PRIOR, INSTR, SUPERSEDE]),
    p(S::Supersede, Natural, 5, true, &[SUPERSEDE, ANY, INSTR | SAFETY]),
    p(S::SafetyOff, Natural, 4, true, &[DISABLE, SAFETY]),
    p(S::Persona, Any, 0, true, &[PERSONA]),
    p(S::Persona, Natural, 3, true, &[BECOME, UNBOUND]),
    p(S::Template, Any, 0, false, &[TEMPLATE]),
    p(S::AiNote, Any, 0, false, &[AINOTE]),
    p(S::SkipConsent, Natural, 2, true, &[SKIP | NEG, CONSENT]),
    p(S::SkipConsentUser, Natural, 2, true, &[SKIP | NEG, CONSENT, USER]),
    p(S::SkipConsentUser, Natural, 2, true, &[SKIP | NEG, USER, CONSENT]),
    p(S::SkipConsentUser, Natural, 2, true, &[SKIP | NEG, ASK, CONSENT]),
    p(S::ConsentGiven, Natural, 4, true, &[USER, ALREADY, CONSENT]),
    p(S::ConsentGiven, Natural, 4, true, &[USER, CONSENT, ALREADY]),
    p(S::ConsentGiven, Natural, 3, true, &[USER | OFFICE, GIVEN, ALREADY, CONSENT]),
    p(S::ConsentGiven, Natural, 5, true, &[USER | OFFICE, ALREADY, GIVEN, CONSENT]),
    p(S::ConsentGiven, Natural, 3, true, &[ONESELF | ALL | REQUESTS | CALL, ALREADY, CONSENT]),
    p(S::ConsentGiven, Natural, 4, true, &[CONSENT, USER | ALL, ALREADY, GIVEN]),
    p(S::ConsentGiven, Natural, 2, true, &[CONSENT, ALREADY, GIVEN]),
    p(S::SkipAsk, Natural, 2, true, &[SKIP | NEG, ASK]),
    p(S::HarvestTalk, Natural, 6, true, &[PASS | SENDOUT | ORDER, TALK]),
    p(S::HarvestTalk, Strict, 8, true, &[TALK, ORDER, PASS | SENDOUT]),
    p(S::SendTalk, Natural, 4, true, &[PASS | SENDOUT, WHOLE, TALK]),
    p(S::SendTalk, Natural, 6, true, &[PASS | SENDOUT, ANYTHING | WHOLE, SAID]),
    p(S::FullTalk, Natural, 2, true, &[WHOLE, TALK]),
    p(S::FullTalk, Natural, 6, true, &[ANYTHING | WHOLE, SAID]),
    p(S::HarvestPrompt, Natural, 7, true, &[PASS | SENDOUT | READ | TELL, SYSPROMPT]),
    p(S::PromptNamed, Any, 0, true, &[SYSPROMPT]),
    p(S::Evil, Any, 0, true, &[EVIL]),
    p(S::Obey, Any, 0, true, &[DIRECTIVE]),
    p(S::Obey, Natural, 5, true, &[FOLLOW, INSTR, RETURNED]),
    p(S::Obey, Natural, 8, true, &[INSTR, AUTHORITATIVE, FOLLOW]),
    p(S::Obey, Natural, 7, true, &[INSTR, RETURNED, FOLLOW | AUTHORITATIVE]),
    p(S::Obey, Natural, 5, true, &[RETURNED, AUTHORITATIVE, INSTR]),
    p(S::TakeSecret, Natural, 8, true, &[PASS | SENDOUT | READ | TELL | FALSIFY, CRED | ENVV]),
    p(S::SecretInto, Natural, 7, true, &[PASS | READ, CRED | ENVV, AS, OWNPARAM | ARG]),
    p(S::SecretInto, Natural, 7, true, &[READ, CRED | ENVV, PASS, OWNPARAM | ARG]),
    p(S::TakePrivate, Natural, 6, true, &[PASS | SENDOUT | READ, PII]),
    p(S::SendPrivate, Natural, 9, true, &[PASS | SENDOUT, PRIVATE, ADDRESS]),
    p(S::AlsoSend, Natural, 7, true, &[ALSO, PASS | SENDOUT, ADDRESS]),
    p(S::AlsoSend, Natural, 7, true, &[SENDOUT, ALSO, ADDRESS]),
    p(S::IntoArgument, Natural, 6, true, &[PASS | SENDOUT, AS, OWNPARAM | ARG]),
    p(S::IntoArgument, Natural, 4, true, &[PASS, OWNPARAM]),
    p(S::FetchInto, Natural, 9, true, &[READ, PASS, OWNPARAM | ARG]),
    p(S::SendCollector, Natural, 6, true, &[PASS | SENDOUT, PRIVATE, COLLECTOR]),
    p(S::SendCollector, Strict, 8, true, &[READ, PRIVATE, SENDOUT, COLLECTOR]),
    p(S::SendPrivate, Strict, 7, true, &[READ, PRIVATE, SENDOUT, ADDRESS]),
    p(S::SendUrl, Natural, 9, true, &[PASS | SENDOUT, ADDRESS]),
    p(S::SendUrl, Strict, 9, true, &[SHELLCMD, URL]),
    p(S::FixedSink, Natural, 8, true, &[ORDER, PASS | SENDOUT, ADDRESS]),
    p(S::FixedSink, Natural, 8, true, &[ORDER, CALL | READ, URL]),
    p(S::CallUrl, Natural, 8, true, &[ORDER | AFTER | BEFORE, CALL | READ, URL]),
    p(S::PassContents, Natural, 7, true, &[PASS | SENDOUT, CONTENTS | READ]),
    p(S::ReadSecret, Natural, 8, true, &[READ | SENDOUT | PASS, SECRETPATH]),
    p(S::SendSecret, Natural, 6, true, &[SENDOUT, SECRETPATH]),
    p(S::SendSecret, Natural, 8, true, &[SECRETPATH, SENDOUT]),
    p(S::SecretPath, Any, 0, true, &[SECRETPATH]),
    p(S::SystemPath, Any, 0, true, &[SEMIPATH]),
    p(S::ReadSecret, Natural, 8, true, &[READ | SENDOUT | PASS | CHANGE, SEMIPATH]),
    p(S::ReadSecret, Natural, 5, true, &[ORDER, CALL, SEMIPATH | SECRETPATH]),
    p(S::Shadow, Any, 6, true, &[OTHER, SHADOW, REMADE]),
    p(S::Shadow, Natural, 9, true, &[OTHER, SHADOW, OWNNAME | THISTOOL]),
    p(S::ShadowSend, Natural, 9, true, &[OTHER, SENDOUT | PASS, ADDRESS]),
    p(S::ShadowSend, Natural, 9, true, &[WHEN, OTHER, CALL, SENDOUT | PASS, PII | TALK | SAID | CRED]),
    p(S::ShadowSend, Strict, 9, true, &[SENDOUT, OTHER, SENDOUT | PASS, ADDRESS]),
    p(S::ShadowArgument, Any, 8, true, &[OTHER, ARG | AMOUNT, CHANGE | ALSO]),
    p(S::ShadowArgument, Natural, 6, true, &[OTHER, ORDER, PASS | CHANGE, ARG | ADDRESS | AMOUNT]),
    p(S::ShadowArgument, Any, 6, true, &[OTHER, CHANGE, ADDRESS | AMOUNT]),
    p(S::ShadowOrder, Natural, 8, true, &[WHEN | BEFORE, OTHER, ORDER]),
    p(S::ShadowOrder, Natural, 8, true, &[WHEN | BEFORE, OTHER, PASS | CHANGE]),
    p(S::Redirect, Natural, 6, true, &[ORDER | CALL, INSTEAD, OTHER]),
    p(S::Redirect, Natural, 6, true, &[ORDER | CALL | CHANGE, OTHER, INSTEAD]),
    p(S::Disowned, Natural, 8, true, &[OTHER | OWNNAME, DEPRECATED]),
    p(S::Correct, Natural, 9, true, &[AFTER, OTHER, CHANGE]),
    p(S::Correct, Natural, 6, true, &[AFTER, OTHER, CALL, THISTOOL | OWNNAME]),
    p(S::Correct, Natural, 8, true, &[BEFORE, CALL | EXEC, THISTOOL | OWNNAME, CHANGE, RETURNED]),
    p(S::Preflight, Natural, 8, true, &[BEFORE, CALL, THISTOOL | OWNNAME]),
    p(S::Preflight, Natural, 6, true, &[ORDER, BEFORE, READ]),
    p(S::FirstOfAll, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, BEFORE, OTHERTOOL]),
    p(S::EveryCall, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, EVERY]),
    p(S::EveryCall, Natural, 8, true, &[EVERY, CALL, THISTOOL | OWNNAME]),
    p(S::EveryCall, Natural, 8, true, &[THISTOOL, ORDER, CALL, BEFORE | EVERY]),
    p(S::EveryCall, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, BEFORE, OTHERTOOL]),
    p(S::EveryCall, Natural, 8, true, &[CALL, BEFORE, OTHERTOOL | EVERY]),
    p(S::Chain, Natural, 5, true, &[AFTER, CALL, OTHER]),
    p(S::Preflight, Natural, 9, true, &[BEFORE, ORDER, BEFORE, CALL]),
    p(S::Chain, Natural, 7, true, &[ORDER, CALL, OTHER]),
    p(S::ChainOwn, Natural, 9, true, &[BEFORE | AFTER, CALL, THISTOOL | OWNNAME, ORDER, CALL, OTHER]),
    p(S::ChainOwn, Natural, 9, true, &[BEFORE, ORDER, BEFORE, CALL, OTHER]),
    p(S::ChainOwn, Natural, 9, true, &[BEFORE | AFTER, THISTOOL | OWNNAME, CALL, OTHER]),
    p(S::BeforeAnswer, Natural, 6, true, &[CALL, BEFORE, RESPOND]),
    p(S::BeforeAnswer, Strict, 10, true, &[ORDER, CALL, BEFORE, RESPOND]),
    p(S::BeforeAnswer, Natural, 8, true, &[BEFORE, RESPOND, CALL, THISTOOL | OWNNAME]),
    p(S::CallRegardless, Natural, 6, false, &[ALL | EVERY, REQUESTS, REGARDLESS | UNRELATED]),
    p(S::CallRegardless, Natural, 8, true, &[CALL, THISTOOL | OWNNAME, REGARDLESS | UNRELATED]),
    p(S::CallRegardless, Natural, 6, false, &[CALL, REGARDLESS, REQUESTS]),
    p(S::EveryCall, Natural, 6, true, &[CALL, ALL, REQUESTS]),
    p(S::FirstOfAll, Natural, 4, true, &[CALL, BEFORE, ANYTHING]),
    p(S::FirstOfAll, Natural, 2, true, &[BEFORE, ANYTHING]),
    p(S::FirstOfAll, Natural, 6, false, &[NEG, OTHERTOOL | ANYTHING, CALL, UNTIL]),
    p(S::AllRequests, Natural, 5, true, &[ALL, REQUESTS]),
    p(S::Vague, Any, 0, true, &[VAGUE]),
    p(S::Destroy, Natural, 7, true, &[ORDER, DESTROY, ALL | FILES]),
    p(S::Destroy, Natural, 7, true, &[ORDER | AFTER, CHANGE | PASS, SEMIPATH]),
    p(S::Tamper, Natural, 8, true, &[CHANGE, ARG]),
    p(S::TamperUser, Natural, 6, true, &[CHANGE, USERINPUT]),
    p(S::TamperUser, Any, 8, true, &[REGARDLESS, USERINPUT]),
    p(S::TamperUser, Natural, 8, true, &[CHANGE | ORDER, ARG, REGARDLESS]),
    p(S::Shell, Any, 0, true, &[SHELLCMD]),
    p(S::RunShell, Natural, 9, true, &[EXEC | ORDER, CMDNOUN, SHELLCMD]),
    p(S::RunShell, Natural, 1, true, &[EXEC, SHELLCMD]),
    p(S::RunShell, Natural, 9, true, &[SHELLCMD, FOREIGN]),
    p(S::RunShell, Natural, 9, true, &[ORDER, EXEC, SHELLCMD]),
    p(S::RunShell, Natural, 7, true, &[ORDER, EXEC, CMDNOUN]),
    p(S::Skew, Natural, 4, true, &[SKEW, AMOUNT | USERINPUT]),
    p(S::Skew, Natural, 5, true, &[ARG | OWNPARAM, SKEW, USERINPUT]),
    p(S::Skew, Natural, 4, true, &[AMOUNT, SKEW]),
    p(S::Skew, Natural, 5, true, &[OTHER, ORDER, SKEW]),
    p(S::Skew, Natural, 4, true, &[PASS, AMOUNT, AMOUNT]),
    p(S::Beacon, Any, 0, true, &[BEACON]),
    p(S::PipeShell, Strict, 4, true, &[SHELLCMD, URL | HOST, SHELLCMD]),
    p(S::Dormant, Natural, 6, false, &[BENIGNLY, UNTIL | NTH]),
    p(S::Dormant, Natural, 6, false, &[NTH, BENIGNLY]),
    p(S::Dormant, Natural, 8, true, &[NTH, PASS | SENDOUT, PRIVATE]),
    p(S::AcceptChange, Natural, 8, false, &[ACCEPT, REDEFINE, NEG | WITHOUT, REVIEW]),
    p(S::AcceptChange, Natural, 8, false, &[REDEFINE, NEG | WITHOUT, REVIEW]),
    p(S::Praise, Natural, 1, true, &[SUPER, QUALITY]),
    p(S::Endorse, Natural, 4, true, &[APPROVES, EXPERTS]),
    p(S::Endorse, Natural, 2, true, &[EXPERTS, APPROVES]),
    p(S::Rival, Natural, 4, true, &[OTHERS, RIVAL]),
    p(S::ScriptRegardless, Natural, 6, true, &[ALL | REGARDLESS, REQUESTS, TELL | FALSIFY, USER]),
    p(S::ScriptRegardless, Natural, 12, true, &[TELL, USER, REGARDLESS]),
    p(S::ScriptRegardless, Natural, 7, true, &[REGARDLESS, TELL | FALSIFY, USER]),
    p(S::Pretext, Natural, 3, true, &[FORTO, SOUNDNESS]),
    p(S::Authority, Strict, 1, true, &[OFFICE, NOTICE]),
    p(S::Praise, Any, 0, true, &[PRAISE]),
    p(S::PraiseMild, Any, 0, true, &[MILDPRAISE]),
    p(S::Caution, Any, 0, false, &[CAUTION]),
    p(S::Endorse, Any, 0, true, &[ENDORSE]),
    p(S::Urge, Any, 0, true, &[URGENCY]),
    p(S::Rival, Any, 6, true, &[OTHERTOOL | OTHER, RIVAL]),
    p(S::Rival, Any, 6, true, &[TOOLNOUN, RIVAL]),
    p(S::Prefer, Natural, 5, true, &[PREFER, THISTOOL | TOOLNOUN | OWNNAME]),
    p(S::Prefer, Natural, 8, true, &[ORDER, CALL, THISTOOL, OTHERTOOL | INSTEAD]),
    p(S::Prefer, Natural, 5, true, &[CALL, THISTOOL, REGARDLESS | INSTEAD]),
    p(S::PreferAll, Natural, 6, true, &[THISTOOL, ORDER, CALL, PREFER]),
    p(S::PreferAll, Natural, 4, true, &[ONLY, TOOLNOUN | THISTOOL, ORDER, CALL]),
    p(S::PreferAll, Natural, 4, true, &[ALL | EVERY, SENDOUT, THISTOOL | OWNNAME]),
    p(S::Prefer, Natural, 5, true, &[PREFER, ANYTHING | OTHERTOOL | OTHERS]),
    p(S::PreferAll, Natural, 6, false, &[NEG | IGNORE, CALL | IGNORE, OTHERTOOL]),
    p(S::PreferAll, Natural, 3, true, &[IGNORE, OTHERTOOL]),
    p(S::PreferAll, Natural, 5, false, &[NEG | IGNORE, CALL | IGNORE, RIVAL | OTHERS, TOOLNOUN]),
    p(S::Script, Any, 0, true, &[FALSIFY]),
    p(S::ScriptQuote, Natural, 4, true, &[ORDER, TELL, QUOTED]),
    p(S::ScriptQuote, Natural, 4, true, &[TELL, USER, QUOTED]),
    p(S::ScriptQuote, Strict, 5, true, &[DISPLAY, AS, QUOTED]),
    p(S::ScriptQuote, Natural, 6, true, &[FALSIFY, QUOTED]),
    p(S::Authority, Any, 0, true, &[AUTHORITY]),
    p(S::Pretext, Any, 0, true, &[PRETEXT]),
    p(S::Order, Any, 0, false, &[ORDER]),
    p(S::ReaderOrder, Natural, 3, true, &[READER, ORDER]),
    p(S::Trigger, Any, 0, true, &[TRIGGER]),
    p(S::Contents, Any, 0, true, &[CONTENTS]),
    p(S::Purpose, Any, 0, false, &[PURPOSE]),
    p(S::Detects, Any, 6, false, &[DETECT, DETECT | SHOWS]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pattern_is_a_candidate_where_its_steps_are() {
        assert!(PATTERNS.len() <= 256, "a bit for each");
        for pattern in PATTERNS {
            let present = pattern.steps.iter().fold(0, |all, step| all | 1 << step.trailing_zeros());
            assert!(candidates(present).any(|p| std::ptr::eq(p, pattern)), "{pattern:?}");
        }
        assert_eq!(candidates(0).count(), 0);
        let order: Vec<_> = candidates(Mask::MAX).map(|p| (p.signal, p.steps)).collect();
        assert_eq!(order, PATTERNS.iter().map(|p| (p.signal, p.steps)).collect::<Vec<_>>());
    }
}
