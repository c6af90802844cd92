//! USAGE: what makes a tool hard to use rightly.

mod parameters;
mod undescribed;

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[&undescribed::Undescribed];
