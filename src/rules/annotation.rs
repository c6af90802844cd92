//! ANNOTATION: what a tool says it does to the world.

use super::Rule;

/// The rules of this family, in report order; a new rule is one line here.
pub static RULES: &[&dyn Rule] = &[];
