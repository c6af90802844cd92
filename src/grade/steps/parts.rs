//! How the steps of a session belong together: groups of calls, and responses with their calls.

use crate::expect::{Kind, Matching, Step};

/// Calls in a row, or a text.
pub(super) enum Part {
    Calls { steps: Vec<usize>, is_ordered: bool },
    Says(usize),
}

/// Calls in a row are a group; a text or a response ends it.
pub(super) fn parts(steps: &[Step], matching: Matching) -> Vec<Part> {
    let of = |kind: Kind| steps.iter().enumerate().filter(move |(_, s)| s.kind == kind).map(|(i, _)| i);
    if matching.is_unordered() {
        // All calls are one group, and texts have an order of their own.
        let calls = Part::Calls { steps: of(Kind::Call).collect(), is_ordered: false };
        return of(Kind::Says).map(Part::Says).chain([calls]).collect();
    }
    let mut parts = Vec::new();
    let mut group: Vec<usize> = Vec::new();
    let close = |group: &mut Vec<usize>, parts: &mut Vec<Part>| {
        if !group.is_empty() {
            let steps_of_group = std::mem::take(group);
            let is_ordered = !steps_of_group.iter().any(|s| steps.get(*s).is_some_and(Step::is_unordered));
            parts.push(Part::Calls { steps: steps_of_group, is_ordered });
        }
    };
    for (i, step) in steps.iter().enumerate() {
        match step.kind {
            Kind::Call => group.push(i),
            Kind::Says => {
                close(&mut group, &mut parts);
                parts.push(Part::Says(i));
            }
            Kind::Response | Kind::Context => close(&mut group, &mut parts),
        }
    }
    close(&mut group, &mut parts);
    parts
}

/// For each response the call that it answers: the first to its target that has none yet.
pub(super) fn answers(steps: &[Step]) -> Vec<Option<usize>> {
    let mut answers: Vec<Option<usize>> = vec![None; steps.len()];
    for (i, step) in steps.iter().enumerate().filter(|(_, s)| s.kind == Kind::Response) {
        let is_free = |(c, call): &(usize, &Step)| {
            call.kind == Kind::Call && call.target == step.target && !answers.contains(&Some(*c))
        };
        let call = steps.iter().enumerate().take(i).find(is_free).map(|(c, _)| c);
        if let Some(slot) = answers.get_mut(i) {
            *slot = call;
        }
    }
    answers
}
