//! ANNOTATION: what a tool says it does to the world.

mod absent;
mod acts;
mod closed_world;
mod contradictory;
mod contradicts_name;
mod destructive_omitted;
mod dispatch;
mod hints;
mod idempotent_repeats;
mod prose;
mod read_only_omitted;
mod unsafe_dispatcher;
mod verbs;

use super::{Rule, ToolView};

/// Whether name and description of the tool say that it changes something, and it is not marked read-only.
pub(super) fn seems_to_write(tool: &ToolView<'_>) -> bool {
    let read_only = hints::Hints::of(tool).is_some_and(|h| h.read_only == Some(true));
    !read_only && acts::of(tool).is_some_and(|claim| claim.verb.act.writes())
}

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &absent::Absent,
    &contradictory::Contradictory,
    &contradicts_name::ContradictsName,
    &unsafe_dispatcher::UnsafeDispatcher,
    &idempotent_repeats::IdempotentRepeats,
    &closed_world::ClosedWorld,
    &read_only_omitted::ReadOnlyOmitted,
    &destructive_omitted::DestructiveOmitted,
];
