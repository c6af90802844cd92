//! USAGE: what makes a tool hard to use rightly.

mod action_required;
mod boilerplate;
mod enum_in_prose;
mod listed;
mod near_duplicate;
mod parameters;
mod size;
mod token_budget;
mod undescribed;

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[
    &undescribed::Undescribed,
    &enum_in_prose::EnumInProse,
    &action_required::ActionRequired,
    &near_duplicate::NearDuplicate,
    &boilerplate::Boilerplate,
    &token_budget::TokenBudget,
];
