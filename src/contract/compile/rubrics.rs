//! Rubrics that a judge can score by: anchored, bounded, and about what was observed.

use super::{Checked, Code, Context, fail, reach};
use crate::contract::rubric::Rubric;
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Ids come first: by them everything else is named.
pub(super) fn identifiers(context: &Context<'_>) -> Checked {
    let mut seen = BTreeSet::new();
    for rubric in &context.contract.rubrics {
        if !seen.insert(&rubric.id) {
            return unanchored(
                &format!("{}/id", rubric.at),
                format!("{} is the id of another rubric, too", rubric.id),
            );
        }
    }
    for rubric in &context.contract.rubrics {
        let mut seen = BTreeSet::new();
        for (i, criterion) in rubric.criteria.iter().enumerate() {
            if !seen.insert(&criterion.id) {
                let detail = format!("{} is the id of another criterion of {}, too", criterion.id, rubric.id);
                return unanchored(&format!("{}/criteria/{i}/id", rubric.at), detail);
            }
        }
    }
    Ok(())
}

fn unanchored(at: &str, detail: impl Into<String>) -> Checked {
    fail(Code::RubricUnanchored, at, detail)
}

/// Words for what a model says of its own thinking. Plainer ones ("explanation", "thinking") have other uses.
static REASONING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let gap = r"[-\u{2010}\u{2011}\s]+";
    let words = format!(
        r"(?i)\b(?:(?:chains?|trains?){gap}of{gap}thoughts?|(?:thought|thinking){gap}process(?:es|ing)?|(?:internal|inner){gap}monologues?|self{gap}explanations?|reasonings?|rationales?)\b"
    );
    Regex::new(&words).ok()
});

pub(super) fn reasoning_prose(context: &Context<'_>) -> Checked {
    let found =
        |text: &str| REASONING.as_ref().and_then(|regex| regex.find(text)).map(|m| m.as_str().to_string());
    for rubric in &context.contract.rubrics {
        let criteria =
            rubric.criteria.iter().enumerate().map(|(i, c)| (format!("criteria/{i}/text"), &c.text));
        let anchors = rubric.scale_levels.iter().flatten().enumerate();
        let anchors = anchors.map(|(i, level)| (format!("scaleLevels/{i}/anchor"), &level.anchor));
        let penalties = rubric.failure_mode_penalties.iter().flatten().enumerate().flat_map(|(i, p)| {
            [("name", &p.name), ("description", &p.description)]
                .map(|(key, text)| (format!("failureModePenalties/{i}/{key}"), text))
        });
        for (place, text) in criteria.chain(anchors).chain(penalties) {
            if let Some(word) = found(text) {
                let detail =
                    format!("`{word}`: what a model says of its thinking is not scored, only what it did");
                return fail(Code::RubricScoresReasoningProse, &format!("{}/{place}", rubric.at), detail);
            }
        }
    }
    Ok(())
}

/// Whether a text says nothing, invisibly or plainly.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{feff}'))
}

pub(super) fn anchors(context: &Context<'_>) -> Checked {
    context.contract.rubrics.iter().try_for_each(anchors_of)
}

fn anchors_of(rubric: &Rubric) -> Checked {
    let at = |place: &str| format!("{}/{place}", rubric.at);
    let id = &rubric.id;
    let levels = rubric.scale_levels.as_deref().unwrap_or_default();
    if levels.is_empty() {
        return unanchored(&at("scaleLevels"), format!("{id} has no levels to score by"));
    }
    let mut seen = BTreeSet::new();
    for (i, level) in levels.iter().enumerate() {
        if !seen.insert(level.level) {
            return unanchored(
                &at(&format!("scaleLevels/{i}/level")),
                format!("{id} has level {} twice", level.level),
            );
        }
    }
    if let Some(i) = levels.iter().position(|level| is_blank(&level.anchor)) {
        return unanchored(
            &at(&format!("scaleLevels/{i}/anchor")),
            format!("a level of {id} says nothing that could be observed"),
        );
    }
    if rubric.max_length.is_none() {
        return unanchored(&at("maxLength"), format!("{id} bounds no length"));
    }
    let penalties = rubric.failure_mode_penalties.as_deref().unwrap_or_default();
    if penalties.is_empty() {
        return unanchored(&at("failureModePenalties"), format!("{id} names no penalty for a way to fail"));
    }
    if let Some(i) = penalties.iter().position(|p| is_blank(&p.name)) {
        return unanchored(
            &at(&format!("failureModePenalties/{i}/name")),
            format!("a penalty of {id} has no name"),
        );
    }
    match rubric.criteria.iter().position(|c| is_blank(&c.text)) {
        Some(i) => {
            unanchored(&at(&format!("criteria/{i}/text")), format!("a criterion of {id} asks nothing"))
        }
        None => Ok(()),
    }
}

pub(super) fn evidence(context: &Context<'_>) -> Checked {
    for rubric in &context.contract.rubrics {
        for (i, criterion) in rubric.criteria.iter().enumerate() {
            if let Some(why) = reach::unreachable(context, &criterion.evidence) {
                let detail = format!("`{}` {why}", criterion.evidence.text);
                return fail(
                    Code::RubricEvidenceUnreachable,
                    &format!("{}/criteria/{i}/evidence", rubric.at),
                    detail,
                );
            }
        }
    }
    Ok(())
}
